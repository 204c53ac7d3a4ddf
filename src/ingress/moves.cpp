// What moves elements: conversions, slices, concatenations, reshapes.
#include "ingress/encodings.h"
#include "ingress/raiser.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace spc::ingress {

namespace sparse = mlir::sparse_tensor;
namespace tensor = mlir::tensor;
using language::BinaryOp;
using language::Function;
using syntax::ExprPtr;

namespace {

/// `i >= low and i < high`, for one index.
ExprPtr between(const Maker &make, const std::string &loop, int64_t low, int64_t high) {
  return make.call(Function::And, make.call(Function::GreaterEqual, make.name(loop), make.integer(low)),
                   make.call(Function::Less, make.name(loop), make.integer(high)));
}

} // namespace

bool Raiser::readMove(mlir::Operation *operation) {
  if (auto convert = mlir::dyn_cast<sparse::ConvertOp>(operation))
    readConvert(operation, convert.getSource(), convert.getResult());
  else if (auto ordered = mlir::dyn_cast<sparse::ReorderCOOOp>(operation))
    readConvert(operation, ordered.getInputCoo(), ordered.getResultCoo());
  else if (auto loaded = mlir::dyn_cast<sparse::LoadOp>(operation))
    readConvert(operation, loaded.getTensor(), loaded.getResult());
  else if (auto parts = mlir::dyn_cast<sparse::ConcatenateOp>(operation))
    readConcatenation(operation, parts.getInputs(), parts.getDimension(), parts.getResult());
  else if (auto others = mlir::dyn_cast<tensor::ConcatOp>(operation))
    readConcatenation(operation, others.getInputs(), others.getDim(), others.getResult());
  else if (auto slice = mlir::dyn_cast<tensor::ExtractSliceOp>(operation))
    readExtractSlice(slice);
  else if (auto inserted = mlir::dyn_cast<tensor::InsertSliceOp>(operation))
    readInsertSlice(inserted);
  else if (auto pad = mlir::dyn_cast<tensor::PadOp>(operation))
    readPad(pad);
  else if (auto elements = mlir::dyn_cast<tensor::FromElementsOp>(operation))
    readElements(elements);
  else if (auto collapse = mlir::dyn_cast<tensor::CollapseShapeOp>(operation))
    readReshape(operation, collapse.getSrc(), collapse.getResult(), collapse.getReassociationIndices(), true);
  else if (auto expand = mlir::dyn_cast<tensor::ExpandShapeOp>(operation))
    readReshape(operation, expand.getSrc(), expand.getResult(), expand.getReassociationIndices(), false);
  else
    return false;
  return true;
}

Indices Raiser::plain(mlir::Operation *operation, const std::vector<std::string> &loops) const {
  Indices indices;
  for (const std::string &loop : loops)
    indices.push_back(maker(operation).index(loop));
  return indices;
}

void Raiser::readConvert(mlir::Operation *operation, mlir::Value from, mlir::Value to) {
  const Held *source = find(operation, from);
  if (!source)
    return;
  const Held held = source->copy();
  const bool isSame = sparse::getSparseTensorEncoding(from.getType()) == sparse::getSparseTensorEncoding(to.getType());
  if (held.kind == Held::Kind::Empty || isSame) {
    Held moved = held.copy();
    moved.listsEntries = listsEntries(to.getType());
    held_[to] = std::move(moved);
    return;
  }
  // A constant is stored as it is wanted.
  const auto constant = constants_.find(held.name);
  if (held.kind == Held::Kind::Stored && constant != constants_.end() && !returned_.count(to)) {
    const Span where = places_.of(operation);
    const std::string name = freshName("literal");
    declare(name, to.getType(), held.extents, where, listsEntries(to.getType()));
    kernel_.tree.declarations.back().constant = constant->second;
    bind(name, to.getType(), operation);
    constants_[name] = constant->second;
    held_[to] = {Held::Kind::Stored, name, nullptr, held.extents, listsEntries(to.getType())};
    return;
  }
  const Indices indices = plain(operation, loopNames(held.extents.size()));
  Element value = element(operation, held, indices);
  if (listsEntries(to.getType()) && !held.listsEntries) { // zeros are no entries
    const Maker make = maker(operation);
    ExprPtr isEntry = make.call(Function::NotEqual, clone(value.value), make.number(0));
    value.value = make.call(Function::Where, std::move(isEntry), std::move(value.value));
  }
  addStatement(operation, to, held.extents, indices, std::move(value));
}

