// Operands that statements cannot read as they are stored. Private to this folder.
#pragma once

#include "sema/kernel.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace spc::sema {

/// Requests of an analysis' steps for canonical copies of operands. The analysis is then done again with them; one that
/// asks for nothing new is the last.
class CopyRequests {
public:
  struct Request {
    format::Format format; ///< as the operand is stored
    Span where;            ///< of the first access that cannot read it so
  };

  /// Asks for a canonical copy of a tensor, or of the one whose pattern that temporary keeps, for a statement that
  /// writes `target`. False where there is no such copy, or where there is one already: the storage is then refused.
  bool ask(const Kernel &kernel, TensorId tensor, TensorId target, Span where);

  /// Asks for the canonical copy of a tensor to be stored in a format that a term needs, in which it would be copied
  /// once more. False where that was asked for before: the copy is then copied.
  bool askFor(const Kernel &kernel, TensorId tensor, format::Format format);

  /// The format that was asked for.
  std::optional<format::Format> formatOf(TensorId tensor) const {
    const auto found = formats_.find(tensor);
    return found == formats_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Asks for the canonical copy of a tensor to have all rows at its root, in place of some that are looked up: loops
  /// run over them after all.
  void askForWholeRoot(TensorId tensor) {
    formats_.at(tensor).levels.front().isFound = false;
    asked_.insert(tensor);
  }

  /// Asks for copies of a tensor whose levels store these dimensions, from the outside in, to have a dense root: one
  /// does anyway, and serves all.
  void askForDenseRoot(TensorId tensor, const std::vector<int> &dims) {
    if (denseRoots_.emplace(tensor, dims).second)
      asked_.insert(tensor);
  }
  bool hasDenseRoot(TensorId tensor, const std::vector<int> &dims) const {
    return denseRoots_.contains({tensor, dims});
  }

  /// Asks for what statements write to an output to be put at its places in the structure that the output has.
  void askForPlaces(TensorId output) {
    if (std::find(placed_.begin(), placed_.end(), output) != placed_.end())
      return;
    placed_.push_back(output);
    asked_.insert(output);
  }
  /// The outputs in the order in which they were asked for.
  const std::vector<TensorId> &placed() const { return placed_; }

  /// What is known of a target that turned out to be assembled.
  struct Listed {
    format::Format format;
    std::optional<std::string> owner; ///< the operand that it has the format of, as messages name it
  };
  /// Asks for a target to be assembled from the start: terms then list where conditions hold, on which it depends
  /// whether they have entries. False where that was asked for before.
  bool askForEntries(TensorId target, Listed listed) {
    const bool isNew = listed_.emplace(target, std::move(listed)).second;
    if (isNew)
      asked_.insert(target);
    return isNew;
  }
  const Listed *listed(TensorId target) const {
    const auto found = listed_.find(target);
    return found == listed_.end() ? nullptr : &found->second;
  }

  /// Notes that a temporary keeps an operand's pattern in this round.
  void noteKept(TensorId temporary, TensorId source) { keptFrom_[temporary] = source; }

  /// Notes that a parameter shares an operand's structure in place: copies that other statements need do not change
  /// that.
  void noteInPlace(TensorId target, TensorId source) { inPlace_.emplace(target, source); }

  /// Whether the statements that write `target` read a tensor for which there is a request from its copy.
  bool readsCopy(TensorId target, TensorId tensor) const {
    return forced_.contains({target, tensor}) || (target != tensor && !inPlace_.contains({target, tensor}));
  }

  const std::map<TensorId, Request> &all() const { return requests_; }

  bool hasNew() const { return !asked_.empty(); }
  /// Begins the next round.
  void beginRound();

private:
  std::map<TensorId, Request> requests_;
  std::set<std::pair<TensorId, TensorId>> inPlace_; ///< target and source
  std::set<std::pair<TensorId, TensorId>> forced_;  ///< … which has to be read from a copy after all
  std::map<TensorId, format::Format> formats_;
  std::set<std::pair<TensorId, std::vector<int>>> denseRoots_;
  std::map<TensorId, TensorId> keptFrom_;
  std::vector<TensorId> placed_;
  std::map<TensorId, Listed> listed_;
  std::set<TensorId> asked_; ///< in this round
};

/// The source text's name of a tensor, in quotes, for messages: a copy's is that of what it is a copy of.
std::string quotedName(const Kernel &kernel, TensorId tensor);

} // namespace spc::sema
