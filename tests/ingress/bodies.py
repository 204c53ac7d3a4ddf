"""What bodies compute: operations on numbers, and on stored and missing entries."""

import itertools
import math

import numpy as np

from cases import CSR, DCSR, Case, function, generic, named, numbers, reduction, sparse_body


ERF = np.vectorize(math.erf)


def elementwise():
    a, b = numbers((4, 5), density=0.5), numbers((4, 5), seed=5)
    positive = np.abs(numbers((4, 5), density=0.5, seed=6)) + 0.25
    of_one = {"exp": np.exp, "abs": np.abs, "ceil": np.ceil, "floor": np.floor, "negf": np.negative, "tanh": np.tanh,
              "erf": ERF, "square": np.square, "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)}
    for name, function in of_one.items():
        yield named(f"linalg_{name}", f"linalg.{name} INS OUTS", {"A": a}, (4, 5), function, encodings={"A": CSR})
    for name, function in {"log": np.log, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "reciprocal": lambda x: 1 / x}.items():
        yield named(f"linalg_{name}", f"linalg.{name} INS OUTS", {"A": positive}, (4, 5), function)
    of_two = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
    for name, function in of_two.items():
        yield named(f"linalg_{name}", f"linalg.{name} INS OUTS", {"A": a, "B": b}, (4, 5), function, encodings={"A": CSR})
        yield named(f"linalg_{name}_both", f"linalg.{name} INS OUTS", {"A": a, "B": numbers((4, 5), density=0.5, seed=7)}, (4, 5),
                    function, encodings={"A": CSR, "B": DCSR})
    yield named("linalg_div", "linalg.div INS OUTS", {"A": a, "B": positive}, (4, 5), np.divide, encodings={"A": CSR})
    yield named("linalg_powf", "linalg.powf INS OUTS", {"A": positive, "B": b}, (4, 5), np.power)
    yield named("linalg_select", "linalg.select INS OUTS", {"C": numbers((4, 5), "i1", 0.5, low=0, high=2), "A": a, "B": b}, (4, 5), np.where)
    yield named("linalg_copy", "linalg.copy INS OUTS", {"A": a}, (4, 5), lambda A: A, encodings={"A": CSR})
    yield named("linalg_elementwise", "linalg.elementwise kind=#linalg.elementwise_kind<mul> INS OUTS", {"A": a, "B": b}, (4, 5),
                np.multiply, encodings={"A": CSR})
    scalar = {"math": {"absf": np.abs, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "sin": np.sin, "cos": np.cos, "tan": np.tan,
                       "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "atan": np.arctan, "cbrt": np.cbrt,
                       "erf": ERF, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "roundeven": np.rint},
              "arith": {"negf": np.negative}}
    for dialect, functions in scalar.items():
        for name, function in functions.items():
            yield generic(f"{dialect}_{name}", f"%r = {dialect}.{name} %a : f64", {"A": a}, function, {"A": CSR})
    for name, function in {"log": np.log, "log2": np.log2, "log1p": np.log1p, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x)}.items():
        yield generic(f"math_{name}", f"%r = math.{name} %a : f64", {"A": positive}, function)
    of_two = {"arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply, "arith.maximumf": np.maximum,
              "arith.minimumf": np.minimum, "arith.maxnumf": np.fmax, "arith.minnumf": np.fmin, "math.atan2": np.arctan2,
              "math.copysign": np.copysign}
    for name, function in of_two.items():
        yield generic(name.replace(".", "_"), f"%r = {name} %a, %b : f64", {"A": a, "B": b}, function, {"A": CSR})
    yield generic("arith_divf", "%r = arith.divf %a, %b : f64", {"A": a, "B": positive}, np.divide, {"A": CSR})
    yield generic("math_powf", "%r = math.powf %a, %b : f64", {"A": positive, "B": b}, np.power)
    yield generic("math_fma", "%r = math.fma %a, %b, %a : f64", {"A": a, "B": b}, lambda A, B: A * B + A, {"A": CSR})
    predicates = {"oeq": np.equal, "olt": np.less, "ole": np.less_equal, "ogt": np.greater, "oge": np.greater_equal, "une": np.not_equal,
                  "ult": np.less, "ule": np.less_equal, "ugt": np.greater, "uge": np.greater_equal, "ueq": np.equal, "one": np.not_equal,
                  "ord": lambda x, y: True, "uno": lambda x, y: False}
    for name, function in predicates.items():
        yield generic(f"cmpf_{name}", f"%c = arith.cmpf {name}, %a, %b : f64\n      %r = arith.select %c, %a, %b : f64", {"A": a, "B": b},
                      lambda A, B, function=function: np.where(function(A, B), A, B))


