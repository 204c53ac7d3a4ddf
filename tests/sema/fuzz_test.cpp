// Random kernels: whatever the text, an answer and no crash. What is accepted is verified (sema/verify.h): a broken
// invariant is an internal error.
#include "sema/check.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>

namespace spc::sema::test {
namespace {

class RandomKernel {
public:
  /// `anyStorage`: also with every value type, and with formats whose levels are not the dimensions.
  explicit RandomKernel(unsigned seed, bool anyStorage = false) : random_(seed), anyStorage_(anyStorage) {}

  std::string text() {
    std::string result;
    if (anyStorage_ && pick(2) == 0)
      result += declarations();
    else if (pick(3) == 0)
      result += "tensor A(m, n): f32" + std::string(pick(2) ? ", sparse" : "") + "\n";
    if (!anyStorage_ && pick(4) == 0)
      result += "tensor x(" + std::string(pick(2) ? "n" : "5") + ")\n";
    for (int k = pick(3); k >= 0; --k)
      result += access(true) + (pick(4) ? " = " : " += ") + expression(4) + "\n";
    return result;
  }

  std::vector<std::string> bindings() {
    static const char *kBindings[] = {"A=csr",    "A=csc",    "B=coo",     "B=csr", "T=csf",  "T=csf:120",
                                      "x=vector", "csr",      "coo",       "Y=csr", "A=rows", "B=dcsr",
                                      "csf",      "y=vector", "C=csr",     "C=csc", "C=coo",  "Y=csc",
                                      "Y=dcsr",   "U=csf",    "U=csf:201", "U=coo"};
    static const char *kOtherBindings[] = {"A=hyb",   "B=hyb", "A=lower",   "B=upper",  "A=repeats", "T=repeats",
                                           "A=bsr",   "B=bsr", "B=of:A",    "A=of:B",   "Y=of:A",    "C=of:A",
                                           "x=of:A",  "hyb",   "C=lower",   "Y=bsr",    "A=csr",     "B=csc",
                                           "A=of:Aa", "lower", "x=repeats", "repeats",  "C=csr",     "C=bsr",
                                           "C=csc",   "C=ell", "U=csf",     "U=repeats"};
    std::vector<std::string> result;
    for (int k = anyStorage_ ? pick(4) : 0; k > 0; --k)
      result.push_back(kOtherBindings[pick(std::size(kOtherBindings))]);
    for (int k = pick(anyStorage_ ? 2 : 4); k > 0; --k)
      result.push_back(kBindings[pick(std::size(kBindings))]);
    return result;
  }

  bool flip() { return pick(2) == 1; }

private:
  int pick(size_t count) { return static_cast<int>(random_() % count); }

  // All operands, mostly of one type; sizes are open, so that any indices fit.
  std::string declarations() {
    std::string result;
    const ValueType usual = kValueTypes[pick(std::size(kValueTypes))];
    int size = 0;
    for (const char *name : {"A(#, #)", "B(#, #)", "T(#, #, #)", "x(#)", "y(#)", "Y(#, #)"}) {
      const ValueType type = pick(8) ? usual : kValueTypes[pick(std::size(kValueTypes))];
      result += "tensor ";
      for (const char *c = name; *c; ++c)
        result += *c == '#' ? "n" + std::to_string(size++) : std::string(1, *c);
      result += ": " + std::string(spelling(type)) + "\n";
    }
    return result;
  }

  std::string access(bool target) {
    static const std::pair<const char *, int> kOperands[] = {{"A", 2}, {"B", 2}, {"T", 3},
                                                             {"x", 1}, {"y", 1}, {"a", 0}};
    static const std::pair<const char *, int> kTargets[] = {{"Y", 2}, {"y", 1}, {"s", 0}, {"A", 2}, {"C", 2}, {"U", 3}};
    auto [name, order] = target ? kTargets[pick(std::size(kTargets))] : kOperands[pick(std::size(kOperands))];
    std::string variables = "ijkl", result = name;
    std::shuffle(variables.begin(), variables.end(), random_);
    for (int k = 0; k < order; ++k)
      result += std::string(k ? "," : "(") + variables[target ? k : (pick(40) ? k : 0)];
    return order ? result + ")" : result;
  }

  std::string expression(int depth) {
    if (depth == 0 || pick(5) == 0)
      return pick(8) ? access(false) : anyStorage_ ? "1" : "2.5";
    switch (pick(9)) {
    case 0:
      return "-" + expression(depth - 1);
    case 1:
      return "(" + expression(depth - 1) + ")";
    case 2:
      return "sum(" + std::string(1, "ijkl"[pick(4)]) + ", " + expression(depth - 1) + ")";
    case 3:
    case 4:
      return "(" + expression(depth - 1) + " + " + expression(depth - 1) + ")";
    case 5:
      return expression(depth - 1) + " - " + expression(depth - 1);
    case 6:
      return "(" + expression(depth - 1) + ")/" + access(false);
    default:
      return expression(depth - 1) + "*" + expression(depth - 1);
    }
  }

