// The operations of the dialect `spc`.
#ifndef SPC_OPS
#define SPC_OPS

include "dialect/SpcDialect.td"
include "dialect/SpcTypes.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class SpcOp<string mnemonic, list<Trait> traits = []> : Op<SpcDialect, mnemonic, traits>;

def AbsentOp : SpcOp<"absent"> {
  let summary = "a value where there is none";
  let description = [{
    Stands for what a reduction does not take in at this point of its iteration space: MLIR's lattices have differences,
    but the sparsifier needs a value there. `spc-skip-absent` takes it out of the loops. As far as MLIR knows it has side
    effects, so that it is neither moved nor merged until then.
  }];
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def FindRowOp : SpcOp<"find_row", [Pure]> {
  let summary = "the position of a row";
  let description = [{
    Where the row of a coordinate is in a tensor whose root is looked up by `table`, a `runtime::RowTable`: at that
    coordinate where `table` is null. `spc-lower-storage` makes this operation, `spc-lower-lookups` turns it into a call
    of the runtime, and a branch around it.
  }];
  let arguments = (ins LLVM_DefaultPointer:$table, Index:$coordinate);
  let results = (outs Index:$position);
  let assemblyFormat = "$table `[` $coordinate `]` attr-dict";
}

// Lookups: an array that tells the positions of one row by their coordinates. `spc-look-up-merges` makes these
// operations, `spc-lower-lookups` turns them into calls of the runtime.

def TakePositionsOp : SpcOp<"take_positions"> {
  let summary = "an array of zeros, a number of 32 bits for each coordinate";
  let description = "Of `memory`, a `runtime::Positions`, which has the extent; NULL where there is none.";
  let arguments = (ins LLVM_DefaultPointer:$memory);
  let results = (outs LLVM_DefaultPointer:$array);
  let assemblyFormat = "$memory attr-dict";
}

def GivePositionsOp : SpcOp<"give_positions"> {
  let summary = "gives an array back, which is all zeros again";
  let arguments = (ins LLVM_DefaultPointer:$memory, LLVM_DefaultPointer:$array);
  let assemblyFormat = "$memory `,` $array attr-dict";
}

// Trials: pieces of a loop over rows are computed in turn with prefetches and without, and timed. `spc-prefetch-rows`
// makes these operations, `spc-lower-trials` turns them into calls of the runtime.

def BeginTrialOp : SpcOp<"begin_trial"> {
  let summary = "begins a piece of a loop";
  let description = "`usual`: whether to prefetch where nothing has been found out. Bit 0 of `piece`: whether to prefetch.";
  let arguments = (ins LLVM_DefaultPointer:$trial, I1:$usual);
  let results = (outs I64:$piece);
  let assemblyFormat = "$trial `usually` $usual attr-dict";
}

def EndTrialOp : SpcOp<"end_trial"> {
  let summary = "ends a piece, in which there were so many rows and entries";
  let arguments = (ins LLVM_DefaultPointer:$trial, I64:$piece, Index:$work);
  let assemblyFormat = "$trial `,` $piece `,` $work attr-dict";
}

// Assembly: what a loop nest does to collect the entries of an output (!spc.run says what a run, a row and a key are).
// `spc-assemble` makes these operations, `spc-lower-assembly` turns them into stores and calls of the runtime.

/// The buffers and workspaces of all runs: memory of the runtime's own, of which nothing else can see anything.
def CollectedEntries : Resource<"::spc::dialect::CollectedEntries">;

class RunOp<string mnemonic, list<Trait> traits = []>
    : SpcOp<mnemonic, traits # [MemoryEffects<[MemRead<CollectedEntries>, MemWrite<CollectedEntries>]>]>;

def OpenRunOp : SpcOp<"open_run", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "collects the entries of a run";
  let description = [{
    Opens run number `number` of chunk `chunk` and hands it to the nest, which ends with `spc.close_run`. Where memory
    runs out the nest does not run, and the caller learns it from the assembly. Of a run with a workspace the runtime
    chooses the kind by the number of keys: before it is lowered it has a second nest, for a hash table, beside the one
    for a dense array, and, where it may be `planned`, a third one, which makes a plan or goes by it.

    ```mlir
    spc.open_run %assembly[%chunk] number 0 {
    ^bb0(%run: !spc.run<append, row = 1, key = i32, value = f64>):
      scf.for %i = %begin to %end step %c1 {
        ...
          spc.append %run[%j], %value : !spc.run<append, row = 1, key = i32, value = f64>
        ...
        spc.end_row %run(%i) : !spc.run<append, row = 1, key = i32, value = f64>
      }
      spc.close_run
    }
    ```
  }];
  let arguments = (ins LLVM_DefaultPointer:$assembly, Index:$chunk, I64Attr:$number, UnitAttr:$planned);
  let regions = (region VariadicRegion<SizedRegion<1>>:$nests);
  let assemblyFormat = "$assembly `[` $chunk `]` `number` $number (`planned` $planned^)? attr-dict-with-keyword $nests";
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  /// Builds a nest for each of `runs`, which is still empty.
  let builders = [OpBuilder<(ins "::mlir::Value":$assembly, "::mlir::Value":$chunk, "int64_t":$number,
                                 "bool":$planned, "::llvm::ArrayRef<RunType>":$runs)>];
  let extraClassDeclaration = [{
    /// The run as the nest of this number knows it.
    ::mlir::BlockArgument getRun(unsigned nest) { return getNests()[nest].getArgument(0); }
  }];
}

