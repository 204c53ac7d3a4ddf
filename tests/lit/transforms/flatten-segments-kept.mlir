// RUN: spc-opt %s -split-input-file -spc-flatten-segments=reassociate | FileCheck %s
// Runs that stay whole.

// What is no sum.
// CHECK-LABEL: func.func @largest(
// CHECK-NOT:     arith.xori
// CHECK:         scf.for
// CHECK-NOT:     arith.xori
// CHECK:         return
func.func @largest(%rows: memref<?xi32>, %cols: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
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
      %more = arith.maximumf %acc, %ab : f64
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

// What starts from zero, and is stored.
// CHECK-LABEL: func.func @overwrites(
// CHECK-NOT:     arith.xori
// CHECK:         scf.for
// CHECK-NOT:     arith.xori
// CHECK:         return
func.func @overwrites(%rows: memref<?xi32>, %cols: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
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
    %sum = scf.for %e = %p to %last step %c1 iter_args(%acc = %zero) -> (f64) {
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

// Half floats, which are rounded once a run.
// CHECK-LABEL: func.func @halves(
// CHECK-NOT:     arith.xori
// CHECK:         scf.for
// CHECK-NOT:     arith.xori
// CHECK:         return
func.func @halves(%rows: memref<?xi32>, %cols: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf16>, %n: index) {
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
    %half = memref.load %y[%i] : memref<?xf16>
    %old = arith.extf %half : f16 to f64
    %sum = scf.for %e = %p to %last step %c1 iter_args(%acc = %old) -> (f64) {
      %c = memref.load %cols[%e] : memref<?xi32>
      %j = arith.index_cast %c : i32 to index
      %a = memref.load %val[%e] : memref<?xf64>
      %b = memref.load %x[%j] : memref<?xf64>
      %ab = arith.mulf %a, %b : f64
      %more = arith.addf %acc, %ab : f64
      scf.yield %more : f64
    }
    %rounded = arith.truncf %sum : f64 to f16
    memref.store %rounded, %y[%i] : memref<?xf16>
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

// Loops over rows of operands.
// CHECK-LABEL: func.func @dense(
// CHECK-NOT:     arith.xori
// CHECK:         scf.for
// CHECK-NOT:     arith.xori
// CHECK:         return
func.func @dense(%rows: memref<?xi32>, %cols: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
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
    scf.for %e = %p to %last step %c1 {
      %a = memref.load %val[%e] : memref<?xf64>
      scf.for %k = %c0 to %n step %c1 {
        %b = memref.load %x[%k] : memref<?xf64>
        %ab = arith.mulf %a, %b : f64
        %old = memref.load %y[%k] : memref<?xf64>
        %more = arith.addf %old, %ab : f64
        memref.store %more, %y[%k] : memref<?xf64>
      }
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

// What reads, before its entries, what they add to.
// CHECK-LABEL: func.func @reads(
// CHECK-NOT:     arith.xori
// CHECK:         scf.for
// CHECK-NOT:     arith.xori
// CHECK:         return
func.func @reads(%rows: memref<?xi32>, %cols: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
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
    %b = memref.load %y[%i] : memref<?xf64>
    scf.for %e = %p to %last step %c1 {
      %c = memref.load %cols[%e] : memref<?xi32>
      %j = arith.index_cast %c : i32 to index
      %old = memref.load %y[%j] : memref<?xf64>
      %more = arith.addf %old, %b : f64
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

// What uses how long a run is.
// CHECK-LABEL: func.func @lengths(
// CHECK-NOT:     arith.xori
// CHECK:         scf.for
// CHECK-NOT:     arith.xori
// CHECK:         return
func.func @lengths(%rows: memref<?xi32>, %cols: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
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
    %length = arith.subi %last, %p : index
    %b0 = memref.load %x[%length] : memref<?xf64>
    %sum = scf.for %e = %p to %last step %c1 iter_args(%acc = %old) -> (f64) {
      %c = memref.load %cols[%e] : memref<?xi32>
      %j = arith.index_cast %c : i32 to index
      %a = memref.load %val[%e] : memref<?xf64>
      %b = memref.load %x[%j] : memref<?xf64>
      %ab = arith.mulf %a, %b0 : f64
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
