// RUN: spc-opt %s -split-input-file -spc-tile-registers="vector-bytes=32 registers=16" -canonicalize -cse | FileCheck %s

// A known size takes one shape: 8 vectors of 4, held from the fill to the store.
// CHECK-LABEL: func.func @fixed(
// CHECK-SAME:    %[[CRD:[a-z0-9]*]]: memref<?xindex>, %[[VAL:[a-z0-9]*]]: memref<?xf64>, %[[B:[a-z0-9]*]]: memref<?x32xf64>, %[[C:[a-z0-9]*]]: memref<?x32xf64>
// Pairs of 8 bytes are not worth looking for.
// CHECK-SAME:    attributes {passthrough = ["spc-paired"]}
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NOT:       scf.index_switch
// CHECK-NOT:       memref.store
// CHECK:           %[[SUM:.*]]:8 = scf.for %[[P:.*]] = {{.*}} iter_args(
// CHECK:             %[[J:.*]] = memref.load %[[CRD]][%[[P]]]
// CHECK:             %[[A:.*]] = memref.load %[[VAL]][%[[P]]]
// CHECK:             vector.load %[[B]][%[[J]], %{{.*}}] : memref<?x32xf64>, vector<4xf64>
// CHECK:             vector.broadcast %[[A]] : f64 to vector<4xf64>
// CHECK-COUNT-8:     arith.addf
// CHECK:             scf.yield
// CHECK-COUNT-8:   vector.store %[[SUM]]
func.func @fixed(%crd: memref<?xindex>, %val: memref<?xf64>, %b: memref<?x32xf64>, %c: memref<?x32xf64>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %m step %c1 {
    scf.for %k = %c0 to %c32 step %c1 {
      memref.store %zero, %c[%i, %k] : memref<?x32xf64>
    }
    scf.for %p = %c0 to %n step %c1 {
      %j = memref.load %crd[%p] : memref<?xindex>
      %a = memref.load %val[%p] : memref<?xf64>
      scf.for %k = %c0 to %c32 step %c1 {
        %old = memref.load %c[%i, %k] : memref<?x32xf64>
        %x = memref.load %b[%j, %k] : memref<?x32xf64>
        %ax = arith.mulf %a, %x : f64
        %new = arith.addf %old, %ax : f64
        memref.store %new, %c[%i, %k] : memref<?x32xf64>
      }
    }
  }
  return
}

// -----

