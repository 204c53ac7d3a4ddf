#include "dialect/attributes.h"
#include "transforms/passes.h"
#include "transforms/util/access.h"
#include "transforms/util/loop_hints.h"
#include "transforms/util/reductions.h"
#include "transforms/vector/runs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

#define GEN_PASS_DEF_FLATTENSEGMENTS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Value;
using Values = llvm::SmallVector<Value>;

constexpr int64_t kAtOnce = 4;   ///< entries whose coordinates are compared
constexpr int64_t kLongest = 24; ///< operations of an entry, of which there are several copies

/// Writes the code of a loop over runs.
class RunWriter {
public:
  RunWriter(Runs &runs, int64_t chains) : runs_(runs), chains_(static_cast<size_t>(chains)) { findLate(); }
  void write();

private:
  void findLate();
  mlir::IRMapping writeEarly(mlir::ImplicitLocOpBuilder &ops, Value position);
  void writeLate(mlir::ImplicitLocOpBuilder &ops, mlir::IRMapping &map);
  void addLate(mlir::ImplicitLocOpBuilder &ops, mlir::IRMapping &map, llvm::MutableArrayRef<Value> sums);
  void addEntry(mlir::ImplicitLocOpBuilder &ops, Value position, mlir::IRMapping map,
                llvm::MutableArrayRef<Value> sums);
  Value isOneRun(mlir::ImplicitLocOpBuilder &ops, Value from, Value coordinate);
  void writeSingle(mlir::ImplicitLocOpBuilder &ops, Value begin, Value end);
  Value writeToMultiple(mlir::ImplicitLocOpBuilder &ops, Value begin);
  Value writeFour(mlir::ImplicitLocOpBuilder &ops, Value position);
  Value writeRun(mlir::ImplicitLocOpBuilder &ops, llvm::MutableArrayRef<mlir::IRMapping> entries, Value next);
  Values writeEntries(mlir::ImplicitLocOpBuilder &ops, llvm::MutableArrayRef<mlir::IRMapping> entries, Value next);
  Values writeLoop(mlir::ImplicitLocOpBuilder &ops, const mlir::IRMapping &run, Values carried);

  /// The accumulators of an entry, of those behind the position in what a loop carries.
  llvm::MutableArrayRef<Value> chainOf(Values &carried, int64_t entry) {
    const size_t sums = runs_.entries.getNumResults();
    return llvm::MutableArrayRef<Value>(carried).slice(1 + static_cast<size_t>(entry) % chains_ * sums, sums);
  }
  static Value plus(mlir::ImplicitLocOpBuilder &ops, Value position, int64_t entries) {
    return entries == 0
               ? position
               : arith::AddIOp::create(ops, position, arith::ConstantIndexOp::create(ops, entries)).getResult();
  }

  Runs &runs_;
  size_t chains_;                          ///< how many entries have accumulators of their own
  llvm::SmallPtrSet<Operation *, 8> late_; ///< what accesses elements that are written, and what depends on that
  Value full_; ///< the first position from which on there are too few entries, or runs that nobody foresees
};

/// Finds what entries have to do in their order. All else of an entry may be done before that of the entries in front.
void RunWriter::findLate() {
  llvm::SmallPtrSet<Value, 2> written;
  runs_.loop.walk([&](memref::StoreOp store) { written.insert(store.getMemRef()); });
  const auto dependsOnLate = [&](Value value) {
    Operation *made = value.getDefiningOp();
    return made ? late_.contains(made) : llvm::is_contained(runs_.entries.getRegionIterArgs(), value);
  };
  const auto visit = [&](Operation &op) {
    const std::optional<Access> access = accessOf(&op);
    if ((access && written.contains(access->buffer)) || llvm::any_of(op.getOperands(), dependsOnLate))
      late_.insert(&op);
  };
  late_.insert(runs_.entries);
  for (Operation &op : runs_.body().without_terminator())
    if (&op == runs_.entries)
      llvm::for_each(runs_.entries.getBody()->without_terminator(), visit);
    else if (!runs_.isOfSearch(&op))
      visit(op);
}

/// Whether the coordinates in `own` are all `coordinate`.
Value areSame(mlir::ImplicitLocOpBuilder &ops, mlir::ValueRange own, Value coordinate) {
  Value differences;
  for (Value other : own) {
    Value difference = arith::XOrIOp::create(ops, other, coordinate);
    differences = differences ? arith::OrIOp::create(ops, differences, difference).getResult() : difference;
  }
  Value zero = arith::ConstantOp::create(ops, ops.getZeroAttr(differences.getType()));
  return arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, differences, zero);
}

