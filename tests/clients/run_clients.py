#!/usr/bin/env python3
"""Compiles the kernels of this folder with spc and the client programs with a C and a C++ compiler, links and runs
them.

One mode a run: `plain`, `valgrind` (objects for a processor that valgrind knows), `sanitize` (clients under the address
and undefined-behaviour sanitizers), `address` and `thread` (clients and kernels under this sanitizer and that of
undefined behaviour, and programs that these must catch) or `symbols` (what the objects leave undefined, in every format
that comes with spc). Exit code 77 means skipped: the compiler or the tool is not there.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

# kernel: its --format arguments; KERNEL_on_FORMAT is the function of that name, made from KERNEL.tex
KERNELS = {
    "spmv": ["A=csr"],
    "spmm": ["A=csr"],
    "sddmm": ["S=csr", "D=csr"],
    "power": ["A=csr"],
    "norm": [],
    "functions": ["A=csr"],
    "narrow": [],
    "spmv_on_dcsr": ["A=dcsr"],
    "spmv_on_coo": ["A=coo"],
    "spmv_on_csc": ["A=csc"],
    "spmv_on_tiny_chunks": [f"A={HERE / 'tiny_chunks.json'}"],
    "total": ["A=csr"],
    "mttkrp": ["T=csf"],
    "spmv_on_ell": ["A=ell"],
    "spmv_on_ell16": ["A=ell16"],
    "spmv_on_lower": ["A=lower"],
    "spmv_on_ragged": ["A=ragged"],
    "spmv_on_ragged_lengths": ["A=ragged-lengths"],
    "spmv_on_upper": ["A=upper"],
    "spgemm": ["B=csr", "C=csr", "A=csr"],
    "spgemm_on_coo": ["B=csr", "C=csr", "A=coo"],
    "spgemm_on_bsr": ["B=csr", "C=csr", "A=bsr"],
    "spadd": ["B=csr", "C=csr", "A=csr"],
    "converted_on_csc": ["B=csr", "A=csc"],
    "ttm": ["B=csf", "A=csf"],
    "accumulate": ["B=csr", "C=csr", "A=csr"],
}

# What objects export besides NAME_ctx: those of kernels that assemble.
PHASES = {"spgemm", "spgemm_on_coo", "spgemm_on_bsr", "spadd", "converted_on_csc", "ttm"}
ASSEMBLING = PHASES | {"accumulate"}

# Kernels whose loops run in chunks.
PARALLEL = ["spmv", "spmm", "sddmm", "spmv_on_dcsr", "spmv_on_coo", "spmv_on_csc", "spmv_on_tiny_chunks", "total",
            "mttkrp"]

# client: its sources, the kernels it links
CLIENTS = {
    "spmv": (["spmv_client.c"], ["spmv"]),
    "sddmm": (["sddmm_client.c"], ["sddmm"]),
    "memory": (["memory_client.c"], ["power"]),
    "scalars": (["scalars_client.c"], ["norm", "narrow"]),
    "functions": (["functions_client.c"], ["functions"]),
    "two_kernels": (["two_kernels_client.cpp"], ["spmv", "spmm"]),
    "parallel": (["parallel_client.cpp"], PARALLEL),
    "shared": (["shared_c.c", "shared_client.cpp"], ["spmv"]),
    "implicit": (["implicit_client.c"],
                 [kernel for kernel in KERNELS if kernel.startswith("spmv_on_") and kernel not in PARALLEL]),
    "assembly": (["assembly_client.c"], sorted(ASSEMBLING)),
    "assembly_threads": (["assembly_threads_client.cpp"], sorted(ASSEMBLING)),
}
MISUSE = (["misuse_client.cpp"], ["spmv", "spgemm"])

# Modes in which kernels watch themselves: the sanitizers, the clients, and what misuse_client.cpp is caught at.
WATCHED = {
    "address": ("address,undefined", [name for name in CLIENTS if "threads" not in name], {
        "short-pointers": "AddressSanitizer: heap-buffer-overflow",
        "short-values": "AddressSanitizer: heap-buffer-overflow",
        "misaligned-operand": "load of misaligned address",
        "misaligned-values": "store to misaligned address",
    }),
    "thread": ("thread,undefined", ["parallel", "assembly_threads"], {
        "shared-output": "ThreadSanitizer: data race",
        "shared-pattern": "ThreadSanitizer: data race",
        "misaligned-operand": "load of misaligned address",
        "misaligned-values": "store to misaligned address",
    }),
}

# kernel: its struct, and the fields of CSR, COO and their like that it has and that it must not have
FIELDS = {
    "spmv_on_ell": ("spc_ell_f64_i32", ["width", "col_ind"]),
    "spmv_on_ell16": ("spc_ell16_f64_i32", ["col_ind"]),
    "spmv_on_lower": ("spc_lower_f64", []),
    "spmv_on_ragged": ("spc_ragged_f64_p32", ["row_ptr", "nnz"]),
    "spmv_on_ragged_lengths": ("spc_ragged_len_f64_p32", ["row_len", "nnz"]),
    "spmv_on_upper": ("spc_upper_f64", []),
}
ALL_FIELDS = ["row_ptr", "col_ptr", "row_ind", "col_ind", "row_len", "nnz", "width", "width_1", "count_0", "entries",
              "pointers_to_1", "lengths_1", "indices_0", "indices_1"]

FORMATS = HERE.parent.parent / "formats"

# By order: a kernel for every format, and one that copies an operand first where they are not sorted alike.
ANY_KERNELS = {
    1: (["y = A(i) * x(i)", "y = A(i) * B(i)"], "sparse-vector"),
    2: (["y(i) = A(i,j) * x(j)", "y(i) = A(i,j) * B(j,i)"], "csr"),
    3: (["y(i,j) = A(i,j,k) * x(k)", "y(i,j) = A(i,j,k) * B(j,i,k)"], "csf"),
}

# What an object may need from outside: libc and libm.
LIBRARY_SYMBOLS = {"malloc", "aligned_alloc", "madvise", "free", "calloc", "realloc", "memset", "memcpy", "memmove", "memcmp", "_GLOBAL_OFFSET_TABLE_"}
LIBM_SYMBOLS = {"exp", "erff", "log1pf", "powf"}


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
    watched = [f"--sanitize={WATCHED[mode][0]}"] if mode in WATCHED else []
    for kernel, formats in KERNELS.items():
        arguments = [word for one in formats for word in ("--format", one)]
        source = HERE / f"{kernel.partition('_on_')[0]}.tex"
        run([spc, "compile", source, "--name", kernel, *arguments, *cpu, *watched, "-o", work / f"{kernel}.o"])


def cxx_of(compiler):
    return compiler.replace("clang", "clang++") if "clang" in compiler else compiler.replace("gcc", "g++")


def language(compiler, source):
    """The compiler for a source and its language options."""
    if source.endswith(".c"):
        return [compiler, "-std=c11"]
    return [cxx_of(compiler), "-std=c++17"]


def can_sanitize(compiler, flags, work):
    """Whether the sanitizers' libraries are there, and run here."""
    probe = work / "probe.cpp"
    probe.write_text("int main() { return 0; }\n")
    built = subprocess.run([cxx_of(compiler), *flags, probe, "-o", work / "probe"], capture_output=True)
    return built.returncode == 0 and subprocess.run([work / "probe"], capture_output=True).returncode == 0


