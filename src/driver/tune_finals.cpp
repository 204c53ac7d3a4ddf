// The last part of the search of `spc tune`: the best candidates against the default, in turns.
#include "driver/tune_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spc::driver {

std::vector<tune::Rounds> TuneSearch::inTurns(const std::vector<size_t> &finalists) {
  constexpr size_t kFewestRounds = 7, kMostRounds = 25;
  constexpr double kRoundSeconds = 2e-3;
  std::vector<std::shared_ptr<TuneCode>> codes = {fallback_};
  for (size_t finalist : finalists) {
    Diagnostics scratch;
    codes.push_back(compile(trials_[finalist].point, scratch));
  }
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

void TuneSearch::compareFinalists() {
  constexpr size_t kFinalists = 3;
  std::vector<size_t> finalists;
  for (size_t rank : ranking()) {
    if (rank == 0 || (trials_[rank].ratio >= 1 && !wantedOrder()) || finalists.size() == kFinalists)
      break;
    trials_[rank].rounds = finalists.size();
    finalists.push_back(rank);
  }
  rounds_ = inTurns(finalists);
  if (const std::optional<size_t> winner = tune::choose(rounds_)) {
    // Those that it has won were its lucky ones, and so may its arrays' addresses have been.
    const std::vector<Packed> before = std::exchange(packed_, {});
    rounds_[*winner] = inTurns({finalists[*winner]}).front();
    if (tune::isFaster(rounds_[*winner]))
      chosen_ = finalists[*winner];
  }
  if (chosen_ == 0 && wantedOrder() && !finalists.empty())
    chosen_ = finalists.front();
}

} // namespace spc::driver
