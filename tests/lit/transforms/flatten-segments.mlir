// RUN: spc-opt %s -split-input-file -spc-flatten-segments=reassociate -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: spc-opt %s -split-input-file -spc-flatten-segments -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,STRICT

// Four entries at once: a run if all have one row, which goes on as long as four more have it; else each by itself.
// CHECK-LABEL: func.func @spmv(
// CHECK-SAME:    %[[ROWS:[a-z0-9]*]]: memref<?xi32>, %[[COLS:[a-z0-9]*]]: memref<?xi32>, %[[VAL:[a-z0-9]*]]: memref<?xf64>, %[[X:[a-z0-9]*]]: memref<?xf64>, %[[Y:[a-z0-9]*]]: memref<?xf64>, %[[N:[a-z0-9]*]]: index
// CHECK:         %[[FULL:.*]] = arith.subi %[[N]], %c3
// CHECK:         %[[DONE:.*]] = scf.while
// CHECK:           arith.cmpi slt, %{{.*}}, %[[FULL]]
// CHECK:         } do {
// CHECK-COUNT-4:   arith.mulf
// CHECK:           %[[SAME:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK:           scf.if %[[SAME]] -> (index) {
// CHECK:             memref.load %[[Y]]
// CHECK-COUNT-4:     arith.addf
// FAST:              %[[SUMS:.*]]:5 = scf.while
// STRICT:            %[[SUMS:.*]]:2 = scf.while
// CHECK:               arith.cmpi slt, %{{.*}}, %[[FULL]]
// CHECK:               memref.load %[[ROWS]]
// CHECK:               scf.condition
// CHECK-COUNT-4:       arith.mulf
// CHECK:               scf.yield
// FAST:              arith.addf %[[SUMS]]#1, %[[SUMS]]#3
// FAST:              arith.addf %[[SUMS]]#2, %[[SUMS]]#4
// FAST:              arith.addf
// STRICT-NOT:        arith.addf
// CHECK:             memref.store %{{.*}}, %[[Y]]
// CHECK:           } else {
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[Y]]
// CHECK:         }
// CHECK:         scf.for %{{.*}} = %[[DONE]] to %[[N]] step %c1
// CHECK:           memref.store %{{.*}}, %[[Y]]
// CHECK:         } {loop_annotation
func.func @spmv(%rows: memref<?xi32>, %cols: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = scf.while (%q = %c0) : (index) -> index {
    %in = arith.cmpi ult, %q, %n : index
    %same = scf.if %in -> (i1) {
      %r = memref.load %rows[%c0] : memref<?xi32>
      %i = arith.index_cast %r : i32 to index
      %s = memref.load %rows[%q] : memref<?xi32>
      %k = arith.index_cast %s : i32 to index
      %eq = arith.cmpi eq, %i, %k : index
      scf.yield %eq : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%same) %q : index
  } do {
  ^bb0(%q: index):
    %next = arith.addi %q, %c1 : index
    scf.yield %next : index
  }
  scf.while (%p = %c0, %last = %first) : (index, index) -> (index, index) {
    %in = arith.cmpi ult, %p, %n : index
    scf.condition(%in) %p, %last : index, index
  } do {
  ^bb0(%p: index, %last: index):
    %r = memref.load %rows[%p] : memref<?xi32>
    %i = arith.index_cast %r : i32 to index
    %old = memref.load %y[%i] : memref<?xf64>
    %sum = scf.for %e = %p to %last step %c1 iter_args(%acc = %old) -> (f64) {
      %c = memref.load %cols[%e] : memref<?xi32>
      %j = arith.index_cast %c : i32 to index
      %a = memref.load %val[%e] : memref<?xf64>
      %b = memref.load %x[%j] : memref<?xf64>
      %ab = arith.mulf %a, %b : f64
      %more = arith.addf %acc, %ab : f64
      scf.yield %more : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
    %end = scf.while (%q = %last) : (index) -> index {
      %in = arith.cmpi ult, %q, %n : index
      %same = scf.if %in -> (i1) {
        %r0 = memref.load %rows[%last] : memref<?xi32>
        %i0 = arith.index_cast %r0 : i32 to index
        %s = memref.load %rows[%q] : memref<?xi32>
        %k = arith.index_cast %s : i32 to index
        %eq = arith.cmpi eq, %i0, %k : index
        scf.yield %eq : i1
      } else {
        scf.yield %false : i1
      }
      scf.condition(%same) %q : index
    } do {
    ^bb0(%q: index):
      %next = arith.addi %q, %c1 : index
      scf.yield %next : index
    }
    scf.yield %last, %end : index, index
  }
  return
}

// -----

// Samples of the whole list say whether entries that are three apart are now of one run and now of several: then all
// entries are done one by one, in every part of the list.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME:    %[[ROWS:[a-z0-9]*]]: memref<?xi32> {{.*}}, %[[N:[a-z0-9]*]]: index, %[[ALL:[a-z0-9]*]]: index
// CHECK:         %[[BEGIN:.*]] = arith.maxsi
// CHECK:         %[[LEFT:.*]] = arith.subi %[[N]], %c3
// CHECK:         %[[LONG:.*]] = arith.cmpi uge, %[[ALL]], %c131072
// CHECK:         %[[RUNS:.*]] = scf.if %[[LONG]] -> (i1) {
// CHECK:           arith.subi %[[ALL]], %c3
// CHECK:           scf.for %{{.*}} = %c0 to %c32 step %c1
// CHECK-COUNT-2:     memref.load %[[ROWS]]
// CHECK:           arith.cmpi eq, %[[SAME:.*]], %c0
// CHECK:           arith.cmpi uge, %[[SAME]], %c13
// CHECK:           arith.ori
// CHECK:         %[[FULL:.*]] = arith.select %[[RUNS]], %[[LEFT]], %[[BEGIN]]
// CHECK:         scf.while
// CHECK:           arith.cmpi slt, %{{.*}}, %[[FULL]]
func.func @whole(%rows: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 0>}, %cols: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index, %all: index {spc.bind = #spc.bind<count, "A", 0>}) {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = scf.while (%q = %c0) : (index) -> index {
    %in = arith.cmpi ult, %q, %n : index
    %same = scf.if %in -> (i1) {
      %r = memref.load %rows[%c0] : memref<?xi32>
      %i = arith.index_cast %r : i32 to index
      %s = memref.load %rows[%q] : memref<?xi32>
      %k = arith.index_cast %s : i32 to index
      %eq = arith.cmpi eq, %i, %k : index
      scf.yield %eq : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%same) %q : index
  } do {
  ^bb0(%q: index):
    %next = arith.addi %q, %c1 : index
    scf.yield %next : index
  }
  scf.while (%p = %c0, %last = %first) : (index, index) -> (index, index) {
    %in = arith.cmpi ult, %p, %n : index
    scf.condition(%in) %p, %last : index, index
  } do {
  ^bb0(%p: index, %last: index):
    %r = memref.load %rows[%p] : memref<?xi32>
    %i = arith.index_cast %r : i32 to index
    %old = memref.load %y[%i] : memref<?xf64>
    %sum = scf.for %e = %p to %last step %c1 iter_args(%acc = %old) -> (f64) {
      %c = memref.load %cols[%e] : memref<?xi32>
      %j = arith.index_cast %c : i32 to index
      %a = memref.load %val[%e] : memref<?xf64>
      %b = memref.load %x[%j] : memref<?xf64>
      %ab = arith.mulf %a, %b : f64
      %more = arith.addf %acc, %ab : f64
      scf.yield %more : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
    %end = scf.while (%q = %last) : (index) -> index {
      %in = arith.cmpi ult, %q, %n : index
      %same = scf.if %in -> (i1) {
        %r0 = memref.load %rows[%last] : memref<?xi32>
        %i0 = arith.index_cast %r0 : i32 to index
        %s = memref.load %rows[%q] : memref<?xi32>
        %k = arith.index_cast %s : i32 to index
        %eq = arith.cmpi eq, %i0, %k : index
        scf.yield %eq : i1
      } else {
        scf.yield %false : i1
      }
      scf.condition(%same) %q : index
    } do {
    ^bb0(%q: index):
      %next = arith.addi %q, %c1 : index
      scf.yield %next : index
    }
    scf.yield %last, %end : index, index
  }
  return
}

// -----

// Entries that add to memory one by one: what they read of the run is loaded once in what follows of it.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME:    %[[ROWS:[a-z0-9]*]]: memref<?xi32>, %[[COLS:[a-z0-9]*]]: memref<?xi32>, %[[VAL:[a-z0-9]*]]: memref<?xf64>, %[[X:[a-z0-9]*]]: memref<?xf64>, %[[Y:[a-z0-9]*]]: memref<?xf64>, %[[N:[a-z0-9]*]]: index
// CHECK:         scf.while
// CHECK-COUNT-4:   memref.load %[[X]]
// CHECK:           scf.if
// CHECK-NOT:         memref.load %[[X]]
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[Y]]
// CHECK:             scf.while
// CHECK-NOT:         memref.load %[[X]]
// CHECK-COUNT-4:       memref.store %{{.*}}, %[[Y]]
// CHECK:           } else {
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[Y]]
// CHECK:         scf.for
// CHECK:           memref.load %[[X]]
func.func @scatter(%rows: memref<?xi32>, %cols: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = scf.while (%q = %c0) : (index) -> index {
    %in = arith.cmpi ult, %q, %n : index
    %same = scf.if %in -> (i1) {
      %r = memref.load %rows[%c0] : memref<?xi32>
      %i = arith.index_cast %r : i32 to index
      %s = memref.load %rows[%q] : memref<?xi32>
      %k = arith.index_cast %s : i32 to index
      %eq = arith.cmpi eq, %i, %k : index
      scf.yield %eq : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%same) %q : index
  } do {
  ^bb0(%q: index):
    %next = arith.addi %q, %c1 : index
    scf.yield %next : index
  }
  scf.while (%p = %c0, %last = %first) : (index, index) -> (index, index) {
    %in = arith.cmpi ult, %p, %n : index
    scf.condition(%in) %p, %last : index, index
  } do {
  ^bb0(%p: index, %last: index):
    %r = memref.load %rows[%p] : memref<?xi32>
    %i = arith.index_cast %r : i32 to index
    %b = memref.load %x[%i] : memref<?xf64>
    scf.for %e = %p to %last step %c1 {
      %c = memref.load %cols[%e] : memref<?xi32>
      %j = arith.index_cast %c : i32 to index
      %a = memref.load %val[%e] : memref<?xf64>
      %ab = arith.mulf %a, %b : f64
      %old = memref.load %y[%j] : memref<?xf64>
      %more = arith.addf %old, %ab : f64
      memref.store %more, %y[%j] : memref<?xf64>
    }
    %end = scf.while (%q = %last) : (index) -> index {
      %in = arith.cmpi ult, %q, %n : index
      %same = scf.if %in -> (i1) {
        %r0 = memref.load %rows[%last] : memref<?xi32>
        %i0 = arith.index_cast %r0 : i32 to index
        %s = memref.load %rows[%q] : memref<?xi32>
        %k = arith.index_cast %s : i32 to index
        %eq = arith.cmpi eq, %i0, %k : index
        scf.yield %eq : i1
      } else {
        scf.yield %false : i1
      }
      scf.condition(%same) %q : index
    } do {
    ^bb0(%q: index):
      %next = arith.addi %q, %c1 : index
      scf.yield %next : index
    }
    scf.yield %last, %end : index, index
  }
  return
}