def check_headers(compiler, work):
    """Each header alone, and twice, in C11 and in C++17."""
    for kernel in KERNELS:
        text = f'#include "{kernel}.h"\n#include "{kernel}.h"\n'
        for suffix in ("c", "cpp"):
            source = work / f"{kernel}_header.{suffix}"
            source.write_text(text + "int main(void) { return 0; }\n")
            run([*language(compiler, source.name), *WARNINGS, "-fsyntax-only", "-I", work, source])


def has_field(compiler, kernel, struct, field, work):
    """Whether a program that names the field compiles; any other error is a failure."""
    defines = [f'-DHEADER="{kernel}.h"', f"-DTYPE={struct}", f"-DFIELD={field}"]
    command = [compiler, "-std=c11", *WARNINGS, "-fsyntax-only", "-I", work, *defines, HERE / "has_field.c"]
    english = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=english)
    if done.returncode != 0 and "no member named" not in done.stderr:
        raise Failed(done.stderr)
    return done.returncode == 0


def check_fields(compiler, work):
    """Storage that is computed has no field to point anywhere."""
    for kernel, (struct, present) in FIELDS.items():
        found = {field for field in ALL_FIELDS if has_field(compiler, kernel, struct, field, work)}
        if found != set(present):
            raise Failed(f"{struct} has the fields {sorted(found)}, not {present}")


def build_client(compiler, name, flags, work):
    return build_program(compiler, name, *CLIENTS[name], flags, work)


