#include "transforms/passes.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/loop_hints.h"
#include "transforms/vector/register_tiles.h"
#include "transforms/vector/tile_writer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

#define GEN_PASS_DEF_TILEREGISTERS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;

constexpr int64_t kMaxVectors = 16; ///< of a tile
constexpr unsigned kWidePairs = 8;  ///< bytes of elements of which a pair takes as long as two scalars
constexpr int64_t kGroup = 32;      ///< rows that one tile goes through before the next one does

/// The shape of a tile: `count` vectors of `lanes` elements, a power of 2: each shape costs 5 to 15 ms of compilation.
/// The last `clamped` of them may overlap the others.
struct Shape {
  int64_t lanes, count, clamped;
  bool isPart; ///< for sizes below one whole vector

  /// The number that tells it from other shapes: of vectors or, for parts, minus that of lanes.
  int64_t code() const { return isPart ? -lanes : count; }
};

class TileRegisters : public impl::TileRegistersBase<TileRegisters> {
public:
  using TileRegistersBase::TileRegistersBase;

  void runOnOperation() override {
    const std::optional<int64_t> elements = dialect::scheduleOf(getOperation()).getTile();
    if (elements == 0)
      return;
    std::vector<TiledRegion> regions = findTiledRegions(getOperation());
    for (TiledRegion &region : regions) {
      const int64_t lanes = std::max<int64_t>(vectorBytes / region.elementBytes, 1);
      mostVectors_ = elements ? roundedUp(llvm::divideCeil(*elements, lanes)) : vectorsInRegisters(region);
      tile(region, lanes);
    }
    const auto isWide = [](const TiledRegion &region) { return region.elementBytes >= kWidePairs; };
    if (!regions.empty() && llvm::all_of(regions, isWide))
      keepScalarsApart(getOperation());
  }

private:
  /// How a size is cut: into tiles of `length` elements with the shape `whole`, and one for the rest.
  struct Cut {
    Value length, whole, rest;
  };

  static int64_t roundedUp(int64_t count) {
    return static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(std::clamp<int64_t>(count, 1, kMaxVectors))));
  }
  int64_t vectorsInRegisters(const TiledRegion &region) const;
  llvm::SmallVector<Shape> shapes(int64_t lanes) const;
  Cut cut(mlir::ImplicitLocOpBuilder &ops, Value size, int64_t lanes) const;
  void tile(TiledRegion &region, int64_t lanes);
  void writeTiles(mlir::ImplicitLocOpBuilder &ops, Value size, const Cut &cut, int64_t lanes,
                  llvm::function_ref<void(const Tile &)> write);
  void writeRows(mlir::ImplicitLocOpBuilder &ops, const TiledRegion &region, scf::ForOp rows, const Cut &cut,
                 int64_t lanes);

  int64_t mostVectors_ = 0; ///< of a tile
};

/// Some registers are needed for what tiles are computed from. Rows side by side share the others, and have more
/// factors.
int64_t TileRegisters::vectorsInRegisters(const TiledRegion &region) const {
  const int64_t rows = region.rows();
  if (rows > 1)
    return roundedUp(registers / 2 / rows);
  return std::clamp<int64_t>(llvm::bit_floor(static_cast<uint64_t>(registers * 3 / 4)), 4, kMaxVectors);
}

/// All shapes: from one vector up to the most that a tile has; for sizes below one vector two overlapping halves,
/// quarters, …, or a single element.
llvm::SmallVector<Shape> TileRegisters::shapes(int64_t lanes) const {
  llvm::SmallVector<Shape> all;
  for (int64_t count = 1; count <= mostVectors_; count *= 2)
    all.push_back({lanes, count, count / 2, false});
  for (int64_t narrow = lanes / 2; narrow > 1; narrow /= 2)
    all.push_back({narrow, 2, 1, true});
  if (lanes > 1)
    all.push_back({1, 1, 0, true});
  return all;
}

/// Computes how to cut a size: into tiles of the shape nearest to it, so that little is computed twice, and one for
/// what they leave.
TileRegisters::Cut TileRegisters::cut(mlir::ImplicitLocOpBuilder &ops, Value size, int64_t lanes) const {
  const auto constant = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(ops, number); };
  const auto isBelow = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(ops, arith::CmpIPredicate::ult, a, b);
  };
  const auto select = [&](Value condition, Value a, Value b) -> Value {
    return arith::SelectOp::create(ops, condition, a, b);
  };
  const auto vectorsOf = [&](Value elements) -> Value {
    Value covered = arith::AddIOp::create(ops, elements, constant(lanes - 1));
    return arith::DivUIOp::create(ops, covered, constant(lanes));
  };
  // The largest shape that the size fills by three quarters.
  Value vectors = vectorsOf(size), whole = constant(1);
  for (int64_t count = 2; count <= mostVectors_; count *= 2)
    whole = select(isBelow(vectors, constant(llvm::divideCeil(3 * count, 4))), whole, constant(count));
  Value length = arith::MulIOp::create(ops, whole, constant(lanes));
  Value rest = arith::RemUIOp::create(ops, size, length);
  // The smallest one that holds what is left.
  Value left = vectorsOf(rest), code = constant(mostVectors_);
  for (int64_t count = mostVectors_ / 2; count > 0; count /= 2)
    code = select(isBelow(left, constant(count + 1)), constant(count), code);
  for (int64_t narrow = lanes / 2; narrow > 0; narrow /= 2)
    code = select(isBelow(rest, constant(2 * narrow)), constant(-narrow), code);
  return {length, whole, code};
}

