#!/usr/bin/env python3
"""Runs the module of each kind (modules.py), and compares with NumPy.

    modules_test.py SPC [NAME...]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:  # that of the system has it
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

import modules


def entries(path, shape):
    """What a file of entries holds, as a dense array: .tns, or .mtx of complex numbers."""
    is_complex = path.suffix == ".mtx"
    values = np.zeros(shape, np.complex128 if is_complex else np.float64)
    for line in [line for line in path.read_text().splitlines() if line and line[0] not in "#%"][1 if is_complex else 0:]:
        words = line.split()
        places = tuple(int(place) - 1 for place in words[:len(shape)])
        values[places] += complex(*map(float, words[len(shape):])) if is_complex else float(words[-1])
    return values


def run(spc, folder, case):
    """What is wrong; empty where nothing is. Operands that the kernel does not take, as it says, are left out, and their sizes passed."""
    module = folder / "module.mlir"
    module.write_text(case.text + "\n")
    inputs = {}
    for name, values in case.operands.items():
        if np.ndim(values) == 0:
            inputs[name] = f"{name}={values}"
            continue
        np.save(folder / f"{name}.npy", values)
        inputs[name] = f"{name}={folder / name}.npy"
    result = re.search(r"->\s*([^\n{]*)\{$", case.text, re.MULTILINE)
    is_sparse = result and "#" in result.group(1)
    out = folder / ("out.npy" if not is_sparse else "out.mtx" if "complex" in result.group(1) else "out.tns")
    out.unlink(missing_ok=True)
    sizes = [f"--size={name}={size}" for name, size in case.sizes.items()] + [f"{name}={size}" for name, size in case.inputs.items()]
    for _ in range(3):
        command = [spc, "run", str(module), "-q", "-O0", *inputs.values(), *sizes, "-o", f"out={out}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        unread = set(re.findall(r"warning: the kernel does not take '(\w+)'", done.stderr))
        asked = re.findall(r"nothing says the size of '(\w+)_(\d)'", done.stderr)
        if not unread & set(inputs) and not asked:
            break
        inputs = {name: given for name, given in inputs.items() if name not in unread}
        sizes += [f"--size={name}_{dim}={case.operands[name].shape[int(dim)]}" for name, dim in asked]
    if case.refused:
        refused = done.returncode == 1 and f"[{case.refused}]" in done.stderr
        return "" if refused else f"not refused by {case.refused}: exit code {done.returncode}\n{done.stderr}"
    if done.returncode != 0:
        return f"exit code {done.returncode}\n{done.stderr}"
    with np.errstate(all="ignore"):
        expected = np.asarray(case.expected(*case.operands.values()))
    result = np.load(out) if out.suffix == ".npy" else entries(out, expected.shape)
    if result.shape != expected.shape:
        return f"shape {result.shape} for {expected.shape}"
    if not np.allclose(result.astype(np.complex128), expected.astype(np.complex128), rtol=case.tolerance, atol=case.tolerance,
                       equal_nan=True):
        return f"got\n{result}\nfor\n{expected}"
    return ""


def in_bytecode(spc, folder):
    """What is wrong with a module in bytecode, where MLIR's tool is there to write it; empty where nothing is."""
    tool = shutil.which("mlir-opt-22") or shutil.which("/usr/lib/llvm-22/bin/mlir-opt")
    if tool is None:
        return ""
    module = folder / "module.mlirbc"
    text = Path(__file__).resolve().parent / "corpus" / "matmul_csr.mlir"
    subprocess.run([tool, "--emit-bytecode", text, "-o", module], check=True)
    done = subprocess.run([spc, "compile", module, "--emit=kernel", "-q"], capture_output=True, text=True, check=False)
    return "" if "out(i,j) = sum(k, arg0(i,k)*arg1(k,j))" in done.stdout else f"bytecode: {done.stdout}{done.stderr}"


def main():
    spc, wanted = sys.argv[1], sys.argv[2:]
    cases = [case for case in modules.cases() if not wanted or case.name in wanted]
    names = [case.name for case in cases]
    assert len(names) == len(set(names)), "two cases of one name"
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            if problem := run(spc, Path(folder), case):
                failures += 1
                print(f"{case.name}: {problem}\n{case.text}\n", file=sys.stderr)
        if problem := in_bytecode(spc, Path(folder)):
            failures += 1
            print(problem, file=sys.stderr)
    refused = sum(1 for case in cases if case.refused)
    print(f"{len(cases)} modules, {refused} refused, {failures} wrong")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
