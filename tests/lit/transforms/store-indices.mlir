// RUN: spc-opt %s -spc-store-indices | FileCheck %s

// i is known in the outer loop, j once it is loaded.
// CHECK-LABEL: func.func @listed(
// CHECK-DAG:     %[[J:.*]] = llvm.alloca %{{.*}} x i64 {spc.index = "j"} : (i64) -> !llvm.ptr
// CHECK-DAG:     %[[I:.*]] = llvm.alloca %{{.*}} x i64 {spc.index = "i"} : (i64) -> !llvm.ptr
// CHECK:         scf.for %[[AT:.*]] = %arg1
// CHECK-NEXT:      %[[I64:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK-NEXT:      llvm.store %[[I64]], %[[I]] {spc.index = "i"} : i64, !llvm.ptr
// CHECK:           scf.for %[[P:.*]] = %arg1
// CHECK:             memref.load %arg0[%[[P]]]
// CHECK-NEXT:        %[[LISTED:.*]] = arith.index_cast
// CHECK-NEXT:        %[[J64:.*]] = arith.index_cast %[[LISTED]] : index to i64
// CHECK-NEXT:        llvm.store %[[J64]], %[[J]] {spc.index = "j"} : i64, !llvm.ptr
func.func @listed(%list: memref<?xi32>, %from: index, %to: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %from to %to step %c1 {
    scf.for %p = %from to %to step %c1 {
      %0 = memref.load %list[%p] : memref<?xi32> loc(#j)
      %1 = arith.index_cast %0 : i32 to index loc(#j)
      memref.store %0, %list[%1] : memref<?xi32>
    } {spc.listed_indices = [["j", 1, 1]]}
  } {spc.indices = [["i", 1, 1]]}
  return
}

// A variable of two loops is stored in the inner one.
// CHECK-LABEL: func.func @blocks(
// CHECK:         llvm.alloca
// CHECK-NOT:     llvm.alloca
// CHECK:         scf.for %[[BLOCK:.*]] = %arg1
// CHECK-NOT:       llvm.store
// CHECK:           scf.for %[[WITHIN:.*]] = %arg1
// CHECK:             %[[FIRST:.*]] = arith.muli %[[BLOCK]], %{{.*}} : index
// CHECK-NEXT:        %[[SUM:.*]] = arith.addi %[[FIRST]], %[[WITHIN]] : index
// CHECK-NEXT:        %[[NUMBER:.*]] = arith.index_cast %[[SUM]]
// CHECK-NEXT:        llvm.store %[[NUMBER]], %{{.*}} {spc.index = "i"}
func.func @blocks(%values: memref<?xf64>, %from: index, %to: index, %value: f64) {
  %c1 = arith.constant 1 : index
  scf.for %i = %from to %to step %c1 {
    scf.for %p = %from to %to step %c1 {
      memref.store %value, %values[%p] : memref<?xf64>
    } {spc.indices = [["i", 1, 2]]}
  } {spc.indices = [["i", 4, 2]]}
  return
}

// Nothing is stored where no loop is marked, or what computed a coordinate is gone.
// CHECK-LABEL: func.func @unmarked(
// CHECK-NOT:     llvm.
// CHECK:         return
func.func @unmarked(%values: memref<?xf64>, %from: index, %to: index, %value: f64) {
  %c1 = arith.constant 1 : index
  scf.for %p = %from to %to step %c1 {
    memref.store %value, %values[%p] : memref<?xf64>
  } {spc.listed_indices = [["i", 1, 1]]}
  scf.for %p = %from to %to step %c1 {
    memref.store %value, %values[%p] : memref<?xf64>
  }
  return
}

#j = loc(fused<[["j", 1, 1]]>["k.tex":1:8])