def CloseRunOp : RunOp<"close_run", [Terminator, HasParent<"OpenRunOp">]> {
  let summary = "the end of a run: all of its rows have ended";
  let assemblyFormat = "attr-dict";
}

def ReserveOp : RunOp<"reserve"> {
  let summary = "makes room for entries";
  let description = [{
    Makes room for `most` entries to be appended. False where memory runs out: then nothing may be appended as
    `reserved`.
  }];
  let arguments = (ins RunType:$run, Index:$most);
  let results = (outs I1:$hasRoom);
  let assemblyFormat = "$run `,` $most attr-dict `:` type($run)";
  let hasVerifier = 1;
}

def AppendOp : RunOp<"append"> {
  let summary = "appends an entry to the row";
  let description = [{
    Its key is above those that its nest has appended to the row already, unless a `spc.sort_row` follows. `reserved` says that a `spc.reserve` has made
    room for it; otherwise room is made.
  }];
  let arguments = (ins RunType:$run, Index:$key, Optional<AnyType>:$value, UnitAttr:$reserved);
  let assemblyFormat = [{
    $run `[` $key `]` (`,` $value^ `:` type($value) `in`):(`:`)? type($run) (`reserved` $reserved^)? attr-dict
  }];
  let hasVerifier = 1;
}

def AppendIfOp : RunOp<"append_if"> {
  let summary = "appends an entry to the row where a condition holds";
  let description = [{
    As `spc.append`, in a place that is reserved in any case: what is written there without the condition is no entry.
  }];
  let arguments = (ins RunType:$run, Index:$key, I1:$condition, Optional<AnyType>:$value);
  let assemblyFormat = [{
    $run `[` $key `]` `where` $condition (`,` $value^ `:` type($value) `in`):(`:`)? type($run) attr-dict
  }];
  let hasVerifier = 1;
}

def RowLengthOp : RunOp<"row_length"> {
  let summary = "how many entries the row has so far";
  let arguments = (ins RunType:$run);
  let results = (outs Index:$length);
  let assemblyFormat = "$run attr-dict `:` type($run)";
  let hasVerifier = 1;
}

def JoinRowOp : RunOp<"join_row"> {
  let summary = "adds what was appended last to the entries that the row had before";
  let description = [{
    The first `before` entries of the row are in the order of keys, and so are those behind them, of another nest.
    Afterwards all are, each key once.
  }];
  let arguments = (ins RunType:$run, Index:$before);
  let assemblyFormat = "$run `,` $before attr-dict `:` type($run)";
  let hasVerifier = 1;
}

def SortRowOp : RunOp<"sort_row"> {
  let summary = "puts the entries of the row in the order of keys";
  let description = "They were appended in any order. Those of one key are added up.";
  let arguments = (ins RunType:$run);
  let assemblyFormat = "$run attr-dict `:` type($run)";
  let hasVerifier = 1;
}

def LocateOp : RunOp<"locate"> {
  let summary = "finds a key's element of the workspace, to be updated";
  let description = [{
    Gives the element's slot, which holds until another key is located, and what is there: `identity`, or 0 without one,
    where the row has no such entry yet. The element becomes an entry: a `spc.accumulate` follows. In a dense workspace
    `old` may be a vector, of what is at the key and those that follow it, with bits in one word of 64.
  }];
  let arguments = (ins RunType:$run, Index:$key, OptionalAttr<AnyAttr>:$identity);
  let results = (outs Index:$slot, Optional<AnyType>:$old);
  let assemblyFormat = "$run `[` $key `]` (`or` `(` $identity^ `)`)? attr-dict `:` type($run) (`->` type($old)^)?";
  let hasVerifier = 1;
}

