// Where sums sit: terms, multiplying out, temporaries, ambiguity, and what strict rounding rules out.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

TEST_CASE("each addend is a term summed over its own variables") {
  CHECK(check("y(i) = A(i,j)*x(j) + z(i)", {"csr"}).steps() == "y in f64:\n"
                                                               "  for i: y(i) = z(i)\n"
                                                               "  for i, j+: y(i) += A(i,j)*x(j)\n");
  CHECK(check("y(i) += A(i,j)*x(j) + z(i)", {"csr"}).steps() == "y in f64:\n"
                                                                "  for i, j+: y(i) += A(i,j)*x(j)\n"
                                                                "  for i: y(i) += z(i)\n");
  CHECK(check("s = x(i)").steps() == "s in f64, zeroed first:\n  for i+: s += x(i)\n");
  CHECK(check("Y(i,j) = x(i)").steps() == "Y in f64:\n  for i, j: Y(i,j) = x(i)\n");
  CHECK(check("y(i) = 2").steps() == "y in f64:\n  for i: y(i) = 2\n");
  CHECK(check("y(i) = -2").steps() == "y in f64:\n  for i: y(i) = -2\n");
}

TEST_CASE("parentheses and signs at the top are opened") {
  CHECK(check("y(i) = a(i) - (b(i) - (A(i,j)*x(j) + c(i)))", {"A=csr"}).steps() ==
        "y in f64:\n"
        "  for i: y(i) = a(i) - b(i) + c(i)\n"
        "  for i, j+: y(i) += A(i,j)*x(j)\n");
  CHECK(check("y(i) = -(A(i,j)*x(j) + z(i))", {"A=csr"}).steps() == "y in f64:\n"
                                                                    "  for i: y(i) = -z(i)\n"
                                                                    "  for i, j+: y(i) += -(A(i,j)*x(j))\n");
}

TEST_CASE("addends that are one number for each element are one term") {
  CHECK(check("y(i) = x(i) + A(i,j)*z(j) + 2 - w(i)", {"csr"}).steps() == "y in f64:\n"
                                                                          "  for i: y(i) = x(i) + 2 - w(i)\n"
                                                                          "  for i, j+: y(i) += A(i,j)*z(j)\n");
  CHECK(check("y(i) += x(i) - w(i)").steps() == "y in f64:\n  for i: y(i) += x(i) - w(i)\n");
  // The target's own elements are updated in place first, and strict sums have their order.
  CHECK(check("y(i) = x(i) + 2*y(i) + w(i)").steps() == "y in f64:\n"
                                                        "  for i: y(i) = 2*y(i)\n"
                                                        "  for i: y(i) += x(i) + w(i)\n");
  CHECK(check("y(i) = x(i) + A(i,j)*z(j) + w(i)", {"A=csr"}, true).last().terms.size() == 3);
}

TEST_CASE("products of the same sparse operands are one term where these have all of its loops") {
  const auto termsOf = [](const std::string &text) {
    std::vector<std::string> formats = {"A=csr"};
    if (text.find("B(") != std::string::npos)
      formats.push_back("B=csc");
    const Checked checked = check(text, formats);
    INFO(text << checked.errors());
    REQUIRE(checked.kernel);
    return checked.last().terms.size();
  };
  CHECK(check("y(i) = A(i,j)*x(j) - A(i,j)*z(j) + u(i)", {"A=csr"}).steps() ==
        "y in f64:\n"
        "  for i: y(i) = u(i)\n"
        "  for i, j+: y(i) += A(i,j)*x(j) - A(i,j)*z(j)\n");
  // Bound variables have any names; every order of the operands is one.
  CHECK(termsOf("s = sum(i, sum(j, A(i,j)*B(j,i)*x(j))) + sum(k, sum(l, B(l,k)*u(k)*A(k,l)))") == 1);
  CHECK(termsOf("D(i,j) = A(i,j)*x(j) + A(i,j)*u(i) + A(i,j)*A(i,j)*2") == 1);
  CHECK(termsOf("D(i,j) = A(i,j)*x(j)/u(i) - A(i,j)/2") == 1);
  CHECK(termsOf("D(i,j) = A(i,j)*x(j) + x(j)/A(i,j)") == 2);
  CHECK(termsOf("y(j) = A(i,j)*u(i) + A(j,i)*u(i)") == 2);
  CHECK(termsOf("y(i) = A(i,j)*x(j) + A(i,j)*B(i,j)") == 2);
  CHECK(termsOf("y(i) = sum(j, A(i,j))*x(i) + A(i,j)*z(j)") == 2); // the sum is scaled, not its addends
  CHECK(termsOf("y(i) = A(i,j)*x(j) + padded(A(i,j))") == 2);
  CHECK(check("y(i) = A(i,j)*x(j) + A(i,j)*z(j)", {"A=csr"}, /*strict=*/true).last().terms.size() == 2);
  // Rows of both dense operands at a time would take twice the cache.
  CHECK(termsOf("Y(i,k) = A(i,j)*X(j,k) + A(i,j)*Z(j,k)") == 2);
}

