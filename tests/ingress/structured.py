"""Named operations on whole tensors, and what moves elements."""

import numpy as np

from cases import CSC, CSR, DCSR, VECTOR, Case, function, named, numbers, typed
from storages import ENCODINGS, TENSOR_ENCODINGS


def quantized(name, operation, operands, result, expected, encodings):
    """Whole numbers less those that stand for 0, which are scalars."""
    lines = [f"#E_{operand} = #sparse_tensor.encoding<{{ {text} }}>" for operand, text in encodings.items()]
    types = {operand: typed(np.shape(a), "i32" if np.ndim(a) == 0 else "i8", f"E_{operand}" if operand in encodings else "") if np.ndim(a) else "i32"
             for operand, a in operands.items()}
    out = typed(result, "i32")
    lines.append(f"""func.func @f({', '.join(f'%{operand}: {text}' for operand, text in types.items())}) -> {out} {{
  %z = arith.constant 0 : i32
  %e = tensor.empty() : {out}
  %f = linalg.fill ins(%z : i32) outs(%e : {out}) -> {out}
  %0 = {operation} ins({', '.join('%' + operand for operand in types)} : {', '.join(types.values())}) outs(%f : {out}) -> {out}
  return %0 : {out}
}}""")
    return Case(name, "\n".join(lines), operands, expected, tolerance=0)


def products():
    a, b = numbers((6, 8), density=0.4), numbers((8, 5), seed=1)
    x, y = numbers((8,), seed=2), numbers((6,), seed=3)
    for name in ("csr", "csc", "dcsr", "coo", "bsr2x2"):
        text = {"A": ENCODINGS[name]}
        yield named(f"matmul_{name}", "linalg.matmul INS OUTS", {"A": a, "B": b}, (6, 5), lambda A, B: A @ B, encodings=text)
        yield named(f"matvec_{name}", "linalg.matvec INS OUTS", {"A": a, "x": x}, (6,), lambda A, x: A @ x, encodings=text)
        yield named(f"vecmat_{name}", "linalg.vecmat INS OUTS", {"y": y, "A": a}, (8,), lambda y, A: y @ A, encodings=text)
    yield named("matmul_both", "linalg.matmul INS OUTS", {"A": a, "B": numbers((8, 5), density=0.4)}, (6, 5),
                lambda A, B: A @ B, encodings={"A": CSR, "B": CSR})
    turned = ("linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, "
              "affine_map<(i, j, k) -> (i, j)>] INS OUTS")
    yield named("matmul_transposed", turned, {"A": a, "B": numbers((6, 5))}, (8, 5), lambda A, B: A.T @ B, encodings={"A": CSR})
    contract = ("linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, "
                "affine_map<(i, j, k) -> (i, j)>] INS OUTS")
    yield named("contract", contract, {"A": a, "B": numbers((5, 8))}, (6, 5), lambda A, B: A @ B.T, encodings={"A": DCSR})
    yield named("dot", "linalg.dot INS OUTS", {"x": numbers((8,), density=0.5), "y": x}, (), lambda x, y: x @ y,
                encodings={"x": VECTOR})
    batches, others = numbers((3, 4, 5), density=0.4), numbers((3, 5, 2))
    text = {"A": TENSOR_ENCODINGS["batched_csr"]}
    yield named("batch_matmul", "linalg.batch_matmul INS OUTS", {"A": batches, "B": others}, (3, 4, 2), lambda A, B: A @ B,
                encodings=text)
    yield named("batch_matvec", "linalg.batch_matvec INS OUTS", {"A": batches, "B": numbers((3, 5))}, (3, 4),
                lambda A, B: np.einsum("bij,bj->bi", A, B), encodings=text)
    yield named("batch_reduce_matmul", "linalg.batch_reduce_matmul INS OUTS", {"A": batches, "B": others}, (4, 2),
                lambda A, B: np.einsum("bij,bjk->ik", A, B), encodings=text)
    i, j = numbers((5, 6), "i8", 0.5), numbers((6, 3), "i8")
    yield named("matmul_i8", "linalg.matmul INS OUTS", {"A": i, "B": j}, (5, 3),
                lambda A, B: A.astype(np.int32) @ B.astype(np.int32), start="0", kind="i32", encodings={"A": CSR})
    zero = {"p": np.int32(2), "q": np.int32(-1)}
    shifted = lambda A, B, p, q: (A.astype(np.int32) - p) @ (B.astype(np.int32) - q)
    yield quantized("quantized_matmul", "linalg.quantized_matmul", {"A": i, "B": j, **zero}, (5, 3), shifted, {"A": CSR})
    yield quantized("quantized_batch", "linalg.quantized_batch_matmul",
                    {"A": numbers((2, 3, 4), "i8", 0.5), "B": numbers((2, 4, 2), "i8"), **zero}, (2, 3, 2), shifted,
                    {"A": TENSOR_ENCODINGS["csf"]})
    yield named("mmt4d", "linalg.mmt4d INS OUTS", {"A": numbers((2, 3, 2, 4), density=0.5), "B": numbers((3, 3, 2, 4))}, (2, 3, 2, 2),
                lambda A, B: np.einsum("mkij,nklj->mnil", A, B))
    yield named("batch_vecmat", "linalg.batch_vecmat INS OUTS", {"A": numbers((3, 4)), "B": batches}, (3, 5),
                lambda A, B: np.einsum("bi,bij->bj", A, B), encodings={"B": text["A"]})
    yield named("matmul_unsigned", "linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} INS OUTS", {"A": i, "B": j}, (5, 3),
                lambda A, B: A.astype(np.uint8).astype(np.int32) @ B.astype(np.uint8).astype(np.int32), start="0", kind="i32",
                encodings={"A": CSR})


