// RUN: spc-opt %s -spc-lower-assembly | FileCheck %s

!append = !spc.run<append, row = 1, key = i32, value = f64>
!workspace = !spc.run<workspace, row = 1, key = i64, value = f64>
!pattern = !spc.run<append, row = 2, key = i64>
!complex = !spc.run<append, row = 0, key = i16, value = complex<f32>>

// CHECK-DAG: llvm.func @spc.rt.run_begin(!llvm.ptr, i64, i64, i64) -> !llvm.ptr
// CHECK-DAG: llvm.func @spc.rt.row_flush_8_8(!llvm.ptr, i64, i64, i64, !llvm.ptr) -> i64

// The count of entries and where they are are variables. Where memory ran out there is no run, and nothing to do.
// CHECK-LABEL: func.func @append(
// CHECK-SAME:    %[[ASSEMBLY:.*]]: !llvm.ptr, %[[CHUNK:.*]]: index, %[[I:.*]]: index, %[[J:.*]]: index, %[[V:.*]]: f64)
// CHECK:         %[[NUMBER:.*]] = arith.index_cast %[[CHUNK]] : index to i64
// CHECK:         %[[IT:.*]] = llvm.call @spc.rt.run_begin(%[[ASSEMBLY]], %[[NUMBER]], %c3_i64, %c0_i64)
// CHECK:         %[[HAS:.*]] = llvm.icmp "ne" %[[IT]], %
// CHECK-NEXT:    scf.if %[[HAS]] {
// CHECK-NEXT:      llvm.store %c0_i64, %[[COUNT:.*]] : i64, !llvm.ptr
// Room is made where there is too little; there may still be too little afterwards.
// CHECK:           %[[MOST:.*]] = arith.index_cast %[[J]] : index to i64
// CHECK:           %[[TIGHT:.*]] = arith.cmpi slt, %{{.*}}, %[[MOST]]
// CHECK-NEXT:      scf.if %[[TIGHT]] {
// CHECK-NEXT:        %[[NOW:.*]] = llvm.load %[[COUNT]]
// CHECK-NEXT:        %[[GROWN:.*]] = llvm.call @spc.rt.run_grow(%[[IT]], %[[NOW]], %[[MOST]])
// CHECK-NEXT:        llvm.store %[[GROWN]], %[[COUNT]]
// CHECK:           %[[FITS:.*]] = arith.cmpi sge, %{{.*}}, %[[MOST]]
// CHECK-NEXT:      scf.if %[[FITS]] {
// What is reserved is stored without a look at the room.
// CHECK-NEXT:        %[[PLACE:.*]] = llvm.load %[[COUNT]]
// CHECK-NEXT:        %[[NARROW:.*]] = arith.trunci %[[MOST]] : i64 to i32
// CHECK-NEXT:        %[[KEYS:.*]] = llvm.load
// CHECK-NEXT:        %[[AT:.*]] = llvm.getelementptr %[[KEYS]][%[[PLACE]]] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-NEXT:        llvm.store %[[NARROW]], %[[AT]]
// CHECK:             llvm.store %[[V]], %{{.*}} : f64, !llvm.ptr
// CHECK-NEXT:        %[[MORE:.*]] = arith.addi %[[PLACE]], %c1_i64
// CHECK-NEXT:        llvm.store %[[MORE]], %[[COUNT]]
// CHECK-NEXT:      }
// CHECK:           %[[FULL:.*]] = arith.cmpi eq
// CHECK-NEXT:      scf.if %[[FULL]] {
// CHECK:             llvm.call @spc.rt.run_grow(%[[IT]], %{{.*}}, %c1_i64)
// CHECK:           llvm.store %[[V]],
// CHECK:           %[[ROW:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT:      llvm.store %[[ROW]], %[[COORDINATE:.*]] : i64, !llvm.ptr
// CHECK:           %[[ENDED:.*]] = llvm.call @spc.rt.row_end(%[[IT]], %{{.*}}, %[[COORDINATE]])
// CHECK-NEXT:      llvm.store %[[ENDED]], %[[COUNT]]
// CHECK:           %[[ALL:.*]] = llvm.load %[[COUNT]]
// CHECK-NEXT:      llvm.call @spc.rt.run_end(%[[IT]], %[[ALL]])
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @append(%assembly: !llvm.ptr, %chunk: index, %i: index, %j: index, %v: f64) {
  spc.open_run %assembly[%chunk] number 3 {
  ^bb0(%run: !append):
    %fits = spc.reserve %run, %j : !append
    scf.if %fits {
      spc.append %run[%j], %v : f64 in !append reserved
    }
    spc.append %run[%j], %v : f64 in !append
    spc.end_row %run(%i) : !append
    spc.close_run
  }
  return
}