def types():
    """The same on all types of numbers."""
    for kind in ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "i1"):
        a, b = numbers((4, 5), kind, 0.5, low=0, high=2 if kind == "i1" else 4), numbers((4, 5), kind, seed=4, low=0, high=2 if kind == "i1" else 4)
        product, total = ("mulf", "addf") if "f" in kind else ("andi", "ori") if kind == "i1" else ("muli", "addi")
        yield generic(f"product_{kind}", f"%r = arith.{product} %a, %b : {kind}", {"A": a, "B": b}, lambda A, B: A * B, {"A": CSR}, kind)
        yield generic(f"sum_{kind}", f"%r = arith.{total} %a, %b : {kind}", {"A": a, "B": b}, lambda A, B: A + B, {"A": CSR, "B": DCSR}, kind)


def integers():
    a = numbers((4, 5), "i32", 0.7, low=-40, high=40)
    b = numbers((4, 5), "i32", seed=3, low=1, high=6)
    unsigned = lambda function: lambda A, B: function(A.view(np.uint32), B.view(np.uint32)).view(np.int32)
    towards_zero = lambda A, B: np.trunc(A / B).astype(np.int32)
    of_two = {"addi": np.add, "subi": np.subtract, "muli": np.multiply, "maxsi": np.maximum, "minsi": np.minimum, "andi": np.bitwise_and,
              "ori": np.bitwise_or, "xori": np.bitwise_xor, "shli": np.left_shift, "shrsi": np.right_shift,
              "shrui": unsigned(np.right_shift), "divsi": towards_zero, "remsi": np.fmod, "divui": unsigned(np.floor_divide),
              "remui": unsigned(np.mod), "maxui": unsigned(np.maximum), "minui": unsigned(np.minimum)}
    for name, function in of_two.items():
        yield generic(f"arith_{name}", f"%r = arith.{name} %a, %b : i32", {"A": a, "B": b}, function, {"A": CSR}, "i32", tolerance=0)
    compare = {"eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal, "sgt": np.greater, "sge": np.greater_equal}
    for name, function in compare.items():
        yield generic(f"cmpi_{name}", f"%c = arith.cmpi {name}, %a, %b : i32\n      %r = arith.extui %c : i1 to i32", {"A": a, "B": b},
                      lambda A, B, function=function: function(A, B).astype(np.int32), kind="i32", tolerance=0)
    for name, function in {"ult": np.less, "ule": np.less_equal, "ugt": np.greater, "uge": np.greater_equal}.items():
        yield generic(f"cmpi_{name}", f"%c = arith.cmpi {name}, %a, %b : i32\n      %r = arith.extsi %c : i1 to i32", {"A": a, "B": b},
                      lambda A, B, function=function: -function(A.view(np.uint32), B.view(np.uint32)).astype(np.int32), kind="i32",
                      tolerance=0)
    yield generic("math_absi", "%r = math.absi %a : i32", {"A": a}, np.abs, {"A": CSR}, "i32", tolerance=0)
    casts = {"sitofp": ("f64", lambda A: A.astype(np.float64)), "uitofp": ("f64", lambda A: A.view(np.uint32).astype(np.float64)),
             "extsi": ("i64", lambda A: A.astype(np.int64)), "extui": ("i64", lambda A: A.view(np.uint32).astype(np.int64)),
             "trunci": ("i8", lambda A: A.astype(np.int8))}
    for name, (to, function) in casts.items():
        yield generic(f"arith_{name}", f"%r = arith.{name} %a : i32 to {to}", {"A": a}, function, {"A": CSR}, "i32", to, tolerance=0)
    x = numbers((4, 5), density=0.6)
    yield generic("arith_truncf", "%r = arith.truncf %a : f64 to f32", {"A": x}, lambda A: A.astype(np.float32), {"A": CSR}, "f64", "f32")
    yield generic("arith_fptosi", "%r = arith.fptosi %a : f64 to i32", {"A": x}, lambda A: np.trunc(A).astype(np.int32), {"A": CSR}, "f64",
                  "i32", tolerance=0)
    yield generic("arith_fptoui", "%r = arith.fptoui %a : f64 to i32", {"A": np.abs(x)}, lambda A: np.trunc(A).astype(np.int32), {"A": CSR},
                  "f64", "i32", tolerance=0)
    yield generic("wraps_around", "%s = arith.addi %a, %a : i8\n      %r = arith.extsi %s : i8 to i32",
                  {"A": numbers((4, 5), "i8", low=-120, high=120)}, lambda A: (A + A).astype(np.int32), None, "i8", "i32", tolerance=0)
    yield generic("index", "%i = linalg.index 0 : index\n      %j = linalg.index 1 : index\n      %s = arith.addi %i, %j : index\n"
                  "      %t = arith.index_cast %s : index to i32\n      %r = arith.muli %t, %a : i32", {"A": a},
                  lambda A: A * np.add.outer(np.arange(4), np.arange(5)).astype(np.int32), {"A": CSR}, "i32", tolerance=0)


def integer_extremes():
    """Least and greatest elements with a sign and without, from what they begin with usually and from other numbers."""
    for kind in ("i8", "i32", "i64"):
        bits = int(kind[1:])
        a = numbers((4, 5), kind, low=-5, high=6)
        a[0, 1], a[1, 2], a[2, 0] = -2 ** (bits - 1), 2 ** (bits - 1) - 1, -1
        a[3] = -a[3] ** 2 - 1
        plain, other = a.dtype, np.dtype(f"u{a.dtype.itemsize}")
        for name, extreme, as_, starts in (("maxui", np.max, other, (0, 3, -1)), ("minui", np.min, other, (-1, 3, 0)),
                                           ("maxsi", np.max, plain, (-2 ** (bits - 1), 1)),
                                           ("minsi", np.min, plain, (2 ** (bits - 1) - 1, -1))):
            for start, operand in itertools.product(starts, ("", CSR)):
                expected = lambda A, extreme=extreme, as_=as_, start=start, plain=plain: extreme(
                    np.concatenate([A, np.full((4, 1), start, plain)], 1).view(as_), 1).view(plain)
                encoding = f", #sparse_tensor.encoding<{{ {operand} }}>" if operand else ""
                yield Case(f"reduce_{name}_{kind}_{start}_{'csr' if operand else 'dense'}", f"""func.func @f(%A: tensor<4x5x{kind}{encoding}>) -> tensor<4x{kind}> {{
  %n = arith.constant {start} : {kind}
  %e = tensor.empty() : tensor<4x{kind}>
  %0 = linalg.fill ins(%n : {kind}) outs(%e : tensor<4x{kind}>) -> tensor<4x{kind}>
  %1 = linalg.reduce {{ arith.{name} }} ins(%A : tensor<4x5x{kind}{encoding}>) outs(%0 : tensor<4x{kind}>) dimensions = [1]
  return %1 : tensor<4x{kind}>
}}""", {"A": a}, expected, tolerance=0)
    for name, how, start in (("max", np.max, 0), ("min", np.min, -1)):
        yield named(f"pooling_nwc_{name}_unsigned", f"linalg.pooling_nwc_{name}_unsigned INS OUTS",
                    {"x": numbers((1, 9, 2), "i8", low=-120, high=120), "w": numbers((3,), "i8")}, (1, 7, 2),
                    lambda x, w, how=how: how(np.stack([x[:, k:k + 7] for k in range(3)]).view(np.uint8), 0).view(np.int8), start=str(start),
                    kind="i8")


def complex_numbers():
    c = "complex<f64>"
    a, b = numbers((4, 5), c, 0.5), numbers((4, 5), c, seed=3) + 0.25
    bodies = {"add": ("%k = complex.constant [1.0, -2.0] : !c\n      %r = complex.add %a, %k : !c", lambda A: A + (1 - 2j)),
              "square": ("%r = complex.mul %a, %a : !c", np.square), "conj": ("%r = complex.conj %a : !c", np.conj),
              "neg": ("%r = complex.neg %a : !c", np.negative),
              "abs": ("%b = complex.abs %a : !c\n      %z = arith.constant 0.0 : f64\n      %r = complex.create %b, %z : !c", np.abs)}
    for name, (body, function) in bodies.items():
        yield generic(f"complex_{name}", body.replace("!c", c), {"A": a}, function, {"A": CSR}, c)
    for name, function in {"re": np.real, "im": np.imag, "abs": np.abs, "angle": np.angle}.items():
        yield generic(f"complex_{name}_of", f"%r = complex.{name} %a : {c}", {"A": a}, function, {"A": CSR}, c, "f64")
    for name, function in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}.items():
        yield generic(f"complex_{name}_both", f"%r = complex.{name} %a, %b : {c}", {"A": a, "B": b}, function, {"A": CSR}, c)
    yield named("matmul_complex", "linalg.matmul INS OUTS", {"A": a, "B": numbers((5, 3), c)}, (4, 3), np.matmul, kind=c, encodings={"A": CSR})
    yield named("matvec_complex", "linalg.matvec INS OUTS", {"A": a.astype(np.complex64), "x": numbers((5,), "complex<f32>")}, (4,), np.matmul,
                kind="complex<f32>", encodings={"A": DCSR})


