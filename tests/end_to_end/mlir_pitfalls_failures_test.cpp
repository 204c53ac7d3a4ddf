// What MLIR 22's sparsifier crashes on, gives up on, or makes slow, from our notes on it: each kernel is compiled by
// other means and right, or refused with a diagnostic.
#include "end_to_end/expressions.h"
#include "end_to_end/hand_made_call.h"
#include "end_to_end/stage_texts.h"

#include "abi/signature.h"
#include "format/format_file.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

namespace spc::testing {
namespace {

using pipeline::Stage;

KernelSpec failureSpecOf(const std::string &statements, const Formats &formats) {
  KernelSpec spec;
  spec.statements = statements;
  spec.formats = formats;
  return spec;
}

/// The kernel is refused, with this error first.
void checkRefused(const std::string &statements, const Formats &formats, const std::string &id) {
  const KernelUnderTest kernel(failureSpecOf(statements, formats));
  INFO(statements << "\n" << kernel.diagnostics());
  CHECK(kernel.outcome() == KernelUnderTest::Outcome::Refused);
  CHECK(kernel.firstError() == id);
}

/// Whether the user is told that an operand is copied to another order first.
bool saysReordered(const std::string &statements, const Formats &formats) {
  return KernelUnderTest(failureSpecOf(statements, formats)).reported("reorder");
}

/// The sum of a product of two diagonal matrices of 100000 rows: a loop over all pairs of rows would not come to an
/// end.
void multipliesLongDiagonals(const std::string &a, const std::string &b) {
  constexpr int64_t kExtent = 100000;
  KernelSpec spec = failureSpecOf("t = A(i,k)*B(k,j)", {{"A", a}, {"B", b}});
  spec.strictFp = true; // all sums in one nest
  HandMadeCall kernel(spec);
  std::vector<StoredEntry> entries;
  for (int64_t n = 0; n < kExtent; ++n)
    entries.push_back({{n, n}, 2});
  kernel.passEntries("A", {kExtent, kExtent}, entries);
  kernel.passEntries("B", {kExtent, kExtent}, entries);
  kernel.passDense("t", {}, {-1});
  REQUIRE(kernel.call() == SPC_OK);
  CHECK(kernel.values("t")[0] == 4.0 * kExtent);
}

/// The id of the error that a format file of that JSON gets; empty without one.
std::string formatError(const std::string &json) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("spc-pitfalls-" + std::to_string(std::hash<std::string>()(json)) + ".json");
  std::ofstream(path) << json;
  SourceManager sources;
  Diagnostics diagnostics;
  format::FormatLoader({}, sources, diagnostics).load(path.string());
  std::filesystem::remove(path);
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.severity == Severity::Error)
      return std::string(diagnostic.kind.id);
  return {};
}

std::vector<std::string> allMatches(const std::string &text, const std::string &pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

std::vector<std::string> splitAtCommas(const std::string &text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char letter : text) {
    depth += letter == '(' || letter == '[' ? 1 : letter == ')' || letter == ']' ? -1 : 0;
    if (letter == ',' && depth == 0)
      parts.emplace_back();
    else if (letter != ' ' || depth > 0)
      parts.back() += letter;
  }
  return parts;
}

} // namespace

TEST_CASE("an entry of a coordinate list finds its own slot, not the first one of its row", "[pitfalls]") {
  checkLowering("D(i,j) = S(i,j)*A(i,k)*B(j,k)", product({{"S", {"coo", "coo-aos", "dcsr", "csr"}}}));
  checkLowering("D(i,j,k) = S(i,j,k)*A(i,l)*B(j,l)*C(k,l)", product({{"S", {"coo", "coo3-aos"}}}));
}

