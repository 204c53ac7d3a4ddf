"""What the package says of kernels, and how they are tuned: spc.explain, spc.tune, and kernels in notebooks."""
# SPDX-License-Identifier: Apache-2.0

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from support import close, dense, matrix

import spc

SPMV = "y(i) = A(i,j) * x(j)"


def test_an_explanation_is_of_the_kernel_for_the_operands():
    a, x = sp.csc_matrix(matrix(9, 12)), dense(12)
    kernel = spc.kernel(SPMV)
    said = spc.explain(kernel, a, x=x)
    assert "A  f64, csc" in said and "steps: nnz(A)" in said and "Divided among processes" in said
    assert "A  f32, csr" in spc.explain(kernel, sp.csr_matrix(a, dtype=np.float32), x.astype(np.float32))
    assert "dense, j: dense" in spc.explain(kernel)
    assert "A  f64, dcsr" in spc.explain(spc.kernel(SPMV, A="dcsr"))
    page = said._repr_html_()
    assert page.startswith("<iframe") and "&lt;!DOCTYPE html&gt;" in page and "<!DOCTYPE" not in page


def test_kernels_in_notebooks():
    shown = spc.kernel(SPMV, A="csr", name="spmv")._repr_html_()
    assert "spmv(A, x) -&gt; y" in shown and "the list of A" in shown
    assert spc.kernel("tensor A(n, m), sparse\ntensor x(m)\n" + SPMV)._repr_html_().count("<code>") == 1


def test_tuning_gives_what_a_kernel_takes():
    a, x = matrix(60, 40), dense(40)
    found = spc.tune(spc.kernel(SPMV), a, x, budget=0.2)
    assert found["tensors"]["A"]
    tuned = spc.kernel(SPMV, tuned=found, copy=True)
    close(tuned(a, x), a @ x)


def test_tuning_takes_tensors_and_numbers():
    tensor = spc.coo([[0, 1, 3], [0, 1, 2], [1, 0, 2]], np.array([1.0, 2.0, 3.0]), (4, 5, 6))
    found = spc.tune(spc.kernel("y(i) = s * T(i,j,k) * z(k)"), T=tensor, z=dense(6)[::1], s=2.5, budget=0.1)
    assert "T" in found["tensors"]


def test_mistakes():
    kernel = spc.kernel(SPMV)
    for ask in (spc.explain, spc.tune):
        with pytest.raises(spc.ArgumentTypeError, match="a kernel of spc.kernel is needed, not str"):
            ask(SPMV)
        with pytest.raises(spc.ArgumentTypeError, match="needs x as well"):
            ask(kernel, matrix(3, 3))
    with pytest.raises(spc.ArgumentTypeError, match="A: kernels are tuned on operands of real numbers"):
        spc.tune(kernel, matrix(3, 3).astype(np.complex128), dense(3).astype(np.complex128), budget=0.1)
    with pytest.raises(spc.CompileError, match="unknown-option|unknown option"):
        spc.tune(kernel, matrix(3, 3), dense(3), options=["--nonsense"])


def test_the_command_by_the_package(tmp_path):
    (tmp_path / "spmv.tex").write_text(SPMV)

    def run(*arguments):
        return subprocess.run([sys.executable, "-m", "spc", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run().stdout.startswith("spc ")
    assert run("compile", "spmv.tex", "--format", "A=csr", "-O0", "-o", "spmv.o").returncode == 0
    assert (tmp_path / "spmv.o").is_file()
    wrong = run("compile", "--nonsense")
    assert wrong.returncode == 2 and "unknown-option" in wrong.stderr
