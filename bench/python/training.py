#!/usr/bin/env python3
"""Epochs of graph networks, trained with spc's kernels and with whatever PyTorch has for sparse matrices: a table each.

    PYTHONPATH=python python3 bench/python/training.py --data DIR [--threads N] [--rounds N] [--graphs NAME...]

DIR holds NAME_A.mtx.gz, NAME_X.mtx.gz and NAME_labels.txt.gz of each graph; without it, the graph of the examples is taken,
whose networks these are. All contenders start from the same weights, and the losses of their first ten epochs are compared.
Then they take turns, some epochs each after one that is not timed; the medians count. What dense products take depends on
the BLAS that PyTorch finds; OpenBLAS is a fair one.

PyTorch's sparse products are given the transposed matrices for their backward pass, as its own would make them each time.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import statistics
import sys
import time
import warnings

import numpy as np
import torch

import spc

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/python"))
import gat
import gcn

EPOCHS = 10   # whose losses are compared
SLOW = 6      # who takes so many times as long as spc is timed in one round, for one epoch
BURST = 5     # epochs that a contender is timed for in a round


class Sparse:
    """The arrays of a CSR matrix and of its transposed one, as PyTorch takes them."""

    def __init__(self, matrix):
        entries = matrix.tocoo()
        self.matrix, self.shape = matrix, matrix.shape
        self.rows, self.columns = (torch.from_numpy(place.astype(np.int64)) for place in (entries.row, entries.col))
        self.pointers = torch.from_numpy(matrix.indptr.astype(np.int64))
        self.values = torch.from_numpy(matrix.data)
        self.order = torch.argsort(self.columns, stable=True)  # of the transposed matrix's entries
        counts = torch.bincount(self.columns, minlength=matrix.shape[1])
        self.transposed_pointers = torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)])
        self.transposed_columns = self.rows[self.order]

    def dense(self, values, transposed=False):
        """A function that multiplies by the dense matrix."""
        made = torch.from_numpy(self.matrix.toarray())
        return (made.T if transposed else made).matmul

    def csr(self, values, transposed=False):
        """One that multiplies by the matrix of such values in CSR."""
        pointers, columns, values, shape = self._compressed(values, transposed)
        return torch.sparse_csr_tensor(pointers, columns, values, size=shape).matmul

    def coo(self, values, transposed=False):
        """One that does in COO."""
        places = [self.columns[self.order], self.transposed_columns] if transposed else [self.rows, self.columns]
        values, shape = self._compressed(values, transposed)[2:]
        return torch.sparse_coo_tensor(torch.stack(places), values, shape)._coalesced_(True).matmul

    def bags(self, values, transposed=False):
        """One that sums up rows as embedding_bag does words."""
        pointers, columns, values, _ = self._compressed(values, transposed)
        return lambda h: torch.nn.functional.embedding_bag(columns, h, pointers, mode="sum", per_sample_weights=values,
                                                           include_last_offset=True)

    def edges(self, values, transposed=False):
        """One that takes a row for each entry, and adds them up."""
        rows, columns = (self.columns, self.rows) if transposed else (self.rows, self.columns)
        places = rows[:, None]
        return lambda h: torch.zeros(self.shape[1] if transposed else self.shape[0], h.shape[1]).scatter_add_(
            0, places.expand(-1, h.shape[1]), h[columns] * values[:, None])

    def _compressed(self, values, transposed):
        if not transposed:
            return self.pointers, self.columns, values, self.shape
        return self.transposed_pointers, self.transposed_columns, values[self.order], self.shape[::-1]


def product(sparse, layout):
    """A function that multiplies by a matrix that does not change, through which gradients flow."""
    forward, back = (getattr(sparse, layout)(sparse.values, transposed) for transposed in (False, True))

    class Product(torch.autograd.Function):
        """The product, and for gradients the one by the transposed matrix."""

        @staticmethod
        def forward(_, h):
            return forward(h)

        @staticmethod
        def backward(_, incoming):
            return back(incoming)

    return Product.apply


def weighted(sparse, layout):
    """The same for entries' values that have gradients."""
    class Weighted(torch.autograd.Function):
        """The product, and for gradients the transposed and the sampled one."""

        @staticmethod
        def forward(ctx, values, h):
            ctx.save_for_backward(values, h)
            return getattr(sparse, layout)(values)(h)

        @staticmethod
        def backward(ctx, incoming):
            values, h = ctx.saved_tensors
            sampled = (incoming[sparse.rows] * h[sparse.columns]).sum(1)
            return sampled, getattr(sparse, layout)(values, True)(incoming)

    return Weighted.apply


def bounds(own, other):
    """What no score of a row is greater than."""
    return torch.nn.functional.leaky_relu(own.detach() + other.detach().max(), 0.2)


def attention(sparse, layout):
    """Attention of the edges that there are."""
    if layout == "dense":
        return gat.dense_attention(torch.from_numpy(sparse.matrix.toarray()))
    multiply, rows, columns, count = weighted(sparse, layout), sparse.rows, sparse.columns, sparse.shape[0]

    def attend(own, other, values):
        scores = torch.nn.functional.leaky_relu(own[rows] + other[columns], 0.2)
        parts = torch.exp(scores - bounds(own, other)[rows])
        return multiply(parts, values) / torch.zeros(count).index_add(0, rows, parts)[:, None]

    return attend


