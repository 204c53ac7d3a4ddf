// The search of `spc tune`: candidates one after the other on all data sets, and the best of them against the default.
#pragma once

#include "driver/shell/session.h"
#include "driver/tune/data.h"
#include "driver/tune/results.h"
#include "host/call_memory.h"
#include "tune/choice.h"
#include "tune/sentences.h"

#include <functional>
#include <map>
#include <set>

namespace spc::driver {

/// A candidate: what differs from the default.
struct TunePoint {
  std::map<std::string, tune::FormatChoice> formats; ///< by operand
  format::Schedule schedule;
  size_t order = 0; ///< into TuneData::orders()

  std::string formatText() const; ///< "A bsr 3x3"; empty: the default's
};

/// The outcome of a candidate.
struct TuneTrial {
  TunePoint point;
  std::string order;           ///< its name
  std::string skipped;         ///< why it was not measured; empty where it was
  std::vector<double> seconds; ///< of one call, by data set
  double ratio = 1;            ///< to the default's time, with what is counted to a call: the geometric mean
  double once = 0;             ///< seconds before the first call, packing and ordering, the mean over the data sets
  double permuting = 0;        ///< seconds to permute dense operands, and results back; the mean
  bool mayPermute = false;     ///< at each call: there is an order, and no result is sparse

  /// Seconds before the first call where dense operands stay permuted.
  double onceInAll() const { return once + permuting; }
  std::optional<size_t> rounds; ///< into TuneSearch::rounds(), of one that was measured against the default
};

/// Whether permuting counts to a call's time.
enum class TunePermuting {
  Once, ///< dense operands stay permuted between calls
  Call, ///< each call permutes them, and results back
};

struct TuneSettings {
  double budget = 60; ///< seconds
  TunePermuting permuting = TunePermuting::Once;
  std::string order = "auto"; ///< or "none", or the name of the one that is taken, whatever the default's time
  double calls = 0;           ///< over which what is done once is spread; 0: over so many that it does not count
  const spc_context *context = nullptr;
  bool hasThreads = false;
  int optLevel = 3;
  bool verifies = false; ///< what verification finds in a candidate is reported; else the candidate is left out
  host::Pages pages = host::Pages::Ordinary;
};

/// The kernel that candidates compile, and what they vary of it.
struct TuneKernel {
  const syntax::Kernel &tree;
  std::vector<format::Binding> bindings; ///< of the default
  sema::Options checks;
  format::Schedule schedule;       ///< of the default
  std::vector<std::string> sparse; ///< operands that are tuned, by descending number of entries
};

class TuneSearch {
public:
  TuneSearch(Session &session, TuneKernel kernel, TuneSettings settings, format::FormatLoader &loader,
             std::vector<std::unique_ptr<TuneData>> &data);

  /// Tries candidates until the budget is used, then the best of them against the default. False with errors reported,
  /// where the default cannot be called.
  bool run();

  /// Trial 0 is the default.
  const std::vector<TuneTrial> &trials() const { return trials_; }
  const std::vector<tune::Rounds> &rounds() const { return rounds_; }
  /// The trial that is taken: 0 unless another one is faster beyond noise, or in the order that the settings want.
  size_t chosen() const { return chosen_; }
  /// Candidates that there was no time for.
  tune::LeftOut leftOut() const;
  /// The trial that came closest in turns with the default; nullopt where none was compared so.
  std::optional<size_t> closest() const;
  /// What the default's calls were given.
  host::CallMemory memory() const { return memory_; }
  const TuneCode &fallback() const { return *fallback_; }
  double secondsUsed() const;

private:
  using Key = std::string;
  std::shared_ptr<TuneCode> compile(const TunePoint &point, Diagnostics &diagnostics) const;
  /// Compiled once for all orders; null where the kernel cannot have it.
  std::shared_ptr<TuneCode> codeOf(const TunePoint &point);
  std::shared_ptr<TuneArguments> argumentsOf(const TunePoint &point, const TuneCode &code, size_t data);
  static Key codeKey(const TunePoint &point, const TuneCode &code);
  bool isExpected(const TuneResults &results, size_t order, size_t data);
  bool tryFallback();
  void tryPoint(const TunePoint &point);
  void measureTrial(TuneTrial &trial);
  void setRatio(TuneTrial &trial) const;
  /// Keeps the lesser time, and makes all ratios anew.
  void measureDefaultAgain();
  std::string whyHopeless(const TunePoint &point);
  double countedSeconds(const TuneTrial &trial, double seconds) const;
  double measure(const TuneCode &code, TuneArguments &arguments, size_t data, spc_status &status) const;
  TunePoint best() const;
  std::optional<size_t> wantedOrder() const;
  std::vector<size_t> ranking() const;
  /// Orders that all data sets have, or the one that is wanted.
  std::vector<size_t> triedOrders() const;
  void tryOrders(const TunePoint &from);
  /// The time in an order, with the formats of a point, over the default's.
  double ratioInOrder(const TunePoint &from, size_t order) const;
  std::vector<tune::Guess> guessesFor(const std::string &tensor, const TunePoint &from,
                                      const std::vector<tune::FormatChoice> &choices);
  bool isDefault(const std::string &operand, const format::Format &format) const;
  void tryFormats(const std::string &tensor);
  /// The best trials of so many formats.
  std::vector<TunePoint> bestFormats(size_t most) const;
  /// Tries schedules of the best so many trials.
  void trySchedules(size_t bases);
  /// Rounds of calls of the default and of each of some trials, one after the other.
  std::vector<tune::Rounds> inTurns(const std::vector<size_t> &finalists);
  std::vector<size_t> pickFinalists();
  void compareFinalists();
  bool hasTime() const { return secondsUsed() < kSearchShare * settings_.budget; }
  void showProgress() const;

  static constexpr double kSearchShare = 0.75; ///< of the budget; the rest is for the comparison with the default

  Session &session_;
  TuneKernel kernel_;
  TuneSettings settings_;
  format::FormatLoader &loader_;
  std::vector<std::unique_ptr<TuneData>> &data_;
  double begin_;
  std::shared_ptr<TuneCode> fallback_;
  std::vector<TuneTrial> trials_;
  std::vector<tune::Rounds> rounds_;
  size_t chosen_ = 0;
  host::CallMemory memory_;
  std::set<Key> tried_;
  std::map<Key, TunePoint> leftOut_;
  std::map<Key, std::shared_ptr<TuneCode>> codes_; ///< by formats and schedule
  std::map<Key, size_t> measured_;                 ///< the trial by codeKey()
  /// The results of the first trial in an order on a data set: made up operands are the same in all orders, and results
  /// are not.
  std::map<std::pair<size_t, size_t>, TuneResults> expected_;
  struct Packed {
    Key key;
    std::shared_ptr<TuneArguments> arguments;
  };
  std::vector<Packed> packed_; ///< those used last, at the end; the default's first
};

} // namespace spc::driver
