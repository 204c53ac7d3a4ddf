#!/usr/bin/env python3
"""Compiles the kernels of this folder with spc and the client programs with a C and a C++ compiler, links and runs
them.

One mode a run: `kernels` (the objects that most others link), `plain`, `valgrind`, `sanitize` (clients under the
address and undefined-behaviour sanitizers), `address` and `thread` (clients and kernels under this sanitizer and that of
undefined behaviour, and programs that these must catch) or `symbols` (what the objects leave undefined, in every format
that comes with spc). Exit code 77 means skipped: the compiler or the tool is not there.

What several modes need is made by one of them, in folders of --work, and linked by the others, which run after it.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import toolchain
from header_checks import INCLUDE, check_fields, check_kernel_headers, check_library_headers
from toolchain import WARNINGS, Failed, can_sanitize, cxx_of, fresh, language, run

HERE = Path(__file__).resolve().parent
SKIPPED = 77

# kernel: its --format arguments; KERNEL_on_FORMAT is the function of that name, made from KERNEL.tex
KERNELS = {
    "spmv": ["A=csr"],
    "spmm": ["A=csr"],
    "spmm_on_csc": ["A=csc", "B=dense:1,0", "C=dense:1,0"],
    "spmm_on_plain_loops": [f"A={HERE / 'plain_loops.json'}"],
    "sddmm": ["S=csr", "D=csr"],
    "power": ["A=csr"],
    "norm": [],
    "functions": ["A=csr"],
    "narrow": [],
    "spmv_on_dcsr": ["A=dcsr"],
    "spmv_on_coo": ["A=coo"],
    "spmv_on_csc": ["A=csc"],
    "spmv_on_plain_loops": [f"A={HERE / 'plain_loops.json'}"],
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
    "blend": ["B=csr", "C=csr", "A=csr"],
    "excess": ["B=csr", "C=csr", "A=csr"],
    "converted_on_csc": ["B=csr", "A=csc"],
    "converted_on_csr": ["B=dia", "A=csr"],
    "converted_on_dup": ["B=coo-dup", "A=csr"],
    "converted_on_hyb": ["B=csr", "A=hyb"],
    "converted_on_lower": ["B=csr", "A=lower"],
    "converted_on_nm": ["B=csr", "A=nm-2-4"],
    "converted_on_ragged_lengths": ["B=csr", "A=ragged-lengths"],
    "ttm": ["B=csf", "A=csf"],
    "accumulate": ["B=csr", "C=csr", "A=csr"],
    "typed": ["A=csr"],
    "typed_on_f32": ["A=csr"],
    "typed_on_f16": ["A=csc"],
    "degrees": ["A=csr"],
    "spread": ["A=csr", "D=csr"],
    "kept": [f"{HERE / 'kept.json'}"],
    "masked_on_owner": [f"{HERE / 'kept_of.json'}"],
    "frontier": ["A=csc", "front=sparse-vector", "next=sparse-vector"],
    "relaxation": ["A=csc", "front=sparse-vector", "next=sparse-vector"],
    "vectors_sum": ["B=sparse-vector", "C=sparse-vector", "A=sparse-vector"],
    "spgemm_on_dcsr": ["B=dcsr", "C=csr", "A=dcsr"],
    "spgemm_on_dcsr_f16": ["B=dcsr", "C=csr", "A=dcsr"],
    "spgemm_on_coos": ["B=coo", "C=csr", "A=coo"],
    "attention": ["S=csr"],
    "attention_on_steps": ["S=csr"],
}

# kernel: what else it is compiled with
OPTIONS = {"typed_on_f32": ["--type", "T=f32", "--index", "i64"], "typed_on_f16": ["--type", "T=f16"], "spgemm_on_dcsr_f16": ["--type", "f16"], "attention": ["-Wno-densify"],
           "attention_on_steps": ["-Wno-densify", "--plan=as-written"]}

# Clients link the kernels of several modes, whose hidden symbols differ.
VISIBLE = ["--visibility=default"]

# What objects export more functions than the call itself: those of kernels that assemble.
SMALL_WORK = {"frontier", "relaxation", "vectors_sum", "spgemm_on_coos", "spgemm_on_dcsr", "spgemm_on_dcsr_f16"}
ASSEMBLY_PHASES = {"spgemm", "spgemm_on_coo", "spgemm_on_bsr", "spadd", "converted_on_csc", "ttm"}
SHAPES = {"converted_on_csr", "converted_on_hyb", "converted_on_lower", "converted_on_nm", "converted_on_ragged_lengths"}
PHASES = ASSEMBLY_PHASES | SMALL_WORK | SHAPES - {"converted_on_hyb"} | {"blend", "converted_on_dup", "excess"}
ASSEMBLING = PHASES | {"accumulate", "converted_on_hyb"}

# Kernels whose loops run in chunks.
PARALLEL = ["spmv", "spmm", "sddmm", "spmv_on_dcsr", "spmv_on_coo", "spmv_on_csc", "spmv_on_tiny_chunks", "total",
            "mttkrp"]

# client: its sources, the kernels it links
CLIENTS = {
    "spmv": (["spmv_client.c"], ["spmv"]),
    "sddmm": (["sddmm_client.c"], ["sddmm"]),
    "const": (["const_client.c"], ["sddmm", "spgemm", "spmm"]),
    "const_in_cpp": (["const_in_cpp_client.cpp"], ["sddmm", "spgemm", "spmm"]),
    "problems": (["problems_client.c"], ["power", "sddmm", "spgemm", "spmv"]),
    "problems_in_cpp": (["problems_in_cpp_client.cpp"], ["power", "sddmm", "spgemm", "spmv"]),
    "memory": (["memory_client.c"], ["power"]),
    "typed": (["typed_client.c"], ["typed", "typed_on_f32", "typed_on_f16"]),
    "scalars": (["scalars_client.c"], ["norm", "narrow"]),
    "functions": (["functions_client.c"], ["functions"]),
    "two_kernels": (["two_kernels_client.cpp"], ["spmv", "spmm"]),
    "parallel": (["parallel_client.cpp"], PARALLEL),
    "trial": (["trial_client.cpp"], ["spmm", "spmm_on_plain_loops", "spmv", "spmv_on_plain_loops"]),
    "sweep": (["sweep_client.cpp"], ["attention", "attention_on_steps"]),
    "hooks": (["hooks_client.cpp"], ["spmv"]),
    "shared": (["shared_c.c", "shared_client.cpp"], ["spmv"]),
    "implicit": (["implicit_client.c"],
                 [kernel for kernel in KERNELS
                  if kernel.startswith("spmv_on_") and kernel not in [*PARALLEL, "spmv_on_plain_loops"]]),
    "assembly": (["assembly_client.c"], sorted(ASSEMBLY_PHASES | {"accumulate"})),
    "assembly_threads": (["assembly_threads_client.cpp"], sorted(ASSEMBLY_PHASES | {"accumulate"})),
    "small_work": (["small_work_client.cpp"], sorted(SMALL_WORK)),
    "kept": (["kept_client.c"], ["kept", "masked_on_owner"]),
    "shapes": (["shapes_client.c"], sorted(SHAPES)),
    "slices": (["slices_client.cpp"],
               ["converted_on_csc", "degrees", "sddmm", "spadd", "spgemm", "spmm", "spmv", "spread"]),
    "plans": (["plans_client.cpp"], ["blend", "converted_on_csc", "converted_on_dup", "excess", "spadd", "spgemm"]),
    "pool": (["pool_client.cpp", "pool_c.c"], ["spmv"]),
    "memory_pool": (["memory_pool_client.cpp", "memory_pool_c.c"], ["spgemm"]),
    "cpp": (["cpp_client.cpp"], ["spmm", "spmm_on_csc", "spmv", "spmv_on_coo", "spmv_on_dcsr"]),
    "cpp_formats": (["cpp_formats_client.cpp"],
                    ["converted_on_csr", "mttkrp", "spmv_on_dcsr", "spmv_on_ell", "spmv_on_ell16"]),
    "cpp_outputs": (["cpp_outputs_client.cpp"], ["sddmm", "spgemm", "spmv"]),
    "eigen": (["eigen_client.cpp"], ["sddmm", "spgemm", "spmm", "spmm_on_csc", "spmv"]),
}
# What else clients need: a header, and the options to compile and to link with. Eigen takes long to compile: as it is
# written, and no sanitizers.
OUTSIDE = {"eigen": [("Eigen/SparseCore", ["-isystem", "/usr/include/eigen3", "-O0"], []),
                     ("oneapi/tbb/parallel_for.h", [], ["-ltbb"])]}
MISUSE = (["misuse_client.cpp"], ["spmv", "spgemm"])

# Modes in which kernels watch themselves: the sanitizers, the clients, and what misuse_client.cpp is caught at.
WATCHED = {
    "address": ("address,undefined", [name for name in CLIENTS if "threads" not in name and name not in OUTSIDE], {
        "short-pointers": "AddressSanitizer: heap-buffer-overflow",
        "short-values": "AddressSanitizer: heap-buffer-overflow",
        "misaligned-operand": "load of misaligned address",
        "misaligned-values": "store to misaligned address",
    }),
    "thread": ("thread,undefined", ["parallel", "assembly_threads", "pool", "memory_pool", "cpp_outputs", "sweep"], {
        "shared-output": "ThreadSanitizer: data race",
        "shared-pattern": "ThreadSanitizer: data race",
        "misaligned-operand": "load of misaligned address",
        "misaligned-values": "store to misaligned address",
    }),
}

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
CALLS_LIBM = {"attention", "attention_on_steps", "functions"}


def options_in(mode, kernel):
    """Beside those of the kernel. What no program of the mode links need only compile: at -O0, in a sixth of the time. Of
    what is linked the loops of one processor run; some kernels have those of all."""
    if mode not in WATCHED:
        return []
    sanitizers, names, _ = WATCHED[mode]
    linked = kernel in MISUSE[1] or any(kernel in CLIENTS[name][1] for name in names)
    has_levels = kernel.partition("_on_")[0] in MISUSE[1]
    cheaper = ["-O0"] if not linked else [] if has_levels else ["--mcpu=native"]
    return [f"--sanitize={sanitizers}", *cheaper]


def compile_kernels(spc, folder, mode):
    fresh(folder)
    for kernel, formats in KERNELS.items():
        arguments = [word for one in formats for word in ("--format", one)] + OPTIONS.get(kernel, [])
        source = HERE / f"{kernel.partition('_on_')[0]}.tex"
        run([spc, "compile", source, "--name", kernel, *arguments, *options_in(mode, kernel), *VISIBLE, "-o", folder / f"{kernel}.o"])


def check_same_headers(folder, other):
    """Clients of one folder's kernels may be linked with the other's."""
    for kernel in KERNELS:
        if (folder / f"{kernel}.h").read_text() != (other / f"{kernel}.h").read_text():
            raise Failed(f"{kernel}.h differs between {folder} and {other}")


def compile_sources(compiler, sources, flags, kernels, work):
    for source in sources:
        run([*language(compiler, source), *WARNINGS, "-O1", "-g1", *flags, "-I", kernels, "-I", HERE, "-I", INCLUDE,
             "-c", HERE / source, "-o", object_of(source, work)])


def object_of(source, work):
    return work / (Path(source).stem + ".client.o")


def outside(compiler, name, work):
    """The options to compile and to link a client with; None where something is missing, which is said."""
    source, compiled, linked = work / "outside.cpp", [], []
    for header, to_compile, to_link in OUTSIDE.get(name, []):
        source.write_text(f"#if !__has_include(<{header}>)\n#error missing\n#endif\n")
        there = subprocess.run([cxx_of(compiler), *to_compile, "-fsyntax-only", source], capture_output=True)
        if there.returncode != 0:
            print(f"skipped {name}: no {header}")
            return None
        compiled += to_compile
        linked += to_link
    return compiled, linked


def link_program(compiler, program, sources, linked, flags, kernels, clients, libraries=()):
    """A program of clients that are compiled and the kernels `linked`, whose folders are the last two."""
    linker = cxx_of(compiler) if any(source.endswith(".cpp") for source in sources) else compiler
    run([linker, *flags, *(object_of(source, clients) for source in sources),
         *(kernels / f"{kernel}.o" for kernel in linked), "-o", program, *libraries, "-lm", "-pthread"])
    return program


def sanitizer_flags(mode, compiler):
    """What clients are compiled and linked with. Clients that are watched alone are so as they are written, which compiles
    in two thirds of the time; gcc's warning of what may lack a value needs optimisation."""
    if mode == "sanitize":
        as_written = ["-O0"] if "clang" in compiler else ["-O0", "-Wno-maybe-uninitialized"]
        return ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", *as_written]
    # What looks at virtual tables tries memory out through a pipe, which is a race of its own on several threads.
    return [f"-fsanitize={WATCHED[mode][0]}", "-fno-sanitize=vptr"] if mode in WATCHED else []


