#include "sema/alternatives.h"
#include "sema/amounts.h"
#include "sema/analyze.h"
#include "sema/cost.h"
#include "sema/division.h"
#include "sema/plan/describe_steps.h"
#include "sema/plan/describe_ties.h"
#include "sema/plan/plan_assembly.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace spc::sema {
namespace {

enum Precedence { kSum = 1, kProduct = 2, kUnary = 3 };

class Describer {
public:
  explicit Describer(const Kernel &kernel) : kernel_(kernel) {}

  std::string run() {
    out_ << "kernel " << kernel_.function << "(";
    for (size_t k = 0; k < kernel_.parameters.size(); ++k)
      out_ << (k > 0 ? ", " : "") << nameOf(kernel_.parameters[k]);
    out_ << ")" << (kernel_.strictFp ? ", strict floating point" : "") << "\n";
    describe(kernel_.schedule);
    for (const Tensor &tensor : kernel_.tensors)
      describe(tensor);
    describeCosts();
    for (size_t k = 0; k < kernel_.steps.size(); ++k) {
      out_ << "\n" << headingOf(k);
      std::visit([this](const auto &concrete) { describe(concrete); }, kernel_.steps[k]);
    }
    return out_.str();
  }

  /// "C(i,k) += A(i,j)*B(j,k)"
  std::string assignment(const Statement &statement, const Term &term) const {
    return access(term, statement.target, term.target) + (term.overwrites ? " = " : takesIn(statement.reduction)) +
           text(term, *term.expr, kSum);
  }

private:
  const std::string &nameOf(TensorId id) const { return kernel_.tensors[id].name; }

  /// As the source text has it, for what is passed in parts.
  const std::string &wholeNameOf(TensorId id) const {
    const Tensor &tensor = kernel_.tensors[id];
    return tensor.partOf.empty() ? tensor.name : tensor.partOf;
  }

  /// Before the first step of an alternative, of the recomputation, of a sweep, and of what follows.
  std::string headingOf(size_t step) const {
    const std::vector<Alternative> &all = kernel_.alternatives;
    const std::optional<Recomputation> &again = kernel_.recomputation;
    if (again && isRecomputed(kernel_, step)) {
      const std::string once = step > again->begin ? "" : "where " + nameOf(again->count) + " is not 0, once more:\n\n";
      for (size_t k = 0; k < again->alternatives.size(); ++k)
        if (step == again->alternatives[k].begin && step < again->alternatives[k].end)
          return once + "after plan " + std::to_string(k + 1) + ":\n\n";
      return once;
    }
    if (again && step == again->end)
      return "then:\n\n";
    const Sweep *sweep = sweepOf(kernel_, step);
    if (sweep && step == sweep->begin)
      return sema::describe(*sweep, kernel_) + ":\n\n";
    if (!sweep && step > 0 && sweepOf(kernel_, step - 1))
      return "then:\n\n";
    for (size_t k = 0; k < all.size(); ++k)
      if (step == all[k].begin)
        return "plan " + std::to_string(k + 1) + " of " + std::to_string(all.size()) + ":\n\n";
    return !all.empty() && step == all.back().end ? "then:\n\n" : "";
  }

  /// A line for the whole kernel, or for each alternative one with all that it runs.
  void describeCosts() {
    if (kernel_.alternatives.empty())
      return describeCost("cost: ", 0);
    for (size_t k = 0; k < kernel_.alternatives.size(); ++k)
      describeCost("cost of plan " + std::to_string(k + 1) + ": ", k);
  }

