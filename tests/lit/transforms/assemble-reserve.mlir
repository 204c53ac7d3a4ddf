// RUN: spc-opt %s -spc-assemble | FileCheck %s

// Room for all that the loops of a row may append is made before the first one.

// Two loops over one segment append twice: there is room for both.
// CHECK-LABEL: func.func @twice(
// CHECK-COUNT-2:   arith.maxsi
// CHECK:           %[[SUM:.*]] = arith.addi
// CHECK:           spc.reserve %{{.*}}, %[[SUM]]
// CHECK-COUNT-2:   spc.append {{.*}} reserved
// CHECK:           spc.end_row
func.func @twice(%a: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                 %pointers: memref<?xindex>, %indices: memref<?xindex>, %v: f64,
                 %m: index {spc.bind = #spc.bind<size, "i">}) {
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
    }
    scf.for %p = %first to %last step %c1 {
      %j = memref.load %indices[%p] : memref<?xindex>
      %old = memref.load %a[%i, %j] : memref<?x?xf64>
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
// CHECK:           spc.reserve %{{.*}}, %[[SUM]]
// CHECK:           %[[REST:.*]]:2 = scf.while (%{{.*}} = %[[A0]], %{{.*}} = %[[B0]])
// CHECK:             spc.append {{.*}} reserved
// CHECK:           scf.for %{{.*}} = %[[REST]]#0 to %[[A1]]
// CHECK:             spc.append {{.*}} reserved
// CHECK:           scf.for %{{.*}} = %[[REST]]#1 to %[[B1]]
// CHECK:             spc.append {{.*}} reserved
// CHECK:           spc.end_row
func.func @merged(%c: memref<?x?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"i">, <"j">] run = <0, dims = [0, 1], rows = 1, key_bits = 32>>},
                  %ap: memref<?xindex>, %ai: memref<?xindex>, %bp: memref<?xindex>, %bi: memref<?xindex>, %v: f64,
                  %m: index {spc.bind = #spc.bind<size, "i">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
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
