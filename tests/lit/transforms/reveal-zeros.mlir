// RUN: spc-opt %s -spc-reveal-zeros | FileCheck %s

// CHECK-LABEL: func.func @hidden(
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK:         return %[[ZERO]] : i64
func.func @hidden(%x: i64) -> i64 {
  %one = arith.constant 1 : i64
  %even = arith.shli %x, %one : i64
  %zero = arith.andi %even, %one : i64
  return %zero : i64
}

// CHECK-LABEL: func.func @numbers(
// CHECK:         %[[ANDI:.*]] = arith.andi
// CHECK:         return %[[ANDI]]
func.func @numbers(%x: i64) -> i64 {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %even = arith.shli %x, %one : i64
  %bit = arith.andi %even, %two : i64
  return %bit : i64
}
