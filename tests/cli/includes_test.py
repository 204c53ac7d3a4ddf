"""Includes run one way, and each outside library stays where docs/why.md puts it."""

import re
import unittest

from spc_case import ROOT

SOURCE = ROOT / "src"

# Each room of src/ and the rooms it may include; what these reach is allowed as well.
ARROWS = {
    "support": [],
    "language": ["support"],
    "syntax": ["language"],
    "format": ["support"],
    "sema": ["language", "format"],
    "sema/check": ["sema", "syntax"],
    "sema/terms": ["sema"],
    "sema/plan": ["sema/terms"],
    "sema/ties": ["sema"],
    "sema/divide": ["sema"],
    "sema/verify": ["sema"],
    "cut": ["sema"],
    "grad": ["sema"],
    "abi": ["sema"],
    "tensor": ["abi", "runtime"],
    "tensor/pack": ["tensor", "runtime/pack"],
    "tensor/files": ["tensor/pack"],
    "machine": [],
    "reference": ["tensor"],
    "ingress": ["syntax", "format"],
    "dialect": [],
    "mlirgen": ["abi", "dialect", "mlirgen/level_walk"],
    "mlirgen/level_walk": ["sema"],
    "transforms": ["dialect"],
    "transforms/util": ["transforms"],
    "transforms/storage": ["transforms/util"],
    "transforms/assembly": ["transforms/util"],
    "transforms/parallel": ["transforms/util"],
    "transforms/vector": ["transforms/util"],
    "entry": ["abi", "runtime", "dialect"],
    "codegen": ["support", "runtime"],
    "codegen/cpu": ["codegen"],
    "runtime": [],
    "runtime/levels": ["runtime"],
    "runtime/pack": ["runtime/levels"],
    "runtime/assembly": ["runtime/pack"],
    "pipeline": ["transforms", "entry", "codegen", "mlirgen", "tensor/pack"],
    "pipeline/cpu": ["pipeline", "codegen/cpu"],
    "explain": ["tensor/pack", "pipeline"],
    "tune": ["tensor/pack"],
    "host": ["syntax", "tensor/files", "codegen"],
    "driver": ["driver/shell"],
    "driver/shell": ["host", "ingress"],
    "driver/run": ["driver/shell", "pipeline", "explain", "reference", "machine", "tune"],
    "driver/tune": ["driver/shell", "pipeline", "reference", "tune"],
    "driver/explain": ["driver/shell", "pipeline", "explain", "machine", "tune"],
    "driver/partition": ["driver/shell", "cut"],
    "driver/build": ["driver/shell", "pipeline", "grad", "machine"],
}
# Headers without includes but of each other and of the system, which any room may include.
OPEN = {"format/level_kind.h", "runtime/contract.h", "runtime/contract.def"}
NO_LLVM = {"support", "language", "syntax", "format", "sema", "cut", "grad", "abi", "tensor", "machine", "reference", "tune",
           "runtime", "host", "driver"}
NO_MLIR = NO_LLVM | {"codegen", "explain"}
CATCHES_FATAL_ERRORS = "driver/shell/crash_guard.cpp"
RUN_THE_ROOMS = {"sema/analyze.cpp", "pipeline/backends.cpp"}
STANDS_ALONE = "format/level_kind.h"
WORK_WITH_JSON = {"support/render_json.cpp", "abi/signature_json.cpp", "abi/signature_member.h",
                  "driver/partition/report_json.cpp"}


def reachable(folder):
    found = {folder}
    for next_folder in ARROWS[folder]:
        found |= reachable(next_folder)
    return found


def room(path):
    """The folder of a file, as ARROWS has it."""
    parts = path.split("/")[:-1]
    return "/".join(parts[:2])


def problem(path, name):
    """What is wrong with an include of `name` in src/`path`; None when nothing is."""
    folder = path.split("/")[0]
    target = name.split("/")[0]
    if path == STANDS_ALONE:
        return "it stands alone, for the freestanding runtime"
    if path in OPEN and "/" in name and name not in OPEN:
        return "an open header must include none but these"
    if name in OPEN:
        return None
    if path in RUN_THE_ROOMS and target == folder:
        return None
    if target in ARROWS and room(name) not in reachable(room(path)):
        return f"{room(path)} must not include {room(name)}"
    if target == "CLI" and folder != "driver":
        return "CLI11 belongs to driver"
    if target == "nlohmann" and folder != "format" and path not in WORK_WITH_JSON:
        return "JSON belongs to format, the JSON renderer, signatures and partitions"
    if target == "spdlog" and path != "host/log.cpp":
        return "logging has one file"
    if target in ("llvm", "llvm-c") and folder in NO_LLVM and path != CATCHES_FATAL_ERRORS:
        return f"{folder} must not depend on LLVM"
    if target == "lld" and path != "codegen/lld.cpp":
        return "lld belongs to what links libraries"
    if target == "mlir" and folder in NO_MLIR:
        return f"{folder} must not depend on MLIR"
    return None


def switches_over_kinds():
    """The files that switch over LevelKind."""
    files = [file for root in (SOURCE, ROOT / "tests") for file in root.rglob("*") if file.suffix in (".cpp", ".h")]
    return {str(file.relative_to(ROOT)) for file in files if re.search(r"\bcase (format::)?LevelKind::", file.read_text())}


def listed_for_kinds():
    """The files that docs/development.md has a new kind of level concern; a name alone stands in the folder before it."""
    page = (ROOT / "docs" / "development.md").read_text()
    table = page.split("| files | what they say of a kind |\n", 1)[1].split("\n\n", 1)[0]
    listed, folder = set(), ""
    for row in table.splitlines():
        for name in re.findall(r"`([^`#]+\.(?:cpp|h))`", row.split("|")[1]):
            folder = name.rpartition("/")[0] or folder
            listed.add(f"{folder}/{name.rpartition('/')[2]}")
    return listed


