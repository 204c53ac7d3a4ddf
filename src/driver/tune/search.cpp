#include "driver/tune/search.h"

#include "host/inputs.h"
#include "host/kernel_call.h"
#include "host/kernel_status.h"
#include "pipeline/compiler.h"
#include "reference/reference.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

namespace spc::driver {

namespace {

double clockSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

size_t countCopies(const sema::Kernel &kernel) {
  return static_cast<size_t>(std::count_if(kernel.tensors.begin(), kernel.tensors.end(),
                                           [](const sema::Tensor &one) { return one.is<sema::Converted>(); }));
}

} // namespace

std::string TunePoint::formatText() const {
  std::string text;
  for (const auto &[tensor, choice] : formats)
    text += (text.empty() ? "" : ", ") + tensor + " " + choice.name;
  return text;
}

namespace {

/// The same for points whose arguments are.
std::string storageOf(const TunePoint &point) {
  return point.formatText() + "|" + std::to_string(point.order);
}

std::string keyOf(const TunePoint &point) {
  return storageOf(point) + "|" + tune::describe(point.schedule);
}

/// The most that an output's numbers are rounded by.
double coarsestRounding(const sema::Kernel &kernel) {
  double most = std::numeric_limits<double>::epsilon();
  for (sema::TensorId id : kernel.parameters)
    if (kernel.tensors[id].isWritten)
      most = std::max(most, reference::epsilonOf(kernel.tensors[id].type));
  return most;
}

} // namespace

TuneSearch::TuneSearch(Session &session, TuneKernel kernel, TuneSettings settings, format::FormatLoader &loader,
                       std::vector<std::unique_ptr<TuneData>> &data)
    : session_(session), kernel_(std::move(kernel)), settings_(std::move(settings)), loader_(loader), data_(data),
      begin_(clockSeconds()) {}

double TuneSearch::secondsUsed() const {
  return clockSeconds() - begin_;
}

std::shared_ptr<TuneCode> TuneSearch::compile(const TunePoint &point, Diagnostics &diagnostics) const {
  std::vector<format::Binding> bindings;
  for (const format::Binding &binding : kernel_.bindings)
    if (!binding.tensor || !point.formats.contains(*binding.tensor)) {
      bindings.push_back(binding);
      bindings.back().schedule = {};
    }
  for (const auto &[tensor, choice] : point.formats)
    bindings.push_back(format::bindingOf(tensor, choice.format));
  if (!bindings.empty())
    bindings.front().schedule = point.schedule;
  std::optional<sema::Kernel> kernel = sema::analyze(kernel_.tree, bindings, kernel_.checks, diagnostics);
  if (!kernel)
    return nullptr;
  auto code = std::make_shared<TuneCode>();
  code->kernel = std::move(*kernel);
  if (fallback_ && countCopies(code->kernel) > countCopies(fallback_->kernel))
    return code; // without code: not worth compiling
  code->signature = abi::makeSignature(code->kernel);
  code->code = pipeline::compileToMemory(code->kernel, settings_.optLevel, diagnostics, &code->hash,
                                         /*verifyEach=*/settings_.verifies);
  return code->code ? code : nullptr;
}

std::shared_ptr<TuneCode> TuneSearch::codeOf(const TunePoint &point) {
  const auto [found, isNew] = codes_.try_emplace(point.formatText() + "|" + tune::describe(point.schedule));
  if (!isNew)
    return found->second;
  Diagnostics scratch;
  found->second = compile(point, scratch);
  if (settings_.verifies)
    session_.diagnostics().appendInternal(scratch);
  const auto isSlow = [](const Diagnostic &one) { return one.kind.id == "slow-order"; };
  if (found->second)
    found->second->isSlow = std::any_of(scratch.all().begin(), scratch.all().end(), isSlow);
  return found->second;
}

TuneSearch::Key TuneSearch::codeKey(const TunePoint &point, const TuneCode &code) {
  return storageOf(point) + "|" + std::to_string(code.hash);
}

std::shared_ptr<TuneArguments> TuneSearch::argumentsOf(const TunePoint &point, const TuneCode &code, size_t data) {
  constexpr size_t kKept = 4; // for each data set, the default's among them
  const Key key = storageOf(point) + "|" + std::to_string(data);
  const auto found = std::find_if(packed_.begin(), packed_.end(), [&](const Packed &one) { return one.key == key; });
  if (found != packed_.end())
    return found->arguments;
  std::shared_ptr<TuneArguments> arguments = data_[data]->pack(code, point.order);
  if (packed_.size() >= kKept * data_.size())
    packed_.erase(packed_.begin() + static_cast<ptrdiff_t>(data_.size()));
  if (arguments)
    packed_.push_back({key, arguments});
  return arguments;
}

double TuneSearch::measure(const TuneCode &code, TuneArguments &arguments, size_t data, spc_status &status) const {
  constexpr int kFewest = 3, kMost = 30;
  constexpr double kRound = 5e-5, kGivesUp = 4;
  const double slice = std::clamp(settings_.budget / 120 / static_cast<double>(data_.size()), 0.005, 0.4);
  std::optional<double> first = timedCall(code, arguments, settings_.context, status);
  if (!first)
    return 0;
  const std::vector<double> &fallback = trials_.front().seconds;
  const auto isHopeless = [&] { return fallback.size() > data && *first > kGivesUp * fallback[data] + 1e-3; };
  if (isHopeless()) // once more: the first call meets new pages, and perhaps other work of the machine
    first = std::min(*first, timedCall(code, arguments, settings_.context, status).value_or(*first));
  if (isHopeless())
    return *first;
  const int batch = static_cast<int>(std::clamp(kRound / std::max(*first, 1e-9), 1.0, 1000.0));
  double least = INFINITY, total = 0;
  for (int round = 0; round < kFewest || (round < kMost && total < slice); ++round) {
    double sum = 0;
    for (int call = 0; call < batch; ++call)
      sum += timedCall(code, arguments, settings_.context, status).value_or(0);
    least = std::min(least, sum / batch);
    total += sum;
  }
  return least;
}

double TuneSearch::countedSeconds(const TuneTrial &trial, double seconds) const {
  const bool isEachCall = settings_.permuting == TunePermuting::Call;
  if (isEachCall)
    seconds += trial.permuting;
  return settings_.calls > 0 ? seconds + (isEachCall ? trial.once : trial.onceInAll()) / settings_.calls : seconds;
}

bool TuneSearch::isExpected(const TuneResults &results, size_t order, size_t data) {
  const auto [expected, isFirst] = expected_.try_emplace({order, data}, results);
  return isFirst || agree(results, expected->second, coarsestRounding(fallback_->kernel));
}

bool TuneSearch::tryFallback() {
  TuneTrial &trial = trials_.emplace_back();
  trial.point.schedule = kernel_.schedule;
  tried_.insert(keyOf(trial.point));
  Diagnostics said = session_.diagnostics().alike(); // whose warnings the check of the kernel has given already
  fallback_ = compile(trial.point, said);
  if (!fallback_) {
    session_.diagnostics().append(std::move(said));
    return false;
  }
  measured_[codeKey(trial.point, *fallback_)] = 0;
  for (size_t k = 0; k < data_.size(); ++k) {
    std::shared_ptr<TuneArguments> arguments = argumentsOf(trial.point, *fallback_, k);
    if (!arguments) { // once more, to say why
      host::Inputs inputs = data_[k]->inputsFor(fallback_->kernel, 0);
      host::packArguments(session_, fallback_->kernel, fallback_->signature, inputs);
      return false;
    }
    spc_status status = SPC_OK;
    trial.seconds.push_back(measure(*fallback_, *arguments, k, status));
    if (status != SPC_OK) {
      host::reportStatus(session_, fallback_->kernel, data_[k]->inputsFor(fallback_->kernel, 0), status);
      return false;
    }
    std::vector<tensor::PackedTensor *> tensors;
    for (size_t at = 0; at < arguments->tensors.size(); ++at)
      if (arguments->tensors[at] && !fallback_->signature.parameters[at].isAssembled)
        tensors.push_back(arguments->tensors[at]);
    if (k == 0)
      memory_ = host::memoryOf(tensors, settings_.pages);
    if (const std::optional<TuneResults> results = resultsOf(*fallback_, *arguments, settings_.context))
      isExpected(*results, 0, k);
  }
  return true;
}

std::string TuneSearch::whyHopeless(const TunePoint &point) {
  const sema::Kernel &kernel = fallback_->kernel;
  for (const auto &[name, choice] : point.formats)
    for (const std::unique_ptr<TuneData> &data : data_) {
      const TuneData::Cost cost = data->costs(kernel, name, choice.format, point.order);
      if (cost.times > tune::kHopeless || !cost.fitsMemory) {
        char text[64];
        std::snprintf(text, sizeof text, "moves %.3g times the bytes", cost.times);
        return cost.fitsMemory ? text : "does not fit into memory";
      }
    }
  return "";
}

void TuneSearch::measureTrial(TuneTrial &trial) {
  trial.order = data_.front()->orders()[trial.point.order].name;
  trial.skipped = whyHopeless(trial.point);
  if (!trial.skipped.empty())
    return;
  const std::shared_ptr<TuneCode> code = codeOf(trial.point);
  if (!code || !code->code || code->isSlow) {
    trial.skipped = !code        ? "the kernel cannot have it"
                    : code->code ? "its loops take many times the steps"
                                 : "would be copied at each call";
    return;
  }
  if (const auto [same, isNew] = measured_.try_emplace(codeKey(trial.point, *code), trials_.size()); !isNew) {
    const std::string schedule = tune::describe(trials_[same->second].point.schedule);
    trial.skipped = "the same code as with " + (schedule.empty() ? "the compiler's own schedule" : schedule);
    return;
  }
  const auto count = static_cast<double>(data_.size());
  for (size_t k = 0; k < data_.size() && trial.skipped.empty(); ++k) {
    const std::shared_ptr<TuneArguments> arguments = argumentsOf(trial.point, *code, k);
    if (!arguments) {
      trial.skipped = "cannot hold the data";
      return;
    }
    const tune::ExtentOrders &order = data_[k]->orders()[trial.point.order];
    trial.once += (arguments->packSeconds + order.seconds) / count;
    if (!order.isIdentity()) {
      const TunePermutingCost cost = data_[k]->permutingCost(*fallback_, trial.point.order);
      trial.permuting += cost.seconds / count;
      trial.mayPermute = !cost.hasSparseResult;
      if (cost.hasSparseResult && settings_.permuting == TunePermuting::Call) {
        trial.skipped = "a sparse result would have to be permuted back";
        return;
      }
    }
    spc_status status = SPC_OK;
    trial.seconds.push_back(measure(*code, *arguments, k, status));
    const std::optional<TuneResults> results =
        status == SPC_OK ? resultsOf(*code, *arguments, settings_.context) : std::nullopt;
    if (!results)
      trial.skipped = "the call fails";
    else if (!isExpected(*results, trial.point.order, k))
      trial.skipped = "gives another result";
  }
  setRatio(trial);
}

void TuneSearch::setRatio(TuneTrial &trial) const {
  double logs = 0;
  for (size_t k = 0; k < trial.seconds.size(); ++k)
    logs += std::log(countedSeconds(trial, trial.seconds[k]) / std::max(trials_.front().seconds[k], 1e-12));
  trial.ratio = trial.seconds.empty() ? 1 : std::exp(logs / static_cast<double>(trial.seconds.size()));
}

void TuneSearch::measureDefaultAgain() {
  TuneTrial &fallback = trials_.front();
  for (size_t k = 0; k < data_.size(); ++k) {
    const std::shared_ptr<TuneArguments> arguments = argumentsOf(fallback.point, *fallback_, k);
    spc_status status = SPC_OK;
    const double seconds = arguments ? measure(*fallback_, *arguments, k, status) : 0;
    if (seconds > 0)
      fallback.seconds[k] = std::min(fallback.seconds[k], seconds);
  }
  for (TuneTrial &trial : trials_)
    if (&trial != &fallback)
      setRatio(trial);
}

void TuneSearch::tryPoint(const TunePoint &point) {
  const bool isWanted = trials_.size() == 1 && wantedOrder() == point.order; // whatever the budget
  const Key key = keyOf(point);
  if (!isWanted && !hasTime()) {
    if (!tried_.contains(key) && whyHopeless(point).empty())
      leftOut_.emplace(key, point);
  } else if (tried_.insert(key).second) {
    TuneTrial trial;
    trial.point = point;
    measureTrial(trial);
    trials_.push_back(std::move(trial));
    leftOut_.erase(key);
    showProgress();
  }
}

std::vector<size_t> TuneSearch::ranking() const {
  std::vector<size_t> ranks;
  const std::optional<size_t> wanted = wantedOrder();
  for (size_t k = 0; k < trials_.size(); ++k)
    if (trials_[k].skipped.empty() && (!wanted || trials_[k].point.order == *wanted))
      ranks.push_back(k);
  if (ranks.empty())
    ranks.push_back(0);
  std::stable_sort(ranks.begin(), ranks.end(), [&](size_t a, size_t b) { return trials_[a].ratio < trials_[b].ratio; });
  return ranks;
}

std::optional<size_t> TuneSearch::wantedOrder() const {
  const std::vector<tune::ExtentOrders> &orders = data_.front()->orders();
  const auto isWanted = [&](const tune::ExtentOrders &order) { return order.name == settings_.order; };
  const auto found = std::find_if(orders.begin(), orders.end(), isWanted);
  return found == orders.end() ? std::nullopt : std::optional<size_t>(found - orders.begin());
}

TunePoint TuneSearch::best() const {
  return trials_[ranking().front()].point;
}

void TuneSearch::showProgress() const {
  if (!session_.progress().isOn())
    return;
  const TuneTrial &leader = trials_[ranking().front()];
  char text[128];
  std::snprintf(text, sizeof text, "%.0f s of %.0f: %zu tried, the best takes %.2f of the default's time",
                secondsUsed(), settings_.budget, trials_.size() - 1, leader.ratio);
  session_.progress().draw(text);
}

} // namespace spc::driver