def compile_clients(compiler, names, flags, kernels, work):
    for name in names:
        if (options := outside(compiler, name, work)) is not None:
            compile_sources(compiler, CLIENTS[name][0], [*flags, *options[0]], kernels, work)


def run_clients(compiler, names, flags, kernels, clients, work, before=(), **options):
    for name in names:
        if (found := outside(compiler, name, work)) is not None:
            program = link_program(compiler, work / name, *CLIENTS[name], flags, kernels, clients, found[1])
            run([*before, program], **options)


def check_clients(compiler, mode, kernels, work):
    # Optimised by gcc and by the newest clang, and as they are written by the other one.
    flags = sanitizer_flags(mode, compiler) + ["-O0"] * (compiler == "clang")
    if mode == "plain":
        check_kernel_headers(compiler, KERNELS, kernels, work)
        check_fields(compiler, kernels, work)
        check_library_headers(compiler, work)
    names = [name for name in CLIENTS if mode == "plain" or name not in OUTSIDE]
    compile_clients(compiler, names, flags, kernels, work)
    run_clients(compiler, names, flags, kernels, work, work)


def check_under_valgrind(compiler, all_work, work):
    """Objects choose what valgrind knows."""
    valgrind = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full"]
    names = [name for name in CLIENTS if name not in OUTSIDE]  # oneTBB's threads hold memory at the end
    run_clients(compiler, names, [], all_work / "kernels", all_work / compiler, work, before=valgrind)