#: As NumPy has them, and whether they are 0 of 0.
COMPLEX = {"sqrt": (np.sqrt, True), "exp": (np.exp, False), "log": (np.log, False), "sin": (np.sin, True), "cos": (np.cos, False),
           "tan": (np.tan, True), "tanh": (np.tanh, True), "sign": (lambda z: np.where(z == 0, 0, z / np.abs(z)), True),
           "expm1": (np.expm1, True), "log1p": (np.log1p, True), "rsqrt": (lambda z: 1 / np.sqrt(z), False)}


def complex_functions():
    for name, (expected, keeps_zero) in COMPLEX.items():
        vector = "tensor<3xcomplex<f64>>"
        yield Case(f"complex_{name}", f"""func.func @f(%A: {vector}) -> {vector} {{
  %e = tensor.empty() : {vector}
  %0 = linalg.map {{ complex.{name} }} ins(%A : {vector}) outs(%e : {vector})
  return %0 : {vector}
}}""", {"A": np.array([1 + 2j, -0.5j, 3])}, expected, tolerance=1e-12)
        for kind, tolerance in (("f64", 1e-12), ("f32", 1e-5)):
            c = f"complex<{kind}>"
            a = numbers((6, 7), c, low=-2, high=3) / 2
            a[0, :3] = 1e-9, 1e-9j, 1 + 1e-9j
            if name == "log1p":
                a[1, :4] = -1 + 1e-9j, -1 + 1e-15j, -1 - 1e-30j, -1 + 0.25j
            if not keeps_zero:
                a += np.where(a == 0, 0.25, 0).astype(a.dtype)
            yield generic(f"complex_{name}_all_{kind}", f"%r = complex.{name} %a : {c}", {"A": a},
                          expected, {"A": CSR} if keeps_zero else {}, c, tolerance=tolerance)
    c = "complex<f64>"
    a, b = numbers((4, 5), c, seed=5) / 2, numbers((4, 5), c, seed=6) / 2
    a[0, 0] = b[0, 0] = b[0, 1] = 0
    a[1, 1], b[1, 1] = 0, 2
    a, b = np.where(a == 0, np.where(b.real > 0, 0, 1), a), np.where(a == 0, np.where(b.real > 0, b, 0), b)
    yield generic("complex_pow", f"%r = complex.pow %a, %b : {c}", {"A": a, "B": b}, np.power, None, c, tolerance=1e-12)
    yield generic("complex_atan2", f"%r = complex.atan2 %a, %b : {c}", {"A": a, "B": b + 0.25},
                  lambda A, B: -1j * np.log((B + 1j * A) / np.sqrt(B * B + A * A)), None, c)
    yield generic("complex_exp_of_log", f"%l = complex.log %a : {c}\n      %r = complex.exp %l : {c}", {"A": a + 0.25}, lambda A: A, None, c)
    x, y = numbers((4, 5), density=0.5), numbers((4, 5), density=0.5, seed=3)
    for name, encodings in (("", {}), ("_sparse", {"A": CSR, "B": CSR})):
        yield generic(f"complex_create{name}", f"%r = complex.create %a, %b : {c}", {"A": x, "B": y}, lambda A, B: A + 1j * B, encodings,
                      "f64", c)
    yield generic("complex_create_number", f"%k = arith.constant 2.0 : f64\n      %r = complex.create %a, %k : {c}", {"A": x},
                  lambda A: A + 2j, {"A": CSR}, "f64", c)
    yield generic("complex_parts_exchanged", f"%p = complex.re %a : {c}\n      %q = complex.im %a : {c}\n      %r = complex.create %q, %p : {c}",
                  {"A": a}, lambda A: A.imag + 1j * A.real, {"A": CSR}, c)
    for name, function in (("eq", np.equal), ("neq", np.not_equal)):
        yield generic(f"complex_{name}", f"%c = complex.{name} %a, %b : {c}\n      %r = arith.uitofp %c : i1 to f64",
                      {"A": a, "B": np.where(x == 0, a, b)}, lambda A, B, function=function: function(A, B) + 0.0, {"A": CSR}, c, "f64")
    yield Case("complex_create_assembled", f"""#CSR = #sparse_tensor.encoding<{{ {CSR} }}>
func.func @f(%A: tensor<4x5xf64, #CSR>, %B: tensor<4x5xf64, #CSR>) -> tensor<4x5xcomplex<f64>, #CSR> {{
  %e = tensor.empty() : tensor<4x5xcomplex<f64>, #CSR>
  %0 = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}}
      ins(%A, %B : tensor<4x5xf64, #CSR>, tensor<4x5xf64, #CSR>) outs(%e : tensor<4x5xcomplex<f64>, #CSR>) {{
    ^bb0(%a: f64, %b: f64, %o: complex<f64>):
      %r = complex.create %a, %b : complex<f64>
      linalg.yield %r : complex<f64>
  }} -> tensor<4x5xcomplex<f64>, #CSR>
  return %0 : tensor<4x5xcomplex<f64>, #CSR>
}}""", {"A": x, "B": y}, lambda A, B: A + 1j * B)


