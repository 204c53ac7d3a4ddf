// Where terms that call functions are computed, and what follows for outputs.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

/// Of the last term: "", "everywhere", or "where A and B".
std::string domainOf(const std::string &text, const std::vector<std::string> &bindings = {"A=csr", "B=csr", "C=csr"}) {
  std::vector<std::string> used;
  for (const std::string &binding : bindings)
    if (text.find(binding.substr(0, 1) + "(") != std::string::npos)
      used.push_back(binding);
  const Checked checked = check(text, used);
  INFO(text << checked.errors());
  REQUIRE(checked.kernel);
  const std::string steps = checked.steps();
  size_t comma = steps.rfind(", where ");
  if (comma == std::string::npos)
    comma = steps.rfind(", everywhere");
  return comma == std::string::npos ? "" : steps.substr(comma + 2, steps.find('\n', comma) - comma - 2);
}

TEST_CASE("products are computed where their factors are stored") {
  CHECK(domainOf("y(i) = A(i,j)*x(j)") == "");
  CHECK(domainOf("y(i) = A(i,j)*exp(x(j))") == "where A");
  CHECK(domainOf("D(i,j) = relu(A(i,j))*B(i,j)") == "where A and B");
  CHECK(domainOf("D(i,j) = exp(A(i,j))*B(i,j)") == "where B");
  CHECK(domainOf("D(i,j) = exp(A(i,j))*x(j)") == "everywhere");
  CHECK(domainOf("D(i,j) = A(i,j)/B(i,j)") == "where A");
  CHECK(domainOf("D(i,j) = x(j)/A(i,j)") == "everywhere");
}

TEST_CASE("functions are computed where an argument is stored, if they are 0 elsewhere") {
  CHECK(domainOf("D(i,j) = max(A(i,j), B(i,j))") == "where A or B");
  CHECK(domainOf("D(i,j) = max(A(i,j), 0)") == "where A");
  CHECK(domainOf("D(i,j) = max(A(i,j), 1)") == "everywhere");
  CHECK(domainOf("D(i,j) = max(A(i,j), x(i))") == "everywhere");
  CHECK(domainOf("D(i,j) = max(A(i,j)*B(i,j), C(i,j))") == "where (A and B) or C");
  CHECK(domainOf("D(i,j) = sin(A(i,j) - B(i,j))") == "where A or B");
  CHECK(domainOf("D(i,j) = cos(A(i,j)) - 1") == "everywhere");
  CHECK(domainOf("D(i,j) = sin(cos(A(i,j)) - 1)") == "where A");
  CHECK(domainOf("D(i,j) = A(i,j) != B(i,j)") == "where A or B");
  CHECK(domainOf("D(i,j) = A(i,j) == B(i,j)") == "everywhere");
}

TEST_CASE("logic and choices are computed where they are not settled") {
  CHECK(domainOf("D(i,j) = A(i,j) and B(i,j)") == "where A and B");
  CHECK(domainOf("D(i,j) = A(i,j) and not B(i,j)") == "where A");
  CHECK(domainOf("D(i,j) = A(i,j) and x(j)") == "where A");
  CHECK(domainOf("D(i,j) = A(i,j) or B(i,j)") == "where A or B");
  CHECK(domainOf("D(i,j) = not (not A(i,j) or x(i))") == "where A");
  CHECK(domainOf("D(i,j) = select(A(i,j), x(i), B(i,j))") == "where A or B");
  CHECK(domainOf("D(i,j) = select(x(i), A(i,j), B(i,j))") == "where A or B");
  CHECK(domainOf("D(i,j) = select(not A(i,j), B(i,j), x(j))") == "where A or B");
  CHECK(domainOf("D(i,j) = select(A(i,j), B(i,j), x(j))") == "everywhere");
}

TEST_CASE("a choice is computed at the same places however its condition is said") {
  for (const char *choice :
       {"select(pattern(A(i,j)), A(i,j), -inf)", "select(not pattern(A(i,j)), -inf, A(i,j))",
        "select(not (not pattern(A(i,j))), A(i,j), -inf)", "select(pattern(A(i,j)) == false, -inf, A(i,j))",
        "select(true != pattern(A(i,j)), -inf, A(i,j))", "select(pattern(A(i,j)) xor true, -inf, A(i,j))",
        "select(not pattern(A(i,j)) == true, -inf, A(i,j))", "-select(not pattern(A(i,j)), inf, -A(i,j))"})
    CHECK(domainOf("y(i) = max(j, " + std::string(choice) + ")") == "where A");
  CHECK(domainOf("y(i) = max(j, select(not pattern(A(i,j)) or x(j) > 0, -inf, A(i,j)))") == "where A");
  CHECK(domainOf("y(i) = max(j, select(pattern(A(i,j)) and not x(j) > 0, A(i,j), -inf))") == "where A");
  CHECK(domainOf("y(i) = max(j, select(not (pattern(A(i,j)) and pattern(B(i,j))), -inf, A(i,j)))") == "where A and B");
  for (const char *choice : {"select(not pattern(A(i,j)), B(i,j), 0)", "where(not pattern(A(i,j)), B(i,j))",
                             "select(not (not (not pattern(A(i,j)))), B(i,j), 0)"})
    CHECK(domainOf("y(i) = sum(j, " + std::string(choice) + ")").find("not A") != std::string::npos);
  CHECK(domainOf("y(i) = sum(j, select(not pattern(A(i,j)), x(j), 0))") == "where not A");
  CHECK(domainOf("y(i) = sum(j, select(not pattern(A(i,j)), C(i,j), B(i,j)))") == "where A or C");
}

