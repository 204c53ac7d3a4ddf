#!/usr/bin/env python3
"""Epochs of PyG's networks with spc.pyg and without, and the memory that they take: a table. Needs PyG 2.8.

    PYTHONPATH=python python3 bench/python/pyg.py --data DIR [--threads N] [--rounds N] [--graphs NAME...] [--memory | --cpu]
    PYTHONPATH=python python3 bench/python/pyg.py --small

DIR holds NAME_A.mtx.gz, NAME_X.mtx.gz and NAME_labels.txt.gz of each graph. Networks have two layers of 16 hidden values, those of
attention eight heads of eight. An edge of the file is two, there and back, which are the two relations of RGCN. Both contenders
start from the same weights, and the losses of their first ten epochs are compared. Then they take turns; the least time counts. With
--memory each trains in a process of its own, whose greatest memory above what it had before is given instead of times.

--small: of networks of one layer, how long a step takes by the messages' size: where spc overtakes PyG.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import ctypes
import gc
import gzip
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
import scipy.io
import torch

warnings.simplefilter("ignore")  # PyG's, of what PyTorch will take away
import torch_geometric
from torch_geometric.nn import GATConv, GATv2Conv, GCNConv, RGCNConv, SAGEConv

import spc
import spc.pyg

HIDDEN, HEADS, EPOCHS, BURST = 16, 8, 10, 3
LAYERS = {
    "GCN": lambda features, classes: (GCNConv(features, HIDDEN), GCNConv(HIDDEN, classes)),
    "GCN, cached": lambda features, classes: (GCNConv(features, HIDDEN, cached=True), GCNConv(HIDDEN, classes, cached=True)),
    "GAT": lambda features, classes: (GATConv(features, HEADS, HEADS, dropout=0.6), GATConv(HEADS * HEADS, classes, dropout=0.6)),
    "GATv2": lambda features, classes: (GATv2Conv(features, HEADS, HEADS, dropout=0.6),
                                        GATv2Conv(HEADS * HEADS, classes, dropout=0.6)),
    "GraphSAGE": lambda features, classes: (SAGEConv(features, HIDDEN), SAGEConv(HIDDEN, classes)),
    "GraphSAGE, max": lambda features, classes: (SAGEConv(features, HIDDEN, aggr="max"), SAGEConv(HIDDEN, classes, aggr="max")),
    "RGCN": lambda features, classes: (RGCNConv(features, HIDDEN, 2), RGCNConv(HIDDEN, classes, 2)),
}
FOUR = ("GCN", "GAT", "GraphSAGE", "RGCN")  # whose mean is given


class Network(torch.nn.Module):
    """Two layers, with a rectifier between them."""

    def __init__(self, layers):
        super().__init__()
        self.first, self.second = layers

    def forward(self, x, *graph):
        """The classes' scores of each node."""
        return self.second(torch.relu(self.first(x, *graph)), *graph)


def read(folder, name):
    """The edges, their relations, the nodes' features and labels."""
    files = {part: next(folder.rglob(f"{name}_{part}")) for part in ("A.mtx.gz", "X.mtx.gz", "labels.txt.gz")}
    graph, nodes = (scipy.io.mmread(gzip.open(files[part])).tocoo() for part in ("A.mtx.gz", "X.mtx.gz"))
    labels = torch.from_numpy(np.loadtxt(gzip.open(files["labels.txt.gz"]), dtype=np.int64))
    one = torch.from_numpy(np.stack([graph.row, graph.col]).astype(np.int64))
    kinds = torch.arange(2).repeat_interleave(one.shape[1])
    return torch.cat([one, one.flip(0)], 1), kinds, torch.from_numpy(nodes.toarray().astype(np.float32)), labels - labels.min()


class Training:
    """A network that is trained, with spc.pyg or without."""

    def __init__(self, kind, data, has_spc):
        edges, kinds, self.x, self.labels = data
        self.has_spc, self.graph = has_spc, (edges, kinds) if kind == "RGCN" else (edges,)
        torch.manual_seed(0)
        self.model = Network(LAYERS[kind](self.x.shape[1], int(self.labels.max()) + 1))
        self.optimizer = torch.optim.Adam(self.model.parameters(), 0.01)

    def epochs(self, count):
        """Trains, and returns the losses."""
        if not self.has_spc:
            return [self.epoch() for _ in range(count)]
        with spc.pyg.enabled():
            return [self.epoch() for _ in range(count)]

    def epoch(self):
        """One step by all nodes."""
        self.optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(self.model(self.x, *self.graph), self.labels)
        loss.backward()
        self.optimizer.step()
        return loss.item()