TEST_CASE("operands whose sets of entries left would take too many loops are merged at once") {
  const auto isMerged = [](const std::string &text, const std::vector<std::string> &names, const std::string &format) {
    std::vector<std::string> formats;
    for (const std::string &name : names)
      formats.push_back(name + "=" + format);
    const Checked checked = check(text, formats);
    INFO(text << checked.errors());
    REQUIRE(checked.kernel);
    return checked.statement(0).terms[0].isMerged;
  };
  const std::vector<std::string> five = {"A", "B", "C", "D", "E"}, six = {"A", "B", "C", "D", "E", "F"};
  const std::vector<std::string> two = {"A", "B"}, three = {"A", "B", "C"}, four = {"A", "B", "C", "D"};
  CHECK_FALSE(isMerged("y(i) = sum(j, max(A(i,j), B(i,j), C(i,j), D(i,j), E(i,j)))", five, "csr"));
  CHECK(isMerged("y(i) = sum(j, max(A(i,j), B(i,j), C(i,j), D(i,j), E(i,j), F(i,j)))", six, "csr"));
  CHECK_FALSE(isMerged("y(i) = sum(j, max(A(i,j), B(i,j), C(i,j)))", three, "dcsr"));
  CHECK(isMerged("y(i) = sum(j, max(A(i,j), B(i,j), C(i,j), D(i,j)))", four, "dcsr"));
  CHECK_FALSE(isMerged("s = sum(i, j, k, max(A(i,j,k), B(i,j,k)))", two, "csf"));
  CHECK(isMerged("s = sum(i, j, k, max(A(i,j,k), B(i,j,k), C(i,j,k)))", three, "csf"));
  CHECK(isMerged("y(i) = sum(j, A(i,j)*exp(B(i,j))*exp(C(i,j))*exp(D(i,j))*exp(E(i,j))*exp(F(i,j)))", six, "csr"));
  // Where all of them have entries there is one loop.
  CHECK_FALSE(isMerged("y(i) = A(i,j)*B(i,j)*C(i,j)*D(i,j)*E(i,j)*F(i,j)", six, "csr"));
  CHECK_FALSE(isMerged("y(i) = sum(j, relu(A(i,j))*relu(B(i,j))*C(i,j)*D(i,j)*E(i,j)*F(i,j))", six, "dcsr"));
}

TEST_CASE("what is merged at once is copied where its storage is not plain") {
  const Checked checked = check("y(i) = sum(j, max(A(i,j), B(i,j), C(i,j), D(i,j), E(i,j), F(i,j)))",
                                {"A=csr", "B=coo", "C=csr", "D=csr", "E=csr", "F=csr"});
  REQUIRE(checked.kernel);
  const Term &term = checked.statement(0).terms[0];
  CHECK(term.isMerged);
  for (const Operand &operand : term.operands)
    for (const format::Level &level : checked.kernel->tensors[operand.tensor].format.levels)
      CHECK(level.unique);
}

