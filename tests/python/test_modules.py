"""MLIR modules as kernels: from text and files, in operands' own formats, with gradients."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp

import spc

CSR = "#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>\n"
SPMM = CSR + """
func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %A, %c0 : tensor<?x?xf32, #CSR>
  %n = tensor.dim %B, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %C = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x?xf32>) outs(%start : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %C : tensor<?x?xf32>
}
"""
PRODUCT = CSR + """
func.func @product(%A: tensor<4x5xf64, #CSR>, %B: tensor<5x4xf64, #CSR>) -> tensor<4x4xf64, #CSR> {
  %empty = tensor.empty() : tensor<4x4xf64, #CSR>
  %C = linalg.matmul ins(%A, %B : tensor<4x5xf64, #CSR>, tensor<5x4xf64, #CSR>) outs(%empty : tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR>
  return %C : tensor<4x4xf64, #CSR>
}
"""


def operands(dtype):
    rng = np.random.default_rng(1)
    return sp.random(5, 6, 0.5, "csr", dtype, random_state=1), rng.random((6, 3)).astype(dtype)


@pytest.mark.parametrize("stored", ["csr", "csc", "coo"])
def test_operands_are_taken_as_they_are_stored(stored):
    a, b = operands(np.float32)
    np.testing.assert_allclose(spc.kernel(SPMM)(a.asformat(stored), b), a @ b, rtol=1e-5)


def test_a_file_is_read(tmp_path):
    (tmp_path / "model.mlir").write_text(SPMM)
    a, b = operands(np.float32)
    np.testing.assert_allclose(spc.kernel(tmp_path / "model.mlir")(a, b), a @ b, rtol=1e-5)


def test_sparse_results_are_assembled():
    a = sp.random(4, 5, 0.5, "csr", random_state=2)
    c = spc.kernel(PRODUCT)(a, a.T.tocsr())
    assert sp.issparse(c)
    np.testing.assert_allclose(c.toarray(), (a @ a.T).toarray())


def test_sizes_that_the_module_says_are_checked():
    with pytest.raises(spc.ArgumentError, match="A: dimension 0 has 5 elements, and the kernel says 4"):
        spc.kernel(PRODUCT)(sp.identity(5, format="csr"), sp.identity(5, format="csr"))


def test_one_of_several_functions_is_an_option():
    both = SPMM + PRODUCT.replace(CSR, "")
    a = sp.random(4, 5, 0.5, "csr", random_state=2)
    c = spc.kernel(both, options=["--function=product"])(a, a.T.tocsr())
    np.testing.assert_allclose(c.toarray(), (a @ a.T).toarray())
    with pytest.raises(spc.CompileError, match="several functions: spmm, product"):
        spc.kernel(both)(a, a.T.tocsr())


def test_what_is_refused_says_where():
    a, b = operands(np.float32)
    with pytest.raises(spc.CompileError, match=r"kernel\.mlir:12:\d+: error: 'tensor.generate' has no counterpart"):
        spc.kernel(SPMM.replace("  return %C :", """  %s = tensor.generate %m, %n {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
  } : tensor<?x?xf32>
  return %s :"""))(a, b)


def test_gradients_flow():
    torch = pytest.importorskip("torch")
    import spc.torch
    a, b = operands(np.float32)
    weights = torch.tensor(b, requires_grad=True)
    matrix = spc.torch.Matrix.of(a)
    matrix.values.requires_grad_()
    spc.torch.op(SPMM)(matrix, weights).sum().backward()
    np.testing.assert_allclose(weights.grad, a.T @ np.ones((5, 3), np.float32), rtol=1e-5)
    np.testing.assert_allclose(matrix.values.grad, b.sum(1)[a.indices], rtol=1e-5)
