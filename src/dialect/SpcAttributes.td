// The attributes of the dialect `spc`: what the arguments of a kernel's body are, and how it may run.
#ifndef SPC_ATTRIBUTES
#define SPC_ATTRIBUTES

include "dialect/SpcDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class SpcAttr<string name, string attrMnemonic, bit verified = 1> : AttrDef<SpcDialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = verified;
}

def ExtentAttr : SpcAttr<"Extent", "extent"> {
  let summary = "the extent of a dimension, or how many blocks cover it";
  let description = [{
    `#spc.extent<"m">` is the extent named m, `#spc.extent<"m" by 4>` the number of blocks of 4 that cover it, rounded
    up.
    `#spc.extent<"">` stands for levels that no extent bounds: remainders in blocks, whose number is in the tensor's
    type,
    and differences of coordinates.
  }];
  let parameters = (ins StringRefParameter<"of a kernel">:$symbol, DefaultValuedParameter<"int64_t", "1">:$block);
  let assemblyFormat = "`<` $symbol (`by` $block^)? `>`";
  let builders = [AttrBuilder<(ins "llvm::StringRef":$symbol), [{ return $_get($_ctxt, symbol, 1); }]>];
  let extraClassDeclaration = [{
    /// How much of this extent is one of `counted`: 1 for the same, b for its blocks of b; nullopt for anything else.
    std::optional<int64_t> blockOf(ExtentAttr counted) const;
  }];
}

def BindKind : I32Enum<"BindKind", "what an argument of a body holds", [
  I32EnumCase<"Pointers", 0, "pointers">, I32EnumCase<"Indices", 1, "indices">, I32EnumCase<"Entries", 2, "entries">,
  I32EnumCase<"Values", 3, "values">, I32EnumCase<"Count", 4, "count">, I32EnumCase<"Stored", 5, "stored">,
  I32EnumCase<"Width", 6, "width">, I32EnumCase<"Stride", 7, "stride">, I32EnumCase<"Size", 8, "size">,
  I32EnumCase<"Begin", 9, "begin">, I32EnumCase<"End", 10, "end">, I32EnumCase<"Assembly", 11, "assembly">,
  I32EnumCase<"Chunk", 12, "chunk">, I32EnumCase<"Scalar", 13, "scalar">, I32EnumCase<"Trial", 14, "trial">,
  I32EnumCase<"Merge", 15, "merge">, I32EnumCase<"Rows", 16, "rows">,
  I32EnumCase<"Positions", 17, "positions">]> {
  let cppNamespace = "::spc::dialect";
}

def BindAttr : SpcAttr<"Bind", "bind"> {
  let summary = "what an argument of a body holds, for the entry to pass it";
  let description = [{
    - Fields of a tensor's struct. Of a level, or of a dimension: `pointers`, `indices`, `width`, `stride`, and `count`,
      of
      level 0, as in `#spc.bind<pointers, "A", 1>`. Of the tensor: `entries`, `values`, `stored`.
    - `size`: an extent, or how many blocks cover it, `#spc.bind<size, "m" by 4>`.
    - `begin` and `end`: the part of some items that the body is to compute. Items are what a `size` counts, with the
      same
      name and block, or the positions that a `count` counts, with the same name and index.
    - `assembly`: the `runtime::Assembly` that an assembling body collects for; `chunk`: which of its chunks this is.
    - `scalar`: the value of a scalar operand.
    - `rows`: the `runtime::RowTable` by which a tensor's rows are looked up; null where they are at their coordinates.
    - `positions`: the `runtime::Positions` that has arrays of as many numbers as a `size` of the same name and block says.
    - `merge`: what a plan has noted of an elementwise statement (sema::MergePlan).
    - `trial`: the `runtime::Trial` by which the call finds out how its loops run faster.
  }];
  let parameters = (ins EnumParameter<BindKind>:$kind,
                        StringRefParameter<"of a tensor, an extent or a scalar", "\"\"">:$symbol,
                        DefaultValuedParameter<"int64_t", "-1", "level or dimension">:$index,
                        DefaultValuedParameter<"int64_t", "1">:$block);
  let assemblyFormat = "`<` $kind (`,` $symbol^)? (`,` $index^)? (`by` $block^)? `>`";
  let builders = [
    AttrBuilder<(ins "BindKind":$kind, CArg<"llvm::StringRef", "{}">:$symbol, CArg<"int64_t", "-1">:$index),
                [{ return $_get($_ctxt, kind, symbol, index, 1); }]>,
    AttrBuilderWithInferredContext<(ins "ExtentAttr":$extent), [{
      return $_get(extent.getContext(), BindKind::Size, extent.getSymbol(), -1, extent.getBlock());
    }]>
  ];
  let extraClassDeclaration = [{
    /// Another field of the same tensor, or of a number of items its `begin` and `end`, and the other way round.
    BindAttr as(BindKind kind) const { return get(getContext(), kind, getSymbol(), getIndex(), getBlock()); }
    /// The extent of a `size`, `begin` or `end`; null where positions are counted.
    ExtentAttr getExtent() const;
    /// The number of all items of a `begin` or `end`.
    BindAttr getItems() const { return as(getIndex() < 0 ? BindKind::Size : BindKind::Count); }
  }];
}

