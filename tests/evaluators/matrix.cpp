#include "evaluators/matrix.h"

#include "harness/number_types.h"
#include "language/function.h"

#include <iterator>

namespace spc::testing {
namespace {

using sema::ValueType;

/// Every operand's elements, or those of sparse ones that are stored, become `value`; outputs have no values yet.
Place putting(double value, bool intoDense, bool intoSparse) {
  return [=](TensorMap &tensors) {
    for (auto &[name, tensor] : tensors) {
      const bool isOperand = name != "y" && name != "C" && name != "T" && name != "r";
      if (!isOperand || !sema::isFloat(tensor.type) || !(tensor.sparse ? intoSparse : intoDense))
        continue;
      for (size_t at = 0; at < tensor.values.size(); ++at)
        if (!tensor.sparse || tensor.stored[at])
          tensor.values[at] = at % 3 == 2 && intoDense ? -value : value;
    }
  };
}

/// A construct for every function that has a name, so that none is left out.
std::vector<Construct> constructsOfFunctions() {
  static constexpr const char *kArguments[] = {"A(i,j)", "A(i,j), B(i,j)", "A(i,j), B(i,j), x(j)"};
  std::vector<Construct> constructs;
  for (const std::string &name : language::functionNames()) {
    const language::Function function = *language::functionNamed(name);
    if (language::isOfPlaces(function) || function == language::Function::Padded) // take indices
      continue;
    const int count = language::spellingOf(function).fewest;
    Construct construct{name, "y(i) = sum(j, " + name + "(" + kArguments[count - 1] + ") * x(j))", {}, {}};
    if (language::isIntegral(function))
      construct.types = {{"A", ValueType::I32}, {"B", ValueType::I32}, {"x", ValueType::I32}, {"y", ValueType::I32}};
    if (function == language::Function::Complex)
      construct.types["y"] = ValueType::CF64;
    constructs.push_back(construct);
    if (language::isOfParts(function) || function == language::Function::Conj) {
      construct.name += ", of complex numbers";
      construct.types["A"] = ValueType::CF64;
      if (function == language::Function::Conj)
        construct.types["y"] = ValueType::CF64;
      constructs.push_back(construct);
    }
    if (count != 2)
      continue;
    construct.name += ", of a dense operand and a sparse one";
    construct.statements = "y(i) = sum(j, " + name + "(x(j), A(i,j)))";
    construct.types.erase("B");
    constructs.push_back(std::move(construct));
  }
  return constructs;
}

std::vector<Construct> joined(std::vector<Construct> all, std::vector<Construct> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
  return all;
}

} // namespace

const std::vector<Construct> kConstructs = joined(
    {
        {"factor", "y(i) = A(i,j) * x(j)"},
        {"factor, elementwise", "C(i,j) = A(i,j) * x(j) * z(i)"},
        {"two sparse factors", "y(i) = A(i,j) * B(i,j) * x(j)"},
        {"matrix product", "C(i,k) = A(i,j) * D(j,k)"},
        {"numerator", "y(i) = A(i,j) / x(j)"},
        {"divisor", "y(i) = sum(j, x(j) / A(i,j))"},
        {"conditional entries", "y(i) = where(A(i,j) > 0, A(i,j)) * x(j)"},
        {"conditional entries, elementwise", "C(i,j) = where(j <= i, A(i,j)) * x(j) + where(x(j) > z(i), B(i,j))"},
        {"conditional entries of dense operands", "C(i,j) = where(x(j) > z(i), x(j) * z(i))"},
        {"conditional entries in a sum", "y(i) = sum(j, where(x(j) > 0, A(i,j))) * z(i)"},
        {"conditional entries in a function", "y(i) = sum(j, max(where(x(j) > 0, A(i,j)), B(i,j)))"},
        {"both sides of a quotient", "y(i) = A(i,j) / B(i,j) * x(j)"},
        {"power", "y(i) = sum(j, pow(A(i,j), 2) * x(j))"},
        {"function, 0 of 0", "y(i) = sum(j, relu(A(i,j)) * x(j))"},
        {"function, 0 of 0, of a product", "y(i) = sum(j, sin(A(i,j) * x(j)) * z(i))"},
        {"function, not 0 of 0", "y(i) = sum(j, exp(A(i,j)) * x(j))"},
        {"function that is 0 again", "y(i) = sum(j, log(exp(A(i,j))) * x(j))"},
        {"function of a dense operand", "y(i) = sum(j, A(i,j) * exp(x(j)))"},
        {"maximum of two", "y(i) = sum(j, max(A(i,j), B(i,j)) * x(j))"},
        {"minimum with a number", "y(i) = sum(j, min(A(i,j), 0.5) * x(j))"},
        {"comparison, false of zeros", "y(i) = sum(j, (A(i,j) < B(i,j)) * x(j))"},
        {"comparison, true of zeros", "y(i) = sum(j, (A(i,j) <= B(i,j)) * x(j))"},
        {"and", "y(i) = sum(j, (A(i,j) and x(j)) * x(j))"},
        {"or", "y(i) = sum(j, (A(i,j) or B(i,j)) * x(j))"},
        {"xor", "y(i) = sum(j, (A(i,j) xor x(j)) * x(j))"},
        {"not", "y(i) = sum(j, (not A(i,j)) * x(j))"},
        {"condition", "y(i) = sum(j, select(A(i,j), x(j), 0) * z(i))"},
        {"choice", "y(i) = sum(j, select(z(i) > 0, A(i,j), 0) * x(j))"},
        {"choices that differ", "y(i) = sum(j, select(z(i) > 0, A(i,j), 1) * x(j))"},
        {"pattern", "y(i) = pattern(A(i,j)) * x(j)"},
        {"no pattern", "y(i) = (not pattern(A(i,j))) * x(j)"},
        {"choice by pattern", "y(i) = max(j, select(pattern(A(i,j)), A(i,j) * x(j), -inf))"},
        {"sum as a factor", "y(i) = (A(i,j) + B(i,j)) * x(j)"},
        {"difference with a dense operand", "y(i) = (A(i,j) - x(j)) * z(i)"},
        {"product of sums", "y(i) = (A(i,j) - B(i,j)) * (A(i,j) - B(i,j)) * x(j)"},
        {"reduced sum as a factor", "y(i) = z(i) * sum(j, A(i,j))"},
        {"product of reduced sums", "y(i) = sum(j, A(i,j)) * sum(k, B(i,k)) * z(i)"},
        {"sum of reduced sums as a factor", "y(i) = z(i) * (sum(j, A(i,j)) - sum(k, B(i,k)))"},
        {"sum of products of reduced sums as a factor",
         "y(i) = (sum(j, A(i,j)) * sum(k, B(i,k)) + z(i) * sum(k, B(i,k))) / z(i)"},
        {"reduced sum beside entries", "y(i) = sum(j, x(j) * (A(i,j) + z(i) * sum(k, B(i,k))))"},
        {"reduced sum in a function", "y(i) = z(i) * sqrt(abs(sum(j, A(i,j))))"},
        {"reduced sum in a divisor", "y(i) = z(i) / sum(j, A(i,j))"},
        {"mean as a factor", "y(i) = z(i) * mean(j, A(i,j))"},
        {"mean in a function", "y(i) = z(i) * exp(mean(j, A(i,j)))"},
        {"product of all", "y(i) = prod(j, A(i,j)) * z(i)"},
        {"least", "y(i) = min(j, A(i,j) * x(j))"},
        {"greatest in an expression", "y(i) = z(i) * max(j, A(i,j)) + 1"},
        {"any", "y(i) = z(i) * any(j, A(i,j) > 1)"},
        {"all", "y(i) = z(i) * all(j, A(i,j) + x(j))"},
        {"place of the least", "y(i) = argmin(j, A(i,j) * x(j))"},
        {"place of the greatest", "y(i) = argmax(j, A(i,j))"},
        {"place of the least of all", "y = argmin(i, j, A(i,j) * x(j))"},
        {"count", "y(i) = z(i) * count(j, A(i,j))"},
        {"min=", "y(i) min= A(i,j) * x(j)"},
        {"max=", "y(i) max= A(i,j)"},
        {"or=", "r(i) or= A(i,j) > x(j)", {}, {{"r", ValueType::Bool}}},
        {"+=", "y(i) += A(i,j) * x(j)"},
        {"repeated index", "y(i) = A(i,i) * z(i)"},
        {"constant index", "y(j) = A(0,j) * x(j)"},
        {"constant indices", "y(i) = A(0,0) * z(i)"},
        {"window beside it", "y(i) = A(i,j) * x(j) + w(i) - w(i+1)"},
        {"window as a factor", "y(i) = S(i) * w(i+1) * w(i)"},
        {"value of an index", "y(i) = A(i,j) * j * x(j)"},
        {"comparison of indices", "y(i) = A(i,j) * (i <= j) * x(j)"},
        {"sum that is narrowed", "y(i) = sum(p, j, select(i == j + p, A(p,j) * x(j), 0))"},
        {"infinite fill, in a minimum", "y(i) = min(j, A(i,j) + x(j))", {{"A", "inf"}}},
        {"infinite fill, in a product", "y(i) = A(i,j) * x(j)", {{"A", "inf"}}},
        {"fill of 2", "y(i) = A(i,j) * x(j)", {{"A", "2"}}},
        {"fills of two", "C(i,j) = A(i,j) * B(i,j)", {{"A", "2"}, {"B", "3"}, {"C", "6"}}},
        {"min-plus semiring", "semiring(min, +)\nC(i,k) = A(i,j) * D(j,k)", {{"A", "inf"}}},
        {"max-times semiring", "semiring(max, *)\ny(i) = A(i,j) * x(j)"},
        {"or-and semiring",
         "semiring(or, and)\nr(i) = A(i,j) * b(j)",
         {},
         {{"A", ValueType::Bool}, {"b", ValueType::Bool}, {"r", ValueType::Bool}}},
        {"absorbing sum", "y(i) = sum(j, minplus(A(i,j), x(j)))"},
        {"integers", "y(i) = A(i,j) * x(j)", {}, {{"A", ValueType::I32}, {"x", ValueType::I32}, {"y", ValueType::I32}}},
        {"conversion to f32", "y(i) = sum(j, f32(A(i,j)) * x(j))"},
        {"conversion to i32", "y(i) = sum(j, i32(A(i,j)) * x(j))"},
        {"half floats",
         "y(i) = A(i,j) * x(j)",
         {},
         {{"A", ValueType::BF16}, {"x", ValueType::BF16}, {"y", ValueType::BF16}}},
        {"temporary that keeps a pattern", "let T(i,j) = A(i,j) * z(i)\ny(i) = T(i,j) * x(j) + T(i,j) * x(j) * x(j)"},
        {"temporary of a product", "let T(i,j) = P(i,k) * Q(k,j)\ny(i) = A(i,j) * T(i,j) * x(j)"},
        {"temporary of a sum", "let T(i) = sum(j, A(i,j))\ny(i) = T(i) * z(i)"},
        {"sum of two terms", "C(i,j) = A(i,j) * x(j) + B(i,j)"},
        {"transposed", "C(j,i) = A(i,j) * x(j)"},
        {"function of conditional entries", "y(i) = sum(j, relu(where(A(i,j) > 0.5, A(i,j))) * x(j))"},
        {"function of a sum with conditional entries", "y(i) = sum(j, sin(A(i,j) - where(z(i) > 0, B(i,j))) * x(j))"},
        {"function of conditional entries' quotient", "y(i) = sum(j, abs(where(j <= i, A(i,j) * z(i)) / x(j)) * x(j))"},
        {"logic of conditional entries", "y(i) = sum(j, (x(j) and where(z(i) > 0, A(i,j))) * x(j))"},
        {"choice of conditional entries", "y(i) = sum(j, select(z(i) > 0, where(x(j) > 0, A(i,j)), B(i,j)) * x(j))"},
        {"function of conditional entries, elementwise", "C(i,j) = abs(where(A(i,j) > 0.5, A(i,j))) * x(j) + B(i,j)"},
        {"function of conditional entries beside a sum",
         "y(i) = sum(j, relu(where(A(i,j) > 0.5, A(i,j))) * sum(k, D(k,j) * x(k)))"},
        {"condition without indices", "C(i,j) = A(i,j) * where(sum(k, x(k)) > 0, sum(k, x(k)))"},
        {"condition without indices in a sum",
         "C(i,j) = A(i,j) * (where(sum(k, x(k)) > 0, sum(k, x(k))) + B(i,j) * x(j))"},
        {"identity with a name",
         "let I(i,j) = select(i == j, 1, 0)\nlet T(i,j) = A(i,j) - z(i)*I(i,j)\ny(i) = T(i,j) * x(j)"},
        {"diagonal or entries", "C(i,j) = select(i == j, z(i), -A(i,j) * x(j)) + B(i,j)"},
        {"diagonal with a name", "let N(i,j) = select(i != j, 0, z(i))\ny(i) = N(i,j) * A(i,j) * x(j) + N(i,j) * x(j)"},
        {"scores beside a temporary that keeps a pattern",
         "let T(i,j) = z(i) + x(j)\nlet E(i,j) = A(i,j) * z(i)\ny(i) = E(i,j) * exp(T(i,j)) + max(j, E(i,j))"},
        {"sum of a dense factor beside two sparse ones", "C(i,j) = A(i,j) * B(i,j) * D(j,k)"},
    },
    constructsOfFunctions());

const std::vector<std::string> kStorages = {"dense",    "csr",    "csc", "dcsr", "coo",     "coo:1,0",
                                            "@0=d,1=d", "bsr2x3", "ell", "dia",  "sym-csr", "ell1+coo"};

const std::vector<Placement> kPlacements = {
    {"numbers", Fill::Random, false, {}},
    {"infinities in dense operands", Fill::Random, false, putting(kInf, true, false)},
    {"NaNs in dense operands", Fill::Random, false, putting(kNaN, true, false)},
    {"infinite entries", Fill::Random, false, putting(kInf, false, true)},
    {"infinities everywhere", Fill::EmptyRows, false, putting(kInf, true, true)},
    {"stored zeros, infinities in dense operands", Fill::StoredZeros, false, putting(kInf, true, false)},
    {"no entries, infinities in dense operands", Fill::Empty, false, putting(kInf, true, false)},
    {"an extent of 0", Fill::Random, true, putting(kInf, true, false)},
};

KernelSpec specFor(const Construct &construct, const std::string &storage) {
  KernelSpec spec;
  spec.statements = construct.statements;
  spec.fills = construct.fills;
  spec.types = construct.types;
  spec.optLevel = 0;
  const auto reads = [&](const char *access) { return construct.statements.find(access) != std::string::npos; };
  if (reads("A("))
    spec.formats["A"] = storage;
  if (reads("B("))
    spec.formats["B"] = "csr";
  if (reads("S("))
    spec.formats["S"] = "sv";
  if (reads("C(") && spec.fills.contains("C"))
    spec.formats["C"] = "csr";
  return spec;
}

Trial trialFor(const Placement &placement, int extentClasses, uint64_t seed) {
  Random random(seed);
  Trial trial;
  for (int k = 0; k < extentClasses; ++k)
    trial.extents.push_back(3 + random.below(3));
  if (random.below(2) == 0) // as symmetric storage wants it
    trial.extents.assign(trial.extents.size(), 4);
  if (placement.isEmpty && extentClasses > 0)
    trial.extents[static_cast<size_t>(random.below(extentClasses))] = 0;
  trial.fill = placement.fill;
  trial.seed = seed;
  return trial;
}

} // namespace spc::testing