TEST_CASE("an output that shares a pattern needs no memory for its whole shape", "[pitfalls]") {
  constexpr int64_t kHuge = int64_t{1} << 40;
  for (const std::string statements : {"D(i,j) = alpha*S(i,j)", "D(i,j) = alpha*S(i,j)*S(i,j)"}) {
    KernelSpec spec = failureSpecOf(statements, {{"S", "coo"}});
    spec.index = {format::IndexType::I64, format::IndexType::I64};
    HandMadeCall kernel(spec);
    INFO(statements);
    kernel.passDense("alpha", {}, {3});
    kernel.passEntries("S", {kHuge, kHuge}, {{{0, kHuge - 1}, 1}, {{5, 7}, 1}, {{kHuge - 1, 0}, -1}});
    kernel.passOutput("D", 3);
    REQUIRE(kernel.call() == SPC_OK);
    const double last = statements.find("*S", 20) == std::string::npos ? -3 : 3;
    CHECK(kernel.values("D") == std::vector<double>{3, 3, last});
  }
}

TEST_CASE("a reduction outside of a pattern's loops loses nothing", "[pitfalls]") {
  // Only another sparse operand's levels move a reduction outside; its missing entries then thin the pattern out, and a
  // sparse result is assembled.
  // (That the pass for shared patterns zeroes first where it has to: tests/lit/transforms/share-structure.mlir.)
  const std::vector<std::string> patterns = {"csr", "coo", "csc"}, operands = {"csc", "csr", "coo", "dcsc"};
  for (const std::string statements : {"D(i,j) = S(i,j)*A(i,k)*B(k,j)", "D(i,j) = S(i,j)*A(k,i)"})
    checkLowering(statements, product({{"S", patterns}, {"A", operands}, {"D", kDense}}));
  checkLowering("D(i,j) = S(i,j)*A(i,k)*B(k,j)", product({{"S", {"csr"}}, {"A", operands}, {"D", {"csr"}}}));
}

TEST_CASE("a shared pattern is overwritten, added to and summed over", "[pitfalls]") {
  checkLowering("D(i,j) = S(i,j)*A(i,k)*B(k,j)", product({{"S", {"csr", "coo", "csc", "dia", "ell", "nm24"}}}));
  checkLowering("D(i,j) = S(i,j)*A(i,k)*B(k,j)", product({{"S", {"csr", "coo"}}, {"A", {"dense:1,0"}}}));
  checkLowering("D(i,j) += S(i,j)*A(i,k)*B(k,j)", product({{"S", {"csr", "coo", "csc"}}}));
  checkLowering("D(i,j) = S(i,j)*x(k)", product({{"S", {"csr", "coo", "csc"}}}));
  checkLowering("D(i,j) = S(i,j)*x(i) + S(i,j)*y(j)", product({{"S", {"csr", "coo", "csc"}}}));
}

TEST_CASE("a tensor that is used twice is passed to the sparsifier once", "[pitfalls]") {
  checkLowering("D(i,j) = S(i,j)*S(i,j)", product({{"S", {"csr", "csc", "coo", "dcsr", "bsr2x3", "ell"}}}));
  checkLowering("D(i,j) = S(i,j)*A(i,k)*B(k,j)*S(i,j)", product({{"S", {"csr", "coo"}}}));
  checkLowering("D(i,j) = S(i,j)*S(i,j)*S(i,j)", product({{"S", {"csr", "csc", "coo"}}}));
  checkLowering("D(i,j) = S(i,j) + S(i,j)", product({{"S", {"csr", "coo"}}}));
  checkLowering("D(i,j) = S(i,j) + S(i,j)", product({{"S", {"csr", "coo"}}, {"D", kDense}}));
}

TEST_CASE("a scalar tensor added to a sparse matrix", "[pitfalls]") {
  checkLowering("D(i,j) = A(i,j) + alpha",
                product({{"A", {"csr", "csc", "coo", "dcsr", "bsr2x3", "dia"}}, {"D", kDense}}));
  checkLowering("D(i,j) = A(i,j) + 2", product({{"A", {"csr", "csc", "coo"}}, {"D", kDense}}));
  checkLowering("D(i,j) = A(i,j) + alpha", {{{"A", "csr"}, {"D", "csr"}}});
}

