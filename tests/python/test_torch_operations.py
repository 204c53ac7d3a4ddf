"""Operations that models of PyTorch have beside layers: shapes, gathers and scatters, attention, convolutions; as kernels."""
# SPDX-License-Identifier: Apache-2.0

import pytest
from support import grouped

import spc

torch = pytest.importorskip("torch")
import spc.torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

IS_TWO = hasattr(torch, "export")
torch.manual_seed(7)
X, Y, CUBE, V = torch.randn(6, 8), torch.randn(6, 8), torch.randn(2, 6, 8), torch.randn(8)
INDEX, PLACES = torch.tensor([4, 0, 5, 0]), torch.tensor([[1, 0], [7, 2], [3, 3], [0, 1], [5, 5], [2, 6]])
ONE = torch.tensor([3])
IMAGE, WEIGHT, LINE = torch.randn(2, 3, 7, 6), torch.randn(4, 3, 3, 2), torch.randn(2, 3, 9)
#: Each compared with PyTorch in the example's sizes.
OPERATIONS = {
    "heads": (lambda x: x.view(x.shape[0], 2, 4).transpose(0, 1) * 2, X), "merged": (lambda x: x.reshape(-1, 8) + 1, CUBE),
    "both": (lambda x: x.reshape(3, 2, -1) + 1, X), "left out": (lambda x: x.view(1, 6, 1, 8) * 2, X), "flat": (lambda x: x.flatten() * 2, CUBE),
    "flat in part": (lambda x: x.flatten(1) * 2, CUBE), "merged and split": (lambda x: x.reshape(4, 12) + 1, X), "as it is": (lambda x: x.view(6, 8), X),
    "expanded": (lambda v: v.expand(3, 8).sum(0), V), "expanded too": (lambda x, v: v.unsqueeze(0).expand(6, 8) * x, X, V),
    "number of elements": (lambda x: x.sum(0) / x.shape[0], X), "select": (lambda x: x[:, 2] + x[1, -1], X), "slice": (lambda x: x[1:4, ::2] * 2, X),
    "from the end": (lambda x: x[..., -3:] * 2, X), "halves": (lambda x: x[:, :4] * x[:, 4:], X), "cat": (lambda x, y: torch.cat([x, y, x], 1), X, Y),
    "cat of rows": (lambda x, y: torch.cat((x, y)), X, Y), "stack": (lambda x, y: torch.stack([x, y], -1), X, Y), "chunk": (lambda x: x.chunk(2, 1)[1] * 2, X),
    "split": (lambda x: x.split([3, 5], 1)[1] * 2, X), "ones": (lambda x: x @ x.new_ones(x.shape[1], 1), X), "filled": (lambda x: x.new_full((8,), 2.5) + x, X),
    "masked": (lambda x, y: x.masked_fill(y > 0, -1.0), X, Y), "variance": (lambda x: x.var(1), X), "biased": (lambda x: x.var((0, 1), unbiased=False), X),
    "deviation": (lambda x: x.std(0, keepdim=True) * x, X), "extreme": (lambda x: x.max(1)[0], X), "where it is": (lambda x: x.max(1)[1] + x.argmin(1), X),
    "conversion": (lambda x: (x > 0.5).float() * x, X), "logic": (lambda x, y: torch.where(torch.logical_and(x > 0, torch.logical_not(y > 0)), x, y), X, Y),
    "index_add": (lambda x, y, i: x.index_add(0, i, y[:4]), X, Y, INDEX), "scatter_add": (lambda x, i, y: x.scatter_add(1, i, y[:, :2]), X, PLACES, Y),
    "gather": (lambda x, i: x.gather(1, i) * 2, X, PLACES), "two indices": (lambda x, i: x[i, i] * 2, X, INDEX), "in the middle": (lambda x, i: x[:, i].sum(1), CUBE, INDEX),
    "topk": (lambda x: torch.topk(x, 3, dim=1)[0] * 2, X), "places": (lambda x: x.gather(1, x.topk(2, 1)[1]), X),
    "scattered": (lambda x: torch.zeros_like(x).scatter(1, x.topk(2, 1)[1], x.topk(2, 1)[0].softmax(1)), X),
    "einsum": (lambda x, y: torch.einsum("bij,kj->bik", x, y), CUBE, X),
    "implicit": (lambda x, y: torch.einsum("ij,kj", x, y), X, Y), "conv2d": (lambda x, w: F.conv2d(x, w, padding=1), IMAGE, WEIGHT),
    "conv1d": (lambda x, w: F.conv1d(x, w[:, :, 0], torch.ones(4), dilation=2), LINE, WEIGHT), "relu6": (F.relu6, X), "hardswish": (F.hardswish, X),
    "turned": (lambda x: x.T @ x, X), "turned matrices": (lambda x: x.mT @ x, CUBE), "counted": (lambda x: (x > 0).sum(1) * 2, X),
    "elu": (lambda x: F.elu(x, 0.7) + F.selu(x), X) if IS_TWO else (lambda x: F.elu(x, 0.7), X), "as another": (lambda x, i: x + i.to(x), V, torch.arange(8)),
    "bools and numbers": (lambda x: ((x > 0) + 1) * x + (x > 1) * 2.5, X), "integers and fractions": (lambda i: i * 2.0 + i / 4 + (i + 1) / (i + 2), INDEX),
    "squares of what is passed on": (lambda x: (y := F.dropout(x + 1, 0.5, False)) * y + y, X),
    "experts": (lambda x, w, i: torch.einsum("tf,tkfo->tko", x, w[i]), X, torch.randn(8, 8, 2), PLACES),
    "outer": (lambda x, v: x[:, 0].unsqueeze(1) @ v.unsqueeze(0), X, V), "one row": (lambda x, i: x[i[:1]] * 2, X, INDEX),
    "one column": (lambda x, i: torch.index_select(x, 1, i), X, ONE), "one element": (lambda x, i: x[i, i], X, ONE),
    "one of each": (lambda x, i: x.gather(1, i), X, PLACES[:, :1]), "the greatest": (lambda x: x.gather(1, x.topk(1, 1)[1]), X),
    "a number scattered": (lambda x, i: x.scatter(1, i, 3.5), X, PLACES),
}