TEST_CASE("sum() joins the term as a factor and becomes a temporary elsewhere") {
  CHECK(check("y(i) = sum(j, A(i,j)*x(j))", {"A=csr"}).steps() ==
        "y in f64, zeroed first:\n  for i, j+: y(i) += A(i,j)*x(j)\n");
  CHECK(check("y(i) = 2*(sum(j, A(i,j)*x(j)) + z(i))", {"A=csr"}).steps() == "y in f64, zeroed first:\n"
                                                                             "  for i, j+: y(i) += A(i,j)*x(j)\n"
                                                                             "\n"
                                                                             "y in f64:\n"
                                                                             "  for i: y(i) = 2*(y(i) + z(i))\n");
  CHECK(check("y(i) = x(i)/sum(j, x(j))").steps() == "$2 in f64, zeroed first:\n"
                                                     "  for j+: $2 += x(j)\n"
                                                     "\n"
                                                     "y in f64:\n"
                                                     "  for i: y(i) = x(i)/$2\n");
  CHECK(check("y(i) = b(k)/sum(j, A(i,j)*c(k))").steps() == "y in f64, zeroed first:\n"
                                                            "  for i, j+: y(i) += A(i,j)\n"
                                                            "\n"
                                                            "$5 in f64, zeroed first:\n"
                                                            "  for k+: $5 += b(k)/c(k)\n"
                                                            "\n"
                                                            "y in f64:\n"
                                                            "  for i: y(i) = 1/y(i)*$5\n");
}

TEST_CASE("a divisor's temporary is computed once however the numerator is multiplied out") {
  Checked ratio = check("y(i) = (A(i,j) + b(j))/sum(k, c(k))", {"A=csr"});
  CHECK(ratio.kernel->steps.size() == 3);
  CHECK(ratio.last().terms.size() == 2);
}

TEST_CASE("a bound variable that an addend lacks still counts") {
  CHECK(check("y(i) = sum(j, A(i,j)*x(j) + z(i))", {"A=csr"}).steps() == "$4 in f64, zeroed first:\n"
                                                                         "  for j+: $4 += 1\n"
                                                                         "\n"
                                                                         "y in f64:\n"
                                                                         "  for i: y(i) = z(i)*$4\n"
                                                                         "  for i, j+: y(i) += A(i,j)*x(j)\n");
}

TEST_CASE("ambiguous sums show both readings") {
  Checked group = check("y(i) = 2*(A(i,j)*x(j) + z(i))", {"A=csr"});
  CHECK(group.errors() == "ambiguous-sum");
  const Diagnostic &error = group.the("ambiguous-sum");
  REQUIRE(error.notes.size() == 2);
  CHECK(error.notes[0].message == "this may mean 2*(sum(j, A(i,j)*x(j)) + z(i))");
  CHECK(error.notes[1].message == "or it may mean sum(j, 2*(A(i,j)*x(j) + z(i)))");
  CHECK(error.where.file);

  const Checked divisor = check("y(i) = b(i)/A(i,j)");
  CHECK(divisor.the("ambiguous-sum").notes[0].message == "this may mean b(i)/sum(j, A(i,j))");
  CHECK(divisor.the("ambiguous-sum").notes[1].message == "or it may mean sum(j, b(i)/A(i,j))");

  CHECK(check("y(i) = x(i) - 2*-(A(i,j) - z(i))").errors() == "ambiguous-sum");
  CHECK(check("y(i) = sum(k, A(i,k)*(B(k,j) + c(k)))").errors() == "ambiguous-sum");
  CHECK(check("y(i) = x(i)/(2*A(i,j))").errors() == "ambiguous-sum");
  CHECK(check("s = (x(i) + 1)*(y(j) + 1)").count("ambiguous-sum") == 2);
}

