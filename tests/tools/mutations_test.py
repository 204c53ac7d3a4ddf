"""spc-opt on hostile text: the inputs of tests/lit, changed at random, through every pass. Each is refused or worked on;
spc-opt never crashes and never runs for long.

    mutations_test.py [--seed N] [--count N]     SPC_OPT names spc-opt; count: inputs for each pass"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPT = os.environ.get("SPC_OPT", str(ROOT / "build" / "bin" / "spc-opt"))
BATCH = 25
SPLIT = "\n// -----\n"

DECLARATIONS = [
    "func.func private @exp2(f64) -> f64",
    "func.func private @g(tensor<?xf64>, index)",
    "func.func private @h(!llvm.ptr {spc.bind = #spc.bind<assembly>}, index {spc.bind = #spc.bind<chunk>})",
    "func.func @empty() { return }",
    "func.func @plain(%a: memref<?xf64>, %b: tensor<4xf64>, %c: f64) { return }",
    "func.func @sparse(%a: tensor<?xf64, #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>>) { return }",
    "func.func @blocks() {\n  cf.br ^next\n^next:\n  return\n}",
]
WORDS = ["index", "f64", "i32", "i64", "f32", "scf.for", "scf.while", "memref", "tensor", "dense", "compressed", "rows",
         "positions", "segments", "values", "indices", "pointers", "size", "count", "begin", "end", "width", "append",
         "workspace", "add", "i1", "extents", "levels", "modes"]
NUMBERS = ["0", "1", "-1", "2", "3", "7", "63", "4294967296", "9223372036854775807"]


def passes():
    text = (ROOT / "src" / "transforms" / "Passes.td").read_text()
    # The sparsifier is MLIR's: it takes what mlirgen makes, and crashes on other generics.
    return ["-" + name for name in re.findall(r'Pass<"([^"]+)"', text) if name != "spc-sparsify"]


def replace(text, pattern, choose):
    """`text` with one match of the pattern, at random, replaced."""
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    match = random.choice(found)
    return text[:match.start()] + choose(found) + text[match.end():]


def mutate(text):
    for _ in range(random.choice([1, 1, 2, 4])):
        way = random.randrange(9)
        lines = text.split("\n")
        at = random.randrange(len(lines))
        if way == 0:
            text = "\n".join(lines[:at] + lines[at + 1:])
        elif way == 1:
            text = "\n".join(lines[:at] + [random.choice(lines)] + lines[at:])
        elif way == 2:
            text += "\n" + random.choice(DECLARATIONS) + "\n"
        elif way == 3:
            text = replace(text, r"\b\d+\b", lambda _: random.choice(NUMBERS))
        elif way == 4:
            text = replace(text, r"\{spc\.[^{}]*\}", lambda _: "")
        elif way == 5:
            text = replace(text, r"#spc\.[a-z_]+<[^<>]*>", lambda found: random.choice(found).group(0))
        elif way == 6:
            text = replace(text, rf"\b{re.escape(random.choice(WORDS))}\b", lambda _: random.choice(WORDS))
        elif way == 7:
            text = replace(text, r"%\w+", lambda found: random.choice(found).group(0))
        else:
            text = replace(text, r"\S+", lambda _: "")
    return text


def run(name, inputs):
    """The exit code, "timeout", or minus the signal that ended spc-opt."""
    command = [OPT, "--split-input-file", "--mlir-disable-threading", name]
    try:
        return subprocess.run(command, input=SPLIT.join(inputs), capture_output=True, text=True, timeout=60).returncode
    except subprocess.TimeoutExpired:
        return "timeout"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    options = parser.parse_args()
    random.seed(options.seed)
    lit = ROOT / "tests" / "lit"
    files = sorted(lit.glob("transforms/*.mlir")) + sorted(lit.glob("dialect/*.mlir"))
    texts = [part for path in files for part in path.read_text().split("// -----")]
    failures = tried = 0
    for name in passes():
        for begin in range(0, options.count, BATCH):
            inputs = [mutate(random.choice(texts)) for _ in range(min(BATCH, options.count - begin))]
            tried += len(inputs)
            if run(name, inputs) in (0, 1):
                continue
            for text in inputs:
                code = run(name, [text])
                if code not in (0, 1):
                    failures += 1
                    print(f"spc-opt {name} ends with {code}:\n{text}\n")
    print(f"{tried} inputs, {failures} crashes")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
