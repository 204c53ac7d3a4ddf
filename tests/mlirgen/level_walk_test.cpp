#include "mlirgen/level_walk/level_walk.h"

#include "mlirgen/interpreter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

#include <functional>

namespace spc::mlirgen {
namespace {

using mlir::Value;
using Numbers = std::vector<int64_t>;
using Emits = std::function<std::vector<Value>(LevelWalk &, mlir::ValueRange)>;

/// A level with its arrays.
struct LevelData {
  format::Format format;
  int level = 0;
  int64_t extent = 0;
  Numbers positions, coordinates; ///< none of a dense one

  /// The coordinates under a parent by position.
  std::vector<std::pair<int64_t, int64_t>> under(int64_t parent) const {
    std::vector<std::pair<int64_t, int64_t>> entries;
    if (positions.empty())
      for (int64_t c = 0; c < extent; ++c)
        entries.emplace_back(parent * extent + c, c);
    else
      for (int64_t p = positions[parent]; p < positions[parent + 1]; ++p)
        entries.emplace_back(p, coordinates[p]);
    return entries;
  }
};

LevelData dense(int level, int64_t extent) {
  return {format::denseFormat(2), level, extent, {}, {}};
}

/// Five segments: all of the coordinates, none, the first, the last, and some.
LevelData compressed() {
  LevelData data{format::denseFormat(2), 1, 6, {0, 6, 6, 7, 8, 11}, {0, 1, 2, 3, 4, 5, 0, 5, 1, 2, 4}};
  data.format.levels[1].storage = format::Storage::Compressed;
  data.format.levels[1].extent = format::Extent::Ragged;
  return data;
}

/// What a walk of a level emits, as a function of indices that returns some.
class Walked {
public:
  Walked(const LevelData &data, int64_t shift, unsigned arguments, const Emits &emits) : data_(data) {
    context_.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::memref::MemRefDialect,
                         mlir::scf::SCFDialect>();
    mlir::OpBuilder builder(&context_);
    const mlir::Location location = builder.getUnknownLoc();
    module_ = mlir::ModuleOp::create(location);
    builder.setInsertionPointToEnd(module_->getBody());
    const mlir::Type index = builder.getIndexType();
    llvm::SmallVector<mlir::Type> types{mlir::MemRefType::get({mlir::ShapedType::kDynamic}, builder.getI32Type()),
                                        mlir::MemRefType::get({mlir::ShapedType::kDynamic}, builder.getI64Type())};
    types.append(arguments + 1, index);
    function_ = mlir::func::FuncOp::create(builder, location, "walk", builder.getFunctionType(types, {}));
    mlir::Block *block = function_.addEntryBlock();
    builder.setInsertionPointToStart(block);
    const bool isListed = !data.positions.empty();
    const auto array = [&](int number) { return isListed ? Value(block->getArgument(number)) : Value(); };
    const auto walk =
        walkOf(data.format, data.level, {array(0), array(1), block->getArgument(2)}, builder, location, shift);
    const std::vector<Value> results = emits(*walk, block->getArguments().drop_front(3));
    mlir::func::ReturnOp::create(builder, location, mlir::ValueRange(results));
    llvm::SmallVector<mlir::Type> resultTypes;
    for (Value result : results)
      resultTypes.push_back(result.getType());
    function_.setFunctionType(builder.getFunctionType(types, resultTypes));
    REQUIRE(mlir::succeeded(module_->verify()));
  }

