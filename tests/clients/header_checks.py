"""What headers promise whoever includes them: generated ones and those of include/spc."""

import os
import re
import subprocess
from pathlib import Path

from toolchain import WARNINGS, Failed, cxx_of, language, run

INCLUDE = Path(__file__).resolve().parent.parent.parent / "include"

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


def check_kernel_headers(compiler, names, kernels, work):
    """Each header alone, and twice, in C11 and in C++17."""
    for suffix in ("c", "cpp"):
        sources = []
        for kernel in names:
            sources.append(work / f"{kernel}_header.{suffix}")
            sources[-1].write_text(f'#include "{kernel}.h"\n' * 2 + "int main(void) { return 0; }\n")
        run([*language(compiler, f".{suffix}"), *WARNINGS, "-fsyntax-only", "-I", kernels, *sources])


def fields_of(compiler, kernel, struct, kernels, work):
    """Those of ALL_FIELDS that a program may name; any other error is a failure."""
    source = work / f"{kernel}_fields.c"
    uses = "".join(f"  (void)sizeof(((TYPE *)0)->{field});\n" for field in ALL_FIELDS)
    source.write_text(f'#include "{kernel}.h"\ntypedef {struct} TYPE;\nint main(void) {{\n{uses}  return 0;\n}}\n')
    unlimited = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
    command = [compiler, "-std=c11", *WARNINGS, unlimited, "-fsyntax-only", "-I", kernels, source]
    english = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=english)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    absent = {name for line in errors for name in re.findall(r"no member named '(\w+)'", line)}
    if len(absent) != len(errors) or (done.returncode == 0) != (not errors):
        raise Failed(done.stderr)
    return set(ALL_FIELDS) - absent


def check_fields(compiler, kernels, work):
    """Storage that is computed has no field to point anywhere."""
    for kernel, (struct, present) in FIELDS.items():
        found = fields_of(compiler, kernel, struct, kernels, work)
        if found != set(present):
            raise Failed(f"{struct} has the fields {sorted(found)}, not {present}")


def check_library_headers(compiler, work):
    """Each header of include/spc without any other, under more warnings; what is refused says why."""
    strict = [*WARNINGS, "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wold-style-cast", "-fsyntax-only", "-I", INCLUDE]
    cxx = cxx_of(compiler)
    sources = []
    for header in sorted([*INCLUDE.glob("spc/*.hpp"), *INCLUDE.glob("spc/cpp/*.hpp")]):
        if header.name not in ("eigen.hpp", "tbb.hpp"):
            sources.append(work / f"{header.stem}_alone.cpp")
            sources[-1].write_text(f'#include "{header.relative_to(INCLUDE)}"\n' * 2 + "int main() {}\n")
    run([cxx, "-std=c++20", *strict, *sources])
    run([cxx, "-std=c++20", "-fno-exceptions", "-fno-rtti", *strict, work / "spc_alone.cpp"])
    pool = "#include <spc/pool.h>\n"
    for suffix, options in (("cpp", [cxx, "-std=c++17", *strict]),
                            ("c", [compiler, "-std=c11", *(word for word in strict if word != "-Wold-style-cast")])):
        source = work / f"memory_pool_alone.{suffix}"
        source.write_text("#include <spc/memory_pool.h>\n" * 2 + "int main(void) { return 0; }\n")
        run([*options, source])
        source = work / f"pool_alone.{suffix}"
        source.write_text(pool * 2 + "int main(void) { return 0; }\n")
        run([*options, source])
        source.write_text("#include <spc/spc.h>\n" + pool)
        done = subprocess.run([str(word) for word in [*options, source]], capture_output=True, text=True)
        if done.returncode == 0 or "the headers of kernels, whose plain functions run on it" not in done.stderr:
            raise Failed(f"spc/pool.h after a kernel's header: {done.stderr}")
