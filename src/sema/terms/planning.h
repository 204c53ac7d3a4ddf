// The state of planning, which its steps share. Private to sema's rooms.
#pragma once

#include "format/levels.h"
#include "sema/analyze.h"
#include "sema/copy_requests.h"
#include "sema/program.h"
#include "sema/terms/scenario.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace spc::sema {

/// One round of planning a program, with the copies that were asked for so far.
struct Planning {
  Planning(const Program &program, const Options &options, Diagnostics &diagnostics, CopyRequests &copies,
           Contractions &contractions)
      : options(options), diagnostics(diagnostics), copies(copies), contractions(contractions), kernel{program, {}},
        symbols(program.symbols), statements(program.statements), given(program.given), refreshes(program.tiedBefore) {}

  /// Whether the sums of a product may be taken one before another: nobody has said in which order loops run.
  bool mayReorderSums() const { return !options.strictFp && !options.asWritten && !given.order; }

  const Options &options;
  Diagnostics &diagnostics;
  CopyRequests &copies;
  Contractions &contractions;

  Kernel kernel;
  IdVector<TensorId, Symbol> symbols; ///< the tensors of the source text, and those that planning adds in their place
  std::vector<ResolvedStatement> statements;
  const format::Schedule &given; ///< by all bindings together
  /// Canonical copies and ties of what statements write: the statement before which each is made.
  std::map<TensorId, size_t> refreshes;
  /// Outputs that are stored as sums of parts, by the tensor that statements write in their place.
  std::map<TensorId, TensorId> sumOutputs;
  /// The tensors that statements write in place of outputs whose structure stays, and whether they are added to what
  /// these hold.
  std::map<TensorId, bool> standIns;
  /// Temporaries that list their entries though nothing asks for that (listed_temporaries.h).
  std::set<TensorId> listed;
  double mostLoopsToMerge = 0; ///< of a term's operands; known once all terms are
};

/// Puts temporaries that one statement reads once, and as often as they have elements, in their readers' place, and
/// restricts others, dense ones, to where a sparse factor of all of their readers stores entries. Neither is done where
/// it could take more work, another rounding than `options` allow, or a copy. Parameters are ordered.
void fuseTemporaries(Planning &planning);

/// Reports a schedule that wants a loop in chunks which is not the outermost one of any statement. The loops are
/// chosen.
void checkParallelLoop(const Planning &planning);

/// Makes statements write a tensor with one entry a place instead of each output that is stored as a sum of parts,
/// which takes its entries once all statements have run. The parameters are ordered.
void computeSumsApart(Planning &planning);

/// Reports outputs whose structure cannot stay as the user wants, and asks for places in those whose can. The
/// parameters are ordered.
void keepStructures(Planning &planning);

/// Makes statements write tensors of their own in place of the outputs in which places are asked for. Nothing but the
/// statements' own terms looks at their targets any more.
void computeStandIns(Planning &planning);

/// Reports more parameters than a function may have.
void checkParameterCount(const Planning &planning);

} // namespace spc::sema
