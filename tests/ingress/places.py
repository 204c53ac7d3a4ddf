"""Greatest and least elements with their places, as front ends write them: two results of one operation."""

import numpy as np

from cases import Case, function, numbers

MINUS, PLUS = "0xFFF0000000000000", "0x7FF0000000000000"


def place(name, a, keep, test, expected, start=MINUS, first="0", kind="f64", to="i64", both=False, operand="", tolerance=0):
    """The places of rows' extremes, or these themselves. keep makes %r of %a and %o, test makes %c."""
    source, vector, places = f"tensor<{'x'.join(map(str, a.shape))}x{kind}{operand}>", f"tensor<{a.shape[0]}x{kind}>", f"tensor<{a.shape[0]}x{to}>"
    index = "%k = linalg.index 1 : index" if to == "index" else f"%j = linalg.index 1 : index\n      %k = arith.index_cast %j : index to {to}"
    return Case(name, function(f"%A: {source}", vector if both else places, f"""  %n = arith.constant {start} : {kind}
  %z = arith.constant {first} : {to}
  %e = tensor.empty() : {vector}
  %p = tensor.empty() : {places}
  %f = linalg.fill ins(%n : {kind}) outs(%e : {vector}) -> {vector}
  %g = linalg.fill ins(%z : {to}) outs(%p : {places}) -> {places}
  %0:2 = linalg.generic {{indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%A : {source}) outs(%f, %g : {vector}, {places}) {{
    ^bb0(%a: {kind}, %o: {kind}, %q: {to}):
      {index}
      %c = {test} : {kind}
      {keep}
      %s = arith.select %c, %k, %q : {to}
      linalg.yield %r, %s : {kind}, {to}
  }} -> ({vector}, {places})
""" + (f"""  %h = tensor.empty() : {vector}
  %1 = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%0#0, %0#1 : {vector}, {places}) outs(%h : {vector}) {{
    ^bb0(%a: {kind}, %b: {to}, %o: {kind}):
      %t = arith.{'sitofp' if 'f' in kind else 'trunci'} %b : {to} to {kind}
      %r = arith.{'addf' if 'f' in kind else 'addi'} %a, %t : {kind}
      linalg.yield %r : {kind}
  }} -> {vector}
  return %1 : {vector}""" if both else f"  return %0#1 : {places}")), {"A": a}, expected, tolerance=tolerance)


def run(a, test, keep, start, first):
    """The module's own loop over a row."""
    extreme, where = start, first
    for k, one in enumerate(a):
        taken = test(one, extreme)
        extreme, where = keep(one, extreme, taken), k if taken else where
    return extreme, where


def by_rows(test, keep, start, first=0, both=False):
    def expected(A):
        found = [run(row, test, keep, start, first) for row in A]
        return np.array([extreme + where if both else where for extreme, where in found])
    return expected


def chosen(one, extreme, taken):
    return one if taken else extreme


TESTS = {"ogt": (np.greater, MINUS, -np.inf), "oge": (np.greater_equal, MINUS, -np.inf), "olt": (np.less, PLUS, np.inf),
         "ole": (np.less_equal, PLUS, np.inf)}


def rows(low=-2, high=3):
    """Rows with equal elements, NaNs and infinities anywhere."""
    a = numbers((9, 6), low=low, high=high)
    a[1, 2] = a[2, 0] = a[2, 3] = a[3, 5] = np.nan
    a[4] = np.nan
    a[5], a[6] = -np.inf, np.inf
    a[7] = [np.nan, -np.inf, np.inf, np.nan, 1, -1]
    a[8] = [0.0, -0.0, 0.0, -0.0, -0.0, 0.0]
    return a


