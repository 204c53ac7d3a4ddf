"""Calls of operators that are repeated, past PyTorch's dispatcher, and formats in which gradients read operands."""
# SPDX-License-Identifier: Apache-2.0

import copy
import gc
import os
import pickle
import signal
import threading

import numpy as np
import pytest
from support import dense, matrix

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
import spc.torch

SPMM = "C(i,k) = A(i,j) * B(j,k)"
SDDMM = "D(i,j) = S(i,j) * P(i,l) * Q(j,l)"


def random(*shape, dtype=np.float64, seed=2):
    """A tensor."""
    return torch.from_numpy(dense(shape, dtype, seed))


def test_other_tensors_of_the_same_layout():
    spmm, a = spc.torch.op(SPMM, A="csr"), spc.torch.Matrix.of(matrix(8, 6))
    results = [(spmm(a, b), a.to_dense() @ b) for b in (random(6, 3, seed=seed) for seed in range(5))]
    for result, expected in results:  # each has memory of its own
        assert torch.allclose(result, expected)
    twice = a.with_values(2 * a.values)
    assert torch.allclose(spmm(twice, random(6, 3)), 2 * a.to_dense() @ random(6, 3))


def test_layouts_and_types_that_change():
    spmm, a = spc.torch.op(SPMM, A="csr"), spc.torch.Matrix.of(matrix(8, 6))
    single = spc.torch.Matrix.of(matrix(8, 6, dtype=np.float32))
    for _ in range(2):
        for b in (random(6, 3), random(3, 6).T, random(6, 8)[:, 2:5], random(6, 6)[:, ::2].T.contiguous().T, random(6, 1)):
            assert torch.allclose(spmm(a, b), a.to_dense() @ b)
        result = spmm(single, random(6, 3, dtype=np.float32))
        assert result.dtype is torch.float32
        assert torch.allclose(result, single.to_dense() @ random(6, 3, dtype=np.float32))
    with pytest.raises(spc.ArgumentError):
        spmm(a, random(7, 3))
    negated = torch.complex(random(6, 3), random(6, 3, seed=3)).conj().imag
    assert negated.is_neg()
    assert torch.allclose(spmm(a, negated), a.to_dense() @ negated)


def test_structures_that_come_and_go():
    spmv = spc.torch.op("y(i) = A(i,j) * x(j)", A="csr")
    for seed in range(100):
        a = spc.torch.Matrix.of(matrix(8, 6, seed=seed))
        x = random(6, seed=seed)
        assert torch.allclose(spmv(a, x), a.to_dense() @ x)
        del a
    gc.collect()
    assert not spmv._direct._steps


def test_matrices_that_operators_return():
    sddmm, spmm = spc.torch.op(SDDMM, S="csr"), spc.torch.op(SPMM, A="csr")
    s = spc.torch.Matrix.of(matrix(8, 6))
    for seed in range(3):
        p, q = random(8, 2, seed=seed), random(6, 2, seed=seed + 9)
        sampled = sddmm(s, p, q)
        assert sampled.pattern is s.pattern
        assert torch.allclose(spmm(sampled, q), (s.to_dense() * (p @ q.T)) @ q)
    exchanged = spc.torch.op("B(i,j) = 2 * A(j,i)", A="csr")
    for factor in (1, 3):
        assert torch.allclose(exchanged(s.with_values(factor * s.values)).to_dense(), 2 * factor * s.to_dense().T)


def test_numbers():
    scaled, x = spc.torch.op("y(i) = alpha * x(i)"), random(4)
    for alpha in (2.0, -1.5, 3, torch.tensor(0.25, dtype=torch.float64)):
        assert torch.allclose(scaled(alpha, x), alpha * x)
    product = spc.torch.op("y = x(i) * z(i)")
    for seed in range(3):
        z = random(4, seed=seed).requires_grad_()
        result = product(x, z)
        assert torch.allclose(result, x @ z)
        result.backward()
        assert torch.allclose(z.grad, x)


def test_structures_that_are_always_checked():
    spmv, s = spc.torch.op("y(i) = A(i,j) * x(j)", A="csr", validate="always"), matrix(8, 6)
    a = spc.torch.Matrix.of(s, share=True)
    own = spc.torch.Matrix.of(s)
    for _ in range(2):
        spmv(a, random(6))
    expected = spmv(own, random(6))
    s.indices[0] = 100
    assert torch.equal(spmv(own, random(6)), expected)
    with pytest.raises(spc.StructureError, match="100 at 0"):
        spmv(a, random(6))


def test_who_traces_is_told():
    from torch.fx.experimental.proxy_tensor import make_fx
    spmm, a, b = spc.torch.op(SPMM, A="csr", name="watched"), spc.torch.Matrix.of(matrix(8, 6)), random(6, 3)
    spmm(a, b)
    assert "spc.watched" in make_fx(lambda x: spmm(a, x))(b).code


