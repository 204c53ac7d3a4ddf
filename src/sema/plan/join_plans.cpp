#include "sema/plan/join_plans.h"

#include "sema/analyze.h"

#include <algorithm>
#include <iterator>

namespace spc::sema {
namespace {

bool passesAlike(const Tensor &a, const Tensor &b) {
  return a.name == b.name && a.type == b.type && a.format.sameStorage(b.format) && a.extents == b.extents &&
         a.fill == b.fill && a.isRead == b.isRead && a.isWritten == b.isWritten && a.structure == b.structure &&
         a.keepsStructure == b.keepsStructure && a.role.index() == b.role.index();
}

bool isAssembling(const Kernel &kernel) {
  return std::any_of(kernel.tensors.begin(), kernel.tensors.end(), [](const Tensor &t) { return t.isAssembled(); });
}

/// Whether planning has added nothing but temporaries, which alternatives may have of their own, and copies of what is
/// passed that are made before the first step.
bool addsPlainTensors(const Kernel &kernel, size_t given) {
  const auto isPlain = [&](const Tensor &tensor) {
    const auto *copy = tensor.as<Converted>();
    return copy ? copy->source.index() < given
                : tensor.is<Temporary>() && (!tensor.shared() || tensor.shared()->owner.index() < given);
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

/// How many steps from the first, or from the last, all plans share.
size_t sharedSteps(const std::vector<Kernel> &plans, size_t given, size_t most, bool fromLast) {
  size_t count = 0;
  const auto text = [&](const Kernel &plan) {
    return textOf(plan, given, plan.steps[fromLast ? plan.steps.size() - 1 - count : count]);
  };
  const auto isShared = [&] {
    const std::string own = text(plans.front());
    return !own.empty() &&
           std::all_of(plans.begin() + 1, plans.end(), [&](const Kernel &plan) { return text(plan) == own; });
  };
  while (count < most && isShared())
    ++count;
  return count;
}

/// Appends the steps [begin, end) of a plan to a kernel as an alternative, with temporaries of their own.
void append(Kernel &kernel, Kernel &plan, size_t given, size_t begin, size_t end) {
  IdVector<TensorId, TensorId> ids;
  for (TensorId id : plan.tensors.ids()) {
    if (id.index() < given || plan.tensors[id].is<Converted>()) {
      ids.add(id.index() < given ? id : *sameCopy(kernel, plan.tensors[id]));
      continue;
    }
    ids.add(kernel.tensors.add(std::move(plan.tensors[id])));
    Tensor &tensor = kernel.tensors.back();
    tensor.name = "$" + std::to_string(kernel.tensors.size() - 1);
    tensor.alternative = kernel.alternatives.size();
  }
  kernel.alternatives.push_back({kernel.steps.size(), kernel.steps.size() + end - begin});
  for (size_t k = begin; k < end; ++k) {
    forEachTensor(plan.steps[k], [&](TensorId &id) { id = ids[id]; });
    kernel.steps.push_back(std::move(plan.steps[k]));
  }
}

} // namespace

bool agree(const Kernel &one, const Kernel &other, size_t given) {
  if (isAssembling(one) || isAssembling(other) || one.extents.size() != other.extents.size() ||
      one.leastExtents.size() != other.leastExtents.size() || one.parameters != other.parameters ||
      !addsPlainTensors(one, given) || !addsPlainTensors(other, given) || !hasCopiesOf(one, other) ||
      !hasCopiesOf(other, one))
    return false;
  return std::equal(one.tensors.begin(), one.tensors.begin() + static_cast<std::ptrdiff_t>(given),
                    other.tensors.begin(), passesAlike);
}

Kernel joinPlans(std::vector<Kernel> plans, size_t given) {
  size_t fewest = plans.front().steps.size();
  for (const Kernel &plan : plans)
    fewest = std::min(fewest, plan.steps.size());
  const size_t begin = sharedSteps(plans, given, fewest, /*fromLast=*/false);
  const size_t behind = sharedSteps(plans, given, fewest - begin, /*fromLast=*/true);
  Kernel joined = std::move(plans.front());
  std::vector<Step> last(std::make_move_iterator(joined.steps.end() - static_cast<std::ptrdiff_t>(behind)),
                         std::make_move_iterator(joined.steps.end()));
  joined.steps.resize(joined.steps.size() - behind);
  joined.alternatives.push_back({begin, joined.steps.size()});
  for (size_t k = given; k < joined.tensors.size(); ++k)
    if (joined.tensors[TensorId(k)].is<Temporary>())
      joined.tensors[TensorId(k)].alternative = 0;
  for (size_t k = 1; k < plans.size(); ++k)
    append(joined, plans[k], given, begin, plans[k].steps.size() - behind);
  std::move(last.begin(), last.end(), std::back_inserter(joined.steps));
  return joined;
}

} // namespace spc::sema