def gcns(graph, nodes):
    """Names of layouts of the graph and of the features, and what makes a model of them."""
    yield "spc", "", lambda *sizes: gcn.Network(*gcn.with_spc(graph, nodes), *sizes)
    a, x = Sparse(graph), Sparse(nodes)
    for one, other in (("dense", "dense"), ("csr", "dense"), ("csr", "csr"), ("coo", "dense"), ("coo", "coo"),
                       ("edges", "dense"), ("bags", "dense"), ("bags", "bags")):
        def make(*sizes, one=one, other=other):
            by_graph, by_nodes = product(a, one), product(x, other)
            return gcn.Network(lambda weight, bias: torch.relu(by_graph(by_nodes(weight) + bias)),
                               lambda hidden, weight, bias: by_graph(torch.addmm(bias, hidden, weight)), *sizes)
        yield one, other, make


def gats(graph, nodes):
    """The same of attention."""
    yield "spc", "", lambda *sizes: gat.Network(*gat.with_own_gradient(graph, nodes), *sizes)
    yield "spc, gradient by spc grad", "", lambda *sizes: gat.Network(*gat.with_spc(graph, nodes), *sizes)
    a, x = Sparse(graph), Sparse(nodes)
    for one, other in (("dense", "dense"), ("csr", "dense"), ("csr", "csr"), ("coo", "dense"), ("coo", "coo"),
                       ("edges", "dense"), ("edges", "coo"), ("bags", "dense"), ("bags", "bags")):
        yield one, other, lambda *sizes, one=one, other=other: gat.Network(attention(a, one), product(x, other), *sizes)


MODELS = {"graph convolution": (gcns, gcn.normalized), "graph attention": (gats, gat.with_loops)}


class Contender:
    """A model in training."""

    def __init__(self, make, nodes, labels):
        torch.manual_seed(1)
        self.model, self.labels, self.times = make(nodes.shape[1], int(labels.max()) + 1), labels, []
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.01, weight_decay=5e-4)
        self.losses = [self.epoch() for _ in range(EPOCHS)]

    def epoch(self):
        """Trains for an epoch. Returns the loss."""
        start = time.perf_counter()
        self.optimizer.zero_grad(set_to_none=True)
        loss = gcn.loss_of(self.model(), self.labels)
        loss.backward()
        self.optimizer.step()
        last, self.last = loss.item(), time.perf_counter() - start
        return last

    def burst(self, epochs):
        """Times some epochs, after one that is not."""
        self.epoch()
        for _ in range(epochs):
            self.epoch()
            self.times.append(self.last)


def measure(contenders, rounds):
    """The median time of an epoch of each."""
    limit = SLOW * contenders["spc", ""].last
    quick = {name: one for name, one in contenders.items() if one.last < limit}
    for one in contenders.values():
        if one.last >= limit:
            one.burst(1)
    for step in range(rounds):
        for name in list(quick)[::1 if step % 2 else -1]:
            quick[name].burst(BURST)
    return {name: statistics.median(one.times) for name, one in contenders.items()}


def table(model, name, graph, nodes, labels, rounds):
    """Trains the contenders, and prints their times."""
    listed, prepared = MODELS[model]
    contenders = {}
    for one, other, make in listed(prepared(graph), nodes):
        contenders[one, other] = Contender(make, nodes, labels)
    losses = {key: one.losses for key, one in contenders.items()}
    times = measure(contenders, rounds)
    expected = losses["spc", ""]
    print(f"\n{model}, {name}: {graph.shape[0]:,} nodes, {graph.nnz:,} links, features {nodes.nnz:,} of "
          f"{nodes.shape[0]} x {nodes.shape[1]}, {torch.get_num_threads()} threads\n")
    print("| graph | features | ms an epoch | over spc's | losses apart |\n|---|---|---:|---:|---:|")
    for (one, other), taken in sorted(times.items(), key=lambda item: item[1]):
        apart = max(abs(first - second) for first, second in zip(losses[one, other], expected))
        print(f"| {one} | {other} | {taken * 1e3:.2f} | {taken / times['spc', '']:.2f} | {apart:.1e} |", flush=True)
        if apart > 1e-5:
            raise SystemExit(f"the losses of {one} {other} are others")


def main():
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--graphs", nargs="+", default=["cora", "amazon_photo"])
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta state")
    spc.set_threads(chosen.threads)
    torch.set_num_threads(chosen.threads or spc.get_threads())
    for name in chosen.graphs if chosen.data else ["made"]:
        files = [f"{chosen.data}/{name}_{part}.gz" for part in ("A.mtx", "X.mtx", "labels.txt")]
        graph, nodes, labels = gcn.read(*files) if chosen.data else gcn.made()
        nodes.sort_indices()
        for model in chosen.models:
            table(model, name, graph, nodes, torch.from_numpy(labels), chosen.rounds)


if __name__ == "__main__":
    main()
