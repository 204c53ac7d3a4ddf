// Tensors of numbers that kernels have themselves, in all formats and types.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;
using spc::sema::ValueType;

namespace {

/// `const W(2, 3): Type = [[...], [...]]`, with numbers that all types hold, two of five of which are 0.
std::string constant(const std::string &name, const std::vector<int> &shape, const std::string &attributes = "") {
  int next = static_cast<int>(name.front());
  const auto number = [&] {
    next = (next * 37 + 11) % 101;
    return next % 5 < 2 ? std::string("0") : std::to_string(next % 2);
  };
  const std::function<std::string(size_t)> list = [&](size_t dim) {
    if (dim == shape.size())
      return number();
    std::string text;
    for (int k = 0; k < shape[dim]; ++k)
      text += (k > 0 ? ", " : "") + list(dim + 1);
    return "[" + text + "]";
  };
  std::string text = "const " + name;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    text += (dim == 0 ? "(" : ", ") + std::to_string(shape[dim]);
  return text + (shape.empty() ? "" : ")") + ": Type" + attributes + " = " + list(0) + "\n";
}

const std::vector<std::vector<int>> kShapes = {{4, 5}, {1, 1}, {0, 3}, {3, 0}, {1, 7}, {6, 2}};
const std::vector<std::string> kConstantFormats = {"dense",  "csr",      "csc", "coo",     "dcsr",    "dcsc", "ell",
                                                   "bsr2x3", "ell1+coo", "dia", "csr-len", "coo-aos", "dbsr", "ragged"};

/// Of the shapes two, by what else a kernel is made of: each shape meets everything else that there is.
std::vector<std::vector<int>> shapesOf(size_t turn) {
  const size_t count = kShapes.size();
  return {kShapes[turn % count], kShapes[(turn + count / 2) % count]};
}

void checkIn(const std::string &format, ValueType type, const std::vector<int> &shape, const std::string &statements) {
  if (format.starts_with("ell") && shape[1] == 0)
    return; // padding would have no coordinate
  const bool isPadded = format.starts_with("ell") || format == "dia";
  if (isPadded && shape[0] * shape[1] == 0 && statements.find("max(") != std::string::npos)
    return; // no trial can be compared: the extremes of nothing are infinities, which padding has none of
  KernelSpec spec;
  spec.statements = constant("W", shape) + statements;
  spec.type = type;
  spec.formats = {{"W", format}};
  check(spec);
}

void checkAll(const std::string &statements, const std::vector<ValueType> &types,
              const std::vector<std::string> &formats = kConstantFormats, size_t turn = 0) {
  for (size_t type = 0; type < types.size(); ++type)
    for (size_t format = 0; format < formats.size(); ++format)
      for (const std::vector<int> &shape : shapesOf(turn + type + format))
        checkIn(formats[format], types[type], shape, statements);
}

} // namespace

TEST_CASE("constants of all types in all formats", "[constants]") {
  using enum ValueType;
  checkAll("y(i) = W(i,j) * x(j)", {F16, BF16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool, CF32, CF64},
           {"dense", "csr", "coo", "ell", "ell1+coo"});
  checkAll("y(j) = W(i,j) * x(i)", {F64, I32, Bool, CF64});
  for (const std::string &format : kConstantFormats)
    for (const std::vector<int> &shape : kShapes)
      checkIn(format, F64, shape, "y(i) = W(i,j) * x(j)");
}

TEST_CASE("constants in sums, products, patterns and reductions", "[constants]") {
  using enum ValueType;
  size_t turn = 0;
  for (const char *statements :
       {"D(i,j) = W(i,j) * x(j)", "D(j,i) = W(i,j)", "D(i,j) = W(i,j) + V(i,j)", "y(i) = max(j, W(i,j))",
        "y(i) = sum(j, exp(W(i,j)) * x(j))", "D(i,k) = W(i,j) * W(k,j)", "C(i,k) = W(i,j) * B(j,k)",
        "D(i,j) = pattern(W(i,j)) * X(i,k) * Z(j,k)", "y(i) = x(i) * W(i,j)\ny(i) += W(i,j) * W(i,j)",
        "let T(i,j) = W(i,j) * x(j)\ny(i) = T(i,j) * T(i,j)", "y(i) = sum(j, select(W(i,j) > 0, x(j), 0))"})
    checkAll(statements, {F64}, {"dense", "csr", "csc", "coo", "ell", "ell1+coo", "dia"}, turn++);
}

