// The types of the dialect `spc`.
#ifndef SPC_TYPES
#define SPC_TYPES

include "dialect/SpcDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def RunForm : I32Enum<"RunForm", "how the entries of a run come", [
  I32EnumCase<"Append", 0, "append">,
  I32EnumCase<"Workspace", 1, "workspace">,
  I32EnumCase<"Dense", 2, "dense">,
  I32EnumCase<"Hash", 3, "hash">,
  I32EnumCase<"Record", 4, "record">,
  I32EnumCase<"Place", 5, "place">
]> {
  let cppNamespace = "::spc::dialect";
}

class SpcType<string name, string typeMnemonic> : TypeDef<SpcDialect, name> {
  let mnemonic = typeMnemonic;
}

def RunType : SpcType<"Run", "run"> {
  let summary = "what one loop nest collects of an assembled output";
  let description = [{
    An assembled output is a sparse tensor whose pattern its own statement finds. Each term of the statement collects
    entries in a loop nest of its own: its *run*. The first `row` dimensions that the nest visits make the *row*, one
    coordinate each; rows come in ascending order. The other dimensions make the *key*, a number that counts row-major
    over their extents and is stored as `key`. An entry is a key and, unless only the pattern counts, a value of type
    `value`.

    The form says how the entries of a row come:
    - `append`: with ascending keys, each once; they are appended to the run's buffers.
    - `workspace`: in any order and repeatedly; a *workspace* has an element for each key until the row ends.
    - `dense`, `hash`: the same, once the kind of workspace is known: an array over all keys, or a hash table.
    - `record`, `place`: the same where a plan is made, in a run without values, or gone by, in one with values: for each
      key that is located, in turn, the plan has its place among the row's entries.
  }];
  let parameters = (ins EnumParameter<RunForm>:$form, "int64_t":$row, "::mlir::Type":$key,
                        OptionalParameter<"::mlir::Type">:$value);
  let assemblyFormat = "`<` $form `,` `row` `=` $row `,` `key` `=` $key (`,` `value` `=` $value^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool appends() const { return getForm() == RunForm::Append; }
    /// The same run, its entries coming in another form.
    RunType in(RunForm form) const;
  }];
}

def SumType : SpcType<"Sum", "sum"> {
  let summary = "a sum that becomes an entry if it gets an addend";
}

#endif
