// RUN: spc-opt %s -spc-branch-merges | FileCheck %s

// The branches yield where each operand goes on, and use the coordinate that they know to be the least one.
// CHECK-LABEL: func.func @sum(
// CHECK:         do {
// CHECK-NEXT:    ^bb0(%[[P:.*]]: index, %[[Q:.*]]: index):
// CHECK:           %[[JA:.*]] = memref.load %{{.*}}[%[[P]]]
// CHECK:           %[[JB:.*]] = memref.load %{{.*}}[%[[Q]]]
// CHECK:           %[[NEXT:.*]]:2 = scf.if
// CHECK-NEXT:        memref.store %{{.*}}, %{{.*}}[%[[JA]]]
// CHECK-NEXT:        %[[P1:.*]] = arith.addi %[[P]], %c1
// CHECK-NEXT:        %[[Q1:.*]] = arith.addi %[[Q]], %c1
// CHECK-NEXT:        scf.yield %[[P1]], %[[Q1]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[OTHER:.*]]:2 = scf.if
// CHECK-NEXT:          memref.store %{{.*}}, %{{.*}}[%[[JA]]]
// CHECK-NEXT:          %[[P1:.*]] = arith.addi %[[P]], %c1
// CHECK-NEXT:          scf.yield %[[P1]], %[[Q]]
// CHECK-NEXT:        } else {
// CHECK-NEXT:          %[[LAST:.*]]:2 = scf.if
// CHECK-NEXT:            memref.store %{{.*}}, %{{.*}}[%[[JB]]]
// CHECK-NEXT:            %[[Q1:.*]] = arith.addi %[[Q]], %c1
// CHECK-NEXT:            scf.yield %[[P]], %[[Q1]]
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.yield %[[P]], %[[Q]]
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.yield %[[LAST]]#0, %[[LAST]]#1
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %[[OTHER]]#0, %[[OTHER]]#1
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[NEXT]]#0, %[[NEXT]]#1
func.func @sum(%ai: memref<?xindex>, %bi: memref<?xindex>, %c: memref<?xf64>, %na: index, %nb: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %rest:2 = scf.while (%p = %c0, %q = %c0) : (index, index) -> (index, index) {
    %inA = arith.cmpi ult, %p, %na : index
    %inB = arith.cmpi ult, %q, %nb : index
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
    %isBoth = arith.andi %isA, %isB : i1
    scf.if %isBoth {
      memref.store %two, %c[%j] : memref<?xf64>
    } else {
      scf.if %isA {
        memref.store %one, %c[%j] : memref<?xf64>
      } else {
        scf.if %isB {
          memref.store %one, %c[%j] : memref<?xf64>
        }
      }
    }
    %p1 = arith.addi %p, %c1 : index
    %pn = arith.select %isA, %p1, %p : index
    %q1 = arith.addi %q, %c1 : index
    %qn = arith.select %isB, %q1, %q : index
    scf.yield %pn, %qn : index, index
  }
  return
}

// Only elements of both count, so that nothing tells what happens to either operand elsewhere: that is still computed.
// CHECK-LABEL: func.func @product(
// CHECK:         do {
// CHECK-NEXT:    ^bb0(%[[P:.*]]: index, %[[Q:.*]]: index):
// CHECK:           %[[IS_A:.*]] = arith.cmpi eq
// CHECK:           %[[IS_B:.*]] = arith.cmpi eq
// CHECK:           %[[NEXT:.*]]:2 = scf.if
// CHECK:             memref.store
// CHECK:           } else {
// CHECK-NEXT:        %[[P1:.*]] = arith.addi %[[P]], %c1
// CHECK-NEXT:        %[[PN:.*]] = arith.select %[[IS_A]], %[[P1]], %[[P]]
// CHECK-NEXT:        %[[Q1:.*]] = arith.addi %[[Q]], %c1
// CHECK-NEXT:        %[[QN:.*]] = arith.select %[[IS_B]], %[[Q1]], %[[Q]]
// CHECK-NEXT:        scf.yield %[[PN]], %[[QN]]
// CHECK:           scf.yield %[[NEXT]]#0, %[[NEXT]]#1
func.func @product(%ai: memref<?xindex>, %bi: memref<?xindex>, %c: memref<?xf64>, %na: index, %nb: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f64
  %rest:2 = scf.while (%p = %c0, %q = %c0) : (index, index) -> (index, index) {
    %inA = arith.cmpi ult, %p, %na : index
    %inB = arith.cmpi ult, %q, %nb : index
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
    %isBoth = arith.andi %isA, %isB : i1
    scf.if %isBoth {
      memref.store %two, %c[%j] : memref<?xf64>
    }
    %p1 = arith.addi %p, %c1 : index
    %pn = arith.select %isA, %p1, %p : index
    %q1 = arith.addi %q, %c1 : index
    %qn = arith.select %isB, %q1, %q : index
    scf.yield %pn, %qn : index, index
  }
  return
}

// Branches that write nothing leave the positions alone.
// CHECK-LABEL: func.func @count(
// CHECK:         arith.select
// CHECK:         %[[PN:.*]] = arith.select
// CHECK-NEXT:    arith.addi
// CHECK-NEXT:    %[[QN:.*]] = arith.select
// CHECK-NEXT:    scf.yield %[[PN]], %[[QN]],
func.func @count(%ai: memref<?xindex>, %bi: memref<?xindex>, %na: index, %nb: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rest:3 = scf.while (%p = %c0, %q = %c0, %n = %c0) : (index, index, index) -> (index, index, index) {
    %inA = arith.cmpi ult, %p, %na : index
    %inB = arith.cmpi ult, %q, %nb : index
    %inBoth = arith.andi %inA, %inB : i1
    scf.condition(%inBoth) %p, %q, %n : index, index, index
  } do {
  ^bb0(%p: index, %q: index, %n: index):
    %ja = memref.load %ai[%p] : memref<?xindex>
    %jb = memref.load %bi[%q] : memref<?xindex>
    %less = arith.cmpi ult, %jb, %ja : index
    %j = arith.select %less, %jb, %ja : index
    %isA = arith.cmpi eq, %ja, %j : index
    %isB = arith.cmpi eq, %jb, %j : index
    %isBoth = arith.andi %isA, %isB : i1
    %more = scf.if %isBoth -> (index) {
      %n1 = arith.addi %n, %c1 : index
      scf.yield %n1 : index
    } else {
      scf.yield %n : index
    }
    %p1 = arith.addi %p, %c1 : index
    %pn = arith.select %isA, %p1, %p : index
    %q1 = arith.addi %q, %c1 : index
    %qn = arith.select %isB, %q1, %q : index
    scf.yield %pn, %qn, %more : index, index, index
  }
  return %rest#2 : index
}
