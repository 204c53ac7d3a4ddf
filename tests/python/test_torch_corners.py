"""Models of PyTorch at what is rarely met: no elements, indices from the end, numbers of tensors, bases below 0."""
# SPDX-License-Identifier: Apache-2.0

import pytest

import spc

torch = pytest.importorskip("torch")
import spc.torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

IS_TWO = hasattr(torch, "export")
X = torch.randn(6, 8, generator=torch.Generator().manual_seed(7))


def of(function, count=1):
    forwards = [lambda self, x: function(x), lambda self, x, y: function(x, y)]
    return type("Of", (nn.Module,), {"forward": forwards[count - 1]})()


def compiled(function, *examples):
    return spc.torch.compile(of(function, len(examples)), examples, options=["-O0"])


def compare(made, function, *operands):
    """Compares results and gradients with those of PyTorch."""
    given = [[one.detach().clone().requires_grad_(one.is_floating_point()) for one in operands] for _ in range(2)]
    results = made(*given[0]), function(*given[1])
    for one, other in zip(*(result if isinstance(result, tuple) else (result,) for result in results)):
        torch.testing.assert_close(one, other, equal_nan=True)
    sums = [sum(one.sum() for one in (result if isinstance(result, tuple) else (result,))) for result in results]
    if sums[1].requires_grad:
        for one in sums:
            one.backward()
    for one, other in zip(*given):
        assert (one.grad is None) == (other.grad is None)
        if one.grad is not None:
            torch.testing.assert_close(one.grad, other.grad, equal_nan=True)


@pytest.mark.filterwarnings("ignore:var")
@pytest.mark.filterwarnings("ignore:std")
@pytest.mark.filterwarnings("ignore:Degrees of freedom")
def test_statistics_of_no_elements_are_nan():
    loss = F.mse_loss if IS_TWO else lambda x, y: (x - y).square().mean()  # torch.fx has no words for it

    def function(x):
        return x.mean(0), x.mean(), x.var(0), x.std(0), torch.var_mean(x, 0)[1], loss(x, x * 2), x.mean(1, keepdim=True) * 2
    made = compiled(function, X)
    for shape in ((0, 5), (4, 0), (0, 0), (3, 5)):
        compare(made, function, torch.randn(shape))
    compare(compiled(lambda x: x[:, 3:3].mean(1) + x[:, :0].mean(), X), lambda x: x[:, 3:3].mean(1) + x[:, :0].mean(), X)


def test_means_of_known_sizes_are_not_divided():
    text = spc.torch.compile(of(lambda x: x.mean(0)), (X,), dynamic=False, options=["-O0"]).text
    assert text.splitlines()[-1] == "out(i) = mean(j, x(j, i))"