void Raiser::readConcatenation(mlir::Operation *operation, mlir::ValueRange parts, int64_t dimension, mlir::Value to) {
  const Maker make = maker(operation);
  const std::vector<std::string> loops = loopNames(mlir::cast<mlir::RankedTensorType>(to.getType()).getRank());
  std::vector<language::ExtentDecl> extents;
  language::ExtentSum offset;
  ExprPtr value;
  for (mlir::Value part : parts) {
    const Held *held = find(operation, part);
    if (!held)
      return;
    if (held->kind != Held::Kind::Stored) {
      refuse(kModuleOperation, operation, "a concatenation of what is no stored tensor");
      return;
    }
    if (extents.empty())
      extents = held->extents;
    Indices indices = plain(operation, loops);
    addSize(indices[dimension], offset, -1, make.where());
    indices[dimension] = settled(std::move(indices[dimension]), make.where());
    syntax::ExprPtr one = make.padded(held->name, std::move(indices));
    value = value ? make.binary(BinaryOp::Add, std::move(value), std::move(one)) : std::move(one);
    addTo(offset, held->extents[dimension]);
  }
  if (!value)
    return;
  extents[dimension] = extentFrom(offset, make.where());
  addStatement(operation, to, std::move(extents), plain(operation, loops), {std::move(value), nullptr});
}

void Raiser::readExtractSlice(tensor::ExtractSliceOp slice) {
  const Maker make = maker(slice);
  const Held *held = find(slice, slice.getSource());
  if (!held)
    return;
  const llvm::SmallBitVector dropped = slice.getDroppedDims();
  const auto offsets = slice.getMixedOffsets(), sizes = slice.getMixedSizes(), strides = slice.getMixedStrides();
  const std::vector<std::string> loops = loopNames(slice.getType().getRank());
  Indices indices;
  std::vector<language::ExtentDecl> extents;
  for (size_t dim = 0; dim < offsets.size(); ++dim) {
    language::Index index;
    const std::optional<int64_t> stride = mlir::getConstantIntValue(strides[dim]);
    const std::optional<language::ExtentSum> offset = sumOf(offsets[dim]);
    if (!stride || !offset) {
      refuse(kModuleSize, slice, "a slice whose strides, or whose offsets, are computed");
      return;
    }
    addSize(index, *offset, 1, make.where());
    if (!dropped.test(dim)) {
      index.terms.push_back({make.named(loops[extents.size()]), *stride, {}});
      extents.push_back(extentOf(sizes[dim], slice));
    }
    indices.push_back(settled(std::move(index), make.where()));
  }
  // A part that begins at the tensor's beginning has plain indices, which run over less than the whole.
  const bool isStored = held->kind == Held::Kind::Stored;
  ExprPtr value =
      isStored ? make.padded(held->name, std::move(indices)) : element(slice, *held, std::move(indices)).value;
  addStatement(slice, slice.getResult(), std::move(extents), plain(slice, loops), {std::move(value), nullptr});
}

