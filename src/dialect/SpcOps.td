// The operations of the dialect `spc`.
#ifndef SPC_OPS
#define SPC_OPS

include "dialect/SpcDialect.td"
include "mlir/IR/OpBase.td"

class SpcOp<string mnemonic, list<Trait> traits = []> : Op<SpcDialect, mnemonic, traits>;

def AbsentOp : SpcOp<"absent"> {
  let summary = "a value where there is none";
  let description = [{
    Stands for an addend that a sum does not have at this point of its iteration space: MLIR's lattices have differences,
    but the sparsifier needs a value there. `spc-skip-absent` takes it out of the loops. As far as MLIR knows it has side
    effects, so that it is neither moved nor merged until then.
  }];
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

#endif
