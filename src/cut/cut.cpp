#include "cut/cut.h"

#include "cut/piece_text.h"

#include <optional>

namespace spc::cut {
namespace {

constexpr size_t kMostFailures = 3; ///< of longer pieces in a row: a refusal seldom goes away by more statements

} // namespace

Cut cutProgram(const sema::Program &program, const sema::Kernel &plan, const Request &request, const Refusal &refusal) {
  const std::optional<DividedVariables> divided = dividedVariables(program, request.index);
  Cut cut;
  const size_t count = program.statements.size();
  for (size_t begin = 0; divided && begin < count;) {
    std::optional<Piece> longest;
    std::string reason;
    size_t failures = 0;
    for (size_t end = begin + 1; end <= count && failures < kMostFailures; ++end) {
      Piece piece = pieceOf(program, plan, *divided, request, begin, end, cut.pieces.size() + 1);
      const std::string why = refusal(piece);
      if (why.empty()) {
        longest = std::move(piece);
        failures = 0;
      } else {
        ++failures;
        reason = reason.empty() ? why : reason;
      }
    }
    if (!longest)
      return {{}, begin, reason};
    begin = longest->end;
    cut.pieces.push_back(std::move(*longest));
  }
  return cut;
}

} // namespace spc::cut
