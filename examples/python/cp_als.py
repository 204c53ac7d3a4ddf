#!/usr/bin/env python3
"""The CP decomposition of a sparse tensor of order 3, by alternating least squares.

    python3 cp_als.py [tensor.tns] [--rank N] [--sweeps N]

Each step's product of the tensor with two factors (MTTKRP) is a compiled kernel. Without a file, a tensor of the rank asked for is
made, of which the decomposition finds nearly everything.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import gzip

import numpy as np

import spc

# One for each of the tensor's dimensions, from the same storage.
STEPS = [spc.kernel(f"M({own},r) = X(i,j,k) * U({one},r) * V({two},r)", name=f"mttkrp_{own}")
         for own, one, two in ("ijk", "jik", "kij")]


def read(path):
    """Coordinates and values of a file of lines with coordinates from 1 on and a value."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        lines = np.loadtxt(file, comments="#", ndmin=2)
    return lines[:, :3].astype(np.int64) - 1, lines[:, 3]


def made(rank, shape=(60, 50, 40), each=6):
    """A tensor of so many components, each of which has a few rows of each factor."""
    rng = np.random.default_rng(1)
    dense = np.zeros(shape)
    for _ in range(rank):
        factors = [np.zeros(extent) for extent in shape]
        for factor in factors:
            factor[rng.choice(factor.size, each, replace=False)] = rng.random(each) + 0.5
        dense += np.einsum("i,j,k->ijk", *factors)
    places = np.argwhere(dense)
    return places, dense[tuple(places.T)]


def stored(places, values):
    """The tensor as a tree of fibers (CSF): rows, columns of rows, and entries of these."""
    order = np.lexsort(places.T[::-1])
    places, values = places[order], values[order]
    fibers = np.flatnonzero(np.r_[True, np.any(np.diff(places[:, :2], axis=0), axis=1)])
    rows = np.flatnonzero(np.r_[True, np.diff(places[fibers, 0]) != 0])
    levels = [{"dim": dimension, "storage": "compressed", "extent": "ragged"} for dimension in "ijk"]
    return {"format": {"dims": list("ijk"), "levels": levels}, "shape": tuple(places.max(0) + 1),
            "indices_0": places[fibers[rows], 0], "pointers_to_1": np.r_[rows, fibers.size],
            "indices_1": places[fibers, 1], "pointers_to_2": np.r_[fibers, values.size],
            "indices_2": np.ascontiguousarray(places[:, 2]), "values": np.ascontiguousarray(values)}


def decompose(tensor, rank, sweeps):
    """The factors, and how much of the tensor they do not explain, as a share of its norm."""
    rng = np.random.default_rng(2)
    factors = [rng.random((extent, rank)) for extent in tensor["shape"]]
    norm = np.linalg.norm(tensor["values"])
    for _ in range(sweeps):
        for mode, step in enumerate(STEPS):
            one, two = (factors[other] for other in range(3) if other != mode)
            product = step(X=tensor, U=one, V=two)
            factors[mode] = np.linalg.lstsq((one.T @ one) * (two.T @ two), product.T, rcond=None)[0].T
    explained = np.prod([factor.T @ factor for factor in factors], axis=0).sum()
    rest = norm**2 - 2 * (product * factors[2]).sum() + explained
    return factors, np.sqrt(max(rest, 0)) / norm


def main():
    """Decomposes, and prints how well."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--rank", type=int, default=4)
    parser.add_argument("--sweeps", type=int, default=50)
    chosen = parser.parse_args()
    tensor = stored(*(read(chosen.file) if chosen.file else made(chosen.rank)))
    _, rest = decompose(tensor, chosen.rank, chosen.sweeps)
    print(f"{tensor['values'].size} entries of {' x '.join(map(str, tensor['shape']))}, rank {chosen.rank}: "
          f"{rest:.4f} of the norm is left")


if __name__ == "__main__":
    main()
