#!/usr/bin/env python3
"""Runs the module of each kind through MLIR's own pipeline, and says what comes of it, beside what spc makes of it.

    beside_mlir.py SPC [--names] [NAME...]

Operands are dense constants that MLIR converts into their encodings, and results are printed element by element. The
pipeline is `mlir-opt --sparsifier`, with its runtime library and without: what either gets right counts. `--names` lists what
is not right. It takes some minutes, and mlir-22-tools.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:  # that of the system has it
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

import borders
import modules
from modules_test import run

TOOLS = Path("/usr/lib/llvm-22")
LIBRARIES = ",".join(str(TOOLS / "lib" / f"lib{name}.so") for name in ("mlir_c_runner_utils", "mlir_runner_utils"))
SECONDS = 10
ENVIRONMENT = {**os.environ, "LLVM_DISABLE_SYMBOLIZATION": "1"}
OUTCOMES = ("right", "refuses", "wrong", "crashes")
INFINITY = {"f64": "FF0000000000000", "f32": "F800000", "f16": "C00"}
NAN = {"f64": "0x7FF8000000000000", "f32": "0x7FC00000", "f16": "0x7E00"}


def split(text):
    """The parts of a list, at the commas outside of brackets."""
    parts, depth, part = [], 0, ""
    for k, c in enumerate(text):
        depth += (c in "<([{") - (c in ">)]}" and text[k - 1:k] != "-")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return [*parts, part.strip()] if part.strip() else parts


def signature(text):
    """The arguments and the result's type of function f."""
    begin = text.index("func.func @f(") + len("func.func @f(")
    depth, end = 1, begin
    while depth:
        depth += (text[end] in "([{<") - (text[end] in ")]}>" and text[end - 1] != "-")
        end += 1
    result = re.match(r"\s*->\s*(.*?)\s*\{$", text[end:].split("\n")[0]).group(1)
    return [part.split(": ", 1) for part in split(text[begin:end - 1])], result.strip("()").split(" {")[0]


def number(value, kind):
    if kind.startswith("complex"):
        return f"({number(value.real, kind[8:-1])}, {number(value.imag, kind[8:-1])})"
    if kind == "i1":
        return "true" if value else "false"
    if "f" not in kind:
        return str(int(value))
    if np.isinf(value):
        return ("0xF" if value < 0 else "0x7") + INFINITY[kind]
    text = repr(float(value))
    return NAN[kind] if np.isnan(value) else text if "." in text else text.replace("e", ".0e")


def constant(name, values, text):
    """Lines that make %name of a type."""
    if not text.startswith("tensor"):
        return [f"%{name} = arith.constant {number(values, text)} : {text}"]
    kind = re.match(r"tensor<(?:[\d?]+x)*(.*?)(?:, #.*)?>$", text).group(1)
    def nested(a):
        return number(a[()], kind) if a.ndim == 0 else "[" + ", ".join(nested(part) for part in a) + "]"
    static = f"tensor<{''.join(f'{n}x' for n in values.shape)}{kind}>"
    plain = re.sub(r", #\w+", "", text)
    lines = [f"%{name}_0 = arith.constant dense<{nested(values)}> : {static}"]
    lines.append(f"%{name}_1 = tensor.cast %{name}_0 : {static} to {plain}" if static != plain else
                 f"%{name}_1 = bufferization.alloc_tensor() copy(%{name}_0) : {static}")
    lines.append(f"%{name} = sparse_tensor.convert %{name}_1 : {plain} to {text}" if plain != text else
                 f"%{name} = tensor.cast %{name}_1 : {plain} to {plain}")
    return lines


def printed(text):
    """Lines that print all elements of %r."""
    plain = re.sub(r", #\w+", "", text)
    kind = re.match(r"tensor<(?:[\d?]+x)*(.*)>$", plain).group(1) if plain.startswith("tensor") else plain
    lines = [f"%dense = sparse_tensor.convert %r : {text} to {plain}"] if plain != text else []
    value, order = ("%dense" if lines else "%r"), plain.count("x") - ("complex" in plain) - ("index" in plain)
    if plain.startswith("tensor"):
        for k in range(order):
            lines += [f"%k{k} = arith.constant {k} : index", f"%n{k} = tensor.dim {value}, %k{k} : {plain}"]
        lines += [f"scf.for %i{k} = %zero to %n{k} step %one {{" for k in range(order)]
        lines.append(f"%v = tensor.extract {value}[{', '.join(f'%i{k}' for k in range(order))}] : {plain}")
        value = "%v"
    if kind.startswith("complex"):
        part = kind[8:-1]
        lines += [f"%re = complex.re {value} : {kind}", f"%im = complex.im {value} : {kind}", f"vector.print %re : {part}", f"vector.print %im : {part}"]
    elif kind in ("f16", "bf16"):
        lines += [f"%wide = arith.extf {value} : {kind} to f32", "vector.print %wide : f32"]
    else:
        lines.append(f"vector.print {value} : {kind}")
    return lines + ["}"] * (order if plain.startswith("tensor") else 0), kind.startswith("complex")