def RowLoopKind : I32Enum<"RowLoopKind", "what the items of a loop over rows are", [
  I32EnumCase<"Rows", 0, "rows">, I32EnumCase<"Positions", 1, "positions">,
  I32EnumCase<"Segments", 2, "segments">]> {
  let cppNamespace = "::spc::dialect";
}

def RowLoopAttr : SpcAttr<"RowLoop", "row_loop"> {
  let summary = "what a loop over the rows of a body runs over";
  let description = [{
    `spc.row_loop` on a loop at the top of a body, or of a run (`spc.open_run`), whatever its bounds are by then:
    - `#spc.row_loop<rows, <size, "m">, <"m">>`: an `scf.for` over the rows of extent m;
    - `#spc.row_loop<positions, <count, "A", 0>, <"m">>`: an `scf.for` over the positions of A's compressed root;
    - `#spc.row_loop<segments, <count, "A", 0>, <"m">>`: an `scf.while` over these positions whose iterations are the
      segments of equal coordinates, as in a coordinate list.
    The extent of a root is there where its coordinates ascend in it.
  }];
  let parameters = (ins EnumParameter<RowLoopKind>:$kind, "BindAttr":$items, OptionalParameter<"ExtentAttr">:$rows);
  let assemblyFormat = "`<` $kind `,` $items (`,` $rows^)? `>`";
}

def LoopAttr : SpcAttr<"Loop", "loop"> {
  let summary = "one loop of a nest, as sema has planned it";
  let description = [{
    - `variables`: an array `[name, scale, parts]` for each index variable that the loop is a part of: it is the sum of
      `scale` times the coordinate over its `parts` loops.
    - The extent that the coordinates are in, or whose blocks they count; absent of others.
    - `lists`: the tensors of which a level lists the coordinates; a loop over all of them without. `beyond`: the loop
      comes to coordinates, too, that none of these lists.
    - `reduction`: the target does not depend on it alone. `row`: the rows of an assembled output are its iterations.
    - `divided`: workers may divide its iterations, as the body's `spc.division` says.
  }];
  let parameters = (ins "mlir::ArrayAttr":$variables, OptionalParameter<"ExtentAttr">:$extent,
                        OptionalArrayRefParameter<"mlir::StringAttr">:$lists,
                        DefaultValuedParameter<"bool", "false">:$isBeyond,
                        DefaultValuedParameter<"bool", "false">:$isReduction,
                        DefaultValuedParameter<"bool", "false">:$isRow,
                        DefaultValuedParameter<"bool", "false">:$isDivided);
  let assemblyFormat = [{
    `<` $variables (`in` $extent^)? (`lists` `=` `[` $lists^ `]`)? (`beyond` `=` $isBeyond^)?
        (`reduction` `=` $isReduction^)? (`row` `=` $isRow^)? (`divided` `=` $isDivided^)? `>`
  }];
}

