#include "cut/cut.h"

#include "cut/hoist.h"
#include "cut/piece_text.h"

#include <optional>
#include <utility>

namespace spc::cut {
namespace {

constexpr size_t kMostFailures = 3; ///< of longer pieces in a row: a refusal seldom goes away by more statements

class Cutter {
public:
  Cutter(const sema::Program &program, const sema::Kernel &plan, const Request &request, const Refusal &refusal)
      : plan_(plan), request_(request), refusal_(refusal), whole_(program),
        divided_(dividedVariables(whole_, request.index)) {}

  Cut run() {
    Cut cut;
    for (size_t begin = 0; divided_ && begin < whole_.statements.size();) {
      const size_t number = cut.pieces.size() + 1;
      Piece first = pieceFrom(begin, begin + 1, number);
      const std::string why = refusal_(first);
      // Where others' rows are needed within a reduction, these are better computed by the others.
      if ((!why.empty() || !first.copies.empty()) && takeOut(begin, number, why.empty()))
        continue;
      if (!why.empty())
        return {{}, whole_.statements[begin].where, why};
      cut.pieces.push_back(longestFrom(begin, std::move(first), number));
      begin = cut.pieces.back().end;
    }
    return cut;
  }

private:
  Piece pieceFrom(size_t begin, size_t end, size_t number) const {
    return pieceOf(whole_, plan_, *divided_, request_, begin, end, number);
  }

  /// Makes temporaries of reductions within a statement; false where there are none, or, if they `mayStay`, where these
  /// are not divided alone.
  bool takeOut(size_t statement, size_t number, bool mayStay) {
    std::optional<sema::Program> changed = hoisted(whole_, statement);
    if (!changed)
      return false;
    sema::Program before = std::exchange(whole_, std::move(*changed));
    std::optional<DividedVariables> dividedBefore = std::exchange(divided_, dividedVariables(whole_, request_.index));
    if (mayStay && (!divided_ || !refusal_(pieceFrom(statement, statement + 1, number)).empty())) {
      whole_ = std::move(before);
      divided_ = std::move(dividedBefore);
      return false;
    }
    return true;
  }

  Piece longestFrom(size_t begin, Piece longest, size_t number) const {
    size_t failures = 0;
    for (size_t end = begin + 2; end <= whole_.statements.size() && failures < kMostFailures; ++end) {
      Piece piece = pieceFrom(begin, end, number);
      const bool isRefused = !refusal_(piece).empty();
      failures = isRefused ? failures + 1 : 0;
      if (!isRefused)
        longest = std::move(piece);
    }
    return longest;
  }

  const sema::Kernel &plan_;
  const Request &request_;
  const Refusal &refusal_;
  sema::Program whole_;
  std::optional<DividedVariables> divided_;
};

} // namespace

Cut cutProgram(const sema::Program &program, const sema::Kernel &plan, const Request &request, const Refusal &refusal) {
  return Cutter(program, plan, request, refusal).run();
}

} // namespace spc::cut
