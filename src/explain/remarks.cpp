// What was not done for speed, and what would enable it.
#include "explain/explanation.h"
#include "explain/nests.h"
#include "explain/regroup.h"
#include "explain/text.h"
#include "format/levels.h"
#include "sema/alternatives.h"
#include "sema/nest.h"

#include <algorithm>

namespace spc::explain {
namespace {

using sema::LoopId;
using sema::OperandId;

class RemarkCollector {
public:
  RemarkCollector(const sema::Kernel &kernel, int optLevel, Data *data)
      : kernel_(kernel), optLevel_(optLevel), data_(data) {}

  void add(std::string id, Span where, std::string text, std::string advice = "") {
    for (const Remark &known : remarks_)
      if (known.id == id && known.text == text)
        return;
    remarks_.push_back({std::move(id), where, std::move(text), std::move(advice)});
  }

  /// What makes a call do many times more than it has to, which goes ahead of all else.
  void onWaste() {
    for (const sema::TensorId id : kernel_.tensors.ids())
      onTemporary(id);
    // Where calls choose among plans, they have been grouped in all ways.
    for (size_t k = 0; k < kernel_.steps.size(); ++k)
      if (const auto *statement = std::get_if<sema::Statement>(&kernel_.steps[k]);
          statement && !sema::alternativeOf(kernel_, k) && !sema::isRecomputed(kernel_, k))
        for (const sema::Term &term : statement->terms)
          onGrouping(*statement, term);
  }

  /// `alternative`: the one that calls take.
  void onTensors(size_t alternative) {
    for (sema::TensorId id : kernel_.tensors.ids()) {
      const sema::Tensor &tensor = kernel_.tensors[id];
      const auto *copy = tensor.as<sema::Converted>();
      const bool isMade = !tensor.isOfRecomputation && tensor.alternative.value_or(alternative) == alternative;
      if (copy && isMade && !sema::isConstant(kernel_, id)) {
        const sema::Tensor &source = kernel_.tensors[copy->source];
        if (source.is<sema::Tie>())
          continue;
        const std::string &name = source.partOf.empty() ? source.name : source.partOf;
        if (tensor.format.levels.front().isFound && format::listsRowsOf(source.format, tensor.format)) {
          add("operand-copied", source.where,
              "the rows of " + nameOf(copy->source) + " are put into a table once a call, where the loops look them up",
              "store it with all of its rows, as CSR does, where memory holds a pointer for each");
          continue;
        }
        add("operand-copied", source.where,
            "'" + name + "' is copied once a call, to " + format::describe(tensor.format) +
                ", as the loops do not visit it in the order in which it is stored",
            copy->isCanonical ? "store it with each entry once and in order, as CSR does"
                              : "store it in that order, and pass that");
      }
    }
  }

  void onStatement(const sema::Statement &statement, const pipeline::BodyFacts &body) {
    onThreads(statement, body);
    for (const sema::Term &term : statement.terms)
      onTerm(statement, term);
    onVectors(statement, body);
    if (body.usesWorkspace)
      add("row-workspace", statement.where,
          "entries of " + nameOf(statement.target) +
              " are accumulated in a workspace and sorted row by row, as the loops come to them in no order");
  }

  std::vector<Remark> take() { return std::move(remarks_); }

private:
  /// A sparse operand that has all of its extents in common with a tensor; null where there is none.
  const sema::Tensor *sparseLike(const sema::Tensor &tensor) const {
    const auto sorted = [](std::vector<sema::ExtentId> extents) {
      std::sort(extents.begin(), extents.end());
      return extents;
    };
    const std::vector<sema::ExtentId> all = sorted(tensor.extents);
    for (const sema::TensorId id : kernel_.parameters) {
      const sema::Tensor &one = kernel_.tensors[id];
      const std::vector<sema::ExtentId> own = sorted(one.extents);
      if (one.isRead && one.order() > 1 && !one.format.isDense() &&
          std::includes(all.begin(), all.end(), own.begin(), own.end()))
        return &one;
    }
    return nullptr;
  }

