#include "corruption/corruptions.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace spc::testing {
namespace {

using abi::FieldRole;
using abi::FieldType;
using Argument = GuardedCall::Argument;

/// Integers of some width in an array, signed above 16 bits.
class Elements {
public:
  Elements(std::vector<char> &bytes, int64_t width) : bytes_(bytes), width_(width) {}

  int64_t size() const { return static_cast<int64_t>(bytes_.size()) / width_; }
  int64_t at(int64_t place) const {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes_.data() + place * width_, static_cast<size_t>(width_));
    if (width_ == 4)
      return static_cast<int32_t>(static_cast<uint32_t>(bits));
    return static_cast<int64_t>(bits);
  }
  void set(int64_t place, int64_t value) {
    std::memcpy(bytes_.data() + place * width_, &value, static_cast<size_t>(width_));
  }
  int64_t largest() const { return width_ == 8 ? INT64_MAX : (int64_t{1} << (8 * width_ - (width_ == 4))) - 1; }

private:
  std::vector<char> &bytes_;
  int64_t width_;
};

/// Changes the elements of an index, pointers or lengths array; says how.
std::string corruptElements(Elements elements, Random &random) {
  const int64_t place = random.below(elements.size()), last = elements.size() - 1;
  const int64_t next = std::min(place + 1, last), value = elements.at(place);
  const auto set = [&](int64_t number, const char *what) {
    elements.set(place, number);
    return std::string(what) + " at " + std::to_string(place);
  };
  switch (random.below(14)) {
  case 0:
    return set(-1, "-1");
  case 1:
    return set(elements.largest(), "the largest number");
  case 2:
    return set(-elements.largest() - 1, "the least number");
  case 3:
    return set(value + 1, "one more");
  case 4:
    return set(value - 1, "one less");
  case 5:
    return set(elements.at(next), "the next one");
  case 6: {
    const int64_t other = elements.at(next);
    elements.set(next, value);
    return set(other, "swapped");
  }
  case 7:
    return set(static_cast<int64_t>(random.next()), "anything");
  case 8:
    return set(random.below(64), "a small number");
  case 9:
    for (int64_t k = 0; k <= last; ++k)
      elements.set(k, static_cast<int64_t>(random.next()));
    return "anything everywhere";
  case 10:
    for (int64_t k = 0; k <= last; ++k)
      elements.set(k, value);
    return "one number everywhere";
  case 11:
    for (int64_t k = 0; k < last - k; ++k) {
      const int64_t other = elements.at(last - k);
      elements.set(last - k, elements.at(k));
      elements.set(k, other);
    }
    return "backwards";
  case 12:
    for (int64_t k = 0; k <= last; ++k)
      elements.set(k, elements.at(k) + 1);
    return "one more everywhere";
  default:
    for (int64_t k = place; k <= last; ++k)
      elements.set(k, elements.largest() - (last - k));
    return "large ones from " + std::to_string(place);
  }
}

/// Changes a size, a count or a width. Arrays become as long as the numbers say; numbers for which no memory would do
/// are the kernel's to refuse, whatever the arrays.
std::string corruptNumber(GuardedCall &call, size_t number, size_t field, Random &random) {
  Argument &argument = call.arguments()[number];
  const auto before = static_cast<int64_t>(argument.fields[field]);
  const int64_t choices[] = {before + 1,    before - 1,      0, -1, 2 * before + 1, before / 2, INT64_MAX, INT64_MIN,
                             INT64_MAX / 2, int64_t{1} << 40};
  const int64_t after = choices[random.below(std::size(choices))];
  argument.fields[field] = static_cast<uint64_t>(after);
  if (after == before || (!call.fitArrays(number) && after >= 0 && after < INT64_MAX / 2)) {
    argument.fields[field] = static_cast<uint64_t>(before);
    return "";
  }
  return "becomes " + std::to_string(after);
}

std::string corruptValues(std::vector<char> &bytes, Random &random) {
  for (char &byte : bytes)
    byte = static_cast<char>(random.next());
  return "any bytes";
}

/// The fields that may be changed, those of structures more often than values.
std::vector<std::pair<size_t, size_t>> candidates(std::vector<Argument> &arguments) {
  std::vector<std::pair<size_t, size_t>> result;
  for (size_t a = 0; a < arguments.size(); ++a) {
    const Argument &argument = arguments[a];
    if (!argument.isSparse() || !argument.isGiven())
      continue;
    for (size_t f = 0; f < argument.fields.size(); ++f) {
      const FieldType type = argument.parameter->type.fields[f].type;
      const bool isStructure = type == FieldType::Pointers || type == FieldType::Indices;
      const int times = isStructure ? 6 : type == FieldType::Int64 ? 2 : 1;
      for (int k = 0; k < times && (type == FieldType::Int64 || !argument.arrays[f].empty()); ++k)
        result.emplace_back(a, f);
    }
  }
  return result;
}

} // namespace

Corruption corrupt(GuardedCall &call, Random &random) {
  const auto all = candidates(call.arguments());
  if (all.empty())
    return {};
  const auto [a, f] = all[static_cast<size_t>(random.below(static_cast<int64_t>(all.size())))];
  Argument &argument = call.arguments()[a];
  const abi::Field &field = argument.parameter->type.fields[f];
  const bool isNumber = field.type == FieldType::Int64, isValues = field.type == FieldType::Values;
  std::string what;
  if (isNumber)
    what = corruptNumber(call, a, f, random);
  else if (isValues)
    what = corruptValues(argument.arrays[f], random);
  else
    what = corruptElements({argument.arrays[f], argument.bytesOf(f)}, random);
  if (what.empty())
    return {};
  return {std::string(spelling(field.role)) + (isNumber ? "" : ": " + what.substr(0, what.find(" at "))),
          argument.tensor->name + "." + field.name + " " + what, isValues};
}

} // namespace spc::testing