/// Whether the entries from `from` on, as many as are done at once, have this coordinate.
Value RunWriter::isOneRun(mlir::ImplicitLocOpBuilder &ops, Value from, Value coordinate) {
  Values own;
  for (int64_t entry = 0; entry < kAtOnce; ++entry)
    own.push_back(coordinateAt(ops, runs_, plus(ops, from, entry)));
  return areSame(ops, own, coordinate);
}

/// Writes what of an entry, as of a run of its own, may be done early. Returns what it has computed.
mlir::IRMapping RunWriter::writeEarly(mlir::ImplicitLocOpBuilder &ops, Value position) {
  mlir::IRMapping map;
  map.map(runs_.position, position);
  map.map(runs_.entries.getInductionVar(), position);
  for (mlir::Block *block : {&runs_.body(), runs_.entries.getBody()})
    for (Operation &op : block->without_terminator())
      if (runs_.asksForEntries(&op))
        map.map(op.getResult(0), arith::ConstantOp::create(ops, ops.getBoolAttr(true)).getResult());
      else if (!late_.contains(&op) && !runs_.isOfSearch(&op))
        ops.clone(op, map);
  return map;
}

/// Writes the rest of an entry's iteration, which adds to `sums`.
void RunWriter::addLate(mlir::ImplicitLocOpBuilder &ops, mlir::IRMapping &map, llvm::MutableArrayRef<Value> sums) {
  map.map(runs_.entries.getRegionIterArgs(), sums);
  for (Operation &op : runs_.entries.getBody()->without_terminator())
    if (late_.contains(&op))
      ops.clone(op, map);
  for (auto [sum, yielded] : llvm::zip_equal(sums, runs_.entries.getBody()->getTerminator()->getOperands()))
    sum = map.lookupOrDefault(yielded);
}

/// Writes the rest of an entry as of a run of its own.
void RunWriter::writeLate(mlir::ImplicitLocOpBuilder &ops, mlir::IRMapping &map) {
  for (Operation &op : runs_.body().without_terminator()) {
    if (&op == runs_.entries) {
      Values sums;
      for (Value init : runs_.entries.getInitArgs())
        sums.push_back(map.lookupOrDefault(init));
      addLate(ops, map, sums);
      map.map(runs_.entries.getResults(), sums);
    } else if (late_.contains(&op)) {
      ops.clone(op, map);
    }
  }
}

/// Writes an iteration of the loop over a run's entries, which adds to `sums`.
void RunWriter::addEntry(mlir::ImplicitLocOpBuilder &ops, Value position, mlir::IRMapping map,
                         llvm::MutableArrayRef<Value> sums) {
  map.map(runs_.entries.getInductionVar(), position);
  for (Operation &op : runs_.entries.getBody()->without_terminator())
    if (!late_.contains(&op))
      ops.clone(op, map);
  addLate(ops, map, sums);
}

/// Writes the loop over the further entries of a run, so many at once for as long as all of these are the run's.
/// Returns the position behind them, and the sums.
Values RunWriter::writeLoop(mlir::ImplicitLocOpBuilder &ops, const mlir::IRMapping &run, Values carried) {
  const auto goesOn = [&](mlir::OpBuilder &builder, mlir::Location at, mlir::ValueRange now) {
    mlir::ImplicitLocOpBuilder inner(at, builder);
    Value isFull = arith::CmpIOp::create(inner, arith::CmpIPredicate::slt, now[0], full_);
    const auto compare = [&](mlir::OpBuilder &then, mlir::Location) {
      mlir::ImplicitLocOpBuilder branch(at, then);
      scf::YieldOp::create(branch, isOneRun(branch, now[0], run.lookup(runs_.coordinate.getResult())));
    };
    const auto end = [&](mlir::OpBuilder &otherwise, mlir::Location) {
      mlir::ImplicitLocOpBuilder branch(at, otherwise);
      scf::YieldOp::create(branch, arith::ConstantOp::create(branch, branch.getBoolAttr(false)).getResult());
    };
    scf::ConditionOp::create(inner, scf::IfOp::create(inner, isFull, compare, end).getResult(0), now);
  };
  const auto four = [&](mlir::OpBuilder &builder, mlir::Location at, mlir::ValueRange now) {
    mlir::ImplicitLocOpBuilder inner(at, builder);
    Values results(now);
    for (int64_t entry = 0; entry < kAtOnce; ++entry)
      addEntry(inner, plus(inner, now[0], entry), run, chainOf(results, entry));
    results[0] = plus(inner, now[0], kAtOnce);
    scf::YieldOp::create(inner, results);
  };
  return Values(scf::WhileOp::create(ops, mlir::ValueRange(carried).getTypes(), carried, goesOn, four).getResults());
}

