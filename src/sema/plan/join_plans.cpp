#include "sema/plan/join_plans.h"

#include "sema/alternatives.h"
#include "sema/analyze.h"
#include "sema/plan/nan_count.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace spc::sema {
namespace {

bool passesAlike(const Tensor &a, const Tensor &b) {
  return a.name == b.name && a.type == b.type && a.format.sameStorage(b.format) && a.extents == b.extents &&
         a.fill == b.fill && a.isRead == b.isRead && a.isWritten == b.isWritten && a.structure == b.structure &&
         a.keepsStructure == b.keepsStructure && a.role.index() == b.role.index();
}

/// Whether planning has added nothing but temporaries, and copies of what is passed that are made before the first
/// step: alternatives may have both of their own.
bool addsPlainTensors(const Kernel &kernel, size_t given) {
  const auto isMadeFirst = [&](TensorId id) {
    return kernel.tensors[id].is<Converted>() || (id.index() < given && !kernel.tensors[id].isAssembled());
  };
  const auto isPlain = [&](const Tensor &tensor) {
    const auto *copy = tensor.as<Converted>();
    return copy ? isMadeFirst(copy->source)
                : tensor.is<Temporary>() && (!tensor.shared() || isMadeFirst(tensor.shared()->owner));
  };
  return std::all_of(kernel.tensors.begin() + static_cast<std::ptrdiff_t>(given), kernel.tensors.end(), isPlain) &&
         std::all_of(kernel.steps.begin(), kernel.steps.end(), [](const Step &step) {
           return std::holds_alternative<Statement>(step) || std::holds_alternative<Copy>(step);
         });
}

/// Whether two plans make a copy alike.
bool isSameCopy(const Kernel &plan, TensorId id, const Kernel &other, TensorId others) {
  const auto *one = plan.tensors[id].as<Converted>(), *two = other.tensors[others].as<Converted>();
  if (!one || !two || one->isCanonical != two->isCanonical || one->dropsPadding != two->dropsPadding ||
      !plan.tensors[id].format.sameStorage(other.tensors[others].format))
    return false;
  return plan.tensors[one->source].is<Converted>() ? isSameCopy(plan, one->source, other, two->source)
                                                   : one->source == two->source;
}

std::optional<TensorId> sameCopy(const Kernel &plan, const Kernel &other, TensorId others) {
  for (TensorId id : plan.tensors.ids())
    if (isSameCopy(plan, id, other, others))
      return id;
  return std::nullopt;
}

/// A plan that is joined with others, and the copies which each of the alternatives makes: by its own the first plan's.
struct Joined {
  const Kernel *plan;
  std::map<TensorId, TensorId> copies = {};
};

/// The plans, and the careful ones, if there are some, last.
std::vector<Joined> allOf(const std::vector<const Kernel *> &plans, const std::vector<const Kernel *> &careful) {
  std::vector<Joined> all;
  for (const Kernel *plan : plans)
    all.push_back({plan});
  for (const Kernel *plan : careful)
    all.push_back({plan});
  const Kernel &first = *plans.front();
  for (TensorId id : first.tensors.ids())
    if (first.tensors[id].is<Converted>() && std::all_of(plans.begin(), plans.end(), [&](const Kernel *plan) {
          return sameCopy(*plan, first, id).has_value();
        }))
      for (Joined &one : all)
        if (const std::optional<TensorId> own = sameCopy(*one.plan, first, id))
          one.copies[*own] = id;
  return all;
}

/// Calls `visit` with each tensor of a statement or a copy.
void forEachTensor(auto &step, const auto &visit) {
  if (auto *copy = std::get_if<Copy>(&step)) {
    visit(copy->from);
    visit(copy->to);
  } else if (auto *statement = std::get_if<Statement>(&step)) {
    visit(statement->target);
    for (auto &term : statement->terms)
      for (auto &operand : term.operands)
        visit(operand.tensor);
  }
}

/// A step as text that tells it from others of the program; empty where it has tensors of the plan's own.
std::string textOf(const Joined &joined, size_t given, const Step &step) {
  const Kernel &kernel = *joined.plan;
  bool isOfProgram = true;
  std::string copies;
  forEachTensor(step, [&](TensorId id) {
    const auto common = joined.copies.find(id);
    isOfProgram &= id.index() < given || common != joined.copies.end();
    copies += common == joined.copies.end() ? "" : " copy " + std::to_string(common->second.index());
  });
  if (!isOfProgram)
    return "";
  if (const auto *copy = std::get_if<Copy>(&step))
    return kernel.tensors[copy->to].name + " = " + kernel.tensors[copy->from].name;
  const auto &statement = std::get<Statement>(step);
  std::string text = std::string(spelling(statement.computeType)) + (statement.zeroFirst ? " zeroed" : "") + copies;
  for (const Term &term : statement.terms) {
    text += "\n" + describe(kernel, statement, term);
    for (const Loop &loop : term.loops)
      text += " " + loop.variable;
  }
  return text;
}

/// The steps in which plans differ: `begin` steps before them and `behind` steps after them are common.
struct Differing {
  size_t begin = 0, behind = 0;
  size_t endOf(const Kernel &plan) const { return plan.steps.size() - behind; }
};

/// How many steps from the first, or from the last, all plans share.
size_t sharedSteps(const std::vector<Joined> &plans, size_t given, size_t most, bool fromLast) {
  size_t count = 0;
  const auto text = [&](const Joined &one) {
    const std::vector<Step> &steps = one.plan->steps;
    return textOf(one, given, steps[fromLast ? steps.size() - 1 - count : count]);
  };
  const auto isShared = [&] {
    const std::string own = text(plans.front());
    return !own.empty() &&
           std::all_of(plans.begin() + 1, plans.end(), [&](const Joined &one) { return text(one) == own; });
  };
  while (count < most && isShared())
    ++count;
  return count;
}

Differing differingSteps(const std::vector<Joined> &all, size_t given) {
  size_t fewest = all.front().plan->steps.size();
  for (const Joined &one : all)
    fewest = std::min(fewest, one.plan->steps.size());
  Differing steps;
  steps.begin = sharedSteps(all, given, fewest, /*fromLast=*/false);
  steps.behind = sharedSteps(all, given, fewest - steps.begin, /*fromLast=*/true);
  return steps;
}

/// Whether steps, run once more, leave what they have left: they set what they write before they read it.
bool isRepeatable(const Kernel &kernel, const Differing &steps) {
  std::set<TensorId> written, set;
  for (size_t k = steps.begin; k < steps.endOf(kernel); ++k)
    if (const auto *statement = std::get_if<Statement>(&kernel.steps[k]))
      written.insert(statement->target);
    else
      written.insert(std::get<Copy>(kernel.steps[k]).to);
  for (size_t k = steps.begin; k < steps.endOf(kernel); ++k) {
    const auto *statement = std::get_if<Statement>(&kernel.steps[k]);
    if (!statement || statement->collecting)
      return false;
    for (const Term &term : statement->terms)
      for (const Operand &operand : term.operands)
        if (written.contains(operand.tensor) && !set.contains(operand.tensor))
          return false;
    if (!set.contains(statement->target) && !statement->zeroFirst &&
        (statement->terms.empty() || !statement->terms.front().overwrites))
      return false;
    set.insert(statement->target);
  }
  return true;
}

/// Whether infinities that meet a sum without entries show in what a plan's steps write: in arrays of floats, of which
/// parts are multiplied with others and added up.
bool shows(const Kernel &kernel, const Differing &steps) {
  for (size_t k = steps.begin; k < steps.endOf(kernel); ++k) {
    const auto *statement = std::get_if<Statement>(&kernel.steps[k]);
    if (!statement)
      return false;
    const Tensor &target = kernel.tensors[statement->target];
    if (target.isAssembled())
      return false;
    if (!isPart(kernel, *statement) &&
        (!target.format.isDense() || (isFloat(statement->computeType) && !isFloat(target.type))))
      return false;
  }
  return true;
}

/// A name for a copy of a plan's own: that which it has, if no other tensor is called so.
std::string nameForCopy(const Kernel &kernel, const std::string &own) {
  const bool isTaken =
      std::any_of(kernel.tensors.begin(), kernel.tensors.end(), [&](const Tensor &other) { return other.name == own; });
  return isTaken ? own + "." + std::to_string(kernel.tensors.size()) : own;
}

/// Takes what a plan has of its own, and the steps in which it differs, to the end of a kernel.
template <typename Mark>
void append(Kernel &kernel, Kernel &plan, const Joined &joined, size_t given, const Differing &steps,
            const Mark &mark) {
  const size_t before = kernel.tensors.size();
  IdVector<TensorId, TensorId> ids;
  for (TensorId id : plan.tensors.ids()) {
    const auto common = joined.copies.find(id);
    if (id.index() < given || common != joined.copies.end()) {
      ids.add(id.index() < given ? id : common->second);
      continue;
    }
    Tensor own = std::move(plan.tensors[id]);
    own.name = own.is<Converted>() ? nameForCopy(kernel, own.name) : "$" + std::to_string(kernel.tensors.size());
    mark(own);
    ids.add(kernel.tensors.add(std::move(own)));
  }
  for (size_t k = before; k < kernel.tensors.size(); ++k) {
    Tensor &own = kernel.tensors[TensorId(k)];
    if (auto *copy = std::get_if<Converted>(&own.role))
      copy->source = ids[copy->source];
    if (auto *shared = std::get_if<SharedWith>(&own.structure))
      shared->owner = ids[shared->owner];
  }
  for (size_t k = steps.begin, end = steps.endOf(plan); k < end; ++k) {
    forEachTensor(plan.steps[k], [&](TensorId &id) { id = ids[id]; });
    kernel.steps.push_back(std::move(plan.steps[k]));
  }
}

/// Makes what planning has added for the first one of several plans that plan's own.
void markFirst(Kernel &kernel, size_t given, const Joined &first) {
  for (TensorId id : kernel.tensors.ids()) {
    Tensor &tensor = kernel.tensors[id];
    const bool isOwnCopy = tensor.is<Converted>() && !first.copies.contains(id);
    if (id.index() >= given && (tensor.is<Temporary>() || isOwnCopy))
      tensor.alternative = 0;
  }
}

std::vector<const Kernel *> addressesOf(const std::vector<Kernel> &plans) {
  std::vector<const Kernel *> addresses;
  for (const Kernel &plan : plans)
    addresses.push_back(&plan);
  return addresses;
}

Kernel joined(std::vector<Kernel> plans, std::vector<Kernel> careful, size_t given) {
  if (plans.size() == 1 && careful.empty())
    return std::move(plans.front());
  const std::vector<Joined> all = allOf(addressesOf(plans), addressesOf(careful));
  const Differing steps = differingSteps(all, given);
  Kernel kernel = std::move(plans.front());
  const size_t end = steps.endOf(kernel);
  std::vector<Step> last(std::make_move_iterator(kernel.steps.begin() + static_cast<std::ptrdiff_t>(end)),
                         std::make_move_iterator(kernel.steps.end()));
  kernel.steps.resize(end);
  if (plans.size() > 1)
    markFirst(kernel, given, all.front());
  std::optional<TensorId> count;
  std::vector<bool> counts; ///< whether a plan takes sums for 0 at all
  if (!careful.empty())
    count = addNanCount(kernel);
  for (size_t number = 0; number < plans.size(); ++number) {
    const size_t begin = number == 0 ? steps.begin : kernel.steps.size();
    if (number > 0)
      append(kernel, plans[number], all[number], given, steps, [&](Tensor &tensor) { tensor.alternative = number; });
    counts.push_back(!whatCounts(kernel, given, begin).empty());
    if (count)
      appendNanCount(kernel, given, begin, *count);
    if (plans.size() > 1)
      kernel.alternatives.push_back({begin, kernel.steps.size()});
  }
  if (count) {
    Recomputation again{kernel.steps.size(), 0, *count};
    for (size_t number = 0; number < careful.size(); ++number) {
      const size_t begin = kernel.steps.size();
      if (careful.size() > 1 && !counts[number]) {
        again.alternatives.push_back({begin, begin});
        continue;
      }
      append(kernel, careful[number], all[plans.size() + number], given, steps, [&](Tensor &tensor) {
        tensor.isOfRecomputation = true;
        if (careful.size() > 1)
          tensor.alternative = number;
      });
      if (careful.size() > 1)
        again.alternatives.push_back({begin, kernel.steps.size()});
    }
    again.end = kernel.steps.size();
    kernel.recomputation = std::move(again);
  }
  std::move(last.begin(), last.end(), std::back_inserter(kernel.steps));
  return kernel;
}

} // namespace

