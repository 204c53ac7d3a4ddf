"""Models of PyTorch with sparse operands or weights, and arguments for them. export.py makes objects of them."""
# SPDX-License-Identifier: Apache-2.0

import torch
from torch import nn
from torch.nn import functional as F


class GCN(nn.Module):
    """Three graph convolutions: features of the neighbours and the vertex itself, scaled by degrees."""

    def __init__(self, features, hidden, classes):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(features, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, classes)])

    def forward(self, x, adj):
        scale = torch.rsqrt(torch.mm(adj, x.new_ones(x.shape[0], 1)) + 1)
        for k, layer in enumerate(self.layers):
            y = layer(x) * scale
            y = (torch.mm(adj, y) + y) * scale
            x = torch.relu(y) if k < 2 else y
        return torch.log_softmax(x, 1)


class GIN(nn.Module):
    """Three layers of a graph isomorphism network, with normalisation of batches."""

    def __init__(self, features, hidden, classes):
        super().__init__()
        self.eps = nn.Parameter(torch.tensor([0.1, 0.2, 0.3]))
        sizes = [features, hidden, hidden, classes]
        self.layers = nn.ModuleList([
            nn.Sequential(nn.Linear(one, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, two))
            for one, two in zip(sizes, sizes[1:])])

    def forward(self, x, adj):
        for k, layer in enumerate(self.layers):
            x = layer((self.eps[k] + 1) * x + torch.mm(adj, x))
        return x


class GAT(nn.Module):
    """Graph attention with two heads, side by side."""

    def __init__(self, features, channels):
        super().__init__()
        self.weights = nn.ModuleList([nn.Linear(features, channels, bias=False) for _ in range(2)])
        self.left, self.right = nn.Parameter(torch.rand(2, channels)), nn.Parameter(torch.rand(2, channels))

    def forward(self, x, adj):
        heads = []
        for k, weight in enumerate(self.weights):
            h = weight(x)
            scores = F.leaky_relu((h @ self.left[k]).unsqueeze(1) + (h @ self.right[k]).unsqueeze(0), 0.2)
            heads.append(torch.sparse.softmax(adj * scores, 1) @ h)
        return F.elu(torch.cat(heads, 1))


class Block(nn.Module):
    """The feed-forward block of a transformer, whose weights are pruned."""

    def __init__(self, features, hidden):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(features), nn.Linear(features, hidden), nn.Linear(hidden, features)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Attention(nn.Module):
    """Attention among the pairs of tokens that a mask has entries for."""

    def __init__(self, features, channels):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(features, channels, bias=False) for _ in range(3))

    def forward(self, x, mask):
        scores = self.query(x) @ self.key(x).t() / self.key.out_features ** 0.5
        return torch.sparse.softmax(mask * scores, 1) @ self.value(x)


class Convolution(nn.Module):
    """A sparse convolution: each rule takes the features of one site, by the weights of an offset, to another site."""

    def __init__(self, offsets, channels, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(offsets, channels, outputs) / 3)

    def forward(self, x, source, offset, into):
        y = torch.einsum("rc,rco->ro", x[source], self.weight[offset])
        return torch.relu(x.new_zeros(x.shape[0], self.weight.shape[2]).index_add(0, into, y))


class Experts(nn.Module):
    """A mixture of experts: each token goes to the two that its gate likes best."""

    def __init__(self, experts, features, outputs):
        super().__init__()
        self.gate = nn.Linear(features, experts)
        self.weight = nn.Parameter(torch.randn(experts, features, outputs) / 4)

    def forward(self, x):
        best = torch.topk(self.gate(x), 2, dim=1)  # scores, and which experts these are
        return torch.einsum("tk,tf,tkfo->to", torch.softmax(best[0], 1), x, self.weight[best[1]])


def pruned(model, block=None):
    """A block whose weights keep two of four neighbours, those that are greatest, or every third square of so many."""
    with torch.no_grad():
        for layer in (model.up, model.down):
            weight = layer.weight
            if block is None:
                groups = weight.abs().reshape(-1, 4)
                keep = torch.zeros_like(groups).scatter(1, groups.topk(2, 1)[1], 1.0).reshape(weight.shape)
            else:
                rows, columns = weight.shape[0] // block, weight.shape[1] // block
                keep = (torch.arange(rows * columns) % 3 == 0).float().reshape(rows, columns)
                keep = keep.repeat_interleave(block, 0).repeat_interleave(block, 1)
            weight.mul_(keep)
    return model


def rules(side):
    """Of sites in a square grid, about half of them: which one each rule reads, by which of nine offsets, and where it goes."""
    sites = [(i, j) for i in range(side) for j in range(side) if (7 * i + 3 * j) % 5 < 3]
    place = {site: k for k, site in enumerate(sites)}
    made = [(place[i + p - 1, j + q - 1], 3 * p + q, k) for k, (i, j) in enumerate(sites) for p in range(3) for q in range(3)
            if (i + p - 1, j + q - 1) in place]
    return [torch.tensor(one) for one in zip(*made)], len(sites)


def everything(adj):
    """Each model by its name: the module, its arguments, and formats of dense weights. adj: a graph, sparse."""
    torch.manual_seed(1)
    n = adj.shape[0]
    x = torch.randn(n, 16)
    indices, sites = rules(6)
    two_of_four, blocks = {"up.weight": "nm-2-4", "down.weight": "nm-2-4"}, {"up.weight": "bsr", "down.weight": "bsr"}
    models = {
        "gcn": (GCN(16, 8, 4), (x, adj), {}), "gin": (GIN(16, 8, 4), (x, adj), {}), "gat": (GAT(16, 8), (x, adj), {}),
        "block24": (pruned(Block(16, 32)), (x,), two_of_four), "blocks": (pruned(Block(16, 32), 4), (x,), blocks),
        "attention": (Attention(16, 8), (x, adj), {}), "convolution": (Convolution(9, 4, 6), (torch.randn(sites, 4), *indices), {}),
        "experts": (Experts(6, 16, 8), (x,), {})}
    with torch.no_grad():
        for norm in (layer[1] for layer in models["gin"][0].layers):
            norm.running_mean.uniform_(-0.5, 0.5)
            norm.running_var.uniform_(0.5, 1.5)
    return {name: (model.eval(), *rest) for name, (model, *rest) in models.items()}
