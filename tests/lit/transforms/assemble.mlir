// RUN: spc-opt %s -spc-assemble | FileCheck %s

// Rows outermost, columns once and in order: entries are appended. Rows run in chunks.
// CHECK-LABEL: func.func @append(
// CHECK-SAME:    %[[BEGIN:[a-z0-9]*]]: index {spc.bind = #spc.bind<begin, "i">}
// CHECK-SAME:    %[[END:[a-z0-9]*]]: index {spc.bind = #spc.bind<end, "i">}
// CHECK-SAME:    %[[ASSEMBLY:[a-z0-9]*]]: !llvm.ptr {spc.bind = #spc.bind<assembly>}
// CHECK-SAME:    %[[CHUNK:[a-z0-9]*]]: index {spc.bind = #spc.bind<chunk>}
// CHECK-NOT:     spc.run
// CHECK:         %[[NUMBER:.*]] = arith.index_cast %[[CHUNK]] : index to i64
// CHECK-NEXT:    %[[FIRST:.*]] = arith.constant 0 : i64
// CHECK-NEXT:    %[[FORM:.*]] = arith.constant 0 : i64
// CHECK-NEXT:    %[[IT:.*]] = llvm.call @spc.rt.run_begin(%[[ASSEMBLY]], %[[NUMBER]], %[[FIRST]], %[[FORM]])
// Where memory ran out there is no run, and nothing to do.
// CHECK:         %[[HAS:.*]] = llvm.icmp "ne" %[[IT]], %
// CHECK:         scf.if %[[HAS]]
// CHECK:           scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK:             %[[FIRST_POSITION:.*]] = memref.load
// CHECK:             %[[LAST_POSITION:.*]] = memref.load
// Room for all entries of the row is made before its loop, which is skipped where there is none.
// CHECK-DAG:         %[[TO:.*]] = arith.index_cast %[[LAST_POSITION]] : index to i64
// CHECK-DAG:         %[[FROM:.*]] = arith.index_cast %[[FIRST_POSITION]] : index to i64
// CHECK:             %[[LENGTH:.*]] = arith.subi %[[TO]], %[[FROM]]
// CHECK:             %[[MOST:.*]] = arith.maxsi %[[LENGTH]], %
// CHECK:             %[[TIGHT:.*]] = arith.cmpi slt, %{{.*}}, %[[MOST]]
// CHECK:             scf.if %[[TIGHT]]
// CHECK:               llvm.call @spc.rt.run_grow(%[[IT]], %{{.*}}, %[[MOST]])
// CHECK:             %[[FAILED:.*]] = arith.cmpi slt, %{{.*}}, %[[MOST]]
// CHECK:             %[[FITS:.*]] = arith.xori %[[FAILED]], %true
// CHECK:             scf.if %[[FITS]]
// CHECK-NEXT:          scf.for %{{.*}} = %[[FIRST_POSITION]] to %[[LAST_POSITION]]
// CHECK:                 %[[V:.*]] = memref.load %{{.*}} : memref<?xf64>
// CHECK:                 %[[KEY:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK-NOT:             run_grow
// CHECK:                 %[[NARROW:.*]] = arith.trunci %[[KEY]] : i64 to i32
// CHECK:                 llvm.store %[[NARROW]]
// CHECK:                 llvm.store %[[V]], %{{.*}} : f64
// CHECK-NOT:             memref.store
// The row ends after all of it, in the loop over rows, and the run after that.
// CHECK:             }
// CHECK:             %[[ROW:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK:             llvm.store %[[ROW]]
// CHECK:             llvm.call @spc.rt.row_end(%[[IT]]
// CHECK:           }
// CHECK:           llvm.call @spc.rt.run_end(%[[IT]]
// CHECK-NOT:     hash_flush
// CHECK:         return
func.func @append(%a: memref<?x?xf64> {spc.collect = array<i64: 0, 1>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">], spc.key_bits = 32 : i64,
                                       spc.name = "A", spc.rows = 1 : i64, spc.run = 0 : i64},
                  %pointers: memref<?xindex> {spc.bind = #spc.bind<pointers, "B", 1>}, %indices: memref<?xindex> {spc.bind = #spc.bind<indices, "B", 1>},
                  %values: memref<?xf64> {spc.bind = #spc.bind<values, "B">}, %m: index {spc.bind = #spc.bind<size, "i">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %next = arith.addi %i, %c1 : index
    %first = memref.load %pointers[%i] : memref<?xindex>
    %last = memref.load %pointers[%next] : memref<?xindex>
    scf.for %p = %first to %last step %c1 {
      %j = memref.load %indices[%p] : memref<?xindex>
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %v = memref.load %values[%p] : memref<?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Two loops over one segment append twice: there is room for both.
// CHECK-LABEL: func.func @twice(
// CHECK-COUNT-2:   arith.maxsi
// CHECK:           %[[SUM:.*]] = arith.addi
// CHECK:           llvm.call @spc.rt.run_grow(%{{.*}}, %{{.*}}, %[[SUM]])
// CHECK-NOT:       run_grow
// CHECK:           llvm.call @spc.rt.row_end(
func.func @twice(%a: memref<?x?xf64> {spc.collect = array<i64: 0, 1>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">], spc.key_bits = 32 : i64,
                                       spc.name = "A", spc.rows = 1 : i64, spc.run = 0 : i64},
                  %pointers: memref<?xindex> {spc.bind = #spc.bind<pointers, "B", 1>}, %indices: memref<?xindex> {spc.bind = #spc.bind<indices, "B", 1>},
                  %values: memref<?xf64> {spc.bind = #spc.bind<values, "B">}, %m: index {spc.bind = #spc.bind<size, "i">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %next = arith.addi %i, %c1 : index
    %first = memref.load %pointers[%i] : memref<?xindex>
    %last = memref.load %pointers[%next] : memref<?xindex>
    scf.for %p = %first to %last step %c1 {
      %j = memref.load %indices[%p] : memref<?xindex>
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %v = memref.load %values[%p] : memref<?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    }
    scf.for %p = %first to %last step %c1 {
      %j = memref.load %indices[%p] : memref<?xindex>
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %v = memref.load %values[%p] : memref<?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Two operands merged: the loops of a row, of which none can step back, share the room for what both store.
// CHECK-LABEL: func.func @merged(
// CHECK:         scf.for
// CHECK:           %[[A0:.*]] = memref.load
// CHECK:           %[[A1:.*]] = memref.load
// CHECK:           %[[B0:.*]] = memref.load
// CHECK:           %[[B1:.*]] = memref.load
// CHECK-COUNT-2:   arith.maxsi
// CHECK:           %[[SUM:.*]] = arith.addi
// CHECK:           llvm.call @spc.rt.run_grow(%{{.*}}, %{{.*}}, %[[SUM]])
// CHECK-NOT:       run_grow
// CHECK:           %[[REST:.*]]:2 = scf.while (%{{.*}} = %[[A0]], %{{.*}} = %[[B0]])
// CHECK:           scf.for %{{.*}} = %[[REST]]#0 to %[[A1]]
// CHECK:           scf.for %{{.*}} = %[[REST]]#1 to %[[B1]]
// CHECK:           llvm.call @spc.rt.row_end(
// CHECK-NOT:       run_grow
// CHECK:         return
func.func @merged(%c: memref<?x?xf64> {spc.collect = array<i64: 0, 1>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">], spc.key_bits = 32 : i64,
                                       spc.name = "C", spc.rows = 1 : i64, spc.run = 0 : i64},
                  %ap: memref<?xindex> {spc.bind = #spc.bind<pointers, "A", 1>}, %ai: memref<?xindex> {spc.bind = #spc.bind<indices, "A", 1>},
                  %bp: memref<?xindex> {spc.bind = #spc.bind<pointers, "B", 1>}, %bi: memref<?xindex> {spc.bind = #spc.bind<indices, "B", 1>},
                  %m: index {spc.bind = #spc.bind<size, "i">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    %next = arith.addi %i, %c1 : index
    %a0 = memref.load %ap[%i] : memref<?xindex>
    %a1 = memref.load %ap[%next] : memref<?xindex>
    %b0 = memref.load %bp[%i] : memref<?xindex>
    %b1 = memref.load %bp[%next] : memref<?xindex>
    %rest:2 = scf.while (%p = %a0, %q = %b0) : (index, index) -> (index, index) {
      %inA = arith.cmpi ult, %p, %a1 : index
      %inB = arith.cmpi ult, %q, %b1 : index
      %inBoth = arith.andi %inA, %inB : i1
      scf.condition(%inBoth) %p, %q : index, index
    } do {
    ^bb0(%p: index, %q: index):
      %ja = memref.load %ai[%p] : memref<?xindex>
      %jb = memref.load %bi[%q] : memref<?xindex>
      %less = arith.cmpi ult, %jb, %ja : index
      %j = arith.select %less, %jb, %ja : index
      %isA = arith.cmpi eq, %ja, %j : index
      %isB = arith.cmpi eq, %jb, %j : index
      %old = memref.load %c[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %c[%i, %j] : memref<?x?xf64>
      %p1 = arith.addi %p, %c1 : index
      %pn = arith.select %isA, %p1, %p : index
      %q1 = arith.addi %q, %c1 : index
      %qn = arith.select %isB, %q1, %q : index
      scf.yield %pn, %qn : index, index
    }
    scf.for %p = %rest#0 to %a1 step %c1 {
      %j = memref.load %ai[%p] : memref<?xindex>
      %old = memref.load %c[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %c[%i, %j] : memref<?x?xf64>
    }
    scf.for %q = %rest#1 to %b1 step %c1 {
      %j = memref.load %bi[%q] : memref<?xindex>
      %old = memref.load %c[%i, %j] : memref<?x?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %c[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A reduction between rows and columns: a column may come several times. The loops are cloned, for a dense workspace and
// for a hash table.
// CHECK-LABEL: func.func @gustavson(
// CHECK-SAME:    index {spc.bind = #spc.bind<chunk>}
// CHECK:         arith.index_cast %{{.*}} : index to i64
// CHECK-NEXT:    arith.constant 0 : i64
// CHECK-NEXT:    %[[FORM:.*]] = arith.constant 1 : i64
// CHECK-NEXT:    %[[IT:.*]] = llvm.call @spc.rt.run_begin(%{{.*}}, %{{.*}}, %{{.*}}, %[[FORM]])
// CHECK:         %[[BITS:.*]] = llvm.getelementptr %[[IT]][0, 3]
// CHECK:         %[[POINTER:.*]] = llvm.load %[[BITS]]
// CHECK:         %[[DENSE:.*]] = llvm.icmp "ne" %[[POINTER]],
// CHECK:         scf.if %[[DENSE]]
// CHECK:           scf.for %{{.*}} = %{{.*}} to
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK:                 %[[OLD:.*]] = llvm.load %{{.*}} -> f64
// CHECK:                 %[[NEW:.*]] = arith.addf %[[OLD]],
// CHECK:                 llvm.store %[[NEW]]
// CHECK-NOT:             llvm.call
// CHECK:             llvm.call @spc.rt.row_flush_4_8(%[[IT]]
// CHECK:           llvm.call @spc.rt.run_end(%[[IT]]
// CHECK:         } else {
// CHECK:           scf.for %{{.*}} = %{{.*}} to
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK:                 %[[KEY:.*]] = arith.index_cast
// CHECK:                 %[[SLOT:.*]] = llvm.call @spc.rt.locate(%[[IT]], %[[KEY]])
// CHECK:                 llvm.getelementptr %{{.*}}[%[[SLOT]]]
// CHECK:                 %[[OLD:.*]] = llvm.load %{{.*}} -> f64
// CHECK:                 %[[NEW:.*]] = arith.addf %[[OLD]],
// CHECK:                 llvm.store %[[NEW]]
// CHECK:             llvm.call @spc.rt.hash_flush_4_8(%[[IT]]
// CHECK:           llvm.call @spc.rt.run_end(%[[IT]]
// CHECK:         return
func.func @gustavson(%a: memref<?x?xf64> {spc.collect = array<i64: 0, 1>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">], spc.key_bits = 32 : i64,
                                          spc.name = "A", spc.rows = 1 : i64, spc.run = 0 : i64},
                     %indices: memref<?xindex> {spc.bind = #spc.bind<indices, "C", 1>}, %values: memref<?xf64> {spc.bind = #spc.bind<values, "C">},
                     %m: index {spc.bind = #spc.bind<size, "i">}, %l: index {spc.bind = #spc.bind<size, "k">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %k = %c0 to %l step %c1 {
      scf.for %p = %c0 to %k step %c1 {
        %j = memref.load %indices[%p] : memref<?xindex>
        %old = memref.load %a[%i, %j] : memref<?x?xf64>
        %v = memref.load %values[%p] : memref<?xf64>
        %new = arith.addf %old, %v : f64
        memref.store %new, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// The sparsifier has made the sum over k a scalar: there is an entry where it has an addend, and 0 is where it starts.
// CHECK-LABEL: func.func @reduction(
// CHECK-DAG:     %[[FLAG:.*]] = llvm.alloca %{{.*}} x i1
// CHECK-DAG:     %[[IT:.*]] = llvm.call @spc.rt.run_begin(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[FALSE:.*]] = arith.constant false
// CHECK:             llvm.store %[[FALSE]], %[[FLAG]]
// CHECK:             %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK:             %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK:               scf.if
// CHECK:                 arith.addf
// CHECK:                 %[[TRUE:.*]] = arith.constant true
// CHECK:                 llvm.store %[[TRUE]], %[[FLAG]]
// CHECK:             %[[EXISTS:.*]] = llvm.load %[[FLAG]] : !llvm.ptr -> i1
// CHECK:             scf.if %[[EXISTS]]
// CHECK:               llvm.call @spc.rt.run_grow(
// CHECK:               llvm.store %[[SUM]]
// CHECK:           llvm.call @spc.rt.row_end(%[[IT]]
// CHECK:         return
func.func @reduction(%a: memref<?x?xf64> {spc.collect = array<i64: 0, 1>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">], spc.key_bits = 32 : i64,
                                          spc.name = "A", spc.rows = 1 : i64, spc.run = 0 : i64},
                     %values: memref<?xf64> {spc.bind = #spc.bind<values, "B">}, %m: index {spc.bind = #spc.bind<size, "i">},
                     %n: index {spc.bind = #spc.bind<size, "j">}, %l: index {spc.bind = #spc.bind<size, "k">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %sum = scf.for %k = %c0 to %l step %c1 iter_args(%so_far = %old) -> (f64) {
        %both = arith.cmpi eq, %k, %j : index
        %next = scf.if %both -> (f64) {
          %v = memref.load %values[%k] : memref<?xf64>
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

// Two terms, two runs of the same chunk; both loops get its bounds.
// CHECK-LABEL: func.func @two_runs(
// CHECK-SAME:    %[[BEGIN:[a-z0-9]*]]: index {spc.bind = #spc.bind<begin, "i">}
// CHECK-SAME:    %[[END:[a-z0-9]*]]: index {spc.bind = #spc.bind<end, "i">}
// CHECK-SAME:    %[[CHUNK:[a-z0-9]*]]: index {spc.bind = #spc.bind<chunk>}
// CHECK:         arith.index_cast %[[CHUNK]] : index to i64
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT:    %[[FORM:.*]] = arith.constant 0 : i64
// CHECK-NEXT:    %[[ONE:.*]] = llvm.call @spc.rt.run_begin(%{{.*}}, %{{.*}}, %[[ZERO]], %[[FORM]])
// CHECK:         scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:         llvm.call @spc.rt.run_end(%[[ONE]]
// CHECK:         arith.index_cast %[[CHUNK]] : index to i64
// CHECK-NEXT:    %[[NEXT:.*]] = arith.constant 1 : i64
// CHECK-NEXT:    %[[FORM:.*]] = arith.constant 0 : i64
// CHECK-NEXT:    %[[TWO:.*]] = llvm.call @spc.rt.run_begin(%{{.*}}, %{{.*}}, %[[NEXT]], %[[FORM]])
// CHECK:         scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:         llvm.call @spc.rt.run_end(%[[TWO]]
// CHECK:         return
func.func @two_runs(%a: memref<?x?xf64> {spc.collect = array<i64: 0, 1>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">], spc.key_bits = 64 : i64,
                                         spc.name = "A", spc.rows = 1 : i64, spc.run = 0 : i64},
                    %b: memref<?x?xf64> {spc.collect = array<i64: 0, 1>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">], spc.key_bits = 64 : i64,
                                         spc.name = "A", spc.rows = 1 : i64, spc.run = 1 : i64},
                    %x: memref<?xf64> {spc.bind = #spc.bind<values, "x">}, %m: index {spc.bind = #spc.bind<size, "i">},
                    %n: index {spc.bind = #spc.bind<size, "j">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %v = memref.load %x[%j] : memref<?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    }
  }
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %b[%i, %j] : memref<?x?xf64>
      %v = memref.load %x[%i] : memref<?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %b[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Rows that are listed are no range to cut.
// CHECK-LABEL: func.func @listed_rows(
// CHECK-NOT:     <begin,
// CHECK:         llvm.call @spc.rt.run_begin(
// CHECK:         scf.for
// CHECK:           %[[I:.*]] = memref.load %{{.*}} : memref<?xindex>
// CHECK:           %[[ROW:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK:           llvm.store %[[ROW]]
// CHECK:           llvm.call @spc.rt.row_end(
// CHECK:         return
func.func @listed_rows(%a: memref<?x?xf64> {spc.collect = array<i64: 0, 1>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">],
                                            spc.key_bits = 32 : i64, spc.name = "A", spc.rows = 1 : i64, spc.run = 0 : i64},
                       %indices: memref<?xindex> {spc.bind = #spc.bind<indices, "B", 0>}, %values: memref<?xf64> {spc.bind = #spc.bind<values, "B">},
                       %count: index {spc.bind = #spc.bind<count, "B", 0>}, %n: index {spc.bind = #spc.bind<size, "j">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %count step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %v = memref.load %values[%p] : memref<?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Nor are all rows, where another run lists its own: a chunk would hold some of the one and all of the other.
// CHECK-LABEL: func.func @one_listed(
// CHECK-NOT:     <begin,
// CHECK-COUNT-2: llvm.call @spc.rt.run_end(
// CHECK:         return
func.func @one_listed(%a: memref<?x?xf64> {spc.collect = array<i64: 0, 1>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">], spc.key_bits = 32 : i64,
                                           spc.name = "A", spc.rows = 1 : i64, spc.run = 0 : i64},
                      %b: memref<?x?xf64> {spc.collect = array<i64: 0, 1>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">], spc.key_bits = 32 : i64,
                                           spc.name = "A", spc.rows = 1 : i64, spc.run = 1 : i64},
                      %indices: memref<?xindex> {spc.bind = #spc.bind<indices, "B", 0>}, %x: memref<?xf64> {spc.bind = #spc.bind<values, "x">},
                      %count: index {spc.bind = #spc.bind<count, "B", 0>}, %m: index {spc.bind = #spc.bind<size, "i">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %v = memref.load %x[%j] : memref<?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    }
  }
  scf.for %p = %c0 to %count step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    scf.for %j = %c0 to %i step %c1 {
      %old = memref.load %b[%i, %j] : memref<?x?xf64>
      %v = memref.load %x[%p] : memref<?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %b[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A row of one dimension and a key of two: i * (the extent k) + k.
// Dimension j is collected first.
// CHECK-LABEL: func.func @wide_key(
// CHECK-SAME:    %[[SIZE:[a-z0-9]*]]: index {spc.bind = #spc.bind<size, "k">}
// CHECK:         scf.for %[[J:.*]] = %{{.*}} to
// CHECK:           scf.for %[[I:.*]] = %{{.*}} to
// CHECK:             scf.for %[[K:.*]] = %{{.*}} to
// CHECK:               %[[HIGH:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK:               %[[LOW:.*]] = arith.index_cast %[[K]] : index to i64
// CHECK:               %[[EXTENT:.*]] = arith.index_cast %[[SIZE]] : index to i64
// CHECK:               %[[SCALED:.*]] = arith.muli %[[HIGH]], %[[EXTENT]]
// CHECK:               %[[KEY:.*]] = arith.addi %[[SCALED]], %[[LOW]]
// CHECK:               llvm.store %[[KEY]]
// CHECK:           %[[ROW:.*]] = arith.index_cast %[[J]] : index to i64
// CHECK:           llvm.store %[[ROW]]
// CHECK:           llvm.call @spc.rt.row_end(
// CHECK:         return
func.func @wide_key(%a: memref<?x?x?xf64> {spc.collect = array<i64: 1, 0, 2>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">, #spc.extent<"k">],
                                           spc.key_bits = 64 : i64, spc.name = "A", spc.rows = 1 : i64, spc.run = 0 : i64},
                    %x: memref<?xf64> {spc.bind = #spc.bind<values, "x">}, %l: index {spc.bind = #spc.bind<size, "k">},
                    %m: index {spc.bind = #spc.bind<size, "i">}, %n: index {spc.bind = #spc.bind<size, "j">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      scf.for %k = %c0 to %l step %c1 {
        %old = memref.load %a[%i, %j, %k] : memref<?x?x?xf64>
        %v = memref.load %x[%k] : memref<?xf64>
        %new = arith.addf %old, %v : f64
        memref.store %new, %a[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  return
}

// No row: the whole is one, and ends once.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT:     <begin,
// CHECK:         scf.for
// CHECK:           llvm.call @spc.rt.run_grow(
// CHECK:         }
// CHECK-NOT:     scf.for
// CHECK:         llvm.call @spc.rt.row_end(
// CHECK-NEXT:    llvm.store
// CHECK:         llvm.call @spc.rt.run_end(
// CHECK:         return
func.func @whole(%z: memref<?xf64> {spc.collect = array<i64: 0>, spc.extents = [#spc.extent<"i">], spc.key_bits = 32 : i64,
                                    spc.name = "z", spc.rows = 0 : i64, spc.run = 0 : i64},
                 %indices: memref<?xindex> {spc.bind = #spc.bind<indices, "v", 0>}, %values: memref<?xf64> {spc.bind = #spc.bind<values, "v">},
                 %count: index {spc.bind = #spc.bind<count, "v", 0>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %count step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    %old = memref.load %z[%i] : memref<?xf64>
    %v = memref.load %values[%p] : memref<?xf64>
    %new = arith.addf %old, %v : f64
    memref.store %new, %z[%i] : memref<?xf64>
  }
  return
}

// The pattern alone: keys, and no values anywhere.
// CHECK-LABEL: func.func @pattern(
// CHECK:         llvm.call @spc.rt.run_grow(
// CHECK-NOT:     llvm.store {{.*}} : f64
// CHECK:         llvm.call @spc.rt.row_end(
// CHECK:         return
func.func @pattern(%a: memref<?x?xf64> {spc.collect = array<i64: 0, 1>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">], spc.key_bits = 32 : i64,
                                        spc.name = "A", spc.rows = 1 : i64, spc.run = 0 : i64},
                   %indices: memref<?xindex> {spc.bind = #spc.bind<indices, "B", 1>}, %values: memref<?xf64> {spc.bind = #spc.bind<values, "B">},
                   %m: index {spc.bind = #spc.bind<size, "i">}) attributes {spc.pattern_only} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %p = %c0 to %i step %c1 {
      %j = memref.load %indices[%p] : memref<?xindex>
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
      %v = memref.load %values[%p] : memref<?xf64>
      %new = arith.addf %old, %v : f64
      memref.store %new, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A complex element is two numbers side by side.
// CHECK-LABEL: func.func @complex(
// CHECK:         %[[TWICE:.*]] = arith.shli
// CHECK:         llvm.getelementptr %{{.*}}[%[[TWICE]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK:         %[[RE:.*]] = complex.re
// CHECK:         llvm.store %[[RE]], %{{.*}} : f32
// CHECK:         %[[IM:.*]] = complex.im
// CHECK:         llvm.store %[[IM]], %{{.*}} : f32
// CHECK:         return
func.func @complex(%a: memref<?x?xcomplex<f32>> {spc.collect = array<i64: 0, 1>, spc.extents = [#spc.extent<"i">, #spc.extent<"j">],
                                                 spc.key_bits = 16 : i64, spc.name = "A", spc.rows = 1 : i64,
                                                 spc.run = 0 : i64},
                   %x: memref<?xcomplex<f32>> {spc.bind = #spc.bind<values, "x">}, %m: index {spc.bind = #spc.bind<size, "i">},
                   %n: index {spc.bind = #spc.bind<size, "j">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %a[%i, %j] : memref<?x?xcomplex<f32>>
      %v = memref.load %x[%j] : memref<?xcomplex<f32>>
      %new = complex.add %old, %v : complex<f32>
      memref.store %new, %a[%i, %j] : memref<?x?xcomplex<f32>>
    }
  }
  return
}

// Other functions are left alone.
// CHECK-LABEL: func.func @dense(
// CHECK-NOT:     llvm.
// CHECK:         memref.store
func.func @dense(%y: memref<?xf64> {spc.bind = #spc.bind<values, "y">}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  memref.store %zero, %y[%c0] : memref<?xf64>
  return
}
