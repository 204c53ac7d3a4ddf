#include "driver/tune_search.h"

#include "driver/kernel_status.h"
#include "pipeline/compiler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
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

std::string keyOf(const TunePoint &point) {
  return point.formatText() + "|" + tune::describe(point.schedule) + "|" + std::to_string(point.order);
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
  code->code = pipeline::compileToMemory(code->kernel, settings_.optLevel, diagnostics);
  return code->code ? code : nullptr;
}

std::shared_ptr<TuneArguments> TuneSearch::argumentsOf(const TunePoint &point, const TuneCode &code, size_t data) {
  constexpr size_t kKept = 4; // for each data set, the default's among them
  const Key key = point.formatText() + "|" + std::to_string(point.order) + "|" + std::to_string(data);
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
  if (settings_.permuting == TunePermuting::Call)
    seconds += trial.permuting.value_or(0);
  return settings_.calls > 0 ? seconds + trial.once / settings_.calls : seconds;
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
  if (!code || !code->code) {
    trial.skipped = code ? "would be copied at each call" : "the kernel cannot have it";
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
      const std::optional<double> permuting = data_[k]->permuteSeconds(*fallback_, trial.point.order);
      trial.permuting = permuting ? std::optional(trial.permuting.value_or(0) + *permuting / count) : std::nullopt;
      if (!permuting && settings_.permuting == TunePermuting::Call) {
        trial.skipped = "a sparse result would have to be permuted back";
        return;
      }
    }
    spc_status status = SPC_OK;
    trial.seconds.push_back(measure(*code, *arguments, k, status));
    if (status != SPC_OK)
      trial.skipped = "the call fails";
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
      for (const format::Schedule &schedule :
           tune::neighbours(base.point.schedule, assembles(fallback_->kernel), settings_.hasThreads)) {
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

void TuneSearch::compareFinalists() {
  constexpr size_t kFinalists = 3, kFewestRounds = 7, kMostRounds = 25;
  constexpr double kRoundSeconds = 2e-3;
  std::vector<size_t> finalists;
  std::vector<std::shared_ptr<TuneCode>> codes = {fallback_};
  for (size_t rank : ranking()) {
    if (rank == 0 || (trials_[rank].ratio >= 1 && !wantedOrder()) || finalists.size() == kFinalists)
      break;
    Diagnostics scratch;
    codes.push_back(compile(trials_[rank].point, scratch));
    finalists.push_back(rank);
  }
  rounds_.resize(finalists.size());
  for (size_t round = 0; !finalists.empty() && round < kMostRounds; ++round) {
    if (round >= kFewestRounds && secondsUsed() > settings_.budget)
      break;
    std::vector<double> logs(codes.size(), 0);
    for (size_t place = 0; place < codes.size(); ++place) {
      const size_t who = (place + round) % codes.size();
      const TuneTrial &trial = trials_[who == 0 ? 0 : finalists[who - 1]];
      for (size_t k = 0; k < data_.size(); ++k) {
        const std::shared_ptr<TuneArguments> arguments = argumentsOf(trial.point, *codes[who], k);
        spc_status status = SPC_OK;
        const double warm = timedCall(*codes[who], *arguments, settings_.context, status).value_or(1e-9);
        const int calls = static_cast<int>(std::clamp(kRoundSeconds / std::max(warm, 1e-9), 1.0, 10000.0));
        double sum = 0;
        for (int call = 0; call < calls; ++call)
          sum += timedCall(*codes[who], *arguments, settings_.context, status).value_or(0);
        const double counted = who == 0 ? sum / calls : countedSeconds(trial, sum / calls);
        logs[who] += std::log(std::max(counted, 1e-12)) / static_cast<double>(data_.size());
      }
    }
    for (size_t who = 1; who < codes.size(); ++who) {
      rounds_[who - 1].fallback.push_back(std::exp(logs[0]));
      rounds_[who - 1].candidate.push_back(std::exp(logs[who]));
    }
  }
  for (size_t k = 0; k < finalists.size(); ++k)
    trials_[finalists[k]].rounds = k;
  if (std::optional<size_t> winner = tune::choose(rounds_))
    chosen_ = finalists[*winner];
  else if (wantedOrder() && !finalists.empty())
    chosen_ = finalists.front();
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
  if (settings_.showsProgress)
    std::fputs("\r\033[K", stderr);
  return true;
}

void TuneSearch::showProgress() const {
  if (!settings_.showsProgress)
    return;
  const TuneTrial &leader = trials_[ranking().front()];
  std::fprintf(stderr, "\r%.0f s of %.0f: %zu tried, the best takes %.2f of the default's time\033[K", secondsUsed(),
               settings_.budget, trials_.size() - 1, leader.ratio);
}

} // namespace spc::driver