void Raiser::readInsertSlice(tensor::InsertSliceOp slice) {
  const Maker make = maker(slice);
  const Held *part = find(slice, slice.getSource()), *whole = find(slice, slice.getDest());
  if (!part || !whole)
    return;
  const llvm::SmallBitVector dropped = slice.getDroppedDims();
  const std::vector<std::string> loops = loopNames(whole->extents.size());
  Indices within;
  ExprPtr inside = make.truth(true);
  for (size_t dim = 0; dim < loops.size(); ++dim) {
    const auto offset = mlir::getConstantIntValue(slice.getMixedOffsets()[dim]),
               size = mlir::getConstantIntValue(slice.getMixedSizes()[dim]),
               stride = mlir::getConstantIntValue(slice.getMixedStrides()[dim]);
    if (!offset || !size || stride != 1) {
      refuse(kModuleSize, slice, "a slice that is inserted at offsets that are computed, or with strides");
      return;
    }
    ExprPtr here = between(make, loops[dim], *offset, *offset + *size);
    inside = dim == 0 ? std::move(here) : make.call(Function::And, std::move(inside), std::move(here));
    if (dropped.test(dim))
      continue;
    language::Index index = make.index(loops[dim]);
    index.constant -= *offset;
    within.push_back(settled(std::move(index), make.where()));
  }
  const std::vector<language::ExtentDecl> extents = whole->extents;
  Element outside = element(slice, *whole, plain(slice, loops));
  ExprPtr moved = part->kind == Held::Kind::Stored ? make.padded(part->name, std::move(within))
                                                   : element(slice, *part, std::move(within)).value;
  addStatement(slice, slice.getResult(), extents, plain(slice, loops),
               {make.call(Function::Select, std::move(inside), std::move(moved), std::move(outside.value)), nullptr});
}

void Raiser::readPad(tensor::PadOp pad) {
  const Maker make = maker(pad);
  const Held *held = find(pad, pad.getSource());
  const mlir::Value filling = pad.getConstantPaddingValue();
  if (!held)
    return;
  const std::vector<std::string> loops = loopNames(held->extents.size());
  const std::vector<language::ExtentDecl> inner = held->extents;
  std::vector<language::ExtentDecl> extents;
  Indices within;
  ExprPtr inside = make.truth(true);
  for (size_t dim = 0; dim < loops.size(); ++dim) {
    const auto low = mlir::getConstantIntValue(pad.getMixedLowPad()[dim]),
               high = mlir::getConstantIntValue(pad.getMixedHighPad()[dim]);
    if (!filling || !low || !high || held->kind != Held::Kind::Stored) {
      refuse(kModuleSize, pad, "padding of widths, or with values, that are computed");
      return;
    }
    language::ExtentSum size{{}, *low + *high};
    addTo(size, inner[dim]);
    extents.push_back(extentFrom(size, make.where()));
    ExprPtr here = make.call(Function::GreaterEqual, make.name(loops[dim]), make.integer(*low));
    language::ExtentSum end{{}, *low};
    addTo(end, inner[dim]);
    here = make.call(Function::And, std::move(here),
                     make.call(Function::Less, make.name(loops[dim]), sizeExpr(make, end)));
    inside = dim == 0 ? std::move(here) : make.call(Function::And, std::move(inside), std::move(here));
    language::Index index = make.index(loops[dim]);
    index.constant -= *low;
    within.push_back(settled(std::move(index), make.where()));
  }
  ExprPtr value = make.padded(held->name, std::move(within));
  ExprPtr around = scalar(pad, filling);
  if (!isNumber(*around, 0))
    value = make.call(Function::Select, std::move(inside), std::move(value), std::move(around));
  addStatement(pad, pad.getResult(), std::move(extents), plain(pad, loops), {std::move(value), nullptr});
}

