// The order in which the search of `spc tune` tries things.
#include "driver/tune/search.h"

#include <algorithm>
#include <cmath>

namespace spc::driver {

namespace {

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

std::vector<size_t> TuneSearch::triedOrders() const {
  std::vector<size_t> orders;
  const std::optional<size_t> wanted = wantedOrder();
  for (size_t order = 0; order < data_.front()->orders().size(); ++order) {
    const auto lacks = [&](const std::unique_ptr<TuneData> &data) { return data->orders()[order].isIdentity(); };
    if (wanted ? order == *wanted : order == 0 || std::none_of(data_.begin(), data_.end(), lacks))
      orders.push_back(order);
  }
  return orders;
}

void TuneSearch::tryOrders(const TunePoint &from) {
  TunePoint point = from;
  for (const size_t order : triedOrders()) {
    point.order = order;
    tryPoint(point);
  }
}

bool TuneSearch::isDefault(const std::string &operand, const format::Format &format) const {
  const sema::Kernel &kernel = fallback_->kernel;
  return std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](sema::TensorId id) {
    return kernel.tensors[id].name == operand && kernel.tensors[id].format.sameStorage(format);
  });
}

double TuneSearch::ratioInOrder(const TunePoint &from, size_t order) const {
  for (const TuneTrial &trial : trials_)
    if (trial.skipped.empty() && trial.point.order == order && trial.point.formatText() == from.formatText())
      return trial.ratio;
  return 1;
}

std::vector<tune::Guess> TuneSearch::guessesFor(const std::string &tensor, const TunePoint &from,
                                                const std::vector<tune::FormatChoice> &choices) {
  std::vector<tune::Guess> guesses;
  for (const size_t order : triedOrders()) {
    const double ratio = ratioInOrder(from, order);
    for (size_t choice = 0; choice < choices.size(); ++choice) {
      double times = 0;
      for (const std::unique_ptr<TuneData> &data : data_)
        times = std::max(times, data->costs(fallback_->kernel, tensor, choices[choice].format, order).times);
      guesses.push_back({choice, order, times * ratio});
    }
  }
  return guesses;
}

void TuneSearch::tryFormats(const std::string &tensor) {
  const TunePoint from = best();
  std::vector<tune::FormatChoice> choices =
      tune::formatChoices(loader_, tune::factsOf(*data_.front()->entriesOf(tensor)));
  std::erase_if(choices, [&](const tune::FormatChoice &choice) { return isDefault(tensor, choice.format); });
  for (const tune::Guess &guess : tune::eachInItsBestOrder(guessesFor(tensor, from, choices))) {
    TunePoint point = from;
    point.formats.insert_or_assign(tensor, choices[guess.format]);
    point.order = guess.order;
    tryPoint(point);
  }
}

std::vector<TunePoint> TuneSearch::bestFormats(size_t most) const {
  std::vector<TunePoint> points;
  for (const size_t rank : ranking()) {
    const std::string format = trials_[rank].point.formatText();
    const auto isSame = [&](const TunePoint &one) { return one.formatText() == format; };
    if (points.size() < most && std::none_of(points.begin(), points.end(), isSame))
      points.push_back(trials_[rank].point);
  }
  return points;
}

tune::LeftOut TuneSearch::leftOut() const {
  tune::LeftOut all;
  std::set<std::string> tried, named;
  for (const TuneTrial &trial : trials_)
    tried.insert(trial.point.formatText());
  for (const auto &[key, point] : leftOut_) {
    const std::string format = point.formatText();
    if (tune::describe(point.schedule) != tune::describe(kernel_.schedule))
      ++all.schedules;
    else if (format.empty())
      all.orders.push_back(data_.front()->orders()[point.order].name);
    else if (tried.contains(format))
      ++all.orderedFormats;
    else if (named.insert(format).second)
      all.formats.push_back(format);
  }
  return all;
}

void TuneSearch::trySchedules(size_t bases) {
  constexpr double kImproves = 0.99;
  const std::vector<size_t> ranks = ranking();
  for (size_t k = 0; k < std::min(bases, ranks.size()); ++k) {
    TuneTrial base = trials_[ranks[k]];
    for (bool improves = true; improves;) {
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
  constexpr size_t kBest = 2;
  if (!tryFallback())
    return false;
  showProgress();
  tryOrders(best());
  measureDefaultAgain(); // its first calls may have been slow by chance, and all ratios are to it
  for (const std::string &tensor : kernel_.sparse)
    tryFormats(tensor);
  measureDefaultAgain();
  for (const TunePoint &point : bestFormats(kBest))
    tryOrders(point);
  trySchedules(kBest);
  tryOrders(best());
  measureDefaultAgain();
  compareFinalists();
  session_.progress().clear();
  return true;
}

} // namespace spc::driver