  /// A dense temporary that has an element for each place of a sparse operand.
  void onTemporary(sema::TensorId id) {
    const sema::Tensor &tensor = kernel_.tensors[id];
    const sema::Tensor *sparse = tensor.is<sema::Temporary>() && tensor.format.isDense() ? sparseLike(tensor) : nullptr;
    if (!sparse)
      return;
    const std::string &name = sparse->partOf.empty() ? sparse->name : sparse->partOf;
    std::string shape;
    for (const sema::ExtentId extent : tensor.extents)
      shape += (shape.empty() ? "" : " x ") + kernel_.extents[extent].name;
    const std::optional<double> bytes = data_ ? data_->bytes(id) : std::nullopt;
    add("dense-temporary", tensor.where,
        nameOf(id) + " is a dense temporary of " + shape + (bytes ? ", " + byteText(*bytes) : "") +
            ": each call computes and stores every element of it",
        "where it is needed only where '" + name + "' is stored, multiply it by pattern(" + name + "(...))");
  }

  /// A sum that is worked out again and again.
  void onGrouping(const sema::Statement &statement, const sema::Term &term) {
    const std::optional<Regrouping> found = regroupingOf(kernel_, statement, term);
    if (!found)
      return;
    std::string factors;
    for (size_t k = 0; k < found->factors.size(); ++k)
      factors += (k == 0                          ? ""
                  : k + 1 < found->factors.size() ? ", "
                                                  : " and ") +
                 nameOf(term.operands[found->factors[k]].tensor);
    const std::string part = found->indices.empty() ? "t" : "t(" + joined(found->indices, ",") + ")";
    add("regroup", term.where,
        "the sum over " + found->summed + " of " + factors + " is worked out again for each " +
            joined(found->outside, ", ") + ", on which it does not depend",
        "give it a statement of its own, let " + part + " = ..., and read " + part + " in its place");
  }

  static std::string joined(const std::vector<std::string> &words, const std::string &between) {
    std::string text;
    for (const std::string &word : words)
      text += (text.empty() ? "" : between) + word;
    return text;
  }

  void onThreads(const sema::Statement &statement, const pipeline::BodyFacts &body) {
    const std::string name = nameOf(statement.target);
    if (!body.copies.empty()) {
      add("output-copies", statement.where,
          "chunks add to any place of " + name + ", so that each but the first has a copy of it",
          "store the operand so that its outermost level is an index of " + name);
      return;
    }
    if (body.inChunks)
      return;
    if (kernel_.schedule.parallel == sema::kNotParallel) {
      add("serial", statement.where, name + " is computed on one thread, as the schedule says",
          "leave \"parallel\" out of the schedule");
      return;
    }
    const bool scatters = std::any_of(statement.terms.begin(), statement.terms.end(), [](const sema::Term &term) {
      return !term.loops.empty() && term.loops.front().isReduction;
    });
    if (scatters && kernel_.strictFp)
      add("serial", statement.where,
          name +
              " is computed on one thread: its outermost loop is summed over, and --fp=strict keeps the order of sums",
          "leave out --fp=strict, or store the operand by an index of " + name);
    else if (scatters)
      add("serial", statement.where,
          name + " is computed on one thread: iterations of its outermost loop write the same elements",
          "store the operand so that its outermost level is an index of " + name);
    else
      add("serial", statement.where,
          name + " is computed on one thread: its loops have no rows that are written apart");
  }

  void onTerm(const sema::Statement &statement, const sema::Term &term) {
    if (term.loops.empty())
      return;
    for (LoopId loop : term.loops.ids())
      if (const std::vector<OperandId> listed = listedIn(kernel_, term, loop);
          listed.size() > 1 && !sema::lookedUpIn(kernel_, term, loop))
        add("merged-loop", term.where,
            "the loop over " + term.loops[loop].variable + " merges " + namesOf(term, listed) +
                ": one entry at a time, with a branch for each",
            "where one of them is much shorter, store the other so that its coordinates can be found: densely, or in "
            "blocks");
    onGathers(term);
    if (kernel_.strictFp && term.loops.back().isReduction && sema::isFloat(statement.computeType))
      add("strict-order", term.where,
          "the sum over " + term.loops.back().variable +
              " is one chain of additions, as --fp=strict keeps their order: none overlap, and none are vectors",
          "leave out --fp=strict where the order of additions may change");
  }

