#include "entry/ties.h"

#include "entry/descriptors.h"
#include "entry/places.h"

using mlir::Value;

namespace spc::entry {
namespace {

/// The runtime's description of a tie.
Value describeTie(Entry &entry, const sema::Tensor &tensor) {
  const sema::Tie &tie = *tensor.as<sema::Tie>();
  using runtime::TieSlot;
  EntryBuilder &build = entry.build;
  const Struct type = build.structOf<runtime::Tie>();
  const Value object = build.stack(type, 1);
  const auto set = [&](unsigned slot, Value value) { build.storeField(type, object, slot, value); };
  const std::vector<Value> *strides = tie.source ? &entry.tensors[*tie.source].strides : nullptr;
  for (int dim = 0; dim < tensor.order() - 1; ++dim)
    set(TieSlot::rowScales + static_cast<unsigned>(dim),
        strides ? (*strides)[static_cast<size_t>(dim)] : build.constant(tie.rowScales[static_cast<size_t>(dim)]));
  if (tensor.order() == 1)
    set(TieSlot::rowScales, build.constant(0));
  set(TieSlot::columnScale, build.constant(tie.columnScale));
  set(TieSlot::constant, build.constant(tie.constant));
  set(TieSlot::source, tie.source ? entry.tensors[*tie.source].values : build.null());
  const sema::ValueType held = tie.source ? entry.kernel.tensors[*tie.source].type : sema::ValueType::I64;
  set(TieSlot::sourceBytes, build.constant(tie.source ? sema::bytesOf(held) : 0));
  set(TieSlot::sourceIsSigned, build.constant(!sema::isUnsigned(held)));
  set(TieSlot::isChecked, build.constant(tie.isChecked));
  return object;
}

} // namespace

TensorView makeTie(Entry &entry, Memory &memory, const sema::Tensor &tensor) {
  EntryBuilder &build = entry.build;
  const sema::Tie &tie = *tensor.as<sema::Tie>();
  Descriptors descriptors(entry);
  const Value allocator = descriptors.allocator(memory);
  const Value made = descriptors.describe(tensor, {});
  const Value status = build.call(runtime::functions::make_tie, {allocator, describeTie(entry, tensor), made});
  Place place = descriptors.placeFor(tensor);
  if (tie.source)
    place.name = placeOf(entry, entry.kernel.tensors[*tie.source]).name;
  build.failUnlessOk(status, place);
  TensorView view = descriptors.readPacked(tensor, made);
  if (tensor.order() == 1)
    view.strides = {build.constant(1)};
  memory.releaseAtExit(view);
  return view;
}

} // namespace spc::entry
