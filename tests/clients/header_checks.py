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


def alone(headers, work):
    """For each header a source that includes it, twice, and no other one."""
    sources = []
    for header in headers:
        sources.append(work / f"{header.stem}_alone.cpp")
        sources[-1].write_text(f'#include "{header.relative_to(INCLUDE)}"\n' * 2 + "int main() {}\n")
    return sources


def check_library_headers(compiler, work):
    """Each header of include/spc under more warnings, by gcc without any other one: they are the same for all compilers;
    what is refused says why."""
    strict = [*WARNINGS, "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wold-style-cast", "-fsyntax-only", "-I", INCLUDE]
    cxx = cxx_of(compiler)
    headers = sorted([*INCLUDE.glob("spc/*.hpp"), *INCLUDE.glob("spc/cpp/*.hpp")])
    for header in headers:
        if found := re.search(r"\b(__clang__|__clang_major__|__GNUC__|_MSC_VER)\b", header.read_text()):
            raise Failed(f"{header} asks for {found[0]}: its includes may differ by compiler, which gcc alone would not show")
    sources = alone([header for header in headers if header.name not in ("eigen.hpp", "mpi.hpp", "tbb.hpp")], work)
    together = work / "together.cpp"
    together.write_text("".join(source.read_text().partition("\n")[0] + "\n" for source in sources) + "int main() {}\n")
    run([cxx, "-std=c++20", *strict, *(sources if compiler == "gcc" else [together])])
    run([cxx, "-std=c++20", "-fno-exceptions", "-fno-rtti", *strict, work / "spc_alone.cpp"])
    check_older_standard(cxx, work)
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


def check_older_standard(cxx, work):
    """Headers of C++20 say in one error what they need, in place of hundreds."""
    source = work / "older.cpp"
    for name in ("mpi", "memory_pool", "spc"):
        source.write_text(f"#include <spc/{name}.hpp>\nint main() {{}}\n")
        done = subprocess.run([cxx, "-std=c++17", "-fsyntax-only", "-I", str(INCLUDE), str(source)], capture_output=True, text=True)
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        if len(errors) != 1 or "needs C++20 (-std=c++20)" not in errors[0]:
            raise Failed(f"spc/{name}.hpp in C++17: {done.stderr}")
