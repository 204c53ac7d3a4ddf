#include "driver/explain/draw_format.h"

#include "abi/header.h"
#include "abi/signature.h"
#include "tensor/pack/parts.h"
#include "tensor/tensor.h"

#include <algorithm>
#include <cstdio>

namespace spc::driver {

namespace {

constexpr size_t kMaxElements = 32;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

/// Large enough for a block in each dimension.
std::vector<int64_t> exampleShape(const format::Format &format) {
  const int order = format.order();
  std::vector<int64_t> shape(static_cast<size_t>(order), order == 1 ? 6 : order == 2 ? 4 : order == 3 ? 3 : 2);
  int64_t block = 1;
  for (const format::Level &level : format.levels)
    block = std::max(block, level.block);
  for (int64_t &extent : shape)
    extent = std::min<int64_t>(16, std::max(extent, block));
  return shape;
}

/// Places spread over few diagonals and blocks, with an empty row between them.
std::vector<std::vector<int64_t>> candidates(const std::vector<int64_t> &shape) {
  if (shape.size() == 1)
    return {{1}, {2}, {5}};
  if (shape.size() == 2)
    return {{0, 0}, {0, 1}, {2, 0}, {2, 2}, {3, 3}};
  std::vector<std::vector<int64_t>> places;
  for (const auto &[first, second, rest] :
       {std::tuple{0, 0, 0}, std::tuple{0, 1, 0}, std::tuple{0, 1, 1}, std::tuple{1, 0, 1}, std::tuple{1, 1, 1}}) {
    places.emplace_back(shape.size(), rest);
    places.back()[0] = first;
    places.back()[1] = second;
  }
  return places;
}

/// As many of the candidates, with values 1, 2, 3 …, as the format can store.
std::optional<tensor::PackedTensor> makeExample(const format::Format &format, tensor::Coordinates &entries) {
  entries.shape = exampleShape(format);
  std::optional<tensor::PackedTensor> packed;
  for (const std::vector<int64_t> &place : candidates(entries.shape)) {
    tensor::Coordinates more = entries;
    const auto add = [&](const std::vector<int64_t> &at) { more.append(at.data(), {}); };
    add(place);
    if (format.symmetry != format::Symmetry::None && place.front() != place.back())
      add({place.back(), place.front()});
    const double value =
        entries.values.empty() ? 1 : *std::max_element(entries.values.begin(), entries.values.end()) + 1;
    std::fill(more.values.begin() + static_cast<ptrdiff_t>(entries.size()), more.values.end(), value);
    std::string error;
    if (auto one = tensor::PackedTensor::pack(more, format, sema::ValueType::F64, error)) {
      packed = std::move(one);
      entries = std::move(more);
    }
  }
  return packed;
}

std::string drawMatrix(const tensor::Coordinates &entries) {
  std::vector<std::string> cells(static_cast<size_t>(entries.shape[0] * entries.shape[1]), ".");
  for (size_t e = 0; e < entries.size(); ++e)
    cells[static_cast<size_t>(entries.coordinates[2 * e] * entries.shape[1] + entries.coordinates[2 * e + 1])] =
        number(entries.values[e]);
  std::string text;
  for (size_t k = 0; k < cells.size(); ++k) {
    text += "  " + cells[k];
    if ((k + 1) % static_cast<size_t>(entries.shape[1]) == 0)
      text += "\n";
  }
  return text;
}

std::string listEntries(const tensor::Coordinates &entries) {
  const size_t order = entries.shape.size();
  std::string text;
  for (size_t e = 0; e < entries.size(); ++e) {
    text += "  (";
    for (size_t d = 0; d < order; ++d)
      text += (d ? ", " : "") + std::to_string(entries.coordinates[e * order + d]);
    text += ")  " + number(entries.values[e]) + "\n";
  }
  return text;
}

/// The elements of an array; empty for sizes and counts.
std::string drawField(const abi::Field &field, const tensor::PackedTensor &tensor) {
  std::string text;
  for (double element : tensor.elements(field.role, field.index)) {
    text += (text.empty() ? "" : " ") + number(element);
    if (static_cast<size_t>(std::count(text.begin(), text.end(), ' ')) + 1 >= kMaxElements) {
      text += " ...";
      break;
    }
  }
  return text;
}

} // namespace

std::string drawStruct(const format::Format &format) {
  const abi::StructType type = abi::structFor(format, sema::ValueType::F64);
  return "typedef struct " + type.name + " {\n" + abi::structMembers(type) + "} " + type.name + ";\n";
}

namespace {

std::string draw(const format::Format &format, const tensor::PackedTensor &packed, const tensor::Coordinates &entries) {
  std::string text = entries.order() == 2 ? drawMatrix(entries) : listEntries(entries);
  text += "\n";
  const abi::StructType type = abi::structFor(format, sema::ValueType::F64);
  for (const abi::Field &field : type.fields)
    if (std::string elements = drawField(field, packed); !elements.empty())
      text += "  " + field.name + ": " + elements + "\n";
  return text;
}

/// A row that holds more than any fixed width, and a short one.
tensor::Coordinates entriesOfSum(const format::Format &format) {
  int64_t widest = 2;
  for (const format::Format &part : format.parts)
    for (const format::Level &level : part.levels)
      widest = std::max(widest, level.width.value_or(0));
  tensor::Coordinates entries;
  entries.shape.assign(static_cast<size_t>(format.order()), 4);
  entries.shape.back() = widest + 2;
  std::vector<int64_t> at(entries.shape.size(), 0);
  const auto add = [&] { entries.append(at.data(), {static_cast<double>(entries.size() + 1)}); };
  for (at.back() = 0; at.back() < entries.shape.back(); ++at.back())
    add();
  at.assign(at.size(), 2);
  add();
  return entries;
}

} // namespace

std::string drawExample(const format::Format &format) {
  tensor::Coordinates entries;
  const std::optional<tensor::PackedTensor> packed = makeExample(format, entries);
  return packed ? draw(format, *packed, entries) : "";
}

std::vector<std::string> drawParts(const format::Format &sum) {
  std::vector<std::string> drawn;
  std::string error;
  for (tensor::Coordinates &entries : tensor::splitIntoParts(entriesOfSum(sum), sum.parts)) {
    const format::Format &part = sum.parts[drawn.size()];
    const auto packed = tensor::PackedTensor::pack(entries, part, sema::ValueType::F64, error);
    drawn.push_back(packed ? draw(part, *packed, entries) : "");
  }
  return drawn;
}

} // namespace spc::driver
