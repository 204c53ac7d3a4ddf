#include "entry/tensors.h"

#include "entry/counts.h"
#include "format/levels.h"

#include <string>

using mlir::Value;

namespace spc::entry {

using dialect::BindAttr;
using dialect::BindKind;
using dialect::ExtentAttr;

TensorView emptyView(const format::Format &format) {
  const auto order = static_cast<size_t>(format.order());
  const size_t levels = format.levels.size();
  TensorView view;
  view.sizes.resize(order);
  view.strides.resize(order);
  view.counts.resize(levels);
  view.widths.resize(levels);
  view.pointers.resize(levels);
  view.lengths.resize(levels);
  view.indices.resize(levels);
  return view;
}

void setCounts(EntryBuilder &build, const format::Format &format, TensorView &view) {
  for (int k = 0; k < format.levelCount() && !format.isDense(); ++k) {
    Value &count = view.counts[static_cast<size_t>(k)];
    if (count || !hasSegments(format::kindOf(format, k)))
      continue;
    const int64_t each = *format::valuesPerEntry(format, k);
    count = each == 1 ? view.stored
                      : mlir::LLVM::UDivOp::create(build.ops(), view.stored, build.constant(each)).getResult();
  }
}

namespace {

TensorView loadFields(EntryBuilder &build, const abi::StructType &type, Struct layout, Value object) {
  TensorView view = emptyView(type.format);
  for (unsigned f = 0; f < type.fields.size(); ++f)
    slot(view, type.fields[f]) = build.loadField(layout, object, f);
  setCounts(build, type.format, view);
  return view;
}

/// Takes extents that have no value yet from the arguments that do or don't give a structure.
void takeExtents(Entry &entry, bool givesStructure) {
  for (const TensorArgument &argument : entry.arguments) {
    if (argument.givesStructure != givesStructure || !argument.hasStruct())
      continue;
    const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
    for (size_t d = 0; d < tensor.extents.size(); ++d)
      if (Value &extent = entry.extents[tensor.extents[d]]; !extent) {
        extent = argument.passed.sizes[d];
        entry.extentSources[tensor.extents[d]] = {&argument.parameter, d};
      }
  }
}

/// A scalar argument as the body takes it: of a bool's byte one bit counts.
Value scalarOf(EntryBuilder &build, const abi::Parameter &parameter, Value argument) {
  if (parameter.value != sema::ValueType::Bool)
    return argument;
  const mlir::Type type = argument.getType();
  const Value bit = mlir::LLVM::ConstantOp::create(build.ops(), type, build.ops().getIntegerAttr(type, 1));
  return mlir::LLVM::AndOp::create(build.ops(), argument, bit);
}

} // namespace

Value &slot(TensorView &view, const abi::Field &field) {
  const auto index = static_cast<size_t>(field.index);
  switch (field.role) {
  case abi::FieldRole::Size:
    return view.sizes[index];
  case abi::FieldRole::Stride:
    return view.strides[index];
  case abi::FieldRole::Count:
    return view.counts[index];
  case abi::FieldRole::Stored:
    return view.stored;
  case abi::FieldRole::Width:
    return view.widths[index];
  case abi::FieldRole::Pointers:
    return view.pointers[index];
  case abi::FieldRole::Lengths:
    return view.lengths[index];
  case abi::FieldRole::Indices:
    return view.indices[index];
  case abi::FieldRole::Entries:
    return view.entries;
  case abi::FieldRole::Values:
    break;
  }
  return view.values;
}

Struct llvmStruct(EntryBuilder &build, const abi::StructType &type) {
  mlir::SmallVector<mlir::Type> fields;
  for (const abi::Field &field : type.fields)
    fields.push_back(field.type == abi::FieldType::Int64 ? build.int64Type() : build.pointerType());
  return build.structOf(fields);
}

mlir::Type llvmType(EntryBuilder &build, sema::ValueType type) {
  mlir::Builder &types = build.ops();
  switch (type) {
  case sema::ValueType::F16:
    return types.getF16Type();
  case sema::ValueType::BF16:
    return types.getBF16Type();
  case sema::ValueType::F32:
    return types.getF32Type();
  case sema::ValueType::F64:
    return types.getF64Type();
  case sema::ValueType::CF32:
    return build.structOf({types.getF32Type(), types.getF32Type()});
  case sema::ValueType::CF64:
    return build.structOf({types.getF64Type(), types.getF64Type()});
  default:
    return types.getIntegerType(static_cast<unsigned>(8 * sema::bytesOf(type)));
  }
}

void loadArguments(Entry &entry) {
  for (size_t p = 0; p < entry.signature.parameters.size(); ++p) {
    const abi::Parameter &parameter = entry.signature.parameters[p];
    if (parameter.kind == abi::ParameterKind::Values) {
      TensorView view;
      view.values = entry.build.argument(argumentOf(p));
      entry.arguments.push_back({parameter, view.values, {}, view});
    }
    if (parameter.kind != abi::ParameterKind::Tensor)
      continue;
    const Struct type = llvmStruct(entry.build, parameter.type);
    const Value object = entry.build.argument(argumentOf(p));
    entry.arguments.push_back({parameter, object, type, loadFields(entry.build, parameter.type, type, object)});
    const bool isInput = entry.kernel.tensors[parameter.tensor].isRead || entry.phase == runtime::Phase::Numeric;
    entry.arguments.back().givesStructure = !parameter.fillsStructure && (!parameter.isAssembled || isInput);
  }
}

Value addProduct(EntryBuilder &build, Value sum, int64_t factor, llvm::ArrayRef<Value> values) {
  const auto add = [&](Value before, Value one, Value other) {
    return build.call(runtime::functions::add_product, {before, one, other});
  };
  Value product = build.constant(factor);
  for (Value value : values.drop_back())
    product = add(build.constant(0), product, value);
  return add(sum, product, values.back());
}

Value sumOf(Entry &entry, const sema::ExtentSum &sum) {
  Value total = entry.build.constant(sum.constant);
  for (const sema::ExtentSum::Product &product : sum.products) {
    llvm::SmallVector<Value> extents;
    for (sema::ExtentId extent : product.extents)
      extents.push_back(entry.extents[extent]);
    total = addProduct(entry.build, total, product.factor, extents);
  }
  return total;
}

mlir::LogicalResult bindExtents(Entry &entry) {
  entry.extents.resize(entry.kernel.extents.size());
  entry.extentSources.resize(entry.kernel.extents.size());
  for (sema::ExtentId e : entry.extents.ids())
    if (entry.kernel.extents[e].fixed)
      entry.extents[e] = entry.build.constant(*entry.kernel.extents[e].fixed);
  takeExtents(entry, true);
  takeExtents(entry, false);
  for (sema::ExtentId e : entry.extents.ids())
    if (const auto &sums = entry.kernel.extents[e].sums; !entry.extents[e] && !sums.empty())
      entry.extents[e] = sumOf(entry, sums.front());
  for (const sema::Tensor &tensor : entry.kernel.tensors)
    for (sema::ExtentId extent : tensor.extents)
      if (!entry.extents[extent])
        return entry.build.module().emitError("no parameter gives the extent '")
               << entry.kernel.extents[extent].name << "'";
  return mlir::success();
}

const sema::Tensor &tensorNamed(const sema::Kernel &kernel, llvm::StringRef name) {
  return *llvm::find_if(kernel.tensors, [&](const sema::Tensor &tensor) { return tensor.name == name; });
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
  for (TensorArgument &argument : entry.arguments) {
    if (!argument.givesStructure || argument.parameter.type.format.isDense())
      continue;
    argument.entries = countEntries(entry, entry.kernel.tensors[argument.parameter.tensor], argument.passed, &argument);
    if (!argument.passed.stored)
      entry.tensors[argument.parameter.tensor].stored = argument.entries.back();
  }
  for (const TensorArgument &argument : entry.arguments) {
    TensorView &view = entry.tensors[argument.parameter.tensor];
    if (argument.parameter.isAssembled && !argument.givesStructure)
      view = {}; // until it is assembled
    if (argument.givesStructure || argument.parameter.isAssembled)
      continue;
    view = entry.tensors[sema::structureOwner(entry.kernel, argument.parameter.tensor)];
    view.values = argument.passed.values;
  }
}

void fillStructures(Entry &entry) {
  for (const TensorArgument &argument : entry.arguments) {
    if (!argument.parameter.fillsStructure)
      continue;
    const sema::TensorId tensor = argument.parameter.tensor;
    TensorView view = entry.tensors[tensor];
    view.sizes.clear(); // the owner's, whose dimensions may be in another order
    for (sema::ExtentId extent : entry.kernel.tensors[tensor].extents)
      view.sizes.push_back(entry.extents[extent]);
    const std::vector<abi::Field> &fields = argument.parameter.type.fields;
    for (unsigned f = 0; f < fields.size(); ++f)
      if (fields[f].role != abi::FieldRole::Values)
        entry.build.storeField(argument.type, argument.object, f, slot(view, fields[f]));
  }
}

Value blocksOf(EntryBuilder &build, Value extent, int64_t block) {
  const Value by = build.constant(block);
  const Value quotient = mlir::LLVM::UDivOp::create(build.ops(), extent, by);
  const Value isExact = build.equal(build.multiply(quotient, by), extent);
  const Value rest = build.select(isExact, build.constant(0), build.constant(1));
  return mlir::LLVM::AddOp::create(build.ops(), quotient, rest);
}

Value levelExtent(Entry &entry, const sema::Tensor &tensor, const format::Level &level) {
  const format::CoordinateRange range = format::coordinateRange(level);
  if (!range.dim)
    return entry.build.constant(range.block);
  const Value extent = entry.extents[tensor.extents[*range.dim]];
  return range.block > 1 ? blocksOf(entry.build, extent, range.block) : extent;
}

/// The fields of a tensor that are known.
static void addFields(Binds &binds, mlir::MLIRContext *context, llvm::StringRef tensor, const TensorView &view) {
  const auto add = [&](BindKind kind, Value value, int64_t index = -1) {
    if (value)
      binds[BindAttr::get(context, kind, tensor, index)] = value;
  };
  const auto addEach = [&](BindKind kind, const std::vector<Value> &values) {
    for (size_t k = 0; k < values.size(); ++k)
      add(kind, values[k], static_cast<int64_t>(k));
  };
  add(BindKind::Entries, view.entries);
  add(BindKind::Rows, view.rows);
  add(BindKind::Values, view.values);
  add(BindKind::Stored, view.stored);
  addEach(BindKind::Count, view.counts);
  addEach(BindKind::Width, view.widths);
  addEach(BindKind::Stride, view.strides);
  addEach(BindKind::Pointers, view.pointers);
  addEach(BindKind::Indices, view.indices);
}

Binds allBinds(Entry &entry) {
  mlir::MLIRContext *context = entry.build.ops().getContext();
  Binds binds;
  const auto addSize = [&](sema::ExtentId extent, int64_t block, Value value) {
    binds[BindAttr::get(ExtentAttr::get(context, entry.kernel.extents[extent].name, block))] = value;
  };
  for (sema::ExtentId e : entry.extents.ids())
    addSize(e, 1, entry.extents[e]);
  for (sema::TensorId t : entry.tensors.ids()) {
    const sema::Tensor &tensor = entry.kernel.tensors[t];
    for (const format::Level &level : tensor.format.levels)
      if (level.part == format::Part::Quotient)
        addSize(tensor.extents[level.dim], level.block, levelExtent(entry, tensor, level));
    addFields(binds, context, tensor.name, entry.tensors[t]);
  }
  for (const sema::Tensor &tensor : entry.kernel.tensors)
    if (const auto *size = tensor.as<sema::Size>())
      binds[BindAttr::get(context, BindKind::Scalar, tensor.name)] = entry.extents[size->extent];
  if (entry.merge)
    binds[BindAttr::get(context, BindKind::Merge)] = entry.merge;
  for (size_t p = 0; p < entry.signature.parameters.size(); ++p) {
    const abi::Parameter &parameter = entry.signature.parameters[p];
    const sema::Tensor &tensor = entry.kernel.tensors[parameter.tensor];
    const auto scalar = BindAttr::get(context, BindKind::Scalar, tensor.name);
    if (parameter.kind == abi::ParameterKind::ScalarValue)
      binds[scalar] = scalarOf(entry.build, parameter, entry.build.argument(argumentOf(p)));
    else if (parameter.kind == abi::ParameterKind::ScalarPointer && !tensor.isWritten)
      binds[scalar] = entry.build.load(llvmType(entry.build, tensor.type), entry.build.argument(argumentOf(p)));
  }
  for (const sema::Tensor &tensor : entry.kernel.tensors)
    if (tensor.order() == 0 && tensor.is<sema::Constant>()) {
      const mlir::Type halfBits = entry.build.ops().getI16Type();
      binds[BindAttr::get(context, BindKind::Scalar, tensor.name)] = entry.build.load(
          sema::isHalf(tensor.type) ? halfBits : llvmType(entry.build, tensor.type), viewOf(entry, tensor).values);
    }
  return binds;
}

} // namespace spc::entry
