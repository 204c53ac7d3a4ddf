// RUN: spc-opt %s -spc-chunk-rows | FileCheck %s

// Each row of y is written by its own iteration.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[BEGIN:[a-z0-9]*]]: index {spc.bind = #spc.bind<begin, "m">}
// CHECK-SAME:    %[[END:[a-z0-9]*]]: index {spc.bind = #spc.bind<end, "m">}
// CHECK:         scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:         } {spc.row_loop = #spc.row_loop<rows, <size, "m">, <"m">>}
func.func @rows(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">}, %x: memref<?xf64> {spc.bind = #spc.bind<values, "x">},
                %m: index {spc.bind = #spc.bind<size, "m">})
    attributes {spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %v = memref.load %x[%c0] : memref<?xf64>
    memref.store %v, %y[%i] : memref<?xf64>
  }
  return
}

// Nothing says that the work may be divided.
// CHECK-LABEL: func.func @undivided(
// CHECK-NOT:     <begin,
// CHECK:         return
func.func @undivided(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">}, %m: index {spc.bind = #spc.bind<size, "m">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    memref.store %zero, %y[%i] : memref<?xf64>
  }
  return
}

// The positions between a row's pointers are its own.
// CHECK-LABEL: func.func @positions(
// CHECK-SAME:    #spc.bind<begin, "m">
func.func @positions(%d: memref<?xf64> {spc.bind = #spc.bind<values, "D">}, %p: memref<?xi32> {spc.bind = #spc.bind<pointers, "S", 1>},
                     %m: index {spc.bind = #spc.bind<size, "m">})
    attributes {spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    %f = memref.load %p[%i] : memref<?xi32>
    %f64 = arith.extui %f : i32 to i64
    %first = arith.index_cast %f64 : i64 to index
    %next = arith.addi %i, %c1 : index
    %l = memref.load %p[%next] : memref<?xi32>
    %l64 = arith.extui %l : i32 to i64
    %last = arith.index_cast %l64 : i64 to index
    scf.for %q = %first to %last step %c1 {
      memref.store %zero, %d[%q] : memref<?xf64>
    }
  }
  return
}

// Columns outermost: two of them may double the same element.
// CHECK-LABEL: func.func @scatter(
// CHECK-NOT:     <begin,
// CHECK:         return
func.func @scatter(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">}, %ind: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>},
                   %n: index {spc.bind = #spc.bind<size, "n">})
    attributes {spc.division = #spc.division<owners, <size, "n">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %i32 = memref.load %ind[%j] : memref<?xi32>
    %i = arith.index_cast %i32 : i32 to index
    %old = memref.load %y[%i] : memref<?xf64>
    %new = arith.addf %old, %old : f64
    memref.store %new, %y[%i] : memref<?xf64>
  }
  return
}

// An iteration reads what another one writes.
// CHECK-LABEL: func.func @neighbour(
// CHECK-NOT:     <begin,
// CHECK:         return
func.func @neighbour(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">}, %m: index {spc.bind = #spc.bind<size, "m">})
    attributes {spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %v = memref.load %y[%c0] : memref<?xf64>
    memref.store %v, %y[%i] : memref<?xf64>
  }
  return
}

// The sum over all rows is carried from row to row, and rounded as the source says.
// CHECK-LABEL: func.func @sum(
// CHECK-NOT:     <begin,
// CHECK:         return
func.func @sum(%s: memref<f64> {spc.bind = #spc.bind<values, "s">}, %x: memref<?xf64> {spc.bind = #spc.bind<values, "x">},
               %m: index {spc.bind = #spc.bind<size, "m">})
    attributes {spc.division = #spc.division<copies, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %i = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f64) {
    %v = memref.load %x[%i] : memref<?xf64>
    %next = arith.addf %acc, %v : f64
    scf.yield %next : f64
  }
  memref.store %sum, %s[] : memref<f64>
  return
}

// Blocks of rows: block io writes rows 4 io to 4 io + 3 at most.
// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:    #spc.bind<begin, "m" by 4>
func.func @blocks(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">}, %blocks: index {spc.bind = #spc.bind<size, "m" by 4>},
                  %m: index {spc.bind = #spc.bind<size, "m">})
    attributes {spc.division = #spc.division<owners, <size, "m" by 4>>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  scf.for %io = %c0 to %blocks step %c1 {
    %first = arith.muli %io, %c4 : index
    %left = arith.subi %m, %first : index
    %end = arith.minsi %left, %c4 : index
    scf.for %ii = %c0 to %end step %c1 {
      %i = arith.addi %first, %ii : index
      memref.store %zero, %y[%i] : memref<?xf64>
    }
  }
  return
}

// Five rows in blocks of four: neighbouring blocks write the same row.
// CHECK-LABEL: func.func @overlapping(
// CHECK-NOT:     <begin,
// CHECK:         return
func.func @overlapping(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">}, %blocks: index {spc.bind = #spc.bind<size, "m" by 4>})
    attributes {spc.division = #spc.division<owners, <size, "m" by 4>>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f64
  scf.for %io = %c0 to %blocks step %c1 {
    %first = arith.muli %io, %c4 : index
    scf.for %ii = %c0 to %c5 step %c1 {
      %i = arith.addi %first, %ii : index
      memref.store %zero, %y[%i] : memref<?xf64>
    }
  }
  return
}

// Computed segments, marked when storage was lowered; values in blocks of 8 below them.
// CHECK-LABEL: func.func @computed(
// CHECK-SAME:    #spc.bind<begin, "m">
func.func @computed(%d: memref<?xf64> {spc.bind = #spc.bind<values, "D">}, %m: index {spc.bind = #spc.bind<size, "m">})
    attributes {spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    %first = arith.muli %i, %c3 : index
    %last = arith.addi %first, %c3 : index
    scf.for %q = %first to %last step %c1 {
      %block = arith.muli %q, %c8 : index
      scf.for %t = %c0 to %c8 step %c1 {
        %place = arith.addi %t, %block : index
        memref.store %zero, %d[%place] : memref<?xf64>
      }
    } {spc.segment}
  }
  return
}

// The parent of a computed segment is loaded: two rows may have the same one.
// CHECK-LABEL: func.func @loaded_parent(
// CHECK-NOT:     <begin,
// CHECK:         return
func.func @loaded_parent(%d: memref<?xf64> {spc.bind = #spc.bind<values, "D">}, %p: memref<?xindex> {spc.bind = #spc.bind<indices, "A", 1>},
                         %m: index {spc.bind = #spc.bind<size, "m">})
    attributes {spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    %parent = memref.load %p[%i] : memref<?xindex>
    %first = arith.muli %parent, %c3 : index
    %last = arith.addi %first, %c3 : index
    scf.for %q = %first to %last step %c1 {
      memref.store %zero, %d[%q] : memref<?xf64>
    } {spc.segment}
  }
  return
}

// A sum that may be reassociated: each chunk has one of its own.
// CHECK-LABEL: func.func @sum_of_chunks(
// CHECK-SAME:    #spc.bind<begin, "m">
// CHECK-SAME:    spc.chunks = #spc.chunks<items = <size, "m"> copies = "s" zeroed = true>
func.func @sum_of_chunks(%s: memref<f64> {spc.bind = #spc.bind<values, "s">, spc.tensor = #spc.tensor<"s">},
                         %x: memref<?xf64> {spc.bind = #spc.bind<values, "x">}, %m: index {spc.bind = #spc.bind<size, "m">})
    attributes {spc.division = #spc.division<copies, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  memref.store %zero, %s[] : memref<f64>
  %first = memref.load %s[] : memref<f64>
  %sum = scf.for %i = %c0 to %m step %c1 iter_args(%acc = %first) -> (f64) {
    %v = memref.load %x[%i] : memref<?xf64>
    %next = arith.addf %acc, %v fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  memref.store %sum, %s[] : memref<f64>
  return
}

// Columns add to any row, or only look at it: what is added to copies can be summed up.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    #spc.bind<begin, "n">
// CHECK-SAME:    spc.chunks = #spc.chunks<items = <size, "n"> copies = "y">
func.func @columns(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">, spc.tensor = #spc.tensor<"y">},
                   %ind: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>}, %v: f64 {spc.bind = #spc.bind<scalar, "alpha">},
                   %n: index {spc.bind = #spc.bind<size, "n">})
    attributes {spc.nests = [#spc.nest<[<[["j", 1, 1]] in <"n"> divided = true>]>],
                spc.division = #spc.division<copies, <size, "n">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %i32 = memref.load %ind[%j] : memref<?xi32>
    %i = arith.index_cast %i32 : i32 to index
    %old = memref.load %y[%i] : memref<?xf64>
    %new = arith.addf %old, %v fastmath<reassoc> : f64
    memref.store %new, %y[%i] : memref<?xf64>
  } {spc.place = #spc.place<0, 0>}
  return
}

// Rows that are set as the loop gets to them, and added to by another loop over them: in a copy the others are set before.
// CHECK-LABEL: func.func @symmetric(
// CHECK-SAME:    %[[Y:[a-z0-9]*]]: memref<?xf64> {{{.*}}<values, "y">
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "n">}
// CHECK-SAME:    %[[BEGIN:[a-z0-9]*]]: index {spc.bind = #spc.bind<begin, "n">}
// CHECK-SAME:    %[[END:[a-z0-9]*]]: index {spc.bind = #spc.bind<end, "n">}
// CHECK-SAME:    spc.chunks = #spc.chunks<items = <size, "n"> copies = "y" zeroed = true>
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[BEGIN]]
// CHECK-NEXT:      memref.store %{{.*}}, %[[Y]][%[[I]]]
// CHECK:         scf.for %[[I:.*]] = %[[END]] to %[[N]]
// CHECK-NEXT:      memref.store %{{.*}}, %[[Y]][%[[I]]]
// CHECK:         scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:         scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
func.func @symmetric(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">, spc.tensor = #spc.tensor<"y">},
                     %ind: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>}, %v: f64 {spc.bind = #spc.bind<scalar, "alpha">},
                     %n: index {spc.bind = #spc.bind<size, "n">})
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"n"> divided = true>]>,
                             #spc.nest<[<[["i", 1, 1]] in <"n"> divided = true>]>],
                spc.division = #spc.division<copies, <size, "n">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    memref.store %zero, %y[%i] : memref<?xf64>
    %old = memref.load %y[%i] : memref<?xf64>
    %new = arith.addf %old, %v fastmath<reassoc> : f64
    memref.store %new, %y[%i] : memref<?xf64>
  } {spc.place = #spc.place<0, 0>}
  scf.for %i = %c0 to %n step %c1 {
    %j32 = memref.load %ind[%i] : memref<?xi32>
    %j = arith.index_cast %j32 : i32 to index
    %old = memref.load %y[%j] : memref<?xf64>
    %new = arith.addf %old, %v fastmath<reassoc> : f64
    memref.store %new, %y[%j] : memref<?xf64>
  } {spc.place = #spc.place<1, 0>}
  return
}

// One chunk alone writes what the output starts from, and adds what each element gets once.
// CHECK-LABEL: func.func @started(
// CHECK-SAME:    %[[CHUNK:[a-z0-9]*]]: index {spc.bind = #spc.bind<chunk>}
// CHECK-SAME:    spc.chunks = #spc.chunks<items = <size, "n"> copies = "y">
// CHECK:         arith.cmpi eq, %[[CHUNK]]
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        memref.load %[[Z:[a-z0-9]*]][
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step
// CHECK:         arith.cmpi eq, %[[CHUNK]]
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      scf.for
func.func @started(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">, spc.tensor = #spc.tensor<"y">},
                   %z: memref<?xf64> {spc.bind = #spc.bind<values, "z">},
                   %ind: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>}, %v: f64 {spc.bind = #spc.bind<scalar, "alpha">},
                   %m: index {spc.bind = #spc.bind<size, "m">}, %n: index {spc.bind = #spc.bind<size, "n">})
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m">>]>,
                             #spc.nest<[<[["j", 1, 1]] in <"n"> divided = true>]>,
                             #spc.nest<[<[["i", 1, 1]] in <"m">>]>],
                spc.division = #spc.division<copies, <size, "n">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %start = memref.load %z[%i] : memref<?xf64>
    memref.store %start, %y[%i] : memref<?xf64>
  } {spc.place = #spc.place<0, 0>}
  scf.for %j = %c0 to %n step %c1 {
    %i32 = memref.load %ind[%j] : memref<?xi32>
    %i = arith.index_cast %i32 : i32 to index
    %old = memref.load %y[%i] : memref<?xf64>
    %new = arith.addf %old, %v fastmath<reassoc> : f64
    memref.store %new, %y[%i] : memref<?xf64>
  } {spc.place = #spc.place<1, 0>}
  scf.for %i = %c0 to %m step %c1 {
    %addend = memref.load %z[%i] : memref<?xf64>
    %old = memref.load %y[%i] : memref<?xf64>
    %new = arith.addf %old, %addend fastmath<reassoc> : f64
    memref.store %new, %y[%i] : memref<?xf64>
  } {spc.place = #spc.place<2, 0>}
  return
}

// CHECK-LABEL: func.func @addend_depends(
// CHECK-NOT:     <begin,
// CHECK:         return
func.func @addend_depends(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">, spc.tensor = #spc.tensor<"y">},
                          %ind: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>}, %v: f64 {spc.bind = #spc.bind<scalar, "alpha">},
                          %n: index {spc.bind = #spc.bind<size, "n">})
    attributes {spc.nests = [#spc.nest<[<[["j", 1, 1]] in <"n"> divided = true>]>],
                spc.division = #spc.division<copies, <size, "n">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %i32 = memref.load %ind[%j] : memref<?xi32>
    %i = arith.index_cast %i32 : i32 to index
    %old = memref.load %y[%i] : memref<?xf64>
    %twice = arith.mulf %old, %v : f64
    %new = arith.addf %old, %twice fastmath<reassoc> : f64
    memref.store %new, %y[%i] : memref<?xf64>
  } {spc.place = #spc.place<0, 0>}
  return
}

// The rows that a root lists are found in it; those that it does not list are set to zero in chunks, too.
// CHECK-LABEL: func.func @root(
// CHECK-SAME:    %[[B:[a-z0-9]*]]: index {spc.bind = #spc.bind<begin, "m">}
// CHECK-SAME:    %[[E:[a-z0-9]*]]: index {spc.bind = #spc.bind<end, "m">}
// CHECK-SAME:    spc.chunks = #spc.chunks<items = <size, "m"> root = "A">
// CHECK:         scf.for %{{.*}} = %[[B]] to %[[E]]
// CHECK:         %[[FIRST:.*]]:2 = scf.while
// CHECK:           arith.cmpi ult, %{{.*}}, %[[B]]
// CHECK:         %[[LAST:.*]]:2 = scf.while
// CHECK:           arith.cmpi ult, %{{.*}}, %[[E]]
// CHECK:         scf.for %{{.*}} = %[[FIRST]]#0 to %[[LAST]]#0
func.func @root(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">, spc.tensor = #spc.tensor<"y">},
                %ind: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 0>, spc.ascends = #spc.extent<"m">}, %v: f64 {spc.bind = #spc.bind<scalar, "alpha">},
                %count: index {spc.bind = #spc.bind<count, "A", 0>}, %m: index {spc.bind = #spc.bind<size, "m">})
    attributes {spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    memref.store %zero, %y[%i] : memref<?xf64>
  }
  scf.for %p = %c0 to %count step %c1 {
    %i32 = memref.load %ind[%p] : memref<?xi32>
    %i64 = arith.extui %i32 : i32 to i64
    %i = arith.index_cast %i64 : i64 to index
    memref.store %v, %y[%i] : memref<?xf64>
  }
  return
}

// Without order, rows that are listed twice may lie in any chunk.
// CHECK-LABEL: func.func @unordered_root(
// CHECK-NOT:     <begin,
// CHECK:         return
func.func @unordered_root(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">, spc.tensor = #spc.tensor<"y">},
                          %ind: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 0>}, %v: f64 {spc.bind = #spc.bind<scalar, "alpha">},
                          %count: index {spc.bind = #spc.bind<count, "A", 0>})
    attributes {spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %count step %c1 {
    %i32 = memref.load %ind[%p] : memref<?xi32>
    %i64 = arith.extui %i32 : i32 to i64
    %i = arith.index_cast %i64 : i64 to index
    memref.store %v, %y[%i] : memref<?xf64>
  }
  return
}

// CHECK-LABEL: func.func @not_parallel(
// CHECK-NOT:     <begin,
// CHECK:         return
func.func @not_parallel(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">}, %v: f64 {spc.bind = #spc.bind<scalar, "alpha">},
                        %m: index {spc.bind = #spc.bind<size, "m">}) attributes {spc.division = #spc.division<owners, <size, "m">>, spc.schedule = #spc.schedule<parallel = "none">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    memref.store %v, %y[%i] : memref<?xf64>
  }
  return
}

!run = !spc.run<append, row = 1, key = i32, value = f64>

// The rows of assembled outputs have been cut: what is below them is all that the chunks need to know.
// CHECK-LABEL: func.func @assembling(
// CHECK-SAME:    attributes {spc.chunks = #spc.chunks<items = <size, "m"> tensors = ["A", "B"]>}
func.func @assembling(%a: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>},
                      %b: memref<?xi32> {spc.bind = #spc.bind<pointers, "B", 1>},
                      %m: index {spc.bind = #spc.bind<size, "m">}, %begin: index {spc.bind = #spc.bind<begin, "m">},
                      %end: index {spc.bind = #spc.bind<end, "m">}, %assembly: !llvm.ptr {spc.bind = #spc.bind<assembly>},
                      %chunk: index {spc.bind = #spc.bind<chunk>})
    attributes {spc.division = #spc.division<owners, <size, "m">>} {
  %c1 = arith.constant 1 : index
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !run):
    scf.for %i = %begin to %end step %c1 {
      %first = memref.load %b[%i] : memref<?xi32>
      spc.end_row %run(%i) : !run
    } {spc.row_loop = #spc.row_loop<rows, <size, "m">, <"m">>}
    spc.close_run
  }
  spc.open_run %assembly[%chunk] number 1 {
  ^bb0(%run: !run):
    scf.for %i = %begin to %end step %c1 {
      %first = memref.load %a[%i] : memref<?xi32>
      spc.end_row %run(%i) : !run
    } {spc.row_loop = #spc.row_loop<rows, <size, "m">, <"m">>}
    spc.close_run
  }
  return
}

// Of runs by roots each chunk takes the positions that list its rows. All rows are gone through beside, where another
// run does.
// CHECK-LABEL: func.func @assembling_a_root(
// CHECK-SAME:    %[[ROWS:[a-z0-9]*]]: memref<?xi32> {{{.*}}<indices, "A", 0>
// CHECK-SAME:    %[[BEGIN:[a-z0-9]*]]: index {spc.bind = #spc.bind<begin, "m">}
// CHECK-SAME:    %[[END:[a-z0-9]*]]: index {spc.bind = #spc.bind<end, "m">}
// CHECK-SAME:    spc.chunks = #spc.chunks<items = <size, "m"> tensors = ["B"]>
// CHECK:         spc.open_run
// CHECK:         %[[FIRST:.*]]:2 = scf.while
// CHECK:           memref.load %[[ROWS]]
// CHECK:           arith.cmpi ult, %{{.*}}, %[[BEGIN]]
// CHECK:         %[[LAST:.*]]:2 = scf.while
// CHECK:           arith.cmpi ult, %{{.*}}, %[[END]]
// CHECK:         scf.for %{{.*}} = %[[FIRST]]#0 to %[[LAST]]#0
// CHECK:         spc.open_run
// CHECK:         scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
func.func @assembling_a_root(%m: index {spc.bind = #spc.bind<size, "m">},
                             %count: index {spc.bind = #spc.bind<count, "A", 0>},
                             %rows: memref<?xi32> {spc.ascends = #spc.extent<"m">, spc.bind = #spc.bind<indices, "A", 0>},
                             %b: memref<?xi32> {spc.bind = #spc.bind<pointers, "B", 1>},
                             %assembly: !llvm.ptr {spc.bind = #spc.bind<assembly>},
                             %chunk: index {spc.bind = #spc.bind<chunk>})
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m"> lists = ["A"] row = true divided = true>]>,
                             #spc.nest<[<[["i", 1, 1]] in <"m"> row = true divided = true>]>],
                spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !run):
    scf.for %p = %c0 to %count step %c1 {
      %coordinate = memref.load %rows[%p] : memref<?xi32>
      %i = arith.index_cast %coordinate : i32 to index
      spc.end_row %run(%i) : !run
    } {spc.place = #spc.place<0, 0>}
    spc.close_run
  }
  spc.open_run %assembly[%chunk] number 1 {
  ^bb0(%run: !run):
    scf.for %i = %c0 to %m step %c1 {
      %first = memref.load %b[%i] : memref<?xi32>
      spc.end_row %run(%i) : !run
    } {spc.place = #spc.place<1, 0>}
    spc.close_run
  }
  return
}

// Roots that are merged are all cut at the same rows: the merge, and what is left of each.
// CHECK-LABEL: func.func @assembling_a_merge(
// CHECK-SAME:    %[[BEGIN:[a-z0-9]*]]: index {spc.bind = #spc.bind<begin, "m">}
// CHECK-SAME:    %[[END:[a-z0-9]*]]: index {spc.bind = #spc.bind<end, "m">}
// CHECK-SAME:    spc.chunks = #spc.chunks<items = <size, "m"> root = "A">
// CHECK:         %[[FIRST_A:.*]]:2 = scf.while
// CHECK:           arith.cmpi ult, %{{.*}}, %[[BEGIN]]
// CHECK:         %[[LAST_A:.*]]:2 = scf.while
// CHECK:           arith.cmpi ult, %{{.*}}, %[[END]]
// CHECK:         %[[FIRST_B:.*]]:2 = scf.while
// CHECK:           arith.cmpi ult, %{{.*}}, %[[BEGIN]]
// CHECK:         %[[LAST_B:.*]]:2 = scf.while
// CHECK:           arith.cmpi ult, %{{.*}}, %[[END]]
// CHECK:         spc.open_run
// CHECK:         %[[MERGE:.*]]:2 = scf.while (%[[P:.*]] = %[[FIRST_A]]#0, %[[Q:.*]] = %[[FIRST_B]]#0)
// CHECK:           arith.cmpi ult, %[[P]], %[[LAST_A]]#0
// CHECK:           arith.cmpi ult, %[[Q]], %[[LAST_B]]#0
// CHECK:         scf.for %{{.*}} = %[[MERGE]]#0 to %[[LAST_A]]#0
func.func @assembling_a_merge(%a: index {spc.bind = #spc.bind<count, "A", 0>},
                              %rows_a: memref<?xi32> {spc.ascends = #spc.extent<"m">, spc.bind = #spc.bind<indices, "A", 0>},
                              %b: index {spc.bind = #spc.bind<count, "B", 0>},
                              %rows_b: memref<?xi32> {spc.ascends = #spc.extent<"m">, spc.bind = #spc.bind<indices, "B", 0>},
                              %assembly: !llvm.ptr {spc.bind = #spc.bind<assembly>},
                              %chunk: index {spc.bind = #spc.bind<chunk>})
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m"> lists = ["A", "B"] row = true divided = true>]>],
                spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !run):
    %ends:2 = scf.while (%p = %c0, %q = %c0) : (index, index) -> (index, index) {
      %is_a = arith.cmpi ult, %p, %a : index
      %is_b = arith.cmpi ult, %q, %b : index
      %both = arith.andi %is_a, %is_b : i1
      scf.condition(%both) %p, %q : index, index
    } do {
    ^bb0(%p: index, %q: index):
      %at_a = memref.load %rows_a[%p] : memref<?xi32>
      %i_a = arith.index_cast %at_a : i32 to index
      %at_b = memref.load %rows_b[%q] : memref<?xi32>
      %i_b = arith.index_cast %at_b : i32 to index
      %before = arith.cmpi ult, %i_b, %i_a : index
      %i = arith.select %before, %i_b, %i_a : index
      spc.end_row %run(%i) : !run
      %next_p = arith.addi %p, %c1 : index
      %next_q = arith.addi %q, %c1 : index
      scf.yield %next_p, %next_q : index, index
    } attributes {spc.place = #spc.place<0, 0>}
    scf.for %p = %ends#0 to %a step %c1 {
      %at_a = memref.load %rows_a[%p] : memref<?xi32>
      %i = arith.index_cast %at_a : i32 to index
      spc.end_row %run(%i) : !run
    } {spc.place = #spc.place<0, 0>}
    spc.close_run
  }
  return
}

// Nothing says that the run's rows may be divided; or they need not ascend, whatever is said.
// CHECK-LABEL: func.func @assembling_at_once(
// CHECK-NOT:     spc.chunks
// CHECK:         spc.open_run
func.func @assembling_at_once(%count: index {spc.bind = #spc.bind<count, "A", 0>},
                              %rows: memref<?xi32> {spc.ascends = #spc.extent<"m">, spc.bind = #spc.bind<indices, "A", 0>},
                              %assembly: !llvm.ptr {spc.bind = #spc.bind<assembly>},
                              %chunk: index {spc.bind = #spc.bind<chunk>})
    attributes {spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !run):
    scf.for %p = %c0 to %count step %c1 {
      %coordinate = memref.load %rows[%p] : memref<?xi32>
      %i = arith.index_cast %coordinate : i32 to index
      spc.end_row %run(%i) : !run
    }
    spc.close_run
  }
  return
}

// CHECK-LABEL: func.func @assembling_unordered(
// CHECK-NOT:     spc.chunks
// CHECK:         spc.open_run
func.func @assembling_unordered(%count: index {spc.bind = #spc.bind<count, "A", 0>},
                                %rows: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 0>},
                                %assembly: !llvm.ptr {spc.bind = #spc.bind<assembly>},
                                %chunk: index {spc.bind = #spc.bind<chunk>})
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m"> lists = ["A"] row = true divided = true>]>],
                spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !run):
    scf.for %p = %c0 to %count step %c1 {
      %coordinate = memref.load %rows[%p] : memref<?xi32>
      %i = arith.index_cast %coordinate : i32 to index
      spc.end_row %run(%i) : !run
    } {spc.place = #spc.place<0, 0>}
    spc.close_run
  }
  return
}

// Each row of a matrix of diagonals comes by all of them.
// CHECK-LABEL: func.func @diagonals(
// CHECK-SAME:    %[[BEGIN:[a-z0-9]*]]: index {spc.bind = #spc.bind<begin, "m">}
// CHECK-SAME:    %[[END:[a-z0-9]*]]: index {spc.bind = #spc.bind<end, "m">}
// CHECK-SAME:    spc.chunks = #spc.chunks<items = <size, "m">>
// CHECK:         scf.for %{{.*}} = %c0 to %[[COUNT:[a-z0-9]*]] step
// CHECK:           %[[FIRST:.*]] = arith.maxsi %{{.*}}, %[[BEGIN]]
// CHECK:           %[[LAST:.*]] = arith.minsi %{{.*}}, %[[END]]
// CHECK:           scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
func.func @diagonals(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">, spc.tensor = #spc.tensor<"y" extents = [<"m">]>},
                     %a: memref<?x?xf64>, %crd: memref<?xindex> {spc.bind = #spc.bind<indices, "A", 0>},
                     %count: index {spc.bind = #spc.bind<count, "A", 0>}, %m: index {spc.bind = #spc.bind<size, "m">},
                     %n: index {spc.bind = #spc.bind<size, "n">})
    attributes {spc.nests = [#spc.nest<[<[["j", 1, 2]] lists = ["A"]>, <[["i", 1, 1]] in <"m"> divided = true>]>],
                spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %count step %c1 {
    %d = memref.load %crd[%p] : memref<?xindex>
    %before = arith.subi %c0, %d : index
    %first = arith.maxsi %before, %c0 : index
    %behind = arith.subi %n, %d : index
    %last = arith.minsi %m, %behind : index
    scf.for %i = %first to %last step %c1 {
      %old = memref.load %y[%i] : memref<?xf64>
      %v = memref.load %a[%p, %i] : memref<?x?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %y[%i] : memref<?xf64>
    } {spc.place = #spc.place<0, 1>}
  } {spc.place = #spc.place<0, 0>}
  return
}

// Elements of a tail belong to the row of their entry, whichever way their place is added up.
// CHECK-LABEL: func.func @tail(
// CHECK-SAME:    #spc.bind<begin, "m">
func.func @tail(%d: memref<?xf64> {spc.bind = #spc.bind<values, "D">}, %p: memref<?xi32> {spc.bind = #spc.bind<pointers, "S", 1>},
                %m: index {spc.bind = #spc.bind<size, "m">}, %h: index {spc.bind = #spc.bind<size, "h">})
    attributes {spc.division = #spc.division<owners, <size, "m">>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    %f = memref.load %p[%i] : memref<?xi32>
    %f64 = arith.extui %f : i32 to i64
    %first = arith.index_cast %f64 : i64 to index
    %next = arith.addi %i, %c1 : index
    %l = memref.load %p[%next] : memref<?xi32>
    %l64 = arith.extui %l : i32 to i64
    %last = arith.index_cast %l64 : i64 to index
    scf.for %q = %first to %last step %c1 {
      %entry = arith.muli %q, %h : index
      scf.for %t = %c0 to %h step %c1 {
        %place = arith.addi %t, %entry : index
        memref.store %zero, %d[%place] : memref<?xf64>
      }
    }
  }
  return
}
