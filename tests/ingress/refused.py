"""What is refused, by name."""

from cases import Case, function

# Operations on arrays of tensors, or in loops over them: each in a function of its own.
PLUMBING = {
    "values": ("%A: !S", "memref<?xf64>", "  %0 = sparse_tensor.values %A : !S to memref<?xf64>\n  return %0 : memref<?xf64>"),
    "positions": ("%A: !S", "memref<?xindex>",
                  "  %0 = sparse_tensor.positions %A {level = 1 : index} : !S to memref<?xindex>\n  return %0 : memref<?xindex>"),
    "coordinates": ("%A: !S", "memref<?xindex>",
                    "  %0 = sparse_tensor.coordinates %A {level = 1 : index} : !S to memref<?xindex>\n  return %0 : memref<?xindex>"),
    "foreach": ("%A: !S, %z: f64", "f64", """  %0 = sparse_tensor.foreach in %A init(%z) : !S, f64 -> f64 do {
    ^bb0(%i: index, %j: index, %v: f64, %s: f64):
      %t = arith.addf %s, %v : f64
      sparse_tensor.yield %t : f64
  }
  return %0 : f64"""),
    "insert": ("%x: f64, %i: index", "tensor<4xf64, #VEC>", """  %e = tensor.empty() : tensor<4xf64, #VEC>
  %0 = tensor.insert %x into %e[%i] : tensor<4xf64, #VEC>
  %1 = sparse_tensor.load %0 hasInserts : tensor<4xf64, #VEC>
  return %1 : tensor<4xf64, #VEC>"""),
    "push_back": ("%n: index, %B: memref<?xf64>, %v: f64", "index",
                  "  %0, %1 = sparse_tensor.push_back %n, %B, %v : index, memref<?xf64>, f64\n  return %1 : index"),
    "sort": ("%n: index, %B: memref<?xindex>", "index", """  sparse_tensor.sort quick_sort %n, %B {perm_map = affine_map<(i, j) -> (i, j)>, ny = 0 : index} : memref<?xindex>
  return %n : index"""),
    "new": ("%f: index", "!S", "  %0 = sparse_tensor.new %f : index to !S\n  return %0 : !S"),
    "print": ("%A: !S", "!S", "  sparse_tensor.print %A : !S\n  return %A : !S"),
    "disassemble": ("%A: !S, %p: tensor<5xindex>, %c: tensor<9xindex>, %v: tensor<9xf64>", "tensor<9xf64>",
                    """  %0, %1, %2, %3, %4, %5 = sparse_tensor.disassemble %A : !S out_lvls(%p, %c : tensor<5xindex>, tensor<9xindex>)
      out_vals(%v : tensor<9xf64>) -> (tensor<5xindex>, tensor<9xindex>), tensor<9xf64>, (index, index), index
  return %2 : tensor<9xf64>"""),
    "iterate": ("%A: tensor<4xf64, #VEC>, %z: index", "index", """  %l = sparse_tensor.extract_iteration_space %A lvls = 0 : tensor<4xf64, #VEC> -> !sparse_tensor.iter_space<#VEC, lvls = 0>
  %r = sparse_tensor.iterate %it in %l at (%c) iter_args(%o = %z) : !sparse_tensor.iter_space<#VEC, lvls = 0> -> index {
    %s = arith.addi %o, %c : index
    sparse_tensor.yield %s : index
  }
  return %r : index"""),
    "generate": ("%x: f64", "!R", """  %0 = tensor.generate {
    ^bb0(%i: index):
      tensor.yield %x : f64
  } : !R
  return %0 : !R"""),
    "insert_one": ("%x: f64, %A: !R, %i: index", "!R", "  %0 = tensor.insert %x into %A[%i] : !R\n  return %0 : !R"),
    "reinterpret_map": ("%A: tensor<4x6xf64, #BSR>", "tensor<2x3x2x2xf64, #LEVELS>",
                        "  %0 = sparse_tensor.reinterpret_map %A : tensor<4x6xf64, #BSR> to tensor<2x3x2x2xf64, #LEVELS>\n"
                        "  return %0 : tensor<2x3x2x2xf64, #LEVELS>"),
}
HEADER = """#BSR = #sparse_tensor.encoding<{ map = (i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense) }>
#LEVELS = #sparse_tensor.encoding<{ map = (i, j, k, l) -> (i : dense, j : compressed, k : dense, l : dense) }>
"""


def refusals():
    for name, (arguments, results, body) in PLUMBING.items():
        yield Case(name, function(arguments, results, body, HEADER), {}, refused="mlir-operation")
    loop = function("%x: !V, %n: index", "!V", """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%y = %x) -> (!V) {
    %e = tensor.empty() : !V
    %z = linalg.exp ins(%y : !V) outs(%e : !V) -> !V
    scf.yield %z : !V
  }
  return %r : !V""")
    yield Case("loop", loop, {}, refused="mlir-operation")
    yield Case("slice_passed", """#E = #sparse_tensor.encoding<{ map = (i : #sparse_tensor<slice(1, 3, 1)>, j : #sparse_tensor<slice(0, 4, 1)>) -> (i : dense, j : compressed) }>
func.func @f(%A: tensor<3x4xf64, #E>) -> tensor<3x4xf64> {
  %0 = sparse_tensor.convert %A : tensor<3x4xf64, #E> to tensor<3x4xf64>
  return %0 : tensor<3x4xf64>
}""", {}, refused="mlir-encoding")
    yield Case("complex_bitcast", function("%A: tensor<3xcomplex<f32>>", "tensor<3xi64>", """  %e = tensor.empty() : tensor<3xi64>
  %0 = linalg.map { complex.bitcast } ins(%A : tensor<3xcomplex<f32>>) outs(%e : tensor<3xi64>)
  return %0 : tensor<3xi64>"""), {}, refused="mlir-operation")
    yield Case("unknown_operation", function("%A: !M", "!M", '  %0 = "torch.relu"(%A) : (!M) -> !M\n  return %0 : !M'), {}, refused="mlir-operation")
    yield Case("unknown_type", function("%f: !llvm.ptr", "!S", "  %0 = sparse_tensor.new %f : !llvm.ptr to !S\n  return %0 : !S"), {}, refused="mlir-type")
    yield Case("undefined", function("%A: !S", "!R", """  %e = tensor.empty() : !R
  %0 = linalg.generic #sum ins(%A : !S) outs(%e : !R) {
    ^bb0(%a: f64, %o: f64):
      %r = arith.addf %a, %o : f64
      linalg.yield %r : f64
  } -> !R
  return %0 : !R"""), {}, refused="mlir-undefined")
    yield Case("type", function("%A: tensor<4xi7>", "tensor<4xi7>", "  return %A : tensor<4xi7>"), {}, refused="mlir-type")
    yield Case("syntax", "func.func @f(%A: tensor<4xf64>) -> tensor<4xf64> { return %B }", {}, refused="mlir-syntax")
    yield Case("no_function", "module { }", {}, refused="mlir-function")
