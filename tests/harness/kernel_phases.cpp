// Calls in two phases, with a plan and without one, beside the call in one phase.
#include "../include/spc/plan.h"
#include "format/levels.h"
#include "harness/kernel_argument.h"
#include "sema/two_phases.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace spc::testing {
namespace {

/// By their places, row by row.
using Elements = std::vector<std::pair<tensor::Integer, tensor::Number>>;

/// What is stored beyond the entries of a call in one phase: places of padding.
bool isNothing(const tensor::Number &value) {
  return value.real == 0 && value.imaginary == 0 && value.rest == 0;
}

/// Sorted, each place once. Padding may repeat the coordinates of an entry.
Elements elementsOf(const tensor::Coordinates &entries) {
  Elements elements;
  const size_t order = entries.shape.size();
  for (size_t entry = 0; entry < entries.size(); ++entry) {
    tensor::Integer place = 0;
    for (size_t dim = 0; dim < order; ++dim)
      place = place * entries.shape[dim] + entries.coordinates[entry * order + dim];
    elements.emplace_back(place, entries.value(entry));
  }
  const auto isBefore = [](const auto &one, const auto &other) { return one.first < other.first; };
  if (!std::is_sorted(elements.begin(), elements.end(), isBefore))
    std::stable_sort(elements.begin(), elements.end(), isBefore);
  size_t kept = 0;
  for (const auto &[place, value] : elements)
    if (kept == 0 || elements[kept - 1].first != place)
      elements[kept++] = {place, value};
    else if (isNothing(elements[kept - 1].second))
      elements[kept - 1].second = value;
  elements.resize(kept);
  return elements;
}

/// To the bit, but for what NaNs hold; where values are added to the zeros of slots, for the sign of a zero, too.
struct Comparison {
  bool hasSigns;

  bool isSame(double a, double b) const {
    return (std::isnan(a) && std::isnan(b)) || (a == b && (!hasSigns || std::signbit(a) == std::signbit(b)));
  }
  bool isSame(const tensor::Number &a, const tensor::Number &b) const {
    return isSame(a.real, b.real) && isSame(a.imaginary, b.imaginary) && a.rest == b.rest;
  }
};

std::string textOf(const tensor::Number &value) {
  std::ostringstream text;
  text << value.real << " + " << value.imaginary << "i";
  return text.str();
}

std::string compareElements(const Comparison &comparison, const Elements &once, const Elements &twice) {
  auto other = twice.begin();
  bool hasMore = false;
  for (const auto &[place, value] : once) {
    for (; other != twice.end() && other->first < place; ++other)
      hasMore |= !isNothing(other->second);
    const bool isThere = other != twice.end() && other->first == place;
    if (!isThere ? !isNothing(value) : !comparison.isSame(value, other->second))
      return "has " + (isThere ? textOf(other->second) : std::string("no entry")) + " for " + textOf(value);
    other += isThere ? 1 : 0;
  }
  for (; other != twice.end(); ++other)
    hasMore |= !isNothing(other->second);
  return hasMore ? "has one entry more" : "";
}

} // namespace

std::string KernelArguments::checkPhases(const codegen::JitKernel &code) {
  const auto made =
      std::find_if(arguments_.begin(), arguments_.end(), [](const auto &one) { return one->assembled != nullptr; });
  AssembledOutput &once = *(*made)->assembled;
  const sema::Statement *assembly = sema::assemblingStatement(kernel_.steps.front());
  const Elements expected = elementsOf(once.slots());
  const bool hasPadding = std::any_of(arguments_.begin(), arguments_.end(), [](const auto &argument) {
    return argument->isSparse() && format::hasPadding(argument->tensor->format);
  });
  std::vector<void *> pointers = pointers_;
  pointers.push_back(nullptr); // the plan
  void *&output = pointers[1 + static_cast<size_t>(made - arguments_.begin())];
  const auto call = [&](const char *phase) { return code.phase(phase)(pointers[0], pointers.data() + 1); };
  for (const bool isPlanned : {false, true}) {
    const Comparison comparison{isPlanned && assembly && sema::keepsPlaces(kernel_, *assembly)};
    const std::string with = isPlanned ? " with a plan" : "";
    AssembledOutput twice = once.again();
    spc_plan plan = {};
    output = twice.cStruct();
    pointers.back() = isPlanned ? &plan : nullptr;
    if (const int32_t status = call("_symbolic"); status != SPC_OK) {
      const bool isRefused = status == SPC_ERROR_INDEX_RANGE || status == SPC_ERROR_COUNT || status == SPC_ERROR_SHAPE;
      if (isRefused && hasPadding) // without values all slots are entries, for which there may be no room
        return {};
      return "the symbolic phase" + with + " returned status " + std::to_string(status);
    }
    if (isPlanned && !plan.memory)
      return "the symbolic phase made no plan";
    for (int round = 0; round < 2; ++round) { // into an array of the call's, and into that with what it held
      if (const int32_t status = call("_numeric"); status != SPC_OK)
        return "the numeric phase" + with + " returned status " + std::to_string(status);
      if (const std::string problem = compareElements(comparison, expected, elementsOf(twice.slots()));
          !problem.empty())
        return "the result of two phases" + with + " " + problem;
    }
    twice.release();
    spc_plan_free_ctx(context_.get(), &plan);
  }
  return {};
}

} // namespace spc::testing