// -----

// A sum that is added to memory in the end is added in parts, as each has entries: not where the order counts.
// CHECK-LABEL: func.func @apart(
// FAST:          arith.xori
// FAST-NOT:        arith.select
// FAST-COUNT-4:    memref.store
// STRICT-NOT:    arith.xori
func.func @apart(%rows: memref<?xi32>, %cols: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %false = arith.constant false
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = scf.while (%q = %c0) : (index) -> index {
    %in = arith.cmpi ult, %q, %n : index
    %same = scf.if %in -> (i1) {
      %r = memref.load %rows[%c0] : memref<?xi32>
      %i = arith.index_cast %r : i32 to index
      %s = memref.load %rows[%q] : memref<?xi32>
      %k = arith.index_cast %s : i32 to index
      %eq = arith.cmpi eq, %i, %k : index
      scf.yield %eq : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%same) %q : index
  } do {
  ^bb0(%q: index):
    %next = arith.addi %q, %c1 : index
    scf.yield %next : index
  }
  scf.while (%p = %c0, %last = %first) : (index, index) -> (index, index) {
    %in = arith.cmpi ult, %p, %n : index
    scf.condition(%in) %p, %last : index, index
  } do {
  ^bb0(%p: index, %last: index):
    %r = memref.load %rows[%p] : memref<?xi32>
    %i = arith.index_cast %r : i32 to index
    %old = memref.load %y[%i] : memref<?xf64>
    %sum = scf.for %e = %p to %last step %c1 iter_args(%acc = %zero) -> (f64) {
      %c = memref.load %cols[%e] : memref<?xi32>
      %j = arith.index_cast %c : i32 to index
      %a = memref.load %val[%e] : memref<?xf64>
      %b = memref.load %x[%j] : memref<?xf64>
      %ab = arith.mulf %a, %b : f64
      %more = arith.addf %acc, %ab : f64
      scf.yield %more : f64
    }
    %any = arith.cmpi slt, %p, %last : index
    %more = arith.addf %old, %sum : f64
    %all = arith.select %any, %more, %old : f64
    memref.store %all, %y[%i] : memref<?xf64>
    %end = scf.while (%q = %last) : (index) -> index {
      %in = arith.cmpi ult, %q, %n : index
      %same = scf.if %in -> (i1) {
        %r0 = memref.load %rows[%last] : memref<?xi32>
        %i0 = arith.index_cast %r0 : i32 to index
        %s = memref.load %rows[%q] : memref<?xi32>
        %k = arith.index_cast %s : i32 to index
        %eq = arith.cmpi eq, %i0, %k : index
        scf.yield %eq : i1
      } else {
        scf.yield %false : i1
      }
      scf.condition(%same) %q : index
    } do {
    ^bb0(%q: index):
      %next = arith.addi %q, %c1 : index
      scf.yield %next : index
    }
    scf.yield %last, %end : index, index
  }
  return
}

