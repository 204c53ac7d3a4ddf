#!/usr/bin/env python3
"""A CSR matrix as large as is asked for, made piece by piece: matrix.py make FOLDER GIGABYTES, matrix.py check FOLDER.

"make" writes A.npz, as scipy.sparse.save_npz(..., compressed=False) does, and B.npy. "check" compares C.npy with SciPy's
A @ B, some rows after the other, in which A is all in memory.
"""
# SPDX-License-Identifier: Apache-2.0

import io
import pathlib
import sys
import zipfile

import numpy as np
import scipy.sparse as sp

COLUMNS = 500_000
WIDTH = 32
MOST_IN_ROW = 66
PIECE = 100_000  # rows
ENTRY_BYTES = 12


def pieces(rows):
    """Row numbers, a piece after the other, each with its own random numbers, so that members can be made in turn."""
    for begin in range(0, rows, PIECE):
        yield min(PIECE, rows - begin), np.random.default_rng(begin)


def lengths_of(count, numbers):
    return numbers.integers(0, MOST_IN_ROW + 1, count, dtype=np.int32)


def indices_of(lengths, numbers):
    """Columns that ascend in each row, with random gaps."""
    gaps = numbers.integers(1, COLUMNS // MOST_IN_ROW, lengths.sum(), dtype=np.int32)
    sums = np.cumsum(gaps, dtype=np.int64)
    ends = np.cumsum(lengths, dtype=np.int64)
    before = np.concatenate(([0], sums))[ends - lengths]
    return (sums - np.repeat(before, lengths) - 1).astype(np.int32)


def header(dtype, shape):
    text = io.BytesIO()
    np.lib.format.write_array_header_1_0(text, {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)),
                                                "fortran_order": False, "shape": shape})
    return text.getvalue()


def member(archive, name, dtype, shape, parts):
    with archive.open(name + ".npy", "w", force_zip64=True) as file:
        file.write(header(dtype, shape))
        for part in parts:
            file.write(np.ascontiguousarray(part, dtype).data)


def make(folder, gigabytes):
    rows = int(gigabytes * 1e9 / ENTRY_BYTES / (MOST_IN_ROW / 2))
    lengths = np.concatenate([lengths_of(count, numbers) for count, numbers in pieces(rows)])
    pointers = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    entries = int(pointers[-1])

    def indices():
        for count, numbers in pieces(rows):
            yield indices_of(lengths_of(count, numbers), numbers)

    def values():
        for row, (count, _) in zip(range(0, rows, PIECE), pieces(rows)):
            yield np.random.default_rng([row, 1]).standard_normal(pointers[row + count] - pointers[row])

    with zipfile.ZipFile(folder / "A.npz", "w", zipfile.ZIP_STORED) as archive:
        member(archive, "indices", np.int32, (entries,), indices())
        member(archive, "indptr", np.int32 if entries < 2**31 else np.int64, (rows + 1,), [pointers])
        member(archive, "format", "S3", (), [np.array(b"csr")])
        member(archive, "shape", np.int64, (2,), [np.array([rows, COLUMNS])])
        member(archive, "data", np.float64, (entries,), values())
    np.save(folder / "B.npy", np.random.default_rng(1).standard_normal((COLUMNS, WIDTH)))
    print(f"made a matrix of {rows} x {COLUMNS} with {entries} entries, {(folder / 'A.npz').stat().st_size / 1e9:.2f} GB")


def check(folder):
    with np.load(folder / "A.npz") as archive:
        pointers, indices, data = archive["indptr"], archive["indices"], archive["data"]
    rows = len(pointers) - 1
    dense, result = np.load(folder / "B.npy"), np.load(folder / "C.npy", mmap_mode="r")
    assert result.shape == (rows, WIDTH), result.shape
    largest = 0.0
    for begin in range(0, rows, PIECE):
        end = min(rows, begin + PIECE)
        first, last = pointers[begin], pointers[end]
        block = sp.csr_matrix((data[first:last], indices[first:last], pointers[begin:end + 1] - first),
                              (end - begin, COLUMNS))
        largest = max(largest, float(np.abs(block @ dense - result[begin:end]).max()))
    print(f"C is what SciPy computes in memory; the largest difference is {largest:.2g}")
    if not largest < 1e-11:
        sys.exit("error: C is wrong")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]), float(sys.argv[3]))
    else:
        check(pathlib.Path(sys.argv[2]))
