#!/usr/bin/env python3
"""Makes the package's wheel, and runs what README and the pages show Python users in clean environments that have it: there is
no compiler in PATH, no LLVM is asked for, and no variable says where the source tree is.

    tests/python/wheel.py                   beside NumPy and SciPy of PyPI
    tests/python/wheel.py --each            the same for each Python from 3.9 that is at hand
    tests/python/wheel.py --over PYTHON     with the libraries of that interpreter's environment, PyTorch among them: all pages

What comes from PyPI is pinned in python/requirements-wheel.txt, and kept in the build folder, which SPC_BUILD names, build/ by
default. Where PyPI does not answer, this says what is left out, in the build folder's left-out, too, and ends with status 77.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("SPC_BUILD") or ROOT / "build").resolve()
PINNED = ROOT / "python" / "requirements-wheel.txt"
LEFT_OUT = 77
MEGABYTES = 80  # a wheel is smaller
AGES = range(9, 20)  # of Python 3
# Libraries' warnings of what will change in them; other warnings are errors.
WARNINGS = ("-W", "ignore:The default value for `spmatrix`", "-W", "ignore:Sparse invariant checks", "-W", "ignore:`torch.jit.script`")
# Who does not answer then, does not.
ONCE = ("--retries", "1", "--timeout", "10", "--disable-pip-version-check")
KERNEL = "y(i) = A(i,j) * x(j)\n"
FIRST_CALL = f"""
import time, numpy as np, scipy.sparse as sp, spc
a, x = sp.eye_array(3, format="csr"), np.ones(3)
before = time.perf_counter()
assert (spc.kernel({KERNEL!r})(A=a, x=x) == 1).all()
print(time.perf_counter() - before)
"""


def user(home):
    """The environment of one who has set nothing."""
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C", "PYTHONDONTWRITEBYTECODE": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(command, **more):
    """Runs a command, and gives what it printed; where it fails, prints that and ends."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(map(str, command))} ended with status {done.returncode}")
    return done.stdout


