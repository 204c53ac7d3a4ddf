#include "explain/cost.h"

#include "explain/step_counter.h"
#include "sema/alternatives.h"

#include <algorithm>
#include <set>

namespace spc::explain {
namespace {

/// Places of an assembled output that are worked out to know its size.
constexpr size_t kMostPlaces = 8'000'000;

int operationsOf(const sema::Expr &expr) {
  if (const auto *negate = std::get_if<sema::Negate>(&expr.node))
    return operationsOf(*negate->operand);
  if (const auto *binary = std::get_if<sema::Binary>(&expr.node))
    return 1 + operationsOf(*binary->left) + operationsOf(*binary->right);
  if (const auto *call = std::get_if<sema::Call>(&expr.node)) {
    int operations = 1;
    for (const sema::ExprPtr &argument : call->arguments)
      operations += operationsOf(*argument);
    return operations;
  }
  return 0;
}

class CallCounter {
public:
  CallCounter(const sema::Kernel &kernel, Data &data, const CallCost *like, double mostWalked)
      : kernel_(kernel), data_(data), like_(like),
        inputs_{kernel, data.extents(), [&data](sema::TensorId tensor) { return data.tree(tensor); }, mostWalked} {}

  CallCost run() {
    cost_.alternative = sema::alternativeFor(kernel_, sizes());
    for (size_t k = 0; k < kernel_.steps.size(); ++k) {
      const auto *statement = std::get_if<sema::Statement>(&kernel_.steps[k]);
      cost_.steps.push_back(statement && runs(k) ? stepsOf(*statement) : std::optional(0.0));
    }
    for (sema::TensorId id : kernel_.tensors.ids())
      addTraffic(id);
    for (size_t k = 0; k < kernel_.steps.size(); ++k) {
      const auto *statement = std::get_if<sema::Statement>(&kernel_.steps[k]);
      cost_.bytes.push_back(!runs(k) ? std::optional(0.0) : statement ? bytesOf(*statement) : std::nullopt);
    }
    return std::move(cost_);
  }

private:
  bool runs(size_t step) const { return sema::runs(kernel_, step, cost_.alternative); }

  /// By which the call chooses an alternative.
  sema::CostSizes sizes() {
    return {[this](sema::ExtentId id) { return static_cast<double>(data_.extents()[id]); },
            [this](sema::TensorId id) -> std::optional<double> {
              const tensor::PackedTensor *packed = data_.packed(id);
              return packed ? std::optional(static_cast<double>(packed->valueCount())) : std::nullopt;
            }};
  }

  std::optional<double> stepsOf(const sema::Statement &statement) {
    double steps = 0;
    for (const sema::Term &term : statement.terms) {
      const std::optional<double> own = countSteps(statement, term, inputs_);
      if (!own)
        return std::nullopt;
      steps += *own;
      cost_.operations += *own * (operationsOf(*term.expr) + (term.overwrites ? 0 : 1));
    }
    return steps;
  }

  /// Of what a statement reads and writes; nullopt where the call decides how much that is.
  std::optional<double> bytesOf(const sema::Statement &statement) {
    std::set<sema::TensorId> touched{statement.target};
    for (const sema::Term &term : statement.terms)
      for (const sema::Operand &operand : term.operands) {
        const auto *view = kernel_.tensors[operand.tensor].as<sema::View>();
        touched.insert(view ? view->source : operand.tensor);
      }
    double bytes = 0;
    for (const sema::TensorId id : touched) {
      const sema::Tensor &tensor = kernel_.tensors[id];
      if (tensor.order() == 0 || tensor.isNowhere())
        continue;
      const auto known = std::find_if(cost_.traffic.begin(), cost_.traffic.end(),
                                      [&](const Traffic &one) { return one.tensor == tensor.name; });
      if (known == cost_.traffic.end())
        return std::nullopt;
      bytes += std::max(known->read, known->written);
    }
    return bytes;
  }

