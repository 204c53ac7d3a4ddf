#!/usr/bin/env python3
"""A graph attention network that is trained twice: with one kernel of spc for a layer's attention, and with dense matrices.

    python3 gat.py [A.mtx X.mtx labels.txt] [--epochs N]

takes what gcn.py takes. The kernel has no temporary that is wider than the graph; its gradient is another kernel, which
`spc grad` writes.
"""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import scipy.sparse as sp
import torch
from gcn import chosen_graph, compare

import spc.torch

# Scores where the graph has edges, a leaky relu, softmax by row, and the sum of the neighbours by that.
ATTENTION = """
kernel attention(S, s, t, H) -> O
let L(i,j) = pattern(S(i,j)) * max(s(i) + t(j), 0.2 * (s(i) + t(j)))
let m(i) = max(j, select(pattern(S(i,j)), L(i,j), -inf))
let P(i,j) = pattern(S(i,j)) * exp(L(i,j) - m(i))
let z(i) = P(i,j)
O(i,f) = P(i,j) / z(i) * H(j,f)
"""


def dense_attention(graph):
    """The same of a dense matrix."""
    outside = torch.zeros_like(graph).masked_fill(graph == 0, -torch.inf)

    def attend(own, other, values):
        scores = torch.nn.functional.leaky_relu(own[:, None] + other[None, :], 0.2)
        return torch.softmax(scores + outside, 1) @ values

    return attend


class Layer(torch.nn.Module):
    """One head of attention."""

    def __init__(self, attend, features, outputs):
        super().__init__()
        self.attend = attend
        self.project = torch.nn.Linear(features, outputs, bias=False)
        self.own, self.other = torch.nn.Linear(outputs, 1), torch.nn.Linear(outputs, 1, bias=False)

    def forward(self, nodes):
        """Of each node, its neighbours' projections by attention."""
        values = self.project(nodes)
        return self.attend(self.own(values)[:, 0], self.other(values)[:, 0], values)


class Network(torch.nn.Module):
    """Two layers."""

    def __init__(self, attend, features, classes, hidden=16):
        super().__init__()
        self.first, self.second = Layer(attend, features, hidden), Layer(attend, hidden, classes)

    def forward(self, nodes):
        """The classes' scores of each node."""
        return self.second(torch.nn.functional.elu(self.first(nodes)))


def with_loops(graph):
    """The graph in both directions, each node among its neighbours."""
    both = sp.csr_array(graph + graph.T + sp.eye(graph.shape[0]))
    both.sum_duplicates()
    both.data = np.ones(both.nnz, np.float32)
    return both


def main():
    """Trains with each attention, and prints what comes of it."""
    graph, nodes, labels, epochs = chosen_graph(__doc__)
    graph = with_loops(graph)
    kernel, matrix = spc.torch.op(ATTENTION, S="csr"), spc.torch.Matrix.of(graph)
    dense = dense_attention(torch.from_numpy(graph.toarray()))
    compare([("spc", lambda *sizes: Network(lambda s, t, h: kernel(S=matrix, s=s, t=t, H=h), *sizes)),
             ("dense", lambda *sizes: Network(dense, *sizes))], nodes, labels, epochs)


if __name__ == "__main__":
    main()
