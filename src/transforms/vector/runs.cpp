#include "transforms/vector/runs.h"

#include "dialect/attributes.h"
#include "transforms/util/access.h"
#include "transforms/util/index_chains.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Value;

bool Runs::isOfSearch(Operation *op) const {
  scf::WhileOp self = search;
  return self->isAncestor(op) || (op->getNumResults() > 0 && !op->use_empty() && mlir::isPure(op) &&
                                  llvm::all_of(op->getUsers(), [&](Operation *user) { return isOfSearch(user); }));
}

bool Runs::asksForEntries(Operation *op) const {
  auto test = mlir::dyn_cast<arith::CmpIOp>(op);
  return test && test.getPredicate() == arith::CmpIPredicate::slt && test.getLhs() == position && test.getRhs() == last;
}

namespace {

/// The array of coordinates in which `search` looks for one that differs from the first one; null where it does
/// something else.
Value searchedArray(scf::WhileOp search) {
  Value array;
  bool isKnown = true, compares = false;
  search.walk([&](Operation *op) {
    if (auto load = mlir::dyn_cast<memref::LoadOp>(op)) {
      isKnown &= !array || array == load.getMemRef();
      array = load.getMemRef();
    } else if (auto test = mlir::dyn_cast<arith::CmpIOp>(op); test && test.getPredicate() == arith::CmpIPredicate::eq) {
      compares = loadedIndex(test.getLhs()) && loadedIndex(test.getRhs());
    } else {
      isKnown &= op->getNumRegions() > 0 || mlir::isPure(op) || op->hasTrait<mlir::OpTrait::IsTerminator>();
    }
  });
  return isKnown && compares ? array : Value();
}

/// Reads the parts of a loop over runs off its two arguments.
std::optional<Runs> matchLoop(scf::WhileOp loop) {
  if (loop.getInits().size() != 2 || loop.getBeforeArguments().size() != 2 || loop.getAfterArguments().size() != 2 ||
      !loop->use_empty())
    return std::nullopt;
  auto test = loop.getConditionOp().getCondition().getDefiningOp<arith::CmpIOp>();
  const Value next = loop.getYieldOp().getOperand(1);
  Runs runs{};
  runs.loop = loop;
  runs.firstSearch = loop.getInits()[1].getDefiningOp<scf::WhileOp>();
  runs.position = loop.getAfterArguments()[0];
  runs.last = loop.getAfterArguments()[1];
  runs.search = next.getDefiningOp<scf::WhileOp>();
  if (!test || test.getPredicate() != arith::CmpIPredicate::ult || test.getLhs() != loop.getBeforeArguments()[0] ||
      !loop.isDefinedOutsideOfLoop(test.getRhs()) ||
      !llvm::equal(loop.getConditionOp().getArgs(), loop.getBeforeArguments()) ||
      loop.getYieldOp().getOperand(0) != runs.last || !runs.search || !runs.firstSearch ||
      runs.search->getBlock() != &runs.body() || runs.search.getInits().size() != 1 ||
      runs.search.getInits()[0] != runs.last)
    return std::nullopt;
  runs.limit = test.getRhs();
  return runs;
}

/// Whether all of a run but its entries is loads, stores and arithmetic that depend on the run by its coordinate alone.
bool findParts(Runs &runs) {
  const Value array = searchedArray(runs.search);
  for (Operation &op : runs.body().without_terminator()) {
    if (runs.isOfSearch(&op))
      continue;
    if (auto loop = mlir::dyn_cast<scf::ForOp>(op)) {
      if (runs.entries || loop.getLowerBound() != runs.position || loop.getUpperBound() != runs.last ||
          !mlir::isConstantIntValue(loop.getStep(), 1))
        return false;
      runs.entries = loop;
    } else if (auto load = mlir::dyn_cast<memref::LoadOp>(op); load && load.getMemRef() == array) {
      if (runs.coordinate)
        return false;
      runs.coordinate = load;
    } else if (op.getNumRegions() > 0 || !(accessOf(&op) || mlir::isPure(&op))) {
      return false;
    }
  }
  return array && array == searchedArray(runs.firstSearch) && runs.entries && runs.coordinate;
}

/// The operations in the run's body that its coordinate is loaded by, in order.
llvm::SmallVector<Operation *> placeOf(Runs &runs) {
  llvm::SmallVector<Operation *> place{runs.coordinate};
  for (size_t next = 0; next < place.size(); ++next)
    for (Value operand : place[next]->getOperands())
      if (Operation *made = operand.getDefiningOp();
          made && made->getBlock() == &runs.body() && !llvm::is_contained(place, made))
        place.push_back(made);
  llvm::sort(place, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return place;
}

/// Whether nothing else depends on where a run begins or ends.
bool hidesBounds(Runs &runs) {
  const auto isBound = [&](Operation *user) { return user == runs.entries || runs.asksForEntries(user); };
  return llvm::all_of(runs.position.getUsers(),
                      [&](Operation *user) { return isBound(user) || llvm::is_contained(runs.place, user); }) &&
         llvm::all_of(runs.last.getUsers(), [&](Operation *user) {
           return isBound(user) || user == runs.loop.getYieldOp() || runs.isOfSearch(user);
         });
}

} // namespace

std::optional<Runs> matchRuns(scf::WhileOp loop) {
  std::optional<Runs> runs = matchLoop(loop);
  if (!runs || !findParts(*runs))
    return std::nullopt;
  runs->place = placeOf(*runs);
  return hidesBounds(*runs) ? runs : std::nullopt;
}

namespace {

constexpr int64_t kRunSamples = 32, kMost = 13; ///< of the samples
constexpr int64_t kEntriesOfMany = 1 << 17;     ///< whose branches no processor learns by heart

/// How many entries the whole list has; null where no argument of the body says so, or the loop runs several times.
Value countOfEntries(Runs &runs) {
  auto body = mlir::dyn_cast<mlir::func::FuncOp>(runs.loop->getParentOp());
  const dialect::BindAttr bind = body ? dialect::bindOf(body, runs.coordinate.getMemRef()) : dialect::BindAttr();
  if (!bind || bind.getKind() != dialect::BindKind::Indices)
    return {};
  return dialect::argumentWith(body, bind.as(dialect::BindKind::Count));
}

} // namespace

Value coordinateAt(mlir::ImplicitLocOpBuilder &ops, Runs &runs, Value position) {
  mlir::IRMapping map;
  map.map(runs.position, position);
  for (Operation *op : runs.place)
    ops.clone(*op, map);
  return map.lookup(runs.coordinate.getResult());
}

Value canForeseeRuns(mlir::ImplicitLocOpBuilder &ops, Runs &runs, int64_t apart) {
  const Value count = countOfEntries(runs);
  if (!count)
    return {};
  const auto number = [](mlir::ImplicitLocOpBuilder &at, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(at, value);
  };
  const auto sample = [&](mlir::OpBuilder &then, mlir::Location place) {
    mlir::ImplicitLocOpBuilder branch(place, then);
    const Value last = arith::SubIOp::create(branch, count, number(branch, apart));
    const Value step = arith::DivUIOp::create(branch, last, number(branch, kRunSamples));
    const Value zero = number(branch, 0), one = number(branch, 1);
    const auto add = [&](mlir::OpBuilder &inside, mlir::Location, Value k, mlir::ValueRange found) {
      mlir::ImplicitLocOpBuilder inner(place, inside);
      const Value from = arith::MulIOp::create(inner, k, step);
      const Value to = arith::AddIOp::create(inner, from, number(inner, apart));
      const Value isSame = arith::CmpIOp::create(inner, arith::CmpIPredicate::eq, coordinateAt(inner, runs, from),
                                                 coordinateAt(inner, runs, to));
      const Value more = arith::SelectOp::create(inner, isSame, one, zero);
      scf::YieldOp::create(inner, arith::AddIOp::create(inner, found[0], more).getResult());
    };
    auto loop = scf::ForOp::create(branch, zero, number(branch, kRunSamples), one, mlir::ValueRange{zero}, add);
    const Value same = loop.getResult(0);
    const Value none = arith::CmpIOp::create(branch, arith::CmpIPredicate::eq, same, zero);
    const Value most = arith::CmpIOp::create(branch, arith::CmpIPredicate::uge, same, number(branch, kMost));
    scf::YieldOp::create(branch, arith::OrIOp::create(branch, none, most).getResult());
  };
  const auto suppose = [&](mlir::OpBuilder &otherwise, mlir::Location place) {
    mlir::ImplicitLocOpBuilder branch(place, otherwise);
    scf::YieldOp::create(branch, arith::ConstantOp::create(branch, branch.getBoolAttr(true)).getResult());
  };
  const Value isLong = arith::CmpIOp::create(ops, arith::CmpIPredicate::uge, count, number(ops, kEntriesOfMany));
  return scf::IfOp::create(ops, isLong, sample, suppose).getResult(0);
}

} // namespace spc::transforms