def same(made, wanted):
    torch.testing.assert_close(made, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("group", list(grouped(OPERATIONS, 7)), ids=lambda group: group[0][0])
def test_operations(group):
    names, forward, operands = group
    made = spc.torch.compile(of(forward), tuple(operands), options=["-O0"])
    for name, one, other in zip(names, made(*operands), forward(None, *operands)):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5, msg=lambda said, name=name: f"{name}: {said}")
    assert made.front == ("torch.export" if IS_TWO else "torch.fx")


@pytest.mark.parametrize("name", ["heads", "merged", "merged and split", "halves", "cat", "stack", "index_add", "gather", "experts", "conv2d", "variance",
                                  "outer", "one of each", "a number scattered"])
def test_gradients(name):
    function, *operands = OPERATIONS[name]
    forward = [lambda self, x: function(x), lambda self, x, y: function(x, y), lambda self, x, y, z: function(x, y, z)][len(operands) - 1]
    given = [[one.clone().requires_grad_(one.is_floating_point()) for one in operands] for _ in range(2)]
    made = spc.torch.compile(of(forward), tuple(operands), options=["-O0"])
    made(*given[0]).square().sum().backward()
    function(*given[1]).square().sum().backward()
    for one, other in zip(*given):
        if one.is_floating_point():
            torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-5)


def of(forward):
    return type("Of", (nn.Module,), {"forward": forward})()


@pytest.mark.parametrize("forward, fixed", [
    (lambda self, x: x.sum(0) / x.shape[0] ** 0.5, 0), (lambda self, x: x.view(-1, 4, 2) * 2, None), (lambda self, x: x[::2] * 2, 0)])
def test_sizes_that_are_needed_as_numbers_are_kept(forward, fixed):
    made = spc.torch.compile(of(forward), (X,), options=["-O0"])
    same(made(X), forward(None, X))
    larger = torch.randn(9, 8)
    if fixed is None:
        same(made(larger), forward(None, larger))
    else:
        with pytest.raises(spc.ArgumentError, match="dimension 0 has 9 elements, and the kernel says 6"):
            made(larger)


def test_sizes_may_differ_where_nothing_needs_them():
    def forward(self, x, y):
        b, t, f = x.shape[0], x.shape[1], x.shape[2]
        scores = (x.reshape(b * t, f) @ y).reshape(b, t, -1) / t
        return torch.cat([scores, scores.mean(1, keepdim=True).expand(b, t, y.shape[1])], 2).flatten(0, 1), x[:, 1:] - x[:, :-1]
    made = spc.torch.compile(of(forward), (CUBE, torch.randn(8, 3)), options=["-O0"])
    for shape, count in ((tuple(CUBE.shape), 3), ((3, 5, 7), 2), ((4, 1, 2), 6)):
        x, y = torch.randn(shape), torch.randn(shape[2], count)
        for one, other in zip(made(x, y), forward(None, x, y)):
            same(one, other)


@pytest.mark.skipif(not IS_TWO, reason="PyTorch 1.13 has whole corrections alone")
def test_fractions_as_corrections_are_refused():
    with pytest.raises(spc.CompileError, match="correction=0.5"):
        spc.torch.compile(of(lambda self, x: x.var(0, correction=0.5)), (X,))


def test_examples_may_be_views_of_one_another():
    def forward(self, x, i, j):
        return x.gather(1, i) + x.scatter(1, j, 3.5)
    same(spc.torch.compile(of(forward), (X, PLACES[:, :1], PLACES), options=["-O0"])(X, PLACES[:, :1], PLACES), forward(None, X, PLACES[:, :1], PLACES))


def test_sizes_are_fixed_on_demand():
    made = spc.torch.compile(of(lambda self, x: x * 2), (X,), dynamic=False, options=["-O0"])
    with pytest.raises(spc.ArgumentError, match="dimension 0 has 5 elements, and the kernel says 6"):
        made(X[:5])


