// The last part of the search of `spc tune`: the best candidates against the default, in turns.
#include "driver/tune/search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spc::driver {

std::vector<tune::Rounds> TuneSearch::inTurns(const std::vector<size_t> &finalists) {
  constexpr size_t kFewestRounds = 7, kMostRounds = 25;
  constexpr double kRoundSeconds = 2e-3;
  std::vector<std::shared_ptr<TuneCode>> codes = {fallback_};
  for (size_t finalist : finalists)
    codes.push_back(codeOf(trials_[finalist].point));
  std::vector<tune::Rounds> rounds(finalists.size());
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
      rounds[who - 1].fallback.push_back(std::exp(logs[0]));
      rounds[who - 1].candidate.push_back(std::exp(logs[who]));
    }
  }
  return rounds;
}

std::vector<size_t> TuneSearch::pickFinalists() {
  constexpr size_t kBest = 3;
  std::vector<size_t> finalists;
  bool hasOtherFormat = false; // than the best one: of several schedules of one format none may hold what it promises
  for (const size_t rank : ranking()) {
    if (rank == 0 || (trials_[rank].ratio >= 1 && !wantedOrder()))
      break;
    const bool isOther =
        !finalists.empty() && trials_[rank].point.formatText() != trials_[finalists.front()].point.formatText();
    if (finalists.size() >= kBest && (hasOtherFormat || !isOther))
      continue;
    hasOtherFormat |= isOther;
    trials_[rank].rounds = finalists.size();
    finalists.push_back(rank);
  }
  return finalists;
}

void TuneSearch::compareFinalists() {
  const std::vector<size_t> finalists = pickFinalists();
  rounds_ = inTurns(finalists);
  while (const std::optional<size_t> winner = tune::choose(rounds_)) {
    // Those that it has won were its lucky ones, and so may its arrays' addresses have been.
    const std::vector<Packed> before = std::exchange(packed_, {});
    rounds_[*winner] = inTurns({finalists[*winner]}).front();
    if (tune::isFaster(rounds_[*winner])) {
      chosen_ = finalists[*winner];
      break;
    }
    if (secondsUsed() > settings_.budget)
      break;
  }
  if (chosen_ == 0 && wantedOrder() && !finalists.empty())
    chosen_ = finalists.front();
}

std::optional<size_t> TuneSearch::closest() const {
  std::optional<size_t> closest;
  for (size_t k = 0; k < trials_.size(); ++k)
    if (trials_[k].rounds &&
        (!closest || tune::ratioOf(rounds_[*trials_[k].rounds]) < tune::ratioOf(rounds_[*trials_[*closest].rounds])))
      closest = k;
  return closest;
}

} // namespace spc::driver
