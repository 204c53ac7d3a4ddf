#include "entry/copies.h"

#include "entry/alternatives.h"
#include "entry/checks.h"
#include "entry/constants.h"
#include "entry/counts.h"
#include "entry/descriptors.h"
#include "entry/places.h"
#include "entry/runtime_parts.h"
#include "format/levels.h"

#include <algorithm>

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

/// What the runtime makes of a copy's sources before it converts that: a list of coordinates, in any order.
sema::Tensor joinedList(const sema::Tensor &copy, format::Duplicates duplicates) {
  using format::Extent;
  using format::Storage;
  sema::Tensor list = copy;
  list.format.duplicates = duplicates;
  for (int dim = 0; dim < copy.order(); ++dim)
    list.format.levels[dim] = {.dim = dim,
                               .storage = Storage::Compressed,
                               .extent = dim == 0 ? Extent::Ragged : Extent::Fixed,
                               .unique = false,
                               .ordered = false};
  return list;
}

/// Whether the rows of a copy are looked up in what another tensor lists already, which it shares.
bool sharesList(const sema::Kernel &kernel, const sema::Tensor &copy) {
  return copy.format.levels.front().isFound &&
         format::listsRowsOf(kernel.tensors[copy.as<sema::Converted>()->source].format, copy.format);
}

/// Calls the runtime to make the copy that the descriptor `copy` describes; a status.
class Conversion {
public:
  Conversion(Entry &entry, Memory &memory, const sema::Tensor &tensor)
      : entry_(entry), build_(entry.build), descriptors_(entry), tensor_(tensor),
        allocator_(descriptors_.allocator(memory)),
        withValues_(build_.constant(entry.phase != runtime::Phase::Symbolic)) {}

  Value run(Value copy) {
    const auto &converted = *tensor_.as<sema::Converted>();
    const sema::Tensor &from = entry_.kernel.tensors[converted.source];
    const std::vector<sema::TensorId> parts = sema::partsOf(entry_.kernel, converted.source);
    const bool isSymmetric = from.format.symmetry != format::Symmetry::None;
    if (sharesList(entry_.kernel, tensor_))
      return build_.call(runtime::functions::find_rows,
                         {allocator_, descriptors_.describe(from, entry_.tensors[converted.source]), copy});
    const Value workers = descriptors_.workers();
    isHermitian_ = format::isHermitian(from.format.symmetry) && sema::isComplex(from.type);
    duplicates_ = from.format.duplicates;
    if (converted.isCanonical && (parts.size() > 1 || isSymmetric || format::hasPadding(from.format)))
      return build_.call(runtime::functions::convert_joined,
                         {allocator_, workers, sources(parts, isSymmetric), copy, withValues_});
    const Value source = descriptors_.describe(from, entry_.tensors[converted.source]);
    return build_.call(converter(from, converted.dropsPadding), {allocator_, workers, source, copy, withValues_});
  }

  /// Gives the described copy a table by which its rows are looked up; the table's address.
  Value addTable(Value copy) {
    table_ = build_.stack(kind_, 1);
    build_.storeField(kind_, table_, runtime::RowTableSlot::slots, build_.null());
    descriptors_.setTable(copy, table_);
    return table_;
  }

