// RUN: spc-opt %s -spc-promote-blocks=vector-bytes=16 -canonicalize -cse | FileCheck %s
// RUN: spc-opt %s -spc-promote-blocks="vector-bytes=16 strict-fp=true" -canonicalize -cse | FileCheck %s --check-prefix=STRICT

// Two rows of a block, each with a sum of its own in every lane; a block at the edge adds to the first lane. Where whole
// blocks make up the matrix, none is tested for lying at the edge.
// CHECK-LABEL: func.func @spmv(
// CHECK-SAME:    %[[A:[a-z0-9]*]]: memref<?xf64>, %[[X:[a-z0-9]*]]: memref<?xf64>, %[[Y:[a-z0-9]*]]: memref<?xf64>
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index) {
// CHECK:         %[[REST:.*]] = arith.remui %[[N]], %c4
// CHECK:         %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK:         %[[SUMS:.*]]:2 = scf.if %[[WHOLE]]
// CHECK:           scf.for %{{.*}} -> (vector<2xf64>, vector<2xf64>)
// CHECK-NOT:         scf.if
// CHECK:             vector.load %[[X]]
// CHECK:           } else {
// CHECK:         scf.for %{{.*}} iter_args(%[[S0:.*]] = %{{.*}}, %[[S1:.*]] = %{{.*}}) -> (vector<2xf64>, vector<2xf64>)
// CHECK:           scf.if %{{.*}} -> (vector<2xf64>, vector<2xf64>)
// CHECK-NOT:         scf.for
// CHECK:             %[[A0:.*]] = vector.load %[[A]]
// CHECK:             %[[X0:.*]] = vector.load %[[X]]
// CHECK:             %[[P0:.*]] = arith.mulf %[[A0]], %[[X0]] : vector<2xf64>
// CHECK:             arith.addf %[[S0]], %[[P0]] : vector<2xf64>
// CHECK:           } else {
// CHECK:             %[[EDGE:.*]]:2 = scf.for
// CHECK:             vector.extract %[[S0]][0]
// CHECK:         vector.shuffle %[[SUMS]]#0, %[[SUMS]]#1 [0, 3]
// CHECK:         vector.shuffle %[[SUMS]]#0, %[[SUMS]]#1 [1, 2]
// CHECK:         %[[OLD:.*]] = vector.load %[[Y]]
// CHECK:         %[[NEW:.*]] = arith.addf %[[OLD]], %{{.*}} : vector<2xf64>
// CHECK:         vector.store %[[NEW]], %[[Y]]

// In the source's order: one scalar for each row, in a register all the same.
// STRICT-LABEL: func.func @spmv(
// STRICT:         %[[R0:.*]] = memref.load %[[Y:[a-z0-9]*]][%[[ROW:.*]]] : memref<?xf64>
// STRICT:         %[[R1:.*]] = memref.load %[[Y]]
// STRICT:         scf.for %{{.*}} iter_args(%[[S0:.*]] = %[[R0]], %[[S1:.*]] = %[[R1]]) -> (f64, f64)
// STRICT:           scf.for %{{.*}} iter_args(%{{.*}} = %[[S0]], %{{.*}} = %[[S1]])
// STRICT-NOT:       memref.store
// STRICT:         memref.store %{{.*}}, %[[Y]][%[[ROW]]]
func.func @spmv(%a: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %indices: memref<?xindex>, %block: index,
                %from: index, %to: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %first = arith.muli %block, %c2 : index
  scf.for %p = %from to %to step %c1 {
    %j = memref.load %indices[%p] : memref<?xindex>
    %column = arith.muli %j, %c4 : index
    %end = arith.addi %column, %c4 : index
    %full = arith.cmpi sle, %end, %n : index
    scf.if %full {
      scf.for %r = %c0 to %c2 step %c1 {
        %row = arith.addi %first, %r : index
        %pr = arith.muli %p, %c2 : index
        %line = arith.addi %pr, %r : index
        %start = arith.muli %line, %c4 : index
        %old = memref.load %y[%row] : memref<?xf64>
        %new = scf.for %c = %c0 to %c4 step %c1 iter_args(%sum = %old) -> (f64) {
          %at = arith.addi %start, %c : index
          %of = arith.addi %column, %c : index
          %u = memref.load %a[%at] : memref<?xf64>
          %v = memref.load %x[%of] : memref<?xf64>
          %uv = arith.mulf %u, %v : f64
          %next = arith.addf %sum, %uv : f64
          scf.yield %next : f64
        }
        memref.store %new, %y[%row] : memref<?xf64>
      }
    } else {
      %left = arith.subi %n, %column : index
      scf.for %r = %c0 to %c2 step %c1 {
        %row = arith.addi %first, %r : index
        %pr = arith.muli %p, %c2 : index
        %line = arith.addi %pr, %r : index
        %start = arith.muli %line, %c4 : index
        %old = memref.load %y[%row] : memref<?xf64>
        %new = scf.for %c = %c0 to %left step %c1 iter_args(%sum = %old) -> (f64) {
          %at = arith.addi %start, %c : index
          %of = arith.addi %column, %c : index
          %u = memref.load %a[%at] : memref<?xf64>
          %v = memref.load %x[%of] : memref<?xf64>
          %uv = arith.mulf %u, %v : f64
          %next = arith.addf %sum, %uv : f64
          scf.yield %next : f64
        }
        memref.store %new, %y[%row] : memref<?xf64>
      }
    }
  }
  return
}

// Rows with tiles: side by side, in groups, through the reduction; the fill goes along.
// CHECK-LABEL: func.func @spmm(
// CHECK-SAME:    %[[FROM:[a-z0-9]*]]: index, %[[TO:[a-z0-9]*]]: index, %[[K:[a-z0-9]*]]: index)
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c2
// CHECK-COUNT-2:   memref.store %cst
// CHECK:           scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1 {
// CHECK:             scf.for %{{.*}} = %c0 to %[[K]] step %c1 {
// CHECK-COUNT-2:       memref.store
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @spmm(%a: memref<?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>, %block: index, %from: index, %to: index,
                %k: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %first = arith.muli %block, %c8 : index
  scf.for %r = %c0 to %c8 step %c1 {
    %row = arith.addi %first, %r : index
    scf.for %l = %c0 to %k step %c1 {
      memref.store %zero, %c[%row, %l] : memref<?x?xf32>
    }
  }
  scf.for %p = %from to %to step %c1 {
    scf.for %r = %c0 to %c8 step %c1 {
      %row = arith.addi %first, %r : index
      %pr = arith.muli %p, %c8 : index
      %line = arith.addi %pr, %r : index
      %u = memref.load %a[%line] : memref<?xf32>
      scf.for %l = %c0 to %k step %c1 {
        %old = memref.load %c[%row, %l] : memref<?x?xf32>
        %v = memref.load %b[%p, %l] : memref<?x?xf32>
        %uv = arith.mulf %u, %v : f32
        %new = arith.addf %old, %uv : f32
        memref.store %new, %c[%row, %l] : memref<?x?xf32>
      }
    }
  }
  return
}

// What is written depends on another row: nothing is done.
// CHECK-LABEL: func.func @neighbours(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             memref.load
// CHECK:             memref.store
func.func @neighbours(%y: memref<?xf64>, %block: index, %from: index, %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %first = arith.muli %block, %c4 : index
  scf.for %p = %from to %to step %c1 {
    scf.for %r = %c0 to %c4 step %c1 {
      %row = arith.addi %first, %r : index
      %below = arith.addi %row, %c1 : index
      %old = memref.load %y[%below] : memref<?xf64>
      memref.store %old, %y[%row] : memref<?xf64>
    }
  }
  return
}

// A fill of a block's elements is what their sums begin with.
// CHECK-LABEL: func.func @filled(
// CHECK-NOT:     memref.load %arg1
// CHECK-NOT:     memref.store
// CHECK:         scf.for %{{.*}} iter_args(%{{.*}} = %[[ONE:.*]], %{{.*}} = %[[ONE]]) -> (f64, f64)
// CHECK:         memref.store
// CHECK:         memref.store
func.func @filled(%a: memref<?xf64>, %y: memref<?xf64>, %block: index, %from: index, %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f64
  %first = arith.muli %block, %c2 : index
  scf.for %r = %c0 to %c2 step %c1 {
    %row = arith.addi %r, %first : index
    memref.store %one, %y[%row] : memref<?xf64>
  }
  scf.for %p = %from to %to step %c1 {
    scf.for %r = %c0 to %c2 step %c1 {
      %row = arith.addi %first, %r : index
      %pr = arith.muli %p, %c2 : index
      %at = arith.addi %pr, %r : index
      %old = memref.load %y[%row] : memref<?xf64>
      %u = memref.load %a[%at] : memref<?xf64>
      %new = arith.maximumf %old, %u : f64
      memref.store %new, %y[%row] : memref<?xf64>
    }
  }
  return
}

// More than the elements is filled, or fewer: the fill stays.
// CHECK-LABEL: func.func @filled_beyond(
// CHECK:         scf.for
// CHECK:           memref.store
// CHECK:         %[[R0:.*]] = memref.load %[[Y:.*]][%
// CHECK:         %[[R1:.*]] = memref.load %[[Y]][%
// CHECK:         scf.for %{{.*}} iter_args(%{{.*}} = %[[R0]], %{{.*}} = %[[R1]]) -> (f64, f64)
func.func @filled_beyond(%a: memref<?xf64>, %y: memref<?xf64>, %block: index, %from: index, %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f64
  %first = arith.muli %block, %c2 : index
  scf.for %r = %c0 to %c3 step %c1 {
    %row = arith.addi %r, %first : index
    memref.store %one, %y[%row] : memref<?xf64>
  }
  scf.for %p = %from to %to step %c1 {
    scf.for %r = %c0 to %c2 step %c1 {
      %row = arith.addi %first, %r : index
      %pr = arith.muli %p, %c2 : index
      %at = arith.addi %pr, %r : index
      %old = memref.load %y[%row] : memref<?xf64>
      %u = memref.load %a[%at] : memref<?xf64>
      %new = arith.maximumf %old, %u : f64
      memref.store %new, %y[%row] : memref<?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @filled_partly(
// CHECK:         memref.store
// CHECK:         %[[R0:.*]] = memref.load %[[Y:.*]][%
// CHECK:         %[[R1:.*]] = memref.load %[[Y]][%
// CHECK:         scf.for %{{.*}} iter_args(%{{.*}} = %[[R0]], %{{.*}} = %[[R1]]) -> (f64, f64)
func.func @filled_partly(%a: memref<?xf64>, %y: memref<?xf64>, %block: index, %from: index, %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f64
  %first = arith.muli %block, %c2 : index
  scf.for %r = %c0 to %c1 step %c1 {
    %row = arith.addi %r, %first : index
    memref.store %one, %y[%row] : memref<?xf64>
  }
  scf.for %p = %from to %to step %c1 {
    scf.for %r = %c0 to %c2 step %c1 {
      %row = arith.addi %first, %r : index
      %pr = arith.muli %p, %c2 : index
      %at = arith.addi %pr, %r : index
      %old = memref.load %y[%row] : memref<?xf64>
      %u = memref.load %a[%at] : memref<?xf64>
      %new = arith.maximumf %old, %u : f64
      memref.store %new, %y[%row] : memref<?xf64>
    }
  }
  return
}

// The elements are written to between the fill and the sums.
// CHECK-LABEL: func.func @filled_before(
// CHECK:         scf.for
// CHECK:           memref.store
// CHECK:         %[[R0:.*]] = memref.load %[[Y:.*]][%
// CHECK:         %[[R1:.*]] = memref.load %[[Y]][%
// CHECK:         scf.for %{{.*}} iter_args(%{{.*}} = %[[R0]], %{{.*}} = %[[R1]]) -> (f64, f64)
func.func @filled_before(%a: memref<?xf64>, %y: memref<?xf64>, %block: index, %from: index, %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f64
  %first = arith.muli %block, %c2 : index
  scf.for %r = %c0 to %c2 step %c1 {
    %row = arith.addi %r, %first : index
    memref.store %one, %y[%row] : memref<?xf64>
  }
  memref.store %one, %y[%c3] : memref<?xf64>
  scf.for %p = %from to %to step %c1 {
    scf.for %r = %c0 to %c2 step %c1 {
      %row = arith.addi %first, %r : index
      %pr = arith.muli %p, %c2 : index
      %at = arith.addi %pr, %r : index
      %old = memref.load %y[%row] : memref<?xf64>
      %u = memref.load %a[%at] : memref<?xf64>
      %new = arith.maximumf %old, %u : f64
      memref.store %new, %y[%row] : memref<?xf64>
    }
  }
  return
}
