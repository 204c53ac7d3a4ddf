#include "sema/plan/sparse_operands.h"

#include "format/levels.h"
#include "sema/terms/merge_size.h"
#include "sema/terms/repeats.h"
#include "sema/terms/shared_pattern.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// Whether every entry is where loops over the target's dimensions come to it once and in order: neither blocks nor
/// diagonals, no padding and no repeats.
bool visitsEntriesInOrder(const format::Format &format) {
  return !format.mayRepeat() && !format::hasPadding(format) &&
         std::all_of(format.levels.begin(), format.levels.end(),
                     [](const format::Level &level) { return level.ordered; });
}

/// A vector's coordinates in ascending order, each once: a copy for the loops would be the same.
bool isPlainList(const format::Format &format) {
  const format::Level &level = format.levels.front();
  return format.levelCount() == 1 && format::kindOf(format, 0) == format::LevelKind::Compressed && level.unique &&
         level.ordered;
}

/// Whether loops that walk all operands at once can walk a format.
bool isPlain(const format::Format &format) {
  for (int k = 0; k < format.levelCount(); ++k) {
    const format::Level &level = format.levels[static_cast<size_t>(k)];
    const format::LevelKind kind = format::kindOf(format, k);
    if (level.part != format::Part::Whole || !level.ordered || !level.unique || level.hasLengths() ||
        (kind != format::LevelKind::Dense && kind != format::LevelKind::Compressed))
      return false;
  }
  return true;
}

} // namespace

std::vector<int> numbersOf(const std::vector<VariableId> &some, const std::vector<VariableId> &variables) {
  std::vector<int> numbers;
  for (VariableId variable : some)
    numbers.push_back(static_cast<int>(placeOf(variable, variables)));
  return numbers;
}

SparseOperands::SparseOperands(const Kernel &kernel, const Scope &scope, const LogicalStatement &logical,
                               const LogicalTerm &term)
    : kernel_(kernel), scope_(scope), logical_(logical), term_(term), accesses_(accessesOf(*term.expr)),
      hasDomain_(hasDomain(*term.expr, logical.reduction, scope, kernel)) {
  if (hasDomain_)
    domain_ = domainOfTerm(*term.expr, logical.targetDefault, logical.computeType, scope, kernel);
}

bool SparseOperands::mayMerge(double mostLoops) const {
  if (!hasDomain_ || target().shared() || loopsToMerge(domain_, accesses_, scope_, kernel_) <= mostLoops)
    return false;
  return std::all_of(accesses_.begin(), accesses_.end(), [&](AccessId access) {
    const format::Format &format = tensorOf(access).format;
    return format.isDense() || isPlain(format) || mayBeCopied(access);
  });
}

TermOperands SparseOperands::merged() const {
  TermOperands found = find({});
  found.isMerged = true;
  for (SparseAccess &operand : found.sparse)
    operand.mustBeCopied = operand.mustBeCopied || !isPlain(*operand.format);
  return found;
}

TermOperands SparseOperands::withFollowers() const {
  std::vector<AccessId> followers;
  std::copy_if(accesses_.begin(), accesses_.end(), std::back_inserter(followers),
               [&](AccessId access) { return mayFollow(access); });
  return find(followers);
}

TermOperands SparseOperands::find(const std::vector<AccessId> &followers) const {
  TermOperands found{.variables = logical_.targetVariables, .accesses = accesses_, .hasFollowers = !followers.empty()};
  found.variables.insert(found.variables.end(), term_.reductions.begin(), term_.reductions.end());
  std::vector<AccessId> leaders;
  for (AccessId follower : followers)
    leaders.push_back(leaderOf(follower));
  for (AccessId access : accesses_) {
    if (tensorOf(access).format.isDense() || has(followers, access))
      continue;
    found.walked.push_back(access);
    found.sparse.push_back(describe(access, found.variables, has(leaders, access)));
  }
  return found;
}

