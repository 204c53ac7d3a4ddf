// RUN: spc-opt %s -spc-lower-assembly=hoist | FileCheck %s
// RUN: spc-opt %s -spc-lower-assembly | FileCheck %s --check-prefix=PLAIN

!append = !spc.run<append, row = 1, key = i32, value = f64>

// Rows of A, and behind them those of B: where the runtime only notes how long rows are, the entries of all rows of
// either are one loop, and their lengths another one.
// CHECK-LABEL: func.func @above(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: index, %[[L:[a-z0-9]+]]: index, %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index, %[[PA:[a-z0-9]+]]: memref<?xi32>, %[[JA:[a-z0-9]+]]: memref<?xi32>
// CHECK:         %[[LENGTHS:.*]] = llvm.call @spc.rt.row_lengths(
// CHECK:         %[[NOTES:.*]] = llvm.icmp "ne" %[[LENGTHS]]
// CHECK:         arith.maxsi %{{.*}}, %[[BEGIN]]
// CHECK:         %[[FIRST_END:.*]] = arith.maxsi
// CHECK:         %[[LATER:.*]] = arith.maxsi %{{.*}}, %[[BEGIN]]
// CHECK:         %[[BEHIND:.*]] = arith.cmpi sle, %[[FIRST_END]], %[[LATER]]
// CHECK:         %[[WHOLE:.*]] = arith.andi %[[NOTES]], %[[BEHIND]]
// CHECK:         scf.if %[[WHOLE]]
// CHECK:           scf.for
// CHECK-NEXT:        memref.load %[[JA]]
// CHECK-NOT:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-2:     memref.load %[[PA]]
// CHECK:           llvm.call @spc.rt.rows_end(
// CHECK:           scf.for
// CHECK:           llvm.call @spc.rt.rows_end(
// CHECK:         } else {
// CHECK:           scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:             llvm.call @spc.rt.row_join(
// CHECK:             llvm.call @spc.rt.row_end(
// PLAIN-NOT:     row_lengths
func.func @above(%assembly: !llvm.ptr, %chunk: index, %m: index, %l: index, %begin: index, %end: index,
                 %pa: memref<?xi32>, %ja: memref<?xi32>, %a: memref<?xf64>, %pb: memref<?xi32>, %jb: memref<?xi32>,
                 %b: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !append):
    scf.for %k = %begin to %end step %c1 {
      %is_of_a = arith.cmpi ult, %k, %m : index
      scf.if %is_of_a {
        %0 = memref.load %pa[%k] : memref<?xi32>
        %first = arith.index_cast %0 : i32 to index
        %next = arith.addi %k, %c1 : index
        %1 = memref.load %pa[%next] : memref<?xi32>
        %last = arith.index_cast %1 : i32 to index
        %length = arith.subi %last, %first : index
        %has_room = spc.reserve %run, %length : !append
        scf.if %has_room {
          scf.for %p = %first to %last step %c1 {
            %2 = memref.load %ja[%p] : memref<?xi32>
            %j = arith.index_cast %2 : i32 to index
            %value = memref.load %a[%p] : memref<?xf64>
            spc.append %run[%j], %value : f64 in !append reserved
          }
        }
      }
      %before = spc.row_length %run : !append
      %row = arith.subi %k, %m : index
      %is_of_b = arith.cmpi ult, %row, %l : index
      scf.if %is_of_b {
        %0 = memref.load %pb[%row] : memref<?xi32>
        %first = arith.index_cast %0 : i32 to index
        %next = arith.addi %row, %c1 : index
        %1 = memref.load %pb[%next] : memref<?xi32>
        %last = arith.index_cast %1 : i32 to index
        %length = arith.subi %last, %first : index
        %has_room = spc.reserve %run, %length : !append
        scf.if %has_room {
          scf.for %p = %first to %last step %c1 {
            %2 = memref.load %jb[%p] : memref<?xi32>
            %j = arith.index_cast %2 : i32 to index
            %value = memref.load %b[%p] : memref<?xf64>
            spc.append %run[%j], %value : f64 in !append reserved
          }
        }
      }
      spc.join_row %run, %before : !append
      spc.end_row %run(%k) : !append
    }
    spc.close_run
  }
  return
}

// Rows of which some entries are left out, or that are multiplied by something of their own, go one by one.
// CHECK-LABEL: func.func @scaled(
// CHECK-NOT:     row_lengths
// CHECK:         return
func.func @scaled(%assembly: !llvm.ptr, %chunk: index, %begin: index, %end: index, %pa: memref<?xi32>,
                  %ja: memref<?xi32>, %a: memref<?xf64>, %x: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !append):
    scf.for %i = %begin to %end step %c1 {
      %0 = memref.load %pa[%i] : memref<?xi32>
      %first = arith.index_cast %0 : i32 to index
      %next = arith.addi %i, %c1 : index
      %1 = memref.load %pa[%next] : memref<?xi32>
      %last = arith.index_cast %1 : i32 to index
      %length = arith.subi %last, %first : index
      %factor = memref.load %x[%i] : memref<?xf64>
      %has_room = spc.reserve %run, %length : !append
      scf.if %has_room {
        scf.for %p = %first to %last step %c1 {
          %2 = memref.load %ja[%p] : memref<?xi32>
          %j = arith.index_cast %2 : i32 to index
          %value = memref.load %a[%p] : memref<?xf64>
          %product = arith.mulf %value, %factor : f64
          spc.append %run[%j], %product : f64 in !append reserved
        }
      }
      spc.end_row %run(%i) : !append
    }
    spc.close_run
  }
  return
}

// What is appended in no order is sorted by the function for its widths.
// CHECK-LABEL: func.func @sorted(
// CHECK:         llvm.call @spc.rt.row_sort_4_8(
// CHECK:         llvm.call @spc.rt.row_end(
func.func @sorted(%assembly: !llvm.ptr, %chunk: index, %i: index, %j: index, %value: f64) {
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !append):
    spc.append %run[%j], %value : f64 in !append
    spc.sort_row %run : !append
    spc.end_row %run(%i) : !append
    spc.close_run
  }
  return
}

// Entries under a condition are written without a branch and counted where it holds.
// CHECK-LABEL: func.func @window(
// CHECK:         scf.for %[[P:.*]] =
// CHECK-NEXT:      %[[J:.*]] = memref.load
// CHECK:           %[[IS:.*]] = arith.cmpi ult
// CHECK-NOT:       scf.if
// CHECK:           llvm.store
// CHECK:           llvm.store
// CHECK:           %[[MORE:.*]] = arith.extui %[[IS]] : i1 to i64
// CHECK:           %[[COUNT:.*]] = arith.addi %{{.*}}, %[[MORE]]
// CHECK:           llvm.store %[[COUNT]]
func.func @window(%assembly: !llvm.ptr, %chunk: index, %i: index, %first: index, %last: index, %most: index,
                  %n: index, %ja: memref<?xi32>, %a: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !append):
    %has_room = spc.reserve %run, %most : !append
    scf.if %has_room {
      scf.for %p = %first to %last step %c1 {
        %0 = memref.load %ja[%p] : memref<?xi32>
        %j = arith.index_cast %0 : i32 to index
        %value = memref.load %a[%p] : memref<?xf64>
        %shifted = arith.subi %j, %c1 : index
        %is_inside = arith.cmpi ult, %shifted, %n : index
        scf.if %is_inside {
          spc.append %run[%shifted], %value : f64 in !append reserved
        }
      }
    }
    spc.end_row %run(%i) : !append
    spc.close_run
  }
  return
}
