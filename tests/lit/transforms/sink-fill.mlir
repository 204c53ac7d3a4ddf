// RUN: spc-opt %s -spc-sink-fill | FileCheck %s

// The loop owns the rows: each is initialised at the start of its iteration.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[C:[a-z0-9]*]]: memref
// CHECK-SAME:    %[[M:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "m">}
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "n">}
// CHECK-NOT:     linalg.fill
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[M]]
// CHECK:           scf.for %[[J:.*]] = %{{.*}} to %[[N]]
// CHECK-NEXT:        memref.store %{{.*}}, %[[C]][%[[I]], %[[J]]]
// CHECK:           memref.load %[[C]][%[[I]], %c0]
func.func @rows(%c: memref<?x?xf64, strided<[?, 1]>> {spc.bind = #spc.bind<values, "C">, spc.tensor = #spc.tensor<"C" extents = [<"m">, <"n">]>},
                %m: index {spc.bind = #spc.bind<size, "m">}, %n: index {spc.bind = #spc.bind<size, "n">}) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  linalg.fill ins(%zero : f64) outs(%c : memref<?x?xf64, strided<[?, 1]>>)
  scf.for %i = %c0 to %m step %c1 {
    %old = memref.load %c[%i, %c0] : memref<?x?xf64, strided<[?, 1]>>
    %new = arith.addf %old, %old : f64
    memref.store %new, %c[%i, %c0] : memref<?x?xf64, strided<[?, 1]>>
  }
  return
}

// The loop runs over something else (here: extent k): the fill stays in front of it.
// CHECK-LABEL: func.func @scatter(
// CHECK:         scf.for
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK:         scf.for
// CHECK:           memref.load
func.func @scatter(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">, spc.tensor = #spc.tensor<"y" extents = [<"m">]>},
                   %m: index {spc.bind = #spc.bind<size, "m">}, %k: index {spc.bind = #spc.bind<size, "k">}) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  linalg.fill ins(%zero : f64) outs(%y : memref<?xf64>)
  scf.for %i = %c0 to %k step %c1 {
    %old = memref.load %y[%i] : memref<?xf64>
    %new = arith.addf %old, %old : f64
    memref.store %new, %y[%i] : memref<?xf64>
  }
  return
}

// The loop owns blocks of 4 rows. The rows of the last block that lie outside are clipped later.
// CHECK-LABEL: func.func @blocks(
// CHECK-NOT:     linalg.fill
// CHECK:         scf.for %[[IO:[a-z0-9]*]] =
// CHECK:           scf.for %[[II:[a-z0-9]*]] = %{{.*}} to %c4
// CHECK:             %[[FIRST:.*]] = arith.muli %[[IO]], %c4
// CHECK:             %[[ROW:.*]] = arith.addi %[[II]], %[[FIRST]]
// CHECK:             memref.store %{{.*}}, %{{.*}}[%[[ROW]]]
// CHECK:           scf.for
// CHECK:             memref.load
func.func @blocks(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">, spc.tensor = #spc.tensor<"y" extents = [<"m">]>},
                  %m: index {spc.bind = #spc.bind<size, "m" by 4>}) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  linalg.fill ins(%zero : f64) outs(%y : memref<?xf64>)
  scf.for %io = %c0 to %m step %c1 {
    scf.for %ii = %c0 to %c4 step %c1 {
      %first = arith.muli %io, %c4 : index
      %i = arith.addi %first, %ii : index
      %old = memref.load %y[%i] : memref<?xf64>
      %new = arith.addf %old, %old : f64
      memref.store %new, %y[%i] : memref<?xf64>
    }
  }
  return
}

// Blocks of 4 in a loop over blocks of 8 are not the same rows.
// CHECK-LABEL: func.func @other_blocks(
// CHECK:         scf.for
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK:         scf.for
func.func @other_blocks(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">, spc.tensor = #spc.tensor<"y" extents = [<"m">]>},
                        %m: index {spc.bind = #spc.bind<size, "m" by 8>}) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  linalg.fill ins(%zero : f64) outs(%y : memref<?xf64>)
  scf.for %io = %c0 to %m step %c1 {
    %i = arith.muli %io, %c4 : index
    memref.store %zero, %y[%i] : memref<?xf64>
  }
  return
}

// A call in which k is 0 leaves the loop out: the fill stays in front of it.
// CHECK-LABEL: func.func @skipped(
// CHECK:         scf.for
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK:         scf.for
// CHECK-NEXT:      memref.load
func.func @skipped(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">, spc.tensor = #spc.tensor<"y" extents = [<"m">]>},
                   %m: index {spc.bind = #spc.bind<size, "m">})
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m">>] empty = [<"k">]>]} {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  linalg.fill ins(%zero : f64) outs(%y : memref<?xf64>)
  scf.for %i = %c0 to %m step %c1 {
    %old = memref.load %y[%i] : memref<?xf64>
    %new = arith.addf %old, %old : f64
    memref.store %new, %y[%i] : memref<?xf64>
  } {spc.place = #spc.place<0, 0>}
  return
}