bool areCalledAlike(const Kernel &one, const Kernel &other, size_t given) {
  const auto isInner = [](const Tensor &tensor) { return tensor.is<Temporary>() || tensor.is<Fused>(); };
  return one.leastExtents.size() == other.leastExtents.size() && one.parameters == other.parameters &&
         std::equal(one.tensors.begin(), one.tensors.begin() + static_cast<std::ptrdiff_t>(given),
                    other.tensors.begin(),
                    [&](const Tensor &a, const Tensor &b) { return (isInner(a) && isInner(b)) || passesAlike(a, b); });
}

bool agree(const Kernel &one, const Kernel &other, size_t given) {
  if (one.extents.size() != other.extents.size() || one.leastExtents.size() != other.leastExtents.size() ||
      one.parameters != other.parameters || !addsPlainTensors(one, given) || !addsPlainTensors(other, given))
    return false;
  return std::equal(one.tensors.begin(), one.tensors.begin() + static_cast<std::ptrdiff_t>(given),
                    other.tensors.begin(), passesAlike);
}

bool mayChoose(const std::vector<const Kernel *> &plans, size_t given) {
  if (plans.size() == 1)
    return true;
  const Differing steps = differingSteps(allOf(plans, {}), given);
  return std::all_of(plans.begin(), plans.end(), [&](const Kernel *one) {
    const Kernel &plan = *one;
    const CostSizes passed{[](ExtentId) { return 1; },
                           [&](TensorId id) {
                             const Tensor &tensor = plan.tensors[id];
                             const bool isPassed = tensor.is<Parameter>() && !tensor.isAssembled();
                             return isPassed ? std::optional(1.0) : std::nullopt;
                           }};
    return evaluate(costOf(plan, Alternative{steps.begin, steps.endOf(plan)}), passed).has_value();
  });
}

Kernel joinPlans(std::vector<Kernel> plans, size_t given) {
  return joined(std::move(plans), {}, given);
}

bool mayRecompute(const std::vector<const Kernel *> &plans, const std::vector<const Kernel *> &careful, size_t given) {
  const Differing steps = differingSteps(allOf(plans, careful), given);
  const auto isRight = [&](const Kernel *one) { return steps.begin < steps.endOf(*one) && isRepeatable(*one, steps); };
  return std::all_of(careful.begin(), careful.end(), isRight) &&
         std::all_of(plans.begin(), plans.end(), [&](const Kernel *plan) { return shows(*plan, steps); });
}

Kernel joinPlans(std::vector<Kernel> plans, std::vector<Kernel> careful, size_t given) {
  return joined(std::move(plans), std::move(careful), given);
}

} // namespace spc::sema