def problems():
    found = []
    for file in sorted(SOURCE.rglob("*")):
        if file.suffix not in (".cpp", ".h", ".c", ".in", ".def"):
            continue
        path = str(file.relative_to(SOURCE))
        for line in file.read_text().splitlines():
            match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            reason = match and problem(path, match.group(1))
            if reason:
                found.append(f"src/{path}: {line.strip()}: {reason}")
    return found


class Includes(unittest.TestCase):
    def test_the_rule_catches_what_it_should(self):
        self.assertIsNotNone(problem("support/x.cpp", "syntax/ast.h"))
        self.assertIsNotNone(problem("transforms/x.cpp", "syntax/ast.h"))
        self.assertIsNotNone(problem("sema/x.cpp", "mlir/IR/Builders.h"))
        self.assertIsNotNone(problem("sema/x.cpp", "sema/plan/x.h"))
        self.assertIsNotNone(problem("sema/terms/x.cpp", "sema/plan/x.h"))
        self.assertIsNotNone(problem("sema/terms/x.cpp", "syntax/ast.h"))
        self.assertIsNotNone(problem("sema/program.h", "syntax/ast.h"))
        self.assertIsNotNone(problem("transforms/storage/x.cpp", "transforms/vector/x.h"))
        self.assertIsNotNone(problem("mlirgen/level_walk/x.cpp", "mlirgen/merged_nest.h"))
        self.assertIsNotNone(problem("codegen/x.cpp", "mlir/IR/Builders.h"))
        self.assertIsNotNone(problem("pipeline/x.cpp", "CLI/CLI.hpp"))
        self.assertIsNotNone(problem("pipeline/compiler.cpp", "pipeline/cpu/backend.h"))
        self.assertIsNotNone(problem("pipeline/compiler.cpp", "codegen/cpu/target.h"))
        self.assertIsNotNone(problem("codegen/x.cpp", "codegen/cpu/cpu_levels.h"))
        self.assertIsNone(problem("pipeline/backends.cpp", "pipeline/cpu/backend.h"))
        self.assertIsNotNone(problem("codegen/x.cpp", "lld/Common/Driver.h"))
        self.assertIsNotNone(problem("sema/x.cpp", "nlohmann/json.hpp"))
        self.assertIsNotNone(problem("runtime/contract.h", "runtime/runtime.h"))
        self.assertIsNotNone(problem("transforms/assembly/x.cpp", "runtime/runtime.h"))
        self.assertIsNone(problem("transforms/assembly/x.cpp", "runtime/contract.h"))
        self.assertIsNotNone(problem("runtime/x.cpp", "format/format.h"))
        self.assertIsNotNone(problem("format/level_kind.h", "format/format.h"))
        self.assertIsNotNone(problem("format/level_kind.h", "cstdint"))
        self.assertIsNotNone(problem("runtime/x.cpp", "runtime/levels/walk.h"))
        self.assertIsNotNone(problem("runtime/levels/x.cpp", "runtime/pack/pack.h"))
        self.assertIsNotNone(problem("runtime/pack/x.cpp", "runtime/assembly/assembly_state.h"))
        self.assertIsNotNone(problem("tensor/pack/x.cpp", "runtime/assembly/assembly_state.h"))
        self.assertIsNone(problem("runtime/assembly/x.cpp", "runtime/pack/pack.h"))
        self.assertIsNone(problem("runtime/x.cpp", "format/level_kind.h"))
        self.assertIsNotNone(problem("tensor/pack/x.cpp", "tensor/files/files.h"))
        self.assertIsNotNone(problem("tensor/tensor.h", "tensor/pack/packed_arrays.h"))
        self.assertIsNotNone(problem("tune/x.cpp", "tensor/files/files.h"))
        self.assertIsNone(problem("tensor/files/x.cpp", "tensor/pack/packed_arrays.h"))
        self.assertIsNone(problem("driver/run/x.cpp", "pipeline/compiler.h"))
        self.assertIsNone(problem("driver/run/x.cpp", "host/inputs.h"))
        self.assertIsNone(problem("driver/main.cpp", "driver/shell/subcommands.h"))
        self.assertIsNotNone(problem("host/x.cpp", "driver/shell/session.h"))
        self.assertIsNotNone(problem("host/x.cpp", "tune/choice.h"))
        self.assertIsNotNone(problem("host/x.cpp", "pipeline/compiler.h"))
        self.assertIsNotNone(problem("driver/shell/x.cpp", "driver/run/options.h"))
        self.assertIsNotNone(problem("driver/shell/x.cpp", "pipeline/compiler.h"))
        self.assertIsNotNone(problem("driver/explain/x.cpp", "driver/run/bench.h"))
        self.assertIsNotNone(problem("driver/tune/x.cpp", "driver/build/compile_options.h"))
        self.assertIsNotNone(problem("driver/run/x.cpp", "llvm/IR/Module.h"))
        self.assertIsNone(problem("support/render_json.cpp", "nlohmann/json.hpp"))

    def test_every_folder_is_known(self):
        folders = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*") if path.is_dir()}
        self.assertEqual(folders, set(ARROWS))

    def test_every_stage_stands_on_the_page(self):
        rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "why.md").read_text().split("\n## Words")[0], re.MULTILINE)
        self.assertEqual(sorted(rows), sorted(folder for folder in ARROWS if "/" not in folder))

    def test_every_switch_over_kinds_of_levels_stands_on_the_page(self):
        self.assertEqual(switches_over_kinds(), listed_for_kinds())

    def test_includes_run_one_way(self):
        self.assertEqual(problems(), [])


if __name__ == "__main__":
    unittest.main()
