#include "sema/division.h"

#include <map>

namespace spc::sema {
namespace {

class Description {
public:
  Description(const Division &division, const Kernel &kernel) : division_(division), kernel_(kernel) {}

  /// "rows of m that A lists", "blocks of 4 rows of m", "positions of A"
  std::string items() const {
    if (!division_.items)
      return "positions of " + nameOf(*division_.root);
    const std::string extent = kernel_.extents[division_.items->extent].name;
    const int64_t block = division_.items->block;
    return (block > 1 ? "blocks of " + std::to_string(block) + " rows of " : "rows of ") + extent +
           (division_.root ? " that " + nameOf(*division_.root) + " lists" : "");
  }

  /// "slices of y, A; all of x"
  std::string shares() const {
    std::vector<std::pair<std::string, std::string>> groups; // what of each, and the names
    for (const TensorShare &share : division_.shares) {
      const std::string what = partOf(share);
      if (groups.empty() || groups.back().first != what)
        groups.emplace_back(what, nameOf(share.tensor));
      else
        groups.back().second += ", " + nameOf(share.tensor);
    }
    std::string text;
    for (const auto &[what, names] : groups)
      text += (text.empty() ? "" : "; ") + what + " of " + names;
    return text;
  }

private:
  const std::string &nameOf(TensorId id) const { return kernel_.tensors[id].name; }

  std::string partOf(const TensorShare &share) const {
    switch (share.share) {
    case Share::Whole:
      return "all";
    case Share::Slice:
      return "slices";
    case Share::Listed:
      return "what " + nameOf(*share.listing) + " lists";
    case Share::Copy:
      break;
    }
    return "copies";
  }

  const Division &division_;
  const Kernel &kernel_;
};

} // namespace

std::string describe(const Division &division, const Kernel &kernel) {
  if (division.kind == Division::Kind::None)
    return "not divided: " + division.reason;
  const Description text(division, kernel);
  return "divided by " + text.items() + ": " + text.shares();
}

std::string describe(const Sweep &sweep, const Kernel &kernel) {
  const Division division = divisionOf(kernel, std::get<Statement>(kernel.steps[sweep.begin]));
  std::string held;
  for (const TensorId id : sweep.held)
    held += (held.empty() ? "" : ", ") + kernel.tensors[id].name;
  return "together, piece by piece of " + Description({division.kind, division.items}, kernel).items() +
         ", in memory for a piece of " + held;
}

} // namespace spc::sema
