"""Functions, norms, places, paddings and poolings of PyTorch's models as kernels, with gradients at the points where they break."""
# SPDX-License-Identifier: Apache-2.0

import pytest
from support import grouped

import spc

torch = pytest.importorskip("torch")
import spc.torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

IS_TWO = hasattr(torch, "export")
torch.manual_seed(5)
#: Zeros, a row of them, what exponentials overflow of, and bounds of activations.
X = torch.tensor([[-200.0, -20.5, -3.5, -1, -0.5, 0], [0, 0.5, 1, 2.5, 20.5, 200], [0, 0, 0, 0, 0, 0], [90, 7, 0.25, 1e-8, -1e-8, -100]])
Y, SQUARE, CUBE, IMAGE, CLASSES = torch.randn(4, 6), torch.randn(6, 6), torch.randn(2, 4, 6), torch.randn(2, 4, 6, 8), torch.tensor([1, 0, 3, 1])
#: Each compared with PyTorch, and its gradient by the first operand.
FUNCTIONS = {name: (getattr(F, name), X) for name in (
    "mish softplus logsigmoid relu6 hardtanh hardswish hardsigmoid celu selu softsign tanhshrink hardshrink softshrink glu silu gelu").split()}
FUNCTIONS.update({
    "prelu": (lambda x: F.prelu(x, torch.full((6,), 0.1)), X), "threshold": (lambda x: F.threshold(x, 0.4, -2.0), X),
    "logit": (lambda x: torch.logit(torch.sigmoid(x / 50)) + torch.logit(torch.sigmoid(x / 50), 0.2), X), "clamp": (lambda x: x.clamp(-0.7, 2) + x.clamp_min(0.3), X),
    "inverses": (lambda x: torch.acos(torch.tanh(x / 300)) + torch.asinh(x) + torch.log10(x.abs() + 1) + torch.cosh(x / 100), X),
    "angles": (lambda x, y: torch.atan2(x, y * (x != 0) if IS_TWO else y), X, Y), "remainders": (lambda x: torch.remainder(x, 2.7) + x % -1.3 + torch.fmod(x, 3.1), X),
    "quotients": (lambda x: x * torch.div(x, 3.0, rounding_mode="floor") + torch.div(x, 0.1, rounding_mode="trunc") + x, X),
    "of two": (lambda x, y: torch.lerp(x, y, 0.3) + torch.addcmul(x, x, y, value=0.5) + torch.logaddexp(x, y) + torch.xlogy(y.abs(), x.abs() + 1), X, Y),
    "not numbers": (lambda x, i: x * torch.nan_to_num((i - 1) / (i * 0), 1.5, 2.5, -2.5)[:, None] + x * torch.isfinite(1 / (i - 1))[:, None], X, CLASSES),
    "bits": (lambda x: x * ((x > 0) & ~(x > 1) | (x < -1)), X), "numbers": (lambda x: (x + torch.ones(6) * 3) * torch.where(x > 0, 1.0, 0.5), X),
    "deviation": (lambda x: x.std(1) + torch.std_mean(x, 1)[1], X), "root": (lambda x: torch.norm(x, dim=1), X), "norms": (lambda x: x.norm(p=3, dim=1) + x.norm(p=1, dim=1), X),
    "greatest": (lambda x: torch.linalg.vector_norm(x, float("inf"), dim=1) * torch.linalg.vector_norm(x, 0, dim=1), Y), "half": (lambda x: x.norm(p=0.5, dim=1, keepdim=True) / 10, X),
    "matrix": (lambda x: torch.linalg.norm(x) + torch.linalg.norm(x, 1) + torch.linalg.norm(x, "fro"), Y), "unit": (lambda x: F.normalize(x) + F.normalize(x, p=1, dim=0), X),
    "cosine": (lambda x, y: F.cosine_similarity(x, y), X, Y), "distances": (lambda x, y: F.pairwise_distance(x, y), X, Y), "in doubles": (lambda x: x.softmax(1, dtype=torch.float64), Y),
    "groups": (lambda x: F.group_norm(x, 2, torch.arange(4.0) + 1, torch.ones(4)), IMAGE), "instances": (lambda x: F.instance_norm(x, eps=1e-3), IMAGE),
    "of one": (lambda x: x.mean(1, keepdim=True).sum(), Y),
})
PLACES = {
    "range": (lambda x: x * torch.arange(4).unsqueeze(1) + torch.arange(1, 4, 0.5), Y), "at a range": (lambda x: x[torch.arange(0, 4, 2)], Y),
    "triangles": (lambda x: x.tril(-1) + x.triu(2), SQUARE), "causal": (lambda x: torch.where(torch.arange(6)[:, None] >= torch.arange(6), x, -1e9).softmax(1), SQUARE),
    "classes": (lambda x, i: F.one_hot(i, 4).float() @ x, Y, CLASSES), "identity": (lambda x: x @ (torch.eye(6) * 2 - x), SQUARE),
    "where an index is chosen": (lambda x, i: x[torch.where(i > 2, i - 1, 0)], Y, CLASSES), "counted back": (lambda x, i: x[(i - 3) % 4], Y, CLASSES),
    "flipped": (lambda x: x.flip([0, 1]) * x, Y), "rolled": (lambda x: torch.roll(x, (1, -2), (0, 1)), Y), "rolled on": (lambda x: torch.roll(x, 3), Y),
    "repeated": (lambda x: x.repeat(2, 1, 3), Y), "each repeated": (lambda x: x.repeat_interleave(3, 1), Y), "padded": (lambda x: F.pad(x, (1, 2, 0, 3), value=2.0), Y),
    "padded and cut": (lambda x: F.pad(x, (-1, 2)), Y), "windows": (lambda x: x.unfold(1, 3, 2) * 2, Y), "diagonal": (lambda x: torch.diagonal(x, 1) + torch.diagonal(x, -1), SQUARE),
    "not square": (lambda x: x.diagonal() * 2, Y), "trace": (lambda x: torch.trace(x) + torch.diag(x), SQUARE), "scaled rows": (lambda v, y: torch.diag(v[:, 0]) @ y, Y, Y),
    "pooled": (lambda x: F.avg_pool2d(x, 3, 2, 1), IMAGE), "pooled by the greatest": (lambda x: F.max_pool2d(x, (3, 2), 2, 1), IMAGE), "pooled line": (lambda x: F.max_pool1d(x, 2, 1, 0, 2), CUBE),
    "pooled to sizes": (lambda x: F.adaptive_avg_pool2d(x, (3, 2)).sum() + F.adaptive_avg_pool1d(x[0], 1), IMAGE), "rows of one": (lambda x: torch.cat([x, x[:1] * 2]), Y),
}
if IS_TWO:
    PLACES.update({
        "losses": (lambda x, i: F.cross_entropy(x, i) + F.nll_loss(x, i, reduction="none"), Y, CLASSES), "logits": (lambda x, y: F.binary_cross_entropy_with_logits(x, y.abs()), X, Y),
        "losses of numbers": (lambda x, y: F.smooth_l1_loss(x, y) + F.huber_loss(x, y) + F.mse_loss(x, y) + F.l1_loss(x, y), Y, X),
        "extremes": (lambda x: torch.aminmax(x, dim=0)[0] * torch.aminmax(x, dim=0)[1], Y),
        "all distances": (lambda x, y: torch.cdist(x, y), X, Y), "grid": (lambda x: (lambda p, q: p * q)(*torch.meshgrid(x[0], x[:, 1], indexing="ij")), Y)})


