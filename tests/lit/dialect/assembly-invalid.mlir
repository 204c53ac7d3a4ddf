// RUN: spc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{keys are integers of at most 64 bits}}
func.func private @key(!spc.run<append, row = 1, key = f32, value = f64>)

// -----

func.func @unclosed(%assembly: !llvm.ptr, %chunk: index) {
  // expected-error @+1 {{hands each nest a run, which the nest closes}}
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: index):
    spc.close_run
  }
  return
}

// -----

!hash = !spc.run<hash, row = 1, key = i32, value = f64>

func.func @hash_alone(%assembly: !llvm.ptr, %chunk: index) {
  // expected-error @+1 {{has a nest that appends, one with any workspace, or one for each kind}}
  spc.open_run %assembly[%chunk] number 0 {
  ^bb0(%run: !hash):
    spc.close_run
  }
  return
}

// -----

!workspace = !spc.run<workspace, row = 1, key = i32, value = f64>

func.func @appends_to_a_workspace(%run: !workspace, %j: index, %v: f64) {
  // expected-error @+1 {{is for runs that append}}
  spc.append %run[%j], %v : f64 in !workspace
  return
}

// -----

!append = !spc.run<append, row = 1, key = i32, value = f64>

func.func @locates_where_there_is_no_workspace(%run: !append, %j: index) {
  // expected-error @+1 {{is for runs with a workspace}}
  %slot, %old = spc.locate %run[%j] : !append -> f64
  return
}

// -----

!append = !spc.run<append, row = 1, key = i32, value = f64>

func.func @other_type(%run: !append, %j: index, %v: f32) {
  // expected-error @+1 {{has another value than entries of the run have}}
  spc.append %run[%j], %v : f32 in !append
  return
}

// -----

!append = !spc.run<append, row = 1, key = i32, value = f64>

func.func @two_coordinates(%run: !append, %i: index) {
  // expected-error @+1 {{has another number of coordinates than rows of the run have}}
  spc.end_row %run(%i, %i) : !append
  return
}

// -----

// expected-error @+1 {{values are numbers}}
func.func @no_number(%run: !spc.run<append, row = 1, key = i32, value = index>) {
  return
}

// -----

!any = !spc.run<workspace, row = 1, key = i32, value = f64>

func.func @neighbours_in_any_workspace(%run: !any, %j: index) {
  // expected-error @+1 {{has another value than entries of the run have}}
  %slot, %old = spc.locate %run[%j] : !any -> vector<4xf64>
  return
}