def mixed():
    """Operands, and results, that are stored in different orders."""
    a, b = numbers((4, 5), density=0.5), numbers((4, 5), density=0.5, seed=2)
    rows, columns, lists = CSR, CSC, "map = (d0, d1) -> (d1 : compressed, d0 : compressed)"
    for name, function_ in {"add": np.add, "mul": np.multiply}.items():
        for other, text in {"csc": columns, "dcsc": lists}.items():
            yield named(f"mixed_{name}_{other}", f"linalg.{name} INS OUTS", {"A": a, "B": b}, (4, 5), function_, encodings={"A": rows, "B": text})
    yield named("mixed_matmul", "linalg.matmul INS OUTS", {"A": a, "B": numbers((5, 3), density=0.5)}, (4, 3), np.matmul,
                encodings={"A": columns, "B": rows})
    square = numbers((5, 5), density=0.5)
    for result in ("tensor<5x5xf64>", "tensor<5x5xf64, #CSR>"):
        yield Case(f"with_its_transpose_{'sparse' if '#' in result else 'dense'}", function("%A: tensor<5x5xf64, #CSR>", result, f"""  %e = tensor.empty() : {result}
  %0 = linalg.generic {{indexing_maps = [#id, affine_map<(i, j) -> (j, i)>, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%A, %A : tensor<5x5xf64, #CSR>, tensor<5x5xf64, #CSR>) outs(%e : {result}) {{
    ^bb0(%a: f64, %b: f64, %o: f64):
      %r = arith.addf %a, %b : f64
      linalg.yield %r : f64
  }} -> {result}
  return %0 : {result}"""), {"A": square}, lambda A: A + A.T)
    yield Case("mixed_into_columns", function("%A: !S, %B: !S", "!C", """  %e = tensor.empty() : !C
  %0 = linalg.generic #two ins(%A, %B : !S, !S) outs(%e : !C) {
    ^bb0(%a: f64, %b: f64, %o: f64):
      %r = arith.addf %a, %b : f64
      linalg.yield %r : f64
  } -> !C
  return %0 : !C"""), {"A": a, "B": b}, np.add)


def casts():
    """A temporary whose missing entries stand for 1, and are 0 to what reads it."""
    a = numbers((4, 5), density=0.5)
    a[1] = 0
    yield Case("cast_of_products", function("%A: !S", "!R", """  %n = arith.constant 1.0 : f64
  %e = tensor.empty() : tensor<4xf64, #VEC>
  %0 = linalg.generic #sum ins(%A : !S) outs(%e : tensor<4xf64, #VEC>) {
    ^bb0(%a: f64, %o: f64):
      %r = sparse_tensor.reduce %a, %o, %n : f64 { ^bb0(%x: f64, %y: f64):
          %t = arith.mulf %x, %y : f64
          sparse_tensor.yield %t : f64 }
      linalg.yield %r : f64
  } -> tensor<4xf64, #VEC>
  %1 = tensor.cast %0 : tensor<4xf64, #VEC> to tensor<?xf64, #VEC>
  %2 = tensor.cast %1 : tensor<?xf64, #VEC> to tensor<4xf64, #VEC>
  %3 = linalg.exp ins(%2 : tensor<4xf64, #VEC>) outs(%z : !R) -> !R
  return %3 : !R""".replace("  %e = tensor.empty() : tensor<4xf64, #VEC>", "  %e = tensor.empty() : tensor<4xf64, #VEC>\n  %z = tensor.empty() : !R")),
               {"A": a.copy()}, lambda A: np.exp([np.prod(row[row != 0]) if row.any() else 0 for row in A]))


