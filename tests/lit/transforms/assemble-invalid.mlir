// RUN: spc-opt %s -spc-assemble -split-input-file -verify-diagnostics

// Columns outermost, where rows are said to be.
func.func @columns_first(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                         %m: index {spc.bind = #spc.bind<size, "i">}, %n: index {spc.bind = #spc.bind<size, "j">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f64
  scf.for %j = %c0 to %n step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %v : f64
      // expected-error @+1 {{the outer loops are not over the rows of an assembled output}}
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

func.func @overwritten(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                       %m: index {spc.bind = #spc.bind<size, "i">}, %n: index {spc.bind = #spc.bind<size, "j">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      // expected-error @+1 {{an assembled output's element is not updated by a sum}}
      memref.store %v, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

func.func @copied(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                  %b: memref<?x?xf64> {spc.bind = #spc.bind<values, "b">}) {
  // expected-error @+1 {{an assembled output is used in an unknown way}}
  memref.copy %a, %b : memref<?x?xf64> to memref<?x?xf64>
  return
}