// -----

// Coordinates in one array, entry by entry.
// CHECK-LABEL: func.func @structs(
// CHECK-SAME:    %[[ENTRIES:[a-z0-9]*]]: memref<?xi32>
// CHECK:         scf.while
// CHECK:         } do {
// CHECK:           %[[PLACE:.*]] = arith.muli %{{.*}}, %c2
// CHECK:           %[[ROW:.*]] = memref.load %[[ENTRIES]][%[[PLACE]]]
// CHECK:           arith.xori %{{.*}}, %[[ROW]]
func.func @structs(%rows: memref<?xi32>, %cols: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %first = scf.while (%q = %c0) : (index) -> index {
    %in = arith.cmpi ult, %q, %n : index
    %same = scf.if %in -> (i1) {
      %r = memref.load %rows[%c0] : memref<?xi32>
      %i = arith.index_cast %r : i32 to index
      %q2 = arith.muli %q, %c2 : index
      %s = memref.load %rows[%q2] : memref<?xi32>
      %k = arith.index_cast %s : i32 to index
      %eq = arith.cmpi eq, %i, %k : index
      scf.yield %eq : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%same) %q : index
  } do {
  ^bb0(%q: index):
    %next = arith.addi %q, %c1 : index
    scf.yield %next : index
  }
  scf.while (%p = %c0, %last = %first) : (index, index) -> (index, index) {
    %in = arith.cmpi ult, %p, %n : index
    scf.condition(%in) %p, %last : index, index
  } do {
  ^bb0(%p: index, %last: index):
    %p2 = arith.muli %p, %c2 : index
    %r = memref.load %rows[%p2] : memref<?xi32>
    %i = arith.index_cast %r : i32 to index
    %old = memref.load %y[%i] : memref<?xf64>
    %sum = scf.for %e = %p to %last step %c1 iter_args(%acc = %old) -> (f64) {
      %e2 = arith.muli %e, %c2 : index
      %e3 = arith.addi %e2, %c1 : index
      %c = memref.load %rows[%e3] : memref<?xi32>
      %j = arith.index_cast %c : i32 to index
      %a = memref.load %val[%e] : memref<?xf64>
      %b = memref.load %x[%j] : memref<?xf64>
      %ab = arith.mulf %a, %b : f64
      %more = arith.addf %acc, %ab : f64
      scf.yield %more : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
    %last2 = arith.muli %last, %c2 : index
    %end = scf.while (%q = %last) : (index) -> index {
      %in = arith.cmpi ult, %q, %n : index
      %same = scf.if %in -> (i1) {
        %r0 = memref.load %rows[%last2] : memref<?xi32>
        %i0 = arith.index_cast %r0 : i32 to index
        %q2 = arith.muli %q, %c2 : index
      %s = memref.load %rows[%q2] : memref<?xi32>
        %k = arith.index_cast %s : i32 to index
        %eq = arith.cmpi eq, %i0, %k : index
        scf.yield %eq : i1
      } else {
        scf.yield %false : i1
      }
      scf.condition(%same) %q : index
    } do {
    ^bb0(%q: index):
      %next = arith.addi %q, %c1 : index
      scf.yield %next : index
    }
    scf.yield %last, %end : index, index
  }
  return
}