def program(case):
    """The module with a function that calls f and prints, and whether its numbers are complex."""
    arguments, result = signature(case.text)
    lines = ["%zero = arith.constant 0 : index", "%one = arith.constant 1 : index"]
    given = {**case.operands, **case.sizes, **case.inputs}
    if "sparse_tensor.assemble" in case.text: # of the arrays of the first operand
        a = case.operands["A"]
        given |= {"pos": np.array([0, *np.cumsum(np.count_nonzero(a, 1))]), "crd": np.nonzero(a)[1], "val": a[np.nonzero(a)]}
    for name, text in arguments:
        lines += constant(name.strip("%"), np.asarray(given[name.strip("%")]), text) if text.startswith("tensor") else \
            constant(name.strip("%"), given[name.strip("%")], text)
    lines.append(f"%r = call @f({', '.join(name for name, _ in arguments)}) : ({', '.join(text for _, text in arguments)}) -> {result}")
    shown, is_complex = printed(result)
    body = "\n  ".join([*lines, *shown, "return"])
    text, *resources = case.text.split("\n{-#")
    return "\n{-#".join([f"{text}\nfunc.func @entry() {{\n  {body}\n}}", *resources]) + "\n", is_complex


def outcome(text, is_same, folder, library):
    """What MLIR makes of a module: one of OUTCOMES, and what it says. `is_same`: whether numbers are as they have to be."""
    source, lowered = folder / "beside.mlir", folder / "lowered.mlir"
    source.write_text(text)
    commands = ([TOOLS / "bin" / "mlir-opt", source, f"--sparsifier=enable-runtime-library={library}", "-o", lowered],
                [TOOLS / "bin" / "mlir-runner", lowered, "-e", "entry", "-entry-point-result=void", f"-shared-libs={LIBRARIES}"])
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, env=ENVIRONMENT)
        except subprocess.TimeoutExpired:
            return "crashes", "no end"
        if done.returncode:
            crashed = done.returncode < 0 or "Stack dump" in done.stderr
            return ("crashes" if crashed else "refuses"), done.stderr
    values = np.array([float(word) for word in done.stdout.split()])
    return ("right", "") if is_same(values) else ("wrong", str(values))


def best(text, is_same, folder):
    found = [outcome(text, is_same, folder, library) for library in ("true", "false")]
    return min(found, key=lambda one: OUTCOMES.index(one[0]))


def of_case(spc, case, folder):
    """What spc and MLIR make of a module."""
    problem = run(spc, folder, case)
    text, is_complex = program(case)
    with np.errstate(all="ignore"):
        expected = np.asarray(case.expected(*case.operands.values())).ravel()

    def is_same(values):
        numbers = values[::2] + 1j * values[1::2] if is_complex else values
        near = max(case.tolerance, 1e-5) # six digits are printed
        return numbers.shape == expected.shape and np.allclose(numbers, expected, rtol=near, atol=near, equal_nan=True)
    return ("wrong" if problem else "refuses" if case.refused else "right", problem), best(text, is_same, folder)


def of_border(spc, border, folder):
    def is_same(values):
        return values.shape == (border.expected.size,) and np.array_equal(values, border.expected.ravel())
    values, problem = borders.of_spc(spc, border, folder)
    ours = "refuses" if values is None else "right" if is_same(values) else "wrong"
    return (ours, problem or str(values)), best(borders.program(border), is_same, folder)


def main():
    spc, names = str(Path(sys.argv[1]).resolve()), [name for name in sys.argv[2:] if not name.startswith("-")]
    groups = {**modules.GROUPS, "at the border": borders.borders}
    with tempfile.TemporaryDirectory() as folder:
        for group, kind in groups.items():
            ours, theirs = collections.Counter(), collections.Counter()
            for case in kind():
                if (names and case.name not in names) or case.expected is None:
                    continue
                (one, problem), (other, why) = (of_border if isinstance(case, borders.Border) else of_case)(spc, case, Path(folder))
                ours[one] += 1
                theirs[other] += 1
                if "--names" in sys.argv and (one, other) != ("right", "right"):
                    print(f"  {case.name}: spc {one} {problem[:100]!r}, MLIR {other} {why.strip()[:200]!r}", flush=True)
            if ours:
                counts = [str(counted[one] or "–") for counted in (ours, theirs) for one in OUTCOMES]
                print("| " + " | ".join([group, str(sum(ours.values())), *counts]) + " |", flush=True)


if __name__ == "__main__":
    main()
