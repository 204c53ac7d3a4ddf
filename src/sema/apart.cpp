#include "sema/apart.h"

#include <algorithm>
#include <utility>

namespace spc::sema {

ResolvedStatement statementApart(TensorId target, const std::vector<VariableId> &variables,
                                 const ResolvedStatement &statement, NodePtr value) {
  ResolvedStatement apart;
  apart.isTemporary = true;
  apart.where = statement.where;
  apart.targetWhere = statement.targetWhere;
  apart.scope.variables = statement.scope.variables;
  for (VariableId id : apart.scope.variables.ids())
    if (Variable &variable = apart.scope.variables[id]; variable.kind != Variable::Kind::Derived)
      variable.kind = has(variables, id) ? Variable::Kind::Target : Variable::Kind::Bound;
  apart.target = {target, variables, {}, value->where};
  apart.value = std::move(value);
  replaceAccesses(*apart.value, [&](AccessId id) { return apart.scope.intern(statement.scope.accesses[id]); });
  return apart;
}

TensorId addTemporary(Program &program, Tensor tensor, const std::vector<VariableId> &variables,
                      const ResolvedStatement &statement) {
  tensor.format = format::denseFormat(static_cast<int>(variables.size()));
  for (VariableId variable : variables)
    tensor.extents.push_back(statement.scope.variables[variable].extent);
  tensor.isWritten = true;
  tensor.where = statement.where;
  Symbol symbol;
  symbol.firstUse = statement.where;
  program.symbols.push_back(std::move(symbol));
  return program.tensors.add(std::move(tensor));
}

void tidy(ResolvedStatement &statement) {
  Scope &scope = statement.scope;
  const IdVector<AccessId, Access> before = std::exchange(scope.accesses, {});
  replaceAccesses(*statement.value, [&](AccessId id) { return scope.intern(before[id]); });
  for (VariableId id : scope.variables.ids())
    if (Variable &variable = scope.variables[id];
        variable.kind == Variable::Kind::Derived &&
        std::none_of(scope.accesses.begin(), scope.accesses.end(),
                     [&](const Access &access) { return has(access.variables, id); })) {
      variable.kind = Variable::Kind::Bound;
      variable.terms.clear();
    }
}

void insertApart(Program &program, std::vector<Apart> apart) {
  std::vector<ResolvedStatement> statements;
  for (size_t k = 0; k <= program.statements.size(); ++k) {
    for (Apart &one : apart)
      if (one.before == k)
        statements.push_back(std::move(one.statement));
    if (k < program.statements.size())
      statements.push_back(std::move(program.statements[k]));
  }
  program.statements = std::move(statements);
  for (Symbol &symbol : program.symbols)
    symbol.firstWrite = -1;
  for (size_t k = program.statements.size(); k-- > 0;)
    program.symbols[program.statements[k].target.tensor].firstWrite = static_cast<int>(k);
}

} // namespace spc::sema