TEST_CASE("constants beside sparse operands, and in assembled results", "[constants]") {
  size_t turn = 0;
  for (const std::string format : {"csr", "csc", "coo", "dcsr", "dense"})
    for (const std::string other : {"csr", "coo"}) {
      for (const char *statement :
           {"C(i,k) = W(i,j) * B(j,k)", "C(i,j) = W(i,j) * B(i,j)", "C(i,j) = W(i,j) + B(i,j)", "C(j,i) = W(i,j)"})
        for (const std::vector<int> &shape : shapesOf(turn++)) {
          KernelSpec spec;
          spec.statements = constant("W", shape) + statement;
          spec.formats = {{"W", format}, {"C", other}};
          if (spec.statements.find("B(") != std::string::npos)
            spec.formats["B"] = other;
          check(spec);
        }
      ++turn;
    }
}

TEST_CASE("results with a constant's pattern have entries where conditions hold", "[constants]") {
  for (const std::string format : {"csr", "csc", "coo", "dcsr", "bsr2x3", "ell"})
    for (const char *statement :
         {"D(i,j) = where(x(j) > 0, x(j)) * W(i,j)", "D(j,i) = where(x(j) > 0, W(i,j))",
          "D(i,j) = where(W(i,j) > z(i), W(i,j) * x(j))", "D(i,j) = relu(where(x(j) > 0, x(j))) * W(i,j)",
          "D(i,j) += where(x(j) > 0, x(j)) * W(i,j)"}) {
      KernelSpec spec;
      spec.statements = constant("W", {4, 6}) + statement;
      spec.formats = {{"W", format}};
      check(spec);
    }
}

TEST_CASE("constants of other orders, several of them, with fills", "[constants]") {
  using enum ValueType;
  for (const ValueType type : {F32, F16, I32, U8, Bool, CF32, CF64}) {
    KernelSpec spec;
    spec.type = type;
    spec.statements = constant("a", {}) + constant("v", {4}) + "y(i) = a * v(i) * x(i)";
    check(spec);
    spec.statements = constant("W", {2, 3, 4}) + "y(i,k) = W(i,j,k) * x(j)";
    for (const std::string format : {"dense", "csf", "coo"}) {
      spec.formats = {{"W", format}};
      check(spec);
    }
    spec.formats = {{"v", "sv"}};
    spec.statements = constant("v", {6}) + "y(i) = v(i) * x(i)";
    check(spec);
  }
  KernelSpec paths;
  paths.statements = "const W(3, 3): Type, sparse, fill inf = [[0, 2, inf], [inf, 0, inf], [1, inf, inf]]\n"
                     "y(i) = min(k, W(i,k) + x(k))";
  for (const std::string format : {"csr", "csc", "coo", "dcsr"}) {
    paths.formats = {{"W", format}};
    check(paths);
  }
  KernelSpec windows;
  windows.statements = constant("K", {3, 2}) + "Y(i,j) = X(i+p, j+q) * K(p,q)";
  check(windows);
  windows.formats = {{"X", "csr"}};
  check(windows);
  windows.formats = {{"K", "csr"}};
  check(windows);
}

TEST_CASE("plans and levels of optimisation share constants", "[constants]") {
  for (const int level : {0, 2, 3}) {
    KernelSpec spec;
    spec.optLevel = level;
    spec.statements = constant("W", {4, 5}) + "y(i) = W(i,j) * B(j,k) * x(k)";
    for (const std::string format : {"dense", "csr"}) {
      spec.formats = {{"W", format}, {"B", "csr"}};
      check(spec);
    }
  }
}
