#include "mlirgen/loop_names.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>

namespace spc::mlirgen {
namespace {

/// By variable: the loops whose coordinates it is the sum of, by place, and what these are multiplied by.
using LoopSums = std::map<std::string, std::map<int, int64_t>>;

/// The variables of the term whose loops all have a place.
LoopSums loopSums(const sema::Term &term, llvm::ArrayRef<int> places) {
  LoopSums sums;
  llvm::SmallVector<std::pair<std::string, std::string>> differences; ///< j and i, where a loop is over j - i
  for (auto [loop, place] : llvm::zip_equal(term.loops, places)) {
    const auto [variable, rest] = llvm::StringRef(loop.variable).split(' ');
    if (place < 0)
      continue;
    sums[variable.str()][place] = loop.part == format::Part::Quotient ? loop.block : 1;
    if (loop.part == format::Part::Difference)
      differences.emplace_back(variable.str(), rest.substr(2).str());
  }
  for (const auto &[variable, other] : differences)
    sums[variable].insert(sums[other].begin(), sums[other].end());
  return sums;
}

} // namespace

mlir::Location withLoopNames(mlir::Location location, const sema::Term &term, llvm::ArrayRef<int> places) {
  mlir::Builder builder(location.getContext());
  llvm::SmallVector<llvm::SmallVector<mlir::Attribute>> ofLoops(
      llvm::count_if(places, [](int place) { return place >= 0; }));
  for (const auto &[variable, parts] : loopSums(term, places))
    for (auto [place, scale] : parts)
      ofLoops[place].push_back(builder.getArrayAttr({builder.getStringAttr(variable), builder.getI64IntegerAttr(scale),
                                                     builder.getI64IntegerAttr(static_cast<int64_t>(parts.size()))}));
  llvm::SmallVector<mlir::Attribute> loops;
  for (llvm::ArrayRef<mlir::Attribute> variables : ofLoops)
    loops.push_back(builder.getArrayAttr(variables));
  return mlir::FusedLoc::get(builder.getContext(), {location}, builder.getArrayAttr(loops));
}

} // namespace spc::mlirgen