def answers(python):
    """Whether PyPI, or what pip is told to take in its place, does."""
    return subprocess.run([python, "-m", "pip", *ONCE, "index", "versions", "numpy"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def libraries(python):
    """The interpreter of an environment with what PINNED names, which is kept; None where PyPI does not answer."""
    name = run([python, "-c", "import platform; print(platform.python_version())"]).strip()
    place, pinned = BUILD / "wheel" / name, PINNED.read_text(encoding="utf-8")
    made, interpreter = place / PINNED.name, place / "bin" / "python"
    if made.is_file() and made.read_text(encoding="utf-8") == pinned:
        return interpreter
    run([python, "-m", "venv", "--clear", place])
    try:
        run([interpreter, "-m", "pip", "install", "--quiet", *ONCE, "--no-compile", "--requirement", PINNED])
    except SystemExit:
        if answers(interpreter):
            raise
        return None
    made.write_text(pinned, encoding="utf-8")
    return interpreter


def clean_environment(over, folder, wheel):
    """The interpreter of an environment that has the wheel and sees another one's libraries."""
    run([over, "-m", "venv", "--without-pip", "--clear", folder])
    python = folder / "bin" / "python"
    place, seen = (pathlib.Path(run([each, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip())
                   for each in (python, over))
    (place / "libraries.pth").write_text(f"import site; site.addsitedir({str(seen)!r})\n", encoding="utf-8")
    run([python, "-m", "pip", "install", "--quiet", "--no-index", wheel], env=user(folder))
    said = run([python, "-m", "spc"], env=user(folder), cwd=folder)
    compiler = re.search(r"^compiler +(\S+): ", said, re.MULTILINE)[1]
    if not compiler.startswith(f"{place.resolve()}/"):
        sys.exit(f"{compiler} is not the wheel's")
    print(said.splitlines()[0], flush=True)
    return python


def make_wheel(python, folder):
    """The wheel, as pip makes it without a network; what auditwheel finds in it fits its name."""
    environment = {**user(folder), "PIP_NO_INDEX": "1", "SPC_BUILD": str(BUILD)}
    begun = time.perf_counter()
    run([python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT / "python"], env=environment)
    wheel, = folder.glob("spc-*.whl")
    size = wheel.stat().st_size / 1e6
    print(f"{wheel.name}: {size:.1f} MB in {time.perf_counter() - begun:.1f} s", flush=True)
    if size >= MEGABYTES:
        sys.exit(f"the wheel is not below {MEGABYTES} MB")
    return wheel


def check_platform(python, wheel):
    """What auditwheel finds in the wheel fits its name."""
    said = " ".join(run([python, "-m", "auditwheel", "show", wheel]).split())
    platform = wheel.stem.rpartition("-")[2]
    if f'is consistent with the following platform tag: "{platform}"' not in said:
        sys.exit(f"auditwheel: {said}")
    print(f"auditwheel: consistent with {platform}", flush=True)


def check_pages(python, folder, words):
    """Runs the pages' blocks, by the tests of them whose names have one of the words, and says how many of those were skipped."""
    said = run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *WARNINGS, "-k", " or ".join(words),
                ROOT / "tests" / "python" / "test_docs.py"], env=user(folder), cwd=folder)
    print(f"pages: {', '.join(words)}: {said.splitlines()[-1]}", flush=True)


def check_training(python, folder):
    """Trains the networks of docs/training.md on the graph of the examples."""
    run([python, ROOT / "bench" / "python" / "training.py", "--rounds", "1"], env=user(folder), cwd=folder)
    print("docs/training.md: the same losses as PyTorch's own", flush=True)


def say_figures(python, folder):
    """Prints how long imports and the first call of a kernel take, as medians of runs that take turns."""
    (folder / "kernel.tex").write_text(KERNEL, encoding="utf-8")
    compiler = next(folder.glob("**/spc/bin/spc"))
    times = {"import numpy": [], "import spc": [], "compile": [], "call": []}
    for turn in range(9):
        for line in ("import numpy", "import spc"):
            begun = time.perf_counter()
            run([python, "-c", line], env=user(folder))
            times[line].append(time.perf_counter() - begun)
        begun = time.perf_counter()
        run([compiler, "compile", "kernel.tex", "--format", "A=csr", "-q", "-o", "kernel.o"], env=user(folder), cwd=folder)
        times["compile"].append(time.perf_counter() - begun)
        times["call"].append(float(run([python, "-c", FIRST_CALL], cwd=folder,
                                       env={**user(folder), "SPC_CACHE_DIR": str(folder / f"cache{turn}")})))
    numpy, spc, compiled, called = (1e3 * statistics.median(times[name]) for name in times)
    print(f"import spc {spc:.0f} ms, import numpy {numpy:.0f} ms; the first call of a kernel {called:.0f} ms, its compilation by "
          f"the command {compiled:.0f} ms: {called / compiled:.2f} times", flush=True)


def interpreters():
    """Those of Python 3.9 and later in PATH and of pyenv, one of each version, which make environments."""
    found = {}
    kept = sorted(pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")).glob("versions/3.*/bin/python"))
    for path in [*filter(None, (shutil.which(f"python3.{age}") for age in AGES)), *kept]:
        done = subprocess.run([path, "-c", "import ensurepip, sys; print(sys.version_info[1])"], capture_output=True, text=True,
                              check=False)
        if done.returncode == 0 and int(done.stdout) in AGES:
            found.setdefault(int(done.stdout), path)
    return [found[age] for age in sorted(found)]


def check(options, folder):
    """Does what the options ask for; the status to end with."""
    wheel, status = None, 0
    for python in interpreters() if options.each else [options.over or sys.executable]:
        over = python if options.over else libraries(python)
        if over is None:
            said = f"PyPI does not answer. Left out: the wheel beside its NumPy and SciPy, by {python}, and auditwheel's look at it"
            print(said, flush=True)
            (BUILD / "left-out").write_text(f"{said}\n", encoding="utf-8")
            status = LEFT_OUT
            continue
        wheel = wheel or make_wheel(over, folder)
        if not options.over and "auditwheel" in run([over, "-m", "pip", "list"]):
            check_platform(over, wheel)
        made = clean_environment(over, folder / "environment", wheel)
        check_pages(made, folder, ["readme", "tour"] if not options.over else ["readme", "tour", "pages", "beyond"])
        if options.over:
            check_training(made, folder)
            say_figures(made, folder)
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", action="store_true", help="for each Python from 3.9 that is at hand")
    parser.add_argument("--over", metavar="PYTHON", help="with the libraries of its environment, and with PyTorch")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return check(options, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