  std::mt19937 random_;
  bool anyStorage_;
};

std::vector<std::string> loopsOf(const Term &term) {
  std::vector<std::string> loops;
  for (const Loop &loop : term.loops)
    loops.push_back(loop.variable);
  return loops;
}

/// Every term with loops over some variables, each a whole one.
std::vector<const Term *> termsOver(const Kernel &kernel, const std::vector<std::string> &variables) {
  std::vector<const Term *> terms;
  for (const Step &step : kernel.steps)
    if (const auto *statement = std::get_if<Statement>(&step))
      for (const Term &term : statement->terms)
        if (const std::vector<std::string> loops = loopsOf(term);
            std::is_permutation(loops.begin(), loops.end(), variables.begin(), variables.end()))
          terms.push_back(&term);
  return terms;
}

int countCopies(const Kernel &kernel) {
  return static_cast<int>(std::count_if(kernel.tensors.begin(), kernel.tensors.end(),
                                        [](const Tensor &tensor) { return sourceOf(tensor).has_value(); }));
}

/// The kernel, all sums of a product in one nest, with the loops of some term in another order, which it has then,
/// unless operands' storage forbids it. Returns whether it has.
bool checkReordered(const std::string &text, const std::vector<std::string> &bindings, bool strict, unsigned seed) {
  const Checked written = strict ? check(text, bindings, true) : checkWith({"--plan=as-written"}, text, bindings);
  if (!written.kernel)
    return false;
  const Kernel &kernel = *written.kernel;
  std::vector<std::string> order;
  for (const Step &step : kernel.steps)
    if (const auto *statement = std::get_if<Statement>(&step); statement && order.size() < 2)
      order = loopsOf(statement->terms.back());
  const std::set<std::string> distinct(order.begin(), order.end());
  if (order.size() < 2 || distinct.size() < order.size() || bindings.empty())
    return false;
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  format::Schedule schedule;
  schedule.order.emplace();
  for (const std::string &variable : order)
    schedule.order->value.push_back({variable, {}});
  Checked checked = check(text, bindings, strict, schedule);
  if (!checked.kernel) {
    CHECK(checked.errors() == "schedule-order");
    return false;
  }
  CHECK(countCopies(*checked.kernel) <= countCopies(kernel));
  for (const Term *term : termsOver(*checked.kernel, order))
    CHECK(loopsOf(*term) == order);
  CHECK(termsOver(*checked.kernel, order).size() == termsOver(kernel, order).size());
  return true;
}

/// The kernel of one seed, where it is accepted.
std::optional<Kernel> acceptedKernel(unsigned seed, bool anyStorage) {
  RandomKernel random(seed, anyStorage);
  std::string text = random.text(), bound;
  std::vector<std::string> bindings = random.bindings();
  for (const std::string &binding : bindings)
    bound += binding + " ";
  INFO(text << bound);
  const bool strict = random.flip();
  Checked checked = check(text, bindings, strict);
  for (const Diagnostic &diagnostic : checked.diagnostics->all()) {
    INFO(diagnostic.message);
    CHECK(diagnostic.where.file);
    CHECK(diagnostic.severity != Severity::Internal);
  }
  if (!checked.kernel)
    return std::nullopt;
  CHECK_FALSE(describe(*checked.kernel).empty());
  return std::move(checked.kernel);
}

/// Checks many kernels; there must be accepted ones among them, and some that assemble.
void checkMany(bool anyStorage) {
  int accepted = 0, assembling = 0;
  for (unsigned seed = 0; seed < 8000; ++seed) {
    const std::optional<Kernel> kernel = acceptedKernel(seed, anyStorage);
    accepted += kernel.has_value();
    assembling += kernel && std::any_of(kernel->tensors.begin(), kernel->tensors.end(),
                                        [](const Tensor &tensor) { return tensor.isAssembled(); });
  }
  CHECK(accepted > 500);
  CHECK(assembling > 50);
}

TEST_CASE("random kernels are accepted whole or refused with a place") {
  checkMany(false);
}

TEST_CASE("random kernels of any type and storage are accepted whole or refused with a place") {
  checkMany(true);
}

TEST_CASE("random kernels have the order of loops that is asked for, or it is refused") {
  int reordered = 0;
  for (unsigned seed = 0; seed < 8000; ++seed) {
    RandomKernel random(seed);
    const std::string text = random.text();
    const std::vector<std::string> bindings = random.bindings();
    const bool strict = random.flip();
    Checked checked = check(text, bindings, strict);
    std::string bound;
    for (const std::string &binding : bindings)
      bound += binding + " ";
    INFO(text << bound);
    reordered += checked.kernel && checkReordered(text, bindings, strict, seed);
  }
  CHECK(reordered > 150);
}

TEST_CASE("random bytes and long expressions do not crash") {
  std::mt19937 random(7);
  const std::string alphabet = "AxyijS(),+-*/= \n;:#sum tensor.0123e\xff\x00";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int k = random() % 60; k >= 0; --k)
      text += alphabet[random() % alphabet.size()];
    INFO(text);
    check(text, {"A=csr"});
  }
  std::string sum = "y(i) = x(i)", product = "y(i) = (A(i,j) + 1)", nested = "y(i) = ";
  for (int k = 0; k < 900; ++k) {
    sum += " + x(i)*2";
    product += "*x(j)";
  }
  for (int k = 0; k < 190; ++k)
    nested += "2*(x(i) + ";
  nested += "A(i,j)" + std::string(190, ')');
  for (const std::string &text : {sum, product, nested})
    check(text, {"A=csr"});
}

} // namespace
} // namespace spc::sema::test