  /// What it is about where it fails.
  Place place() const { return descriptors_.placeFor(tensor_); }

private:
  Value sources(const std::vector<sema::TensorId> &parts, bool isSymmetric) {
    const Struct source = build_.structOf<runtime::Source>();
    // What pads one part of a sum may lie in another one, which has room for what the first has not.
    const bool isPadded = std::any_of(parts.begin(), parts.end(), [&](sema::TensorId part) {
      return format::hasPadding(entry_.kernel.tensors[part].format);
    });
    Value next = build_.null();
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      const sema::Tensor &tensor = entry_.kernel.tensors[*part];
      const Value object = build_.stack(source, 1);
      using runtime::SourceSlot;
      build_.storeField(source, object, SourceSlot::tensor, descriptors_.describe(tensor, entry_.tensors[*part]));
      build_.storeField(source, object, SourceSlot::dropsZeros, build_.constant(isPadded));
      build_.storeField(source, object, SourceSlot::isSymmetric, build_.constant(isSymmetric));
      build_.storeField(source, object, SourceSlot::isHermitian, build_.constant(isHermitian_));
      build_.storeField(source, object, SourceSlot::next, next);
      next = object;
    }
    const Struct sources = build_.structOf<runtime::Sources>();
    const Value object = build_.stack(sources, 1);
    build_.storeField(sources, object, runtime::SourcesSlot::first, next);
    build_.storeField(sources, object, runtime::SourcesSlot::convert,
                      build_.addressOf(&converter(joinedList(tensor_, duplicates_), false)));
    return object;
  }

  /// What converts to the copy. Whether the rows of one that are looked up are listed is decided in the call.
  const runtime::Function &converter(const sema::Tensor &from, bool dropsPadding) {
    const runtime::Function &plain = converterFor(from, tensor_, dropsPadding);
    if (!table_)
      return plain;
    const bool drops = dropsPadding && format::hasPadding(from.format);
    build_.storeField(kind_, table_, runtime::RowTableSlot::convert, build_.addressOf(&plain));
    build_.storeField(kind_, table_, runtime::RowTableSlot::dropsZeros, build_.constant(drops));
    return runtime::functions::convert_found;
  }

  Entry &entry_;
  EntryBuilder &build_;
  Descriptors descriptors_;
  const sema::Tensor &tensor_;
  Value allocator_, withValues_;
  Struct kind_ = build_.structOf<runtime::RowTable>();
  bool isHermitian_ = false;
  format::Duplicates duplicates_ = format::Duplicates::Sum; ///< of the source
  Value table_;                                             ///< null where no rows are looked up
};

} // namespace

TensorView copyConverted(Entry &entry, Memory &memory, const sema::Tensor &tensor) {
  EntryBuilder &build = entry.build;
  const sema::TensorId id(&tensor - entry.kernel.tensors.data());
  if (sema::isConstant(entry.kernel, id))
    return constantView(entry, id);
  Descriptors descriptors(entry);
  const Value copy = descriptors.describe(tensor, {});
  Conversion conversion(entry, memory, tensor);
  const Value table = tensor.format.levels.front().isFound ? conversion.addTable(copy) : Value();
  const Value used = isUsed(entry, tensor);
  const auto convert = [&] { return conversion.run(copy); };
  const Value isOk = build.int32Constant(static_cast<int32_t>(Status::Ok));
  const Value status = used ? build.computeIf(used, convert, isOk) : convert();
  build.failUnlessOk(status, conversion.place());
  TensorView view = descriptors.readPacked(tensor, copy);
  if (tensor.order() == 1)
    view.strides = {build.constant(1)};
  if (table) {
    const Value slots = build.loadField(build.structOf<runtime::RowTable>(), table, runtime::RowTableSlot::slots);
    view.rows = build.select(build.isNull(slots), build.null(), table);
    memory.releaseAtExit(slots);
  }
  if (sharesList(entry.kernel, tensor)) {
    memory.releaseAtExit(view.pointers[1]);
    return view;
  }
  memory.releaseAtExit(view);
  return view;
}

void scanLengths(Entry &entry, Memory &memory, const TensorArgument &argument) {
  EntryBuilder &build = entry.build;
  const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
  TensorView &view = entry.tensors[argument.parameter.tensor];
  if (!argument.givesStructure)
    return;
  const int64_t width = format::bits(tensor.format.pointers) / 8;
  for (size_t k = 0; k < tensor.format.levels.size(); ++k) {
    if (tensor.format.levels[k].extent != format::Extent::Lengths)
      continue;
    const Value parents = argument.entries[k];
    const Value count = LLVM::AddOp::create(build.ops(), parents, build.constant(1));
    const Value bytes = build.multiply(count, build.constant(width));
    const Value pointers =
        LLVM::CallOp::create(build.ops(), memory.allocator(), mlir::ValueRange{entry.context, bytes}).getResult();
    build.failIf(build.isNull(pointers), Status::Memory, placeOf(entry, tensor, bytes));
    memory.releaseAtExit(pointers);
    build.failUnlessOk(
        build.call(runtime::functions::scan, {view.lengths[k], pointers, build.constant(width), parents}),
        placeOf(entry, argument, abi::FieldRole::Lengths, k));
    view.pointers[k] = pointers;
    checkLastPointer(entry, argument, view, k);
  }
}

} // namespace spc::entry