TEST_CASE("a vector added to each row or column of a sparse matrix", "[pitfalls]") {
  for (const std::string statements : {"D(i,j) = A(i,j) + x(i)", "D(i,j) = A(i,j) + x(j)", "D(i,j) += x(i) - A(i,j)"})
    checkLowering(
        statements,
        product({{"A", {"csr", "csc", "coo", "dcsr", "bsr2x3", "ell"}}, {"x", {"dense", "sv"}}, {"D", kDense}}));
}

TEST_CASE("a coordinate list is not searched from its start for each row of the other operand", "[pitfalls]") {
  CHECK(saysReordered("t = A(i,k)*B(k,j)*W(i,j)", {{"A", "csr"}, {"B", "coo"}}));
  multipliesLongDiagonals("csr", "coo");
  multipliesLongDiagonals("coo", "coo");
  checkLowering("D(i,j) = A(i,k)*B(k,j)",
                product({{"A", {"csr"}}, {"B", {"coo", "coo-aos", "coo-dup"}}, {"D", kDense}}));
}

TEST_CASE("rows times columns do not become inner products of all pairs", "[pitfalls]") {
  CHECK(saysReordered("t = A(i,k)*B(k,j)*W(i,j)", {{"A", "csr"}, {"B", "csc"}}));
  multipliesLongDiagonals("csr", "csc");
  checkLowering("D(i,j) = A(i,k)*B(k,j)", product({{"A", {"csr"}}, {"B", {"csc"}}, {"D", kDense}}));
}

TEST_CASE("blocks that reach over the edge of a matrix", "[pitfalls]") {
  // Extents one below, at and one above multiples of each block, and smaller than a block.
  for (const std::string format : {"bsr2x3", "bsr4x4", "dbsr", "tiled", "bsr-cm", "block-ell"})
    for (const std::string statements :
         {"y(i) = A(i,j)*x(j)", "y(j) = A(i,j)*x(i)", "D(i,j) = A(i,j) + 1", "Y(i,k) = A(i,j)*X(j,k)"}) {
      Formats formats = {{"A", format}};
      if (statements[0] == 'D')
        formats["D"] = "dense";
      const KernelUnderTest kernel(failureSpecOf(statements, formats));
      INFO(statements << " " << format << "\n" << kernel.diagnostics());
      REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
      for (const int64_t rows : {1, 3, 4, 5, 7, 8, 9})
        for (const int64_t columns : {1, 2, 3, 4, 5, 11, 12, 13}) {
          std::vector<int64_t> extents(static_cast<size_t>(kernel.extentClasses()), 3);
          extents[0] = rows;
          extents[1] = columns;
          CHECK(kernel.check({extents, Fill::Random}) == "");
          CHECK(kernel.check({extents, Fill::Full}) == "");
        }
    }
}

TEST_CASE("operands in mixed orders to a dense result, copied with a warning where need be", "[pitfalls]") {
  const std::vector<std::string> orders = {"csr", "csc", "bsr2x3", "dcsc", "coo"};
  checkLowering("D(i,j) = A(i,k)*B(k,j)", product({{"A", orders}, {"B", orders}, {"D", kDense}}));
  checkLowering("D(i,j) = A(i,j) + B(i,j)", product({{"A", orders}, {"B", orders}, {"D", kDense}}));
  checkLowering("D(i,j) = A(i,j)*B(i,j)", product({{"A", orders}, {"B", orders}, {"D", kDense}}));
  CHECK(saysReordered("D(i,j) = A(i,j)*B(i,j)", {{"A", "csr"}, {"B", "bsr2x3"}, {"D", "dense"}}));
  CHECK_FALSE(saysReordered("D(i,j) = A(i,j)*B(i,j)", {{"A", "csr"}, {"B", "csr"}, {"D", "dense"}}));
}

