// RUN: spc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{a tensor without a name}}
#tensor = #spc.tensor<"">

// -----

// expected-error @+1 {{'A' is described in two ways}}
#tensor = #spc.tensor<"A" extents = [<"m">] levels = [<>] pattern_of = "S">

// -----

// expected-error @+1 {{'A' has 1 extents, and 2 levels, modes or dimensions}}
#tensor = #spc.tensor<"A" extents = [<"m">] levels = [<>, <>]>

// -----

// expected-error @+1 {{'A' is padded, and shares no pattern}}
#tensor = #spc.tensor<"A" extents = [<"m">] padded = true>

// -----

// expected-error @+1 {{'A' has the structure of 'S', and is no operand that borrows it}}
#tensor = #spc.tensor<"A" extents = [<"m">] structure_of = "S" pattern_of = "S">

// -----

// expected-error @+1 {{run 0 does not collect each dimension once}}
#run = #spc.run<0, dims = [0, 0], rows = 1, key_bits = 32>

// -----

// expected-error @+1 {{3 of 2 dimensions are the row}}
#run = #spc.run<0, dims = [0, 1], rows = 3, key_bits = 32>

// -----

// expected-error @+1 {{keys of 7 bits}}
#run = #spc.run<0, dims = [0, 1], rows = 1, key_bits = 7>

// -----

// expected-error @+1 {{keys of several dimensions have no planned places}}
#run = #spc.run<0, dims = [0, 1, 2], rows = 1, key_bits = 64 planned = true>

// -----

// expected-error @+1 {{'[j == i]' is a tie without levels}}
#tensor = #spc.tensor<"[j == i]" extents = [<"m">, <"n">] tie = <slope = 1>>

// -----

// expected-error @+1 {{argument 0: spc.tensor is no #spc.tensor}}
func.func @text(%a: tensor<?xf64> {spc.tensor = "A"}) { return }

// -----

// expected-error @+1 {{argument 0 of type 'tensor<?xf64>' has 2 extents}}
func.func @rank(%a: tensor<?xf64> {spc.tensor = #spc.tensor<"A" extents = [<"m">, <"n">]>}) { return }

// -----

// expected-error @+1 {{argument 0: spc.ascends is an extent of a root's coordinates}}
func.func @ascending(%a: memref<?xi32> {spc.bind = #spc.bind<pointers, "A", 1>, spc.ascends = #spc.extent<"m">}) { return }

// -----

// expected-error @+1 {{argument 0 has an unknown attribute spc.name}}
func.func @unknown(%a: tensor<?xf64> {spc.name = "A"}) { return }