  /// Dense operands that the innermost loop reads at listed coordinates.
  void onGathers(const sema::Term &term) {
    const LoopId innermost(term.loops.size() - 1);
    const std::vector<OperandId> listed = listedIn(kernel_, term, innermost);
    if (visitsAll(kernel_, term, innermost))
      return;
    for (const sema::Operand &operand : term.operands) {
      const sema::Tensor &tensor = kernel_.tensors[operand.tensor];
      if (!tensor.format.isDense() || operand.indices.empty())
        continue;
      const bool isGathered = std::any_of(operand.indices.begin(), operand.indices.end(),
                                          [&](const sema::Index &index) { return index.has(innermost); });
      if (isGathered)
        add("gathers", term.where,
            "the inner loop over " + term.loops[innermost].variable + " reads " + nameOf(operand.tensor) +
                " element by element at the coordinates of " + namesOf(term, listed) +
                ": the elements of one iteration and the next do not lie side by side",
            "work on several right-hand sides at once, as columns of a matrix, or store blocks");
    }
  }

  void onVectors(const sema::Statement &statement, const pipeline::BodyFacts &body) {
    const bool hasLoops = std::any_of(body.machines.begin(), body.machines.end(),
                                      [](const pipeline::MachineFacts &machine) { return machine.innermost > 0; });
    const bool isScalar = std::all_of(body.machines.begin(), body.machines.end(),
                                      [](const pipeline::MachineFacts &machine) { return machine.vectorised == 0; });
    if (!hasLoops || !isScalar)
      return;
    const std::string name = "the loops of " + nameOf(statement.target) + " are not vectorised: ";
    if (optLevel_ < 2)
      add("not-vectorised", statement.where, name + "-O" + std::to_string(optLevel_) + " leaves them scalar",
          "compile with -O2 or -O3");
    else if (sema::isInteger(statement.computeType) || statement.computeType == sema::ValueType::Bool)
      add("integer-loops", statement.where,
          "the passes that write vectors look at floats alone, and " + nameOf(statement.target) + " is computed in " +
              sema::spelling(statement.computeType) + ": what LLVM makes of its loops is all",
          "where the numbers are small enough, f32 holds whole numbers up to 2^24 exactly");
    else if (body.usesWorkspace)
      add("not-vectorised", statement.where, name + "each entry goes to another place of a row's workspace");
    else if (statement.reduction != sema::Reduction::Sum)
      add("not-vectorised", statement.where, name + "a reduction other than a sum is one chain of choices");
    else if (kernel_.strictFp)
      add("not-vectorised", statement.where, name + "--fp=strict keeps the order of additions",
          "leave out --fp=strict");
    else
      add("not-vectorised", statement.where, name + "no loop of theirs runs over contiguous elements",
          "a dense index that is innermost, or blocks, would give some");
  }

  std::string namesOf(const sema::Term &term, const std::vector<OperandId> &operands) const {
    std::string names;
    for (OperandId id : operands)
      names += (names.empty() ? "" : " and ") + nameOf(term.operands[id].tensor);
    return names;
  }

  /// A tensor as the kernel's text knows it: the names of copies and of temporaries that it does not name are made up.
  std::string nameOf(sema::TensorId id) const {
    const sema::Tensor &tensor = kernel_.tensors[id];
    if (const auto *copy = tensor.as<sema::Converted>())
      return "the copy of " + nameOf(copy->source);
    if (tensor.is<sema::Temporary>() && tensor.name.find('$') != std::string::npos)
      return "a temporary";
    return "'" + (tensor.partOf.empty() ? tensor.name : tensor.partOf) + "'";
  }

  const sema::Kernel &kernel_;
  int optLevel_;
  Data *data_;
  std::vector<Remark> remarks_;
};

} // namespace

std::vector<Remark> remarksOn(const sema::Kernel &kernel, const std::vector<pipeline::BodyFacts> &bodies, int optLevel,
                              Data *data, size_t alternative) {
  RemarkCollector collector(kernel, optLevel, data);
  collector.onWaste();
  collector.onTensors(alternative);
  for (const pipeline::BodyFacts &body : bodies)
    if (const auto *statement = std::get_if<sema::Statement>(&kernel.steps[body.step]);
        statement && sema::runs(kernel, body.step, alternative) &&
        !(kernel.recomputation && kernel.recomputation->count == statement->target))
      collector.onStatement(*statement, body);
  return collector.take();
}

} // namespace spc::explain