TEST_CASE("sums that are not ambiguous") {
  for (const char *text :
       {"y(i) = (A(i,j) + b(i)) * x(j)", "y(i) = (A(i,j) + B(i,j)) * z(i)", "y(i) = b(j)/A(i,j)",
        "y(i) = -(A(i,j)*x(j) + z(i))", "y(i) = (A(i,j)*x(j) + z(i)) + w(i)", "y(i) = b(i)/sum(j, A(i,j))",
        "y(i) = 2*(sum(j, A(i,j)*x(j)) + z(i))", "y(i) = sum(j, 2*(A(i,j)*x(j) + z(i)))",
        "y(i) = (A(i,j) + 1)*(B(i,j) + 1)", "Y(i,j) = 2*(A(i,j) + b(i))", "y(i) = A(i,j)*sum(j, B(i,j))"}) {
    INFO(text);
    CHECK(check(text).errors() == "");
  }
}

TEST_CASE("the readings that a diagnostic suggests compile") {
  for (const char *text : {"y(i) = 2*(A(i,j)*x(j) + z(i))", "y(i) = b(i)/A(i,j)", "y(i) = -3*(z(i) - x(j)*A(i,j))",
                           "y(i) = sum(k, A(i,k)*(B(k,j) + c(k)))"}) {
    Checked ambiguous = check(text);
    const Diagnostic &error = ambiguous.the("ambiguous-sum");
    for (const AttachedNote &note : error.notes) {
      std::string reading = "y(i) = " + note.message.substr(note.message.find("mean ") + 5);
      INFO(reading);
      CHECK(check(reading).errors() == "");
    }
  }
}

TEST_CASE("sum() variables") {
  CHECK(check("y(i) = sum(j, x(i))").errors() == "unbound-variable");
  CHECK(check("y(i) = sum(i, x(i))").errors() == "shadowed-variable");
  CHECK(check("s = sum(j, x(j)*sum(j, z(j)))").errors() == "shadowed-variable");
  CHECK(check("s = sum(j, j, x(j))").errors() == "shadowed-variable");
  CHECK(check("s = sum(j, x(j)) + sum(j, z(j))").errors() == "");
}

TEST_CASE("too many terms") {
  std::string sum = "Y(i,j) = A(i,j)";
  for (int k = 0; k < 300; ++k)
    sum += " + A(i,j)";
  CHECK(check(sum, {"A=csr"}).errors() == "too-many-terms");
}

TEST_CASE("a temporary has at most eight dimensions") {
  CHECK(check("Y(a,b,c,d,e,f,g,h) = 1/sum(k, A(a,b,c,d,e,f,g,k)*x(h))").errors() == "");
  CHECK(check("Y(a,b,c,d,e,f,g,h) = x(l)*1/sum(k, A(a,b,c,d,e,f,g,k)*B(h,l))").errors() == "temporary-order-limit");
}

TEST_CASE("strict rounding") {
  CHECK(check("y(i) = (A(i,j) + b(i)) * x(j)", {"A=csr"}, true).steps() ==
        "y in f64, zeroed first:\n  for i, j+: y(i) += (A(i,j) + b(i))*x(j), everywhere\n");
  CHECK(check("y(i) = (b(i) + c(i)) * z(i)", {}, true).errors() == "");
  CHECK(check("y(i) = a(i) + (b(i) + c(i))", {}, true).steps() == "y in f64:\n"
                                                                  "  for i: y(i) = a(i)\n"
                                                                  "  for i: y(i) += b(i) + c(i)\n");
  // A group with sums of its own is added up before it is added to anything.
  for (const std::vector<std::string> &bindings : {std::vector<std::string>{"A=csr"}, std::vector<std::string>{}})
    CHECK(check("y(i) = a(i) + (b(i) + A(i,j)*x(j))", bindings, true).steps() == "$5 in f64:\n"
                                                                                 "  for i: $5(i) = b(i)\n"
                                                                                 "  for i, j+: $5(i) += A(i,j)*x(j)\n"
                                                                                 "\n"
                                                                                 "y in f64:\n"
                                                                                 "  for i: y(i) = a(i)\n"
                                                                                 "  for i: y(i) += $5(i)\n");
  CHECK(check("y(i) = z(i) + A(i,j)*x(j)", {"A=csr"}, true).statement().terms[0].overwrites);
  // z added to the finished sum is not the sum started from z.
  CHECK(check("y(i) = A(i,j)*x(j) + z(i)", {"A=csr"}, true).statement().zeroFirst);
  CHECK_FALSE(check("y(i) = A(i,j)*x(j) + z(i)", {"A=csr"}).statement().zeroFirst);
  CHECK(check("y(i) = A(i,j)*x(j) + A(i,j)*w(j) + z(i)", {"A=csr"}, true).statement().zeroFirst);
  CHECK(check("y(i) = 2*sum(j, A(i,j))", {"A=csr"}, true).kernel->steps.size() == 2);
  CHECK(check("y(i) = -sum(j, A(i,j))", {"A=csr"}, true).kernel->steps.size() == 1);
}

