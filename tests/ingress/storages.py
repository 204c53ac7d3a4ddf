"""Every encoding of matrices and tensors, read and written, in all widths."""

import itertools

import numpy as np

from cases import COO, CSC, CSF, CSR, DCSR, VECTOR, Case, numbers, typed

# Blocks of n rows and m columns, in four orders.
BLOCKS = {
    ("bsr", ""): "d0 floordiv {n} : dense, d1 floordiv {m} : compressed, d0 mod {n} : dense, d1 mod {m} : dense",
    ("bsr", "_columns"): "d0 floordiv {n} : dense, d1 floordiv {m} : compressed, d1 mod {m} : dense, d0 mod {n} : dense",
    ("bsc", ""): "d1 floordiv {m} : dense, d0 floordiv {n} : compressed, d0 mod {n} : dense, d1 mod {m} : dense",
    ("bsc", "_columns"): "d1 floordiv {m} : dense, d0 floordiv {n} : compressed, d1 mod {m} : dense, d0 mod {n} : dense",
}
# Every way to store a matrix or a tensor of order 3 of even extents, by name.
ENCODINGS = {
    "csr": CSR,
    "csc": CSC,
    "dcsr": DCSR,
    "dcsc": "map = (d0, d1) -> (d1 : compressed, d0 : compressed)",
    "coo": COO,
    "coo_soa": "map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa))",
    "coo_columns": "map = (d0, d1) -> (d1 : compressed(nonunique), d0 : singleton(soa))",
    "compressed_rows": "map = (d0, d1) -> (d0 : compressed, d1 : dense)",
    "column_major": "map = (d0, d1) -> (d1 : dense, d0 : dense)",
    "row_major": "map = (d0, d1) -> (d0 : dense, d1 : dense)",
    **{f"{name}{n}x{m}{suffix}": f"map = (d0, d1) -> ({text.format(n=n, m=m)})"
       for n, m in ((2, 2), (2, 4), (4, 2), (8, 2), (4, 4), (3, 2)) for (name, suffix), text in BLOCKS.items()},
    "blocks_listed": "map = (d0, d1) -> (d0 floordiv 2 : compressed, d1 floordiv 2 : compressed, d0 mod 2 : dense, d1 mod 2 : dense)",
    "two_of_four": "map = (d0, d1) -> (d0 : dense, d1 floordiv 4 : dense, d1 mod 4 : structured[2, 4])",
    "two_of_four_columns": "map = (d0, d1) -> (d1 : dense, d0 floordiv 4 : dense, d0 mod 4 : structured[2, 4])",
    "unordered": "map = (d0, d1) -> (d0 : dense, d1 : compressed(nonordered))",
    "coo_unordered": "map = (d0, d1) -> (d0 : compressed(nonunique, nonordered), d1 : singleton(nonordered))",
    "loose": "map = (d0, d1) -> (d0 : dense, d1 : loose_compressed)",
    "loose_rows": "map = (d0, d1) -> (d0 : loose_compressed, d1 : compressed)",
    "loose_blocks": "map = (d0, d1) -> (d0 floordiv 2 : dense, d1 floordiv 2 : loose_compressed, d0 mod 2 : dense, d1 mod 2 : dense)",
    "one_value": f"{CSR}, explicitVal = 2.0 : f64",
    "two_of_four_full": "map = (d0, d1) -> (d0 : dense, d1 floordiv 4 : dense, d1 mod 4 : structured[2, 4])",
    "five_of_eight_full": "map = (d0, d1) -> (d0 : dense, d1 floordiv 8 : dense, d1 mod 8 : structured[5, 8])",
    "five_of_eight": "map = (d0, d1) -> (d0 : dense, d1 floordiv 8 : dense, d1 mod 8 : structured[5, 8])",
}
TENSOR_ENCODINGS = {
    "csf": CSF,
    "csf_turned": "map = (d0, d1, d2) -> (d2 : compressed, d0 : compressed, d1 : compressed)",
    "dense_csf": "map = (d0, d1, d2) -> (d0 : dense, d1 : compressed, d2 : compressed)",
    "batched_csr": "map = (d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : compressed)",
    "fibers": "map = (d0, d1, d2) -> (d0 : dense, d1 : compressed, d2 : dense)",
    "batch": "map = (d0, d1, d2) -> (d0 : batch, d1 : dense, d2 : compressed)",
    "batch_coo": "map = (d0, d1, d2) -> (d0 : batch, d1 : compressed(nonunique), d2 : singleton(soa))",
    "batch_loose": "map = (d0, d1, d2) -> (d0 : batch, d1 : dense, d2 : loose_compressed)",
    "loose_coo": "map = (d0, d1, d2) -> (d0 : dense, d1 : loose_compressed(nonunique), d2 : singleton(soa))",
    "coo3": "map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique), d2 : singleton)",
    "coo3_soa": "map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa))",
}


def structured(values):
    """What a format of two entries in four holds: the first two of them."""
    kept = values.copy()
    for row in kept.reshape(-1, 4):
        row[np.flatnonzero(row)[2:]] = 0
    return kept


def matrices():
    """Each encoding is read, and written, by a conversion."""
    for name, text in ENCODINGS.items():
        a = numbers((8, 16), density=0.4, seed=len(name))
        if name == "two_of_four":
            a = structured(a)
        if name.endswith("_full"):
            n, m = (2, 4) if name.startswith("two") else (5, 8)
            a = np.tile(np.where(np.arange(m) < n, np.arange(m) + 1.0, 0), (8, 16 // m))
        if name == "two_of_four_columns":
            a = np.ascontiguousarray(structured(np.ascontiguousarray(a.T)).T)
        if name == "one_value":
            a = np.where(a != 0, 2.0, 0)
        if name == "five_of_eight":
            a[:, 5:8] = a[:, 13:16] = 0
        yield from conversions(name, text, a, "f64")


def tensors():
    for name, text in TENSOR_ENCODINGS.items():
        yield from conversions(name, text, numbers((4, 5, 6), density=0.4), "f32")
    yield from conversions("vector", VECTOR, numbers((9,), density=0.5), "f64")


def widths():
    for positions, coordinates in itertools.product((8, 16, 32, 64), repeat=2):
        yield from conversions(f"csr_{positions}_{coordinates}", f"{CSR}, posWidth = {positions}, crdWidth = {coordinates}",
                               numbers((6, 7), density=0.4), "f64")
    for kind in ("f16", "bf16", "f32", "i1", "i8", "i16", "i32", "i64", "complex<f32>", "complex<f64>"):
        yield from conversions(f"csr_{kind.replace('<', '_').replace('>', '')}", CSR, numbers((6, 7), kind, 0.4), kind)


def conversions(name, text, a, kind):
    dense = typed(a.shape, kind)
    sparse = typed(a.shape, kind, "E")
    header = f"#E = #sparse_tensor.encoding<{{ {text} }}>\n"
    a = a.astype(numbers((1,), kind).dtype)
    yield Case(f"read_{name}", header + f"""func.func @f(%A: {sparse}) -> {dense} {{
  %0 = sparse_tensor.convert %A : {sparse} to {dense}
  return %0 : {dense}
}}""", {"A": a}, lambda A: A)
    yield Case(f"write_{name}", header + f"""func.func @f(%A: {dense}) -> {sparse} {{
  %0 = sparse_tensor.convert %A : {dense} to {sparse}
  return %0 : {sparse}
}}""", {"A": a}, lambda A: A)