def slices():
    a, m = numbers((4, 5), density=0.5), numbers((4, 5))
    parts = (("slice", "[1, 0] [2, 3] [1, 1]", "2x3", lambda A: A[1:3, :3]), ("slice_strided", "[1, 0] [2, 3] [2, 2]", "2x3", lambda A: A[1::2, ::2]))
    for name, places, shape, expected in parts:
        for kind, values in (("!M", m), ("!S", a)):
            result = f"tensor<{shape}xf64>"
            yield Case(f"{name}_{kind[1:]}", function(f"%A: {kind}", result, f"""  %0 = tensor.extract_slice %A{places} : {kind} to {result.replace('>', ', #CSR>') if kind == '!S' else result}
""" + (f"  %1 = sparse_tensor.convert %0 : {result.replace('>', ', #CSR>')} to {result}\n  return %1 : {result}" if kind == "!S" else f"  return %0 : {result}")),
                       {"A": values}, expected)
    yield Case("slice_row", function("%A: !M", "!V", "  %0 = tensor.extract_slice %A[2, 0] [1, 5] [1, 1] : !M to !V\n  return %0 : !V"), {"A": m},
               lambda A: A[2])
    yield Case("slice_from", function("%A: !M, %k: index", "tensor<2x5xf64>",
                                      "  %0 = tensor.extract_slice %A[%k, 0] [2, 5] [1, 1] : !M to tensor<2x5xf64>\n  return %0 : tensor<2x5xf64>"),
               {"A": m, "k": np.int64(1)}, lambda A, k: A[k:k + 2])
    yield Case("insert_slice", function("%A: !M, %B: tensor<2x3xf64>", "!M",
                                        "  %0 = tensor.insert_slice %B into %A[1, 2] [2, 3] [1, 1] : tensor<2x3xf64> into !M\n  return %0 : !M"),
               {"A": m, "B": numbers((2, 3), seed=4)}, lambda A, B: np.block([[A[:1]], [A[1:3, :2], B], [A[3:]]]))
    sliced = "#SLICE = #sparse_tensor.encoding<{ map = (i : #sparse_tensor<slice(1, 2, 2)>, j : #sparse_tensor<slice(0, 3, 1)>) -> (i : dense, j : compressed) }>\n"
    yield Case("slice_encoded", function("%A: !S", "tensor<2x3xf64>", """  %0 = tensor.extract_slice %A[1, 0] [2, 3] [2, 1] : !S to tensor<2x3xf64, #SLICE>
  %1 = sparse_tensor.convert %0 : tensor<2x3xf64, #SLICE> to tensor<2x3xf64>
  return %1 : tensor<2x3xf64>""", sliced), {"A": a}, lambda A: A[1::2, :3])
    yield Case("slice_multiplied", function("%A: !S, %B: tensor<3x2xf64>", "tensor<2x2xf64>", """  %0 = tensor.extract_slice %A[1, 0] [2, 3] [2, 1] : !S to tensor<2x3xf64, #SLICE>
  %z = arith.constant dense<0.0> : tensor<2x2xf64>
  %1 = linalg.matmul ins(%0, %B : tensor<2x3xf64, #SLICE>, tensor<3x2xf64>) outs(%z : tensor<2x2xf64>) -> tensor<2x2xf64>
  return %1 : tensor<2x2xf64>""", sliced), {"A": a, "B": numbers((3, 2))}, lambda A, B: A[1::2, :3] @ B)


def reshapes():
    a, m = numbers((4, 5), density=0.5), numbers((4, 5))
    cube, lists = "tensor<2x3x4xf64, #LISTS>", "#LISTS = #sparse_tensor.encoding<{ map = (i, j, k) -> (i : compressed, j : compressed, k : compressed) }>\n"
    matrix = "tensor<6x4xf64, #CSR>"
    yield Case("collapse_cube", function(f"%A: {cube}", matrix, f"  %0 = tensor.collapse_shape %A [[0, 1], [2]] : {cube} into {matrix}\n  return %0 : {matrix}", lists),
               {"A": numbers((2, 3, 4), density=0.4)}, lambda A: A.reshape(6, 4))
    yield Case("expand_cube", function(f"%A: {matrix}", cube, f"  %0 = tensor.expand_shape %A [[0, 1], [2]] output_shape [2, 3, 4] : {matrix} into {cube}\n  return %0 : {cube}",
                                       lists), {"A": numbers((6, 4), density=0.4)}, lambda A: A.reshape(2, 3, 4))
    flat, vector = "tensor<20xf64>", "tensor<20xf64, #VEC>"
    yield Case("collapse", function("%A: !M", flat, f"  %0 = tensor.collapse_shape %A [[0, 1]] : !M into {flat}\n  return %0 : {flat}"), {"A": m}, np.ravel)
    yield Case("collapse_sparse", function("%A: !S", vector, f"  %0 = tensor.collapse_shape %A [[0, 1]] : !S into {vector}\n  return %0 : {vector}"),
               {"A": a}, np.ravel)
    yield Case("expand", function(f"%A: {flat}", "!M", f"  %0 = tensor.expand_shape %A [[0, 1]] output_shape [4, 5] : {flat} into !M\n  return %0 : !M"),
               {"A": m.ravel()}, lambda A: A.reshape(4, 5))
    yield Case("expand_sparse", function(f"%A: {vector}", "!S", f"  %0 = tensor.expand_shape %A [[0, 1]] output_shape [4, 5] : {vector} into !S\n  return %0 : !S"),
               {"A": a.ravel()}, lambda A: A.reshape(4, 5))


