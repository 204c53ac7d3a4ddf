// RUN: spc-opt %s -spc-lower-trials | FileCheck %s

// CHECK-LABEL: func.func @pieces(
// CHECK-SAME:    %[[TRIAL:.*]]: !llvm.ptr, %[[USUAL:.*]]: i1, %[[WORK:.*]]: index
// CHECK:         %[[WIDE:.*]] = arith.extui %[[USUAL]] : i1 to i64
// CHECK:         %[[PIECE:.*]] = llvm.call @spc.rt.trial_begin(%[[TRIAL]], %[[WIDE]]) : (!llvm.ptr, i64) -> i64
// CHECK:         %[[UNITS:.*]] = arith.index_cast %[[WORK]] : index to i64
// CHECK:         llvm.call @spc.rt.trial_end(%[[TRIAL]], %[[PIECE]], %[[UNITS]])
// CHECK:         return %[[PIECE]]
func.func @pieces(%trial: !llvm.ptr, %usual: i1, %work: index) -> i64 {
  %piece = spc.begin_trial %trial usually %usual
  spc.end_trial %trial, %piece, %work
  return %piece : i64
}