def build_program(compiler, name, sources, kernels, flags, work):
    objects = []
    for source in sources:
        objects.append(work / (Path(source).stem + ".client.o"))
        run([*language(compiler, source), *WARNINGS, "-O1", "-g", *flags, "-I", work, "-I", HERE,
             "-c", HERE / source, "-o", objects[-1]])
    linker = cxx_of(compiler) if any(source.endswith(".cpp") for source in sources) else compiler
    program = work / name
    run([linker, *flags, *objects, *(work / f"{kernel}.o" for kernel in kernels), "-o", program, "-lm", "-pthread"])
    return program


def sanitizer_flags(mode):
    """What clients are compiled and linked with."""
    if mode == "sanitize":
        return ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    # What looks at virtual tables tries memory out through a pipe, which is a race of its own on several threads.
    return [f"-fsanitize={WATCHED[mode][0]}", "-fno-sanitize=vptr"] if mode in WATCHED else []


def run_clients(compiler, mode, work):
    flags = sanitizer_flags(mode)
    before = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full"] if mode == "valgrind" else []
    check_headers(compiler, work)
    check_fields(compiler, work)
    for name in CLIENTS:
        run([*before, build_client(compiler, name, flags, work)])


def run_watched(compiler, mode, work):
    _, clients, misuses = WATCHED[mode]
    flags = sanitizer_flags(mode)
    environment = {**os.environ, "UBSAN_OPTIONS": "halt_on_error=1"}
    for name in clients:
        run([build_client(compiler, name, flags, work)], env=environment)
    program = build_program(compiler, "misuse", *MISUSE, flags, work)
    run([program, "none"], env=environment)
    environment["ASAN_OPTIONS"] = "detect_leaks=0"
    for misuse, report in misuses.items():
        done = subprocess.run([program, misuse], capture_output=True, text=True, timeout=60, env=environment)
        if done.returncode == 0 or report not in done.stderr:
            raise Failed(f"{misuse}: exit code {done.returncode}, no {report}\n{done.stderr}")


def exports_of(function):
    """What the object of a kernel of this folder exports."""
    suffixes = [""] + ["_free"] * (function in ASSEMBLING) + ["_symbolic", "_numeric"] * (function in PHASES)
    return {f"{function}{suffix}_ctx" for suffix in suffixes}


def check_object(function, work):
    """The object needs libc alone, and libm for the functions that it calls; it exports its functions alone."""
    undefined = {line.split()[-1] for line in run(["nm", "-u", work / f"{function}.o"]).splitlines() if line.strip()}
    undefined -= LIBRARY_SYMBOLS | (LIBM_SYMBOLS if function == "functions" else set())
    if undefined:
        raise Failed(f"{function}.o needs {sorted(undefined)}")
    defined = {line.split()[-1] for line in run(["nm", "-g", "--defined-only", work / f"{function}.o"]).splitlines()}
    if defined != exports_of(function):
        raise Failed(f"{function}.o exports {sorted(defined)}")


def check_symbols(spc, work):
    for kernel in KERNELS:
        check_object(kernel, work)
    names = sorted(path.stem for path in FORMATS.glob("*.json") if path.stem != "format.schema")
    if len(names) < 20:
        raise Failed(f"only {len(names)} formats in {FORMATS}")
    for name in names:
        statements, other = ANY_KERNELS[order_of(name)]
        for number, statement in enumerate(statements):
            function = f"any_{name.replace('-', '_')}_{number}"
            source = work / f"{function}.tex"
            source.write_text(statement + "\n")
            formats = ["--format", f"A={name}", *(["--format", f"B={other}"] if number else [])]
            run([spc, "compile", source, *formats, "-o", work / f"{function}.o"])
            check_object(function, work)


def order_of(name):
    """Of the tensors that a format is tried on."""
    rule = json.loads((FORMATS / f"{name}.json").read_text())
    return len(rule["dims"]) if isinstance(rule.get("dims"), list) else 2


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spc", required=True)
    parser.add_argument("--mode", choices=["plain", "valgrind", "sanitize", *WATCHED, "symbols"], default="plain")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--work", required=True, type=Path)
    options = parser.parse_args()
    tools = {"valgrind": ["valgrind"], "symbols": ["nm"]}.get(options.mode, []) + [options.compiler, cxx_of(options.compiler)]
    if any(shutil.which(tool) is None for tool in tools):
        return SKIPPED
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    flags = sanitizer_flags(options.mode)
    if flags and not can_sanitize(options.compiler, flags, options.work):
        return SKIPPED
    try:
        compile_kernels(options.spc, options.work, options.mode)
        if options.mode == "symbols":
            check_symbols(options.spc, options.work)
        elif options.mode in WATCHED:
            run_watched(options.compiler, options.mode, options.work)
        else:
            run_clients(options.compiler, options.mode, options.work)
        return 0
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