  /// Statements of one cost together, in order; of a target that several of them write, how many do.
  void describeCost(const std::string &heading, size_t alternative) {
    std::vector<std::pair<std::string, std::vector<std::pair<std::string, int>>>> targets; // by cost, with how many
    for (size_t k = 0; k < kernel_.steps.size(); ++k) {
      const auto *statement = std::get_if<Statement>(&kernel_.steps[k]);
      if (!statement || !runs(kernel_, k, alternative))
        continue;
      const std::string cost = sema::describe(costOf(*statement, kernel_), kernel_);
      if (cost.empty())
        continue;
      auto known = std::find_if(targets.begin(), targets.end(), [&](const auto &one) { return one.first == cost; });
      if (known == targets.end())
        known = targets.insert(known, {cost, {}});
      const auto isTarget = [&](const auto &one) { return one.first == nameOf(statement->target); };
      auto target = std::find_if(known->second.begin(), known->second.end(), isTarget);
      if (target == known->second.end())
        target = known->second.insert(target, {nameOf(statement->target), 0});
      ++target->second;
    }
    for (const Tensor &tensor : kernel_.tensors)
      if (const auto *copy = tensor.as<Converted>();
          copy && tensor.alternative == alternative && !tensor.isOfRecomputation && !isMadeBefore(tensor))
        targets.push_back({"nnz(" + nameOf(copy->source) + ")", {{"copies to " + tensor.name, 1}}});
    for (const auto &[cost, names] : targets) {
      out_ << (cost == targets.front().first ? "  " + heading : "; ") << cost << " for ";
      for (const auto &[name, count] : names)
        out_ << (&name == &names.front().first ? "" : ", ") << name
             << (count > 1 ? " (" + std::to_string(count) + " statements)" : "");
    }
    out_ << (targets.empty() ? "" : "\n");
  }

  void describe(const Schedule &schedule) {
    std::string text;
    const auto add = [&](const std::string &key, const std::string &value) {
      text += (text.empty() ? "  schedule: " : ", ") + key + " " + value;
    };
    const auto addNumber = [&](const std::string &key, const std::optional<int64_t> &value) {
      if (value)
        add(key, std::to_string(*value));
    };
    addNumber("tile", schedule.tile);
    addNumber("unroll", schedule.unroll);
    addNumber("prefetch", schedule.prefetch);
    addNumber("chunk", schedule.chunk);
    if (schedule.workspace != format::WorkspaceKind::Auto)
      add("workspace", schedule.workspace == format::WorkspaceKind::Dense ? "dense" : "hash");
    if (!schedule.order.empty())
      add("order", listOf(schedule.order));
    if (schedule.parallel)
      add("parallel", *schedule.parallel);
    out_ << text << (text.empty() ? "" : "\n");
  }

  void describe(const Tensor &tensor) {
    out_ << "  " << tensor.name;
    for (size_t k = 0; k < tensor.extents.size(); ++k) {
      const Extent &extent = kernel_.extents[tensor.extents[k]];
      out_ << (k > 0 ? ", " : "(") << extent.name;
      if (extent.fixed)
        out_ << "=" << *extent.fixed;
      for (const ExtentSum &sum : extent.sums)
        out_ << "=" << textOf(sum, kernel_);
    }
    out_ << (tensor.extents.empty() ? ": " : "): ") << spelling(tensor.type);
    if (tensor.order() > 0)
      out_ << (tensor.format.name.empty() ? "" : ", " + tensor.format.name) << " "
           << format::describe(tensor.format, dimensionNames(tensor, kernel_));
    if (tensor.fill != 0)
      out_ << ", fill " << textOf(tensor.type, tensor.fill);
    out_ << "; " << roleOf(tensor) << "\n";
  }

  /// Whether no call makes a copy.
  bool isMadeBefore(const Tensor &tensor) const {
    return isConstant(kernel_, TensorId(&tensor - kernel_.tensors.data()));
  }