TEST_CASE("what is made of missing entries is worked out in the types of the kernel") {
  const auto domain = [](const std::string &type, const std::string &value) {
    const Checked checked =
        check("tensor A(m,n): " + type + "\ntensor D(m,n): " + type + "\nD(i,j) = " + value, {"A=csr", "D=dense"});
    INFO(checked.errors());
    REQUIRE(checked.kernel);
    return checked.statement().terms[0].domain->kind;
  };
  using Kind = Domain::Kind;
  CHECK(domain("u8", "relu(A(i,j) - 1)") == Kind::Everywhere);
  CHECK(domain("i8", "relu(A(i,j) - 1)") == Kind::Stored);
  CHECK(domain("i8", "relu(A(i,j) - 100 - 100)") == Kind::Everywhere);
  CHECK(domain("f32", "select(A(i,j) + 0.1 + 0.2 == 0.3, 7, 0)") == Kind::Everywhere);
  CHECK(domain("f64", "select(A(i,j) + 0.1 + 0.2 == 0.3, 7, 0)") == Kind::Stored);
  CHECK(domain("f64", "select(u8(A(i,j) - 1) == 0, 7, 0)") == Kind::Everywhere);
  CHECK(domain("f64", "max(A(i,j), sqrt(-1))") == Kind::Everywhere);
  CHECK(domain("bool", "not (A(i,j) + 1 + 1)") == Kind::Stored);
  CHECK(domain("i32", "A(i,j) % A(j,i)") == Kind::Any);
  CHECK(domain("f64", "A(i,j) % A(j,i)") == Kind::Everywhere);
}

TEST_CASE("outputs keep the pattern of the one operand that a term is computed where it is stored") {
  CHECK(check("D(i,j) = relu(A(i,j))", {"A=csr"}).ownerOf("D").has_value());
  CHECK(check("D(i,j) = A(i,j)*exp(x(i))", {"A=csr"}).ownerOf("D").has_value());
  CHECK(check("D(i,j) = exp(A(i,j))", {"A=csr"}).tensor("D").format.isDense());
  CHECK(check("D(i,j) = relu(A(i,j))", {"A=bsr"}).ownerOf("D").has_value());
  CHECK(check("D(i,j) = relu(A(i,j))", {"A=repeats"}).tensor("D").isAssembled());
  CHECK(check("D(i,j) = A(i,j)*(i < j)", {"A=lower"}).tensor("D").isAssembled());
  CHECK(check("D(i,j) = max(A(i,j), B(i,j))", {"A=csr", "B=csr"}).count("densify") == 1);
  CHECK(check("D(i,j) = A(i,j) and B(i,j)", {"A=csr", "B=csr", "D=csr"}).tensor("D").isAssembled());
  CHECK(check("D(i,j) = A(i,j) and B(i,j)", {"A=csr", "B=csr", "D=csr"}).count("densify") == 0);
  CHECK(check("D(i,j) = exp(A(i,j)) + B(i,j)", {"A=csr", "B=csr", "D=csr"}).count("densify") == 1);
}

TEST_CASE("symmetric operands are read as one triangle where that is all that is read") {
  CHECK(check("y(i) = relu(A(i,j))*x(j)", {"A=lower"}).count("reorder") == 0);
  CHECK(check("y(i) = sum(j, exp(A(i,j)))", {"A=lower"}).count("reorder") == 1);
  CHECK(check("D(i,j) = max(A(i,j), B(i,j))", {"A=lower", "B=csr", "D=dense"}).count("reorder") == 1);
}

TEST_CASE("sums over what only a function is called with are ambiguous") {
  CHECK(check("y(i) = exp(x(i,j))").errors() == "ambiguous-sum");
  CHECK(check("y(i) = sum(j, exp(x(i,j)))").errors() == "");
  CHECK(check("y(i) = exp(sum(j, x(i,j)))").errors() == "");
  CHECK(check("y(i) = exp(x(j))*A(i,j)").errors() == "");
  CHECK(check("y(i) = 2*select(x(i) < 0, w(j), 0)").errors() == "ambiguous-sum");
}

TEST_CASE("values of index variables need something that the variables index") {
  CHECK(check("y(i) = i").errors() == "");
  CHECK(check("y(i) = A(i,j)*j").errors() == "");
  CHECK(check("y(i) = A(i,j)*(x(i) + j)", {"A=csr"}).errors() == "");
  CHECK(check("y(i) = A(i,j) + j").errors() == "index-value");
  CHECK(check("s = sum(j, x(j)) + sum(j, j)").errors() == "unbound-variable");
}

TEST_CASE("comparisons are bools, and conversions what they say") {
  CHECK(check("y(i) = x(i) < 1").tensor("y").type == ValueType::Bool);
  CHECK(check("tensor x(n): f64\ntensor y(n): i32\ny(i) = i32(x(i))").errors() == "");
  CHECK(check("tensor x(n): i32\ny(i) = f32(x(i))/2").tensor("y").type == ValueType::F32);
  CHECK(check("tensor x(n): i32\ny(i) = exp(x(i))").errors() == "type-operator");
  CHECK(check("tensor x(n): cf64\ny(i) = x(i) < 0").errors() == "type-operator");
  CHECK(check("tensor x(n): i32\ny(i) = x(i) < 0.5").errors() == "literal-type");
  CHECK(check("y(i) = x(i) + i").statement().computeType == ValueType::F64);
}

} // namespace
} // namespace spc::sema::test