def sparse_operations():
    a, b = numbers((4, 5), density=0.5), numbers((4, 5), density=0.5, seed=9)
    there, other = a != 0, b != 0
    exp = "present = { ^bb0(%x: f64): %t = math.exp %x : f64\n sparse_tensor.yield %t : f64 }"
    one = "absent = { %c = arith.constant 7.0 : f64\n sparse_tensor.yield %c : f64 }"
    for name, present, absent, values in (("present", exp, "absent = {}", np.where(there, np.exp(a), 0)),
                                          ("absent", "present = {}", one, np.where(there, 0, 7)),
                                          ("both", exp, one, np.where(there, np.exp(a), 7)),
                                          ("neither", "present = {}", "absent = {}", 0 * a)):
        yield Case(f"unary_{name}", sparse_body(f"      %r = sparse_tensor.unary %a : f64 to f64 {present} {absent}"), {"A": a},
                   lambda A, values=values: values)
    parts = {"overlap": "{ ^bb0(%x: f64, %y: f64): %t = arith.maximumf %x, %y : f64\n sparse_tensor.yield %t : f64 }",
             "left": "{ ^bb0(%x: f64): %t = arith.negf %x : f64\n sparse_tensor.yield %t : f64 }",
             "right": "{ ^bb0(%y: f64): %t = math.absf %y : f64\n sparse_tensor.yield %t : f64 }"}
    for overlap, left, right in itertools.product((False, True), ("", "own", "identity"), ("", "own", "identity")):
        text = f"overlap = {parts['overlap'] if overlap else '{}'} "
        text += f"left = {parts['left'] if left == 'own' else left or '{}'} right = {parts['right'] if right == 'own' else right or '{}'}"
        values = np.where(there & other, np.maximum(a, b) if overlap else 0,
                          np.where(there, {"": 0 * a, "own": -a, "identity": a}[left],
                                   {"": 0 * b, "own": np.abs(b), "identity": b}[right]))
        yield Case(f"binary_{'overlap' if overlap else 'none'}_{left or 'none'}_{right or 'none'}",
                   sparse_body(f"      %r = sparse_tensor.binary %a, %b : f64, f64 to f64 {text}", ("A", "B")), {"A": a, "B": b},
                   lambda A, B, values=values: values)
    triangle = """      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %r = sparse_tensor.select %a : f64 { ^bb0(%x: f64):
          %k = arith.cmpi ugt, %j, %i : index
          sparse_tensor.yield %k : i1 }"""
    yield Case("select_triangle", sparse_body(triangle), {"A": a}, lambda A: np.triu(A, 1))
    positive = """      %z = arith.constant 0.0 : f64
      %r = sparse_tensor.select %a : f64 { ^bb0(%x: f64):
          %k = arith.cmpf ogt, %x, %z : f64
          sparse_tensor.yield %k : i1 }"""
    yield Case("select_positive", sparse_body(positive), {"A": a}, lambda A: np.maximum(A, 0))
    for name, combine, start, reduce in (("sum", "arith.addf", "0.0", np.sum), ("product", "arith.mulf", "1.0", np.prod),
                                         ("max", "arith.maximumf", "0xFFF0000000000000", np.max),
                                         ("min", "arith.minimumf", "0x7FF0000000000000", np.min)):
        neutral = {"sum": 0, "product": 1, "max": -np.inf, "min": np.inf}[name]
        yield Case(f"reduce_{name}", function("%A: !S", "!R", f"""  %n = arith.constant {start} : f64
  %e = tensor.empty() : !R
  %f = linalg.fill ins(%n : f64) outs(%e : !R) -> !R
  %0 = linalg.generic #sum ins(%A : !S) outs(%f : !R) {{
    ^bb0(%a: f64, %o: f64):
      %r = sparse_tensor.reduce %a, %o, %n : f64 {{ ^bb0(%x: f64, %y: f64):
          %t = {combine} %x, %y : f64
          sparse_tensor.yield %t : f64 }}
      linalg.yield %r : f64
  }} -> !R
  return %0 : !R"""), {"A": a}, lambda A, reduce=reduce, neutral=neutral: np.array(
            [reduce(np.append(row[row != 0], neutral)) for row in A]))
    yield Case("number_of_entries", function("%A: !S", "index", "  %n = sparse_tensor.number_of_entries %A : !S\n  return %n : index"),
               {"A": a}, np.count_nonzero)


