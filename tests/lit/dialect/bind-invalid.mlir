// RUN: spc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{'pointers' needs an index}}
func.func @pointers_of_no_level(%a: memref<?xi32> {spc.bind = #spc.bind<pointers, "A">}) { return }

// -----

// expected-error @+1 {{'values' has no index}}
func.func @values_of_a_level(%a: memref<?xf64> {spc.bind = #spc.bind<values, "A", 1>}) { return }

// -----

// expected-error @+1 {{'size' needs a name}}
func.func @size_of_nothing(%m: index {spc.bind = #spc.bind<size>}) { return }

// -----

// expected-error @+1 {{'chunk' has no name}}
func.func @named_chunk(%c: index {spc.bind = #spc.bind<chunk, "A">}) { return }

// -----

// expected-error @+1 {{'size' has no blocks of 0}}
func.func @empty_blocks(%m: index {spc.bind = #spc.bind<size, "m" by 0>}) { return }

// -----

// expected-error @+1 {{'begin' has no blocks of 4}}
func.func @blocks_of_positions(%m: index {spc.bind = #spc.bind<begin, "A", 0 by 4>}) { return }

// -----

// expected-error @+2 {{expected one of [pointers, indices, entries, values}}
// expected-error @+1 {{failed to parse BindAttr parameter}}
func.func @unknown_kind(%m: index {spc.bind = #spc.bind<lengths, "A", 1>}) { return }

// -----

// expected-error @+1 {{argument 0: spc.bind is no #spc.bind}}
func.func @text(%m: index {spc.bind = "size(m)"}) { return }

// -----

// expected-error @+1 {{argument 1 of type 'f64' cannot hold #spc.bind<pointers, "A", 1>}}
func.func @type_of_an_array(%m: index, %a: f64 {spc.bind = #spc.bind<pointers, "A", 1>}) { return }

// -----

// expected-error @+1 {{argument 0 of type 'index' cannot hold #spc.bind<scalar, "m">}}
func.func @type_of_a_scalar(%m: index {spc.bind = #spc.bind<scalar, "m">}) { return }

// -----

// expected-error @+1 {{arguments 0 and 1 both hold #spc.bind<size, "m">}}
func.func @twice(%m: index {spc.bind = #spc.bind<size, "m">}, %n: index {spc.bind = #spc.bind<size, "m">}) { return }