def NestAttr : SpcAttr<"Nest", "nest"> {
  let summary = "the loops of one term, outermost first";
  let description = [{
    `spc.nests` of a body has one for each term. `scaled`: what the loop that adds up does not change is applied behind
    it, once to each element of a row, which is 0 before. `empty`: where one of these extents is 0, the loops run over
    nothing, or, if they set elements, set these to 0.
  }];
  let parameters = (ins OptionalArrayRefParameter<"LoopAttr">:$loops,
                        DefaultValuedParameter<"bool", "false">:$isScaled,
                        OptionalArrayRefParameter<"ExtentAttr">:$emptyWith,
                        DefaultValuedParameter<"bool", "false">:$isSet);
  let assemblyFormat = [{
    `<` (`[` $loops^ `]`)? (`scaled` `=` $isScaled^)? (`empty` `=` `[` $emptyWith^ `]`)? (`sets` `=` $isSet^)? `>`
  }];
}

def PlaceAttr : SpcAttr<"Place", "place", /*verified=*/0> {
  let summary = "which loop of its body's nests a loop is, or is a part of";
  let description = [{
    `spc.place = #spc.place<1, 0>` is the outermost loop of the body's second nest. Several loops have one place where
    they go through what one of the plan does: a merge of lists, and the rest of each. A `linalg.generic` has the place
    of the outermost loop that it will be.
  }];
  let parameters = (ins "int64_t":$nest, "int64_t":$loop);
  let assemblyFormat = "`<` $nest `,` $loop `>`";
}

def FormAttr : SpcAttr<"Form", "form", /*verified=*/0> {
  let summary = "a number that a format computes";
  let description = "`constant + slope * (the parent's coordinate) + size * (an extent)`";
  let parameters = (ins "int64_t":$constant, "int64_t":$slope, "int64_t":$size);
  let assemblyFormat = "`<` $constant `,` $slope `,` $size `>`";
}

def LevelAttr : SpcAttr<"Level", "level"> {
  let summary = "a level of a sparse operand, where MLIR's level types do not say all of it";
  let description = [{
    MLIR's sparsifier takes each listed level for a compressed one, with arrays of positions and coordinates.
    `spc-lower-storage` computes what the format has no array for:

    - `fixed`, or `width` where that is known at run time only: `positions[p]` is `p` times it.
    - `closed`: `positions[p]` is the sum of the form over the parents before p. `extent` is the one that the form
      refers to, and `start` as well; `parents` the one that the parent's coordinate runs over, which is its position
      modulo that; absent at a root.
    - `isImplicit`: no array of coordinates. The one at q is `q - positions[parent] + start(parent)`.
    - `field` of `fields`: coordinates stand interleaved in one array, the one at q as element `q * fields + field`.
    - `isSigned`: coordinates may be negative. `isUnordered`: they do not ascend.
    - `isFound`, of a dense root: positions are looked up.
  }];
  let parameters = (ins OptionalParameter<"std::optional<int64_t>">:$fixed, OptionalParameter<"BindAttr">:$width,
                        OptionalParameter<"FormAttr">:$closed, OptionalParameter<"ExtentAttr">:$extent,
                        OptionalParameter<"ExtentAttr">:$parents, OptionalParameter<"FormAttr">:$start,
                        DefaultValuedParameter<"bool", "false">:$isImplicit,
                        DefaultValuedParameter<"int64_t", "-1">:$field, DefaultValuedParameter<"int64_t", "0">:$fields,
                        DefaultValuedParameter<"bool", "false">:$isSigned,
                        DefaultValuedParameter<"bool", "false">:$isUnordered,
                        DefaultValuedParameter<"bool", "false">:$isFound);
  let assemblyFormat = "`<` struct(params) `>`";
  let builders = [AttrBuilder<(ins), [{ return $_get($_ctxt, std::nullopt, BindAttr(), FormAttr(), ExtentAttr(),
      ExtentAttr(), FormAttr(), false, -1, 0, false, false, false); }]>];
  let extraClassDeclaration = [{
    /// Positions are computed: no array of pointers.
    bool computesPositions() const { return getFixed() || getWidth() || getClosed(); }
    bool isInterleaved() const { return getField() >= 0; }
  }];
}