@pytest.mark.parametrize("group", list(grouped(FUNCTIONS, 7)) + list(grouped(PLACES, 7)), ids=lambda group: group[0][0])
def test_results_and_gradients(group):
    names, forward, operands = group
    model = type("Of", (nn.Module,), {"forward": forward})()
    made = spc.torch.compile(model, tuple(operands), options=["-O0"])
    given = [[one.clone().requires_grad_(one.is_floating_point()) for one in operands] for _ in range(2)]
    results, wanted = made(*given[0]), forward(None, *given[1])
    for name, one, other in zip(names, results, wanted):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5, msg=lambda said, name=name: f"{name}: {said}")
    places = [k for k, one in enumerate(operands) if one.is_floating_point()]
    gradients = [torch.autograd.grad(sum((torch.linspace(0.5, 1.5, one.numel()).view(one.shape) * one).sum() for one in ones if one.requires_grad),
                                     [leaves[k] for k in places], allow_unused=True) for ones, leaves in ((results, given[0]), (wanted, given[1]))]
    for k, one, other in zip(places, *gradients):
        if other is not None:
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5, msg=lambda said, k=k: f"gradient by operand {k} of {names}: {said}")


def test_sizes_may_differ():
    """Ranges, triangles and paddings are of the sizes of each call."""
    def forward(self, x):
        made = torch.roll(x, 2, 0).flip(0), F.pad(x, (1, 2)).repeat(2, 1), (x @ x.t()).tril().diagonal()
        return made if not IS_TWO else (*made, torch.eye(x.shape[0]) @ x, x * torch.arange(x.shape[0]).unsqueeze(1))  # torch.fx has these of numbers
    made = spc.torch.compile(type("Of", (nn.Module,), {"forward": forward})(), (Y,), options=["-O0"])
    for x in (Y, torch.randn(7, 5)):
        for one, other in zip(made(x), forward(None, x)):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)


def test_one_tensor_may_be_the_example_of_several_arguments():
    made = spc.torch.compile(type("Of", (nn.Module,), {"forward": lambda self, x, y: x * 2 - y})(), (Y, Y), options=["-O0"])
    torch.testing.assert_close(made(Y, Y * 3), Y * 2 - Y * 3)


def test_triangles_of_sparse_matrices_keep_their_entries():
    a = torch.relu(SQUARE)
    made = spc.torch.compile(type("Of", (nn.Module,), {"forward": lambda self, a, x: torch.tril(a, 1) @ x})(), (a.to_sparse_csr(), SQUARE),
                             options=["-O0", "-Wno-densify"])
    torch.testing.assert_close(made(a.to_sparse_csr(), SQUARE), a.tril(1) @ SQUARE, rtol=1e-5, atol=1e-5)
    assert "where(" in made.text


@pytest.mark.parametrize("forward, said", [
    (lambda self, x: x.flip(0), "flip of a sparse tensor"), (lambda self, x: F.pad(x, (1, 1)), "pad of a sparse tensor"),
    (lambda self, x: x.to_dense().norm(p=-2, dim=1), "a norm of order -2"), (lambda self, x: torch.round(x.to_dense(), decimals=2), "round with decimals=2"),
    (lambda self, x: F.avg_pool1d(x.to_dense(), 2, ceil_mode=True), "ceil_mode=True"), (lambda self, x: F.one_hot(x.to_dense().abs().long()), "num_classes")])
def test_what_has_no_words_is_named(forward, said):
    with pytest.raises(spc.CompileError, match=said):
        spc.torch.compile(type("Of", (nn.Module,), {"forward": forward})(), (SQUARE.to_sparse(),))
