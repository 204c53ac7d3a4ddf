// Where rankings may stand: top(r, j, e) and its likes are what a whole statement gives its target.
#include "sema/check/checking.h"

namespace spc::sema {
namespace {

constexpr DiagnosticKind kRanking{"ranking", Severity::Error};

class RankingChecker {
public:
  RankingChecker(Checking &checking, const ResolvedStatement &statement)
      : checking_(checking), statement_(statement), scope_(statement.scope) {}

  bool run() {
    if (const ReduceNode *whole = rankingOf(*statement_.value)) {
      if (statement_.op != language::AssignOp::Assign)
        report(*statement_.value, nameOf(*whole) + " gives all elements of its target, by '='");
      else
        checkTarget(*statement_.value, *whole);
      checkInside(*whole->body);
    } else {
      checkInside(*statement_.value);
    }
    return isFine_;
  }

private:
  static const ReduceNode *rankingOf(const Node &node) {
    const auto *reduction = std::get_if<ReduceNode>(&node.kind);
    return reduction && reduction->rank ? reduction : nullptr;
  }

  std::string nameOf(VariableId variable) const { return scope_.variables[variable].name; }

  static std::string nameOf(const ReduceNode &ranking) { return inQuotes(language::spellingOf(ranking.reduction)); }

  Diagnostic &report(const Node &node, const std::string &what) {
    isFine_ = false;
    return checking_.diagnostics.report(kRanking, node.where, what);
  }

  void checkInside(const Node &node) {
    if (const ReduceNode *ranking = rankingOf(node)) {
      report(node, nameOf(*ranking) + " is the whole right side of a statement")
          .advise("give it a name first: 'let " + exampleTarget(*ranking) + " = " +
                  print(node, scope_, checking_.program) + "'");
      return;
    }
    for (const Node *child : children(node))
      checkInside(*child);
  }

  /// The target with just the indices that a ranking has.
  std::string exampleTarget(const ReduceNode &ranking) const {
    std::string indices;
    for (VariableId variable : rowsOf(ranking))
      indices += nameOf(variable) + ", ";
    return "t(" + indices + nameOf(*ranking.rank) + ")";
  }

  /// The variables of what is ranked that are not run over.
  std::vector<VariableId> rowsOf(const ReduceNode &ranking) const {
    std::vector<VariableId> rows = freeVariables(*ranking.body, scope_);
    std::erase_if(rows, [&](VariableId variable) { return has(ranking.variables, variable); });
    return rows;
  }

  void checkTarget(const Node &node, const ReduceNode &ranking) {
    const std::vector<VariableId> &target = statement_.target.variables;
    const std::vector<VariableId> rows = rowsOf(ranking);
    const std::string like = "as in '" + exampleTarget(ranking) + " = " + print(node, scope_, checking_.program) + "'";
    const std::string rank = "the rank " + inQuotes(nameOf(*ranking.rank)) + " of " + nameOf(ranking);
    if (has(rows, *ranking.rank)) {
      report(node, rank + " indexes what it is taken of").advise("use another name for it");
      return;
    }
    if (!has(target, *ranking.rank)) {
      report(node, rank + " is no index of the left side").advise(like);
      return;
    }
    for (VariableId variable : target)
      if (variable != *ranking.rank && !has(rows, variable)) {
        report(node, nameOf(ranking) + " is taken of nothing with the index " + inQuotes(nameOf(variable)) +
                         ", which the left side has")
            .advise("write it in a statement of its own, which the other one reads");
        return;
      }
  }

  Checking &checking_;
  const ResolvedStatement &statement_;
  const Scope &scope_;
  bool isFine_ = true;
};

} // namespace

bool checkRankings(Checking &checking, const ResolvedStatement &statement) {
  return RankingChecker(checking, statement).run();
}

} // namespace spc::sema