/// Writes the sums of a run that begins with these entries. Returns the position behind all that are added, and them.
Values RunWriter::writeEntries(mlir::ImplicitLocOpBuilder &ops, llvm::MutableArrayRef<mlir::IRMapping> entries,
                               Value next) {
  const size_t sums = runs_.entries.getNumResults();
  Values carried{next};
  for (Value init : runs_.entries.getInitArgs())
    carried.push_back(entries.front().lookupOrDefault(init));
  for (size_t more = sums; more < chains_ * sums; ++more)
    carried.push_back(arith::ConstantOp::create(ops, ops.getZeroAttr(carried[1 + more % sums].getType())));
  for (int64_t entry = 0; entry < kAtOnce; ++entry)
    addLate(ops, entries[static_cast<size_t>(entry)], chainOf(carried, entry));
  carried = writeLoop(ops, entries.front(), carried);
  Values added = addChains(ops, runs_.entries, mlir::ValueRange(carried).drop_front());
  added.insert(added.begin(), carried.front());
  return added;
}

/// Writes the rest of a run that begins with these entries. Returns the position behind what of it is done.
Value RunWriter::writeRun(mlir::ImplicitLocOpBuilder &ops, llvm::MutableArrayRef<mlir::IRMapping> entries, Value next) {
  mlir::IRMapping &run = entries.front();
  for (Operation &op : runs_.body().without_terminator()) {
    if (&op == runs_.entries) {
      const Values done = writeEntries(ops, entries, next);
      run.map(runs_.entries.getResults(), mlir::ValueRange(done).drop_front());
      next = done.front();
    } else if (late_.contains(&op)) {
      ops.clone(op, run);
    }
  }
  return next;
}

/// Writes so many entries from `position` on: as one run, or each by itself. Returns where it goes on.
Value RunWriter::writeFour(mlir::ImplicitLocOpBuilder &ops, Value position) {
  llvm::SmallVector<mlir::IRMapping> entries;
  Values coordinates;
  for (int64_t entry = 0; entry < kAtOnce; ++entry) {
    entries.push_back(writeEarly(ops, plus(ops, position, entry)));
    coordinates.push_back(entries.back().lookup(runs_.coordinate.getResult()));
  }
  Value next = plus(ops, position, kAtOnce);
  const auto run = [&](mlir::OpBuilder &then, mlir::Location at) {
    mlir::ImplicitLocOpBuilder branch(at, then);
    llvm::SmallVector<mlir::IRMapping> own(entries);
    scf::YieldOp::create(branch, writeRun(branch, own, next));
  };
  const auto single = [&](mlir::OpBuilder &otherwise, mlir::Location at) {
    mlir::ImplicitLocOpBuilder branch(at, otherwise);
    for (mlir::IRMapping &entry : entries)
      writeLate(branch, entry);
    scf::YieldOp::create(branch, next);
  };
  Value isRun = areSame(ops, mlir::ValueRange(coordinates).drop_front(), coordinates.front());
  return scf::IfOp::create(ops, isRun, run, single).getResult(0);
}

/// Writes entries from `begin` up to `end`, each by itself.
void RunWriter::writeSingle(mlir::ImplicitLocOpBuilder &ops, Value begin, Value end) {
  auto loop = scf::ForOp::create(ops, begin, end, arith::ConstantIndexOp::create(ops, 1));
  keepLoopAsItIs(loop);
  // Those of several entries at once are rounded, too, as they are computed before it is known what they are added to.
  keepProductsApart(loop);
  mlir::ImplicitLocOpBuilder inner(ops.getLoc(), ops.getContext());
  inner.setInsertionPointToStart(loop.getBody());
  mlir::IRMapping entry = writeEarly(inner, loop.getInductionVar());
  writeLate(inner, entry);
}

/// Writes the entries up to a multiple of how many are done at once, so that a row is added up in the same way wherever
/// its chunk begins: which is at a row, so that these entries are not of one run. Returns the position behind them.
Value RunWriter::writeToMultiple(mlir::ImplicitLocOpBuilder &ops, Value begin) {
  Value last = plus(ops, begin, kAtOnce - 1);
  Value multiple = arith::AndIOp::create(ops, last, arith::ConstantIndexOp::create(ops, -kAtOnce));
  Value end = arith::MinSIOp::create(ops, multiple, runs_.limit);
  end = arith::MaxSIOp::create(ops, end, begin);
  writeSingle(ops, begin, end);
  return end;
}