def places():
    for name, (test, start, number) in TESTS.items():
        extreme, turned = ("maximumf", "o" + {"g": "l", "l": "g"}[name[1]] + name[2]) if name[1] == "g" else \
            ("minimumf", "o" + {"g": "l", "l": "g"}[name[1]] + name[2])
        both = np.maximum if name[1] == "g" else np.minimum
        yield place(f"place_{name}", rows(), "%r = arith.select %c, %a, %o : f64", f"arith.cmpf {name}, %a, %o",
                    by_rows(test, chosen, number), start)
        yield place(f"place_{name}_turned", rows(), "%r = arith.select %c, %a, %o : f64", f"arith.cmpf {turned}, %o, %a",
                    by_rows(test, chosen, number), start)
        yield place(f"place_{name}_beside", rows(), f"%r = arith.{extreme} %a, %o : f64", f"arith.cmpf {name}, %a, %o",
                    by_rows(test, lambda one, other, _, both=both: both(one, other), number), start)
        yield place(f"place_{name}_from", rows(), "%r = arith.select %c, %a, %o : f64", f"arith.cmpf {name}, %a, %o",
                    by_rows(test, chosen, 1.0, -1), "1.0", "-1")
        yield place(f"place_{name}_both", rows(), f"%r = arith.{extreme} %a, %o : f64", f"arith.cmpf {name}, %a, %o",
                    by_rows(test, lambda one, other, _, both=both: both(one, other), number, both=True), start, both=True)
    a = numbers((4, 5), density=0.4)
    yield place("place_plain", a, "%r = arith.maximumf %a, %o : f64", "arith.cmpf ogt, %a, %o fastmath<nnan>", lambda A: A.argmax(1),
                operand=", #CSR")
    yield place("place_index", a, "%r = arith.minimumf %a, %o : f64", "arith.cmpf olt, %a, %o fastmath<nnan>", lambda A: A.argmin(1), PLUS,
                to="index", operand=", #CSC")
    yield place("place_i32", a, "%r = arith.maximumf %a, %o : f64", "arith.cmpf ogt, %a, %o", lambda A: A.argmax(1).astype(np.int32), to="i32",
                operand=", #CSR")
    k = numbers((6, 5), "i32", low=-3, high=3)
    least, greatest = str(-2 ** 31), str(2 ** 31 - 1)
    for name, test, start, number in (("sgt", np.greater, least, -2 ** 31), ("sge", np.greater_equal, least, -2 ** 31),
                                      ("slt", np.less, greatest, 2 ** 31 - 1), ("sle", np.less_equal, greatest, 2 ** 31 - 1),
                                      ("sgt", np.greater, "0", 0)):
        yield place(f"place_{name}" + ("_from" if start == "0" else ""), k, "%r = arith.select %c, %a, %o : i32", f"arith.cmpi {name}, %a, %o",
                    by_rows(test, chosen, number), start, kind="i32")
    yield place("place_ugt", k, "%r = arith.maxui %a, %o : i32", "arith.cmpi ugt, %a, %o", lambda A: A.view(np.uint32).argmax(1), "0", kind="i32")
    yield place("place_ult", k, "%r = arith.minui %a, %o : i32", "arith.cmpi ult, %a, %o", lambda A: A.view(np.uint32).argmin(1), "-1", kind="i32")
    yield place("place_both_integers", numbers((6, 5), "i8", low=-3, high=3), "%r = arith.maxsi %a, %o : i8", "arith.cmpi sgt, %a, %o",
                lambda A: (A.max(1) + A.argmax(1)).astype(np.int8), "-128", kind="i8", both=True)
    for size in (0, 4):
        empty = place(f"place_of_{size}", np.zeros((3, 0)), "%r = arith.maximumf %a, %o : f64", "arith.cmpf ogt, %a, %o fastmath<nnan>",
                      lambda A: np.zeros(3) if A.shape[1] == 0 else A.argmax(1))
        yield Case(empty.name, empty.text.replace("tensor<3x0xf64>", "tensor<3x?xf64>"), {"A": numbers((3, size))}, empty.expected)
    yield from several(a)
    refused = {"unordered": place("place_unordered", rows(), "%r = arith.select %c, %a, %o : f64", "arith.cmpf ugt, %a, %o", None).text,
               "over_two": over_two(place("place_over_two", a, "%r = arith.maximumf %a, %o : f64", "arith.cmpf ogt, %a, %o", None).text),
               "of_a_sum": place("place_of_a_sum", a, "%r = arith.addf %a, %o : f64", "arith.cmpf ogt, %a, %o", None).text}
    for name, text in refused.items():
        yield Case(f"place_{name}", text, {}, refused="mlir-reduction")
    yield Case("result_on_its_way", place("", a, "%r = arith.addf %a, %o : f64", "arith.cmpf ogt, %a, %o", None).text.replace(
        "%s = arith.select %c, %k, %q", "%b = arith.fptosi %o : f64 to i64\n      %s = arith.addi %b, %q"), {}, refused="mlir-reduction")


def several(a):
    """Other operations with several results."""
    yield Case("two_sums", function("%A: !S", "!R", """  %n = arith.constant 0.0 : f64
  %e = tensor.empty() : !R
  %f = linalg.fill ins(%n : f64) outs(%e : !R) -> !R
  %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%A : !S) outs(%f, %f : !R, !R) {
    ^bb0(%a: f64, %o: f64, %q: f64):
      %b = arith.mulf %a, %a : f64
      %r = arith.addf %a, %o : f64
      %s = arith.addf %b, %q : f64
      linalg.yield %r, %s : f64, f64
  } -> (!R, !R)
  %1 = linalg.div ins(%0#1, %0#0 : !R, !R) outs(%e : !R) -> !R
  return %1 : !R"""), {"A": np.abs(a) + np.eye(4, 5)}, lambda A: (A * A).sum(1) / A.sum(1))
    yield Case("two_elements", function("%A: !M", "!M", """  %e = tensor.empty() : !M
  %0:2 = linalg.generic {indexing_maps = [#id, #id, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : !M) outs(%e, %t : !M, tensor<5x4xf64>) {
    ^bb0(%a: f64, %o: f64, %q: f64):
      %r = math.absf %a : f64
      %s = arith.addf %a, %r : f64
      linalg.yield %r, %s : f64, f64
  } -> (!M, tensor<5x4xf64>)
  %1 = linalg.transpose ins(%0#1 : tensor<5x4xf64>) outs(%e : !M) permutation = [1, 0]
  %2 = linalg.add ins(%0#0, %1 : !M, !M) outs(%e : !M) -> !M
  return %2 : !M""").replace("  %e =", "  %t = tensor.empty() : tensor<5x4xf64>\n  %e =", 1), {"A": a}, lambda A: 2 * np.abs(A) + A)


def over_two(text):
    """The same over both loops."""
    for one, other in (("tensor<4xf64>", "tensor<f64>"), ("tensor<4xi64>", "tensor<i64>"), ("[#id, #row, #row]", "[#id, #none, #none]"),
                       ('["parallel", "reduction"]}', '["reduction", "reduction"]}'), ("func.func", "#none = affine_map<(i, j) -> ()>\nfunc.func")):
        text = text.replace(one, other)
    return text