def concatenations():
    a, b = numbers((4, 5), density=0.5), numbers((4, 5), density=0.5, seed=9)
    yield Case("concatenate_dense", function("%A: !S, %B: !C", "tensor<8x5xf64>",
                                             "  %0 = sparse_tensor.concatenate %A, %B {dimension = 0 : index} : !S, !C to tensor<8x5xf64>\n  return %0 : tensor<8x5xf64>"),
               {"A": a, "B": b}, lambda A, B: np.concatenate([A, B]))
    yield Case("concatenate_three", function("%A: !S, %B: !C, %D: !M", "tensor<4x15xf64, #CSC>", """  %0 = sparse_tensor.concatenate %A, %B, %D {dimension = 1 : index} : !S, !C, !M to tensor<4x15xf64, #CSC>
  return %0 : tensor<4x15xf64, #CSC>"""), {"A": a, "B": b, "D": numbers((4, 5))}, lambda A, B, D: np.concatenate([A, B, D], 1))
    for dimension in (0, 1):
        shape = (8, 5) if dimension == 0 else (4, 10)
        result = f"tensor<{shape[0]}x{shape[1]}xf64, #CSR>"
        yield Case(f"concatenate_{dimension}", function("%A: !S, %B: !C", result, f"""  %0 = sparse_tensor.concatenate %A, %B {{dimension = {dimension} : index}} : !S, !C to {result}
  return %0 : {result}"""), {"A": a, "B": b}, lambda A, B, dimension=dimension: np.concatenate([A, B], dimension))


