// Products of operands with few entries in extents that no memory holds: what a call allocates follows from the
// entries, and the result is that of the same entries among few rows.
#include "end_to_end/hand_made_call.h"
#include "sema/two_phases.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <random>

namespace spc::testing {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 20; ///< of a call
constexpr int kListedRows = 20, kEntries = 40;

using EntriesByPlace = std::map<std::vector<int64_t>, double>;

struct Factor {
  std::string tensor, indices;
};

/// `result(target) = factor * factor * …`, each index a letter.
struct Product {
  std::string result, target;
  std::vector<Factor> factors;

  std::string text() const {
    const auto access = [](const std::string &tensor, const std::string &indices) {
      std::string text = tensor;
      for (size_t k = 0; k < indices.size(); ++k)
        text += (k == 0 ? "(" : ",") + std::string(1, indices[k]);
      return text + (indices.empty() ? "" : ")");
    };
    std::string text = access(result, target) + " =";
    for (const Factor &factor : factors)
      text += (&factor == &factors.front() ? " " : "*") + access(factor.tensor, factor.indices);
    return text;
  }
};

/// Rows are spread over an extent, the same for all tensors of it, so that products meet.
std::vector<int64_t> rowsOf(int64_t extent) {
  std::mt19937_64 random(static_cast<uint64_t>(extent));
  std::vector<int64_t> rows;
  for (int64_t k = 0; k < kListedRows; ++k) {
    const int64_t share = extent / kListedRows;
    rows.push_back(k * share + static_cast<int64_t>(random() % static_cast<uint64_t>(share)));
  }
  rows.front() = 0;
  rows.back() = extent - 1;
  return rows;
}

/// A tensor's entries by the numbers of their rows, whatever the extent.
EntriesByPlace entriesAmong(const std::vector<int64_t> &rows, const Factor &factor) {
  std::mt19937_64 random(factor.tensor.front());
  EntriesByPlace entries;
  const size_t wanted = factor.indices.size() > 1 ? kEntries : kListedRows / 2;
  while (entries.size() < wanted) {
    std::vector<int64_t> at;
    for (size_t k = 0; k < factor.indices.size(); ++k)
      at.push_back(rows[random() % rows.size()]);
    entries[at] = static_cast<double>(1 + random() % 9);
  }
  return entries;
}

/// The product by joining the maps, one after the other.
EntriesByPlace evaluate(const Product &product, const std::map<std::string, EntriesByPlace> &tensors) {
  std::vector<std::pair<std::map<char, int64_t>, double>> joined = {{{}, 1.0}};
  for (const Factor &factor : product.factors) {
    std::vector<std::pair<std::map<char, int64_t>, double>> next;
    for (const auto &[bound, value] : joined)
      for (const auto &[at, entry] : tensors.at(factor.tensor)) {
        std::map<char, int64_t> more = bound;
        bool fits = true;
        for (size_t k = 0; k < at.size(); ++k)
          fits = fits && more.try_emplace(factor.indices[k], at[k]).first->second == at[k];
        if (fits)
          next.emplace_back(std::move(more), value * entry);
      }
    joined = std::move(next);
  }
  EntriesByPlace result;
  for (const auto &[bound, value] : joined) {
    std::vector<int64_t> at;
    for (const char index : product.target)
      at.push_back(bound.at(index));
    result[at] += value;
  }
  return result;
}

/// One kernel, called with the same entries in several extents.
class HypersparseCalls {
public:
  HypersparseCalls(const Product &product, const std::map<std::string, std::string> &formats, Chunks chunks)
      : product_(product), call_(specFor(product, formats, chunks), chunks) {}

  void check(int64_t extent) {
    INFO(product_.text() << ", extents " << extent);
    const std::vector<int64_t> rows = rowsOf(extent);
    std::map<std::string, EntriesByPlace> tensors;
    for (const Factor &factor : product_.factors) {
      tensors[factor.tensor] = entriesAmong(rows, factor);
      call_.passEntries(factor.tensor, shapeOf(factor.indices, extent),
                        inOrder(factor.tensor, tensors.at(factor.tensor)));
    }
    const EntriesByPlace expected = evaluate(product_, tensors);
    REQUIRE(!expected.empty());
    if (product_.target.empty())
      checkNumber(expected);
    else
      checkAssembled(expected, extent);
  }

private:
  static KernelSpec specFor(const Product &product, const std::map<std::string, std::string> &formats, Chunks chunks) {
    KernelSpec spec{.statements = product.text(), .formats = formats};
    spec.index = {format::IndexType::I64, format::IndexType::I64};
    if (chunks != Chunks::Serial)
      spec.chunk = 4;
    return spec;
  }

