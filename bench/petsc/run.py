#!/usr/bin/env python3
"""Times spc's products of PETSc's matrices against PETSc's own: README.md in the folder above.

    python3 bench/petsc/run.py [--spc build/bin/spc] [--processes 1,2] [--rounds N] [--columns 32] MATRIX.mtx[.gz]...

SPDX-License-Identifier: Apache-2.0"""

import argparse
import math
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PRODUCTS = ("MatMult", "transposed", "MatMatMult")
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def build(spc, work):
    work.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["make", "-s", "-f", ROOT / "cmake/package/petsc/petsc.mk", f"SPC={spc}", f"SPC_BUILD={work}/"], check=True
    )
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "petsc"], check=True, capture_output=True, text=True
    ).stdout.split()
    program = work / "products"
    sources = [HERE / "products.c", work / "petsc_kernels.a"]
    subprocess.run(
        ["mpicc", "-std=c11", "-O2", f"-I{ROOT}/include", f"-I{work}", *sources, "-o", program, *flags, "-lm"], check=True
    )
    return program


def converted(matrix, work):
    """The matrix as a file of PETSc's, made anew where it is not there."""
    result = work / (pathlib.Path(matrix).name.split(".")[0] + ".petsc")
    if not result.exists():
        subprocess.run([sys.executable, ROOT / "examples/petsc/to_petsc.py", matrix, result], check=True)
    return result


def measure(program, file, processes, options):
    """By product, the median of the rounds' ratios and that of the least times, as the program prints them."""
    output = subprocess.run(
        ["mpirun", "--oversubscribe", "-n", str(processes), program, "-f", file, *options],
        check=True,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
    ).stdout
    lines = re.findall(rf"^({'|'.join(PRODUCTS)}) +(.+)$", output, re.M)
    return {name: [float(number) for number in numbers.split()] for name, numbers in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="+", metavar="MATRIX")
    parser.add_argument("--spc", default=ROOT / "build/bin/spc", type=pathlib.Path)
    parser.add_argument("--processes", default="1,2")
    parser.add_argument("--rounds", default="31")
    parser.add_argument("--columns", default="32")
    parser.add_argument("--work", default=ROOT / "build/bench/petsc", type=pathlib.Path)
    arguments = parser.parse_args()
    program = build(arguments.spc.resolve(), arguments.work)
    options = ["-rounds", arguments.rounds, "-columns", arguments.columns]
    print("| matrix | processes | product | PETSc, ms | spc, ms | ratio | of least times |\n|---|--:|---|--:|--:|--:|--:|")
    for processes in map(int, arguments.processes.split(",")):
        ratios = {name: [] for name in PRODUCTS}
        for matrix in arguments.matrices:
            file = converted(matrix, arguments.work)
            for name, numbers in measure(program, file, processes, options).items():
                own, own_least, spc, spc_least, ratio, least = numbers
                ratios[name].append(ratio)
                print(f"| {file.stem} | {processes} | {name} | {own:.2f} ({own_least:.2f}) | {spc:.2f} ({spc_least:.2f}) "
                      f"| {ratio:.2f} | {least:.2f} |", flush=True)
        for name, found in ratios.items():
            mean = math.exp(sum(map(math.log, found)) / len(found))
            print(f"| geometric mean | {processes} | {name} | | | {mean:.2f} | |")


if __name__ == "__main__":
    main()