  std::string roleOf(const Tensor &tensor) const {
    if (const auto *temporary = tensor.as<Temporary>())
      return "temporary" + partOf(*temporary, tensor) + planOf(tensor) +
             (kernel_.recomputation && &tensor == &kernel_.tensors[kernel_.recomputation->count] ? ", counts NaNs"
                                                                                                 : "") +
             (temporary->isRestricted ? ", restricted to what is read" : "") + storageOf(tensor);
    if (const auto *fused = tensor.as<Fused>())
      return "temporary, fused into " + nameOf(fused->reader);
    if (const auto *held = tensor.as<Held>())
      return "temporary, held in " + nameOf(held->holder);
    if (const auto *view = tensor.as<View>())
      return "view of " + nameOf(view->source) + windowsOf(*view);
    if (const auto *size = tensor.as<Size>())
      return "size " + kernel_.extents[size->extent].name;
    if (const auto *tie = tensor.as<Tie>())
      return "tie: " + equationOf(*tie, tensor, kernel_);
    if (const auto *copy = tensor.as<Converted>())
      return (copy->isCanonical ? "canonical copy of " + wholeNameOf(copy->source)
                                : "copy of " + nameOf(copy->source)) +
             (isMadeBefore(tensor) ? ", constant" : "") + planOf(tensor);
    const std::string given = tensor.is<Constant>() ? "constant" : "read";
    return (!tensor.isWritten ? given : tensor.isRead ? "read and written" : "written") + storageOf(tensor);
  }

  /// What of a kernel alone has a tensor.
  static std::string planOf(const Tensor &tensor) {
    const std::string plan = tensor.alternative ? "plan " + std::to_string(*tensor.alternative + 1) : "";
    return tensor.isOfRecomputation ? ", of what is done once more" + (plan.empty() ? "" : " after " + plan)
           : plan.empty()           ? ""
                                    : ", of " + plan;
  }

  static std::string partOf(const Temporary &temporary, const Tensor &tensor) {
    return !temporary.isPart                ? ""
           : tensor.type == ValueType::Bool ? ", where a part has entries"
                                            : ", a part summed first";
  }

  std::string storageOf(const Tensor &tensor) const {
    if (tensor.isAssembled())
      return ", assembled";
    const SharedWith *shared = tensor.shared();
    const bool isSparseOutput = tensor.isWritten && !tensor.format.isDense();
    const std::string owner = shared ? nameOf(shared->owner) : tensor.name;
    return (isSparseOutput ? ", pattern of " + owner : "") +
           (tensor.hasDeclaredOwner() ? ", structure of " + owner : "");
  }

  /// A step that the runtime does, or a copy.
  template <typename Other> void describe(const Other &step) { out_ << describeStep(step, kernel_) << "\n"; }

  static std::string takesIn(Reduction reduction) {
    return reduction == Reduction::Sum ? " += " : " " + std::string(language::spellingOf(reduction)) + "= ";
  }

  void describe(const Statement &statement) {
    out_ << nameOf(statement.target) << " in " << spelling(statement.computeType)
         << (statement.reduction != Reduction::Sum ? ", " + std::string(language::spellingOf(statement.reduction))
             : statement.zeroFirst                 ? ", zeroed first"
                                                   : "");
    if (statement.collecting)
      describe(*statement.collecting, kernel_.tensors[statement.target], statement.terms.front());
    out_ << ":\n";
    for (const Term &term : statement.terms) {
      out_ << "  for";
      for (const Loop &loop : term.loops)
        out_ << (&loop == &term.loops.front() ? " " : ", ") << loop.variable << (loop.isReduction ? "+" : "");
      out_ << (term.loops.empty() ? " once: " : ": ") << assignment(statement, term)
           << (term.domain ? ", " + text(term, *term.domain) : "") << (term.isMerged ? ", merged at once" : "")
           << (term.scalesRows ? ", scaled behind each row" : "") << "\n";
    }
    out_ << "  " << sema::describe(divisionOf(kernel_, statement), kernel_) << "\n";
  }

  void describe(const Collecting &collecting, const Tensor &target, const Term &term) {
    std::vector<std::string> row, key;
    for (int dim : collecting.dims)
      (static_cast<int>(row.size()) < collecting.rowOrder ? row : key).push_back(text(term, term.target[dim]));
    out_ << ", assembled " << (row.empty() ? "as a whole" : "row by row " + listOf(row)) << ", keys " << listOf(key);
    if (collecting.dims != storedOrder(target.format))
      out_ << ", then reordered";
  }