  static std::vector<int64_t> shapeOf(const std::string &indices, int64_t extent) {
    return std::vector<int64_t>(indices.size(), extent);
  }

  const sema::Tensor &tensorNamed(const std::string &name) const {
    const auto &tensors = call_.compiled().kernel().tensors;
    return *std::find_if(tensors.begin(), tensors.end(), [&](const sema::Tensor &one) { return one.name == name; });
  }

  /// The entries as the tensor's levels have them, or, where these are in no order, in some.
  std::vector<StoredEntry> inOrder(const std::string &tensor, const EntriesByPlace &entries) const {
    std::vector<StoredEntry> stored;
    for (const auto &[at, value] : entries)
      stored.push_back({at, value});
    const std::vector<format::Level> &levels = tensorNamed(tensor).format.levels;
    if (!levels.front().ordered) {
      std::shuffle(stored.begin(), stored.end(), std::mt19937_64(1));
      return stored;
    }
    const auto keyOf = [&](const StoredEntry &entry) {
      std::vector<int64_t> key;
      for (const format::Level &level : levels)
        key.push_back(entry.at[static_cast<size_t>(level.dim)]);
      return key;
    };
    std::sort(stored.begin(), stored.end(), [&](const auto &a, const auto &b) { return keyOf(a) < keyOf(b); });
    return stored;
  }

  /// What an assembled result holds.
  EntriesByPlace held() const {
    const tensor::Coordinates content = call_.assembled(product_.result);
    EntriesByPlace entries;
    for (size_t e = 0; e < content.size(); ++e) {
      const int64_t *at = content.coordinates.data() + e * content.shape.size();
      entries[std::vector<int64_t>(at, at + content.shape.size())] = content.values[e];
    }
    return entries;
  }

  int32_t watched(const std::function<int32_t()> &call) {
    call_.memory().failBeyond(kMostBytes);
    call_.memory().takePeak();
    const int32_t status = call();
    CHECK(call_.memory().takePeak() <= kMostBytes);
    return status;
  }

  void checkAssembled(const EntriesByPlace &expected, int64_t extent) {
    call_.passAssembled(product_.result, shapeOf(product_.target, extent));
    REQUIRE(watched([&] { return call_.call(call_.context()); }) == SPC_OK);
    CHECK(held() == expected);
    call_.releaseAssembled();
    for (const bool isPlanned : {false, true}) {
      if (!sema::hasPhases(call_.compiled().kernel()))
        break;
      spc_plan plan = {};
      call_.passAssembled(product_.result, shapeOf(product_.target, extent));
      for (const char *phase : {"_symbolic", "_numeric"})
        REQUIRE(watched([&] { return call_.callPhase(phase, isPlanned ? &plan : nullptr); }) == SPC_OK);
      CHECK(held() == expected);
      call_.releaseAssembled();
      spc_plan_free_ctx(call_.context(), &plan);
    }
    CHECK(call_.memory().live() == 0);
    CHECK(call_.memory().problem() == "");
  }

  void checkNumber(const EntriesByPlace &expected) {
    call_.passDense(product_.result, {}, {0});
    REQUIRE(watched([&] { return call_.call(call_.context()); }) == SPC_OK);
    CHECK(call_.values(product_.result).front() == expected.begin()->second);
    CHECK(call_.memory().live() == 0);
  }

