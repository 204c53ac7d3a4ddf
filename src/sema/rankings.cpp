#include "sema/rankings.h"

#include "format/levels.h"
#include "sema/apart.h"
#include "sema/expression_types.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace spc::sema {
namespace {

class RankingSplitter {
public:
  explicit RankingSplitter(Program &program) : program_(program) {}

  void add(ResolvedStatement statement) {
    const TensorId written = statement.target.tensor;
    if (rankingOf(statement))
      split(std::move(statement));
    else
      statements_.push_back(std::move(statement));
    std::erase_if(apart_, [&](const auto &known) { return has(known.second.reads, written); });
  }

  /// The statements so far.
  std::vector<ResolvedStatement> &statements() { return statements_; }

private:
  /// What is ranked, computed apart.
  struct Apart {
    TensorId tensor;
    std::vector<TensorId> reads;
  };

  void split(ResolvedStatement statement) {
    auto &ranking = std::get<ReduceNode>(statement.value->kind);
    const ValueType compute = computeTypeOf(program_, statement);
    const bool givesPlaces = language::ranksPlaces(ranking.reduction);
    const ValueType target = program_.tensors[statement.target.tensor].type;
    const ValueType given = givesPlaces ? ValueType::I64 : compute;
    const bool isThere = isRanked(statement, ranking, givesPlaces ? std::nullopt : std::optional(target));
    const bool converts = target != given && (givesPlaces || !isThere);
    if (!isThere)
      computeApart(statement, ranking, bodyType(ranking, compute, statement.scope, program_));
    if (converts || isBoundSparse(statement.target.tensor))
      return convert(std::move(statement), converts ? given : target);
    statements_.push_back(std::move(statement));
  }

  /// Whether a ranking's elements are those of a tensor that can be read as it is, of a type if one is wanted.
  bool isRanked(const ResolvedStatement &statement, const ReduceNode &ranking, std::optional<ValueType> type) const {
    const auto *use = std::get_if<AccessNode>(&ranking.body->kind);
    if (!use)
      return false;
    const Access &access = statement.scope.accesses[use->access];
    const Tensor &tensor = program_.tensors[access.tensor];
    if (hasDerived(access, statement.scope) || (type && tensor.type != *type) || !isStorageKnown(access.tensor) ||
        access.tensor == statement.target.tensor)
      return false;
    return tensor.format.isDense() || listsRowsInOrder(tensor.format, rankedDims(ranking, access));
  }

  /// Whether a tensor's format is what it is now: later stages decide it for those that statements write.
  bool isStorageKnown(TensorId tensor) const {
    const Symbol &symbol = program_.symbols[tensor];
    return symbol.firstWrite < 0 && program_.tensors[tensor].is<Parameter>();
  }

  bool isBoundSparse(TensorId target) const { return !program_.tensors[target].format.isDense(); }

  /// The variables of a ranking's rows, in the order of the target, then those that it runs over.
  static std::vector<VariableId> rankedVariables(const ResolvedStatement &statement, const ReduceNode &ranking) {
    std::vector<VariableId> variables;
    for (VariableId variable : statement.target.variables)
      if (variable != *ranking.rank)
        variables.push_back(variable);
    variables.insert(variables.end(), ranking.variables.begin(), ranking.variables.end());
    return variables;
  }

  /// The dimensions of what is ranked: its rows in the order of its levels, then those that are run over.
  static std::vector<int> rankedDims(const ReduceNode &ranking, const Access &access) {
    std::vector<int> dims;
    for (int dim = 0; dim < static_cast<int>(access.variables.size()); ++dim)
      if (!has(ranking.variables, access.variables[static_cast<size_t>(dim)]))
        dims.push_back(dim);
    for (VariableId variable : ranking.variables)
      dims.push_back(static_cast<int>(placeOf(variable, access.variables)));
    return dims;
  }