  Numbers operator()(const Numbers &arguments) {
    Interpreter interpreter;
    interpreter.bind(function_.getArgument(0), data_.positions);
    interpreter.bind(function_.getArgument(1), data_.coordinates);
    interpreter.bind(function_.getArgument(2), data_.extent);
    for (size_t k = 0; k < arguments.size(); ++k)
      interpreter.bind(function_.getArgument(3 + static_cast<unsigned>(k)), arguments[k]);
    return interpreter.run(function_);
  }

private:
  const LevelData &data_;
  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp function_;
};

/// Calls `check` with each kind of level, the number of its parents, and shifts.
void forLevels(const std::function<void(const LevelData &, int64_t parents, int64_t shift)> &check) {
  for (int64_t shift : {0, 1, -1, 3, -7})
    for (const auto &[data, parents] :
         {std::pair(dense(0, 4), 1), std::pair(dense(1, 5), 3), std::pair(compressed(), 5)}) {
      CAPTURE(shift, data.level, data.positions.size());
      check(data, parents, shift);
    }
}

} // namespace

TEST_CASE("a level's range holds the positions under a parent, each at its coordinate") {
  forLevels([](const LevelData &data, int64_t parents, int64_t shift) {
    Walked range(data, shift, 1, [](LevelWalk &walk, mlir::ValueRange in) {
      const PositionRange positions = walk.range(in[0]);
      return std::vector{positions.begin, positions.end};
    });
    Walked coordinate(data, shift, 1,
                      [](LevelWalk &walk, mlir::ValueRange in) { return std::vector{walk.coordinate(in[0])}; });
    for (int64_t parent = 0; parent < parents; ++parent) {
      const auto entries = data.under(parent);
      const Numbers positions = range({parent});
      REQUIRE(positions[1] - positions[0] == static_cast<int64_t>(entries.size()));
      for (const auto &[position, stored] : entries) {
        CHECK((positions[0] <= position && position < positions[1]));
        CHECK(coordinate({position}) == Numbers{stored - shift});
      }
    }
  });
}

TEST_CASE("a coordinate is located in a level, or found to be missing") {
  forLevels([](const LevelData &data, int64_t parents, int64_t shift) {
    Walked locate(data, shift, 2, [](LevelWalk &walk, mlir::ValueRange in) {
      const Located place = walk.locate(in[0], in[1]);
      return place.isStored ? std::vector{place.position, place.isStored} : std::vector{place.position};
    });
    for (int64_t parent = 0; parent < parents; ++parent)
      for (int64_t stored = 0; stored < data.extent; ++stored) {
        const auto entries = data.under(parent);
        const auto entry =
            std::find_if(entries.begin(), entries.end(), [&](const auto &one) { return one.second == stored; });
        const Numbers place = locate({parent, stored - shift});
        CAPTURE(parent, stored);
        REQUIRE((place.size() == 1 || place[1] == (entry != entries.end())));
        CHECK((entry == entries.end() || place[0] == entry->first));
      }
    for (int64_t stored : {int64_t{-2}, data.extent, data.extent + 3})
      if (const Numbers place = locate({parents - 1, stored - shift}); place.size() > 1)
        CHECK(place[1] == 0);
  });
}

TEST_CASE("a level's slice holds the positions whose coordinates lie within bounds") {
  forLevels([](const LevelData &data, int64_t parents, int64_t shift) {
    Walked slice(data, shift, 3, [](LevelWalk &walk, mlir::ValueRange in) {
      const PositionRange positions = walk.slice(in[0], in[1], in[2]);
      return std::vector{positions.begin, positions.end};
    });
    for (int64_t parent = 0; parent < parents; ++parent)
      for (int64_t low = -2; low <= data.extent + 2; ++low)
        for (int64_t high = low; high <= data.extent + 2; ++high) {
          const Numbers positions = slice({parent, low - shift, high - shift});
          Numbers within;
          for (const auto &[position, stored] : data.under(parent))
            if (low <= stored && stored < high)
              within.push_back(position);
          CAPTURE(parent, low, high);
          REQUIRE(positions[1] - positions[0] == static_cast<int64_t>(within.size()));
          CHECK((within.empty() || positions[0] == within.front()));
        }
  });
}

TEST_CASE("levels that are walked say whether coordinates have to be looked for") {
  forLevels([](const LevelData &data, int64_t, int64_t shift) {
    Walked walked(data, shift, 0, [&](LevelWalk &walk, mlir::ValueRange) {
      CHECK(walk.storesAll() == data.positions.empty());
      return std::vector<Value>();
    });
  });
}

} // namespace spc::mlirgen