def check_watched(compiler, mode, spc, all_work, work):
    _, names, misuses = WATCHED[mode]
    flags = sanitizer_flags(mode, compiler)
    kernels, clients = work / "kernels", work
    compile_kernels(spc, kernels, mode)
    if mode == "address":
        clients = all_work / f"sanitize_{compiler}"
        check_same_headers(kernels, all_work / "kernels")
    else:
        compile_clients(compiler, names, flags, kernels, work)
    environment = {**os.environ, "UBSAN_OPTIONS": "halt_on_error=1"}
    run_clients(compiler, names, flags, kernels, clients, work, env=environment)
    compile_sources(compiler, MISUSE[0], flags, kernels, work)
    program = link_program(compiler, work / "misuse", *MISUSE, flags, kernels, work)
    run([program, "none"], env=environment)
    environment["ASAN_OPTIONS"] = "detect_leaks=0"
    for misuse, report in misuses.items():
        done = subprocess.run([program, misuse], capture_output=True, text=True, timeout=60, env=environment)
        if done.returncode == 0 or report not in done.stderr:
            raise Failed(f"{misuse}: exit code {done.returncode}, no {report}\n{done.stderr}")


def exports_of(function):
    """What the object of a kernel of this folder exports, beside the level that objects of a program share."""
    suffixes = [""] + ["_free"] * (function in ASSEMBLING) + ["_symbolic", "_numeric"] * (function in PHASES)
    typed = {f"{function}{suffix}_spc5_HASH" for suffix in suffixes}
    return typed | {f"{function}{suffix}_argv" for suffix in suffixes} | {f"spc_signature_{function}"}


