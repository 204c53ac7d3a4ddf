// RUN: spc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{has an unknown attribute spc.chunk}}
func.func private @misspelt() attributes {spc.chunk = 3}

// -----

func.func @operation(%a: index) {
  // expected-error @+1 {{has an unknown attribute spc.idle}}
  %b = arith.addi %a, %a {spc.idle} : index
  return
}

// -----

// expected-error @+1 {{spc.pattern_only has a value}}
func.func private @valued() attributes {spc.pattern_only = 3}

// -----

// expected-error @+1 {{spc.as_written has a value}}
func.func private @valued_too() attributes {spc.as_written = 3}

// -----

// expected-error @+1 {{'A' does not have each mode once}}
#twice = #spc.tensor<"A" extents = [<"m">, <"n">] modes = [1, 1]>

// -----

// expected-error @+1 {{'A' does not have each mode once}}
#outside = #spc.tensor<"A" extents = [<"m">, <"n">] modes = [0, 2]>

// -----

// expected-error @+1 {{with elements 'f64' has the identity 1 : i32}}
func.func @identity(%a: memref<?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"m">] identity = 1 : i32>}) { return }

// -----

func.func @segments(%n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{is no loop over segments}}
  %r = scf.while (%p = %c0) : (index) -> index {
    %more = arith.cmpi ult, %p, %n : index
    scf.condition(%more) %p : index
  } do {
  ^bb0(%p: index):
    scf.yield %p : index
  } attributes {spc.row_loop = #spc.row_loop<segments, <count, "A", 0>, <"m">>}
  return
}
