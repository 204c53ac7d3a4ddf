// RUN: spc-opt %s -split-input-file -spc-prefetch-rows -canonicalize -cse | FileCheck %s

// Once, before the rows: where the last entry is, and whether sampled neighbours are far apart in a large operand.
// CHECK-LABEL: func.func @spmm(
// CHECK-SAME:    %[[CRD:[a-z0-9]*]]: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>}, %[[B:[a-z0-9]*]]: memref
// No arguments are added, which bodies for other levels would not have.
// CHECK-SAME:    #spc.bind<size, "i">}) {
// CHECK:         %[[LARGE:.*]] = arith.cmpi ugt, {{.*}}, %c524288
// CHECK:         %[[LOOK:.*]]:2 = scf.if %[[LARGE]]
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             arith.cmpi ugt, {{.*}}, %c32768
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[SUMS:.*]]:4 = scf.if %[[LOOK]]#0
// CHECK:             scf.for %[[P:[a-z0-9]*]] =
// CHECK-COUNT-4:       vector.load %[[B]]
// CHECK:               %[[LATER:.*]] = arith.addi %[[P]], %c8
// CHECK:               %[[PLACE:.*]] = arith.minui %[[LATER]], %[[LOOK]]#1
// CHECK:               memref.load %[[CRD]][%[[PLACE]]]
// Two lines of 64 bytes.
// CHECK-COUNT-2:       memref.prefetch %[[B]]
// CHECK-NOT:           memref.prefetch
// CHECK:           else
// CHECK:             scf.for
// CHECK-COUNT-4:       vector.load %[[B]]
// CHECK-NOT:           memref.prefetch
// CHECK:           vector.store %[[SUMS]]#0
func.func @spmm(%pos: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>}, %crd: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>},
                %b: memref<?x?xf64, strided<[?, 1]>> {spc.bind = #spc.bind<values, "B">, spc.tensor = #spc.tensor<"B" extents = [<"j">, <"k">]>},
                %c: memref<?x?xf64, strided<[?, 1]>>, %m: index {spc.bind = #spc.bind<size, "i">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant dense<0.0> : vector<4xf64>
  scf.for %i = %c0 to %m step %c1 {
    %next = arith.addi %i, %c1 : index
    %lo = memref.load %pos[%i] : memref<?xi32>
    %hi = memref.load %pos[%next] : memref<?xi32>
    %from = arith.index_castui %lo : i32 to index
    %to = arith.index_castui %hi : i32 to index
    %sums:4 = scf.for %p = %from to %to step %c1 iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero)
        -> (vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>) {
      %j32 = memref.load %crd[%p] : memref<?xi32>
      %j = arith.index_castui %j32 : i32 to index
      %b0 = vector.load %b[%j, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
      %b1 = vector.load %b[%j, %c4] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
      %b2 = vector.load %b[%j, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
      %b3 = vector.load %b[%j, %c12] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
      %t0 = arith.addf %s0, %b0 : vector<4xf64>
      %t1 = arith.addf %s1, %b1 : vector<4xf64>
      %t2 = arith.addf %s2, %b2 : vector<4xf64>
      %t3 = arith.addf %s3, %b3 : vector<4xf64>
      scf.yield %t0, %t1, %t2, %t3 : vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>
    }
    vector.store %sums#0, %c[%i, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
    vector.store %sums#1, %c[%i, %c4] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
    vector.store %sums#2, %c[%i, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
    vector.store %sums#3, %c[%i, %c12] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
  }
  return
}

// -----

// Where a row's entries begin and end follows from the width.
// CHECK-LABEL: func.func @ell(
// CHECK-SAME:    %[[WIDTH:[a-z0-9]*]]: index
// CHECK:         %[[LOOK:.*]]:2 = scf.if
// CHECK:           %[[END:.*]] = arith.muli %{{.*}}, %[[WIDTH]]
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             arith.muli %{{.*}}, %[[WIDTH]]
// CHECK:         scf.for
// CHECK:           scf.if %[[LOOK]]#0
// CHECK-COUNT-2:       memref.prefetch
func.func @ell(%width: index {spc.bind = #spc.bind<width, "A", 1>}, %crd: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>},
                %b: memref<?x?xf64, strided<[?, 1]>> {spc.bind = #spc.bind<values, "B">, spc.tensor = #spc.tensor<"B" extents = [<"j">, <"k">]>},
                %c: memref<?x?xf64, strided<[?, 1]>>, %m: index {spc.bind = #spc.bind<size, "i">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant dense<0.0> : vector<4xf64>
  scf.for %i = %c0 to %m step %c1 {
    %from = arith.muli %i, %width : index
    %to = arith.addi %from, %width : index
    %sums:4 = scf.for %p = %from to %to step %c1 iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero)
        -> (vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>) {
      %j32 = memref.load %crd[%p] : memref<?xi32>
      %j = arith.index_castui %j32 : i32 to index
      %b0 = vector.load %b[%j, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
      %b1 = vector.load %b[%j, %c4] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
      %b2 = vector.load %b[%j, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
      %b3 = vector.load %b[%j, %c12] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
      %t0 = arith.addf %s0, %b0 : vector<4xf64>
      %t1 = arith.addf %s1, %b1 : vector<4xf64>
      %t2 = arith.addf %s2, %b2 : vector<4xf64>
      %t3 = arith.addf %s3, %b3 : vector<4xf64>
      scf.yield %t0, %t1, %t2, %t3 : vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>
    }
    vector.store %sums#0, %c[%i, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
    vector.store %sums#1, %c[%i, %c4] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
    vector.store %sums#2, %c[%i, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
    vector.store %sums#3, %c[%i, %c12] : memref<?x?xf64, strided<[?, 1]>>, vector<4xf64>
  }
  return
}

// -----

// Two levels down: the rows that are sampled are the fibers of all slices, found by the slices' pointers.
// CHECK-LABEL: func.func @fibers(
// CHECK-SAME:    %[[SLICES:[a-z0-9]*]]: memref<?xi32> {spc.bind = #spc.bind<pointers, "T", 1>}, %[[FIBERS:[a-z0-9]*]]: memref<?xi32> {spc.bind = #spc.bind<pointers, "T", 2>}, %[[CRD:[a-z0-9]*]]: memref<?xi32> {spc.bind = #spc.bind<indices, "T", 2>}, %[[B:[a-z0-9]*]]: memref
// CHECK:         %[[LOOK:.*]]:2 = scf.if
// CHECK:           memref.load %[[SLICES]]
// CHECK:           memref.load %[[SLICES]]
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             memref.load %[[FIBERS]]
// The loop over a slice's fibers, with all in it, has a copy without prefetches.
// CHECK:         scf.for
// CHECK:           scf.if %[[LOOK]]#0
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK-NOT:             scf.if
// CHECK:                 memref.prefetch %[[B]]
// CHECK:           } else {
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func @fibers(%slices: memref<?xi32> {spc.bind = #spc.bind<pointers, "T", 1>}, %fibers: memref<?xi32> {spc.bind = #spc.bind<pointers, "T", 2>},
                  %crd: memref<?xi32> {spc.bind = #spc.bind<indices, "T", 2>},
                  %b: memref<?x?xf64, strided<[?, 1]>> {spc.bind = #spc.bind<values, "B">, spc.tensor = #spc.tensor<"B" extents = [<"k">, <"r">]>},
                  %c: memref<?x?xf64, strided<[?, 1]>>, %m: index {spc.bind = #spc.bind<count, "T", 0>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<8xf64>
  scf.for %i = %c0 to %m step %c1 {
    %next = arith.addi %i, %c1 : index
    %lo = memref.load %slices[%i] : memref<?xi32>
    %hi = memref.load %slices[%next] : memref<?xi32>
    %from = arith.index_castui %lo : i32 to index
    %to = arith.index_castui %hi : i32 to index
    scf.for %f = %from to %to step %c1 {
      %fnext = arith.addi %f, %c1 : index
      %flo = memref.load %fibers[%f] : memref<?xi32>
      %fhi = memref.load %fibers[%fnext] : memref<?xi32>
      %first = arith.index_castui %flo : i32 to index
      %end = arith.index_castui %fhi : i32 to index
      %sums:2 = scf.for %p = %first to %end step %c1 iter_args(%s0 = %zero, %s1 = %zero) -> (vector<8xf64>, vector<8xf64>) {
        %k32 = memref.load %crd[%p] : memref<?xi32>
        %k = arith.index_castui %k32 : i32 to index
        %b0 = vector.load %b[%k, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
        %b1 = vector.load %b[%k, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
        %t0 = arith.addf %s0, %b0 : vector<8xf64>
        %t1 = arith.addf %s1, %b1 : vector<8xf64>
        scf.yield %t0, %t1 : vector<8xf64>, vector<8xf64>
      }
      vector.store %sums#0, %c[%f, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
      vector.store %sums#1, %c[%f, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
    }
  }
  return
}

// -----

// With a trial the chunk's rows are cut into pieces, each of which asks it: what the samples say is what it answers
// before it knows, and nothing is asked where nothing can be prefetched. Operands that a second-level cache holds are
// tried out, too, and nothing is sampled for them.
// RUN: spc-opt %s -split-input-file -spc-prefetch-rows=trials -canonicalize -cse | FileCheck %s --check-prefix=TRIAL
// TRIAL-LABEL: func.func @pieces(
// TRIAL-SAME:    %[[POS:[a-z0-9]*]]: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>}
// TRIAL-SAME:    %[[FROM:[a-z0-9]*]]: index {spc.bind = #spc.bind<begin, "i">}, %[[TO:[a-z0-9]*]]: index {spc.bind = #spc.bind<end, "i">}, %[[TRIAL:[a-z0-9]*]]: !llvm.ptr
// TRIAL:         %[[BEYOND:.*]] = arith.cmpi ugt, %[[BYTES:.*]], %c32768
// TRIAL:         %[[LOOK:.*]]:3 = scf.if
// TRIAL:           %[[LARGE:.*]] = arith.cmpi ugt, %[[BYTES]], %c524288
// TRIAL:           scf.if %[[LARGE]]
// TRIAL:             scf.for {{.*}} iter_args
// TRIAL:         %[[ROWS:.*]] = llvm.load %[[TRIAL]] : !llvm.ptr -> i64
// TRIAL:         %[[LENGTH:.*]] = arith.index_cast %[[ROWS]]
// TRIAL:         scf.for %[[FIRST:.*]] = %[[FROM]] to %[[TO]] step %[[LENGTH]]
// TRIAL:           %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[LENGTH]]
// TRIAL:           %[[LAST:.*]] = arith.minsi %[[NEXT]], %[[TO]]
// TRIAL:           %[[PIECE:.*]] = scf.if %[[LOOK]]#2
// TRIAL:             spc.begin_trial %[[TRIAL]] usually %[[LOOK]]#0
// TRIAL:           %[[WORTH:.*]] = arith.trunci %[[PIECE]] : i64 to i1
// TRIAL:           scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// TRIAL:             scf.if %[[WORTH]]
// TRIAL:               memref.prefetch
// TRIAL:           scf.if %[[LOOK]]#2
// TRIAL:             memref.load %[[POS]][%[[FIRST]]]
// TRIAL:             memref.load %[[POS]][%[[LAST]]]
// TRIAL:             spc.end_trial %[[TRIAL]], %[[PIECE]]
func.func @pieces(%pos: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>}, %crd: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>},
                  %b: memref<?x?xf64, strided<[?, 1]>> {spc.bind = #spc.bind<values, "B">, spc.tensor = #spc.tensor<"B" extents = [<"j">, <"k">]>},
                  %c: memref<?x?xf64, strided<[?, 1]>>, %from: index {spc.bind = #spc.bind<begin, "i">}, %to: index {spc.bind = #spc.bind<end, "i">},
                  %trial: !llvm.ptr {spc.bind = #spc.bind<trial>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<8xf64>
  scf.for %i = %from to %to step %c1 {
    %next = arith.addi %i, %c1 : index
    %lo = memref.load %pos[%i] : memref<?xi32>
    %hi = memref.load %pos[%next] : memref<?xi32>
    %first = arith.index_castui %lo : i32 to index
    %end = arith.index_castui %hi : i32 to index
    %sums:2 = scf.for %p = %first to %end step %c1 iter_args(%s0 = %zero, %s1 = %zero) -> (vector<8xf64>, vector<8xf64>) {
      %j32 = memref.load %crd[%p] : memref<?xi32>
      %j = arith.index_castui %j32 : i32 to index
      %b0 = vector.load %b[%j, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
      %b1 = vector.load %b[%j, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
      %t0 = arith.addf %s0, %b0 : vector<8xf64>
      %t1 = arith.addf %s1, %b1 : vector<8xf64>
      scf.yield %t0, %t1 : vector<8xf64>, vector<8xf64>
    }
    vector.store %sums#0, %c[%i, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
    vector.store %sums#1, %c[%i, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
  }
  return
}

// -----

// Rows of two operands: what the entries' rows decide counts for those of fibers, too.
// TRIAL-LABEL: func.func @both(
// TRIAL:         llvm.load
// TRIAL:         scf.for
// TRIAL:           spc.begin_trial %{{.*}} usually %[[ENTRIES:.*]]#0
// TRIAL:           %[[WORTH:.*]] = arith.trunci
// TRIAL:           %[[ALSO:.*]] = arith.andi %[[WORTH]], %[[FIBERS:.*]]#2
// TRIAL:           %[[OFFIBERS:.*]] = arith.select %[[ENTRIES]]#2, %[[ALSO]], %[[FIBERS]]#0
// TRIAL:           scf.if %[[WORTH]]
// TRIAL:           scf.if %[[OFFIBERS]]
// TRIAL-NOT:       spc.begin_trial
// TRIAL:           spc.end_trial
func.func @both(%pos: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>}, %crd: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>},
                %leaves: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 2>}, %at: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 2>},
                %b: memref<?x?xf64, strided<[?, 1]>> {spc.bind = #spc.bind<values, "B">, spc.tensor = #spc.tensor<"B" extents = [<"j">, <"k">]>},
                %d: memref<?x?xf64, strided<[?, 1]>> {spc.bind = #spc.bind<values, "D">, spc.tensor = #spc.tensor<"D" extents = [<"l">, <"k">]>},
                %c: memref<?x?xf64, strided<[?, 1]>>, %from: index {spc.bind = #spc.bind<begin, "i">}, %to: index {spc.bind = #spc.bind<end, "i">},
                %trial: !llvm.ptr {spc.bind = #spc.bind<trial>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<8xf64>
  scf.for %i = %from to %to step %c1 {
    %next = arith.addi %i, %c1 : index
    %lo = memref.load %pos[%i] : memref<?xi32>
    %hi = memref.load %pos[%next] : memref<?xi32>
    %first = arith.index_castui %lo : i32 to index
    %end = arith.index_castui %hi : i32 to index
    %sums:2 = scf.for %p = %first to %end step %c1 iter_args(%s0 = %zero, %s1 = %zero) -> (vector<8xf64>, vector<8xf64>) {
      %j32 = memref.load %crd[%p] : memref<?xi32>
      %j = arith.index_castui %j32 : i32 to index
      %more = arith.addi %p, %c1 : index
      %l32 = memref.load %leaves[%p] : memref<?xi32>
      %h32 = memref.load %leaves[%more] : memref<?xi32>
      %l = arith.index_castui %l32 : i32 to index
      %h = arith.index_castui %h32 : i32 to index
      %inner:2 = scf.for %q = %l to %h step %c1 iter_args(%u0 = %zero, %u1 = %zero) -> (vector<8xf64>, vector<8xf64>) {
        %k32 = memref.load %at[%q] : memref<?xi32>
        %k = arith.index_castui %k32 : i32 to index
        %d0 = vector.load %d[%k, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
        %d1 = vector.load %d[%k, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
        %v0 = arith.addf %u0, %d0 : vector<8xf64>
        %v1 = arith.addf %u1, %d1 : vector<8xf64>
        scf.yield %v0, %v1 : vector<8xf64>, vector<8xf64>
      }
      %b0 = vector.load %b[%j, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
      %b1 = vector.load %b[%j, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
      %w0 = arith.mulf %inner#0, %b0 : vector<8xf64>
      %w1 = arith.mulf %inner#1, %b1 : vector<8xf64>
      %t0 = arith.addf %s0, %w0 : vector<8xf64>
      %t1 = arith.addf %s1, %w1 : vector<8xf64>
      scf.yield %t0, %t1 : vector<8xf64>, vector<8xf64>
    }
    vector.store %sums#0, %c[%i, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
    vector.store %sums#1, %c[%i, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
  }
  return
}

// -----

// The rows that a root lists are cut into pieces as well, which hand on what the loop carries: the first row that is not
// filled yet.
// TRIAL-LABEL: func.func @listed(
// TRIAL:         %[[ROWS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// TRIAL:         %[[LENGTH:.*]] = arith.index_cast %[[ROWS]]
// TRIAL:         %[[ALL:.*]] = scf.for %[[FIRST:.*]] = %{{.*}} to %{{.*}} step %[[LENGTH]] iter_args(%[[NEXT:.*]] = %{{.*}}) -> (index) {
// TRIAL:           spc.begin_trial
// TRIAL:           %[[PIECE:.*]] = scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %c1 iter_args(%{{.*}} = %[[NEXT]]) -> (index) {
// TRIAL:             memref.prefetch
// TRIAL:           spc.end_trial
// TRIAL:           scf.yield %[[PIECE]] : index
// TRIAL:         return %[[ALL]]
func.func @listed(%rows: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 0>}, %pos: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>},
                  %crd: memref<?xi32> {spc.bind = #spc.bind<indices, "A", 1>},
                  %b: memref<?x?xf64, strided<[?, 1]>> {spc.bind = #spc.bind<values, "B">, spc.tensor = #spc.tensor<"B" extents = [<"j">, <"k">]>},
                  %c: memref<?x?xf64, strided<[?, 1]>>, %from: index, %to: index, %trial: !llvm.ptr {spc.bind = #spc.bind<trial>}) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<8xf64>
  %filled = scf.for %r = %from to %to step %c1 iter_args(%done = %c0) -> (index) {
    %i32 = memref.load %rows[%r] : memref<?xi32>
    %i = arith.index_castui %i32 : i32 to index
    %next = arith.addi %r, %c1 : index
    %lo = memref.load %pos[%r] : memref<?xi32>
    %hi = memref.load %pos[%next] : memref<?xi32>
    %first = arith.index_castui %lo : i32 to index
    %end = arith.index_castui %hi : i32 to index
    %sums:2 = scf.for %p = %first to %end step %c1 iter_args(%s0 = %zero, %s1 = %zero) -> (vector<8xf64>, vector<8xf64>) {
      %j32 = memref.load %crd[%p] : memref<?xi32>
      %j = arith.index_castui %j32 : i32 to index
      %b0 = vector.load %b[%j, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
      %b1 = vector.load %b[%j, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
      %t0 = arith.addf %s0, %b0 : vector<8xf64>
      %t1 = arith.addf %s1, %b1 : vector<8xf64>
      scf.yield %t0, %t1 : vector<8xf64>, vector<8xf64>
    }
    vector.store %sums#0, %c[%i, %c0] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
    vector.store %sums#1, %c[%i, %c8] : memref<?x?xf64, strided<[?, 1]>>, vector<8xf64>
    %after = arith.addi %i, %c1 : index
    scf.yield %after : index
  } {spc.row_loop = #spc.row_loop<positions, <count, "A", 0>, <"i">>}
  return %filled : index
}