void Raiser::readElements(tensor::FromElementsOp elements) {
  constexpr size_t kMost = 256;
  const Maker make = maker(elements);
  const size_t count = elements.getElements().size();
  if (count == 0 || count > kMost) {
    refuse(kModuleSize, elements, "a tensor of no elements that are listed, or of more than 256");
    return;
  }
  const std::vector<std::string> loops = loopNames(elements.getType().getRank());
  ExprPtr value = scalar(elements, elements.getElements().back());
  for (size_t k = count - 1; k-- > 0;) {
    ExprPtr here;
    int64_t rest = static_cast<int64_t>(k);
    for (size_t dim = loops.size(); dim-- > 0;) {
      const int64_t size = elements.getType().getDimSize(dim);
      ExprPtr same = make.call(Function::Equal, make.name(loops[dim]), make.integer(rest % size));
      here = here ? make.call(Function::And, std::move(same), std::move(here)) : std::move(same);
      rest /= size;
    }
    value = make.call(Function::Select, std::move(here), scalar(elements, elements.getElements()[k]), std::move(value));
  }
  addStatement(elements, elements.getResult(), extentsOf(elements.getType(), {}), plain(elements, loops),
               {std::move(value), nullptr});
}

std::vector<language::ExtentDecl> Raiser::expandedSizes(tensor::ExpandShapeOp expand,
                                                        const std::vector<language::ExtentDecl> &from) {
  const auto sizes = expand.getMixedOutputShape();
  std::vector<language::ExtentDecl> to(sizes.size(), {int64_t(0), places_.of(expand)});
  for (auto [k, group] : llvm::enumerate(expand.getReassociationIndices())) {
    language::ExtentSum known{{}, 1};
    std::optional<int64_t> open; // what is left of the whole, as a division says
    for (int64_t dim : group)
      if (!open && !sumOf(sizes[dim]) && std::holds_alternative<std::string>(from[k].value)) {
        open = dim;
      } else {
        to[dim] = extentOf(sizes[dim], expand);
        multiply(known, to[dim]);
      }
    if (open) {
      to[*open].value = freshName(std::get<std::string>(from[k].value) + "_" + std::to_string(*open));
      multiply(known, to[*open]);
    }
    same_.divide(from[k], known);
  }
  return to;
}

void Raiser::readReshape(mlir::Operation *operation, mlir::Value from, mlir::Value to,
                         llvm::ArrayRef<mlir::ReassociationIndices> groups, bool collapses) {
  const Maker make = maker(operation);
  const Held *held = find(operation, from);
  if (!held)
    return;
  std::vector<language::ExtentDecl> large = held->extents, small;
  if (auto expand = mlir::dyn_cast<tensor::ExpandShapeOp>(operation))
    large = expandedSizes(expand, held->extents);
  // The index of a group is that of its place, row by row.
  const std::vector<std::string> loops = loopNames(large.size());
  Indices grouped;
  for (const mlir::ReassociationIndices &group : groups) {
    language::Index index;
    language::ExtentSum stride{{}, 1};
    for (int64_t dim : llvm::reverse(group)) {
      addProduct(index, stride, loops[dim], make.where());
      multiply(stride, large[dim]);
    }
    std::reverse(index.terms.begin(), index.terms.end());
    grouped.push_back(settled(std::move(index), make.where()));
    small.push_back(extentFrom(stride, make.where()));
  }
  if (groups.empty() && collapses) // to a scalar: all extents are 1
    for (size_t dim = 0; dim < loops.size(); ++dim)
      large[dim] = {int64_t(1), make.where()};
  std::vector<language::ExtentDecl> extents = collapses ? small : large;
  if (held->kind != Held::Kind::Stored) {
    held_[to] = {held->kind, "", clone(held->number), std::move(extents), listsEntries(to.getType())};
    return;
  }
  if (groups.empty()) {
    Indices zeros(loops.size());
    for (language::Index &zero : zeros)
      zero = settled({}, make.where());
    addStatement(operation, to, std::move(extents), collapses ? Indices{} : plain(operation, loops),
                 collapses ? element(operation, *held, std::move(zeros)) : element(operation, *held, {}));
    return;
  }
  Element value = element(operation, *held, collapses ? plain(operation, loops) : grouped);
  value.domain = nullptr;
  addStatement(operation, to, std::move(extents), collapses ? grouped : plain(operation, loops), std::move(value));
}

} // namespace spc::ingress
