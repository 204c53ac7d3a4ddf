#!/usr/bin/env python3
"""A graph convolutional network that is trained twice: with spc's product of matrices, and with torch's dense one.

    python3 gcn.py [A.mtx X.mtx labels.txt] [--epochs N]

A is the graph, X has a row of features for each node, labels.txt a class a line: cora, say. Without files, a graph of
four communities is made, whose nodes have noisy features. Both models start from the same weights; their losses agree.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import time

import numpy as np
import scipy.io
import scipy.sparse as sp
import torch

import spc.torch


def made(communities=4, each=100, features=16):
    """A graph in which nodes of one community know each other more often, noisy features, and the communities."""
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(communities), each)
    known = rng.random((labels.size, labels.size)) < np.where(labels[:, None] == labels, 0.08, 0.01)
    noisy = rng.normal(size=(labels.size, features)) + 0.7 * np.eye(communities, features)[labels]
    return sp.csr_array(known.astype(np.float32)), noisy, labels


def read(graph, features, labels):
    """The same of files."""
    return (sp.csr_array(scipy.io.mmread(graph)), scipy.io.mmread(features).toarray(), np.loadtxt(labels, dtype=np.int64))


def normalized(graph):
    """D^-1/2 (A + A' + I) D^-1/2, where links have no weights."""
    both = sp.csr_array(graph + graph.T + sp.eye(graph.shape[0]))
    both.sum_duplicates()
    both.data = 1.0 / np.sqrt(np.repeat(np.diff(both.indptr), np.diff(both.indptr)) * np.diff(both.indptr)[both.indices])
    both.data = both.data.astype(np.float32)
    return both


class Network(torch.nn.Module):
    """Two layers; `propagate` multiplies by the normalised graph."""

    def __init__(self, propagate, features, classes, hidden=16):
        super().__init__()
        self.propagate = propagate
        self.first = torch.nn.Linear(features, hidden)
        self.second = torch.nn.Linear(hidden, classes)

    def forward(self, nodes):
        """The classes' scores of each node."""
        return self.propagate(self.second(torch.relu(self.propagate(self.first(nodes)))))


def train(make, nodes, labels, epochs):
    """Trains the model that `make` gives for so many features and classes, on every other node. Returns the losses, the
    accuracy on the rest, and the seconds of an epoch."""
    torch.manual_seed(1)
    model = make(nodes.shape[1], int(labels.max()) + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    losses, times = [], []
    for _ in range(epochs):
        start = time.perf_counter()
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(nodes)[::2], labels[::2])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        times.append(time.perf_counter() - start)
    with torch.no_grad():
        right = model(nodes)[1::2].argmax(1) == labels[1::2]
    return losses, right.float().mean().item(), sorted(times)[epochs // 2]


def compare(networks, nodes, labels, epochs):
    """Trains networks that compute the same, (name, function that makes one) each, and prints what comes of them."""
    losses = []
    for name, make in networks:
        own, accuracy, seconds = train(make, nodes, labels, epochs)
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
    graph, features, labels = read(*chosen.files) if chosen.files else made()
    return graph, torch.from_numpy(np.asarray(features, np.float32)), torch.from_numpy(labels), chosen.epochs


def main():
    """Trains with each product, and prints what comes of it."""
    graph, nodes, labels, epochs = chosen_graph(__doc__)
    graph = normalized(graph)
    spmm = spc.torch.op("C(i,k) = A(i,j) * B(j,k)", A="csr")
    matrix, dense = spc.torch.Matrix.of(graph), torch.from_numpy(graph.toarray())
    compare([("spc", lambda *sizes: Network(lambda h: spmm(A=matrix, B=h), *sizes)),
             ("dense", lambda *sizes: Network(lambda h: dense @ h, *sizes))], nodes, labels, epochs)


if __name__ == "__main__":
    main()
