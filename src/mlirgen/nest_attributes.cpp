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
  for (auto [loop, place] : llvm::zip_equal(term.loops, places))
    if (place >= 0 && loop.part != format::Part::Difference)
      sums[llvm::StringRef(loop.variable).split(' ').first.str()][place] =
          loop.part == format::Part::Quotient ? loop.block : 1;
  for (auto [loop, place] : llvm::zip_equal(term.loops, places)) {
    if (place < 0 || loop.part != format::Part::Difference)
      continue;
    const auto [first, rest] = llvm::StringRef(loop.variable).split(" - ");
    const std::string column = first.str(), row = rest.str(); // one has loops, and the other follows
    const bool hasColumn = sums.contains(column);
    if (!hasColumn && !sums.contains(row))
      continue;
    std::map<int, int64_t> other = sums[hasColumn ? column : row];
    other[place] = hasColumn ? -1 : 1;
    sums.emplace(hasColumn ? row : column, std::move(other));
  }
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
