#include "entry/constants.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {

std::string constantSymbol(const sema::Kernel &kernel, sema::TensorId id, size_t number) {
  return kernel.function + ".constant." + kernel.tensors[id].name + "." + std::to_string(number);
}

void declareConstants(mlir::ModuleOp module, const sema::Kernel &kernel, const StoredConstants &constants) {
  mlir::OpBuilder builder(module.getContext());
  builder.setInsertionPointToStart(module.getBody());
  for (const auto &[id, constant] : constants)
    for (size_t k = 0; k < constant.arrays.size(); ++k)
      if (const size_t bytes = constant.arrays[k].bytes.size())
        LLVM::GlobalOp::create(builder, module.getLoc(), LLVM::LLVMArrayType::get(builder.getI8Type(), bytes),
                               /*isConstant=*/true, LLVM::Linkage::External, constantSymbol(kernel, id, k),
                               mlir::Attribute());
}

TensorView constantView(Entry &entry, sema::TensorId id) {
  EntryBuilder &build = entry.build;
  const StoredConstant &constant = entry.constants->at(id);
  TensorView view = emptyView(constant.type.format);
  const auto arrayAt = [&](size_t number) -> Value {
    if (constant.arrays[number].bytes.empty())
      return build.null();
    return LLVM::AddressOfOp::create(build.ops(), build.pointerType(), constantSymbol(entry.kernel, id, number));
  };
  for (size_t f = 0; f < constant.type.fields.size(); ++f) {
    const abi::Field &field = constant.type.fields[f];
    slot(view, field) = field.type == abi::FieldType::Int64 ? build.constant(constant.numbers[f]) : arrayAt(f);
  }
  if (constant.type.fields.empty())
    view.values = arrayAt(0);
  for (const auto &[level, number] : constant.addedUp)
    view.pointers[static_cast<size_t>(level)] = arrayAt(number);
  if (!view.stored)
    view.stored = build.constant(constant.stored);
  setCounts(build, constant.type.format, view);
  return view;
}

void bindConstants(Entry &entry) {
  for (sema::TensorId id : entry.kernel.tensors.ids())
    if (entry.kernel.tensors[id].is<sema::Constant>())
      entry.tensors[id] = constantView(entry, id);
}

} // namespace spc::entry