TEST_CASE("operands in mixed orders to a sparse result", "[pitfalls]") {
  checkLowering("D(i,j) = A(i,k)*B(k,j)", {{{"A", "csc"}, {"B", "csr"}, {"D", "csr"}},
                                           {{"A", "csr"}, {"B", "csr"}, {"D", "csc"}},
                                           {{"A", "csr"}, {"B", "csr"}, {"D", "bsr2x3"}}});
  checkLowering("D(i,j) = A(i,j) + B(i,j)", {{{"A", "csr"}, {"B", "bsr2x3"}, {"D", "csr"}}});
  checkLowering("D(i,j) = A(i,j)*B(i,j)", {{{"A", "csr"}, {"B", "bsr2x3"}, {"D", "csr"}}});
}

TEST_CASE("products of block matrices to sparse and dense results", "[pitfalls]") {
  checkLowering("D(i,j) = A(i,k)*B(k,j)", {{{"A", "bsr2x3"}, {"B", "bsr2x3"}, {"D", "bsr2x3"}}});
  checkLowering("D(i,j) = A(i,k)*B(k,j)",
                product({{"A", {"bsr2x3", "bsr4x4"}}, {"B", {"bsr2x3", "bsr4x4"}}, {"D", kDense}}));
}

TEST_CASE("tensor times matrix to a sparse and to a dense result", "[pitfalls]") {
  checkLowering("D(i,j,r) = A(i,j,k)*B(k,r)", {{{"A", "csf"}, {"D", "ccd"}}});
  checkLowering("D(i,j,r) = A(i,j,k)*B(k,r)", product({{"A", {"csf", "ddc", "coo"}}, {"D", kDense}}));
}

TEST_CASE("batched sparse outputs share a pattern or are assembled", "[pitfalls]") {
  checkLowering("D(b,i,j) = A(b,i,j)*x(j)", product({{"A", {"ddc", "batched-coo", "batched-bsr"}}}));
  checkLowering("D(b,i,j) = A(b,i,k)*B(b,k,j)", {{{"A", "ddc"}, {"B", "ddc"}, {"D", "ddc"}}});
  checkLowering("D(b,i,j) = A(b,i,k)*B(b,k,j)", product({{"A", {"ddc"}}, {"B", {"ddc", "dense"}}, {"D", kDense}}));
}

TEST_CASE("diagonals and fixed widths, whose maps MLIR cannot invert", "[pitfalls]") {
  const std::vector<std::string> formats = {"dia", "dia-cols", "row-relative", "ell", "ell4q", "ellc", "nm24"};
  checkLowering("y(i) = A(i,j)*x(j)", product({{"A", formats}}));
  checkLowering("D(i,j) = alpha*A(i,j)", product({{"A", formats}}));
  std::vector<Formats> pairs = product({{"A", formats}, {"B", {"csr"}}, {"D", kDense}});
  for (const std::string &format : formats)
    pairs.push_back({{"A", format}, {"B", format}, {"D", "dense"}});
  checkLowering("D(i,j) = A(i,j)*B(i,j)", pairs);
}

TEST_CASE("the main diagonal of a tensor is read, and not written", "[pitfalls]") {
  checkLowering("y(i) = A(i,i)", product({{"A", {"csr", "coo", "dense", "dia"}}}));
  for (const std::string format : {"csr", "coo", "dense", "dia"})
    checkRefused("A(i,i) = x(i)", {{"A", format}}, "repeated-index");
}

TEST_CASE("two outputs over the same loops are two statements", "[pitfalls]") {
  checkLowering("y(i) = A(i,j)*x(j); z(i) = A(i,j)*w(j)", product({{"A", {"csr", "coo", "bsr2x3"}}}));
  checkLowering("D(i,j) = A(i,j)*x(j); E(i,j) = A(i,j)*D(i,j)", product({{"A", {"csr", "coo"}}}));
}

TEST_CASE("adding to a sparse output along its own pattern, and outside of it", "[pitfalls]") {
  checkLowering("D(i,j) += 2*A(i,j)", product({{"A", {"csr", "csc", "coo", "dcsr"}}}));
  checkLowering("D(i,j) += A(i,j)*x(j)", product({{"A", {"csr", "coo"}}}));
  checkLowering("D(i,j) += A(i,j) + B(i,j)", {{{"A", "csr"}, {"B", "csr"}, {"D", "csr"}}});
  checkLowering("D(i,j) += x(i)*y(j)", {{{"D", "csr"}}});
}