  std::string access(const Term &term, TensorId tensor, const std::vector<Index> &indices) const {
    std::string result = nameOf(tensor);
    for (size_t k = 0; k < indices.size(); ++k)
      result += (k > 0 ? "," : "(") + text(term, indices[k]);
    return indices.empty() ? result : result + ")";
  }

  static std::string text(const Term &term, const Index &index) {
    std::string result;
    for (const IndexTerm &part : index.terms) {
      const Loop &loop = term.loops[part.loop];
      const bool compound = loop.part != format::Part::Whole && index.terms.size() > 1;
      const int64_t scale = part.scale < 0 ? -part.scale : part.scale;
      result += result.empty() ? (part.scale < 0 ? "-" : "") : (part.scale < 0 ? " - " : " + ");
      result +=
          (scale == 1 ? "" : std::to_string(scale) + "*") + (compound ? "(" + loop.variable + ")" : loop.variable);
    }
    if (index.constant != 0)
      result += (index.constant < 0 ? " - " : " + ") + std::to_string(std::abs(index.constant));
    return result;
  }

  /// "where (A or B) and C"
  std::string text(const Term &term, const Domain &domain, bool isNested = false) const {
    if (domain.kind == Domain::Kind::Everywhere)
      return "everywhere";
    std::string result = isNested ? "" : "where ";
    if (domain.kind == Domain::Kind::Missing)
      return result + "not " + nameOf(term.operands[domain.operand].tensor);
    if (domain.kind == Domain::Kind::Stored)
      return result + nameOf(term.operands[domain.operand].tensor);
    std::string parts;
    for (const Domain &part : domain.parts)
      parts += (parts.empty() ? "" : domain.kind == Domain::Kind::All ? " and " : " or ") + text(term, part, true);
    return result + (isNested ? "(" + parts + ")" : parts);
  }

  std::string text(const Term &term, const Call &call, ValueType type) const {
    const language::FunctionSpelling &spelled = language::spellingOf(call.function);
    std::string result = call.function == Function::Cast ? spelling(type) : std::string(spelled.text);
    for (const ExprPtr &argument : call.arguments)
      result += (&argument == &call.arguments.front() ? "(" : ", ") + text(term, *argument, kSum);
    return result + ")";
  }

  std::string text(const Term &term, const Expr &expr, int atLeast) const {
    if (const auto *literal = std::get_if<Literal>(&expr.node))
      return textOf(expr.type, literal->value);
    if (const auto *use = std::get_if<Use>(&expr.node)) {
      const Operand &operand = term.operands[use->operand];
      return access(term, operand.tensor, operand.indices) + (operand.skipsDiagonal ? "'" : "");
    }
    if (const auto *index = std::get_if<IndexValue>(&expr.node))
      return index->index.terms.size() > 1 || index->index.constant != 0 ? "(" + text(term, index->index) + ")"
                                                                         : text(term, index->index);
    if (const auto *call = std::get_if<Call>(&expr.node))
      return text(term, *call, expr.type);
    if (const auto *negate = std::get_if<Negate>(&expr.node))
      return "-" + text(term, *negate->operand, kUnary);
    const auto &binary = std::get<Binary>(expr.node);
    int own = binary.op == BinaryOp::Add || binary.op == BinaryOp::Sub ? kSum : kProduct;
    std::string result = text(term, *binary.left, own) + std::string(language::spellingOf(binary.op)) +
                         text(term, *binary.right, own + 1);
    return own < atLeast ? "(" + result + ")" : result;
  }

  const Kernel &kernel_;
  std::ostringstream out_;
};

} // namespace

std::string describe(const Kernel &kernel) {
  return Describer(kernel).run();
}

std::string describe(const Kernel &kernel, const Statement &statement, const Term &term) {
  return Describer(kernel).assignment(statement, term);
}

} // namespace spc::sema