// Loops with a workspace are there for a dense one and for a hash table. A dense one notes which keys it has: bits of one
// word stay in a variable until another word's turn comes.
// CHECK-LABEL: func.func @update(
// CHECK:         %[[IT:.*]] = llvm.call @spc.rt.run_begin(%{{.*}}, %{{.*}}, %c0_i64, %c1_i64)
// CHECK:         %[[BITS:.*]] = llvm.getelementptr %[[IT]][0, 3]
// CHECK:         %[[POINTER:.*]] = llvm.load %[[BITS]]
// CHECK:         %[[DENSE:.*]] = llvm.icmp "ne" %[[POINTER]],
// CHECK:         scf.if %[[DENSE]] {
// CHECK:           scf.for
// CHECK:             %[[OLD:.*]] = llvm.load %{{.*}} -> f64
// CHECK:             %[[NEW:.*]] = arith.addf %[[OLD]], %
// CHECK:             %[[WORD:.*]] = arith.shrui
// CHECK:             %[[OTHER:.*]] = arith.cmpi ne, %[[WORD]], %
// CHECK-NEXT:        scf.if %[[OTHER]]
// CHECK:             llvm.store %[[NEW]], %{{.*}} : f64, !llvm.ptr
// CHECK-NOT:         llvm.call
// CHECK:             llvm.call @spc.rt.row_flush_8_8(%[[IT]]
// CHECK:           llvm.call @spc.rt.run_end(%[[IT]]
// CHECK:         } else {
// CHECK:           scf.for
// CHECK-NEXT:        %[[KEY:.*]] = arith.index_cast
// CHECK-NEXT:        %[[SLOT:.*]] = llvm.call @spc.rt.locate(%[[IT]], %[[KEY]])
// CHECK:             %[[FROM:.*]] = llvm.getelementptr %{{.*}}[%[[SLOT]]]
// CHECK-NEXT:        %[[OLD:.*]] = llvm.load %[[FROM]] : !llvm.ptr -> f64
// CHECK:             %[[NEW:.*]] = arith.addf %[[OLD]], %
// CHECK:             llvm.store %[[NEW]], %{{.*}} : f64, !llvm.ptr
// CHECK:             llvm.call @spc.rt.hash_flush_8_8(%[[IT]]
// CHECK:           llvm.call @spc.rt.run_end(%[[IT]]
func.func @update(%assembly: !llvm.ptr, %chunk: index, %i: index, %n: index, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !workspace):
    scf.for %j = %c0 to %n step %c1 {
      %slot, %old = spc.locate %run[%j] : !workspace -> f64
      %new = arith.addf %old, %v : f64
      spc.accumulate %run[%j at %slot], %new : f64 in !workspace
    }
    spc.end_row %run(%i) : !workspace
    spc.close_run
  }
  return
}

