// RUN: spc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{spc.nests is no list of #spc.nest}}
func.func @no_nests() attributes {spc.nests = [1]} {
  return
}

// -----

// expected-error @+2 {{failed to parse NestAttr parameter 'loops'}}
// expected-error @+1 {{a loop over the variables}}
func.func @no_variables() attributes {spc.nests = [#spc.nest<[<["i"] in <"m">>]>]} {
  return
}

// -----

// expected-error @+2 {{failed to parse NestAttr parameter 'loops'}}
// expected-error @+1 {{a loop beyond what is listed, over nothing that is}}
func.func @beyond_nothing() attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]] beyond = true>]>]} {
  return
}

// -----

// expected-error @+1 {{a row inside of a loop that is none}}
func.func @row_inside() attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]]>, <[["j", 1, 1]] row = true>]>]} {
  return
}

// -----

func.func @place_of_no_loop(%a: index) -> index attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]]>]>]} {
  // expected-error @+1 {{'spc.place' is the #spc.place of a loop, or of loops to come}}
  %b = arith.addi %a, %a {spc.place = #spc.place<0, 0>} : index
  return %b : index
}

// -----

func.func @no_such_loop(%a: index) attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]]>]>]} {
  // expected-error @+1 {{has the place #spc.place<0, 1>, which none of the body's nests has}}
  scf.for %i = %a to %a step %a {
  } {spc.place = #spc.place<0, 1>}
  return
}

// -----

func.func @no_such_nest(%a: index) {
  // expected-error @+1 {{has the place #spc.place<0, 0>, which none of the body's nests has}}
  scf.for %i = %a to %a step %a {
  } {spc.place = #spc.place<0, 0>}
  return
}

// -----

func.func @inside_out(%a: index) attributes {spc.nests = [#spc.nest<[<[["i", 1, 1]]>, <[["j", 1, 1]]>]>]} {
  scf.for %j = %a to %a step %a {
    // expected-error @+1 {{has the place #spc.place<0, 0> inside of #spc.place<0, 1>}}
    scf.for %i = %a to %a step %a {
    } {spc.place = #spc.place<0, 0>}
  } {spc.place = #spc.place<0, 1>}
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @other_space(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> attributes {spc.nests = [#spc.nest<>]} {
  // expected-error @+1 {{has 1 loops, of which 0 are planned}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"], spc.place = #spc.place<0, 0>}
      ins(%x : tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%in: f64, %out: f64):
    linalg.yield %in : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