def RunAttr : SpcAttr<"Run", "run"> {
  let summary = "one run of an assembled output: the entries that one of its terms makes, or all of them";
  let description = [{
    The number of the run; `dims`, the output's dimensions in collecting order; how many of them are the row, in
    `rows`; the width of collected keys, in bits; of a symmetric matrix, the `triangle` that is computed, "lower" or
    "upper"; and whether the run may be `planned`: calls in two phases can know the places of its keys.
  }];
  let parameters = (ins "int64_t":$number, ArrayRefParameter<"int64_t">:$dims, "int64_t":$rowOrder,
                        "int64_t":$keyBits, StringRefParameter<"a triangle", "\"\"">:$triangle,
                        DefaultValuedParameter<"bool", "false">:$planned,
                        DefaultValuedParameter<"bool", "false">:$once);
  let assemblyFormat = [{
    `<` $number `,` `dims` `=` `[` $dims `]` `,` `rows` `=` $rowOrder `,` `key_bits` `=` $keyBits
        (`triangle` `=` $triangle^)? (`planned` `=` $planned^)? (`once` `=` $once^)? `>`
  }];
}

def TieAttr : SpcAttr<"Tie", "tie", /*verified=*/0> {
  let summary = "which column each row of a tie has";
  let description = [{
    A tie has one entry at most in each row. Where rows have one dimension or none, its column is
    `(constant + slope * row + scalar) / divisor`, or with the scalar subtracted, where that is whole and within the
    columns. `isListed`: an array holds it. `isTotal`: each row has an entry, or the call fails before bodies run.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$constant, DefaultValuedParameter<"int64_t", "0">:$slope,
                        OptionalParameter<"BindAttr">:$scalar,
                        DefaultValuedParameter<"bool", "false">:$isSubtracted,
                        DefaultValuedParameter<"int64_t", "1">:$divisor,
                        DefaultValuedParameter<"bool", "false">:$isListed,
                        DefaultValuedParameter<"bool", "false">:$isTotal);
  let assemblyFormat = "`<` struct(params) `>`";
}

def TensorAttr : SpcAttr<"Tensor", "tensor"> {
  let summary = "the tensor, or the scalar, that an argument of a body is";
  let description = [{
    Its name in the kernel, and, of a tensor with dimensions:
    - `extents`: by level of a sparse operand and of an output that shares a pattern, else by dimension.
    - `levels`: of a sparse operand.
    - `modes`: of a dense tensor, the order in which dimensions are stored. `strided`: no dimension's neighbours are
      neighbours in memory.
    - `structure_of`: of an operand, the other tensor that owns its structure.
    - `pattern_of`: of a dense proxy, the tensor that owns its structure, perhaps itself. `padded`: it has slots outside
      of the tensor.
    - `run`: of the dense proxy of an assembled output.
    - `identity`: of the target of a reduction other than a sum, that reduction's identity.
    - `tie`: of a tie of index variables whose columns `spc-compute-ties` can compute.
  }];
  let parameters = (ins StringRefParameter<"of the tensor">:$symbol, OptionalArrayRefParameter<"ExtentAttr">:$extents,
                        OptionalArrayRefParameter<"LevelAttr">:$levels, OptionalArrayRefParameter<"int64_t">:$modes,
                        DefaultValuedParameter<"bool", "false">:$isStrided,
                        StringRefParameter<"a tensor", "\"\"">:$structureOf,
                        StringRefParameter<"a tensor", "\"\"">:$patternOf,
                        DefaultValuedParameter<"bool", "false">:$isPadded, OptionalParameter<"RunAttr">:$run,
                        OptionalParameter<"mlir::Attribute">:$identity, OptionalParameter<"TieAttr">:$tie);
  let assemblyFormat = [{
    `<` $symbol (`extents` `=` `[` $extents^ `]`)? (`levels` `=` `[` $levels^ `]`)? (`modes` `=` `[` $modes^ `]`)?
        (`strided` `=` $isStrided^)? (`structure_of` `=` $structureOf^)? (`pattern_of` `=` $patternOf^)?
        (`padded` `=` $isPadded^)? (`run` `=` $run^)? (`identity` `=` $identity^)? (`tie` `=` $tie^)? `>`
  }];
  let extraClassDeclaration = [{
    /// The extent of a dimension, or of a level where levels describe the tensor; null where nothing says it.
    ExtentAttr getExtent(unsigned dim) const { return dim < getExtents().size() ? getExtents()[dim] : ExtentAttr(); }
    /// What is said of a level of a sparse operand, which may be nothing.
    LevelAttr getLevel(unsigned level) const;
    /// Whether a sparse output is written through this dense argument, or an operand read at another one's positions.
    bool isDenseProxy() const { return getRun() || !getPatternOf().empty(); }
    /// The tensor that owns the structure of a sparse one.
    llvm::StringRef getOwner() const;
  }];
}

def DivisionKind : I32Enum<"DivisionKind", "how workers share a body's output", [
  I32EnumCase<"Owners", 0, "owners">, I32EnumCase<"Copies", 1, "copies">]> {
  let cppNamespace = "::spc::dialect";
}

def DivisionAttr : SpcAttr<"Division", "division", /*verified=*/0> {
  let summary = "how a body's work may be divided among workers";
  let description = [{
    What sema has decided (sema/plan/division.h): the items that are dealt out, a `size` or, of a root, a `count`; and
    whether each of them owns the elements of the output that it accesses, or workers add to copies of it.
  }];
  let parameters = (ins EnumParameter<DivisionKind>:$kind, "BindAttr":$items);
  let assemblyFormat = "`<` $kind `,` $items `>`";
}

def ChunksAttr : SpcAttr<"Chunks", "chunks"> {
  let summary = "how a body's rows may be computed in chunks";
  let description = [{
    - `items`: how many items there are to divide, a `size` or a `count`. The body has arguments for their `begin` and
      `end`.
    - `root`: the tensor that lists the rows at its root, in ascending order.
    - `tensors`: those whose level 1 has a segment for each item.
    - `extents` of the dense loops inside.
    - `copies`: the dense output of which each chunk but the first one gets a copy, to be added to it afterwards.
      `zeroed`: the body sets the copy to zero.
    - `work`: of one chunk; without it the entry chooses.
  }];
  let parameters = (ins "BindAttr":$items, StringRefParameter<"a tensor", "\"\"">:$root,
                        OptionalArrayRefParameter<"mlir::StringAttr">:$tensors,
                        OptionalArrayRefParameter<"ExtentAttr">:$extents,
                        StringRefParameter<"a tensor", "\"\"">:$copies,
                        DefaultValuedParameter<"bool", "false">:$zeroed,
                        OptionalParameter<"std::optional<int64_t>">:$work);
  let assemblyFormat = [{
    `<` `items` `=` $items (`root` `=` $root^)? (`tensors` `=` `[` $tensors^ `]`)? (`extents` `=` `[` $extents^ `]`)?
        (`copies` `=` $copies^)? (`zeroed` `=` $zeroed^)? (`work` `=` $work^)? `>`
  }];
}

def ScheduleAttr : SpcAttr<"Schedule", "schedule"> {
  let summary = "what the user's schedule leaves to the passes and to the entry";
  let description = [{
    Numbers as in docs/formats.md, "Schedules"; none where the choice is the compiler's. `parallel` is an index
    variable,
    or "none" where nothing may run in chunks: so too where no loop over the variable is outermost in this body.
  }];
  let parameters = (ins OptionalParameter<"std::optional<int64_t>">:$tile,
                        OptionalParameter<"std::optional<int64_t>">:$unroll,
                        OptionalParameter<"std::optional<int64_t>">:$prefetch,
                        OptionalParameter<"std::optional<int64_t>">:$chunk,
                        StringRefParameter<"an index variable", "\"\"">:$parallel);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    bool isSerial() const { return getParallel() == "none"; }
  }];
}

#endif
