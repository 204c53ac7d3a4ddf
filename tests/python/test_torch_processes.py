"""Memory of PyTorch's operators, over many calls and under AddressSanitizer: each in a process of its own."""
# SPDX-License-Identifier: Apache-2.0

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

from support import GROWTH

pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")

PRELUDE = """
import gc, os, sys, threading
import numpy as np, scipy.sparse as sp, torch
import spc, spc.torch
torch.manual_seed(1)
options = sys.argv[1:]
s = sp.random(60, 40, 0.2, "csr", random_state=1)
graph, entries = spc.torch.Matrix.of(s), s.nnz
spmm = spc.torch.op("C(i,k) = A(i,j) * B(j,k)", A="csr", options=options)
sddmm = spc.torch.op("D(i,j) = S(i,j) * P(i,l) * Q(j,l)", S="csr", options=options)
converting = spc.torch.op("C(i,k) = A(i,j) * B(j,k)", A="csr", copy=True, options=options)
kernel = spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr", copy=True, options=options)
b, p = torch.rand(40, 4, dtype=torch.float64), torch.rand(60, 4, dtype=torch.float64)
heads, one = torch.rand(entries, 3, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
full = torch.from_numpy(s.toarray())
""" + GROWTH


def run(code, *options, **environment):
    """Runs code in a process, its kernels compiled with options."""
    done = subprocess.run([sys.executable, "-W", "error", "-W", "ignore::UserWarning", "-c", PRELUDE + textwrap.dedent(code),
                           *options], capture_output=True, text=True, env={**os.environ, **environment}, timeout=240,
                          check=False)
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"


def test_nothing_leaks():
    """Calls of operators, forwards and back, of new structures and old ones, of plans and bound calls."""
    run("""
        spgemm = spc.kernel("C(i,l) = A(i,j) * B(j,l)", A="csr", B="csr", C="csr")
        plan, bound = spgemm.plan(s, s.T.tocsr()), kernel.bind(graph, b)
        columns = spc.torch.Matrix.of(s.tocsc())
        def work(count):
            for k in range(count):
                kind = k % 20
                if kind < 8:
                    weights, x = graph.values.clone().requires_grad_(), b.clone().requires_grad_()
                    spmm(graph.with_values(weights), x).sum().backward()
                elif kind < 11:
                    spmm(graph.with_values(heads[:, kind - 8]), b)
                elif kind == 11:
                    spmm(graph.with_values(one.expand(entries)), b)
                elif kind == 12:
                    spmm(spc.torch.Matrix.of(s.copy()), b)
                elif kind == 13:
                    spmm(sddmm(graph, p, b), b)
                elif kind == 14:
                    converting(columns, b)
                elif kind == 15:
                    converting(spc.torch.Matrix.of(s.tocoo()), b)
                elif kind == 16:
                    spmm(graph, torch.stack([b, b]))
                elif kind == 17:
                    plan()
                elif kind == 18:
                    bound()
                else:
                    try:
                        spmm(graph, p)
                    except spc.ArgumentError:
                        pass
        def round_of_calls():
            work(1500)
            in_two_threads(work, 500)
        check_growth(round_of_calls)
        """)


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_address_sanitizer():
    """Kernels that watch what they read and write: values that lie apart or share a place, and copies of operands."""
    # The runtime looks for what throws when it starts, and torch loads that later.
    libraries = [subprocess.run(["cc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
                 for name in ("libasan.so", "libstdc++.so.6")]
    run("""
        ones = (full != 0).double()
        for _ in range(3):
            assert torch.allclose(spmm(graph.with_values(heads[:, 1]), b), graph.with_values(
                heads[:, 1].contiguous()).to_dense() @ b)
            assert torch.allclose(spmm(graph.with_values(one.expand(entries)), b), ones @ b)
            assert torch.allclose(spmm(graph.with_values(heads.t()), b)[2], spmm(graph.with_values(heads[:, 2]), b))
            assert torch.allclose(kernel(graph.with_values(one.expand(entries)), b), ones @ b)
            for kind in ("csc", "coo", "bsr"):
                given = spc.torch.Matrix.of(s.asformat(kind))
                gc.collect()
                assert torch.allclose(converting(given, b), full @ b)
            assert torch.allclose(converting(graph, torch.rand(40, 8, dtype=torch.float64)[:, ::2] * 0 + b), full @ b)
        weights, x = heads.clone().requires_grad_(), b.clone().requires_grad_()
        spmm(graph.with_values(weights[:, 1]), x).sum().backward()
        assert torch.allclose(x.grad, graph.with_values(heads[:, 1]).to_dense().sum(0)[:, None].expand(40, 4))
        z = torch.rand(5, 7, dtype=torch.float64, requires_grad=True)
        spc.torch.op("y(i) = sum(j, Z(i,j))", options=options)(z).sum().backward()
        assert torch.equal(z.grad, torch.ones_like(z))
        bound = kernel.bind(graph.with_values(heads[:, 1]), b)
        gc.collect()
        assert torch.allclose(bound(), graph.with_values(heads[:, 1]).to_dense() @ b)
        """, "--sanitize=address", LD_PRELOAD=" ".join(libraries), ASAN_OPTIONS="detect_leaks=0")
