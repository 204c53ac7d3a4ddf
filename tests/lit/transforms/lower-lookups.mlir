// RUN: spc-opt %s -spc-lower-lookups | FileCheck %s

// Rows are at their coordinates where there is no table.
// CHECK-LABEL: func.func @row(
// CHECK-SAME:    %[[TABLE:.*]]: !llvm.ptr, %[[I:.*]]: index
// CHECK:         %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         %[[LISTED:.*]] = llvm.icmp "ne" %[[TABLE]], %[[NULL]]
// CHECK:         %[[KEY:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK:         %[[ROW:.*]] = scf.if %[[LISTED]] -> (index) {
// CHECK:           %[[FOUND:.*]] = llvm.call @spc.rt.find_row(%[[TABLE]], %[[KEY]])
// CHECK:           %[[AT:.*]] = arith.index_cast %[[FOUND]] : i64 to index
// CHECK:           scf.yield %[[AT]]
// CHECK:         } else {
// CHECK:           scf.yield %[[I]]
// CHECK:         return %[[ROW]]
func.func @row(%table: !llvm.ptr, %i: index) -> index {
  %row = spc.find_row %table[%i]
  return %row : index
}

// CHECK-LABEL: func.func @positions(
// CHECK-SAME:    %[[MEMORY:.*]]: !llvm.ptr
// CHECK:         %[[ARRAY:.*]] = llvm.call @spc.rt.take_positions(%[[MEMORY]])
// CHECK:         llvm.call @spc.rt.give_positions(%[[MEMORY]], %[[ARRAY]])
func.func @positions(%memory: !llvm.ptr) {
  %array = spc.take_positions %memory
  spc.give_positions %memory, %array
  return
}