TEST_CASE("strict terms of parts are in the order of the parts") {
  const std::string steps = check("y(i) = A(i,j)*x(j)", {"A=hyb"}, true).steps();
  INFO(steps);
  CHECK(steps.find("A_0(i,j)*x(j)") < steps.find("A_1(i,j)*x(j)"));
  CHECK(steps.find("A_1(i,j)*x(j)") != std::string::npos);
}

TEST_CASE("statements that read what they write") {
  CHECK(check("y(i) = A(i,j)*x(j) + 2*y(i)", {"A=csr"}).steps() == "y in f64:\n"
                                                                   "  for i: y(i) = 2*y(i)\n"
                                                                   "  for i, j+: y(i) += A(i,j)*x(j)\n");
  CHECK(check("y(i) += y(i)*y(i)").steps() == "y in f64:\n  for i: y(i) += y(i)*y(i)\n");
  CHECK(check("y(i) = A(i,j)*y(j)", {"A=csr"}).steps() == "$2 = copy of y\n"
                                                          "\n"
                                                          "y in f64, zeroed first:\n"
                                                          "  for i, j+: y(i) += A(i,j)*$2(j)\n");
  CHECK(check("Y(i,j) = Y(j,i)").steps() == "$1 = copy of Y\n\nY in f64:\n  for i, j: Y(i,j) = $1(j,i)\n");
  CHECK(check("y(i) = y(i) + x(i)*y(i)").steps() == "$2 = copy of y\n"
                                                    "\n"
                                                    "y in f64:\n"
                                                    "  for i: y(i) = $2(i)\n"
                                                    "  for i: y(i) += x(i)*$2(i)\n");
  CHECK(check("y(i) = a(i) + b(i) + y(i)", {}, true).kernel->steps.size() == 2);
  CHECK(check("y(i) = y(i)/sum(j, y(j))").steps() == "$1 in f64, zeroed first:\n"
                                                     "  for j+: $1 += y(j)\n"
                                                     "\n"
                                                     "y in f64:\n"
                                                     "  for i: y(i) = y(i)/$1\n");
  CHECK(check("s = s*x(i)").steps().starts_with("$2 = copy of s\n"));
}

TEST_CASE("a sparse target that keeps its own pattern is scaled in place, and read in no other way") {
  Checked scaled = check("S(i,j) = 2*S(i,j)*x(i)", {"S=csr"});
  CHECK(scaled.steps() == "S in f64:\n  for i, j: S(i,j) = 2*S(i,j)*x(i)\n");
  CHECK(scaled.tensor("S").structure == Structure(Own{}));
  CHECK(scaled.tensor("S").isRead);
  CHECK(check("S(i,j) += 2*S(i,j)", {"S=csr"}).steps() == "S in f64:\n  for i, j: S(i,j) += 2*S(i,j)\n");
  CHECK(check("S(i,j) = 2*S(i,j) + 3*S(i,j)*x(i)", {"S=csr"}).errors() == "self-reference");
  CHECK(check("S(i,j) = S(i,j)*A(i,k)*B(j,k)", {"S=csr"}).errors() == "self-reference");
}

} // namespace
} // namespace spc::sema::test