// Where what is missing is not 0, whether it is missing is asked before the element is made.
// CHECK-LABEL: func.func @product(
// CHECK:         %[[OLD:.*]] = scf.if %{{.*}} -> (f64)
// CHECK:         } else {
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:      scf.yield %[[ONE]]
// CHECK:         arith.mulf %[[OLD]],
// CHECK:         %[[FOUND:.*]] = llvm.call @spc.rt.find(
// CHECK:         %[[THERE:.*]] = arith.cmpi sge, %[[FOUND]], %c0_i64
// CHECK-NEXT:    %[[OLD:.*]] = scf.if %[[THERE]] -> (f64)
// CHECK:         llvm.call @spc.rt.locate(
// CHECK:         arith.mulf %[[OLD]],
func.func @product(%assembly: !llvm.ptr, %chunk: index, %i: index, %j: index, %v: f64) {
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !workspace):
    %slot, %old = spc.locate %run[%j] or(1.0 : f64) : !workspace -> f64
    %new = arith.mulf %old, %v : f64
    spc.accumulate %run[%j at %slot], %new : f64 in !workspace
    spc.end_row %run(%i) : !workspace
    spc.close_run
  }
  return
}

// A sum is an entry where a flag tells that it got an addend. A hash table is not given an element before.
// CHECK-LABEL: func.func @sum(
// CHECK:         llvm.alloca %{{.*}} x i1
// CHECK:         } else {
// CHECK:           llvm.store %false, %[[FLAG:.*]] : i1, !llvm.ptr
// CHECK:           llvm.call @spc.rt.find(
// CHECK:           scf.for
// CHECK:             llvm.store %true, %[[FLAG]] : i1, !llvm.ptr
// CHECK:           %[[EXISTS:.*]] = llvm.load %[[FLAG]] : !llvm.ptr -> i1
// CHECK-NEXT:      scf.if %[[EXISTS]] {
// CHECK-NEXT:        %{{.*}} = llvm.call @spc.rt.locate(
func.func @sum(%assembly: !llvm.ptr, %chunk: index, %i: index, %j: index, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !workspace):
    %it, %start = spc.open_sum %run[%j] : !workspace -> f64
    %sum = scf.for %k = %c0 to %j step %c1 iter_args(%so_far = %start) -> (f64) {
      %next = arith.addf %so_far, %v : f64
      spc.note_addend %it
      scf.yield %next : f64
    }
    spc.close_sum %run[%j], %it, %sum : f64 in !workspace
    spc.end_row %run(%i) : !workspace
    spc.close_run
  }
  return
}

// The pattern alone: no value is stored. A row has two coordinates.
// CHECK-LABEL: func.func @pattern(
// CHECK-NOT:     llvm.store %{{.*}} : f{{[0-9]+}},
// CHECK:         llvm.getelementptr %[[ROW:.*]][1] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:         llvm.call @spc.rt.row_end(%{{.*}}, %{{.*}}, %[[ROW]])
func.func @pattern(%assembly: !llvm.ptr, %chunk: index, %i: index, %j: index) {
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !pattern):
    spc.append %run[%j] : !pattern
    spc.end_row %run(%i, %j) : !pattern
    spc.close_run
  }
  return
}

// A complex element is two numbers side by side.
// CHECK-LABEL: func.func @complex(
// CHECK:         %[[TWICE:.*]] = arith.shli
// CHECK:         llvm.getelementptr %{{.*}}[%[[TWICE]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK:         %[[RE:.*]] = complex.re
// CHECK:         llvm.store %[[RE]], %{{.*}} : f32
// CHECK:         %[[IM:.*]] = complex.im
// CHECK:         llvm.store %[[IM]], %{{.*}} : f32
func.func @complex(%assembly: !llvm.ptr, %chunk: index, %j: index, %v: complex<f32>) {
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !complex):
    spc.append %run[%j], %v : complex<f32> in !complex
    spc.end_row %run() : !complex
    spc.close_run
  }
  return
}

// Other functions are left alone.
// CHECK-LABEL: func.func @dense(
// CHECK-NEXT:    return
func.func @dense() {
  return
}
