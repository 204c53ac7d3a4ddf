// RUN: spc-opt %s -split-input-file -verify-diagnostics

func.func @no_loop(%a: index, %b: index) -> index {
  // expected-error @+1 {{is no loop over rows}}
  %c = arith.addi %a, %b {spc.row_loop = #spc.row_loop<rows, <size, "m">, <"m">>} : index
  return %c : index
}

// -----

func.func @for_over_segments(%from: index, %to: index, %step: index) {
  // expected-error @+1 {{is no loop over segments}}
  scf.for %p = %from to %to step %step {
  } {spc.row_loop = #spc.row_loop<segments, <count, "A", 0>>}
  return
}

// -----

func.func @no_row_loop(%from: index, %to: index, %step: index) {
  // expected-error @+1 {{'spc.row_loop' is no #spc.row_loop}}
  scf.for %i = %from to %to step %step {
  } {spc.row_loop}
  return
}

// -----

func.func @rows_of_a_root(%from: index, %to: index, %step: index) {
  scf.for %i = %from to %to step %step {
  // expected-error @+1 {{a loop over rows cannot have items #spc.bind<count, "A", 0>}}
  } {spc.row_loop = #spc.row_loop<rows, <count, "A", 0>>}
  return
}

// -----

func.func @other_rows(%from: index, %to: index, %step: index) {
  scf.for %i = %from to %to step %step {
  // expected-error @+1 {{a loop over rows cannot have items #spc.bind<size, "m">}}
  } {spc.row_loop = #spc.row_loop<rows, <size, "m">, <"n">>}
  return
}

// -----

func.func @segment_of_no_loop(%a: index, %b: index) -> index {
  // expected-error @+1 {{'spc.segment' is a unit attribute of loops alone}}
  %c = arith.addi %a, %b {spc.segment} : index
  return %c : index
}

// -----

func.func @rare_case_of_no_loop(%a: index, %b: index) -> index {
  // expected-error @+1 {{'spc.partial' is a unit attribute of loops alone}}
  %c = arith.addi %a, %b {spc.partial} : index
  return %c : index
}

// -----

func.func @clipped_without_dimensions(%x: memref<?xf64>, %i: index) -> f64 {
  // expected-error @+1 {{'spc.clipped' is a list of a load's or a store's dimensions}}
  %v = memref.load %x[%i] {spc.clipped} : memref<?xf64>
  return %v : f64
}

// -----

func.func @indices_of_no_loop(%a: index, %b: index) -> index {
  // expected-error @+1 {{'spc.indices' is a list of a loop's index variables}}
  %c = arith.addi %a, %b {spc.indices = [["i", 1, 1]]} : index
  return %c : index
}

// -----

func.func @indices_without_scale(%from: index, %to: index, %step: index) {
  // expected-error @+1 {{'spc.listed_indices' is a list of a loop's index variables}}
  scf.for %i = %from to %to step %step {
  } {spc.listed_indices = [["i"]]}
  return
}

// -----

func.func @index_without_slot(%a: index, %b: index) -> index {
  // expected-error @+1 {{'spc.index' is the name of a slot on the stack, or of what is stored there}}
  %c = arith.addi %a, %b {spc.index = "i"} : index
  return %c : index
}
