// RUN: spc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{#spc.bind<chunk> is no number of items}}
#chunks = #spc.chunks<items = <chunk>>

// -----

// expected-error @+1 {{rows that 'A' lists, counted as #spc.bind<count, "A", 0>}}
#chunks = #spc.chunks<items = <count, "A", 0> root = "A">

// -----

// expected-error @+1 {{copies that are set to zero, of no output}}
#chunks = #spc.chunks<items = <size, "m"> zeroed = true>

// -----

// expected-error @+1 {{a schedule with -1}}
#schedule = #spc.schedule<unroll = -1>

// -----

// expected-error @+1 {{may run in chunks, but has no argument that holds #spc.bind<end, "m">}}
func.func @no_end(%begin: index {spc.bind = #spc.bind<begin, "m">})
    attributes {spc.chunks = #spc.chunks<items = <size, "m">>} { return }

// -----

// expected-error @+1 {{adds to copies of an output, but has no argument that holds #spc.bind<values, "y">}}
func.func @no_output(%begin: index {spc.bind = #spc.bind<begin, "m">}, %end: index {spc.bind = #spc.bind<end, "m">})
    attributes {spc.chunks = #spc.chunks<items = <size, "m"> copies = "y">} { return }

// -----

// expected-error @+1 {{spc.chunks is no #spc.chunks}}
func.func @text() attributes {spc.chunks = "rows"} { return }

// -----

// expected-error @+1 {{spc.schedule is no #spc.schedule}}
func.func @dictionary() attributes {spc.schedule = {tile = 16}} { return }

// -----

func.func @elsewhere() {
  // expected-error @+1 {{has spc.chunks, which belongs to a function}}
  %zero = arith.constant {spc.chunks = #spc.chunks<items = <size, "m">>} 0 : index
  return
}

// -----

// expected-error @+1 {{expects argument attribute array to have the same number of elements}}
"func.func"() <{arg_attrs = [], function_type = (index) -> (), sym_name = "unlike"}> ({
^bb0(%m: index):
  "func.return"() : () -> ()
}) {spc.chunks = #spc.chunks<items = <size, "m">>} : () -> ()
