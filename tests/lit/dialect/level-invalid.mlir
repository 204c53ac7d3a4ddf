// RUN: spc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{a level whose positions are computed in two ways}}
#level = #spc.level<fixed = 3, width = <width, "A", 1>>

// -----

// expected-error @+1 {{a level whose width is #spc.bind<size, "m">}}
#level = #spc.level<width = <size, "m">>

// -----

// expected-error @+1 {{a level with a closed form and no extent, or the other way round}}
#level = #spc.level<closed = <0, 1, 0>>

// -----

// expected-error @+1 {{a level whose coordinates have a start, but are not computed}}
#level = #spc.level<closed = <0, 1, 0>, extent = <"m">, start = <0, 0, 0>>

// -----

// expected-error @+1 {{field 2 of 2}}
#level = #spc.level<field = 2, fields = 2>

// -----

// expected-error @+1 {{blocks of 0 of the extent 'm'}}
#extent = #spc.extent<"m" by 0>