void RunWriter::write() {
  mlir::OpBuilder builder(runs_.loop);
  mlir::ImplicitLocOpBuilder ops(runs_.loop.getLoc(), builder);
  const Value begin = writeToMultiple(ops, runs_.loop.getInits()[0]);
  full_ = arith::SubIOp::create(ops, runs_.limit, arith::ConstantIndexOp::create(ops, kAtOnce - 1));
  if (Value foreseen = canForeseeRuns(ops, runs_, kAtOnce - 1))
    full_ = arith::SelectOp::create(ops, foreseen, full_, begin);
  const auto test = [&](mlir::OpBuilder &inner, mlir::Location at, mlir::ValueRange position) {
    Value isFull = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::slt, position[0], full_);
    scf::ConditionOp::create(inner, at, isFull, position);
  };
  const auto four = [&](mlir::OpBuilder &inner, mlir::Location at, mlir::ValueRange position) {
    mlir::ImplicitLocOpBuilder body(at, inner);
    scf::YieldOp::create(body, writeFour(body, position[0]));
  };
  auto most = scf::WhileOp::create(ops, mlir::TypeRange{begin.getType()}, mlir::ValueRange{begin}, test, four);
  writeSingle(ops, most.getResult(0), runs_.limit);
  runs_.loop.erase();
  if (runs_.firstSearch->use_empty())
    runs_.firstSearch.erase();
}

class FlattenSegments : public impl::FlattenSegmentsBase<FlattenSegments> {
public:
  using FlattenSegmentsBase::FlattenSegmentsBase;

  void runOnOperation() override {
    llvm::SmallVector<scf::WhileOp> loops;
    getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    for (scf::WhileOp loop : loops)
      if (std::optional<Runs> runs = matchRuns(loop); runs && isShort(*runs) && maySplit(*runs))
        RunWriter(*runs, chainsOf(*runs)).write();
  }

private:
  static bool isShort(Runs &runs);
  bool maySplit(Runs &runs);
  bool addsTo(Runs &runs, memref::StoreOp store);
  int64_t chainsOf(Runs &runs);
};

/// Whether an entry is a few operations on single numbers.
bool FlattenSegments::isShort(Runs &runs) {
  int64_t count = 0;
  for (mlir::Block *block : {&runs.body(), runs.entries.getBody()})
    for (Operation &op : block->without_terminator()) {
      if (&op == runs.entries || runs.isOfSearch(&op))
        continue;
      if (op.getNumRegions() > 0 || !(accessOf(&op) || mlir::isPure(&op)) ||
          llvm::any_of(op.getResultTypes(), llvm::IsaPred<mlir::VectorType>))
        return false;
      ++count;
    }
  return count <= kLongest;
}

/// Whether `store`, behind the loop over a run's entries, adds their sum to an element that nothing else of the run
/// accesses.
bool FlattenSegments::addsTo(Runs &runs, memref::StoreOp store) {
  memref::LoadOp load;
  for (Operation *user : store.getMemRef().getUsers()) {
    if (!runs.loop->isAncestor(user) || user == store)
      continue;
    if (load || user->getBlock() != &runs.body() || !mlir::isa<memref::LoadOp>(user))
      return false;
    load = mlir::cast<memref::LoadOp>(user);
  }
  if (!load || !matchMemorySum(load, store))
    return false;
  // What is added up before it is added to memory would be added up in parts.
  return reassociate || (store.getValueToStore().getDefiningOp() == runs.entries &&
                         llvm::is_contained(runs.entries.getInitArgs(), load.getResult()));
}

/// Whether a run may be computed in parts: its entries add to memory one by one, where the run has read nothing before,
/// or they carry sums that it adds to memory.
bool FlattenSegments::maySplit(Runs &runs) {
  const auto isOfRun = [&](Operation *user) { return user->getBlock() == &runs.body(); };
  const auto inner = runs.entries.getBody()->getOps<memref::StoreOp>();
  const auto outer = runs.body().getOps<memref::StoreOp>();
  if (runs.entries.getNumResults() > 0)
    return inner.empty() && llvm::all_of(outer, [&](memref::StoreOp store) { return addsTo(runs, store); });
  return outer.empty() && llvm::all_of(inner, [&](memref::StoreOp store) {
           return llvm::none_of(store.getMemRef().getUsers(), isOfRun);
         });
}

/// How many entries have accumulators of their own.
int64_t FlattenSegments::chainsOf(Runs &runs) {
  const unsigned sums = runs.entries.getNumResults();
  if (!reassociate || sums == 0)
    return 1;
  for (unsigned number = 0; number < sums; ++number)
    if (std::optional<Addition> sum = matchCarriedSum(runs.entries, number); !sum || sum->isSubtracted)
      return 1;
  const int64_t wanted =
      std::clamp<int64_t>(dialect::scheduleOf(getOperation()).getUnroll().value_or(kAtOnce), 1, kAtOnce);
  const auto chains = static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(wanted)));
  return std::max<int64_t>(chains / static_cast<int64_t>(llvm::bit_ceil(sums)), 1);
}

} // namespace
} // namespace spc::transforms
