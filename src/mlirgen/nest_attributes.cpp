#include "mlirgen/nest_attributes.h"

#include "sema/nest.h"

#include "mlir/IR/Builders.h"

#include <map>
#include <string>

namespace spc::mlirgen {
namespace {

/// By variable: the loops whose coordinates it is the sum of, by place, and what these are multiplied by.
using LoopSums = std::map<std::string, std::map<size_t, int64_t>>;

/// The variables of a term whose loops all are in its nest.
LoopSums loopSums(const sema::Term &term, const std::vector<sema::NestLoop> &loops) {
  LoopSums sums;
  for (auto [place, one] : llvm::enumerate(loops))
    if (const sema::Loop &loop = term.loops[one.loop]; loop.part != format::Part::Difference)
      sums[llvm::StringRef(loop.variable).split(' ').first.str()][place] =
          loop.part == format::Part::Quotient ? loop.block : 1;
  for (auto [place, one] : llvm::enumerate(loops)) {
    const sema::Loop &loop = term.loops[one.loop];
    if (loop.part != format::Part::Difference)
      continue;
    const auto [first, rest] = llvm::StringRef(loop.variable).split(" - ");
    const std::string column = first.str(), row = rest.str(); // one has loops, and the other follows
    const bool hasColumn = sums.contains(column);
    if (!hasColumn && !sums.contains(row))
      continue;
    std::map<size_t, int64_t> other = sums[hasColumn ? column : row];
    other[place] = hasColumn ? -1 : 1;
    sums.emplace(hasColumn ? row : column, std::move(other));
  }
  return sums;
}

/// Null of what is no coordinate of a variable, and no block of them.
dialect::ExtentAttr extentOf(const sema::Kernel &kernel, const sema::Loop &loop, mlir::MLIRContext &context) {
  const bool isBlock = loop.part == format::Part::Quotient;
  if (loop.part != format::Part::Whole && !isBlock)
    return {};
  return dialect::ExtentAttr::get(&context, kernel.extents[loop.extent].name, isBlock ? loop.block : 1);
}

dialect::NestAttr nestAttribute(const sema::Kernel &kernel, const sema::Term &term,
                                const std::vector<sema::NestLoop> &nest, mlir::MLIRContext &context) {
  mlir::Builder builder(&context);
  llvm::SmallVector<llvm::SmallVector<mlir::Attribute>> variables(nest.size());
  for (const auto &[variable, parts] : loopSums(term, nest))
    for (auto [place, scale] : parts)
      variables[place].push_back(
          builder.getArrayAttr({builder.getStringAttr(variable), builder.getI64IntegerAttr(scale),
                                builder.getI64IntegerAttr(static_cast<int64_t>(parts.size()))}));
  llvm::SmallVector<dialect::LoopAttr> loops;
  for (auto [place, one] : llvm::enumerate(nest)) {
    llvm::SmallVector<mlir::StringAttr> lists;
    for (const sema::OperandId operand : one.lists)
      lists.push_back(builder.getStringAttr(kernel.tensors[term.operands[operand].tensor].name));
    const sema::Loop &loop = term.loops[one.loop];
    loops.push_back(dialect::LoopAttr::get(&context, builder.getArrayAttr(variables[place]),
                                           extentOf(kernel, loop, context), lists, one.isBeyond, loop.isReduction,
                                           one.isRow, one.isDivided));
  }
  llvm::SmallVector<dialect::ExtentAttr> emptyWith;
  for (const sema::ExtentId extent : term.emptyWith)
    emptyWith.push_back(dialect::ExtentAttr::get(&context, kernel.extents[extent].name, 1));
  return dialect::NestAttr::get(&context, loops, term.scalesRows, emptyWith, term.overwrites && !emptyWith.empty());
}

} // namespace

llvm::SmallVector<dialect::NestAttr> nestAttributes(const sema::Kernel &kernel, const sema::Statement &statement,
                                                    mlir::MLIRContext &context) {
  const sema::Division division = sema::divisionOf(kernel, statement);
  llvm::SmallVector<dialect::NestAttr> nests;
  for (const sema::Term &term : statement.terms)
    nests.push_back(nestAttribute(kernel, term, sema::nestOf(kernel, statement, term, division), context));
  return nests;
}

dialect::PlaceAttr placeAttribute(const sema::Statement &statement, const sema::Term &term, int loop,
                                  mlir::MLIRContext *context) {
  return dialect::PlaceAttr::get(context, &term - statement.terms.data(), loop);
}

} // namespace spc::mlirgen