def AccumulateOp : RunOp<"accumulate"> {
  let summary = "updates a key's element of the workspace";
  let description = [{
    Gives the element at `slot`, as it was located for `key`, a value: what it had together with what is accumulated.
    A vector is for as many keys.
  }];
  let arguments = (ins RunType:$run, Index:$key, Index:$slot, Optional<AnyType>:$value);
  let assemblyFormat = "$run `[` $key `at` $slot `]` (`,` $value^ `:` type($value) `in`):(`:`)? type($run) attr-dict";
  let hasVerifier = 1;
}

def OpenSumOp : RunOp<"open_sum"> {
  let summary = "begins an entry that loops sum up";
  let description = [{
    The sum becomes an entry only if it gets an addend. Where there is a workspace it starts from the key's element,
    which is `identity`, or 0 without one, where the row has no such entry; elsewhere it has no `start` to be told.
  }];
  let arguments = (ins RunType:$run, Index:$key, OptionalAttr<AnyAttr>:$identity);
  let results = (outs SumType:$sum, Optional<AnyType>:$start);
  let assemblyFormat = "$run `[` $key `]` (`or` `(` $identity^ `)`)? attr-dict `:` type($run) (`->` type($start)^)?";
  let hasVerifier = 1;
}

def NoteAddendOp : RunOp<"note_addend"> {
  let summary = "notes that a sum gets an addend here";
  let arguments = (ins SumType:$sum);
  let assemblyFormat = "$sum attr-dict";
}

def CloseSumOp : RunOp<"close_sum"> {
  let summary = "makes an entry of a sum that got an addend";
  let description = [{
    `key` is the one that the sum was opened with; an entry that is appended is `reserved` as that of `spc.append` is.
  }];
  let arguments = (ins RunType:$run, Index:$key, SumType:$sum, Optional<AnyType>:$value, UnitAttr:$reserved);
  let assemblyFormat = [{
    $run `[` $key `]` `,` $sum (`,` $value^ `:` type($value) `in`):(`:`)? type($run) (`reserved` $reserved^)? attr-dict
  }];
  let hasVerifier = 1;
}

def BeginRowOp : RunOp<"begin_row"> {
  let summary = "begins a row";
  let description = [{
    What is located up to the row's end is of the row of these coordinates. In a workspace, that may be `planned`:
    elements start with `identity`, or 0 without one.
  }];
  let arguments = (ins RunType:$run, Variadic<Index>:$coordinates, OptionalAttr<AnyAttr>:$identity);
  let assemblyFormat = "$run `(` $coordinates `)` (`or` `(` $identity^ `)`)? attr-dict `:` type($run)";
  let hasVerifier = 1;
}

def EndRowOp : RunOp<"end_row"> {
  let summary = "ends a row";
  let description = [{
    The entries since the last row's end are the row of these coordinates. There may be none.
  }];
  let arguments = (ins RunType:$run, Variadic<Index>:$coordinates);
  let assemblyFormat = "$run `(` $coordinates `)` attr-dict `:` type($run)";
  let hasVerifier = 1;
}

def NotesRowsOp : RunOp<"notes_rows"> {
  let summary = "whether rows may end together";
  let description = "They may where nothing is done at the end of a row but to note how many entries it has.";
  let arguments = (ins RunType:$run);
  let results = (outs I1:$notes);
  let assemblyFormat = "$run attr-dict `:` type($run)";
  let hasVerifier = 1;
}

def EndRowsOp : RunOp<"end_rows"> {
  let summary = "ends several rows";
  let description = [{
    The entries since the last row's end are those of `count` rows from `first` on, as many of each as lie between the
    pointers of an operand's rows from `row` on. Rows may end together, as `spc.notes_rows` has said.
  }];
  let arguments = (ins RunType:$run, Index:$first, Index:$count, MemRefRankOf<[AnyInteger], [1]>:$pointers, Index:$row);
  let assemblyFormat = [{
    $run `(` $first `,` $count `)` `by` $pointers `[` $row `]` attr-dict `:` type($run) `,` type($pointers)
  }];
  let hasVerifier = 1;
}

#endif