TEST_CASE("the greater of two sparse operands", "[pitfalls]") {
  checkLowering("D(i,j) = max(A(i,j), B(i,j))", product({{"A", {"csr", "coo"}}, {"B", {"csr", "ell"}}, {"D", kDense}}));
}

TEST_CASE("dividing by a sparse operand", "[pitfalls]") {
  checkLowering("D(i,j) = A(i,j)/B(i,j)", product({{"A", {"csr", "coo"}}, {"B", {"csr", "bsr2x3"}}, {"D", kDense}}));
  checkLowering("D(i,j) = C(i,j)/B(i,j)", product({{"B", {"csr", "csc", "coo"}}, {"D", kDense}}));
}

TEST_CASE("a sparse matrix divided by a dense one", "[pitfalls]") {
  checkLowering("D(i,j) = A(i,j)/C(i,j)", product({{"A", {"csr", "csc", "coo", "bsr2x3", "ell"}}}));
  checkLowering("D(i,j) = A(i,j)/C(i,j)", product({{"A", {"csr", "coo"}}, {"D", kDense}}));
}

TEST_CASE("functions of stored values, which no plain arithmetic sparsifies", "[pitfalls]") {
  for (const std::string statements :
       {"D(i,j) = max(A(i,j), 0)", "D(i,j) = relu(A(i,j))", "D(i,j) = exp(A(i,j))", "D(i,j) = min(A(i,j), x(j))"})
    checkLowering(statements, product({{"A", {"csr", "ell", "bsr2x3", "csr-dup"}}, {"D", kDense}}));
}

TEST_CASE("a dense operand is loaded once its coordinate is known", "[pitfalls]") {
  const std::vector<Formats> vectors = product({{"a", {"sv", "blocked-vector", kDense[0]}}});
  for (const char *statement : {"R(i,l) = a(l)*b(l)*ceil(C(l,i))", "R(i,l) = a(l)*b(l)*exp(C(i,l))",
                                "y(l) = a(l)*b(l)*exp(c(l)*d(l))", "R(i,l) = a(l)*b(l+1)*b(l)*floor(C(i,l))"})
    checkLowering(statement, vectors);
}

TEST_CASE("reductions other than sums", "[pitfalls]") {
  for (const std::string statements : {"y(i) = max(j, A(i,j))", "y(i) = min(j, A(i,j))", "y(i) = prod(j, A(i,j))"})
    checkLowering(statements, product({{"A", {"csr", "coo", "ell", "bsr2x3"}}}));
}

TEST_CASE("MLIR's sparse iterators, vectoriser and runtime library are never asked for", "[pitfalls]") {
  for (const Stage stage : {Stage::Sparse, Stage::Loops})
    for (const char *word :
         {"sparse_tensor.iterate", "sparse_tensor.extract_iteration_space", "sparse_tensor.coiterate", "vector.gather",
          "vector.maskedload", "sparse_tensor.print", "sparse_tensor.new", "sparse_tensor.out", "sparse_tensor.convert",
          "sparse_tensor.insert", "tensor.insert", "sparse_tensor.expand", "func.call"})
      CHECK(textWith(stage, word) == "");
  CHECK(textWith(Stage::Sparse, "vector.") == ""); // after it, our own passes work on vectors
  CHECK(textWith(Stage::Sparse, "sparse_tensor.values") != "");
}