def written_by_front_ends(a, minus):
    """Reductions as torch-mlir writes them."""
    yield Case("kept_dimension", function("%A: !S", "tensor<4x1xf64>", """  %n = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x1xf64>
  %f = linalg.fill ins(%n : f64) outs(%e : tensor<4x1xf64>) -> tensor<4x1xf64>
  %0 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%A : !S) outs(%f : tensor<4x1xf64>) {
    ^bb0(%a: f64, %o: f64):
      %r = arith.addf %a, %o : f64
      linalg.yield %r : f64
  } -> tensor<4x1xf64>
  return %0 : tensor<4x1xf64>"""), {"A": a}, lambda A: A.sum(1, keepdims=True))
    yield Case("greatest_without_place", function("%A: !S", "!R", f"""  %n = arith.constant {minus} : f64
  %z = arith.constant 0 : i64
  %e = tensor.empty() : !R
  %p = tensor.empty() : tensor<4xi64>
  %f = linalg.fill ins(%n : f64) outs(%e : !R) -> !R
  %g = linalg.fill ins(%z : i64) outs(%p : tensor<4xi64>) -> tensor<4xi64>
  %0:2 = linalg.generic {{indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%A : !S) outs(%f, %g : !R, tensor<4xi64>) {{
    ^bb0(%a: f64, %o: f64, %q: i64):
      %j = linalg.index 1 : index
      %k = arith.index_cast %j : index to i64
      %r = arith.maximumf %a, %o : f64
      %c = arith.cmpf ogt, %a, %o : f64
      %s = arith.select %c, %k, %q : i64
      linalg.yield %r, %s : f64, i64
  }} -> (!R, tensor<4xi64>)
  return %0#0 : !R"""), {"A": a}, lambda A: A.max(1))


