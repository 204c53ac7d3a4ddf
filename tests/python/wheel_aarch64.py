#!/usr/bin/env python3
"""Runs a wheel for Linux on aarch64 under qemu: the examples' kernels in programs, README's lines for Python users and the tour,
and products beside SciPy's. cmake/wheel_aarch64.sh --test makes both, and calls this.

    tests/python/wheel_aarch64.py SYSROOT WHEEL

The sysroot has Debian's Python 3.11, NumPy, SciPy and pytest for arm64. Where PyPI answers, auditwheel looks at the wheel's name.
"""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import shutil
import sys
import tempfile
import zipfile

import wheel as native

ROOT = native.ROOT
EXAMPLES = ("spmv", "spmm", "sddmm")
# One has vectors of 16 bytes alone, the other of any length, too (SVE), which qemu has by -cpu max.
PROCESSORS = ("neoverse-n1", "neoverse-v1")
PRODUCTS = """
import numpy as np, scipy.sparse as sp, spc
rng = np.random.default_rng(1)
a, b = (sp.random(*shape, 0.03, "csr", random_state=rng) for shape in ((300, 200), (200, 250)))
x, dense = rng.random(200), rng.random((200, 24))
def agree(text, expected, **operands):
    found = spc.kernel(text, options=["--mcpu=PROCESSOR"])(**operands)
    assert type(found) is type(expected) and abs(found - expected).max() < 1e-12, text
agree("y(i) = A(i,j) * x(j)", a @ x, A=a, x=x)
agree("Y(i,k) = A(i,j) * X(j,k)", a @ dense, A=a, X=dense)
agree("C(i,j) = A(i,k) * B(k,j)", a @ b, A=a, B=b)
agree("C(i,j) = A(i,j) + B(i,j)", a + a[::-1], A=a, B=a[::-1])
"""


def wrapper(path, program):
    """Makes a command of this machine, which runs a program for the other one."""
    path.write_text(f'#!/bin/sh\nexec qemu-aarch64 -cpu max {program} "$@"\n', encoding="utf-8")
    path.chmod(0o755)


def unpacked(wheel, folder):
    """A folder with the package, in which a command stands in for the compiler: the system does not start that itself."""
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    compiler = folder / "spc" / "bin" / "spc"
    program = compiler.rename(compiler.with_name("spc.aarch64"))
    program.chmod(0o755)
    wrapper(compiler, program)
    return compiler


def check_examples(compiler, sysroot, folder, environment):
    """The examples' kernels by this compiler, in their programs, which compare with plain loops."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copytree(ROOT / "include", folder / "include")
    cross = f"clang++-22 --target=aarch64-linux-gnu --sysroot={sysroot}"
    for name in EXAMPLES:
        place = folder / "examples" / name
        native.run(["make", "--quiet", f"SPC={compiler}", f"CXX={cross}", "LDFLAGS=-fuse-ld=lld-22", "app"],
                   env=environment, cwd=place)
        native.run(["qemu-aarch64", "./app", "../data/karate.mtx"], env=environment, cwd=place)
    print(f"examples: {', '.join(EXAMPLES)}", flush=True)


def main():
    sysroot, wheel = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    size = wheel.stat().st_size / 1e6
    print(f"{wheel.name}: {size:.1f} MB", flush=True)
    if size >= native.MEGABYTES:
        sys.exit(f"the wheel is not below {native.MEGABYTES} MB")
    over = native.libraries(sys.executable)
    if over is None:
        print("PyPI does not answer. Left out: auditwheel's look at the wheel", flush=True)
    else:
        native.check_platform(over, wheel)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compiler = unpacked(wheel, folder / "package")
        environment = {**native.user(folder), "PYTHONPATH": str(folder / "package"), "QEMU_LD_PREFIX": str(sysroot)}
        python = ["qemu-aarch64", "-cpu", "max", sysroot / "usr" / "bin" / "python3.11"]
        print(native.run([*python, "-m", "spc"], env=environment, cwd=folder), end="", flush=True)
        check_examples(compiler, sysroot, folder, environment)
        for processor in PROCESSORS:
            native.run([*python, "-c", PRODUCTS.replace("PROCESSOR", processor)], env=environment, cwd=folder)
            print(f"products for {processor}: as SciPy's", flush=True)
        native.run([*python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "readme or tour",
                    ROOT / "tests" / "python" / "test_docs.py"], env=environment, cwd=folder)
        print("pages: readme, tour", flush=True)


if __name__ == "__main__":
    main()
