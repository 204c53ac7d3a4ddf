#include "entry/checked.h"

#include "entry/descriptors.h"
#include "entry/places.h"
#include "format/levels.h"

using mlir::Value;

namespace spc::entry {
namespace {

using runtime::RegionSlot;

/// The memory of a call's arguments.
class Regions {
public:
  explicit Regions(Entry &entry) : entry_(entry), build_(entry.build), type_(build_.structOf<runtime::Region>()) {}

  void add(Value first, int64_t bytes, Value count, bool isWritten) {
    regions_.push_back({first, bytes, isWritten, {count}, {build_.constant(1)}});
  }

  void addObjects() {
    for (size_t p = 0; p < entry_.signature.parameters.size(); ++p) {
      const abi::Parameter &parameter = entry_.signature.parameters[p];
      const Value pointer = build_.argument(argumentOf(p));
      if (parameter.kind == abi::ParameterKind::ScalarPointer)
        add(pointer, sema::bytesOf(parameter.value), build_.constant(1), parameter.isWritten);
      else if (parameter.kind == abi::ParameterKind::Tensor)
        add(pointer, 8, build_.constant(static_cast<int64_t>(parameter.type.fields.size())),
            parameter.fillsStructure || parameter.isAssembled);
    }
  }

  void addArrays(const TensorArgument &argument) {
    const abi::Parameter &parameter = argument.parameter;
    const sema::Tensor &tensor = entry_.kernel.tensors[parameter.tensor];
    const bool isNumeric = entry_.phase == runtime::Phase::Numeric;
    if (parameter.isAssembled && !argument.givesStructure)
      return;
    const TensorView &view = entry_.tensors[parameter.tensor];
    const int64_t bytes = sema::bytesOf(tensor.type);
    const bool isWritten = parameter.isWritten && (!parameter.isAssembled || isNumeric);
    if (tensor.format.isDense())
      return addDense(argument, bytes, isWritten);
    // The symbolic phase neither reads nor writes values.
    if (entry_.phase != runtime::Phase::Symbolic)
      add(argument.passed.values, bytes, view.stored, isWritten);
    if (argument.givesStructure)
      addStructure(argument, tensor.format);
  }

  void check() {
    const Value array = build_.stack(type_, static_cast<int64_t>(regions_.size()));
    for (size_t r = 0; r < regions_.size(); ++r)
      store(regions_[r], build_.element(type_, array, static_cast<int64_t>(r)));
    const Value count = build_.constant(static_cast<int64_t>(regions_.size()));
    build_.failUnlessOk(build_.call(runtime::functions::check_overlaps, {array, count}));
  }

private:
  struct Region {
    Value first;
    int64_t bytes;
    bool isWritten;
    std::vector<Value> extents, strides;
  };

  void addDense(const TensorArgument &argument, int64_t bytes, bool isWritten) {
    std::vector<Value> strides = argument.passed.strides;
    if (strides.size() > 1)
      strides[static_cast<size_t>(argument.parameter.type.format.levels.back().dim)] = build_.constant(1);
    regions_.push_back({argument.passed.values, bytes, isWritten, argument.passed.sizes, strides});
  }

  void addStructure(const TensorArgument &argument, const format::Format &format) {
    const TensorView &passed = argument.passed;
    const int64_t pointerBytes = format::bits(format.pointers) / 8, indexBytes = format::bits(format.indices) / 8;
    for (size_t k = 0; k < format.levels.size(); ++k) {
      if (passed.pointers[k])
        add(passed.pointers[k], pointerBytes, build_.add(argument.entries[k], build_.constant(1)), false);
      if (passed.lengths[k])
        add(passed.lengths[k], pointerBytes, argument.entries[k], false);
      if (passed.indices[k])
        add(passed.indices[k], indexBytes, argument.entries[k + 1], false);
    }
    if (passed.entries) // interleaved: an element for each listed level
      add(passed.entries, indexBytes * (format.levelCount() - format.firstListed()), argument.entries.back(), false);
  }

  void store(const Region &region, Value object) {
    const auto set = [&](unsigned slot, Value value) { build_.storeField(type_, object, slot, value); };
    set(RegionSlot::first, region.first);
    set(RegionSlot::bytes, build_.constant(region.bytes));
    set(RegionSlot::isWritten, build_.constant(region.isWritten));
    set(RegionSlot::order, build_.constant(static_cast<int64_t>(region.extents.size())));
    for (unsigned d = 0; d < region.extents.size(); ++d) {
      set(RegionSlot::extents + d, region.extents[d]);
      set(RegionSlot::strides + d, region.strides[d]);
    }
  }

  Entry &entry_;
  EntryBuilder &build_;
  Struct type_;
  std::vector<Region> regions_;
};

/// The elements of a dense output do not share places.
void checkOutputStrides(Entry &entry, const TensorArgument &argument) {
  const format::Format &format = argument.parameter.type.format;
  if (!format.isDense() || !argument.parameter.isWritten || !argument.hasStruct() || format.order() < 2)
    return;
  EntryBuilder &build = entry.build;
  const auto arrayOf = [&](const std::vector<Value> &numbers) {
    const Value array = build.stack(build.int64Type(), static_cast<int64_t>(numbers.size()));
    for (size_t d = 0; d < numbers.size(); ++d)
      build.store(numbers[d], build.element(build.int64Type(), array, static_cast<int64_t>(d)));
    return array;
  };
  const Value shape = arrayOf(argument.passed.sizes), strides = arrayOf(argument.passed.strides);
  const Value order = build.constant(format.order()), inner = build.constant(format.levels.back().dim);
  build.failUnlessOk(build.call(runtime::functions::check_strides, {shape, strides, order, inner}),
                     placeOf(entry, argument.parameter));
}

} // namespace

void checkMemory(Entry &entry) {
  for (const TensorArgument &argument : entry.arguments)
    checkOutputStrides(entry, argument);
  Regions regions(entry);
  regions.addObjects();
  for (const TensorArgument &argument : entry.arguments)
    regions.addArrays(argument);
  regions.check();
}

void checkContents(Entry &entry) {
  EntryBuilder &build = entry.build;
  Descriptors descriptors(entry);
  const Value workers = descriptors.workers();
  for (const TensorArgument &argument : entry.arguments) {
    const sema::Tensor &tensor = entry.kernel.tensors[argument.parameter.tensor];
    if (tensor.format.isDense() || !argument.givesStructure)
      continue;
    const Value object = descriptors.describe(tensor, entry.tensors[argument.parameter.tensor]);
    const Value isSymmetric = build.constant(tensor.format.symmetry != format::Symmetry::None);
    build.failUnlessOk(build.call(runtime::functions::check_structure, {workers, object, isSymmetric}),
                       placeOf(entry, argument.parameter));
  }
}

} // namespace spc::entry
