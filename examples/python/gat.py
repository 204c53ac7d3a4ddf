#!/usr/bin/env python3
"""A graph attention network that is trained three times: with one kernel of spc for a layer's attention, whose gradient
`spc grad` writes, with a gradient that is written by hand, and with dense matrices.

    python3 gat.py [A.mtx X.mtx labels.txt] [--epochs N]

takes what gcn.py takes. No kernel has a temporary that is wider than the graph.
"""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import scipy.sparse as sp
import torch
from gcn import PRODUCT, chosen_graph, compare, unread

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
# The same, which returns what its gradient needs. The gradient of softmax is a(i,j) * (d_a(i,j) - sum(j, a(i,j) * d_a(i,j))) for
# its values a = P / z, whatever is taken away from the scores before, and the sum is O(i,f) * d_O(i,f).
FORWARD = ATTENTION.replace("-> O", "-> (P, z, O)\ntensor P(i,j): f32, sparse").replace("let P", "P").replace("let z", "z")
BACKWARD = """
kernel attention_back(P, z, s, t, H, O, d_O) -> (d_s, d_t, d_H)
let c(i) = O(i,f) * d_O(i,f)
let d_a(i,j) = pattern(P(i,j)) * d_O(i,f) * H(j,f)
let d_L(i,j) = P(i,j) / z(i) * (d_a(i,j) - c(i)) * select(s(i) + t(j) >= 0, 1, 0.2)
d_s(i) = d_L(i,j)
d_t(j) = d_L(i,j)
d_H(j,f) = P(i,j) / z(i) * d_O(i,f)
"""


def dense_attention(graph):
    """The same of a dense matrix."""
    outside = torch.zeros_like(graph).masked_fill(graph == 0, -torch.inf)

    def attend(own, other, values):
        scores = torch.nn.functional.leaky_relu(own[:, None] + other[None, :], 0.2)
        return torch.softmax(scores + outside, 1) @ values

    return attend


class Head(torch.nn.Module):
    """The weights of one head of attention."""

    def __init__(self, features, outputs):
        super().__init__()
        linear = torch.nn.Linear(features, outputs, bias=False)
        self.weight = torch.nn.Parameter(linear.weight.detach().T.contiguous())
        self.scores = torch.nn.Parameter(torch.nn.Linear(outputs, 2, bias=False).weight.detach().clone())


class Network(torch.nn.Module):
    """Two layers. attend: of two scores of each node and of vectors, which are summed up over the neighbours. project: the
    product of the nodes' features with weights."""

    def __init__(self, attend, project, features, classes, hidden=16):
        super().__init__()
        self.attend, self.project = attend, project
        self.first, self.second = Head(features, hidden), Head(hidden, classes)

    def forward(self):
        """The classes' scores of each node."""
        hidden = torch.nn.functional.elu(self.layer(self.first, self.project(self.first.weight)))
        return self.layer(self.second, hidden @ self.second.weight)

    def layer(self, head, values):
        """Of each node, its neighbours' values by attention."""
        own, other = (head.scores @ values.T).unbind()
        return self.attend(own, other, values)


def with_loops(graph):
    """The graph in both directions, each node among its neighbours."""
    both = sp.csr_array(graph + graph.T + sp.eye(graph.shape[0]))
    both.sum_duplicates()
    both.data = np.ones(both.nnz, np.float32)
    return both


def with_spc(graph, nodes):
    """Attention by its kernel, and the features' product by another."""
    graph, attention = spc.torch.Matrix.of(graph), spc.torch.op(ATTENTION, S="csr")
    return lambda own, other, values: attention(S=graph, s=own, t=other, H=values), features_product(nodes)


def with_own_gradient(graph, nodes):
    """The same, and the gradient of attention by a kernel that reads what the first one has returned."""
    graph, attention, back = spc.torch.Matrix.of(graph), spc.torch.op(FORWARD, S="csr"), spc.torch.op(BACKWARD, P="csr")

    class Attention(torch.autograd.Function):
        """The kernel, and for gradients the other one."""

        @staticmethod
        def forward(ctx, own, other, values):
            weights, sums, result = attention(S=graph, s=own, t=other, H=values)
            ctx.save_for_backward(weights.values, sums, own, other, values, result)
            return result

        @staticmethod
        def backward(ctx, incoming):
            weights, sums, own, other, values, result = ctx.saved_tensors
            return back(P=graph.with_values(weights), z=sums, s=own, t=other, H=values, O=result, d_O=incoming.contiguous())

    return Attention.apply, features_product(nodes)


def features_product(nodes):
    """The product of the nodes' features with weights, whose gradient multiplies by the features as they lie by columns."""
    spmm, nodes = spc.torch.op(unread(PRODUCT, "A", nodes), A="csr", backward={"A": "csc"}), spc.torch.Matrix.of(nodes)
    return lambda weight: spmm(A=nodes, B=weight)


def with_dense(graph, nodes):
    """Both by dense matrices."""
    nodes = torch.from_numpy(nodes.toarray())
    return dense_attention(torch.from_numpy(graph.toarray())), lambda weight: nodes @ weight


def main():
    """Trains with each attention, and prints what comes of it."""
    graph, nodes, labels, epochs = chosen_graph(__doc__)
    graph = with_loops(graph)
    compare([(name, lambda *sizes, make=make: Network(*make(graph, nodes), *sizes))
             for name, make in (("spc", with_spc), ("spc, a gradient by hand", with_own_gradient), ("dense", with_dense))], nodes, labels, epochs)


if __name__ == "__main__":
    main()
