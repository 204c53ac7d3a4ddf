// RUN: spc-opt %s -spc-lower-assembly -split-input-file | FileCheck %s

!run = !spc.run<workspace, row = 1, key = i32, value = f64>

// A run that may go by a plan has a third nest: places of the row's keys are read one after the other, and values are
// the result's own. Rows begin with zeros.
// CHECK-LABEL: func.func @place(
func.func @place(%assembly: !llvm.ptr, %chunk: index, %row: index, %key: index, %value: f64) {
  spc.open_run %assembly[%chunk] number 0 planned {
  ^bb0(%run: !run):
    spc.begin_row %run(%row) : !run
    %slot, %old = spc.locate %run[%key] : !run -> f64
    %sum = arith.addf %old, %value : f64
    spc.accumulate %run[%key at %slot], %sum : f64 in !run
    spc.end_row %run(%row) : !run
    spc.close_run
  }
  return
}
// CHECK:     llvm.call @spc.rt.row_flush_4_8
// CHECK:     llvm.call @spc.rt.hash_flush_4_8
// CHECK:       scf.for
// CHECK-NEXT:    llvm.getelementptr
// CHECK-NEXT:    llvm.store %{{.*}} : f64
// CHECK:       llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK:       llvm.load %{{.*}} : !llvm.ptr -> f64
// CHECK-NEXT:  arith.addf
// CHECK:       llvm.store %{{.*}} : f64
// CHECK-NOT:   llvm.call @spc.rt.row_
// CHECK:       llvm.call @spc.rt.run_end

// -----

!pattern = !spc.run<workspace, row = 0, key = i64>

// One without values makes the plan: keys are appended as they come, and the runtime numbers them at the row's end.
// CHECK-LABEL: func.func @record(
func.func @record(%assembly: !llvm.ptr, %chunk: index, %key: index) {
  spc.open_run %assembly[%chunk] number 0 planned {
  ^bb0(%run: !pattern):
    spc.begin_row %run() : !pattern
    %slot = spc.locate %run[%key] : !pattern
    spc.accumulate %run[%key at %slot] : !pattern
    spc.end_row %run() : !pattern
    spc.close_run
  }
  return
}
// CHECK:     llvm.call @spc.rt.row_flush_8_0
// CHECK:     llvm.call @spc.rt.hash_flush_8_0
// CHECK:       llvm.call @spc.rt.run_grow
// CHECK:       llvm.store %{{.*}} : i64, !llvm.ptr
// CHECK:       llvm.call @spc.rt.row_record
