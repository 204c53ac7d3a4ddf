// RUN: spc-opt %s -spc-lower-assembly=hoist | FileCheck %s
// RUN: spc-opt %s -spc-lower-assembly | FileCheck %s --check-prefix=PLAIN

!workspace = !spc.run<workspace, row = 1, key = i32, value = f64>

// Loops that accumulate under keys that they load have a form for segments with keys in a row, of which four are one
// vector. Hash tables have no neighbouring slots.
// CHECK-LABEL: func.func @gustavson(
// CHECK-SAME:    %[[LOW:[a-z0-9]+]]: index, %[[HIGH:[a-z0-9]+]]: index, %[[KEYS:[a-z0-9]+]]: memref<?xi32>, %[[VALUES:[a-z0-9]+]]: memref<?xf64>, %[[X:[a-z0-9]+]]: f64)
// Segments of fewer entries, and those without keys in a row at the begin and in the middle, keep the plain loop.
// CHECK:         %[[FOURTH:.*]] = arith.addi %[[LOW]], %c4
// CHECK:         arith.cmpi sle, %[[FOURTH]], %[[HIGH]]
// CHECK:         scf.while
// Keys count one by one, as storage may list them in any order, and have their bits in one word.
// CHECK:           %[[FOUND:.*]] = vector.load %[[KEYS]][%[[P:.*]]] : memref<?xi32>, vector<4xi32>
// CHECK:           %[[SAME:.*]] = arith.cmpi eq, %[[FOUND]], %
// CHECK:           vector.reduction <and>, %[[SAME]] : vector<4xi1> into i1
// CHECK:           arith.cmpi ule, %{{.*}}, %c60
// CHECK:           %[[OLD:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xf64>
// CHECK:           %[[FOUR:.*]] = vector.load %[[VALUES]][%[[P]]] : memref<?xf64>, vector<4xf64>
// CHECK:           %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %[[FOUR]] : vector<4xf64>
// CHECK:           arith.addf %[[OLD]], %[[PRODUCT]] : vector<4xf64>
// CHECK:           arith.shli %c15_i64, %
// CHECK:           llvm.store %{{.*}} : vector<4xf64>, !llvm.ptr
// CHECK:         scf.for
// CHECK:           arith.addf %{{.*}} : f64
// CHECK:         } else {
// CHECK-NOT:       vector
// CHECK:           llvm.call @spc.rt.locate(
// PLAIN-NOT:     vector
func.func @gustavson(%assembly: !llvm.ptr, %chunk: index, %i: index, %low: index, %high: index, %keys: memref<?xi32>,
                     %values: memref<?xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !workspace):
    scf.for %p = %low to %high step %c1 {
      %j = memref.load %keys[%p] : memref<?xi32>
      %key = arith.index_cast %j : i32 to index
      %slot, %old = spc.locate %run[%key] : !workspace -> f64
      %y = memref.load %values[%p] : memref<?xf64>
      %product = arith.mulf %x, %y : f64
      %new = arith.addf %old, %product : f64
      spc.accumulate %run[%key at %slot], %new : f64 in !workspace
    }
    spc.end_row %run(%i) : !workspace
    spc.close_run
  }
  return
}

// Where another operand is found by the key, there are no four elements side by side.
// CHECK-LABEL: func.func @gathers(
// CHECK-NOT:     vector
// CHECK:         return
func.func @gathers(%assembly: !llvm.ptr, %chunk: index, %i: index, %low: index, %high: index, %keys: memref<?xi32>,
                   %values: memref<?xf64>, %x: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !workspace):
    scf.for %p = %low to %high step %c1 {
      %j = memref.load %keys[%p] : memref<?xi32>
      %key = arith.index_cast %j : i32 to index
      %slot, %old = spc.locate %run[%key] : !workspace -> f64
      %y = memref.load %values[%p] : memref<?xf64>
      %z = memref.load %x[%key] : memref<?xf64>
      %product = arith.mulf %z, %y : f64
      %new = arith.addf %old, %product : f64
      spc.accumulate %run[%key at %slot], %new : f64 in !workspace
    }
    spc.end_row %run(%i) : !workspace
    spc.close_run
  }
  return
}