TEST_CASE("every encoding names both widths, and a map that has an inverse: the identity", "[pitfalls]") {
  const std::set<std::string> levelTypes = {"dense",
                                            "compressed",
                                            "compressed(nonunique)",
                                            "compressed(nonordered)",
                                            "compressed(nonunique, nonordered)",
                                            "singleton(soa)",
                                            "singleton(nonunique, soa)",
                                            "singleton(nonordered, soa)",
                                            "singleton(nonunique, nonordered, soa)"};
  size_t seen = 0;
  for (const StageText &one : stageTexts(Stage::Linalg))
    for (const std::string &encoding : allMatches(one.text, "#sparse_tensor\\.encoding<\\{([^}]*)\\}>")) {
      INFO(one.kernel << "\n" << encoding);
      std::smatch parts;
      const std::regex shape(
          " map = \\(([d0-9, ]*)\\) -> \\((.*)\\), posWidth = (8|16|32|64), crdWidth = (8|16|32|64) ");
      REQUIRE(std::regex_match(encoding, parts, shape));
      const std::vector<std::string> dims = splitAtCommas(parts[1]), levels = splitAtCommas(parts[2]);
      REQUIRE(dims.size() == levels.size());
      for (size_t k = 0; k < dims.size(); ++k) {
        REQUIRE(levels[k].starts_with(dims[k] + ":"));
        const std::string type = levels[k].substr(dims[k].size() + 1);
        CHECK(levelTypes.count(type) == 1);
        const bool isFirstListed = k == 0 || levels[k - 1].ends_with(":dense");
        CHECK_FALSE((type.starts_with("singleton") && isFirstListed));
      }
      ++seen;
    }
  CHECK(seen > 100);
}

TEST_CASE("level orders that MLIR has no type for are refused when the format is read", "[pitfalls]") {
  const auto format = [](const std::string &first, const std::string &second) {
    return R"({"dims": ["i", "j"], "levels": [{"dim": "i", )" + first + R"(}, {"dim": "j", )" + second + "}]}";
  };
  const std::string dense = R"("storage": "dense")", compressed = R"("storage": "compressed")",
                    singleton = R"("storage": "compressed", "extent": "fixed", "width": 1)",
                    repeats = R"(, "unique": false)";
  CHECK(formatError(format(dense, compressed)) == "");
  CHECK(formatError(format(compressed + repeats, singleton)) == "");
  CHECK(formatError(format(compressed, singleton)) == "format-levels");
  CHECK(formatError(format(singleton, compressed)) == "format-levels");
  CHECK(formatError(format(dense + repeats, compressed)) == "format-value");
  const auto diagonals = [](const std::string &indices) {
    return R"({"dims": ["i", "j"], "levels": [{"dim": "j - i", "storage": "compressed"},)"
           R"({"dim": "i", "storage": "dense"}], "index": {"pointers": "i32", "indices": ")" +
           indices + "\"}}";
  };
  CHECK(formatError(diagonals("i32")) == "");
  CHECK(formatError(diagonals("u8")) == "format-value");
}

TEST_CASE("a singleton below a dense level works as a width of 1", "[pitfalls]") {
  checkLowering("y(i) = A(i,j)*x(j)", product({{"A", {"ell1"}}}));
  checkLowering("D(i,j) = A(i,j)*B(i,j)", product({{"A", {"ell1"}}, {"B", {"csr"}}, {"D", kDense}}));
}

TEST_CASE("coordinate lists come without the positions array that MLIR wants", "[pitfalls]") {
  const std::vector<std::string> lists = {"coo", "coo-aos", "coo-dup", "coo-unsorted"};
  for (const std::string &format : lists) {
    const abi::StructType type = abi::structFor(makeFormat(format, 2, {}), sema::ValueType::F64);
    CHECK(type.find(abi::FieldRole::Pointers, 0) == -1);
    CHECK(type.find(abi::FieldRole::Pointers, 1) == -1);
  }
  checkLowering("y(i) = A(i,j)*x(j)", product({{"A", lists}}));
  checkLowering("t = A(i,j)", product({{"A", lists}}));
}

TEST_CASE("padding of a fixed width neither repeats in a merge nor adds anything", "[pitfalls]") {
  checkLowering("D(i,j) = A(i,j)*B(i,j)",
                product({{"A", {"ell", "ell4", "ellq", "ell4q"}}, {"B", {"csr", "ell", "ellq"}}, {"D", kDense}}));
}

} // namespace spc::testing
