#include "transforms/passes.h"
#include "transforms/util/body_arguments.h"
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

/// Shapes have 1, 2, or a multiple of 4 vectors: each shape costs 5 to 15 ms of compilation.
constexpr int64_t kUnit = 4;
constexpr int64_t kMaxVectors = 8; ///< vectors of a tile: more of them gained nothing
constexpr int64_t kMaxChosen = 16; ///< the same where the user chooses

int64_t roundedUp(int64_t count) {
  return count > kUnit / 2 ? llvm::alignTo(count, kUnit) : count;
}

/// The shape of a tile: `count` vectors of `lanes` elements. The last `clamped` of them may overlap the others.
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
    for (TiledRegion &region : findTiledRegions(getOperation())) {
      const int64_t lanes = std::max<int64_t>(vectorBytes / region.elementBytes, 1);
      // Some registers are needed for what tiles are computed from. Rows side by side share the others, and have more
      // factors.
      const int64_t rows = region.rows(), free = rows > 1 ? registers / 2 / rows : registers * 3 / 4;
      const int64_t wanted = elements ? llvm::divideCeil(*elements, lanes) : free;
      mostVectors_ =
          roundedUp(std::clamp<int64_t>(wanted, elements || rows > 1 ? 1 : 4, elements ? kMaxChosen : kMaxVectors));
      tile(region, lanes);
    }
  }

private:
  /// How a size is cut: into tiles of `length` elements with the shape `whole`, and one for the rest.
  struct Cut {
    Value length, whole, rest;
  };

  llvm::SmallVector<Shape> shapes(int64_t lanes) const;
  Cut cut(mlir::ImplicitLocOpBuilder &ops, Value size, int64_t lanes) const;
  void tile(TiledRegion &region, int64_t lanes);
  void writeTiles(mlir::ImplicitLocOpBuilder &ops, const TiledRegion &region, const Cut &cut, int64_t lanes);

  int64_t mostVectors_ = 0; ///< of a tile
};

/// All shapes: from one vector up to the most that a tile has; for sizes below one vector two overlapping halves,
/// quarters, …, or a single element.
llvm::SmallVector<Shape> TileRegisters::shapes(int64_t lanes) const {
  llvm::SmallVector<Shape> all;
  for (int64_t count = 1, before = 0; count <= mostVectors_; before = count, count = roundedUp(count + 1))
    all.push_back({lanes, count, std::min(count - before, count - 1), false});
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
  const auto toShape = [&](Value count, int64_t up) -> Value {
    Value above = arith::AddIOp::create(ops, count, constant(up));
    Value multiple = arith::AndIOp::create(ops, above, constant(-kUnit));
    return select(isBelow(count, constant(kUnit / 2 + 1)), count, multiple);
  };
  Value vectors = arith::MaxUIOp::create(ops, constant(1), vectorsOf(size));
  Value whole = arith::MinUIOp::create(ops, toShape(vectors, kUnit / 2), constant(mostVectors_));
  Value length = arith::MulIOp::create(ops, whole, constant(lanes));
  Value rest = arith::RemUIOp::create(ops, size, length);
  Value code = toShape(vectorsOf(rest), kUnit - 1);
  for (int64_t narrow = lanes / 2; narrow > 0; narrow /= 2)
    code = select(isBelow(rest, constant(2 * narrow)), constant(-narrow), code);
  return {length, whole, code};
}

void TileRegisters::writeTiles(mlir::ImplicitLocOpBuilder &ops, const TiledRegion &region, const Cut &cut,
                               int64_t lanes) {
  mlir::OpBuilder::InsertionGuard guard(ops);
  auto tiles = scf::ForOp::create(ops, arith::ConstantIndexOp::create(ops, 0), region.size, cut.length);
  ops.setInsertionPointToStart(tiles.getBody());
  Value base = tiles.getInductionVar();
  Value left = arith::SubIOp::create(ops, region.size, base);
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
    TileWriter(ops, region, {shape.lanes, shape.count, shape.clamped, base}).write();
  }
}

void TileRegisters::tile(TiledRegion &region, int64_t lanes) {
  mlir::OpBuilder builder(&getContext());
  mlir::ImplicitLocOpBuilder ops(region.operations.front()->getLoc(), builder);
  // How all rows are cut is computed once, where they have one size.
  mlir::Block &entry = getOperation().getBody().front();
  const bool isCommon = region.size.getParentBlock() == &entry;
  ops.setInsertionPoint(isCommon ? entry.findAncestorOpInBlock(*region.operations.front()) : region.operations.front());
  const Cut tiles = cut(ops, region.size, lanes);
  ops.setInsertionPointAfter(region.operations.back());
  writeTiles(ops, region, tiles, lanes);
  for (mlir::Operation *op : llvm::reverse(region.operations))
    op->erase();
}

} // namespace
} // namespace spc::transforms