  Product product_;
  HandMadeCall call_;
};

/// Extents for which copies have all rows, and those for which they do not.
void checkInAllExtents(const Product &product, const std::map<std::string, std::string> &formats, Chunks chunks) {
  std::string named;
  for (const auto &[tensor, format] : formats)
    named += " " + tensor + " " + format;
  INFO(named);
  HypersparseCalls calls(product, formats, chunks);
  for (const int64_t extent : {int64_t{40}, int64_t{10000}, int64_t{1} << 30, int64_t{1} << 40, int64_t{1} << 60})
    calls.check(extent);
}

const std::vector<std::string> kMatrices = {"dcsr", "dcsc", "coo", "coo-unsorted"}, kTensors = {"csf", "coo"};

/// All operands in each format, the result in each.
void checkMatrices(const Product &product, Chunks chunks = Chunks::Serial) {
  for (const std::string &operand : kMatrices)
    for (const std::string &result :
         product.target.empty() ? std::vector<std::string>{""} : std::vector<std::string>{"dcsr", "dcsc", "coo"}) {
      std::map<std::string, std::string> formats;
      for (const Factor &factor : product.factors)
        formats[factor.tensor] = operand;
      if (!result.empty())
        formats[product.result] = result;
      checkInAllExtents(product, formats, chunks);
    }
}

} // namespace

TEST_CASE("products of two hypersparse matrices take memory by entries", "[hypersparse]") {
  checkMatrices({"C", "ij", {{"A", "ik"}, {"A", "kj"}}});
  checkMatrices({"C", "ij", {{"A", "ik"}, {"B", "kj"}}});
}

TEST_CASE("products with a transpose take memory by entries", "[hypersparse]") {
  checkMatrices({"C", "ij", {{"A", "ik"}, {"A", "jk"}}});
  checkMatrices({"C", "ij", {{"A", "ki"}, {"A", "kj"}}});
}

TEST_CASE("masked products of hypersparse matrices take memory by entries", "[hypersparse]") {
  checkMatrices({"C", "ij", {{"S", "ij"}, {"A", "ik"}, {"B", "kj"}}});
  checkMatrices({"C", "ij", {{"S", "ij"}, {"A", "ik"}, {"B", "jk"}}});
}

TEST_CASE("chains and triangles of hypersparse matrices take memory by entries", "[hypersparse]") {
  checkMatrices({"C", "il", {{"A", "ij"}, {"A", "jk"}, {"A", "kl"}}});
  checkMatrices({"t", "", {{"A", "ij"}, {"A", "jk"}, {"A", "ik"}}});
}

TEST_CASE("products of hypersparse tensors take memory by entries", "[hypersparse]") {
  for (const std::string &tensor : kTensors)
    for (const std::string &matrix : kMatrices)
      for (const std::string &result : kTensors)
        checkInAllExtents({"C", "ijl", {{"T", "ijk"}, {"A", "kl"}}}, {{"T", tensor}, {"A", matrix}, {"C", result}},
                          Chunks::Serial);
  for (const std::string &tensor : kTensors)
    for (const std::string &result : {"dcsr", "dcsc", "coo"})
      checkInAllExtents({"C", "ij", {{"T", "ikl"}, {"T", "jkl"}}}, {{"T", tensor}, {"C", result}}, Chunks::Serial);
}

TEST_CASE("what columns of hypersparse matrices are multiplied by takes memory by entries", "[hypersparse]") {
  checkMatrices({"C", "ij", {{"A", "ij"}, {"B", "kj"}}});
  for (const std::string &matrix : kMatrices) {
    const std::map<std::string, std::string> formats = {{"A", matrix}, {"T", "sv"}};
    checkInAllExtents({"s", "", {{"A", "ij"}, {"T", "j"}}}, formats, Chunks::Serial);
    std::map<std::string, std::string> assembled = formats;
    assembled["C"] = "sv";
    checkInAllExtents({"C", "i", {{"A", "ij"}, {"T", "j"}}}, assembled, Chunks::Serial);
  }
}

TEST_CASE("chunks of hypersparse products take memory by entries", "[hypersparse]") {
  for (const Chunks chunks : {Chunks::Backwards, Chunks::Threads}) {
    checkMatrices({"C", "ij", {{"A", "ik"}, {"B", "kj"}}}, chunks);
    checkMatrices({"C", "ij", {{"S", "ij"}, {"A", "ik"}, {"B", "kj"}}}, chunks);
  }
}

TEST_CASE("operands that mix storages are looked up", "[hypersparse]") {
  const Product product{"C", "ij", {{"A", "ik"}, {"B", "kj"}}};
  for (const std::string &first : kMatrices)
    for (const std::string &second : kMatrices)
      if (first != second)
        checkInAllExtents(product, {{"A", first}, {"B", second}, {"C", "dcsr"}}, Chunks::Serial);
}