  TensorId addTemporary(const ResolvedStatement &statement, const std::vector<VariableId> &variables, ValueType type,
                        Temporary role) {
    Tensor tensor;
    tensor.name = "$rank" + std::to_string(program_.tensors.size());
    tensor.role = role;
    tensor.type = type;
    const TensorId added = sema::addTemporary(program_, std::move(tensor), variables, statement);
    program_.symbols[added].firstWrite = static_cast<int>(statements_.size());
    return added;
  }

  /// Makes a ranking one of a temporary: the one that another ranking of the same has, else a new one.
  void computeApart(ResolvedStatement &statement, ReduceNode &ranking, ValueType type) {
    const std::vector<VariableId> variables = rankedVariables(statement, ranking);
    const Span where = ranking.body->where;
    std::string key = std::string(spelling(type)) + " " + print(*ranking.body, statement.scope, program_);
    for (const std::string &name : namesOf(variables, statement.scope))
      key += " " + name;
    auto known = apart_.find(key);
    if (known == apart_.end()) {
      Apart apart{addTemporary(statement, variables, type, Temporary{.isRanked = true}), {}};
      for (AccessId id : accessesOf(*ranking.body))
        apart.reads.push_back(statement.scope.accesses[id].tensor);
      known = apart_.emplace(key, std::move(apart)).first;
      statements_.push_back(statementApart(known->second.tensor, variables, statement, std::move(ranking.body)));
    }
    statement.scope.accesses = {};
    ranking.body = makeNode(AccessNode{statement.scope.intern({known->second.tensor, variables, {}, where})}, where);
  }

  /// Ranks into a temporary of a type, and converts that to the target.
  void convert(ResolvedStatement statement, ValueType type) {
    ResolvedStatement plain;
    plain.where = statement.where;
    plain.targetWhere = statement.targetWhere;
    plain.isTemporary = statement.isTemporary;
    plain.scope.variables = statement.scope.variables;
    plain.target = statement.target;
    const std::vector<VariableId> &variables = plain.target.variables;
    statement.isTemporary = true;
    statement.target.tensor = addTemporary(statement, variables, type, Temporary{});
    plain.value =
        makeNode(AccessNode{plain.scope.intern({statement.target.tensor, variables, {}, plain.where})}, plain.where);
    statements_.push_back(std::move(statement));
    statements_.push_back(std::move(plain));
  }

  Program &program_;
  std::vector<ResolvedStatement> statements_;
  std::map<std::string, Apart> apart_; ///< by what it computes
};

} // namespace

bool listsRowsInOrder(const format::Format &format, const std::vector<int> &dims) {
  if (format.isSum() || format.symmetry != format::Symmetry::None || format.interleaved ||
      format.levelCount() != static_cast<int>(dims.size()))
    return false;
  for (int k = 0; k < format.levelCount(); ++k) {
    const format::Level &level = format.levels[static_cast<size_t>(k)];
    const format::LevelKind kind = format::kindOf(format, k);
    const bool isKnown = kind == format::LevelKind::Dense || kind == format::LevelKind::Compressed;
    if (!isKnown || level.part != format::Part::Whole || level.dim != dims[static_cast<size_t>(k)] || !level.unique ||
        !level.ordered || level.isFound)
      return false;
  }
  return true;
}

const ReduceNode *rankingOf(const ResolvedStatement &statement) {
  const auto *reduction = std::get_if<ReduceNode>(&statement.value->kind);
  return reduction && reduction->rank ? reduction : nullptr;
}

void rankApart(Program &program) {
  if (std::none_of(program.statements.begin(), program.statements.end(),
                   [](const ResolvedStatement &statement) { return rankingOf(statement) != nullptr; }))
    return;
  const size_t given = program.symbols.size();
  RankingSplitter splitter(program);
  std::vector<int> places; // of the program's statements: the last one that each becomes
  for (ResolvedStatement &statement : program.statements) {
    splitter.add(std::move(statement));
    places.push_back(static_cast<int>(splitter.statements().size()) - 1);
  }
  for (size_t k = 0; k < given; ++k)
    if (int &first = program.symbols[TensorId(k)].firstWrite; first >= 0)
      first = places[static_cast<size_t>(first)];
  program.statements = std::move(splitter.statements());
}

} // namespace spc::sema
