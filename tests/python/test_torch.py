"""PyTorch's tensors as operands and results."""
# SPDX-License-Identifier: Apache-2.0

import gc
import weakref

import numpy as np
import pytest
from support import close, dense, kernel, matrix

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")

SPMV = "y(i) = A(i,j) * x(j)"
SDDMM = "D(i,j) = S(i,j) * A(i,l) * B(j,l)"
SPGEMM = "C(i,l) = A(i,j) * B(j,l)"


def tensor(kind, dtype=torch.float64, rows=8, columns=12, index=torch.int64):
    """A random sparse tensor of one of torch's layouts."""
    full = torch.from_numpy(matrix(rows, columns).toarray()).to(dtype)
    if kind == "coo":
        return full.to_sparse()
    made = matrix(rows, columns, {"bsc": "bsr"}.get(kind, kind))
    if kind == "bsr":
        made.sort_indices()
    if kind == "bsc":
        made = matrix(columns, rows).tobsr((3, 2))
        made.sort_indices()
        data = np.ascontiguousarray(made.data.transpose(0, 2, 1))
        return torch.sparse_bsc_tensor(torch.from_numpy(made.indptr).to(index), torch.from_numpy(made.indices).to(index),
                                       torch.from_numpy(data).to(dtype), size=(rows, columns)), made.T.toarray()
    make = getattr(torch, f"sparse_{kind}_tensor")
    return make(torch.from_numpy(made.indptr).to(index), torch.from_numpy(made.indices).to(index),
                torch.from_numpy(made.data).to(dtype), size=(rows, columns))


def same(got, expected):
    """Whether a result is a tensor like the expected array."""
    assert isinstance(got, torch.Tensor)
    if got.layout is not torch.strided:
        got = got.to_dense()
    close(got.numpy(), np.asarray(expected))


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_kinds(kind, dtype):
    x = torch.from_numpy(dense(12)).to(dtype)
    expected = torch.from_numpy(matrix(8, 12).toarray()).to(dtype) @ x
    same(kernel(SPMV)(tensor(kind, dtype), x), expected)


def test_block_columns():
    a, expected = tensor("bsc")
    same(kernel(SPMV)(a, torch.ones(12, dtype=torch.float64)), expected.sum(1))


def test_32_bit_indices():
    a, x = tensor("csr", index=torch.int32), torch.from_numpy(dense(12))
    same(kernel(SPMV)(a, x), matrix(8, 12) @ dense(12))


def test_dense():
    add = kernel("C(i,j) = A(i,j) + B(i,j)")
    a, b = torch.from_numpy(dense((4, 3))), torch.from_numpy(dense((3, 4))).T
    result = add(a, b)
    same(result, a + b)
    out = torch.empty(4, 3, dtype=torch.float64)
    for _ in range(4):
        assert add(a, b, out=out) is out
        same(out, a + b)
        a *= 2
    same(add(a, dense((4, 3))), a + torch.from_numpy(dense((4, 3))))
    with pytest.raises(spc.ArgumentError, match=r"A: a tensor of shape \(4, 3\) with strides \(6, 2\) .* \.contiguous\(\)"):
        add(torch.zeros(4, 6, dtype=torch.float64)[:, ::2], b)
    same(spc.kernel("C(i,j) = A(i,j) + B(i,j)", copy=True)(torch.ones(4, 6, dtype=torch.float64)[:, ::2], b), 1 + b)


@pytest.mark.parametrize("share", [False, True])
def test_sampled(share):
    s, a, b = tensor("csr"), torch.from_numpy(dense((8, 3))), torch.from_numpy(dense((12, 3)))
    result = spc.kernel(SDDMM, S="csr", share=share)(s, a, b)
    assert result.layout is torch.sparse_csr
    assert (result.col_indices().data_ptr() == s.col_indices().data_ptr()) is share
    assert (result.crow_indices().data_ptr() == s.crow_indices().data_ptr()) is share
    same(result, s.to_dense() * (a @ b.T))
    places = tensor("coo").coalesce()
    result = spc.kernel(SDDMM, S="coo", share=share)(places, a, b)
    assert result.layout is torch.sparse_coo and result.is_coalesced()
    assert (result._indices().data_ptr() == places._indices().data_ptr()) is share
    same(result, s.to_dense() * (a @ b.T))


def test_assembled():
    a, b = tensor("csr"), tensor("csr", rows=12, columns=5)
    result = kernel(SPGEMM, A="csr", B="csr", C="csr")(a, b)
    assert result.layout is torch.sparse_csr and result.col_indices().dtype == torch.int64
    same(result, a.to_dense() @ b.to_dense())
    values = result.values()
    del result
    gc.collect()
    assert float(values.sum()) == pytest.approx(float((a.to_dense() @ b.to_dense()).sum()))
    same(kernel("C(i,j) = A(i,j)", C="coo")(a), a.to_dense())


