// RUN: spc-opt %s -spc-assemble | FileCheck %s

// Rows outermost, columns once and in order: entries are appended, and there is room for a row's before its loop. Rows
// run in chunks.
// CHECK-LABEL: func.func @append(
// CHECK-SAME:    %[[V:[a-z0-9]*]]: f64
// CHECK-SAME:    %[[BEGIN:[a-z0-9]*]]: index {spc.bind = #spc.bind<begin, "i">}
// CHECK-SAME:    %[[END:[a-z0-9]*]]: index {spc.bind = #spc.bind<end, "i">}
// CHECK-SAME:    %[[ASSEMBLY:[a-z0-9]*]]: !llvm.ptr {spc.bind = #spc.bind<assembly>}
// CHECK-SAME:    %[[CHUNK:[a-z0-9]*]]: index {spc.bind = #spc.bind<chunk>}
// CHECK-NOT:     run =
// CHECK:         spc.open_run %[[ASSEMBLY]][%[[CHUNK]]] number 0 {
// CHECK-NEXT:    ^bb0(%[[INTO:.*]]: !spc.run<append, row = 1, key = i32, value = f64>):
// CHECK-NEXT:      scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK:             %[[FIRST:.*]] = memref.load
// CHECK:             %[[LAST:.*]] = memref.load
// CHECK:             %[[LENGTH:.*]] = arith.subi %[[LAST]], %[[FIRST]]
// CHECK:             %[[MOST:.*]] = arith.maxsi %[[LENGTH]], %
// CHECK:             %[[FITS:.*]] = spc.reserve %[[INTO]], %[[MOST]]
// CHECK-NEXT:        scf.if %[[FITS]]
// CHECK-NEXT:          scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// CHECK-NEXT:            %[[J:.*]] = memref.load %{{.*}} : memref<?xindex>
// CHECK-NEXT:            spc.append %[[INTO]][%[[J]]], %[[V]] {{.*}} reserved
// CHECK:             spc.end_row %[[INTO]](%[[I]])
// CHECK-NEXT:      } {spc.place = #spc.place<0, 0>, spc.row_loop = #spc.row_loop<rows, <size, "i">, <"i">>}
// CHECK-NEXT:      spc.close_run
func.func @append(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                  %pointers: memref<?xindex>, %indices: memref<?xindex>, %v: f64,
                  %m: index {spc.bind = #spc.bind<size, "i">})
    attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] in <"i"> row = true divided = true>, <[["j", 1, 1]] in <"j"> lists = ["B"]>]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %next = arith.addi %i, %c1 : index
    %first = memref.load %pointers[%i] : memref<?xindex>
    %last = memref.load %pointers[%next] : memref<?xindex>
    scf.for %p = %first to %last step %c1 {
      %j = memref.load %indices[%p] : memref<?xindex>
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    } {spc.place = #spc.place<0, 1>}
  } {spc.place = #spc.place<0, 0>}
  return
}