def compared(kind, data, rounds, clock):
    """The least milliseconds of an epoch with PyG alone and with spc, and how far the losses are apart."""
    contenders = [Training(kind, data, has_spc) for has_spc in (False, True)]
    losses = []
    for contender in contenders:
        torch.manual_seed(1)  # of dropout
        losses.append(contender.epochs(EPOCHS))
    times = [[], []]
    for _ in range(rounds):
        for contender, found in zip(contenders, times):
            contender.epochs(1)
            for _ in range(BURST):
                begin = clock()
                contender.epochs(1)
                found.append((clock() - begin) * 1e3)
    return [min(found) for found in times], max(abs(one - other) for one, other in zip(*losses))


def peak_of(kind, data, has_spc):
    """Megabytes that epochs take at most, above what there was."""
    _, kinds, x, labels = data
    few = torch.randint(0, 50, (2, 200)), kinds[:200], x[:50], torch.cat([labels[:49], labels.max()[None]])
    least, spc.pyg.THRESHOLDS["messages"] = spc.pyg.THRESHOLDS["messages"], 0
    Training(kind, few, has_spc).epochs(1)  # what is loaded and compiled is no memory of epochs
    spc.pyg.THRESHOLDS["messages"] = least
    training = Training(kind, data, has_spc)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    training.epochs(3)
    return (status("VmHWM") - before) / 1e3


def status(name):
    """A number of kilobytes that the system has of this process."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


def peaks(arguments, kind, name):
    """The memory of PyG alone and with spc, by processes of their own."""
    found = []
    for has_spc in (0, 1):
        command = [sys.executable, __file__, "--data", str(arguments.data), "--threads", str(arguments.threads), "--one",
                   json.dumps([kind, name, has_spc])]
        found.append(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]))
    return found


def small():
    """Prints steps of layers by how much messages would hold, on graphs that grow."""
    print(f"{'':12} {'edges':>8} {'channels':>8} {'messages':>10} {'PyG, us':>9} {'spc, us':>9} {'over':>6}")
    for kind, make in (("GCN", lambda channels: GCNConv(channels, channels, normalize=False)),
                       ("GraphSAGE", lambda channels: SAGEConv(channels, channels)),
                       ("GAT", lambda channels: GATConv(channels, channels // 2, 2, add_self_loops=False))):
        for edges in (100, 300, 1000, 3000, 10000):
            for channels in (8, 32):
                nodes = edges // 5
                x, graph = torch.rand(nodes, channels), torch.randint(0, nodes, (2, edges))
                layer = make(channels)
                one, other = step_of(layer, x, graph)
                print(f"{kind:12} {edges:8} {channels:8} {edges * channels:10} {one:9.0f} {other:9.0f} {one / other:6.2f}")


def step_of(layer, x, graph):
    """Microseconds of a step with PyG alone and with spc."""
    spc.pyg.THRESHOLDS["messages"] = 0
    times = [[], []]
    for _ in range(9):
        for has_spc, found in enumerate(times):
            with spc.pyg.enabled() if has_spc else torch.enable_grad():
                layer(x, graph).sum().backward()
                begin = time.perf_counter()
                for _ in range(20):
                    layer(x, graph).sum().backward()
                found.append((time.perf_counter() - begin) / 20 * 1e6)
    return [statistics.median(found) for found in times]


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--graphs", nargs="+", default=["cora", "amazon_photo"])
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--cpu", action="store_true", help="time of the processor, where others use the machine: of one thread")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    spc.set_threads(arguments.threads)
    if arguments.small:
        return small()
    if arguments.one:
        kind, name, has_spc = json.loads(arguments.one)
        return print(peak_of(kind, read(arguments.data, name), bool(has_spc)))
    print(f"PyG {torch_geometric.__version__}, PyTorch {torch.__version__}, {arguments.threads} threads")
    print(f"{'':30} {'PyG':>9} {'spc':>9} {'over':>6}   {'MB' if arguments.memory else 'ms an epoch'}")
    ratios = []
    for name in arguments.graphs:
        data = read(arguments.data, name)
        for kind in LAYERS:
            (one, other), apart = (peaks(arguments, kind, name), None) if arguments.memory else \
                compared(kind, data, arguments.rounds, time.process_time if arguments.cpu else time.perf_counter)
            print(f"{name:13} {kind:16} {one:9.2f} {other:9.2f} {one / other:6.2f}" +
                  ("" if apart is None else f"   losses apart by {apart:.1e}"), flush=True)
            if kind in FOUR:
                ratios.append(one / other)
    print(f"geometric mean of {', '.join(FOUR)}: {math.exp(statistics.mean(map(math.log, ratios))):.2f}")


if __name__ == "__main__":
    main()