def hidden_of(function):
    """The same of one that is hidden."""
    return {re.sub("(_argv|_signature_.*)$", r"\1_HASH", name) for name in exports_of(function)}


def symbols_of(objects, *options):
    """By object, the last word of each of its lines of nm's output."""
    names = {Path(name).stem: set() for name in objects}
    for line in run(["nm", "-A", *options, *objects]).splitlines():
        place, _, symbol = line.partition(":")
        names[Path(place).stem].add(symbol.split()[-1])
    return names


def check_objects(objects):
    """They need libc alone, and libm for the functions that they call; they export their functions alone."""
    for function, undefined in symbols_of(objects, "-u").items():
        undefined -= LIBRARY_SYMBOLS | (LIBM_SYMBOLS if function in CALLS_LIBM else set())
        if undefined:
            raise Failed(f"{function}.o needs {sorted(undefined)}")
    for function, defined in symbols_of(objects, "-g", "--defined-only").items():
        defined = {re.sub(r"_[0-9a-f]{16}$", "_HASH", name) for name in defined}
        if defined - {"spc_x86_64_level"} != (hidden_of(function) if function.startswith("any_") else exports_of(function)):
            raise Failed(f"{function}.o exports {sorted(defined)}")


def check_symbols(spc, kernels, work):
    objects = [kernels / f"{kernel}.o" for kernel in KERNELS]
    names = sorted(path.stem for path in FORMATS.glob("*.json") if path.stem != "format.schema")
    one_processor = ["--mcpu=x86-64"] if os.uname().machine == "x86_64" else []  # to save time
    if len(names) < 20:
        raise Failed(f"only {len(names)} formats in {FORMATS}")
    for name in names:
        statements, other = ANY_KERNELS[order_of(name)]
        for number, statement in enumerate(statements):
            function = f"any_{name.replace('-', '_')}_{number}"
            source = work / f"{function}.tex"
            source.write_text(statement + "\n")
            formats = ["--format", f"A={name}", *(["--format", f"B={other}"] if number else [])]
            objects.append(work / f"{function}.o")
            run([spc, "compile", source, *formats, *one_processor, "-o", objects[-1]])
    check_objects(objects)