// A reduction between rows and columns: a column may come several times.
// CHECK-LABEL: func.func @gustavson(
// CHECK:         ^bb0(%[[INTO:.*]]: !spc.run<workspace, row = 1, key = i32, value = f64>):
// CHECK-NEXT:      scf.for %[[I:.*]] =
// CHECK-NEXT:        scf.for
// CHECK-NEXT:          scf.for
// CHECK-NEXT:            %[[J:.*]] = memref.load
// CHECK-NEXT:            %[[SLOT:.*]], %[[OLD:.*]] = spc.locate %[[INTO]][%[[J]]]
// CHECK-NEXT:            %[[NEW:.*]] = arith.addf %[[OLD]], %
// CHECK-NEXT:            spc.accumulate %[[INTO]][%[[J]] at %[[SLOT]]], %[[NEW]]
// CHECK:             spc.end_row %[[INTO]](%[[I]])
func.func @gustavson(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                     %indices: memref<?xindex>, %v: f64, %m: index {spc.bind = #spc.bind<size, "i">}, %l: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %k = %c0 to %l step %c1 {
      scf.for %p = %c0 to %k step %c1 {
        %j = memref.load %indices[%p] : memref<?xindex>
        %old = memref.load %a[%i, %j] : memref<?x?xf64>
        %new = arith.addf %old, %v : f64
        memref.store %new, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// The sparsifier has made the sum over k a scalar: there is an entry where it has an addend, and 0 is where it starts.
// CHECK-LABEL: func.func @reduction(
// CHECK:         scf.for
// CHECK-NEXT:      scf.for %[[J:.*]] =
// CHECK-NEXT:        %[[IT:.*]] = spc.open_sum %[[INTO:.*]][%[[J]]] : <append
// CHECK-NEXT:        %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK:               scf.if
// CHECK:                 arith.addf
// CHECK-NEXT:            spc.note_addend %[[IT]]
// CHECK:             spc.close_sum %[[INTO]][%[[J]]], %[[IT]], %[[SUM]]
// CHECK:           spc.end_row
func.func @reduction(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                     %v: f64, %m: index {spc.bind = #spc.bind<size, "i">},
                     %n: index {spc.bind = #spc.bind<size, "j">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%so_far = %old) -> (f64) {
        %both = arith.cmpi eq, %k, %j : index
        %next = scf.if %both -> (f64) {
          %more = arith.addf %so_far, %v : f64
          scf.yield %more : f64
        } else {
          scf.yield %so_far : f64
        }
        scf.yield %next : f64
      }
      memref.store %sum, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// With a workspace such a sum starts from what is there.
// CHECK-LABEL: func.func @repeated_reduction(
// CHECK:         %[[IT:.*]], %[[START:.*]] = spc.open_sum %{{.*}}[%{{.*}}] : <workspace
// CHECK-NEXT:    %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK:         spc.close_sum %{{.*}}[%{{.*}}], %[[IT]], %[[SUM]]
func.func @repeated_reduction(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                              %v: f64, %m: index {spc.bind = #spc.bind<size, "i">},
                              %n: index {spc.bind = #spc.bind<size, "j">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %l = %c0 to %n step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        %old = memref.load %a[%i, %j] : memref<?x?xf64>
        %sum = scf.for %k = %c0 to %n step %c1 iter_args(%so_far = %old) -> (f64) {
          %more = arith.addf %so_far, %v : f64
          scf.yield %more : f64
        }
        memref.store %sum, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// What an element is before it gets a value, where it is not 0, is named.
// CHECK-LABEL: func.func @largest(
// CHECK:         %{{.*}}, %[[OLD:.*]] = spc.locate %{{.*}}[%{{.*}}] or(0xFFF0000000000000 : f64) : <workspace
// CHECK:         %[[NEW:.*]] = arith.maximumf %[[OLD]]
// CHECK:         spc.accumulate %{{.*}}[%{{.*}} at %{{.*}}], %[[NEW]]
func.func @largest(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32> identity = 0xFFF0000000000000 : f64>},
                   %v: f64, %m: index {spc.bind = #spc.bind<size, "i">}, %n: index {spc.bind = #spc.bind<size, "j">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %k = %c0 to %n step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        %old = memref.load %a[%i, %j] : memref<?x?xf64>
        %new = arith.maximumf %old, %v : f64
        memref.store %new, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// A row of one dimension and a key of two: i * size(k) + k. Dimension j is collected first.
// CHECK-LABEL: func.func @wide_key(
// CHECK-SAME:    %[[SIZE:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "k">}
// CHECK:         scf.for %[[J:.*]] =
// CHECK-NEXT:      scf.for %[[I:.*]] =
// CHECK-NEXT:        scf.for %[[K:.*]] =
// CHECK:               %[[SCALED:.*]] = arith.muli %[[I]], %[[SIZE]]
// CHECK-NEXT:          %[[KEY:.*]] = arith.addi %[[SCALED]], %[[K]]
// CHECK-NEXT:          spc.append %{{.*}}[%[[KEY]]],
// CHECK:           spc.end_row %{{.*}}(%[[J]])
func.func @wide_key(%a: memref<?x?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">, <"k">] run = <0, dims = [1, 0, 2], rows = 1, key_bits = 64>>},
                    %v: f64, %l: index {spc.bind = #spc.bind<size, "k">}, %m: index {spc.bind = #spc.bind<size, "i">},
                    %n: index {spc.bind = #spc.bind<size, "j">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      scf.for %k = %c0 to %l step %c1 {
        %old = memref.load %a[%i, %j, %k] : memref<?x?x?xf64>
        %new = arith.addf %old, %v : f64
        memref.store %new, %a[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  return
}

// No row: the whole is one, and ends once.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT:     #spc.bind<begin
// CHECK:         scf.for
// CHECK:           spc.append
// CHECK-NEXT:    }
// CHECK-NEXT:    spc.end_row %{{.*}}()
// CHECK-NEXT:    spc.close_run
func.func @whole(%z: memref<?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">] run = <0, dims = [0], rows = 0, key_bits = 32>>},
                 %indices: memref<?xindex>, %v: f64, %count: index {spc.bind = #spc.bind<count, "v", 0>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %count step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    %old = memref.load %z[%i] : memref<?xf64>
    %new = arith.addf %old, %v : f64
    memref.store %new, %z[%i] : memref<?xf64>
  }
  return
}

// The pattern alone: keys, and no values anywhere.
// CHECK-LABEL: func.func @pattern(
// CHECK:         ^bb0(%[[INTO:.*]]: !spc.run<append, row = 1, key = i32>):
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        scf.for %[[J:.*]] =
// CHECK-NEXT:        spc.append %[[INTO]][%[[J]]] :
func.func @pattern(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                   %values: memref<?xf64>, %m: index {spc.bind = #spc.bind<size, "i">},
                   %n: index {spc.bind = #spc.bind<size, "j">}) attributes {spc.pattern_only} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %v = memref.load %values[%j] : memref<?xf64>
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Other functions are left alone.
// CHECK-LABEL: func.func @dense(
// CHECK-NOT:     spc.
// CHECK:         memref.store
func.func @dense(%y: memref<?xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  memref.store %v, %y[%c0] : memref<?xf64>
  return
}

// Keys that come in no order, each once, are appended and sorted at the row's end.
// CHECK-LABEL: func.func @once(
// CHECK:         ^bb0(%[[INTO:.*]]: !spc.run<append, row = 1, key = i32, value = f64>)
// CHECK:         scf.for %[[I:.*]] =
// CHECK:             spc.append %[[INTO]][%{{.*}}], %{{.*}} : f64
// CHECK:           spc.sort_row %[[INTO]]
// CHECK-NEXT:      spc.end_row %[[INTO]](%[[I]])
func.func @once(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32 once = true>>},
                %indices: memref<?xindex>, %v: f64, %m: index {spc.bind = #spc.bind<size, "i">},
                %l: index, %n: index {spc.bind = #spc.bind<size, "j">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %k = %c0 to %l step %c1 {
      scf.for %p = %c0 to %k step %c1 {
        %j = memref.load %indices[%p] : memref<?xindex>
        %old = memref.load %a[%i, %j] : memref<?x?xf64>
        %new = arith.addf %old, %v : f64
        memref.store %new, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
