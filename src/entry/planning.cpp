#include "entry/planning.h"
#include "sema/two_phases.h"

#include "llvm/Support/xxhash.h"

using mlir::Value;

namespace spc::entry {

using runtime::Phase;
using runtime::PlanningSlot;
namespace functions = runtime::functions;

Value hasPlan(Entry &entry) {
  EntryBuilder &build = entry.build;
  const Value isPassed = build.negate(build.isNull(entry.plan));
  if (entry.phase == Phase::Symbolic)
    return isPassed;
  const Struct type = build.structOf<runtime::Plan>();
  const auto memory = [&] { return build.loadField(type, entry.plan, runtime::PlanSlot::memory); };
  return build.negate(build.isNull(build.computeIf(isPassed, memory, build.null())));
}

/// Whether fingerprints are of all that index arrays hold. Conversions and sums by plan write nothing outside of the
/// result whatever operands hold, and take no longer than that would.
static bool looksAtAll(const sema::Kernel &kernel) {
  const sema::Statement *assembly = sema::assemblingStatement(kernel.steps.front());
  return kernel.checked || (assembly && sema::mergePlan(kernel, *assembly) != sema::MergePlan::Places);
}

/// The tensors whose structures the caller passes, described.
static llvm::SmallVector<Value> structuresOf(Entry &entry, Descriptors &descriptors) {
  llvm::SmallVector<Value> structures;
  for (const abi::Parameter &parameter : entry.signature.parameters) {
    const bool givesStructure = parameter.kind == abi::ParameterKind::Tensor &&
                                !entry.kernel.tensors[parameter.tensor].format.isDense() && !parameter.isAssembled &&
                                !parameter.fillsStructure;
    if (givesStructure)
      structures.push_back(descriptors.describeOnce(parameter.tensor));
  }
  return structures;
}

/// Of all that decides the pattern, and of the kernel.
static Value fingerprint(Entry &entry, llvm::ArrayRef<Value> structures) {
  EntryBuilder &build = entry.build;
  const std::string symbol = entry.signature.symbol();
  Value print = build.constant(static_cast<int64_t>(llvm::xxh3_64bits(symbol)));
  for (const Value structure : structures)
    print = build.call(functions::fingerprint, {structure, print, build.constant(looksAtAll(entry.kernel))});
  // What runs over an extent alone is in no structure.
  constexpr int64_t factor = 0x2545f4914f6cdd1d;
  for (const Value extent : entry.extents)
    print = build.multiply(build.add(print, extent), build.constant(factor));
  return print;
}

Value describePlanning(Entry &entry, Descriptors &descriptors) {
  EntryBuilder &build = entry.build;
  if (entry.phase == Phase::Assemble)
    return build.null();
  const Struct type = build.structOf<runtime::Planning>();
  const Value object = build.stack(type, 1);
  const llvm::SmallVector<Value> structures = structuresOf(entry, descriptors);
  const auto ofPlan = [&] { return fingerprint(entry, structures); };
  const Value isThere = hasPlan(entry);
  build.storeField(type, object, PlanningSlot::isWhole, build.constant(looksAtAll(entry.kernel)));
  build.storeField(type, object, PlanningSlot::plan, build.select(isThere, entry.plan, build.null()));
  build.storeField(type, object, PlanningSlot::check, build.computeIf(isThere, ofPlan, build.constant(0)));
  return object;
}

} // namespace spc::entry
