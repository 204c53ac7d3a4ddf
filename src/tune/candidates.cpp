#include "tune/candidates.h"

#include "tensor/pack/symmetry.h"

#include <algorithm>
#include <numeric>

namespace spc::tune {

namespace {

using format::Format;
using format::IndexType;
using format::Level;
using format::Part;

/// Collects choices; formats are loaded by name.
class Choices {
public:
  Choices(format::FormatLoader &loader, int order) : loader_(loader), order_(order) {}

  /// The format of that name, with a mode order where wanted; nullopt where it has no such order.
  std::optional<Format> load(const std::string &name) {
    for (const format::Binding &binding : loader_.load(name))
      if (binding.family)
        return binding.family->instantiate(order_);
    return std::nullopt;
  }

  void add(const std::string &name) {
    if (std::optional<Format> format = load(name))
      list.push_back({name, name, *format});
  }

  void addBlocks(const std::string &base, int64_t a, int64_t b) {
    std::optional<Format> format = load(base);
    if (!format)
      return;
    for (Level &level : format->levels)
      if (level.part != Part::Whole)
        level.block = level.dim == 0 ? a : b;
    list.push_back({base + " " + std::to_string(a) + "x" + std::to_string(b), "", *format});
  }

  void addIndices(const std::string &base, IndexType type) {
    if (std::optional<Format> format = load(base)) {
      format->indices = type;
      list.push_back({base + " " + format::spelling(type), "", *format});
    }
  }

  void addSplit(int64_t width) {
    std::optional<Format> format = load("hyb");
    if (!format || !format->isSum())
      return;
    for (Level &level : format->parts.front().levels)
      if (!level.isDense())
        level.width = width;
    list.push_back({"hyb " + std::to_string(width), "", *format});
  }

  std::vector<FormatChoice> list;

private:
  format::FormatLoader &loader_;
  int order_;
};

/// Widths such that half, or all but a tenth, of the rows have no more entries.
std::vector<int64_t> splitsOf(const Pattern &pattern) {
  std::vector<int64_t> lengths = pattern.rowLengths(), widths;
  std::sort(lengths.begin(), lengths.end());
  for (double share : {0.5, 0.9}) {
    if (lengths.empty())
      break;
    const int64_t width = lengths[static_cast<size_t>(share * static_cast<double>(lengths.size() - 1))];
    if (width >= 2 && width < lengths.back() && (widths.empty() || widths.back() != width))
      widths.push_back(width);
  }
  return widths;
}

void addMatrixFormats(Choices &choices, const OperandFacts &facts) {
  constexpr double kNearlyDense = 0.25;
  for (const char *name : {"csr", "csc", "dcsr", "coo", "ell", "dia"})
    choices.add(name);
  if (facts.shape[1] <= 65536)
    choices.addIndices("csr", IndexType::U16);
  if (facts.density > kNearlyDense)
    choices.add("dense");
  if (facts.isSymmetric)
    choices.add("sym-csr");
  choices.add("bsr");
  choices.add("bsr8");
  choices.add("bsr-cm");
  for (auto [a, b] : {std::pair{2, 2}, {3, 3}, {6, 6}, {4, 1}, {1, 4}, {8, 1}})
    choices.addBlocks("bsr", a, b);
  for (int64_t width : splitsOf(facts.pattern))
    choices.addSplit(width);
}

void addTensorFormats(Choices &choices, int order) {
  constexpr int kMostModeOrders = 24; // all of order 4
  choices.add("coo");
  std::vector<int> modes(order);
  std::iota(modes.begin(), modes.end(), 0);
  int tried = 0;
  do {
    std::string name = "csf";
    for (size_t k = 0; k < modes.size(); ++k)
      name += (k == 0 ? ":" : ",") + std::to_string(modes[k]);
    choices.add(tried == 0 ? "csf" : name);
  } while (std::next_permutation(modes.begin(), modes.end()) && ++tried < kMostModeOrders);
}

using Key = std::optional<format::Given<int64_t>> format::Schedule::*;

void vary(std::vector<format::Schedule> &list, const format::Schedule &from, Key key,
          const std::vector<int64_t> &values) {
  for (int64_t value : values)
    if (!(from.*key) || (from.*key)->value != value) {
      list.push_back(from);
      list.back().*key = {value, {}};
    }
}

using LoopOrder = std::vector<format::Given<std::string>>;

void varyOrder(std::vector<format::Schedule> &list, const format::Schedule &from,
               const std::vector<std::string> &loops) {
  constexpr size_t kMostLoops = 4;
  if (loops.size() > kMostLoops)
    return;
  std::vector<std::string> names = loops;
  std::sort(names.begin(), names.end());
  do {
    LoopOrder order;
    for (const std::string &name : names)
      order.push_back({name, {}});
    if (names != loops && (!from.order || from.order->value != order)) {
      list.push_back(from);
      list.back().order = {std::move(order), {}};
    }
  } while (std::next_permutation(names.begin(), names.end()));
}

} // namespace

OperandFacts factsOf(const tensor::Coordinates &entries) {
  OperandFacts facts;
  facts.order = entries.order();
  facts.shape = entries.shape;
  double elements = 1;
  for (int64_t size : entries.shape)
    elements *= static_cast<double>(size);
  facts.density = elements > 0 ? static_cast<double>(entries.size()) / elements : 0;
  if (facts.order == 2) {
    facts.pattern = patternOf(entries);
    facts.isSymmetric = tensor::isSymmetric(entries);
  }
  return facts;
}

std::vector<FormatChoice> formatChoices(format::FormatLoader &loader, const OperandFacts &facts) {
  Choices choices(loader, facts.order);
  if (facts.order == 2)
    addMatrixFormats(choices, facts);
  else if (facts.order > 2)
    addTensorFormats(choices, facts.order);
  return std::move(choices.list);
}

std::vector<format::Schedule> neighbours(const format::Schedule &from, const ScheduleFacts &facts) {
  std::vector<format::Schedule> list;
  varyOrder(list, from, facts.loops);
  vary(list, from, &format::Schedule::tile, {8, 16, 32, 64});
  vary(list, from, &format::Schedule::prefetch, {0, 4, 8, 16, 32});
  vary(list, from, &format::Schedule::unroll, {1, 2, 4, 8});
  if (facts.hasThreads)
    vary(list, from, &format::Schedule::chunk, {1 << 10, 1 << 13, 1 << 16});
  if (facts.assembles)
    for (format::WorkspaceKind kind : {format::WorkspaceKind::Dense, format::WorkspaceKind::Hash})
      if (!from.workspace || from.workspace->value != kind) {
        list.push_back(from);
        list.back().workspace = {kind, {}};
      }
  return list;
}

std::string describe(const format::Schedule &schedule) {
  std::string text;
  const auto add = [&](const std::string &word) { text += (text.empty() ? "" : ", ") + word; };
  const auto number = [&](const char *name, const std::optional<format::Given<int64_t>> &value) {
    if (value)
      add(name + (" " + std::to_string(value->value)));
  };
  number("tile", schedule.tile);
  number("unroll", schedule.unroll);
  number("prefetch", schedule.prefetch);
  number("chunk", schedule.chunk);
  if (schedule.workspace)
    add(schedule.workspace->value == format::WorkspaceKind::Hash    ? "workspace hash"
        : schedule.workspace->value == format::WorkspaceKind::Dense ? "workspace dense"
                                                                    : "workspace auto");
  if (schedule.order) {
    std::string loops = "loops";
    for (const format::Given<std::string> &variable : schedule.order->value)
      loops += " " + variable.value;
    add(loops);
  }
  return text;
}

} // namespace spc::tune