def order_of(name):
    """Of the tensors that a format is tried on."""
    rule = json.loads((FORMATS / f"{name}.json").read_text())
    return len(rule["dims"]) if isinstance(rule.get("dims"), list) else 2


def check(options, kernels, work):
    if options.mode == "kernels":
        compile_kernels(options.spc, kernels, "plain")
    elif options.mode == "symbols":
        check_symbols(options.spc, kernels, work)
    elif options.mode == "valgrind":
        check_under_valgrind(options.compiler, options.work, work)
    elif options.mode in WATCHED:
        check_watched(options.compiler, options.mode, options.spc, options.work, work)
    else:
        check_clients(options.compiler, options.mode, kernels, work)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spc", required=True)
    parser.add_argument("--mode", choices=["kernels", "plain", "valgrind", "sanitize", *WATCHED, "symbols"], default="plain")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--work", required=True, type=Path, help="what all modes share a folder of each in")
    options = parser.parse_args()
    tools = {"valgrind": ["valgrind"], "symbols": ["nm"], "kernels": []}
    compilers = [] if options.mode in ("kernels", "symbols") else [options.compiler, cxx_of(options.compiler)]
    if any(shutil.which(tool) is None for tool in tools.get(options.mode, []) + compilers):
        return SKIPPED
    folder = options.compiler if options.mode == "plain" else f"{options.mode}_{options.compiler}"
    work = fresh(options.work / folder)
    flags = sanitizer_flags(options.mode, options.compiler)
    if flags and not can_sanitize(options.compiler, flags, work):
        return SKIPPED
    try:
        check(options, options.work / "kernels", work)
        print(f"{toolchain.commands} commands run")
        return 0
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
