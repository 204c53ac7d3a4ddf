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


@pytest.mark.skipif(not IS_TWO, reason="torch.fx has no words for tensors that forward makes")
def test_constant_indices_may_count_from_the_end():
    for index in (torch.tensor([-1, 0]), torch.tensor([-2])):
        made = compiled(lambda x: x[index] * 2 + x[:2, index].sum(), X)
        for count in (6, 9):
            compare(made, lambda x: x[index] * 2 + x[:2, index].sum(), torch.randn(count, 8))


def test_indices_of_the_module_may_count_from_the_end():
    class Picked(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("index", torch.tensor([-1, 0]))

        def forward(self, x):
            return x[self.index] * 2
    module = Picked()
    compare(spc.torch.compile(module, (X,), options=["-O0"]), module, X)


@pytest.mark.skipif(not IS_TWO, reason="torch.fx refuses these by other words")
@pytest.mark.parametrize("function, name", [(lambda x, y: x[y], "select"), (lambda x, y: x * y.item(), "mul")])
def test_numbers_that_tensors_hold_are_refused_by_the_operation(function, name):
    with pytest.raises(spc.CompileError, match=rf"(?s){name}.*depends on a number that a tensor holds"):
        compiled(function, X, torch.tensor(2))


def test_results_may_read_no_operand():
    made = compiled(lambda x: torch.full_like(x, 2.0), X)
    for shape in ((6, 8), (3, 5)):
        compare(made, lambda x: torch.full_like(x, 2.0), torch.randn(shape))


def test_arguments_may_be_named():
    made = compiled(lambda x, y: x - y, X, X * 2)
    assert torch.equal(made(y=X, x=X * 3), X * 3 - X) and torch.equal(made(X, y=X * 2), X - X * 2)
    for named in ({"z": X}, {"x": X}, {}):
        with pytest.raises(spc.ArgumentTypeError, match="argument"):
            made(X, **named)


def test_indices_of_calls_from_the_end_are_refused():
    made = compiled(lambda x, i: x[i] * 2, X, torch.tensor([1, 0]))
    with pytest.raises(spc.StructureError, match="count from the start"):
        made(X, torch.tensor([-1, 0]))
    with pytest.raises(spc.StructureError) as caught:
        made(X, torch.tensor([6, 0]))
    assert "count from" not in str(caught.value)