def test_threads():
    spmm, a = spc.torch.op(SPMM, A="csr"), spc.torch.Matrix.of(matrix(60, 40, density=0.2))
    operands = [random(40, 16, seed=seed) for seed in range(4)]
    wrong = []

    def repeat(b):
        expected = a.to_dense() @ b
        if not all(torch.allclose(spmm(a, b), expected) for _ in range(200)):
            wrong.append(b)

    threads = [threading.Thread(target=repeat, args=(b,)) for b in operands]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("form", ["csc", {"dims": ["i", "j"], "levels": [
    {"dim": "j", "storage": "compressed", "extent": "ragged"}, {"dim": "i", "storage": "compressed", "extent": "ragged"}]}])
def test_gradients_that_read_other_formats(form):
    spmm = spc.torch.op(SPMM, A="csr", backward={"A": form})
    a, b = spc.torch.Matrix.of(matrix(5, 4)), random(4, 2).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: spmm(a, x), b)
    assert torch.autograd.gradgradcheck(lambda x: spmm(a, x), b)
    weights = a.values.clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda w, x: spmm(a.with_values(w), x), (weights, b))


def test_conversions_are_kept_until_values_are_written():
    spmm, a = spc.torch.op(SPMM, A="csr", backward={"A": "csc"}), spc.torch.Matrix.of(matrix(5, 4))

    def gradient():
        b = random(4, 2).requires_grad_()
        spmm(a, b).sum().backward()
        return b.grad

    made = []
    from spc.torch import backward
    real = backward.api.kernel
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backward.api, "kernel", lambda *args, **named: made.append(named["formats"]) or real(*args, **named))
        first = gradient()
        assert torch.allclose(gradient(), first)
        assert made == [{"B": "csc"}]
        a.values.mul_(3)
        assert torch.allclose(gradient(), 3 * first)
        a.values = 2 * a.values
        assert torch.allclose(gradient(), 6 * first)
        assert len(made) == 3


def test_formats_of_gradients_that_are_wrong():
    with pytest.raises(spc.ArgumentTypeError, match="no operand 'X': there are A, B"):
        spc.torch.op(SPMM, A="csr", backward={"X": "csc"})
    spmm, a = spc.torch.op(SPMM, A="csr", backward={"A": "cscc"}), spc.torch.Matrix.of(matrix(5, 4))
    with pytest.raises(spc.CompileError, match="cscc"):
        spmm(a, random(4, 2).requires_grad_()).sum().backward()


def test_forks_while_another_thread_calls():
    spmm, a = spc.torch.op(SPMM, A="csr"), spc.torch.Matrix.of(matrix(2000, 1000, density=0.02))
    b, stop = random(1000, 64), []
    expected = spmm(a, b)

    def repeat():
        while not stop:
            spmm(a, b)

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        for _ in range(4):
            child = os.fork()
            if child == 0:
                signal.alarm(20)  # what waits for a lock that nobody holds ends so
                # By NumPy: loops of PyTorch itself wait in a child for threads that only the parent has.
                os._exit(0 if np.array_equal(spmm(a, b).numpy(), expected.numpy()) else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.append(True)
        thread.join()


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_matrices_are_pickled_and_copied(kind):
    a, x = spc.torch.Matrix.of(matrix(8, 6, kind)), random(6)
    spmv = spc.torch.op("y(i) = A(i,j) * x(j)")
    expected = spmv(a, x)
    batch = a.with_values(torch.stack([a.values, 2 * a.values]))
    for again in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
        assert torch.equal(spmv(again, x), expected)
        assert torch.equal(again.to_dense(), a.to_dense())
    for again in (pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)):
        assert torch.equal(spmv(again, x), torch.stack([expected, 2 * expected]))
    copied = copy.deepcopy(a)
    copied.values.mul_(3)
    assert torch.equal(spmv(a, x), expected)


def test_structures_that_were_pickled_are_checked():
    a = spc.torch.Matrix.of(matrix(8, 6))
    again = pickle.loads(pickle.dumps(a))
    again.pattern.arrays["indices", 1][0] = 100
    with pytest.raises(spc.StructureError, match="100 at 0"):
        spc.torch.op("y(i) = A(i,j) * x(j)", A="csr")(again, random(6))


def test_operators_that_were_called_are_pickled_and_copied():
    spmm = spc.torch.op(SPMM, A="csr", copy=True, backward={"A": "csc"})
    a, b = spc.torch.Matrix.of(matrix(8, 6, "coo")), random(6, 3).requires_grad_()
    expected = spmm(a, b)
    again = pickle.loads(pickle.dumps(spmm))
    assert torch.equal(again(a, b), expected)
    again(a, b).sum().backward()
    assert torch.allclose(b.grad, a.to_dense().sum(0)[:, None].expand(6, 3))

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.graph, self.spmm = a, spmm
            self.weights = torch.nn.Parameter(a.values.clone())

        def forward(self, x):
            return self.spmm(self.graph.with_values(self.weights), x)

    layer = Layer()
    layer(b)
    copied = copy.deepcopy(layer)
    assert torch.equal(copied(b), expected)
    assert copied.graph.pattern is a.pattern
    copied(b).sum().backward()
    assert layer.weights.grad is None and copied.weights.grad is not None
