#!/usr/bin/env python3
"""A graph convolutional network that is trained twice: with kernels of spc, and with dense matrices.

    python3 gcn.py [A.mtx X.mtx labels.txt] [--epochs N]

A is the graph, X has a row of features for each node, labels.txt a class a line: cora, say. Without files, a graph of
four communities is made, whose nodes prefer some words. Both models start from the same weights; their losses agree.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import re
import time

import numpy as np
import scipy.io
import scipy.sparse as sp
import torch

import spc.torch

# A layer of nodes that have sparse features: these times the weights, and of that the neighbours' sum where it is above 0.
LAYER = """
kernel layer(A, X, W, b) -> C
let P(j,k) = X(j,l) * W(l,k) + b(k)
let Q(i,k) = A(i,j) * P(j,k)
C(i,k) = relu(Q(i,k))
"""
PRODUCT = "C(i,k) = A(i,j) * B(j,k)"


def unread(text, name, matrix):
    """A kernel that does not read a matrix's values where all of them are 1: words that a node uses, say."""
    return re.sub(rf"\b{name}\(\w+,\w+\)(?= \*)", r"pattern(\g<0>)", text) if (matrix.data == 1).all() else text


def made(communities=4, each=100, words=64):
    """A graph in which nodes of one community know each other more often, the words that each uses, and the communities."""
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(communities), each)
    known = rng.random((labels.size, labels.size)) < np.where(labels[:, None] == labels, 0.08, 0.01)
    used = rng.random((labels.size, words)) < np.where(labels[:, None] == np.arange(words) % communities, 0.2, 0.1)
    return sp.csr_array(known.astype(np.float32)), sp.csr_array(used.astype(np.float32)), labels


def read(graph, features, labels):
    """The same of files."""
    return (sp.csr_array(scipy.io.mmread(graph)), sp.csr_array(scipy.io.mmread(features), dtype=np.float32),
            np.loadtxt(labels, dtype=np.int64))


def normalized(graph):
    """D^-1/2 (A + A' + I) D^-1/2, where links have no weights."""
    both = sp.csr_array(graph + graph.T + sp.eye(graph.shape[0]))
    both.sum_duplicates()
    both.data = 1.0 / np.sqrt(np.repeat(np.diff(both.indptr), np.diff(both.indptr)) * np.diff(both.indptr)[both.indices])
    both.data = both.data.astype(np.float32)
    return both


class Weights(torch.nn.Module):
    """The weights and the bias of a layer."""

    def __init__(self, inputs, outputs):
        super().__init__()
        linear = torch.nn.Linear(inputs, outputs)
        self.weight = torch.nn.Parameter(linear.weight.detach().T.contiguous())
        self.bias = torch.nn.Parameter(linear.bias.detach())


class Network(torch.nn.Module):
    """Two layers. first: of weights and bias, which the nodes' features and the graph are multiplied by, with relu. second:
    of hidden values, too, in the place of the features, without relu."""

    def __init__(self, first, second, features, classes, hidden=16):
        super().__init__()
        self.first, self.second = first, second
        self.one, self.other = Weights(features, hidden), Weights(hidden, classes)

    def forward(self):
        """The classes' scores of each node."""
        return self.second(self.first(self.one.weight, self.one.bias), self.other.weight, self.other.bias)


def loss_of(scores, labels):
    """The loss of every other node. The logarithms of softmax are vectors along the nodes, as there are few classes."""
    return torch.nn.functional.cross_entropy(scores[::2].T[None], labels[None, ::2])


def train(model, labels, epochs):
    """Trains a model on every other node. Returns the losses, the accuracy on the rest, and the seconds of an epoch."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    losses, times = [], []
    for _ in range(epochs):
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model(), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        times.append(time.perf_counter() - start)
    with torch.no_grad():
        right = model()[1::2].argmax(1) == labels[1::2]
    return losses, right.float().mean().item(), sorted(times)[epochs // 2]


def compare(networks, nodes, labels, epochs):
    """Trains networks that compute the same, (name, function that makes one) each, and prints what comes of them."""
    losses = []
    for name, make in networks:
        torch.manual_seed(1)
        own, accuracy, seconds = train(make(nodes.shape[1], int(labels.max()) + 1), labels, epochs)
        losses.append(own[:10])
        print(f"{name}: loss {own[0]:.4f} to {own[-1]:.4f}, accuracy {accuracy:.3f}, {seconds * 1e3:.2f} ms an epoch")
    apart = max(abs(one - other) for other_losses in losses[1:] for one, other in zip(losses[0], other_losses))
    print(f"the losses of the first {len(losses[0])} epochs differ by {apart:.1e} at most")


def chosen_graph(description):
    """What the command line says: the graph, the nodes' features, their classes, and the number of epochs."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--epochs", type=int, default=100)
    chosen = parser.parse_args()
    graph, nodes, labels = read(*chosen.files) if chosen.files else made()
    nodes.sort_indices()
    return graph, nodes, torch.from_numpy(labels), chosen.epochs


def with_spc(graph, nodes):
    """Both layers by kernels. Gradients multiply by the transposed matrices, which lie by columns once."""
    layer = spc.torch.op(unread(LAYER, "X", nodes), A="csr", X="csr", backward={"A": "csc", "X": "csc"})
    graph, nodes = spc.torch.Matrix.of(graph), spc.torch.Matrix.of(nodes)
    spmm = spc.torch.op(PRODUCT, A="csr", backward={"A": "csc"})
    return (lambda weight, bias: layer(A=graph, X=nodes, W=weight, b=bias),
            lambda hidden, weight, bias: spmm(A=graph, B=torch.addmm(bias, hidden, weight)))


def with_dense(graph, nodes):
    """The same of dense matrices."""
    graph, nodes = torch.from_numpy(graph.toarray()), torch.from_numpy(nodes.toarray())
    return (lambda weight, bias: torch.relu(graph @ torch.addmm(bias, nodes, weight)),
            lambda hidden, weight, bias: graph @ torch.addmm(bias, hidden, weight))


def main():
    """Trains with each, and prints what comes of it."""
    graph, nodes, labels, epochs = chosen_graph(__doc__)
    graph = normalized(graph)
    compare([(name, lambda *sizes, make=make: Network(*make(graph, nodes), *sizes))
             for name, make in (("spc", with_spc), ("dense", with_dense))], nodes, labels, epochs)


if __name__ == "__main__":
    main()
