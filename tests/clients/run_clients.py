#!/usr/bin/env python3
"""Compiles the kernels of this folder with spc and the client programs with a C and a C++ compiler, links and runs them.

One mode a run: `plain`, `valgrind` (objects for a processor that valgrind knows), `sanitize` (clients under the address
and undefined-behaviour sanitizers) or `symbols` (what the objects leave undefined). Exit code 77 means skipped: the
compiler or the tool is not there.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

# kernel: its --format arguments
KERNELS = {
    "spmv": ["A=csr"],
    "spmm": ["A=csr"],
    "sddmm": ["S=csr", "D=csr"],
    "power": ["A=csr"],
    "norm": [],
    "narrow": [],
}

# client: its sources, the kernels it links
CLIENTS = {
    "spmv": (["spmv_client.c"], ["spmv"]),
    "sddmm": (["sddmm_client.c"], ["sddmm"]),
    "memory": (["memory_client.c"], ["power"]),
    "scalars": (["scalars_client.c"], ["norm", "narrow"]),
    "two_kernels": (["two_kernels_client.cpp"], ["spmv", "spmm"]),
    "parallel": (["parallel_client.cpp"], ["spmv", "spmm", "sddmm"]),
    "shared": (["shared_c.c", "shared_client.cpp"], ["spmv"]),
}

# What an object may need from outside: libc and libm.
LIBRARY_SYMBOLS = {"malloc", "free", "calloc", "realloc", "memset", "memcpy", "memmove", "memcmp", "_GLOBAL_OFFSET_TABLE_"}


class Failed(Exception):
    pass


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **options)
    if done.returncode != 0:
        shown = " ".join(str(word) for word in command)
        raise Failed(f"{shown}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compile_kernels(spc, work, mode):
    cpu = ["--mcpu=x86-64-v3"] if mode == "valgrind" and os.uname().machine == "x86_64" else []
    for kernel, formats in KERNELS.items():
        arguments = [word for one in formats for word in ("--format", one)]
        run([spc, "compile", HERE / f"{kernel}.tex", *arguments, *cpu, "-o", work / f"{kernel}.o"])


def cxx_of(compiler):
    return compiler.replace("clang", "clang++") if "clang" in compiler else compiler.replace("gcc", "g++")


def language(compiler, source):
    """The compiler for a source and its language options."""
    if source.endswith(".c"):
        return [compiler, "-std=c11"]
    return [cxx_of(compiler), "-std=c++17"]


def can_sanitize(compiler, flags, work):
    probe = work / "probe.cpp"
    probe.write_text("int main() { return 0; }\n")
    built = subprocess.run([cxx_of(compiler), *flags, probe, "-o", work / "probe"], capture_output=True)
    return built.returncode == 0


def check_headers(compiler, work):
    """Each header alone, and twice, in C11 and in C++17."""
    for kernel in KERNELS:
        text = f'#include "{kernel}.h"\n#include "{kernel}.h"\n'
        for suffix in ("c", "cpp"):
            source = work / f"{kernel}_header.{suffix}"
            source.write_text(text + "int main(void) { return 0; }\n")
            run([*language(compiler, source.name), *WARNINGS, "-fsyntax-only", "-I", work, source])


def build_client(compiler, name, flags, work):
    sources, kernels = CLIENTS[name]
    objects = []
    for source in sources:
        objects.append(work / (Path(source).stem + ".client.o"))
        run([*language(compiler, source), *WARNINGS, "-O1", "-g", *flags, "-I", work, "-I", HERE,
             "-c", HERE / source, "-o", objects[-1]])
    linker = cxx_of(compiler) if any(source.endswith(".cpp") for source in sources) else compiler
    program = work / name
    run([linker, *flags, *objects, *(work / f"{kernel}.o" for kernel in kernels), "-o", program, "-lm", "-pthread"])
    return program


def run_clients(compiler, mode, work):
    flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"] if mode == "sanitize" else []
    if flags and not can_sanitize(compiler, flags, work):
        return SKIPPED
    before = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full"] if mode == "valgrind" else []
    check_headers(compiler, work)
    for name in CLIENTS:
        run([*before, build_client(compiler, name, flags, work)])
    return 0


def check_symbols(work):
    for kernel in KERNELS:
        undefined = {line.split()[-1] for line in run(["nm", "-u", work / f"{kernel}.o"]).splitlines() if line.strip()}
        if undefined - LIBRARY_SYMBOLS:
            raise Failed(f"{kernel}.o needs {sorted(undefined - LIBRARY_SYMBOLS)}")
        defined = {line.split()[-1] for line in run(["nm", "-g", "--defined-only", work / f"{kernel}.o"]).splitlines()}
        if defined != {f"{kernel}_ctx"}:
            raise Failed(f"{kernel}.o exports {sorted(defined)}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spc", required=True)
    parser.add_argument("--mode", choices=["plain", "valgrind", "sanitize", "symbols"], default="plain")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--work", required=True, type=Path)
    options = parser.parse_args()
    tools = {"valgrind": ["valgrind"], "symbols": ["nm"]}.get(options.mode, []) + [options.compiler, cxx_of(options.compiler)]
    if any(shutil.which(tool) is None for tool in tools):
        return SKIPPED
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    try:
        compile_kernels(options.spc, options.work, options.mode)
        if options.mode == "symbols":
            return check_symbols(options.work)
        return run_clients(options.compiler, options.mode, options.work)
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
