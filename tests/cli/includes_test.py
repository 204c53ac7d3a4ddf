"""Includes run one way, and each outside library stays where docs/architecture.md puts it."""

import re
import unittest

from spc_case import ROOT

SOURCE = ROOT / "src"

# Each folder and the folders it may include; what these reach is allowed as well.
ARROWS = {
    "support": [],
    "syntax": ["support"],
    "format": ["support"],
    "sema": ["syntax", "format"],
    "abi": ["sema"],
    "tensor": ["abi"],
    "mlirgen": ["sema", "abi"],
    "transforms": ["abi"],
    "codegen": ["abi", "runtime"],
    "runtime": [],
    "pipeline": ["transforms", "codegen", "mlirgen"],
    "driver": ["tensor", "pipeline"],
}
NO_MLIR = {"support", "syntax", "format", "sema", "abi", "tensor"}
NEVER = {"transforms": {"syntax"}, "codegen": {"syntax"}, "mlirgen": {"syntax"}}
JSON_RENDERER = "support/render_json.cpp"


def reachable(folder):
    found = {folder}
    for next_folder in ARROWS[folder]:
        found |= reachable(next_folder)
    return found


def problem(path, name):
    """What is wrong with an include of `name` in src/`path`; None when nothing is."""
    folder = path.split("/")[0]
    target = name.split("/")[0]
    if target in ARROWS and target not in reachable(folder) - NEVER.get(folder, set()):
        return f"{folder} must not include {target}"
    if target == "CLI" and folder != "driver":
        return "CLI11 belongs to driver"
    if target == "nlohmann" and folder != "format" and path != JSON_RENDERER:
        return "JSON belongs to format and the JSON renderer"
    if target == "spdlog" and folder != "driver":
        return "logging belongs to driver"
    if target in ("mlir", "llvm", "llvm-c") and folder in NO_MLIR:
        return f"{folder} must not depend on LLVM and MLIR"
    return None


def problems():
    found = []
    for file in sorted(SOURCE.rglob("*")):
        if file.suffix not in (".cpp", ".h", ".c", ".in"):
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
        self.assertIsNotNone(problem("pipeline/x.cpp", "CLI/CLI.hpp"))
        self.assertIsNotNone(problem("sema/x.cpp", "nlohmann/json.hpp"))
        self.assertIsNone(problem("driver/x.cpp", "pipeline/compiler.h"))
        self.assertIsNone(problem("support/render_json.cpp", "nlohmann/json.hpp"))

    def test_every_folder_is_known(self):
        folders = {path.name for path in SOURCE.iterdir() if path.is_dir()}
        self.assertEqual(folders, set(ARROWS))

    def test_includes_run_one_way(self):
        self.assertEqual(problems(), [])


if __name__ == "__main__":
    unittest.main()
