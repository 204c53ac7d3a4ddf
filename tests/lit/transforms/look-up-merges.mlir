// RUN: spc-opt %s -spc-look-up-merges | FileCheck %s

// Row i stays while j goes through it: its positions are looked up for the entries of each row j, and wiped behind them.
// Pointers of row i, which the merge asks for again, are loaded in front of the loop.
// CHECK-LABEL: func.func @triangles(
// CHECK-SAME:    %[[MEMORY:[a-z0-9]*]]: !llvm.ptr {spc.bind = #spc.bind<positions, "n">}
// CHECK:         %[[PLACE:.*]] = memref.alloca() : memref<1xindex>
// CHECK:         %[[ARRAY:.*]] = spc.take_positions %[[MEMORY]]
// CHECK:         arith.cmpi sge, %{{.*}}, %c4
// CHECK:         %[[THERE:.*]] = llvm.icmp "ne" %[[ARRAY]]
// CHECK:         %[[LENGTH:.*]] = arith.subi %[[END:.*]], %[[FIRST:.*]] : index
// CHECK:         arith.cmpi sge, %[[LENGTH]], %c4
// CHECK:         scf.if %{{.*}} -> (f64) {
// CHECK:           memref.store %[[FIRST]], %[[PLACE]]
// CHECK:           %[[SUM:.*]] = scf.for
// What row j may find is written down first, up to its last coordinate.
// CHECK:             %[[LIMIT:.*]] = scf.if %{{.*}} -> (index) {
// CHECK:               scf.while
// CHECK:                 arith.cmpi ule
// CHECK:                 llvm.store
// CHECK:               memref.store %{{.*}}, %[[PLACE]]
// Long rows are cut behind the last coordinate of row i.
// CHECK:               scf.if %{{.*}} -> (index) {
// CHECK:                 scf.while
// CHECK:                   arith.shrui
// CHECK:             scf.for %[[Q:.*]] = %{{.*}} to %[[LIMIT]] {{.*}} iter_args(%[[CARRIED:.*]] = %{{.*}}) -> (f64) {
// CHECK:               %[[NOTED:.*]] = llvm.load
// CHECK:               %[[MET:.*]] = arith.cmpi ne, %[[NOTED]], %c0_i32
// CHECK:               scf.if %[[MET]] -> (f64) {
// CHECK:                 %[[BEHIND:.*]] = arith.addi %[[FIRST]]
// CHECK:                 %[[AT:.*]] = arith.subi %[[BEHIND]]
// CHECK-DAG:             memref.load %{{.*}}[%[[Q]]] : memref<?xf64>
// CHECK-DAG:             memref.load %{{.*}}[%[[AT]]] : memref<?xf64>
// CHECK:               } else {
// CHECK:                 scf.yield %[[CARRIED]]
// CHECK:             } {spc.place = #spc.place<0, 2>}
// CHECK:           %[[NOTEDEND:.*]] = memref.load %[[PLACE]]
// CHECK:           scf.for %{{.*}} = %[[FIRST]] to %[[NOTEDEND]]
// CHECK:             llvm.store %c0_i32
// CHECK:           scf.yield %[[SUM]]
// CHECK:         } else {
// CHECK:           scf.while
// CHECK:         spc.give_positions %[[MEMORY]], %[[ARRAY]]
// CHECK-NEXT:    return
func.func @triangles(%m: index, %pointers: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>},
                     %indices: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>},
                     %values: memref<?xf64> {spc.bind = #spc.bind<values, "A">}, %i: index, %y: memref<f64>)
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m">>, <[["j", 1, 1]] in <"n"> lists = ["A"] reduction = true>,
                                        <[["k", 1, 1]] in <"n"> lists = ["A", "A"] reduction = true>]>]} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %next = arith.addi %i, %c1 : index
  %p0 = memref.load %pointers[%i] : memref<?xi32>
  %begin = arith.index_cast %p0 : i32 to index
  %p1 = memref.load %pointers[%next] : memref<?xi32>
  %end = arith.index_cast %p1 : i32 to index
  %all = scf.for %r = %begin to %end step %c1 iter_args(%outer = %zero) -> (f64) {
    %jn = memref.load %indices[%r] : memref<?xi32>
    %j = arith.index_cast %jn : i32 to index
    %jnext = arith.addi %j, %c1 : index
    %q0 = memref.load %pointers[%j] : memref<?xi32>
    %qbegin = arith.index_cast %q0 : i32 to index
    %q1 = memref.load %pointers[%jnext] : memref<?xi32>
    %qend = arith.index_cast %q1 : i32 to index
    %s0 = memref.load %pointers[%i] : memref<?xi32>
    %sbegin = arith.index_cast %s0 : i32 to index
    %s1 = memref.load %pointers[%next] : memref<?xi32>
    %send = arith.index_cast %s1 : i32 to index
    %rest:3 = scf.while (%p = %sbegin, %q = %qbegin, %sum = %outer) : (index, index, f64) -> (index, index, f64) {
      %inA = arith.cmpi ult, %p, %send : index
      %inB = arith.cmpi ult, %q, %qend : index
      %inBoth = arith.andi %inA, %inB : i1
      scf.condition(%inBoth) %p, %q, %sum : index, index, f64
    } do {
    ^bb0(%p: index, %q: index, %sum: f64):
      %na = memref.load %indices[%p] : memref<?xi32>
      %ka = arith.index_cast %na : i32 to index
      %nb = memref.load %indices[%q] : memref<?xi32>
      %kb = arith.index_cast %nb : i32 to index
      %less = arith.cmpi ult, %kb, %ka : index
      %k = arith.select %less, %kb, %ka : index
      %isA = arith.cmpi eq, %ka, %k : index
      %isB = arith.cmpi eq, %kb, %k : index
      %isBoth = arith.andi %isA, %isB : i1
      %more = scf.if %isBoth -> (f64) {
        %a = memref.load %values[%p] : memref<?xf64>
        %b = memref.load %values[%q] : memref<?xf64>
        %product = arith.mulf %a, %b : f64
        %added = arith.addf %sum, %product : f64
        scf.yield %added : f64
      } else {
        scf.yield %sum : f64
      }
      %pnext = arith.addi %p, %c1 : index
      %pstep = arith.select %isA, %pnext, %p : index
      %qnext = arith.addi %q, %c1 : index
      %qstep = arith.select %isB, %qnext, %q : index
      scf.yield %pstep, %qstep, %more : index, index, f64
    } attributes {spc.place = #spc.place<0, 2>}
    scf.yield %rest#2 : f64
  } {spc.place = #spc.place<0, 1>}
  memref.store %all, %y[] : memref<f64>
  return
}

// Both rows are others in each iteration.
// CHECK-LABEL: func.func @dots(
// CHECK-NOT:     spc.take_positions
func.func @dots(%m: index, %pointers: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>},
                %indices: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>},
                %others: memref<?xi32> {spc.bind = #spc.bind<pointers, "B", 1>},
                %columns: memref<?xi32> {spc.bind = #spc.bind<indices, "B", 1>}, %y: memref<?xf64>)
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"m">>,
                                        <[["j", 1, 1]] in <"n"> lists = ["A", "B"] reduction = true>]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    %next = arith.addi %i, %c1 : index
    %p0 = memref.load %pointers[%i] : memref<?xi32>
    %begin = arith.index_cast %p0 : i32 to index
    %p1 = memref.load %pointers[%next] : memref<?xi32>
    %end = arith.index_cast %p1 : i32 to index
    %q0 = memref.load %others[%i] : memref<?xi32>
    %qbegin = arith.index_cast %q0 : i32 to index
    %q1 = memref.load %others[%next] : memref<?xi32>
    %qend = arith.index_cast %q1 : i32 to index
    %rest:2 = scf.while (%p = %begin, %q = %qbegin) : (index, index) -> (index, index) {
      %inA = arith.cmpi ult, %p, %end : index
      %inB = arith.cmpi ult, %q, %qend : index
      %inBoth = arith.andi %inA, %inB : i1
      scf.condition(%inBoth) %p, %q : index, index
    } do {
    ^bb0(%p: index, %q: index):
      %na = memref.load %indices[%p] : memref<?xi32>
      %ka = arith.index_cast %na : i32 to index
      %nb = memref.load %columns[%q] : memref<?xi32>
      %kb = arith.index_cast %nb : i32 to index
      %less = arith.cmpi ult, %kb, %ka : index
      %k = arith.select %less, %kb, %ka : index
      %isA = arith.cmpi eq, %ka, %k : index
      %isB = arith.cmpi eq, %kb, %k : index
      %isBoth = arith.andi %isA, %isB : i1
      scf.if %isBoth {
        memref.store %one, %y[%k] : memref<?xf64>
      }
      %pnext = arith.addi %p, %c1 : index
      %pstep = arith.select %isA, %pnext, %p : index
      %qnext = arith.addi %q, %c1 : index
      %qstep = arith.select %isB, %qnext, %q : index
      scf.yield %pstep, %qstep : index, index
    } attributes {spc.place = #spc.place<0, 1>}
  } {spc.place = #spc.place<0, 0>}
  return
}