def test_buffers_may_be_read_twice():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("scale", torch.rand(8))

        def forward(self, x):
            return (x * self.scale + self.scale).sum(1) * self.scale[0]
    model = Twice()
    same(spc.torch.compile(model, (X,), options=["-O0"])(X), model(X))


def test_softmax_of_sparse_tensors_is_of_their_entries():
    a, b = X * (X > 0.3), Y * (Y > -0.3)
    stored = a.to_sparse(), b.to_sparse()

    def softmax(x, is_entry):
        return torch.softmax(torch.where(is_entry, x, torch.tensor(-torch.inf)), 1).nan_to_num()

    def forward(self, x, y):
        return torch.sparse.softmax(x * y, 1) @ y.t(), torch.sparse.softmax(torch.relu(-x), 1) @ y.t()
    made = spc.torch.compile(of(forward), stored, options=["-O0", "-Wno-densify", "-Wno-reorder"])(*stored)
    same(made[0], softmax(a * b, (a != 0) & (b != 0)) @ b.t())
    same(made[1], softmax(torch.relu(-a), a != 0) @ b.t())
    for forward in (lambda self, x, y: torch.sparse.softmax(x + y, 1), lambda self, x, y: torch.sparse.softmax(x @ y.t(), 1),
                    lambda self, x, y: torch.sparse.softmax(torch.cat([x, y]), 1)):
        with pytest.raises(spc.CompileError, match="which entries a sum, a product, .* is not known before"):
            spc.torch.compile(of(forward), stored)


@pytest.mark.parametrize("forward, said", [
    (lambda self, x: x.view(3, 2, -1) * 2, "view of a sparse tensor"),
    (lambda self, x: x[1:] * 2, "slice of a sparse tensor")])
def test_what_cannot_be_said_of_sparse_tensors_is_refused(forward, said):
    with pytest.raises(spc.CompileError, match=said):
        spc.torch.compile(of(forward), (X.to_sparse(),))


MASK = torch.rand(5, 5) < 0.5
MASK[0] = False
MASK[:, 1] = True


@pytest.mark.skipif(not IS_TWO, reason="of PyTorch 2")
@pytest.mark.parametrize("name", ["plain", "causal", "scaled", "bools", "numbers", "sparse bools", "sparse numbers"])
def test_attention(name):
    q, k, v = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 5, 4), torch.randn(2, 3, 5, 6)
    mask = MASK if name.endswith("bools") else torch.randn(5, 5) * MASK
    options = {"causal": {"is_causal": True}, "scaled": {"scale": 0.3}}.get(name, {})
    plain = lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, **options)
    masked = lambda self, q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m)
    if name in ("plain", "causal", "scaled"):
        same(spc.torch.compile(of(plain), (q, k, v), options=["-O0"])(q, k, v), plain(None, q, k, v))
    elif not name.startswith("sparse"):
        same(spc.torch.compile(of(masked), (q, k, v, mask), options=["-O0"])(q, k, v, mask), masked(None, q, k, v, mask))
    else:
        stored = mask.to_sparse_csr()
        wanted = masked(None, q, k, v, mask if name == "sparse bools" else torch.where(MASK, mask, -torch.inf))
        same(spc.torch.compile(of(masked), (q, k, v, stored), options=["-O0"])(q, k, v, stored), wanted.nan_to_num())
        same(spc.torch.compile(of(masked), (q, k, v, mask), formats={"m": "csr"}, options=["-O0"])(q, k, v, mask), wanted.nan_to_num())


@pytest.mark.skipif(not IS_TWO, reason="of PyTorch 2")
def test_programs_in_core_operations_of_aten():
    """What decompositions make of layers: native_layer_norm, addmm of views, _softmax, bmm of expanded tensors."""
    class Layers(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.up, self.dropout, self.batch = nn.LayerNorm(8), nn.Linear(8, 12), nn.Dropout(), nn.BatchNorm1d(12)

        def forward(self, x, y):
            b, t, _ = x.shape
            z = self.dropout(self.up(self.norm(x))).view(b, t, 2, 6).transpose(1, 2)
            z = F.scaled_dot_product_attention(z, z, z).transpose(1, 2).reshape(b, t, 12)
            return self.batch(z.flatten(0, 1)).softmax(-1), torch.einsum("btf,ksf->bts", z, y.detach()) / t, torch.logsumexp(z, 2)
    model, auto = Layers().eval(), torch.export.Dim.AUTO
    operands = CUBE, torch.randn(1, 3, 12)
    program = torch.export.export(model, operands, dynamic_shapes=({0: auto, 1: auto}, {1: auto})).run_decompositions()
    from spc.torch import exported, objects
    reader, _ = objects._read(program, None, {}, True)
    text = "\n".join(reader.program.lines("model", reader.order))
    for others in (operands, (torch.randn(3, 4, 8), torch.randn(1, 5, 12))):
        values = {**dict(zip(reader.inputs, others)), **{name: program.state_dict[path] for path, name in reader.parameters.items()
                                                         if path in program.state_dict}}
        op = spc.torch.op(text, options=["-O0", "-Wno-precision", "-Wno-broadcast"])
        for one, other in zip(op(**{name: values[name] for name in op.inputs}), model(*others)):
            same(one, other)
    assert exported.is_there()
