#include "sema/plan/join_plans.h"

#include "sema/alternatives.h"
#include "sema/analyze.h"
#include "sema/plan/nan_count.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace spc::sema {
namespace {

bool passesAlike(const Tensor &a, const Tensor &b) {
  return a.name == b.name && a.type == b.type && a.format.sameStorage(b.format) && a.extents == b.extents &&
         a.fill == b.fill && a.isRead == b.isRead && a.isWritten == b.isWritten && a.structure == b.structure &&
         a.keepsStructure == b.keepsStructure && a.role.index() == b.role.index();
}

/// Whether planning has added nothing but temporaries, which alternatives may have of their own, and copies of what is
/// passed that are made before the first step.
bool addsPlainTensors(const Kernel &kernel, size_t given) {
  const auto isPassed = [&](TensorId id) { return id.index() < given && !kernel.tensors[id].isAssembled(); };
  const auto isPlain = [&](const Tensor &tensor) {
    const auto *copy = tensor.as<Converted>();
    return copy ? copy->source.index() < given
                : tensor.is<Temporary>() && (!tensor.shared() || isPassed(tensor.shared()->owner));
  };
  return std::all_of(kernel.tensors.begin() + static_cast<std::ptrdiff_t>(given), kernel.tensors.end(), isPlain) &&
         std::all_of(kernel.steps.begin(), kernel.steps.end(), [](const Step &step) {
           return std::holds_alternative<Statement>(step) || std::holds_alternative<Copy>(step);
         });
}

/// The copy in another plan that is made as `tensor` is.
std::optional<TensorId> sameCopy(const Kernel &plan, const Tensor &tensor) {
  const auto *copy = tensor.as<Converted>();
  for (TensorId id : plan.tensors.ids())
    if (const auto *own = plan.tensors[id].as<Converted>();
        own && copy && own->source == copy->source && own->isCanonical == copy->isCanonical &&
        own->dropsPadding == copy->dropsPadding && plan.tensors[id].format.sameStorage(tensor.format))
      return id;
  return std::nullopt;
}

bool hasCopiesOf(const Kernel &plan, const Kernel &other) {
  return std::all_of(other.tensors.begin(), other.tensors.end(),
                     [&](const Tensor &tensor) { return !tensor.is<Converted>() || sameCopy(plan, tensor); });
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

/// A step as text that tells it from others of the program; empty where it has temporaries that planning has added.
std::string textOf(const Kernel &kernel, size_t given, const Step &step) {
  bool isOfProgram = true;
  forEachTensor(step, [&](TensorId id) { isOfProgram &= id.index() < given || !kernel.tensors[id].is<Temporary>(); });
  if (!isOfProgram)
    return "";
  if (const auto *copy = std::get_if<Copy>(&step))
    return kernel.tensors[copy->to].name + " = " + kernel.tensors[copy->from].name;
  const auto &statement = std::get<Statement>(step);
  std::string text = std::string(spelling(statement.computeType)) + (statement.zeroFirst ? " zeroed" : "");
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
size_t sharedSteps(const std::vector<const Kernel *> &plans, size_t given, size_t most, bool fromLast) {
  size_t count = 0;
  const auto text = [&](const Kernel &plan) {
    return textOf(plan, given, plan.steps[fromLast ? plan.steps.size() - 1 - count : count]);
  };
  const auto isShared = [&] {
    const std::string own = text(*plans.front());
    return !own.empty() &&
           std::all_of(plans.begin() + 1, plans.end(), [&](const Kernel *plan) { return text(*plan) == own; });
  };
  while (count < most && isShared())
    ++count;
  return count;
}

Differing differingSteps(const std::vector<Kernel> &plans, const Kernel *careful, size_t given) {
  std::vector<const Kernel *> all;
  for (const Kernel &plan : plans)
    all.push_back(&plan);
  if (careful)
    all.push_back(careful);
  size_t fewest = all.front()->steps.size();
  for (const Kernel *plan : all)
    fewest = std::min(fewest, plan->steps.size());
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

/// Renames what a plan has of its own, and takes the steps in which it differs to the end of a kernel.
template <typename Mark>
void append(Kernel &kernel, Kernel &plan, size_t given, const Differing &steps, const Mark &mark) {
  IdVector<TensorId, TensorId> ids;
  for (TensorId id : plan.tensors.ids()) {
    if (id.index() < given || plan.tensors[id].is<Converted>()) {
      ids.add(id.index() < given ? id : *sameCopy(kernel, plan.tensors[id]));
      continue;
    }
    ids.add(kernel.tensors.add(std::move(plan.tensors[id])));
    Tensor &tensor = kernel.tensors.back();
    tensor.name = "$" + std::to_string(kernel.tensors.size() - 1);
    mark(tensor);
  }
  for (size_t k = steps.begin, end = steps.endOf(plan); k < end; ++k) {
    forEachTensor(plan.steps[k], [&](TensorId &id) { id = ids[id]; });
    kernel.steps.push_back(std::move(plan.steps[k]));
  }
}

Kernel joined(std::vector<Kernel> plans, Kernel *careful, size_t given) {
  if (plans.size() == 1 && !careful)
    return std::move(plans.front());
  const Differing steps = differingSteps(plans, careful, given);
  Kernel kernel = std::move(plans.front());
  const size_t end = steps.endOf(kernel);
  std::vector<Step> last(std::make_move_iterator(kernel.steps.begin() + static_cast<std::ptrdiff_t>(end)),
                         std::make_move_iterator(kernel.steps.end()));
  kernel.steps.resize(end);
  const size_t own = kernel.tensors.size();
  std::optional<TensorId> count;
  if (careful)
    count = addNanCount(kernel);
  for (size_t number = 0; number < plans.size(); ++number) {
    const size_t begin = number == 0 ? steps.begin : kernel.steps.size();
    if (number > 0)
      append(kernel, plans[number], given, steps, [&](Tensor &tensor) { tensor.alternative = number; });
    if (count)
      appendNanCount(kernel, given, begin, *count);
    if (plans.size() > 1)
      kernel.alternatives.push_back({begin, kernel.steps.size()});
  }
  for (size_t k = given; plans.size() > 1 && k < own; ++k)
    if (kernel.tensors[TensorId(k)].is<Temporary>())
      kernel.tensors[TensorId(k)].alternative = 0;
  if (careful) {
    const size_t begin = kernel.steps.size();
    append(kernel, *careful, given, steps, [](Tensor &tensor) { tensor.isOfRecomputation = true; });
    kernel.recomputation = Recomputation{begin, kernel.steps.size(), *count};
  }
  std::move(last.begin(), last.end(), std::back_inserter(kernel.steps));
  return kernel;
}

} // namespace

bool agree(const Kernel &one, const Kernel &other, size_t given) {
  if (one.extents.size() != other.extents.size() || one.leastExtents.size() != other.leastExtents.size() ||
      one.parameters != other.parameters || !addsPlainTensors(one, given) || !addsPlainTensors(other, given) ||
      !hasCopiesOf(one, other) || !hasCopiesOf(other, one))
    return false;
  return std::equal(one.tensors.begin(), one.tensors.begin() + static_cast<std::ptrdiff_t>(given),
                    other.tensors.begin(), passesAlike);
}

bool mayChoose(const std::vector<Kernel> &plans, size_t given) {
  if (plans.size() == 1)
    return true;
  const Differing steps = differingSteps(plans, nullptr, given);
  return std::all_of(plans.begin(), plans.end(), [&](const Kernel &plan) {
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
  return joined(std::move(plans), nullptr, given);
}

bool mayRecompute(const std::vector<Kernel> &plans, const Kernel &careful, size_t given) {
  const Differing steps = differingSteps(plans, &careful, given);
  return steps.begin < steps.endOf(careful) && isRepeatable(careful, steps) &&
         std::all_of(plans.begin(), plans.end(), [&](const Kernel &plan) { return shows(plan, steps); });
}

Kernel joinPlans(std::vector<Kernel> plans, Kernel careful, size_t given) {
  return joined(std::move(plans), &careful, given);
}

} // namespace spc::sema
