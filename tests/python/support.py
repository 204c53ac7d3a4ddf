"""Operands for tests, and the comparison with what they make when dense."""
# SPDX-License-Identifier: Apache-2.0

import functools
import os
import subprocess
import sys

import numpy as np
import scipy.sparse as sp

import spc
from spc.compiler import toolchain

DTYPES = {"f32": np.float32, "f64": np.float64, "cf32": np.complex64, "cf64": np.complex128, "i32": np.int32,
          "i64": np.int64}
#: What tests of memory run in processes of their own, which have gc, threading and spc.
GROWTH = """
def resident():
    gc.collect()
    spc.trim_memory()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
def in_two_threads(work, count):
    threads = [threading.Thread(target=work, args=(count,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
def check_growth(round_of_calls):
    round_of_calls()
    before = resident()
    for _ in range(3):
        round_of_calls()
    grown = resident() - before
    assert grown < 3 << 20, grown
"""
CALL = """
import numpy as np, scipy.sparse as sp, spc
text, kind, dtype = {!r}, {!r}, {!r}
a = sp.random(20, 20, 0.3, kind, dtype, np.random.default_rng(1))
x = np.arange(20, dtype=dtype)
y = spc.kernel(text, options={!r})(a, x)
assert np.allclose(y, a @ x), y
"""
INDEX_ARRAYS = ("indptr", "indices", "row", "col", "offsets")


def values(rng, count, dtype):
    """Numbers that are not 0."""
    if np.dtype(dtype).kind in "iu":
        return rng.integers(1, 9, count).astype(dtype)
    made = rng.random(count) + 0.5
    return (made + 1j * rng.random(count)).astype(dtype) if np.dtype(dtype).kind == "c" else made.astype(dtype)


def matrix(rows, columns, kind="csr", dtype=np.float64, index=np.int32, density=0.3, seed=1, flavour="array"):
    """A random matrix of one of SciPy's kinds, with an empty row and a full one where there is room."""
    rng = np.random.default_rng(seed)
    full = np.zeros((rows, columns), dtype)
    mask = rng.random((rows, columns)) < density
    mask[:1] = False
    mask[1:2] = True
    full[mask] = values(rng, int(mask.sum()), dtype)
    made = getattr(sp, f"csr_{flavour}")(full)
    if kind == "bsr":
        made = made.tobsr((2, 3) if rows % 2 == 0 and columns % 3 == 0 else (1, 1))
    elif kind == "dia":
        made = made.todia()
        wide = np.zeros((len(made.offsets), columns), dtype)
        wide[:, :made.data.shape[1]] = made.data[:, :columns]
        made = getattr(sp, f"dia_{flavour}")((wide, made.offsets), shape=(rows, columns))
    else:
        made = made.asformat(kind)
    for name in INDEX_ARRAYS:
        if hasattr(made, name):
            setattr(made, name, getattr(made, name).astype(index))
    if kind == "coo" and hasattr(made, "coords"):  # SciPy 1.13 and later set one array at a time in the other's type
        made.coords = tuple([array.astype(index) for array in made.coords])
    return made


def dense(shape, dtype=np.float64, seed=2):
    """A random array."""
    return values(np.random.default_rng(seed), int(np.prod(shape)), dtype).reshape(shape)


def close(got, expected, loose=None):
    """Whether a result is what is expected, up to the rounding of its type, and of the same type."""
    if sp.issparse(got):
        got = got.toarray()
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    single = got.dtype in (np.float32, np.complex64, np.float16)
    tolerance = loose or (1e-4 if single else 1e-12)
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def grouped(operations, count):
    """Operations by name, so many at once: the names of each group, a function of all their operands that gives all their results,
    and these operands. An operation is a function and its operands."""
    names = list(operations)
    for first in range(0, len(names), count):
        group = names[first:first + count]
        functions, operands, calls = {}, [], []
        for k, name in enumerate(group):
            functions[f"f{k}"], *own = operations[name]
            calls.append(f"f{k}({', '.join(f'a{len(operands) + at}' for at in range(len(own)))})")
            operands += own
        exec(f"def forward(self, {', '.join(f'a{k}' for k in range(len(operands)))}): return ({', '.join(calls)},)", functions)
        yield group, functions["forward"], operands


def address(array):
    """Where an array lies."""
    return array.__array_interface__["data"][0]


#: The level of optimisation of the test that runs, where it is not the default.
level = ""


def kernel(text, **formats):
    """A kernel that tests share."""
    return _kernel(level, text, **formats)


@functools.lru_cache(maxsize=None)
def _kernel(level, text, **formats):
    return spc.kernel(text, **formats)


class Place:
    """A cache of its own, and a compiler that notes when it runs, and whether it compiles: without optimising, as each cache
    is filled anew."""

    def __init__(self, folder):
        self.folder, self.log, self.runs = folder / "cache", folder / "log", folder / "runs"
        (folder / "bin").mkdir()
        (folder / "lib").mkdir()
        (folder / "lib" / "libspc_contexts.so").symlink_to(toolchain.helper_library())
        self.compiler = folder / "bin" / "spc"
        self.write_compiler()

    def write_compiler(self, more=""):
        self.compiler.write_text(f'#!/bin/sh\necho "$*" >>{self.runs}\n{more}case "$*" in compile*--emit=signature*) ;; '
                                 f'compile*) echo compile >>{self.log}; sleep "${{SLEEP:-0}}"; '
                                 'case "$*" in *" -O"*) ;; *) set -- "$@" -O0;; esac;; esac\n'
                                 f'exec {toolchain.compiler()} "$@"\n')
        self.compiler.chmod(0o755)

    def start(self, text="y(i) = A(i,j) * x(j)", kind="csr", dtype="f8", options=(), **environment):
        """Starts a process that calls a kernel."""
        return subprocess.Popen([sys.executable, "-c", CALL.format(text, kind, dtype, tuple(options))],
                                env={**os.environ, "SPC_CACHE_DIR": str(self.folder), "SPC_COMPILER": str(self.compiler),
                                     **environment})

    def run(self, code, **environment):
        """Runs a program; returns what it prints, and how often it has started the compiler."""
        before = self.started
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120,
                              env={**os.environ, "SPC_CACHE_DIR": str(self.folder), "SPC_COMPILER": str(self.compiler),
                                   **environment})
        return done.stdout, self.started - before

    def call(self, *arguments, **options):
        assert self.start(*arguments, **options).wait(60) == 0

    @property
    def compiled(self):
        """How often a kernel was compiled."""
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    @property
    def started(self):
        """How often the compiler was started, for whatever it was asked."""
        return len(self.runs.read_text().splitlines()) if self.runs.exists() else 0

    def files(self, pattern):
        return sorted(self.folder.glob(pattern))


class Exported:
    """What knows DLPack and nothing else, as arrays of other libraries may."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Interfaced:
    """What knows NumPy's interface and nothing else."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__
