#include "syntax_test_support.h"

#include <random>

using namespace spc;
using namespace spc::syntax;

namespace {

std::string again(const std::string &text) {
  Parsed parsed(text);
  INFO(parsed.rendered());
  REQUIRE(parsed.kernel.statements.size() == 1);
  return toSource(parsed.kernel.statements[0]);
}

ExprPtr node(decltype(Expr::node) value) {
  return std::make_unique<Expr>(Expr{std::move(value), {}});
}

// Random trees, of which the parser could not make all: parentheses stand anywhere or nowhere.
class TreeMaker {
public:
  explicit TreeMaker(unsigned seed) : random_(seed) {}

  ExprPtr make(int depth) {
    switch (depth == 0 ? pick(2) : pick(10)) {
    case 0:
      return node(Literal{2.5, "2.5"});
    case 1:
      return access();
    case 2:
      return node(Negate{make(depth - 1)});
    case 3:
      return node(Paren{make(depth - 1)});
    case 4:
      return node(Reduce{Reduction::Sum, {{"k", {}}, {"l", {}}}, make(depth - 1)});
    case 5:
    case 6:
      return call(static_cast<Function>(pick(static_cast<unsigned>(Function::Cast) + 1)), depth);
    default:
      ExprPtr left = make(depth - 1);
      return node(Binary{static_cast<BinaryOp>(pick(4)), std::move(left), make(depth - 1)});
    }
  }

private:
  ExprPtr call(Function function, int depth) {
    if (function == Function::Padded) // is a kind of access
      function = Function::Pattern;
    const language::FunctionSpelling &spelling = spellingOf(function);
    Call result{function, {}, {}};
    if (!spelling.isOperator())
      result.name.text = function == Function::Cast ? "f32" : std::string(spelling.text);
    for (int k = 0; k < spelling.fewest; ++k)
      result.arguments.push_back(make(depth - 1));
    return node(std::move(result));
  }

  ExprPtr access() {
    Access result;
    result.tensor.text = "A";
    if (pick(2))
      result.indices = {{"i", {}}, {"j", {}}};
    return node(std::move(result));
  }

  unsigned pick(unsigned choices) { return static_cast<unsigned>(random_() % choices); }
  std::mt19937 random_;
};

} // namespace

TEST_CASE("statements read back as one would write them") {
  CHECK(again("y( i )=A(i , j)*x(j)+z(i)") == "y(i) = A(i,j)*x(j) + z(i)");
  CHECK(again("y = max( a,b , 0 )%2") == "y = max(a, b, 0) % 2");
  CHECK(again("y(i) = padded( x(i-1) )*x( -1*i+ 2 )") == "y(i) = padded(x(i - 1))*x(2 - i)");
  CHECK(again("tensor x(n)\ny(i) = x( n*m-i -1 )") == "y(i) = x(n*m - i - 1)");
  CHECK(again("y = not a<b and(c or d)") == "y = not a < b and (c or d)");
  CHECK(again("y = (a<b)==c") == "y = (a < b) == c");
  CHECK(again("y = f32(a) * (b % c)") == "y = f32(a)*(b % c)");
  CHECK(again("y += -  a/( b - 1.50 )") == "y += -a/(b - 1.50)");
  CHECK(again("y = sum( j ,k, A(j,k)+1e-3 )") == "y = sum(j, k, A(j,k) + 1e-3)");
}

TEST_CASE("trees survive writing and parsing") {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    ExprPtr tree = TreeMaker(seed).make(5);
    std::string source = toSource(*tree);
    Parsed parsed(std::string("y = ") + source);
    INFO(source << '\n' << parsed.rendered());
    REQUIRE(parsed.diagnostics.all().empty());
    const Expr &read = *parsed.kernel.statements[0].value;
    REQUIRE(structure(read, false) == structure(*tree, false));
    Parsed twice(toSource(parsed.kernel.statements[0]));
    REQUIRE(structure(*twice.kernel.statements[0].value) == structure(read));
  }
}

TEST_CASE("the outline names every node and its place") {
  Parsed parsed("tensor S(m, 4): f32, sparse\ny(i) += sum(j, -S(i,j)*(2 + x))/3 - 1\n");
  REQUIRE(parsed.diagnostics.all().empty());
  CHECK(print(parsed.kernel) == "tensor S <1:1-1:28>\n"
                                "  extent m <1:10-1:11>\n"
                                "  extent 4 <1:13-1:14>\n"
                                "  type f32 <1:17-1:20>\n"
                                "  sparse\n"
                                "accumulate <2:1-2:38>\n"
                                "  target y(i) <2:1-2:5>\n"
                                "  subtract <2:9-2:38>\n"
                                "    divide <2:9-2:34>\n"
                                "      sum j <2:9-2:32>\n"
                                "        multiply <2:16-2:31>\n"
                                "          negate <2:16-2:23>\n"
                                "            access S(i, j) <2:17-2:23>\n"
                                "          parentheses <2:24-2:31>\n"
                                "            add <2:25-2:30>\n"
                                "              number 2 <2:25-2:26>\n"
                                "              access x <2:29-2:30>\n"
                                "      number 3 <2:33-2:34>\n"
                                "    number 1 <2:37-2:38>\n");
}