namespace {

/// y(i) = A(i,j)*B(j,k)*x(k), or more factors, where the inner indices have extents that no memory holds.
class VectorProduct {
public:
  VectorProduct(const std::string &operand, bool isLong, std::optional<size_t> plan)
      : letters_(isLong ? "ijkl" : "ijk"), call_(specFor(operand, isLong, plan)) {}

  size_t plans() const { return call_.compiled().kernel().alternatives.size(); }

  /// The bytes that a call takes, whose result is right; nullopt where there is not enough memory.
  std::optional<int64_t> bytesFor(int64_t extent) {
    const std::vector<int64_t> few = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, rows = rowsOf(extent);
    std::vector<double> x(few.size()), y(few.size(), std::nan(""));
    std::iota(x.begin(), x.end(), 1.0);
    std::map<int64_t, double> values; // of what is multiplied with the factor to the left
    for (const int64_t at : few)
      values[at] = x[static_cast<size_t>(at)];
    for (size_t k = letters_.size() - 1; k > 0; --k) {
      const bool isFirst = k == 1, isLast = k == letters_.size() - 1;
      const std::string name(1, static_cast<char>('A' + k - 1));
      std::vector<StoredEntry> entries;
      std::map<int64_t, double> next;
      for (size_t e = 0; e < rows.size(); ++e) {
        const int64_t row = isFirst ? few[e % few.size()] : rows[(3 * e) % rows.size()];
        const int64_t column = isLast ? few[(e * e) % few.size()] : rows[(7 * e + 1) % rows.size()];
        entries.push_back({{row, column}, static_cast<double>(1 + e)});
        next[row] += static_cast<double>(1 + e) * values[column];
      }
      std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) { return a.at < b.at; });
      call_.passEntries(name, {isFirst ? 10 : extent, isLast ? 10 : extent}, entries);
      values = next;
    }
    call_.passDense("x", {10}, x);
    call_.passDense("y", {10}, y);
    call_.memory().failBeyond(kMostBytes);
    call_.memory().takePeak();
    const int32_t status = call_.call(call_.context());
    CHECK(call_.memory().live() == 0);
    CHECK(call_.memory().problem() == "");
    if (status == SPC_ERROR_MEMORY)
      return std::nullopt;
    REQUIRE(status == SPC_OK);
    for (const int64_t at : few)
      CHECK(call_.values("y")[static_cast<size_t>(at)] == values[at]);
    return call_.memory().takePeak();
  }

private:
  static KernelSpec specFor(const std::string &operand, bool isLong, std::optional<size_t> plan) {
    KernelSpec spec{.statements = isLong ? "y(i) = A(i,j)*B(j,k)*C(k,l)*x(l)" : "y(i) = A(i,j)*B(j,k)*x(k)",
                    .formats = {{"A", operand}, {"B", operand}}};
    if (isLong)
      spec.formats["C"] = operand;
    spec.index = {format::IndexType::I64, format::IndexType::I64};
    spec.plan = plan;
    return spec;
  }

  std::string letters_;
  HandMadeCall call_;
};

} // namespace

TEST_CASE("products with a vector make no array of what hypersparse matrices have in common", "[hypersparse]") {
  for (const bool isLong : {false, true})
    for (const std::string &operand : {"dcsr", "coo"}) {
      INFO(operand << (isLong ? ", three matrices" : ""));
      VectorProduct chosen(operand, isLong, std::nullopt);
      REQUIRE(chosen.plans() >= 2);
      for (const int64_t extent : {int64_t{40}, int64_t{2'000'000'000}, int64_t{1} << 60})
        CHECK(chosen.bytesFor(extent).value_or(-1) >= 0);
      size_t frugal = 0;
      for (size_t plan = 0; plan < chosen.plans(); ++plan) {
        VectorProduct alone(operand, isLong, plan);
        CHECK(alone.bytesFor(40));
        frugal += alone.bytesFor(2'000'000'000).has_value();
      }
      CHECK(frugal >= 1);
      CHECK(frugal < chosen.plans());
    }
}

} // namespace spc::testing