def reductions():
    a = numbers((4, 5), density=0.6)
    minus, plus = "0xFFF0000000000000", "0x7FF0000000000000"
    yield Case("sum", reduction("      %r = arith.addf %a, %o : f64"), {"A": a}, lambda A: A.sum(1))
    yield Case("sum_from", reduction("      %r = arith.addf %o, %a : f64", "2.5"), {"A": a}, lambda A: A.sum(1) + 2.5)
    yield Case("sum_subtracted", reduction("      %r = arith.subf %o, %a : f64"), {"A": a}, lambda A: -A.sum(1))
    yield Case("sum_of_two", reduction("      %s = arith.addf %o, %a : f64\n      %t = arith.mulf %a, %a : f64\n      %r = arith.addf %t, %s : f64"),
               {"A": a}, lambda A: A.sum(1) + (A * A).sum(1))
    yield Case("sum_fused", reduction("      %r = math.fma %a, %a, %o : f64"), {"A": a}, lambda A: (A * A).sum(1))
    yield Case("product", reduction("      %r = arith.mulf %o, %a : f64", "1.0"), {"A": a}, lambda A: A.prod(1))
    for name, start, combine, function_ in (("max", minus, "arith.maximumf", np.max), ("min", plus, "arith.minimumf", np.min),
                                            ("maxnum", minus, "arith.maxnumf", np.max), ("minnum", plus, "arith.minnumf", np.min)):
        yield Case(f"{name}imum", reduction(f"      %r = {combine} %o, %a : f64", start), {"A": a}, lambda A, function_=function_: function_(A, 1))
    for predicate, start, function_ in (("olt", plus, np.min), ("ole", plus, np.min), ("ogt", minus, np.max), ("oge", minus, np.max)):
        yield Case(f"select_{predicate}", reduction(f"      %c = arith.cmpf {predicate}, %a, %o : f64\n      %r = arith.select %c, %a, %o : f64", start),
                   {"A": a}, lambda A, function_=function_: function_(A, 1))
        yield Case(f"select_turned_{predicate}",
                   reduction(f"      %c = arith.cmpf {predicate}, %o, %a : f64\n      %r = arith.select %c, %a, %o : f64",
                             plus if start == minus else minus),
                   {"A": a}, lambda A, function_=np.max if function_ is np.min else np.min: function_(A, 1))
    with_nan = a.copy()
    with_nan[1, 2] = np.nan
    yield Case("maximum_nan", reduction("      %r = arith.maximumf %o, %a : f64", minus), {"A": with_nan}, lambda A: np.max(A, 1))
    yield Case("maxnum_nan", reduction("      %r = arith.maxnumf %o, %a : f64", minus), {"A": with_nan}, lambda A: np.nanmax(A, 1))
    yield Case("select_nan", reduction("      %c = arith.cmpf olt, %a, %o : f64\n      %r = arith.select %c, %a, %o : f64", plus),
               {"A": with_nan}, lambda A: np.nanmin(A, 1))
    none = with_nan.copy()
    none[2] = np.nan
    yield Case("maxnum_from_nan", reduction("      %r = arith.maxnumf %o, %a : f64", "0x7FF8000000000000"), {"A": none},
               lambda A: np.fmax.reduce(A, 1))
    yield Case("minnum_from", reduction("      %r = arith.minnumf %o, %a : f64", "1.0"), {"A": none},
               lambda A: np.fmin(np.fmin.reduce(A, 1), 1))
    yield Case("accumulates", function("%A: !S, %y: !R", "!R", """  %0 = linalg.generic #sum ins(%A : !S) outs(%y : !R) {
    ^bb0(%a: f64, %o: f64):
      %r = arith.addf %a, %o : f64
      linalg.yield %r : f64
  } -> !R
  return %0 : !R"""), {"A": a, "y": numbers((4,))}, lambda A, y: A.sum(1) + y)
    yield from written_by_front_ends(a, minus)
    yield Case("not_a_reduction", reduction("      %t = arith.mulf %o, %a : f64\n      %r = arith.addf %t, %a : f64"), {"A": a},
               refused="mlir-reduction")
