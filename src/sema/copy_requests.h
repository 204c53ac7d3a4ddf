// Operands that statements cannot read as they are stored. Private to this folder.
#pragma once

#include "sema/kernel.h"

#include <map>
#include <set>

namespace spc::sema {

/// What the steps of an analysis ask for: canonical copies of operands. The analysis is then done again with them; one
/// that asks for nothing new is the last.
class CopyRequests {
public:
  struct Request {
    format::Format format; ///< as the operand is stored
    Span where;            ///< of the first access that cannot read it so
  };

  /// Asks for a canonical copy of a tensor, or of the one whose pattern that temporary keeps, for a statement that
  /// writes `target`. False where there is no such copy, or where there is one already: the storage is then refused.
  bool ask(const Kernel &kernel, TensorId tensor, TensorId target, Span where);

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
  std::map<TensorId, TensorId> keptFrom_;
  std::set<TensorId> asked_; ///< in this round
};

/// The source text's name of a tensor, in quotes, for messages: a copy's is that of what it is a copy of.
std::string quotedName(const Kernel &kernel, TensorId tensor);

} // namespace spc::sema
