#include "codegen/entry_tensors.h"

#include <string>

using mlir::Value;

namespace spc::codegen {
namespace {

using abi::FieldRole;

TensorView loadFields(EntryBuilder &build, const abi::StructType &type, Struct layout, Value object) {
  const size_t order = type.format.levels.size();
  TensorView view;
  view.sizes.resize(order);
  view.strides.resize(order);
  view.pointers.resize(order);
  view.indices.resize(order);
  for (unsigned f = 0; f < type.fields.size(); ++f) {
    const abi::Field &field = type.fields[f];
    const auto index = static_cast<size_t>(field.index);
    const Value value = build.loadField(layout, object, f);
    switch (field.role) {
    case FieldRole::Size:
      view.sizes[index] = value;
      break;
    case FieldRole::Stride:
      view.strides[index] = value;
      break;
    case FieldRole::Count:
      view.count = value;
      break;
    case FieldRole::Stored:
      view.stored = value;
      break;
    case FieldRole::Pointers:
      view.pointers[index] = value;
      break;
    case FieldRole::Indices:
      view.indices[index] = value;
      break;
    case FieldRole::Values:
      view.values = value;
      break;
    }
  }
  // A coordinate list has one count for all of its levels.
  if (!view.count)
    view.count = view.stored;
  return view;
}

/// Takes extents that have no value yet from the arguments that do or don't fill their structure.
void takeExtents(Entry &entry, bool fillsStructure) {
  for (const TensorArgument &argument : entry.arguments) {
    if (argument.parameter.fillsStructure != fillsStructure)
      continue;
    const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
    for (size_t d = 0; d < tensor.extents.size(); ++d)
      if (Value &extent = entry.extents[tensor.extents[d]]; !extent)
        extent = argument.passed.sizes[d];
  }
}

} // namespace

Struct llvmStruct(EntryBuilder &build, const abi::StructType &type) {
  mlir::SmallVector<mlir::Type> fields;
  for (const abi::Field &field : type.fields)
    fields.push_back(field.type == abi::FieldType::Int64 ? build.int64Type() : build.pointerType());
  return build.structOf(fields);
}

mlir::Type llvmType(EntryBuilder &build, sema::ValueType type) {
  return type == sema::ValueType::F32 ? mlir::Type(build.ops().getF32Type()) : mlir::Type(build.ops().getF64Type());
}

void loadArguments(Entry &entry) {
  for (size_t p = 0; p < entry.signature.parameters.size(); ++p) {
    const abi::Parameter &parameter = entry.signature.parameters[p];
    if (parameter.kind != abi::ParameterKind::Tensor)
      continue;
    const Struct type = llvmStruct(entry.build, parameter.type);
    const Value object = entry.build.argument(argumentOf(p));
    entry.arguments.push_back({parameter, object, type, loadFields(entry.build, parameter.type, type, object)});
  }
}

mlir::LogicalResult bindExtents(Entry &entry) {
  entry.extents.resize(entry.kernel.extents.size());
  for (size_t e = 0; e < entry.extents.size(); ++e)
    if (entry.kernel.extents[e].fixed)
      entry.extents[e] = entry.build.constant(*entry.kernel.extents[e].fixed);
  takeExtents(entry, false);
  takeExtents(entry, true);
  for (const sema::Tensor &tensor : entry.kernel.tensors)
    for (sema::ExtentId extent : tensor.extents)
      if (!entry.extents[extent])
        return entry.build.module().emitError("no parameter gives the extent '")
               << entry.kernel.extents[extent].name << "'";
  return mlir::success();
}

void bindParameters(Entry &entry) {
  entry.tensors.resize(entry.kernel.tensors.size());
  for (size_t p = 0; p < entry.signature.parameters.size(); ++p) {
    const abi::Parameter &parameter = entry.signature.parameters[p];
    if (parameter.kind == abi::ParameterKind::ScalarPointer)
      entry.tensors[parameter.tensor].values = entry.build.argument(argumentOf(p));
  }
  for (const TensorArgument &argument : entry.arguments)
    entry.tensors[argument.parameter.tensor] = argument.passed;
  for (const TensorArgument &argument : entry.arguments) {
    if (!argument.parameter.fillsStructure)
      continue;
    // A pattern may itself be borrowed: follow it to the operand that owns it.
    sema::TensorId owner = argument.parameter.tensor;
    for (size_t hops = 0; hops < entry.kernel.tensors.size(); ++hops)
      owner = entry.kernel.tensors[owner].patternOf.value_or(owner);
    TensorView &view = entry.tensors[argument.parameter.tensor];
    view = entry.tensors[owner];
    view.values = argument.passed.values;
  }
}

llvm::StringMap<Value> allBinds(const Entry &entry) {
  llvm::StringMap<Value> binds;
  const auto add = [&](const std::string &name, Value value) {
    if (value)
      binds[name] = value;
  };
  for (size_t e = 0; e < entry.extents.size(); ++e)
    add("size(" + entry.kernel.extents[e].name + ")", entry.extents[e]);
  for (size_t t = 0; t < entry.tensors.size(); ++t) {
    const std::string &name = entry.kernel.tensors[t].name;
    const TensorView &view = entry.tensors[t];
    add(name + ".values", view.values);
    add(name + ".stored", view.stored);
    add(name + ".count_0", view.count);
    for (size_t k = 0; k < view.strides.size(); ++k)
      add(name + ".stride_" + std::to_string(k), view.strides[k]);
    for (size_t k = 0; k < view.pointers.size(); ++k)
      add(name + ".pointers_" + std::to_string(k), view.pointers[k]);
    for (size_t k = 0; k < view.indices.size(); ++k)
      add(name + ".indices_" + std::to_string(k), view.indices[k]);
  }
  for (size_t p = 0; p < entry.signature.parameters.size(); ++p) {
    const abi::Parameter &parameter = entry.signature.parameters[p];
    if (parameter.kind == abi::ParameterKind::ScalarValue)
      add(entry.kernel.tensors[parameter.tensor].name, entry.build.argument(argumentOf(p)));
  }
  return binds;
}

} // namespace spc::codegen