def test_order_0():
    total = kernel("s = A(i,j)", A="csr")(tensor("csr"))
    assert isinstance(total, torch.Tensor) and total.dim() == 0 and total.dtype == torch.float64
    assert float(total) == pytest.approx(matrix(8, 12).sum())
    same(kernel("y(i) = alpha * x(i)")(torch.tensor(2.0, dtype=torch.float64), torch.ones(3, dtype=torch.float64)),
         np.full(3, 2.0))


def test_bfloat16():
    a = torch.arange(6.0).reshape(2, 3).to(torch.bfloat16)
    result = kernel("C(i,j) = alpha * A(i,j)")(2.5, a)
    assert result.dtype == torch.bfloat16
    assert torch.equal(result, 2.5 * a)


def test_coordinates_that_are_not_coalesced():
    places = torch.tensor([[2, 0, 2], [1, 3, 1]])
    a = torch.sparse_coo_tensor(places, torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64), (3, 4))
    x = torch.from_numpy(dense(4))
    same(kernel(SPMV)(a, x), a.to_dense() @ x)
    with pytest.raises(spc.ArgumentError, match=r"coo-unsorted, and the kernel reads coo: \.coalesce\(\) sorts it"):
        kernel(SPMV, A="coo")(a, x)
    same(kernel(SPMV, A="coo")(a.coalesce(), x), a.to_dense() @ x)


def test_broken_structures():
    a = torch.sparse_csr_tensor(torch.tensor([0, 1, 2]), torch.tensor([0, 1]), torch.ones(2, dtype=torch.float64), size=(2, 2))
    a.col_indices()[1] = 7
    with pytest.raises(spc.StructureError, match="A: coordinates of level 1: 7 at 1"):
        kernel(SPMV)(a, torch.ones(2, dtype=torch.float64))


@pytest.mark.parametrize("make, text", [
    (lambda: torch.ones(2, 2, dtype=torch.complex64).conj(), r"conjugated or negated tensor: \.resolve_conj\(\)"),
    (lambda: torch.quantize_per_tensor(torch.ones(2, 2), 0.1, 0, torch.qint8), "A: "),
    (lambda: torch.ones(2, 2, device="meta"), r"A: it is on meta, .* \.cpu\(\) copies"),
    (lambda: torch.ones(2, 2, 2).to_sparse(2), "A: a hybrid tensor has dense dimensions"),
    (lambda: torch.sparse_csr_tensor(torch.tensor([0, 1, 2]), torch.tensor([0, 1]), torch.ones(2, 3)), "A: a hybrid tensor has dense"),
    (lambda: torch.ones(2, 2).to_mkldnn(), "A: tensors of layout _mkldnn have no format")])
def test_tensors_that_are_refused(make, text):
    with pytest.raises(spc.ArgumentError, match=text):
        kernel("C(i,j) = A(i,j) + B(i,j)")(make(), torch.ones(2, 2))


def test_advice_is_torchs():
    with pytest.raises(spc.ArgumentError, match=r"A: stored as coo, and the kernel reads csr: \.to_sparse_csr\(\) converts"):
        kernel(SPMV, A="csr")(tensor("coo"), torch.from_numpy(dense(12)))
    with pytest.raises(spc.ArgumentTypeError, match=r"x: values of type f32, and the kernel reads f64: \.to\(torch.float64\)"):
        spc.kernel(SPMV, A="csr", types={"A": "f64", "x": "f64"})(tensor("csr"), torch.ones(12))


def test_repeated_calls():
    spmv, a = spc.kernel(SPMV), tensor("csr")
    for repeat in range(5):
        x = torch.from_numpy(dense(12, seed=repeat))
        for _ in range(3):
            same(spmv(a, x), matrix(8, 12) @ dense(12, seed=repeat))
    seen = weakref.ref(x)
    with torch.no_grad():
        x.set_(torch.ones(12, dtype=torch.float64))
    same(spmv(a, x), matrix(8, 12) @ np.ones(12))
    del x
    gc.collect()
    assert seen() is None


def test_threads_beside_torch():
    """torch's own threads go on as before."""
    before = torch.get_num_threads()
    a = torch.from_numpy(dense((300, 300)))
    expected = a @ a
    kernel(SPMV)(tensor("csr"), torch.from_numpy(dense(12)))
    assert torch.get_num_threads() == before
    assert torch.equal(a @ a, expected)
