#include "format/rule.h"

#include <algorithm>

namespace spc::format {

namespace {

constexpr DiagnosticKind kFormatOrder{"format-order", Severity::Error};

class RuleFamily final : public FormatFamily {
public:
  explicit RuleFamily(FormatRule rule) : rule_(std::move(rule)) {}
  std::string name() const override { return rule_.name; }
  std::optional<int> order() const override { return rule_.order(); }
  std::optional<Format> instantiate(int order) const override { return rule_.instantiate(order); }

private:
  FormatRule rule_;
};

/// Entries below a non-unique level differ in their last coordinate at the latest.
void canonicalizeUnique(std::vector<Level> &levels) {
  bool isCoo = !levels.empty() && levels.front().isCompressed() && !levels.front().unique;
  for (Level &level : levels)
    level.unique = !isCoo;
  if (!levels.empty())
    levels.back().unique = true;
}

std::string spell(const std::vector<int64_t> &modes) {
  std::string text;
  for (int64_t mode : modes) {
    if (!text.empty())
      text += ',';
    text += std::to_string(mode);
  }
  return text;
}

} // namespace

std::optional<int> FormatRule::order() const {
  if (!levels)
    return std::nullopt;
  return static_cast<int>(levels->size());
}

std::optional<Format> FormatRule::instantiate(int wanted) const {
  if (wanted < 1 || wanted > kMaxOrder || (levels && order() != wanted))
    return std::nullopt;
  Format format;
  format.name = name;
  if (levels) {
    format.levels = *levels;
  } else {
    for (int k = 0; k < wanted; ++k) {
      format.levels.push_back(k == 0 ? first : rest);
      format.levels.back().dim = k;
    }
  }
  canonicalizeUnique(format.levels);
  if (!format.isDense()) {
    format.pointers = pointers;
    format.indices = indices;
  }
  return format;
}

std::optional<LevelProblem> checkLevels(const std::vector<Level> &levels) {
  const int order = static_cast<int>(levels.size());
  for (int k = 0; k < order; ++k) {
    const Level &level = levels[k];
    const Level *above = k > 0 ? &levels[k - 1] : nullptr;
    if (level.isSingleton()) {
      if (!above || above->isDense())
        return LevelProblem{
            k, true, "a singleton level has no compressed level right above it",
            "a singleton (compressed, fixed, width 1) continues the entries of a COO's outermost level"};
      if (above->isCompressed() && above->unique)
        return LevelProblem{
            k, true, "a singleton level below a unique level",
            "a unique level has one entry for each coordinate: add \"unique\": false to the level above"};
      if (!level.unique && k == order - 1)
        return LevelProblem{k, false, "a non-unique innermost level (repeated entries) is not supported",
                            "only COO is non-unique, above its innermost level"};
    } else if (above && above->isSingleton()) {
      return LevelProblem{k, true, "a singleton level is followed by a level that is no singleton",
                          "in COO every level below the outermost is compressed, fixed, of width 1"};
    } else if (!level.unique && (k > 0 || order == 1 || !levels[1].isSingleton())) {
      return LevelProblem{k, false, "a non-unique level outside of COO is not supported",
                          "only the outermost level of COO, followed by singletons, is non-unique"};
    }
  }
  return std::nullopt;
}

bool applyModes(FormatRule &rule, const std::vector<int64_t> &modes, Span where, Diagnostics &diagnostics) {
  const int count = static_cast<int>(modes.size());
  if (modes.empty() || modes.size() > kMaxOrder) {
    diagnostics.report(kFormatOrder, where, "a mode order has 1 to " + std::to_string(kMaxOrder) + " modes");
    return false;
  }
  if (rule.order().value_or(count) != count) {
    diagnostics.report(kFormatOrder, where,
                       "mode order " + spell(modes) + " has " + std::to_string(count) + " modes, but format '" +
                           rule.name + "' has " + std::to_string(*rule.order()) + " dimensions");
    return false;
  }
  std::vector<int64_t> sorted = modes;
  std::sort(sorted.begin(), sorted.end());
  for (int k = 0; k < count; ++k) {
    if (sorted[k] == k)
      continue;
    diagnostics
        .report(kFormatOrder, where,
                "mode order " + spell(modes) + " is no permutation of 0 to " + std::to_string(count - 1))
        .advise("name each dimension once, the outermost level's first");
    return false;
  }
  Format permutedFormat = permuted(*rule.instantiate(count), std::vector<int>(modes.begin(), modes.end()));
  rule.levels = permutedFormat.levels;
  rule.name += ':';
  rule.name += spell(modes);
  return true;
}

std::shared_ptr<const FormatFamily> makeFamily(FormatRule rule) {
  return std::make_shared<RuleFamily>(std::move(rule));
}

} // namespace spc::format
