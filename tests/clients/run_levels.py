#!/usr/bin/env python3
"""Which loops of an object run: on this processor, where a program says which level it has, and on processors that
qemu-x86_64 stands in for. And the clients of run_clients.py, by the loops of each lower level.

Beside the object there are copies in each of which the loops for one level begin with an illegal instruction: a program
that links this copy has to die where it runs these loops, and nowhere else. Exit code 77 means skipped: not x86-64, or
no C compiler.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import run_clients

HERE = Path(__file__).resolve().parent
SKIPPED = 77
ILLEGAL = b"\x0f\x0b"  # ud2

# By level: what Linux calls the features that it has beyond those of the one below and that differ in practice.
FLAGS = {3: {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"},
         4: {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
         5: {"avx512_fp16"}}
# Levels that have loops of their own, and the kernel that is broken for each.
BROKEN = {1: "spmm", 3: "spmm", 4: "spmm", 5: "spmv"}

# By level: a processor that qemu stands in for.
EMULATED = {1: "qemu64", 3: "Haswell"}


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


def succeed(*command):
    code, output, errors = run(*command)
    if code != 0:
        sys.exit(f"{' '.join(str(word) for word in command)}\nexit code {code}\n{output}{errors}")
    return output


def level_of_host():
    info = Path("/proc/cpuinfo").read_text()
    flags = set(re.search(r"^flags\s*:(.*)", info, re.MULTILINE).group(1).split())
    if not FLAGS[3] <= flags:
        return 1
    if not FLAGS[4] <= flags:
        return 3
    return 5 if FLAGS[5] <= flags and "GenuineIntel" in info else 4


def place_of(symbol, kernel):
    """Where a function's code lies in an object file."""
    text = re.search(r"\s\.text\s+PROGBITS\s+(\w+)\s+(\w+)", succeed("readelf", "-SW", kernel))
    address = re.search(rf"^(\w+) t {re.escape(symbol)}$", succeed("nm", kernel), re.MULTILINE)
    return int(text.group(2), 16) + int(address.group(1), 16) - int(text.group(1), 16)


def break_level(kernel, level, broken):
    code = bytearray(kernel.read_bytes())
    place = place_of(f"{kernel.stem}.v{level}.body", kernel)
    code[place:place + len(ILLEGAL)] = ILLEGAL
    broken.write_bytes(code)


def link(compiler, broken, program, work):
    """A program with the kernels' objects, some of them replaced by others: {name: object}."""
    objects = [broken.get(name, work / f"{name}.o") for name in ("spmm", "spmm_strict", "spmv")]
    succeed(compiler, "-std=c11", "-O1", "-I", work, "-I", HERE, HERE / "levels_client.c", *objects, "-o", program)
    return program


def check(command, level, programs, results, problems):
    """That `command`, with a program in it, runs the loops for `level` and no others. Adds to the bits of results."""
    for broken, program in programs.items():
        code, output, errors = run(*(program if word == "PROGRAM" else word for word in command))
        told = output.split()
        results.update(told[1:])
        dies = broken == level or (broken, level) == (4, 5)  # products have no loops for level 5
        if (code, told[:1]) != ((-signal.SIGILL, []) if dies else (0, [str(level)])):
            problems.append(f"{command}, level {broken} broken: exit code {code}\n{output}{errors}")


def check_clients(compiler, host, work, all_work):
    """Every client by the loops of each level below this processor's, which clients run by themselves."""
    setter = work / "set_level.o"
    succeed(compiler, "-std=c11", "-c", HERE / "set_level.c", "-o", setter)
    names = [name for name in run_clients.CLIENTS if name not in run_clients.OUTSIDE]
    for level in (1, 3):
        if level < host:
            run_clients.run_clients(compiler, names, [setter], all_work / "kernels", all_work / compiler, work,
                                    env={**os.environ, "LEVEL": str(level)})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spc", required=True)
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--work", required=True, type=Path, help="that of run_clients.py")
    options = parser.parse_args()
    work = options.work / "levels"
    if os.uname().machine != "x86_64" or os.uname().sysname != "Linux" or not shutil.which(options.compiler):
        return SKIPPED
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for name, text, how in (("spmm", "spmm.tex", "fast"), ("spmm_strict", "spmm.tex", "strict"),
                            ("spmv", "spmv.tex", "fast")):
        succeed(options.spc, "compile", HERE / text, "--format", "A=csr", f"--fp={how}", "--name", name,
                "-o", work / f"{name}.o")
    programs = {0: link(options.compiler, {}, work / "whole", work)}
    for level, name in BROKEN.items():
        broken = work / f"broken{level}.o"
        break_level(work / f"{name}.o", level, broken)
        programs[level] = link(options.compiler, {name: broken}, work / f"broken{level}", work)

    host, results, problems = level_of_host(), set(), []
    for told in ([], [-1]):  # none, or one that is none
        check(["PROGRAM", *told], host, programs, results, problems)
    for level in BROKEN:
        if level <= host or (level, host) == (5, 4):  # level 5 has the instructions of level 4
            check(["PROGRAM", level], level, programs, results, problems)
    emulator = shutil.which("qemu-x86_64")
    for level, processor in EMULATED.items():
        if emulator:
            check([emulator, "-cpu", processor, "PROGRAM"], level, programs, results, problems)
    check_clients(options.compiler, host, work, options.work)
    if len(results) != 1:
        problems.append(f"under --fp=strict results have the bits {results}")
    print(*problems, f"level {host} here{', others emulated' if emulator else '; no qemu-x86_64'}", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
