#include "format/rule.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::format {

namespace {

constexpr DiagnosticKind kFormatOrder{"format-order", Severity::Error};

class RuleFamily final : public FormatFamily {
public:
  explicit RuleFamily(FormatRule rule) : rule_(std::move(rule)) {}
  std::string name() const override { return rule_.name; }
  std::string description() const override { return rule_.description; }
  std::optional<int> order() const override { return rule_.order(); }
  std::optional<Format> instantiate(int order) const override { return rule_.instantiate(order); }

private:
  FormatRule rule_;
};

/// A level above a singleton repeats a coordinate for each entry: they differ in their last coordinate at the latest,
/// unless entries may repeat altogether.
void canonicalizeUnique(std::vector<Level> &levels, bool repeats) {
  const size_t count = levels.size();
  bool isCoo = false;
  for (size_t k = 0; k + 1 < count; ++k)
    if (continuesParent(levels, static_cast<int>(k) + 1)) {
      levels[k].unique = false;
      isCoo = true;
    }
  if (isCoo)
    levels.back().unique = !repeats;
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

namespace {

/// i / 1 is i, and i % 1 says nothing.
void dropBlocksOfOne(std::vector<Level> &levels) {
  std::erase_if(levels, [](const Level &level) { return level.part == Part::Remainder && level.block == 1; });
  for (Level &level : levels)
    if (level.part == Part::Quotient && level.block == 1) {
      level.part = Part::Whole;
      level.block = Level().block;
    }
}

} // namespace

std::optional<int> FormatRule::order() const {
  if (!parts.empty()) {
    for (const FormatRule &part : parts)
      if (std::optional<int> order = part.order())
        return order;
    return std::nullopt;
  }
  if (!levels)
    return std::nullopt;
  Format format;
  format.levels = *levels;
  return format.order();
}

std::optional<Format> FormatRule::instantiate(int wanted) const {
  if (wanted < 1 || wanted > kMaxOrder || order().value_or(wanted) != wanted)
    return std::nullopt;
  Format format;
  format.name = name;
  for (const FormatRule &part : parts) {
    std::optional<Format> one = part.instantiate(wanted);
    if (!one)
      return std::nullopt;
    format.parts.push_back(std::move(*one));
  }
  if (!parts.empty())
    return format;
  if (levels) {
    format.levels = *levels;
  } else {
    for (int k = 0; k < wanted; ++k) {
      format.levels.push_back(k == 0 ? first : rest);
      format.levels.back().dim = k;
    }
    // Of one dimension there is nothing to continue: only repeated entries make its level non-unique.
    if (wanted == 1)
      format.levels.back().unique = rest.unique;
  }
  dropBlocksOfOne(format.levels);
  canonicalizeUnique(format.levels, !format.levels.back().unique);
  format.symmetry = symmetry;
  if (!format.isDense()) {
    format.duplicates = duplicates;
    format.pointers = pointers;
    format.indices = indices;
    const auto isListed = [](const Level &level) { return !level.isDense(); };
    format.interleaved = interleaved && std::count_if(format.levels.begin(), format.levels.end(), isListed) > 1;
  }
  return format;
}

namespace {

/// Makes the rule one for the permuted format alone.
void permute(FormatRule &rule, const Format &format, const std::vector<int> &modes) {
  const Format result = permuted(format, modes);
  for (size_t k = 0; k < rule.parts.size(); ++k)
    permute(rule.parts[k], format.parts[k], modes);
  if (rule.parts.empty())
    rule.levels = result.levels;
  rule.symmetry = result.symmetry;
}

} // namespace

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
  std::optional<Format> format = rule.instantiate(count);
  if (!format) {
    diagnostics.report(kFormatOrder, where,
                       "format '" + rule.name + "' has no tensors of order " + std::to_string(count));
    return false;
  }
  permute(rule, *format, std::vector<int>(modes.begin(), modes.end()));
  rule.name += ':';
  rule.name += spell(modes);
  return true;
}

std::shared_ptr<const FormatFamily> makeFamily(FormatRule rule) {
  return std::make_shared<RuleFamily>(std::move(rule));
}

} // namespace spc::format