  /// The bytes of an assembled tensor, from the places that its statement writes.
  std::optional<double> assembledBytes(sema::TensorId id) {
    const sema::Tensor &tensor = kernel_.tensors[id];
    tensor::Coordinates entries;
    entries.shape = data_.shapeOf(tensor);
    for (const sema::Step &step : kernel_.steps) {
      const auto *statement = std::get_if<sema::Statement>(&step);
      if (!statement || statement->target != id)
        continue;
      for (const sema::Term &term : statement->terms) {
        const std::optional<std::vector<int64_t>> places = writtenAt(term, inputs_, kMostPlaces);
        if (!places)
          return std::nullopt;
        entries.coordinates.insert(entries.coordinates.end(), places->begin(), places->end());
      }
    }
    entries.values.resize(tensor.order() > 0 ? entries.coordinates.size() / static_cast<size_t>(tensor.order()) : 0);
    std::string error;
    const auto packed = tensor::PackedTensor::pack(entries, tensor.format, tensor.type, error);
    return packed && entries.size() > 0 ? std::optional(packed->footprint().bytes) : std::nullopt;
  }

  void add(sema::TensorId id, std::optional<double> read, std::optional<double> written) {
    if (!read || !written)
      cost_.unknown.push_back(kernel_.tensors[id].name);
    else
      cost_.traffic.push_back({kernel_.tensors[id].name, *read, *written});
  }

  void addTraffic(sema::TensorId id) {
    const sema::Tensor &tensor = kernel_.tensors[id];
    if (tensor.order() == 0 || tensor.isNowhere() || tensor.isOfRecomputation ||
        tensor.alternative.value_or(cost_.alternative) != cost_.alternative)
      return;
    if (sema::holderOf(kernel_, id)) // a piece of it stays in a cache
      return add(id, 0.0, 0.0);
    if ((tensor.is<sema::Converted>() && !sema::isConstant(kernel_, id)) || tensor.is<sema::Tie>()) {
      // Written, and read by the loops; reading the source is counted with that.
      const std::optional<double> own = data_.bytes(id);
      return add(id, own, own);
    }
    const bool isTemporary = tensor.is<sema::Temporary>();
    if (tensor.isAssembled() && like_) {
      const auto known = std::find_if(like_->traffic.begin(), like_->traffic.end(),
                                      [&](const Traffic &one) { return one.tensor == tensor.name; });
      const bool isKnown = known != like_->traffic.end();
      return add(id, isKnown ? std::optional(known->read) : std::nullopt,
                 isKnown ? std::optional(known->written) : std::nullopt);
    }
    if (tensor.isAssembled()) {
      const std::optional<double> bytes = assembledBytes(id);
      return add(id, isTemporary ? bytes : std::optional(0.0), bytes);
    }
    // Of a shared structure the owner's arrays are counted with the owner.
    const std::optional<double> bytes = tensor.shared() ? data_.valueBytes(id) : data_.bytes(id);
    const bool isRead = tensor.isRead || isTemporary;
    const bool isWritten = tensor.isWritten || isTemporary;
    const std::optional<double> values = data_.valueBytes(id);
    add(id, isRead ? bytes : std::optional(0.0), isWritten ? values : std::optional(0.0));
  }

  const sema::Kernel &kernel_;
  Data &data_;
  const CallCost *like_;
  CountInputs inputs_;
  CallCost cost_;
};

} // namespace

std::optional<double> CallCost::allSteps() const {
  double all = 0;
  for (const std::optional<double> &own : steps) {
    if (!own)
      return std::nullopt;
    all += *own;
  }
  return all;
}

double CallCost::allBytes() const {
  double all = 0;
  for (const Traffic &own : traffic)
    all += own.read + own.written;
  return all;
}

CallCost costOn(const sema::Kernel &kernel, Data &data, const CallCost *like, double mostWalked) {
  return CallCounter(kernel, data, like, mostWalked).run();
}

} // namespace spc::explain
