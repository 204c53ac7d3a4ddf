// The attributes of the dialect `spc`: what the arguments of a kernel's body are, and how it may run.
#ifndef SPC_ATTRIBUTES
#define SPC_ATTRIBUTES

include "dialect/SpcDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class SpcAttr<string name, string attrMnemonic> : AttrDef<SpcDialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def ExtentAttr : SpcAttr<"Extent", "extent"> {
  let summary = "the extent of a dimension, or how many blocks cover it";
  let description = [{
    `#spc.extent<"m">` is the extent named m, `#spc.extent<"m" by 4>` the number of blocks of 4 that cover it, rounded up.
    `#spc.extent<"">` stands for levels that no extent bounds: remainders in blocks, whose number is in the tensor's type,
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
  I32EnumCase<"Chunk", 12, "chunk">, I32EnumCase<"Scalar", 13, "scalar">]> {
  let cppNamespace = "::spc::dialect";
}

def BindAttr : SpcAttr<"Bind", "bind"> {
  let summary = "what an argument of a body holds, for the entry to pass it";
  let description = [{
    - Fields of a tensor's struct. Of a level, or of a dimension: `pointers`, `indices`, `width`, `stride`, and `count`, of
      level 0, as in `#spc.bind<pointers, "A", 1>`. Of the tensor: `entries`, `values`, `stored`.
    - `size`: an extent, or how many blocks cover it, `#spc.bind<size, "m" by 4>`.
    - `begin` and `end`: the part of some items that the body is to compute. Items are what a `size` counts, with the same
      name and block, or the positions that a `count` counts, with the same name and index.
    - `assembly`: the `runtime::Assembly` that an assembling body collects for; `chunk`: which of its chunks this is.
    - `scalar`: the value of a scalar operand.
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
    /// Of `size`, `begin` and `end`: the extent; null where positions are counted.
    ExtentAttr getExtent() const;
    /// Of `begin` and `end`: the number of all items.
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
    `spc.row_loop` on a loop at the top of a body, whatever its bounds are by then:
    - `#spc.row_loop<rows, <size, "m">, <"m">>`: an `scf.for` over the rows of extent m;
    - `#spc.row_loop<positions, <count, "A", 0>, <"m">>`: an `scf.for` over the positions of A's compressed root;
    - `#spc.row_loop<segments, <count, "A", 0>, <"m">>`: an `scf.while` over these positions whose iterations are the
      segments of equal coordinates, as in a coordinate list.
    The extent of a root is there where its coordinates ascend in it.
  }];
  let parameters = (ins EnumParameter<RowLoopKind>:$kind, "BindAttr":$items, OptionalParameter<"ExtentAttr">:$rows);
  let assemblyFormat = "`<` $kind `,` $items (`,` $rows^)? `>`";
}

#endif
