#!/usr/bin/env python3
"""Compiles the programs of this folder and the examples of MPI, and runs them on 1, 2, 3, 4 and 7 processes.

    run_processes.py petsc|mpi_hpp --spc build/bin/spc --work DIR

Ends with 77 where PETSc or MPI is not installed. SPDX-License-Identifier: Apache-2.0"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROCESSES = (1, 2, 3, 4, 7)
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# Small tiles, so that small matrices have several, and results that are written past the caches.
SMALL = ["-DSPC_PETSC_ROWS=32", "-DSPC_PETSC_FAR=2000"]
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # Processes that wait let others run: there are more than processors.
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def run(command, env=ENVIRONMENT):
    print("+", " ".join(map(str, command)), flush=True)
    subprocess.run(list(map(str, command)), check=True, env=env)


def answer(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def mpi_flags():
    """How programs of MPI are compiled, without warnings from its headers, and linked."""
    compile_flags = [flag for flag in answer(["mpicc", "--showme:compile"]) if flag.startswith("-I")]
    return [part for flag in compile_flags for part in ("-isystem", flag[2:])], answer(["mpicc", "--showme:link"])


def processes(count, command, limit=120):
    """What the program prints on so many processes. Fails where it fails or does not end."""
    return subprocess.run(
        ["mpirun", "--oversubscribe", "-n", str(count), *map(str, command)],
        env=ENVIRONMENT,
        timeout=limit,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def expect_ok(count, command):
    """The program ends well and says so, and says nothing else, such as what it has not freed."""
    start = time.monotonic()
    done = processes(count, command)
    print(f"{count} processes: {time.monotonic() - start:.1f} s, {done.stdout.strip()}", flush=True)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != 1 or not lines[0].startswith("ok: "):
        sys.exit(f"failed on {count} processes with {done.returncode}")


def petsc(spc, work):
    if subprocess.run(["pkg-config", "--exists", "petsc"], check=False).returncode != 0:
        skip("no PETSc, which cmake/setup.sh installs")
    include, link = mpi_flags()
    run(["make", "-s", "-f", ROOT / "cmake/package/petsc/petsc.mk", f"SPC={spc}", f"SPC_BUILD={work}/"])
    for flag in answer(["pkg-config", "--cflags-only-I", "petsc"]):
        include += ["-isystem", flag[2:]]
    include += [f"-I{ROOT}/include", f"-I{work}"]
    program = work / "products"
    run(["g++", "-std=c++17", "-x", "c++", "-O2", "-fsyntax-only", *WARNINGS, *include, HERE / "products.c"])
    run(["gcc", "-std=c11", "-O2", *WARNINGS, *SMALL, *include, HERE / "products.c", work / "petsc_kernels.a", "-o", program,
         *answer(["pkg-config", "--libs", "petsc"]), *link, "-lm"])
    expect_ok(1, [program, "-malloc_debug", "-malloc_dump"])
    for count in PROCESSES[1:]:
        expect_ok(count, [program, "-malloc_dump"])
    wrong = processes(3, [program, "-wrong_sizes"], limit=60)
    if wrong.returncode == 0 or "Nonconforming object sizes" not in wrong.stdout:
        sys.exit(f"wrong sizes: {wrong.returncode}, {wrong.stdout}")
    run([ROOT / "examples/petsc/run.sh", "-n", "30"], env={**ENVIRONMENT, "SPC": str(spc), "PROCESSES": "2"})


def mpi_hpp(spc, work):
    include, link = mpi_flags()
    program = work / "halo"
    run(["g++", "-std=c++20", "-g", "-O1", "-DOMPI_SKIP_MPICXX", *WARNINGS, *include, f"-I{ROOT}/include", HERE / "halo.cpp",
         "-o", program, *link])
    for count in PROCESSES:
        expect_ok(count, [program])
    for count, points in (("1", "9"), ("3", "60"), ("7", "2")):
        run([ROOT / "examples/mpi-cpp/run.sh"],
            env={**ENVIRONMENT, "SPC": str(spc), "PROCESSES": count, "POINTS": points})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=["petsc", "mpi_hpp"])
    parser.add_argument("--spc", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    if not shutil.which("mpirun") or not shutil.which("mpicc"):
        skip("no MPI, which cmake/setup.sh installs")
    arguments.work.mkdir(parents=True, exist_ok=True)
    globals()[arguments.suite](arguments.spc.resolve(), arguments.work.resolve())


if __name__ == "__main__":
    main()
