"""PyTorch's own products of sparse tensors on kernels, beside PyTorch's own code and dense tensors."""
# SPDX-License-Identifier: Apache-2.0

import subprocess
import sys
import threading

import pytest

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
import spc.torch

LAYOUTS = ("csr", "csc", "bsr", "bsc", "coo")
#: What this PyTorch has only for one of the layouts: a list of coordinates that is multiplied from the left.
FROM_THE_LEFT = hasattr(torch.library, "get_kernel") if hasattr(torch, "library") else False

pytestmark = pytest.mark.filterwarnings("ignore:(?s).*Sparse (CSR|CSC|BSR|BSC) tensor support is in beta.*:UserWarning")


@pytest.fixture(autouse=True)
def from_the_first_entry(monkeypatch):
    for operation in spc.torch.THRESHOLDS:
        monkeypatch.setitem(spc.torch.THRESHOLDS, operation, 0)


@pytest.fixture
def computed(monkeypatch):
    """A list of the texts of kernels that are run."""
    from spc.torch import aten
    texts, run = [], aten.run
    monkeypatch.setattr(aten, "run", lambda text, *others: texts.append(text) or run(text, *others))
    return texts


def entries(rows, columns, dtype=torch.float64, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(rows, columns, generator=generator, dtype=dtype) * \
        (torch.rand(rows, columns, generator=generator) < 0.5)


def dense(*shape, dtype=torch.float64, seed=1):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def stored(matrix, layout):
    """The tensor in a layout, with blocks of 2 x 2."""
    if layout == "coo":
        return matrix.to_sparse()
    return getattr(matrix, f"to_sparse_{layout}")(*([(2, 2)] if layout[0] == "b" else []))


def products(dtype=torch.float64):
    """Functions of a matrix with 6 rows and 4 columns, by name."""
    B, X, x, C = dense(4, 3, dtype=dtype), dense(3, 6, dtype=dtype), dense(4, dtype=dtype), dense(6, 3, dtype=dtype)
    return {
        "mm": lambda A: torch.mm(A, B), "@": lambda A: A @ B, "by columns": lambda A: A @ dense(3, 4, dtype=dtype).t(),
        "with strides": lambda A: A @ dense(4, 6, dtype=dtype)[:, ::2], "mv": lambda A: torch.mv(A, x), "@ x": lambda A: A @ x,
        "from the left": lambda A: X @ A, "from the left, by columns": lambda A: C.t() @ A,
        "addmm": lambda A: torch.addmm(C, A, B, beta=0.5, alpha=2), "addmm of a row": lambda A: torch.addmm(C[0], A, B),
        "addmm of a column": lambda A: torch.addmm(C[:, :1], A, B), "addmm without": lambda A: torch.addmm(C, A, B, beta=0, alpha=3),
        "addmm from the left": lambda A: torch.addmm(X[0, :4], X, A, beta=2), "torch.sparse.mm": lambda A: torch.sparse.mm(A, B),
        "torch.sparse.addmm": lambda A: torch.sparse.addmm(C, A, B), "transposed": lambda A: A.t() @ C,
        "linear": lambda A: torch.nn.functional.linear(dense(2, 5, 4, dtype=dtype), A, dense(6, dtype=dtype)),
    }


def outcome(function, *operands):
    try:
        return function(*operands)
    except Exception as error:  # which PyTorch decides
        return error


@pytest.mark.parametrize("layout, dtype", [*[(layout, torch.float64) for layout in LAYOUTS], ("csr", torch.float32)])
def test_products(layout, dtype, computed):
    matrix = entries(6, 4, dtype)
    A = stored(matrix, layout)
    for name, function in products(dtype).items():
        own, expected = outcome(function, A), function(matrix)
        computed.clear()
        with spc.torch.accelerate():
            found = outcome(function, A)
        if isinstance(found, Exception) and layout == "coo":  # what kernels do not compute either
            assert str(found) == str(own), name
            continue
        assert torch.allclose(found, expected) and found.dtype is dtype, name
        if not isinstance(own, Exception):
            assert found.stride() == own.stride(), name
        assert computed or layout == "coo" and not FROM_THE_LEFT, name


def test_sampled_products(computed):
    matrix, P, Q = entries(6, 4), dense(6, 3), dense(3, 4, seed=2)
    A = stored(matrix, "csr")
    for given in (Q, dense(4, 3, seed=3).t()):
        for beta, alpha in ((1, 1), (0.5, 2), (0, 1)):
            expected = beta * matrix + alpha * (P @ given) * (matrix != 0)
            with spc.torch.accelerate():
                found = torch.sparse.sampled_addmm(A, P, given, beta=beta, alpha=alpha)
            assert found.layout is torch.sparse_csr and torch.allclose(found.to_dense(), expected)
            assert found.col_indices().data_ptr() != A.col_indices().data_ptr()
    assert len(computed) == 6


@pytest.mark.parametrize("index", [torch.int32, torch.int64])
def test_types_of_indices(index, computed):
    matrix = entries(6, 4)
    A = stored(matrix, "csr")
    A = torch.sparse_csr_tensor(A.crow_indices().to(index), A.col_indices().to(index), A.values(), A.shape)
    with spc.torch.accelerate():
        assert torch.allclose(A @ dense(4, 3), matrix @ dense(4, 3))
    assert computed


def test_what_pytorch_computes_itself(computed):
    A, B = stored(entries(6, 4), "csr"), dense(4, 3)
    half, whole = stored(entries(6, 4).bfloat16(), "csr"), torch.eye(4)
    calls = (lambda: A @ B.float(), lambda: A @ B.t(), lambda: half @ B.bfloat16(), lambda: whole @ whole, lambda: A @ stored(entries(4, 4), "csr"),
             lambda: stored(torch.zeros(3, 4, dtype=torch.float64), "csr") @ B, lambda: torch.addmm(torch.ones(2, 2), A, B))
    for call in calls:
        own = outcome(call)
        with spc.torch.accelerate():
            found = outcome(call)
        assert type(found) is type(own)
        assert str(found) == str(own)
    assert not computed


def test_thresholds(computed, monkeypatch):
    A, B = stored(entries(6, 4), "csr"), dense(4, 3)
    work = A.values().numel() * 3
    with spc.torch.accelerate():
        monkeypatch.setitem(spc.torch.THRESHOLDS, "csr @ X", work + 1)
        A @ B
        assert not computed
        monkeypatch.setitem(spc.torch.THRESHOLDS, "csr @ X", work)
        A @ B
    assert len(computed) == 1


def test_what_pytorch_lacks_is_computed_whatever_its_size(computed, monkeypatch):
    from spc.torch import acceleration
    monkeypatch.setattr(acceleration, "_lacking", set())
    monkeypatch.setitem(spc.torch.THRESHOLDS, "bsc @ X", 10**9)
    matrix = entries(6, 4)
    for _ in range(2):
        with spc.torch.accelerate():
            assert torch.allclose(stored(matrix, "bsc") @ dense(4, 3), matrix @ dense(4, 3))
    assert len(computed) == 2 and acceleration._lacking == {"bsc @ X"}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients_stay_sparse(layout):
    matrix, B = entries(6, 4), dense(4, 3)
    has_entry = torch.ones(6, 4, dtype=torch.bool) if layout[0] == "b" else matrix != 0
    functions = {"mm": lambda a, b: torch.mm(a, b), "@": lambda a, b: a @ b, "mv": lambda a, b: torch.mv(a, b[:, 0]), "@ x": lambda a, b: a @ b[:, 1],
                 "addmm": lambda a, b: torch.addmm(b[:1], a, b, beta=0.5, alpha=2)}
    if layout != "coo" or FROM_THE_LEFT:
        functions.update({"from the left": lambda a, b: b.t() @ a.t(),
                          "linear": lambda a, b: torch.nn.functional.linear(b.t(), a, torch.ones(6, dtype=a.dtype))})
    for name, function in functions.items():
        results = []
        for on in (False, True):
            a, b = (stored(matrix, layout) if on else matrix.clone()).requires_grad_(), B.clone().requires_grad_()
            with spc.torch.accelerate():
                made = function(a, b)
                (made * torch.arange(1.0, made.numel() + 1, dtype=a.dtype).reshape(made.shape)).sum().backward()
            results.append((a.grad, b.grad))
        (expected, by_factor), (found, other) = results
        assert found.layout is (torch.sparse_csr if layout == "csr" else torch.sparse_coo), name
        assert torch.allclose(found.to_dense(), expected * has_entry) and torch.allclose(other, by_factor), name


def test_torch_sparse_mm():
    matrix = entries(6, 4)
    for layout in ("csr", "bsr"):
        a = stored(matrix, layout).requires_grad_()
        with spc.torch.accelerate():
            torch.sparse.mm(a, dense(4, 3)).sum().backward()
        assert a.grad.layout is not torch.strided


def test_gradients_as_pytorch_has_them(computed):
    a, b = stored(entries(6, 4), "csr").requires_grad_(), dense(4, 3).requires_grad_()
    with spc.torch.accelerate(sparse_gradients=False):
        torch.mm(a, b).sum().backward()
    assert a.grad.layout is torch.strided and len(computed) == 2
    a.grad = None
    with spc.torch.accelerate(sparse_gradients=False):
        torch.sparse.mm(a, b).sum().backward()
    assert a.grad.layout is torch.sparse_csr and torch.allclose(a.grad.to_dense(), (entries(6, 4) != 0) * b.detach().sum(1))


def test_gradients_of_coordinates_that_repeat_or_lie_apart():
    places = torch.tensor([[0, 1], [0, 1], [1, 0], [5, 2]]).t()
    assert not places.is_contiguous()
    B = dense(4, 3)
    for function in (lambda a: a @ B, lambda a: torch.mv(a, B[:, 0]), lambda a: torch.addmm(B[:1], a, B)):
        values = dense(4).requires_grad_()
        with spc.torch.accelerate():
            function(torch.sparse_coo_tensor(places, values, (6, 4))).sum().backward()
        matrix = torch.sparse_coo_tensor(places, values.detach(), (6, 4)).to_dense().requires_grad_()
        function(matrix).sum().backward()
        assert torch.allclose(values.grad, matrix.grad[places[0], places[1]])


def test_operands_by_their_names():
    A, B = stored(entries(6, 4), "csr").requires_grad_(), dense(4, 3)
    for function in (lambda: torch.mm(input=A, mat2=B), lambda: torch.mv(A, vec=B[:, 0]), lambda: A.matmul(other=B),
                     lambda: torch.addmm(mat2=B, mat1=A, input=B[:1]), lambda: torch.nn.functional.linear(input=B.t(), weight=A)):
        A.grad = None
        with spc.torch.accelerate():
            function().sum().backward()
        assert A.grad.layout is torch.sparse_csr


def test_factors_of_addmm():
    A, B, C = stored(entries(6, 4), "csr").requires_grad_(), dense(4, 3), torch.full((6, 3), float("nan"), dtype=torch.float64)
    C.requires_grad_()
    with spc.torch.accelerate():
        made = torch.addmm(C, A, B, beta=0)
        made.sum().backward()
        with pytest.raises((RuntimeError, TypeError)):
            torch.addmm(B[:1], A, B, alpha=2j)
        with pytest.raises((RuntimeError, TypeError)):
            torch.addmm(B[:1], A, B, alpha=torch.ones(3))
    assert torch.allclose(made, A.detach() @ B) and torch.equal(C.grad, torch.zeros(6, 3, dtype=torch.float64))


def test_linear_without_elements():
    weight = torch.zeros(3, 0, dtype=torch.float64).to_sparse_csr().requires_grad_()
    with spc.torch.accelerate():
        assert torch.nn.functional.linear(torch.zeros(0, 0, dtype=torch.float64), weight).shape == (0, 3)


def test_gradients_of_gradients():
    matrix, b, weights = entries(6, 4), dense(4, 3).requires_grad_(), dense(6, 3, seed=4).requires_grad_()
    a = stored(matrix, "csr").requires_grad_()
    with spc.torch.accelerate():
        by_matrix, by_factor = torch.autograd.grad((torch.mm(a, b) * weights).sum(), (a, b), create_graph=True)
        found = torch.autograd.grad((by_factor**2).sum(), (weights,), retain_graph=True)
    reference = matrix.clone().requires_grad_()
    expected = torch.autograd.grad((reference @ b * weights).sum(), (b,), create_graph=True)[0]
    assert torch.allclose(found[0], torch.autograd.grad((expected**2).sum(), (weights,))[0])
    with spc.torch.accelerate():
        other = torch.autograd.grad(by_matrix, (b, weights), stored(torch.ones(6, 4, dtype=b.dtype) * (matrix != 0), "csr"))
    wanted = torch.autograd.grad(((weights @ b.t()) * (matrix != 0)).sum(), (b, weights))
    assert all(torch.allclose(one, two) for one, two in zip(other, wanted))


def test_calls_nest_and_end(computed):
    A, B, mm = stored(entries(6, 4), "csr"), dense(4, 3), torch.mm
    method = torch.Tensor.__matmul__
    assert not spc.torch.is_accelerated()
    outer = spc.torch.accelerate()
    with spc.torch.accelerate(sparse_gradients=False) as inner:
        assert "on" in repr(inner)
        A @ B
    assert spc.torch.is_accelerated() and "off" in repr(inner)
    inner.stop()  # which has been stopped
    A @ B
    outer.stop()
    assert not spc.torch.is_accelerated() and len(computed) == 2
    assert torch.mm is mm and torch.Tensor.__matmul__ is method and "__matmul__" not in vars(torch.Tensor)
    A @ B
    assert len(computed) == 2


def test_threads():
    matrix = entries(60, 40)
    A, B, wrong = stored(matrix, "csr"), dense(40, 8), []

    def compute():
        for _ in range(50):
            with spc.torch.accelerate():
                b = B.clone().requires_grad_()
                (A @ b).sum().backward()
                if not torch.allclose(b.grad, matrix.sum(0)[:, None].expand(40, 8)):
                    wrong.append(b.grad)

    threads = [threading.Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and not spc.torch.is_accelerated()


def test_nothing_is_printed():
    program = "\n".join(["import warnings, torch", "A, B = torch.eye(4).to_sparse_csr(), torch.rand(4, 2)", "warnings.simplefilter('error')",
                         "import spc.torch", "with spc.torch.accelerate():", "    A @ B"])
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""


def test_training():
    """A model that knows nothing of spc, and learns the values of a sparse matrix: the losses are those of the dense one."""
    graph, features, labels = entries(20, 20, torch.float32), dense(20, 5, dtype=torch.float32), torch.arange(20) % 3
    losses = []
    for is_sparse in (False, True):
        torch.manual_seed(3)
        adjacency = stored(graph, "csr") if is_sparse else graph
        model = torch.nn.Linear(5, 3)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        losses.append([])
        with spc.torch.accelerate():
            for _ in range(5):
                optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(adjacency @ torch.relu(adjacency @ model(features)), labels)
                loss.backward()
                optimizer.step()
                losses[-1].append(loss.item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
