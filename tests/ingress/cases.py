"""What modules of a kind are made of: operands, types, and the text around a body.

Operations and encodings are those that the documents of MLIR's dialects have. A module has one function, and what it is
compared with, NumPy, shares nothing with spc.
"""

import numpy as np

CSR = "map = (d0, d1) -> (d0 : dense, d1 : compressed)"
CSC = "map = (d0, d1) -> (d1 : dense, d0 : compressed)"
DCSR = "map = (d0, d1) -> (d0 : compressed, d1 : compressed)"
COO = "map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton)"
VECTOR = "map = (d0) -> (d0 : compressed)"
CSF = "map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed)"


class Case:
    """A module, and what its operands are. `refused`: the id of the error that it gives. `sizes`: those that no operand has,
    `inputs`: those that become operands."""

    def __init__(self, name, text, operands, expected=None, refused=None, tolerance=1e-5, sizes=None, inputs=None):
        self.name, self.text, self.operands, self.sizes, self.inputs = name, text, operands, sizes or {}, inputs or {}
        self.expected, self.refused, self.tolerance = expected, refused, tolerance


# bf16 is written as f32, as NumPy has none.
NUMPY_TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.float32, "i8": np.int8, "i16": np.int16,
               "i32": np.int32, "i64": np.int64, "i1": np.bool_, "complex<f32>": np.complex64, "complex<f64>": np.complex128}


def numbers(shape, kind="f64", density=1.0, seed=0, low=-3, high=4):
    """Whole numbers and halves, of which a part is no zero."""
    rng = np.random.default_rng(seed + 17 * len(shape) + sum(shape))
    values = rng.integers(low, high, shape)
    if "f" in kind:
        values = values + rng.integers(0, 2, shape) / 2
    if kind.startswith("complex"):
        values = values + 1j * rng.integers(low, high, shape)
    kept = rng.random(shape) < density
    return np.where(kept, values, 0).astype(NUMPY_TYPES[kind])


def typed(shape, kind, encoding=""):
    return f"tensor<{'x'.join(map(str, shape))}{'x' if shape else ''}{kind}{', #' + encoding if encoding else ''}>"


def named(name, operation, operands, result, expected, start="0.0", kind="f64", encodings=None, tolerance=1e-5):
    """A named operation `operation` of operands, {name: array}, into a tensor that is filled with `start`."""
    encodings = encodings or {}
    lines = [f"#E_{operand} = #sparse_tensor.encoding<{{ {text} }}>" for operand, text in encodings.items()]
    kinds = {np.dtype(numpy_type): text for text, numpy_type in NUMPY_TYPES.items() if text != "bf16"}
    types = {operand: typed(a.shape, kinds[a.dtype], f"E_{operand}" if operand in encodings else "")
             for operand, a in operands.items()}
    out = typed(result, kind)
    arguments = ", ".join(f"%{operand}: {text}" for operand, text in types.items())
    ins = f"ins({', '.join('%' + operand for operand in types)} : {', '.join(types.values())})"
    lines.append(f"""func.func @f({arguments}) -> {out} {{
  %z = {f"complex.constant [{start} : {kind[8:11]}, 0.0 : {kind[8:11]}]" if "complex" in kind else f"arith.constant {start}"} : {kind}
  %e = tensor.empty() : {out}
  %f = linalg.fill ins(%z : {kind}) outs(%e : {out}) -> {out}
  %0 = {operation.replace('INS', ins).replace('OUTS', f'outs(%f : {out})')} -> {out}
  return %0 : {out}
}}""")
    return Case(name, "\n".join(lines), operands, expected, tolerance=tolerance)


def generic(name, body, operands, expected, encodings=None, kind="f64", result_kind=None, tolerance=1e-5):
    """An elementwise body over operands a, b, … of one shape, which makes %r."""
    encodings, result_kind = encodings or {}, result_kind or kind
    shape = next(iter(operands.values())).shape
    lines = [f"#E_{operand} = #sparse_tensor.encoding<{{ {text} }}>" for operand, text in encodings.items()]
    types = {operand: typed(shape, kind, f"E_{operand}" if operand in encodings else "") for operand in operands}
    out = typed(shape, result_kind)
    maps = ", ".join(["affine_map<(i, j) -> (i, j)>"] * (len(operands) + 1))
    arguments = ", ".join(f"%{operand}: {text}" for operand, text in types.items())
    scalars = ", ".join([f"%{operand.lower()}: {kind}" for operand in operands] + [f"%o: {result_kind}"])
    lines.append(f"""func.func @f({arguments}) -> {out} {{
  %e = tensor.empty() : {out}
  %0 = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
      ins({', '.join('%' + operand for operand in operands)} : {', '.join(types.values())}) outs(%e : {out}) {{
    ^bb0({scalars}):
      {body}
      linalg.yield %r : {result_kind}
  }} -> {out}
  return %0 : {out}
}}""")
    return Case(name, "\n".join(lines), operands, expected, tolerance=tolerance)


def function(arguments, results, body, header="", name="f"):
    """A module of one function; `header` stands before it. Types are abbreviated as in TYPES."""
    for short, full in TYPES.items():
        arguments, results, body, header = (text.replace(short, full) for text in (arguments, results, body, header))
    return f"{HEADER}{header}func.func @{name}({arguments}) -> {results} {{\n{body}\n}}"


TYPES = {"!M": "tensor<4x5xf64>", "!S": "tensor<4x5xf64, #CSR>", "!C": "tensor<4x5xf64, #CSC>", "!V": "tensor<5xf64>", "!R": "tensor<4xf64>",
         "!D": "tensor<?x?xf64>", "!N": "tensor<?x?xf64, #CSR>"}
HEADER = f"""#CSR = #sparse_tensor.encoding<{{ {CSR} }}>
#CSC = #sparse_tensor.encoding<{{ {CSC} }}>
#VEC = #sparse_tensor.encoding<{{ {VECTOR} }}>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = {{ indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"] }}
#two = {{ indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"] }}
#sum = {{ indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"] }}
"""


def sparse_body(body, operands=("A",), result="!S"):
    """A body with operations of the sparse_tensor dialect, on CSR matrices."""
    scalars = ", ".join(f"%{operand.lower()}: f64" for operand in operands)
    return function(", ".join(f"%{operand}: !S" for operand in operands), result, f"""  %e = tensor.empty() : {result}
  %0 = linalg.generic {'#one' if len(operands) == 1 else '#two'} ins({', '.join('%' + name for name in operands)} : {', '.join(['!S'] * len(operands))})
      outs(%e : {result}) {{
    ^bb0({scalars}, %o: f64):
{body}
      linalg.yield %r : f64
  }} -> {result}
  return %0 : {result}""")


def reduction(body, start="0.0", operands="%A: !S", ins="%A : !S", scalars="%a: f64", maps="#sum"):
    """Rows of a matrix that are reduced into a vector, which begins with `start`."""
    return function(operands, "!R", f"""  %n = arith.constant {start} : f64
  %e = tensor.empty() : !R
  %f = linalg.fill ins(%n : f64) outs(%e : !R) -> !R
  %0 = linalg.generic {maps} ins({ins}) outs(%f : !R) {{
    ^bb0({scalars}, %o: f64):
{body}
      linalg.yield %r : f64
  }} -> !R
  return %0 : !R""")
