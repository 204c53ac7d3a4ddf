// The last part of the search of `spc tune`: the best candidates against the default, in turns.
#include "driver/tune_search.h"

#include <algorithm>
#include <cmath>

namespace spc::driver {

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

} // namespace spc::driver
