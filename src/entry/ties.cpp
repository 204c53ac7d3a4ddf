#include "entry/ties.h"

#include "dialect/dialect.h"
#include "entry/descriptors.h"
#include "entry/places.h"
#include "sema/shared_bodies.h"

#include <set>
#include <string>

using mlir::Value;

namespace spc::entry {
namespace {

/// A scalar of integers, as 64 bits.
Value scalarIn(Entry &entry, sema::TensorId id) {
  EntryBuilder &build = entry.build;
  const sema::Tensor &tensor = entry.kernel.tensors[id];
  if (const auto *size = tensor.as<sema::Size>())
    return entry.extents[size->extent];
  Value value;
  for (size_t p = 0; p < entry.signature.parameters.size(); ++p)
    if (const abi::Parameter &parameter = entry.signature.parameters[p];
        parameter.tensor == id && parameter.kind == abi::ParameterKind::ScalarValue)
      value = build.argument(argumentOf(p));
  if (!value)
    value = build.load(llvmType(build, tensor.type), entry.tensors[id].values);
  if (value.getType() == build.int64Type())
    return value;
  if (sema::isUnsigned(tensor.type))
    return mlir::LLVM::ZExtOp::create(build.ops(), build.int64Type(), value);
  return mlir::LLVM::SExtOp::create(build.ops(), build.int64Type(), value);
}

Value valueOf(Entry &entry, const sema::Amount &amount) {
  Value value = entry.build.constant(amount.number);
  for (const sema::Amount::Product &product : amount.products) {
    llvm::SmallVector<Value> scalars;
    for (sema::TensorId scalar : product.scalars)
      scalars.push_back(scalarIn(entry, scalar));
    value = addProduct(entry.build, value, product.factor, scalars);
  }
  return value;
}

/// What of a tie is read.
struct Reads {
  bool any = false, pointers = false, values = false;
};

constexpr Reads kAll{true, true, true};

/// Whether what a tensor holds are the indices of the tie as they are, where its elements are one after the other: each
/// row has one, in order, as wide.
bool lendsIndices(const Entry &entry, const sema::Tensor &tensor) {
  const sema::Tie &tie = *tensor.as<sema::Tie>();
  if (!tie.source || !tie.isChecked || tensor.order() == 1)
    return false;
  const sema::Tensor &source = entry.kernel.tensors[*tie.source];
  return source.format.sameStorage(format::denseFormat(source.order())) &&
         8 * sema::bytesOf(source.type) == format::bits(tensor.format.indices);
}

/// The runtime's description of a tie.
Value describeTie(Entry &entry, const sema::Tensor &tensor, const Reads &reads) {
  const sema::Tie &tie = *tensor.as<sema::Tie>();
  using runtime::TieSlot;
  EntryBuilder &build = entry.build;
  const Struct type = build.structOf<runtime::Tie>();
  const Value object = build.stack(type, 1);
  const auto set = [&](unsigned slot, Value value) { build.storeField(type, object, slot, value); };
  const std::vector<Value> *strides = tie.source ? &entry.tensors[*tie.source].strides : nullptr;
  for (int dim = 0; dim < tensor.order() - 1; ++dim)
    set(TieSlot::rowScales + static_cast<unsigned>(dim),
        strides ? (*strides)[static_cast<size_t>(dim)] : valueOf(entry, tie.rowScales[static_cast<size_t>(dim)]));
  if (tensor.order() == 1)
    set(TieSlot::rowScales, build.constant(0));
  set(TieSlot::columnScale, build.constant(tie.columnScale));
  set(TieSlot::constant, valueOf(entry, tie.constant));
  set(TieSlot::source, tie.source ? entry.tensors[*tie.source].values : build.null());
  const sema::ValueType held = tie.source ? entry.kernel.tensors[*tie.source].type : sema::ValueType::I64;
  set(TieSlot::sourceBytes, build.constant(tie.source ? sema::bytesOf(held) : 0));
  set(TieSlot::sourceIsSigned, build.constant(!sema::isUnsigned(held)));
  set(TieSlot::isChecked, build.constant(tie.isChecked));
  set(TieSlot::isOnce, build.constant(tie.isOnce));
  set(TieSlot::hasPointers, build.constant(reads.pointers));
  set(TieSlot::hasValues, build.constant(reads.values));
  set(TieSlot::lendsIndices, build.constant(lendsIndices(entry, tensor)));
  return object;
}

/// What bodies have arguments of; all, where one is divided into chunks by a tensor of these.
Reads readByBodies(Entry &entry, const std::set<std::string> &names) {
  const auto isNamed = [&](llvm::StringRef name) { return names.contains(name.str()); };
  Reads reads;
  for (auto body : entry.build.module().getOps<mlir::LLVM::LLVMFuncOp>()) {
    for (unsigned a = 0; !body.isExternal() && a < body.getNumArguments(); ++a)
      if (const dialect::BindAttr bind = dialect::bindOf(body, a); bind && isNamed(bind.getSymbol())) {
        reads.any = true;
        reads.pointers |= bind.getKind() == dialect::BindKind::Pointers;
        reads.values |= bind.getKind() == dialect::BindKind::Values;
      }
    const dialect::ChunksAttr chunks = dialect::chunksOf(body);
    if (chunks && (isNamed(chunks.getItems().getSymbol()) || isNamed(chunks.getRoot()) ||
                   llvm::any_of(chunks.getTensors(), isNamed)))
      return kAll;
  }
  return reads;
}

Reads readsOf(Entry &entry, sema::TensorId id) {
  const sema::Kernel &kernel = entry.kernel;
  const auto &tie = *kernel.tensors[id].as<sema::Tie>();
  const bool isOwner = llvm::any_of(kernel.tensors, [&](const sema::Tensor &tensor) {
    const auto *copy = tensor.as<sema::Converted>();
    return (copy && copy->source == id) || (tensor.shared() && tensor.shared()->owner == id);
  });
  // An assembly counts what those list that follow from arrays.
  const auto isAssembled = [](const sema::Tensor &tensor) { return tensor.isAssembled(); };
  if (isOwner || ((tie.source || kernel.tensors[id].order() != 2) && llvm::any_of(kernel.tensors, isAssembled)))
    return kAll;
  // Of steps with another one's body the tensors in place of which it reads this one.
  std::set<std::string> names{kernel.tensors[id].name};
  for (size_t k = 0; k < kernel.steps.size(); ++k) {
    if (!std::holds_alternative<sema::Statement>(kernel.steps[k]) &&
        !std::holds_alternative<sema::Copy>(kernel.steps[k]))
      return kAll;
    if (const std::optional<sema::LentBody> lent = sema::lentBody(kernel, k))
      for (const auto &[lenders, own] : lent->tensors)
        if (own == id)
          names.insert(kernel.tensors[lenders].name);
  }
  return readByBodies(entry, names);
}

} // namespace

bool isNeeded(Entry &entry, sema::TensorId id) {
  const auto &tie = *entry.kernel.tensors[id].as<sema::Tie>();
  return tie.isChecked || tie.isOnce || readsOf(entry, id).any;
}

TensorView tieWithoutLists(Entry &entry, const sema::Tensor &tensor) {
  TensorView view = emptyView(tensor.format);
  view.stored = tensor.order() == 2 ? entry.extents[tensor.extents[0]] : entry.build.constant(1);
  setCounts(entry.build, tensor.format, view);
  return view;
}

TensorView makeTie(Entry &entry, Memory &memory, sema::TensorId id) {
  EntryBuilder &build = entry.build;
  const sema::Tensor &tensor = entry.kernel.tensors[id];
  const sema::Tie &tie = *tensor.as<sema::Tie>();
  Descriptors descriptors(entry);
  const Value allocator = descriptors.allocator(memory);
  const Value made = descriptors.describe(tensor, {});
  const Reads reads = readsOf(entry, id);
  const Value status = build.call(runtime::functions::make_tie, {allocator, describeTie(entry, tensor, reads), made});
  Place place = descriptors.placeFor(tensor);
  if (const std::optional<sema::TensorId> wrong = tie.source ? tie.source : tie.indexed) {
    const Place own = placeOf(entry, entry.kernel.tensors[*wrong]);
    place.name = own.name;
    place.argument = own.argument;
  }
  build.failUnlessOk(status, place);
  TensorView view = descriptors.readPacked(tensor, made);
  if (tensor.order() == 1)
    view.strides = {build.constant(1)};
  if (lendsIndices(entry, tensor))
    memory.releaseAtExit(view.indices.back(), build.differ(view.indices.back(), entry.tensors[*tie.source].values));
  else
    memory.releaseAtExit(view.indices.back());
  if (reads.pointers && view.pointers.back())
    memory.releaseAtExit(view.pointers.back());
  if (reads.values)
    memory.releaseAtExit(view.values);
  return view;
}

} // namespace spc::entry
