#include "entry/body_call.h"

#include "entry/descriptors.h"
#include "runtime/runtime.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {

using dialect::BindAttr;
using dialect::BindKind;
using LLVM::ICmpPredicate;

namespace {

/// The work of a trial's piece, at least: some microseconds; and of calls that have one.
struct TrialSizes {
  int64_t piece, call;
};
/// Pieces of long calls are this part of them: the longer they are, the more they have in common with the rest.
constexpr int64_t kPiecesOfCall = 256;
constexpr TrialSizes kOnVectors{int64_t{1} << 16, int64_t{1} << 22}; ///< of multiply-adds in dense loops
constexpr TrialSizes kOneByOne{int64_t{1} << 15, int64_t{1} << 20};  ///< of entries
constexpr int64_t kOnePiece = int64_t{1} << 62;

constexpr int64_t kMostPositions = (int64_t{1} << 31) - 4; ///< that numbers of 32 bits tell apart

/// Where a call notes the number of an argument that each chunk has its own value of; null for all others.
int *placeIn(BodyCall &call, BindAttr bind) {
  const auto kind = bind.getKind();
  if (kind == BindKind::Begin)
    return &call.begin;
  if (kind == BindKind::End)
    return &call.end;
  return kind == BindKind::Chunk ? &call.chunk : nullptr;
}

TrialSizes trialSizes(LLVM::LLVMFuncOp body) {
  return dialect::chunksOf(body).getExtents().empty() ? kOneByOne : kOnVectors;
}

/// What the tasks of this call share of a trial. Small calls run as they would without one.
Value makeTrial(EntryBuilder &build, const Work &work, const TrialSizes &sizes) {
  using Slot = runtime::TrialSlot;
  const Struct type = build.structOf<runtime::Trial>();
  const Value object = build.stack(type, 1), one = build.constant(1);
  const auto set = [&](unsigned slot, Value value) { build.storeField(type, object, slot, value); };
  const Value isWorth = build.compare(ICmpPredicate::sge, work.size(), build.constant(sizes.call));
  const Value ofRow = LLVM::UDivOp::create(build.ops(), work.size(), build.greatest(work.positions(), one));
  const Value part = LLVM::UDivOp::create(build.ops(), work.size(), build.constant(kPiecesOfCall));
  const Value piece = build.greatest(part, build.constant(sizes.piece));
  const Value rows = LLVM::UDivOp::create(build.ops(), piece, build.greatest(ofRow, one));
  set(Slot::rows, build.select(isWorth, build.greatest(rows, one), build.constant(kOnePiece)));
  set(Slot::choice, build.constant(-1));
  set(Slot::begun, build.select(isWorth, build.constant(0), build.constant(runtime::kTrials)));
  set(Slot::ended, build.constant(0));
  for (unsigned loop = 0; loop < 2; ++loop)
    set(Slot::least + loop, build.constant(INT64_MAX));
  return object;
}

/// The entries of the least of the operands whose lists a body goes through: it takes no fewer steps.
Value leastStored(EntryBuilder &build, LLVM::LLVMFuncOp body, const Binds &binds) {
  Value least = build.constant(kMostPositions);
  for (unsigned a = 0; a < body.getNumArguments(); ++a)
    if (const BindAttr bind = dialect::bindOf(body, a); bind && bind.getKind() == BindKind::Indices)
      if (const Value stored = binds.lookup(BindAttr::get(body.getContext(), BindKind::Stored, bind.getSymbol())))
        least = build.least(least, stored);
  return least;
}

/// What gives the tasks of a call arrays of as many numbers as `extent` says. There are none where these would be many
/// for `entries`: wiping them would take longer than the call, and whoever has a list of 40 among 2^60 has no memory.
Value makePositions(Entry &entry, Memory &memory, Value extent, Value entries) {
  using Slot = runtime::PositionsSlot;
  EntryBuilder &build = entry.build;
  const Value isFew = build.compare(ICmpPredicate::sle, extent, entries);
  const Struct type = build.structOf<runtime::Positions>();
  const Value object = build.stack(type, 1);
  build.storeField(type, object, Slot::allocator, Descriptors(entry).allocator(memory));
  build.storeField(type, object, Slot::extent, build.select(isFew, extent, build.constant(0)));
  for (unsigned place = Slot::pool; place <= Slot::poolLast; ++place)
    build.storeField(type, object, place, build.null());
  return object;
}

} // namespace

void releasePositions(Entry &entry, const BodyCall &call) {
  for (const Value positions : call.positions)
    entry.build.call(runtime::functions::release_positions, positions);
}

mlir::LogicalResult bindArguments(Entry &entry, Memory &memory, LLVM::LLVMFuncOp body, const Chunks &chunks,
                                  Value assembly, BodyCall &call) {
  Binds binds = allBinds(entry);
  if (assembly)
    binds[BindAttr::get(body.getContext(), BindKind::Assembly)] = assembly;
  for (unsigned a = 0; a < body.getNumArguments(); ++a) {
    const BindAttr bind = dialect::bindOf(body, a);
    if (!bind)
      return body.emitError("argument ") << a << " of the body is bound to nothing";
    int *place = placeIn(call, bind);
    if (chunks.copied && bind.getKind() == BindKind::Values && bind.getSymbol() == chunks.copied->name)
      call.copied = static_cast<int>(a);
    const bool tries = bind.getKind() == BindKind::Trial && chunks.work;
    const auto makeOwn = [&] { return makeTrial(entry.build, *chunks.work, trialSizes(body)); };
    if (bind.getKind() == BindKind::Positions)
      binds[bind] = call.positions.emplace_back(
          makePositions(entry, memory, binds.lookup(bind.as(BindKind::Size)), leastStored(entry.build, body, binds)));
    const Value value = tries ? makeOwn() : place ? Value() : binds.lookup(bind);
    if (place)
      *place = static_cast<int>(a);
    else if (!value || value.getType() != body.getArgument(a).getType())
      return body.emitError("argument ") << a << " of the body cannot be bound to " << bind;
    call.arguments.push_back(value);
  }
  return mlir::success();
}

} // namespace spc::entry