def moves():
    yield from slices()
    yield from reshapes()
    a, m = numbers((4, 5), density=0.5), numbers((4, 5))
    yield Case("cast", function("%A: !N", "!D", """  %0 = tensor.cast %A : !N to !S
  %1 = sparse_tensor.convert %0 : !S to !M
  %2 = tensor.cast %1 : !M to !D
  return %2 : !D"""), {"A": a}, lambda A: A)
    yield Case("csr_to_csc", function("%A: !S", "!C", "  %0 = sparse_tensor.convert %A : !S to !C\n  return %0 : !C"), {"A": a}, lambda A: A)
    for value in ("0.0", "2.0"):
        yield Case(f"pad_{value[0]}", function("%A: !M", "tensor<7x6xf64>", f"""  %c = arith.constant {value} : f64
  %0 = tensor.pad %A low[1, 0] high[2, 1] {{
    ^bb0(%i: index, %j: index):
      tensor.yield %c : f64
  }} : !M to tensor<7x6xf64>
  return %0 : tensor<7x6xf64>"""), {"A": m}, lambda A, value=float(value): np.pad(A, ((1, 2), (0, 1)), constant_values=value))
    yield Case("concat", function("%A: !M, %B: !M", "tensor<4x10xf64>", "  %0 = tensor.concat dim(1) %A, %B : (!M, !M) -> tensor<4x10xf64>\n  return %0 : tensor<4x10xf64>"),
               {"A": m, "B": numbers((4, 5), seed=8)}, lambda A, B: np.hstack([A, B]))
    yield Case("reorder_coo", f"""#FROM = #sparse_tensor.encoding<{{ map = (i, j) -> (i : compressed(nonunique, nonordered), j : singleton(nonordered)) }}>
#TO = #sparse_tensor.encoding<{{ map = (i, j) -> (i : compressed(nonunique), j : singleton) }}>
func.func @f(%A: tensor<4x5xf64, #FROM>) -> tensor<4x5xf64, #TO> {{
  %0 = sparse_tensor.reorder_coo quick_sort %A : tensor<4x5xf64, #FROM> to tensor<4x5xf64, #TO>
  return %0 : tensor<4x5xf64, #TO>
}}""", {"A": a}, lambda A: A)
    yield Case("transpose", function("%A: !S", "tensor<5x4xf64>", """  %e = tensor.empty() : tensor<5x4xf64>
  %0 = linalg.transpose ins(%A : !S) outs(%e : tensor<5x4xf64>) permutation = [1, 0]
  return %0 : tensor<5x4xf64>"""), {"A": a}, np.transpose)
    yield Case("broadcast", function("%x: !V", "!M", """  %e = tensor.empty() : !M
  %0 = linalg.broadcast ins(%x : !V) outs(%e : !M) dimensions = [0]
  return %0 : !M"""), {"x": numbers((5,))}, lambda x: np.broadcast_to(x, (4, 5)))
    yield Case("map", function("%A: !M, %B: !M", "!M", """  %e = tensor.empty() : !M
  %0 = linalg.map { arith.mulf } ins(%A, %B : !M, !M) outs(%e : !M)
  return %0 : !M"""), {"A": m, "B": numbers((4, 5), seed=8)}, np.multiply)
    yield Case("linalg_reduce", function("%A: !M", "!V", """  %c = arith.constant dense<0.0> : !V
  %0 = linalg.reduce { arith.addf } ins(%A : !M) outs(%c : !V) dimensions = [0]
  return %0 : !V"""), {"A": m}, lambda A: A.sum(0))
    yield Case("softmax", function("%A: !M", "!M", """  %e = tensor.empty() : !M
  %0 = linalg.softmax dimension(1) ins(%A : !M) outs(%e : !M) -> !M
  return %0 : !M"""), {"A": m}, lambda A: np.exp(A) / np.exp(A).sum(1, keepdims=True))
    yield Case("splat", function("%s: f64", "!V", "  %0 = tensor.splat %s : !V\n  return %0 : !V"), {"s": np.float64(2.5)}, lambda s: np.full(5, s))
