#include "driver/tune_search.h"

#include "driver/kernel_status.h"
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

/// The loops of a kernel with one term, whose order can be another one; none where some are over parts of a variable.
std::vector<std::string> loopsOf(const sema::Kernel &kernel) {
  std::vector<std::string> variables;
  const auto *statement = kernel.steps.size() == 1 ? std::get_if<sema::Statement>(&kernel.steps.front()) : nullptr;
  if (!statement || statement->terms.size() != 1)
    return {};
  for (const sema::Loop &loop : statement->terms.front().loops) {
    if (loop.part != format::Part::Whole)
      return {};
    variables.push_back(loop.variable);
  }
  return variables;
}

bool assembles(const sema::Kernel &kernel) {
  return std::any_of(kernel.steps.begin(), kernel.steps.end(),
                     [](const sema::Step &step) { return sema::assemblingStatement(step) != nullptr; });
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
    bindings.push_back(tune::bindingOf(tensor, choice, {}));
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
  code->code = pipeline::compileToMemory(code->kernel, settings_.optLevel, diagnostics, &code->hash);
  return code->code ? code : nullptr;
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
  if (!trials_.front().seconds.empty() && trials_.front().seconds.size() > data &&
      *first > kGivesUp * trials_.front().seconds[data] + 1e-3)
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
      RunInputs inputs = data_[k]->inputsFor(fallback_->kernel, 0);
      packArguments(session_, fallback_->kernel, fallback_->signature, inputs);
      return false;
    }
    spc_status status = SPC_OK;
    trial.seconds.push_back(measure(*fallback_, *arguments, k, status));
    if (status != SPC_OK) {
      reportStatus(session_, fallback_->kernel, data_[k]->inputsFor(fallback_->kernel, 0), status);
      return false;
    }
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
  Diagnostics scratch;
  trial.order = data_.front()->orders()[trial.point.order].name;
  trial.skipped = whyHopeless(trial.point);
  if (!trial.skipped.empty())
    return;
  const std::shared_ptr<TuneCode> code = compile(trial.point, scratch);
  const auto isSlow = [](const Diagnostic &one) { return one.kind.id == "slow-order"; };
  if (!code || !code->code || std::any_of(scratch.all().begin(), scratch.all().end(), isSlow)) {
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
  double logs = 0;
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
    logs += std::log(countedSeconds(trial, trial.seconds[k]) / std::max(trials_.front().seconds[k], 1e-12));
  }
  trial.ratio = std::exp(logs / count);
}

void TuneSearch::tryPoint(const TunePoint &point) {
  const bool isWanted = trials_.size() == 1 && wantedOrder() == point.order; // whatever the budget
  if ((isWanted || hasTime()) && tried_.insert(keyOf(point)).second) {
    TuneTrial trial;
    trial.point = point;
    measureTrial(trial);
    trials_.push_back(std::move(trial));
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

void TuneSearch::tryOrders(const TunePoint &from) {
  TunePoint point = from;
  const std::optional<size_t> wanted = wantedOrder();
  for (size_t order = 0; order < data_.front()->orders().size(); ++order) {
    const auto lacks = [&](const std::unique_ptr<TuneData> &data) { return data->orders()[order].isIdentity(); };
    point.order = order;
    if (wanted ? order == *wanted : order == 0 || std::none_of(data_.begin(), data_.end(), lacks))
      tryPoint(point);
  }
}

bool TuneSearch::isDefault(const std::string &operand, const format::Format &format) const {
  const sema::Kernel &kernel = fallback_->kernel;
  return std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](sema::TensorId id) {
    return kernel.tensors[id].name == operand && kernel.tensors[id].format.sameStorage(format);
  });
}

void TuneSearch::tryFormats() {
  for (const std::string &tensor : kernel_.sparse) {
    const TunePoint from = best();
    const tune::OperandFacts facts = tune::factsOf(*data_.front()->entriesOf(tensor));
    std::vector<std::pair<double, TunePoint>> points; // with the bytes that they move
    for (const tune::FormatChoice &choice : tune::formatChoices(loader_, facts))
      if (!isDefault(tensor, choice.format)) {
        TunePoint &point =
            points.emplace_back(data_.front()->costs(fallback_->kernel, tensor, choice.format, from.order).times, from)
                .second;
        point.formats.insert_or_assign(tensor, choice);
      }
    std::stable_sort(points.begin(), points.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    for (const auto &[times, point] : points)
      tryPoint(point);
  }
}

void TuneSearch::trySchedules(size_t bases) {
  constexpr double kImproves = 0.99;
  const std::vector<size_t> ranks = ranking();
  for (size_t k = 0; k < std::min(bases, ranks.size()); ++k) {
    TuneTrial base = trials_[ranks[k]];
    for (bool improves = true; improves && hasTime();) {
      const size_t first = trials_.size();
      const bool isUsual = tune::describe(base.point.schedule).empty(); // loops in another order are tried once
      const tune::ScheduleFacts facts{assembles(fallback_->kernel), settings_.hasThreads,
                                      isUsual ? loopsOf(fallback_->kernel) : std::vector<std::string>()};
      for (const format::Schedule &schedule : tune::neighbours(base.point.schedule, facts)) {
        TunePoint point = base.point;
        point.schedule = schedule;
        tryPoint(point);
      }
      improves = false;
      for (size_t trial = first; trial < trials_.size(); ++trial)
        if (trials_[trial].skipped.empty() && trials_[trial].ratio < kImproves * base.ratio) {
          base = trials_[trial];
          improves = true;
        }
    }
  }
}

bool TuneSearch::run() {
  if (!tryFallback())
    return false;
  showProgress();
  tryOrders(best());
  trySchedules(1);
  tryFormats();
  trySchedules(2);
  tryOrders(best());
  compareFinalists();
  session_.progress().clear();
  return true;
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
