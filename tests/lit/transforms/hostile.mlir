// Passes leave declarations alone, and refuse bodies that lack what mlirgen says of their arguments.
// RUN: spc-opt %s -split-input-file -verify-diagnostics -spc-lower-dense
// RUN: not spc-opt %s -split-input-file -spc-chunk-rows -spc-fill-roots -spc-bind-buffers 2>&1 | FileCheck %s
// CHECK: argument 0 of type 'memref<?xf64>' is bound to no array that it can be

func.func private @exp2(f64) -> f64
func.func private @takes(tensor<?xf64>, index)

// -----

// expected-error @+1 {{argument 0 of type 'tensor<?xf64>' has no #spc.tensor with 1 extents}}
func.func @undescribed(%x: tensor<?xf64>) { return }

// -----

// expected-error @+1 {{argument 0 of type 'tensor<?xf64>' has no #spc.tensor with 1 extents}}
func.func @unsized(%x: tensor<?xf64> {spc.tensor = #spc.tensor<"x">}) { return }

// -----

// expected-error @+1 {{argument 1 of type 'f64' has no #spc.tensor with 0 extents}}
func.func @unnamed(%n: index, %alpha: f64) { return }

// -----

// expected-error @+1 {{has several blocks, and is no body of a kernel}}
func.func @blocks() {
  cf.br ^next
^next:
  return
}

// -----

func.func @buffer(%x: memref<?xf64>) { return }