/// A loop over tiles, with `write` for each shape that a tile can have.
void TileRegisters::writeTiles(mlir::ImplicitLocOpBuilder &ops, Value size, const Cut &cut, int64_t lanes,
                               llvm::function_ref<void(const Tile &)> write) {
  mlir::OpBuilder::InsertionGuard guard(ops);
  auto tiles = scf::ForOp::create(ops, arith::ConstantIndexOp::create(ops, 0), size, cut.length);
  ops.setInsertionPointToStart(tiles.getBody());
  Value base = tiles.getInductionVar();
  Value left = arith::SubIOp::create(ops, size, base);
  Value isWhole = arith::CmpIOp::create(ops, arith::CmpIPredicate::uge, left, cut.length);
  Value code = arith::SelectOp::create(ops, isWhole, cut.whole, cut.rest);
  const llvm::SmallVector<Shape> all = shapes(lanes);
  llvm::SmallVector<int64_t> codes;
  for (const Shape &shape : all)
    codes.push_back(shape.code());
  auto choice = scf::IndexSwitchOp::create(ops, mlir::TypeRange(), code, codes, codes.size());
  const auto open = [&](mlir::Region &body) {
    ops.createBlock(&body);
    scf::YieldOp::create(ops);
    ops.setInsertionPointToStart(&body.front());
  };
  open(choice.getDefaultRegion());
  for (auto [shape, body] : llvm::zip_equal(all, choice.getCaseRegions())) {
    open(body);
    write({shape.lanes, shape.count, shape.clamped, base});
  }
}

/// Writes the loop over rows anew for each shape, inside of the loop over tiles: what a tile needs to know is worked
/// out once for many rows. Rows of several tiles come in groups, so that what neighbouring rows share stays in caches.
void TileRegisters::writeRows(mlir::ImplicitLocOpBuilder &ops, const TiledRegion &region, scf::ForOp rows,
                              const Cut &cut, int64_t lanes) {
  Value begin = rows.getLowerBound(), end = rows.getUpperBound(), one = arith::ConstantIndexOp::create(ops, 1);
  Value all = arith::MaxSIOp::create(ops, arith::SubIOp::create(ops, end, begin), one);
  Value isOneTile = arith::CmpIOp::create(ops, arith::CmpIPredicate::ule, region.size, cut.length);
  Value step = arith::SelectOp::create(ops, isOneTile, all, arith::ConstantIndexOp::create(ops, kGroup));
  auto groups = scf::ForOp::create(ops, begin, end, step);
  mlir::OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToStart(groups.getBody());
  Value first = groups.getInductionVar(), behind = arith::AddIOp::create(ops, first, step);
  Value last = arith::MinSIOp::create(ops, behind, end);
  writeTiles(ops, region.size, cut, lanes, [&](const Tile &tile) {
    auto group = scf::ForOp::create(ops, first, last, rows.getStep());
    group->setDiscardableAttrs(rows->getDiscardableAttrDictionary());
    mlir::OpBuilder::InsertionGuard inside(ops);
    ops.setInsertionPointToStart(group.getBody());
    mlir::IRMapping known;
    known.map(rows.getInductionVar(), group.getInductionVar());
    for (mlir::Operation &op : rows.getBody()->without_terminator())
      if (&op == region.operations.back())
        TileWriter(ops, region, tile, known).write();
      else if (!llvm::is_contained(region.operations, &op))
        ops.clone(op, known);
  });
}

void TileRegisters::tile(TiledRegion &region, int64_t lanes) {
  mlir::OpBuilder builder(&getContext());
  mlir::ImplicitLocOpBuilder ops(region.operations.front()->getLoc(), builder);
  // How all rows are cut is computed once, where they have one size.
  mlir::Block &entry = getOperation().getBody().front();
  const bool isCommon = region.size.getParentBlock() == &entry;
  ops.setInsertionPoint(isCommon ? entry.findAncestorOpInBlock(*region.operations.front()) : region.operations.front());
  const Cut tiles = cut(ops, region.size, lanes);
  if (scf::ForOp rows = isCommon ? region.rowLoop() : scf::ForOp()) {
    ops.setInsertionPoint(rows);
    writeRows(ops, region, rows, tiles, lanes);
    rows->erase();
    return;
  }
  ops.setInsertionPointAfter(region.operations.back());
  writeTiles(ops, region.size, tiles, lanes, [&](const Tile &tile) { TileWriter(ops, region, tile).write(); });
  for (mlir::Operation *op : llvm::reverse(region.operations))
    op->erase();
}

} // namespace
} // namespace spc::transforms