SparseAccess SparseOperands::describe(AccessId id, const std::vector<VariableId> &variables, bool isLeader) const {
  const Access &access = scope_.accesses[id];
  const format::Format &format = tensorOf(id).format;
  SparseAccess operand{std::make_shared<const format::Format>(format), numbersOf(access.variables, variables)};
  operand.isTie = tensorOf(id).is<Tie>();
  if (access.mirrored)
    std::swap(operand.variables.front(), operand.variables.back());
  operand.mayBeCopied = !isLeader && mayBeCopied(id);
  operand.mustBeCopied = mustBeCopied(id);
  // A list of coordinates in order is what its copy would be.
  operand.mayBeCopied = operand.mayBeCopied && (format.order() > 1 || operand.mustBeCopied || !isPlainList(format));
  return operand;
}

/// Copies have a dense root: a vector's would have no missing entries. Positions of a target that shares a pattern are
/// those of the operand there.
bool SparseOperands::mayBeCopied(AccessId access) const {
  const bool isMatrix = tensorOf(access).format.order() > 1;
  return target().isAssembled() ||
         (isMatrix && (target().format.isDense() || (target().shared() && !givesPositions(access))));
}

bool SparseOperands::hasTargetsStructure(AccessId access) const {
  return target().shared() &&
         structureOwner(kernel_, scope_.accesses[access].tensor) == structureOwner(kernel_, logical_.target);
}

/// Whether an operand has the target's structure, and is read where the target is written.
bool SparseOperands::givesPositions(AccessId access) const {
  const auto levels = static_cast<size_t>(structureLevels(kernel_, logical_.target));
  const std::vector<format::Level> &own = tensorOf(access).format.levels, &targets = target().format.levels;
  for (size_t k = 0; k < std::min({levels, own.size(), targets.size()}); ++k)
    if (scope_.accesses[access].variables[static_cast<size_t>(own[k].dim)] !=
        logical_.targetVariables[static_cast<size_t>(targets[k].dim)])
      return false;
  return hasTargetsStructure(access);
}

/// Whether the entries of an operand are not what the term takes in. Parts of an entry make up a product of it, and
/// nothing else. Blocks and padding, which are zeros, may stay where the operand alone decides where something is
/// added. What has the target's structure and is read at another place is copied, so that loops have one
/// position in it.
bool SparseOperands::mustBeCopied(AccessId access) const {
  const format::Format &format = tensorOf(access).format;
  const bool readsRepeats =
      mayReadRepeats(*term_.expr, access, logical_.reduction, logical_.computeType, scope_, kernel_);
  const bool isProduct = !hasDomain_, isReducedAlike = format.mayRepeat() && readsRepeats;
  const bool needsEntries = target().isAssembled() || !(isProduct || addsAlone(access) || isReducedAlike);
  return (hasTargetsStructure(access) && !givesPositions(access)) || !readsRepeats ||
         (needsEntries && !visitsEntriesInOrder(format));
}

bool SparseOperands::mayFollow(AccessId access) const {
  const AccessId leader = leaderOf(access);
  return leader != access && &tensorOf(access) != &target() && isReadOnlyAt(leader) && isReadOneWay(leader);
}

/// Whether the term is computed only where an operand stores entries.
bool SparseOperands::isReadOnlyAt(AccessId leader) const {
  return !hasDomain_ || isWithin(domain_, {DomainKind::Stored, leader, {}});
}

/// Whether all operands that have a leader's structure have its indices, too: positions in the structure then mean the
/// leader's.
bool SparseOperands::isReadOneWay(AccessId leader) const {
  const TensorId owner = structureOwner(kernel_, scope_.accesses[leader].tensor);
  return std::all_of(accesses_.begin(), accesses_.end(), [&](AccessId access) {
    return structureOwner(kernel_, scope_.accesses[access].tensor) != owner || leaderOf(access) == leader;
  });
}

/// Whether the term is 0 but where this one sparse operand stores entries, and is summed.
bool SparseOperands::addsAlone(AccessId access) const {
  const auto leads = [&](AccessId id) { return !tensorOf(id).format.isDense() && leaderOf(id) == id; };
  return logical_.reduction == Reduction::Sum && std::count_if(accesses_.begin(), accesses_.end(), leads) == 1 &&
         singleOperand(domain_) == access;
}

AccessId SparseOperands::leaderOf(AccessId access) const {
  return sema::leaderOf(access, accesses_, scope_, kernel_);
}

} // namespace spc::sema