// Without a fill the tile starts from what is there, read before any of it is written; a rest below one vector is two
// overlapping halves, or one element.
// CHECK-LABEL: func.func @update(
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           scf.for %[[BASE:.*]] = %{{.*}} to %[[K:[^ ]*]] step %[[LENGTH:[^ ]*]] {
// CHECK:             %[[LEFT:.*]] = arith.subi %[[K]], %[[BASE]]
// CHECK:             %[[WHOLE:.*]] = arith.cmpi uge, %[[LEFT]], %[[LENGTH]]
// CHECK:             %[[CODE:.*]] = arith.select %[[WHOLE]]
// CHECK:             scf.index_switch %[[CODE]]
// CHECK:             case 1
// CHECK:               vector.load %[[C:.*]][%[[I]], %[[BASE]]]
// CHECK:               vector.store
// CHECK:             case 2
// CHECK:               %[[NEXT:.*]] = arith.minsi
// CHECK:               %[[OLD0:.*]] = vector.load %[[C]][%[[I]], %[[BASE]]]
// CHECK:               %[[OLD1:.*]] = vector.load %[[C]][%[[I]], %[[NEXT]]]
// CHECK:               scf.for {{.*}} iter_args(%{{.*}} = %[[OLD0]], %{{.*}} = %[[OLD1]])
// CHECK:             case -2
// CHECK:               vector.load {{.*}}, vector<2xf64>
// CHECK:             case -1
// CHECK:               memref.load
// CHECK:               memref.store
func.func @update(%val: memref<?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>, %m: index, %n: index, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %p = %c0 to %n step %c1 {
      %a = memref.load %val[%p] : memref<?xf64>
      scf.for %k = %c0 to %size step %c1 {
        %old = memref.load %c[%i, %k] : memref<?x?xf64>
        %x = memref.load %b[%p, %k] : memref<?x?xf64>
        %ax = arith.mulf %a, %x : f64
        %new = arith.addf %old, %ax : f64
        memref.store %new, %c[%i, %k] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Rows of C that change from entry to entry stay in memory. B's row is the same for all entries of a tile. Of a tile
// whose vectors may overlap all are loaded before one is stored.
// CHECK-LABEL: func.func @scattered(
// CHECK-SAME:    %[[CRD:[a-z0-9]*]]: memref<?xindex>, %[[VAL:[a-z0-9]*]]: memref<?xf64>, %[[B:[a-z0-9]*]]: memref<?x?xf64>, %[[C:[a-z0-9]*]]: memref<?x?xf64>
// CHECK:         scf.for %[[J:.*]] =
// CHECK:           scf.for %[[BASE:.*]] =
// CHECK:             scf.index_switch
// CHECK:             case 2
// CHECK:               %[[NEXT:.*]] = arith.minsi
// CHECK:               scf.for %[[P:.*]] =
// CHECK:                 %[[I:.*]] = memref.load %[[CRD]][%[[P]]]
// CHECK:                 %[[OLD0:.*]] = vector.load %[[C]][%[[I]], %[[BASE]]]
// CHECK:                 %[[OLD1:.*]] = vector.load %[[C]][%[[I]], %[[NEXT]]]
// CHECK:                 vector.load %[[B]][%[[J]], %[[BASE]]]
// CHECK:                 %[[NEW0:.*]] = arith.addf %[[OLD0]]
// CHECK:                 vector.load %[[B]][%[[J]], %[[NEXT]]]
// CHECK:                 %[[NEW1:.*]] = arith.addf %[[OLD1]]
// CHECK:                 vector.store %[[NEW0]], %[[C]][%[[I]], %[[BASE]]]
// CHECK:                 vector.store %[[NEW1]], %[[C]][%[[I]], %[[NEXT]]]
func.func @scattered(%crd: memref<?xindex>, %val: memref<?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>, %m: index, %n: index, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %m step %c1 {
    scf.for %p = %c0 to %n step %c1 {
      %i = memref.load %crd[%p] : memref<?xindex>
      %a = memref.load %val[%p] : memref<?xf64>
      scf.for %k = %c0 to %size step %c1 {
        %old = memref.load %c[%i, %k] : memref<?x?xf64>
        %x = memref.load %b[%j, %k] : memref<?x?xf64>
        %ax = arith.mulf %a, %x : f64
        %new = arith.addf %old, %ax : f64
        memref.store %new, %c[%i, %k] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Each element is added to once: there is nothing that a tile would hold.
// CHECK-LABEL: func.func @elementwise(
// CHECK-NOT:     vector
func.func @elementwise(%a: memref<?xf64>, %b: memref<?x?x?xf64>, %c: memref<?x?x?xf64>, %m: index, %n: index, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %factor = memref.load %a[%j] : memref<?xf64>
      scf.for %k = %c0 to %size step %c1 {
        %old = memref.load %c[%i, %j, %k] : memref<?x?x?xf64>
        %x = memref.load %b[%i, %j, %k] : memref<?x?x?xf64>
        %ax = arith.mulf %factor, %x : f64
        %new = arith.addf %old, %ax : f64
        memref.store %new, %c[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  return
}

// -----

// Rows that other rows write to stay in memory: %j may be %i.
// CHECK-LABEL: func.func @scatter(
// CHECK-NOT:     vector
func.func @scatter(%crd: memref<?xindex>, %b: memref<?x?xf64>, %c: memref<?x?xf64>, %m: index, %n: index, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %p = %c0 to %n step %c1 {
      %j = memref.load %crd[%p] : memref<?xindex>
      scf.for %k = %c0 to %size step %c1 {
        %old = memref.load %c[%i, %k] : memref<?x?xf64>
        %x = memref.load %b[%p, %k] : memref<?x?xf64>
        %new = arith.addf %old, %x : f64
        memref.store %new, %c[%i, %k] : memref<?x?xf64>
        %mirror = memref.load %c[%j, %k] : memref<?x?xf64>
        %sum = arith.addf %mirror, %x : f64
        memref.store %sum, %c[%j, %k] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Columns are not contiguous: nothing to gain.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT:     vector
func.func @columns(%b: memref<?x?xf64, strided<[1, ?]>>, %c: memref<?x?xf64>, %m: index, %n: index, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %p = %c0 to %n step %c1 {
      scf.for %k = %c0 to %size step %c1 {
        %old = memref.load %c[%i, %k] : memref<?x?xf64>
        %x = memref.load %b[%p, %k] : memref<?x?xf64, strided<[1, ?]>>
        %new = arith.addf %old, %x : f64
        memref.store %new, %c[%i, %k] : memref<?x?xf64>
      }
    }
  }
  return
}
