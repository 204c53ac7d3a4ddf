"""Makes an object and a header of each model, and files of its arguments and of PyTorch's result, for app.cpp:
`python3 export.py FOLDER [option of spc compile ...]`."""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import sys

import numpy as np
import torch

import models
import spc
import spc.torch

HERE = pathlib.Path(__file__).resolve().parent


def graph():
    """The karate club's, as PyTorch's sparse matrix."""
    made = spc.read(HERE.parent / "data" / "karate.mtx").tocsr()
    arrays = (torch.from_numpy(one.astype(np.int64)) for one in (made.indptr, made.indices))
    return torch.sparse_csr_tensor(*arrays, torch.from_numpy(made.data.astype(np.float32)), made.shape)


def expected(model, arguments):
    """What PyTorch computes, of whose sparse layouts coordinates have the most operations."""
    with torch.no_grad():
        return model(*(one.to_dense().to_sparse() if one.layout is torch.sparse_csr else one for one in arguments))


def write(folder, name, array):
    (folder / name).write_bytes(np.ascontiguousarray(array).tobytes())


def main(folder, options):
    folder.mkdir(parents=True, exist_ok=True)
    adj = graph()
    for name, array in (("row_ptr", adj.crow_indices()), ("col_ind", adj.col_indices())):
        write(folder, f"adj.{name}", array.numpy().astype(np.int32))
    write(folder, "adj.values", adj.values().numpy())
    for name, (model, arguments, formats) in models.everything(adj).items():
        spc.torch.export(model, folder / f"{name}.o", arguments, formats=formats, constants=True, options=options)
        for k, argument in enumerate(arguments):
            if argument is not adj:
                write(folder, f"{name}.{k}", argument.numpy())
        write(folder, f"{name}.out", expected(model, arguments).numpy())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
