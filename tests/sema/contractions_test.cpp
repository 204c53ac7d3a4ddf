// Products of several factors: which sums are taken first, in parts, and what parts are stored as.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {

TEST_CASE("a sum moves past the factors that lack its index") {
  CHECK(costOf("y(i) = A(i,j)*x(k)", {"A=csr"}) == "k for $3; nnz(A) for y");
  CHECK(costOf("C(i,k) = (A(i,j) - mu(j))*B(j,k)", {"A=csr"}) == "j*k for $4; i*k + nnz(A)*k for C");
  CHECK(costOf("s = x(i)*y(j)*z(k)") == "i for $4; j for $5; k for s");
  CHECK(costOf("y(j) = A(i,j)*A(i,k)*x(k)", {"A=csr"}) == "nnz(A) for $3, y");
  CHECK(costOf("C(i,l) = A(i,j)*X(j,k)*W(k,l)", {"A=csr"}) == "j*k*l for $4; nnz(A)*l for C");
}

TEST_CASE("dense factors are added up apart for a target that lists its entries, too") {
  const std::vector<std::string> bindings{"A=csr", "B=csr", "C=csr"}, one{"A=csr", "C=csr"};
  CHECK(costOf("C(i,j) = A(i,j)*B(i,j)*D(j,k)", bindings) == "j*k for $4; nnz(A) for C");
  CHECK(costOf("C(i,j) = A(i,j)*B(i,j)*sum(k, x(k))", bindings) == "k for $4; nnz(A) for C");
  CHECK(costOf("C(i,j) = A(i,j)*where(c > 0, sum(k, x(k)))", one) == "i for $4; k for $5; nnz($4)*nnz(A)/i for C");
}

TEST_CASE("products stay one nest where parts would save nothing") {
  CHECK(costOf("y(i) = A(i,j)*x(j)", {"A=csr"}) == "nnz(A) for y");
  CHECK(costOf("D(i,j) = S(i,j)*P(i,k)*Q(j,k)", {"S=csr"}) == "nnz(S)*k for D");
  CHECK(costOf("M(i,r) = B(i,j,k)*C(j,r)*D(k,r)", {"B=csf"}) == "nnz(B)*r for M");
  CHECK(costOf("s = x(i)*A(i,j)*y(j)", {"A=csr"}) == "nnz(A) for s");
  CHECK(costOf("t = A(i,j)*A(j,k)*A(i,k)", {"A=csr"}) == "nnz(A)*nnz(A)/i for t");
}

TEST_CASE("parts are stored as what reads them comes to them") {
  CHECK(checkUsual("Y(i,g) = A(i,j)*X(j,f)*W(f,h)*V(h,g)", {"A=csr"}).steps() ==
        "$5 in f64, zeroed first:\n"
        "  for j, f+, h: $5(j,h) += X(j,f)*W(f,h)\n"
        "\n"
        "$6 in f64, zeroed first:\n"
        "  for j, h+, g: $6(j,g) += V(h,g)*$5(j,h)\n"
        "\n"
        "Y in f64, zeroed first:\n"
        "  for i, j+, g: Y(i,g) += A(i,j)*$6(j,g)\n");
}

TEST_CASE("parts of dense factors are stored so that their own products run along rows") {
  CHECK(checkUsual("s = A(a,b)*B(b,c)*C(c,d)*D(d,a)").steps() == "$5 in f64, zeroed first:\n"
                                                                 "  for d, a+, b: $5(d,b) += A(a,b)*D(d,a)\n"
                                                                 "\n"
                                                                 "$6 in f64, zeroed first:\n"
                                                                 "  for d, b+, c: $6(d,c) += B(b,c)*$5(d,b)\n"
                                                                 "\n"
                                                                 "s in f64, zeroed first:\n"
                                                                 "  for c+, d+: s += C(c,d)*$6(d,c)\n");
  CHECK(checkUsual("S(p,q,r) = T(i,j,k)*A(i,p)*B(j,q)*C(k,r)", {"T=csf"}).loops(0, 0) == "i,j,k,q,r");
}

TEST_CASE("three dense factors become a product of matrices and what is left") {
  CHECK(costOf("s = A(a,b)*B(b,c)*C(c,a)") == "c*a*b for $4; b*c for s");
}

TEST_CASE("arrays of many dimensions are no parts but where a dense operand or the result has as many") {
  CHECK(checkUsual("S(p,q,r) = T(i,j,k)*A(i,p)*B(j,q)*C(k,r)", {"T=csf"}).kernel->steps.size() == 3);
  CHECK(checkUsual("R(a,e) = A(a,b)*B(b,c,d)*C(c,e,f)*D(d,g)*E(f,g)").kernel->steps.size() == 4);
  CHECK(costOf("Y(i,r,s) = T(i,j,k)*B(j,r)*C(k,s)", {"T=csf"}) == "nnz(T)*r*s for Y");
  CHECK(check("y(i) = X(i,j,k)*W(k,l)*V(l,j)").kernel->steps.size() == 2);
}

TEST_CASE("a part's missing entries meet no infinity") {
  CHECK(checkUsual("y(i) = A(i,j)*B(j,k)*x(k)", {"A=csr", "B=csr"}).steps() ==
        "$6 in f64, zeroed first:\n"
        "  for j, k+: $6(j) += B(j,k)*x(k)\n"
        "\n"
        "$5 in bool, zeroed first:\n"
        "  for j, k+: $5(j) += pattern(B(j,k)), where B\n"
        "\n"
        "$6 in f64:\n"
        "  for j: $6(j) = select($5(j), $6(j), -0)\n"
        "\n"
        "y in f64, zeroed first:\n"
        "  for i, j+: y(i) += select(pattern($6(j)), A(i,j), 0)*$6(j), where A\n");
  // Whether there are any depends on the indices of sparse operands alone.
  CHECK(checkUsual("C(i,l) = A(i,j)*B(j,k)*D(k,l)", {"A=csr", "B=csr"}).tensor("$5").order() == 1);
}

TEST_CASE("nothing is asked where what a part is multiplied by is finite, or has entries where the part has") {
  const std::string integers = "tensor A(m,n): i64, sparse\ntensor B(n,k): i64, sparse\ntensor x(k): i64\n";
  CHECK(checkUsual(integers + "y(i) = A(i,j)*B(j,k)*x(k)", {"A=csr", "B=csr"}).kernel->steps.size() == 2);
  CHECK(checkUsual("y(i) = pattern(A(i,j))*B(j,k)*x(k)", {"A=csr", "B=csr"}).kernel->steps.size() == 2);
  CHECK(checkUsual("y(j) = A(i,j)*A(i,k)*x(k)", {"A=csr"}).kernel->steps.size() == 2);
  CHECK(checkUsual("y(i) = A(i,j)*B(j,k)*x(k)", {"A=csr"}).kernel->steps.size() == 2);
}

TEST_CASE("parts of sparse factors list their entries where that is less") {
  const Checked chain = check("C(i,l) = A(i,j)*B(j,k)*D(k,l)", {"A=csr", "B=csr", "C=csr", "D=csr"});
  CHECK(chain.tensor("$4").isAssembled());
  CHECK(chain.tensor("$4").format.name == "csr");
  CHECK(check("C(i,l) = A(i,j)*B(j,k)*D(k,l)", {"A=dcsr", "B=csr", "C=dcsr", "D=csr"}).tensor("$4").format.name ==
        "dcsr");
}

TEST_CASE("parts of targets that list their entries are listed, and numbers say whether there are any") {
  const std::vector<std::string> bindings{"A=csr", "B=csr", "C=csr", "D=csr"};
  CHECK(costOf("C(i,k) = A(l,i)*B(k,i)", {"A=csr", "B=csr", "C=csr"}) == "nnz(A) for $3; nnz($3)*nnz(B)/i for C");
  CHECK(costOf("C(i,j) = A(i,j)*D(j,i)*sum(k, B(i,k))", bindings) == "nnz(B) for $4; nnz($4)*nnz(A)/i for C");
  // A vector of columns is an array, beside which the entries of A that it keeps are listed, where others have as much.
  CHECK(costOf("C(i,k) = A(i,k)*B(l,k)", {"A=csr", "B=csr", "C=csr"}) ==
        "nnz(B) for $5, $4; k for $5; nnz(A) for $6; nnz($6) for C");
  CHECK(costOf("C(i,k) = A(i,k)*B(l,k)", {"A=dcsr", "B=dcsr", "C=dcsr"}) == "nnz(A)*nnz(B)/k for C");
  // So are the places of a condition, along the entries that it is asked of, but rows by themselves.
  CHECK(costOf("C(i,j) = where(x(j) > 0, A(i,j))", {"A=csr", "C=csr"}) == "nnz(A) for $3; nnz($3) for C");
  CHECK(costOf("C(i,j) = where(x(i) > 0, A(i,j))", {"A=csr", "C=csr"}) == "i for $3; nnz($3)*nnz(A)/i for C");
  for (const char *text : {"C(i,j) = A(i,j)*D(i,j)*B(k,l)", "C(i,j) = A(i,j)*D(i,j)*sum(k, sum(l, B(k,l)))"})
    CHECK(costOf(text, bindings) == "nnz(B) for $4; k for $5; i for $6; nnz($6)*nnz(A)/i for C");
}

TEST_CASE("parts that differ by names alone are computed once") {
  CHECK(costOf("C(i,l) = A(i,j)*x(j)*A(l,m)*x(m)", {"A=csr"}) == "nnz(A) for $5; i for $4, $5; i*i for C");
}

TEST_CASE("equal sums under two sums over one name are computed once") {
  CHECK(costOf("O(i,f) = sum(j, S(i,j)*exp(sum(k, Q(i,k)*K(j,k)))*V(j,f)) / sum(l, S(i,l)*exp(sum(m, Q(i,m)*K(l,m))))",
               {"S=csr"}) == "nnz(S)*k for $6; nnz(S) for $5, $7; nnz(S)*f for O");
}

TEST_CASE("a temporary's own sums are computed where its readers want them") {
  const std::vector<std::string> loss = {"let L(i,j) = sum(r, A(i,r)*B(j,r))", "let L(i,j) = A(i,r)*B(j,r)"};
  for (const std::string &let : loss)
    CHECK(costOf(let + "\nl = sum(i,j, T(i,j)*(1 - L(i,j)))", {"T=csr"}) == "nnz(T)*r for L; nnz(T) for l");
  CHECK(costOf("let L(i,j) = 2 + sum(r, A(i,r)*B(j,r))\nl = sum(i,j, T(i,j)*(1 - L(i,j)))", {"T=csr"}) ==
        "nnz(T)*r for $5; nnz(T) for L, l");
}

TEST_CASE("what makes a factor or a condition 0 says where a sum beside it is wanted") {
  const std::string sum = "sum(k, P(i,k)*Q(j,k))";
  for (const std::string &factor : std::vector<std::string>{
           "min(1, S(i,j))*exp(" + sum + ")", "min(1, pow(S(i,j)/100, 0.75))*pow(" + sum + " - log(S(i,j)), 2)",
           "sqrt(S(i,j))*b(j)*exp(" + sum + ")", "(S(i,j) != 0)*exp(" + sum + ")",
           "select(S(i,j) > 0.5, exp(" + sum + "), 0)", "select(pattern(S(i,j)), exp(" + sum + "), 0)",
           "select(S(i,j) == 0, 0, exp(" + sum + "))", "where(abs(S(i,j)) > 0.5, b(j)*exp(" + sum + "))",
           "select(S(i,j) > " + sum + ", S(i,j), 0)", "where(S(i,j) > " + sum + ", S(i,j))",
           "i64(pattern(S(i,j)) and " + sum + " > 1)", "i64(not (S(i,j) == 0 or " + sum + " > 1))"}) {
    INFO(factor);
    CHECK(costOf("l = sum(i,j, " + factor + ")", {"S=csr"}).find("i*j") == std::string::npos);
  }
  // What is not 0 where S has no entry is wanted everywhere.
  for (const std::string &factor : std::vector<std::string>{
           "(S(i,j) + 1)*exp(" + sum + ")", "cos(S(i,j))*exp(" + sum + ")", "select(S(i,j) > 0.5, 1, exp(" + sum + "))",
           "select(S(i,j) == 0, exp(" + sum + "), 0)", "select(S(i,j) > " + sum + ", S(i,j), 1)",
           "i64(S(i,j) > 0 or " + sum + " > 1)", "select(S(i,j) > 0.5 or b(j) > 1, exp(" + sum + "), 0)"}) {
    INFO(factor);
    CHECK(costOf("l = sum(i,j, " + factor + ")", {"S=csr"}).find("i*j*k") != std::string::npos);
  }
}

TEST_CASE("what is computed everywhere and wanted where sparse operands have entries is warned of") {
  const std::vector<std::string> both = {"S=csr", "R=csr"};
  for (const std::string text : {"l = sum(i,j, (S(i,j) + R(i,j))*log(sum(k, P(i,k)*Q(j,k))))",
                                 "y(i) = sum(j, S(i,j)*R(i,j)*max(k, P(i,k)*Q(j,k)))",
                                 "let T(i,j) = max(k, P(i,k)*Q(j,k))\nl = S(i,j)*T(i,j)\nm = R(i,j)*T(i,j)",
                                 "let T(i,j) = max(k, P(i,k)*Q(j,k))\nD(i,j) = S(i,j)*R(i,j)*T(i,j)"}) {
    INFO(text);
    CHECK(checkUsual(text, both).count("asymptotic") == 1);
  }
  for (const std::string text :
       {"l = sum(i,j, S(i,j)*R(i,j)*log(sum(k, P(i,k)*Q(j,k))))", "O(i,f) = S(i,j)*R(i,j)*relu(sum(k, X(j,k)*W(k,f)))",
        "let T(i,j) = P(i,k)*Q(j,k)\nl = S(i,j)*T(i,j)\nm = R(i,j)*T(i,j)",
        "let T(i,j) = P(i,k)*Q(j,k)\nl = S(i,j)*R(i,j)*log(T(i,j))\nm = max(i, j, T(i,j))"}) {
    INFO(text);
    CHECK(checkUsual(text, both).count("asymptotic") == 0);
  }
}

TEST_CASE("a mask says where a part, or a function's sum, is wanted") {
  CHECK(costOf("D(i,j) = S(i,j)*P(i,k)*Q(j,k)*U(i,f)*V(j,f)", {"S=csr"}) == "nnz(S)*k for $6; nnz(S)*f for D");
  CHECK(costOf("B(i,j) = S(i,j)*relu(sum(k, P(i,k)*Q(j,k)))", {"S=csr"}) == "nnz(S)*k for $4; nnz(S) for B");
  for (const char *format : {"csc", "coo", "dcsr", "dcsc", "bsr", "ell", "hyb", "dia", "groups", "triangle", "lengths",
                             "ragged", "lower", "upper"}) {
    INFO(format);
    const std::string bound = std::string("S=") + format;
    CHECK(costOf("B(i,j) = S(i,j)*relu(sum(k, P(i,k)*Q(j,k)))", {bound}) == "nnz(S)*k for $4; nnz(S) for B");
    CHECK(costOf("B(i,j) = sqrt(S(i,j))*relu(sum(k, P(i,k)*Q(j,k)))", {bound, "B=dense"}).find("i*j") ==
          std::string::npos);
    CHECK(
        costOf("let T(i,j) = relu(sum(k, P(i,k)*Q(j,k)))\ny(i) = S(i,j)*T(i,j)*x(j)", {bound, "y=dense"}).find("i*j") ==
        std::string::npos);
  }
  CHECK(checkUsual("B(i,j) = B(i,j)*relu(sum(k, P(i,k)*Q(j,k)))", {"B=csr"}).the("densify").message ==
        "a dense temporary holds this for all elements of 'B', which stores some of them");
  CHECK(checkUsual("S(i,j) = U(i,k)*V(k,j)\nD(i,j) = S(i,j)*relu(sum(k, P(i,k)*Q(j,k)))",
                   {"S=csr", "U=csr", "V=csr", "D=csr"})
            .count("densify") == 1);
  // One that two factors need is computed once.
  CHECK(costOf("l = sum(i,j, pattern(R(i,j))*(1 - sum(f,X(i,f)*Y(j,f)))*(1 - sum(f,X(i,f)*Y(j,f))))", {"R=csr"}) ==
        "nnz(R)*f for $4; nnz(R) for l");
  CHECK(costOf("D(i,j) = S(i,j)*sum(h, w(h)*relu(sum(k, Q(i,h,k)*K(j,h,k))))", {"S=csr"}) ==
        "nnz(S)*h*k for $5; nnz(S)*h for D");
}

TEST_CASE("temporaries of sparse terms list their entries for readers that make nothing of missing ones") {
  const std::string laplacian = "let L(i,j) = (i == j)*d(i) - A(i,j)\n";
  for (const char *reader :
       {"y(i) = L(i,j)*x(j)", "y(i,k) = L(i,j)*X(j,k)\nz(i,k) = L(i,j)*y(j,k)", "let y(i) = L(i,j)*x(j)\ns = x(i)*y(i)",
        "y(i) = L(j,i)*x(j)/d(i) + b(i)", "y(i) = sum(j, abs(L(i,j))) + mean(j, L(j,i))", "y(i) = relu(-2*L(i,j))*x(j)",
        "y(i) = L(i+1,j)*x(j)", "y(i) = L(i,2)*d(i)", "y(i) = L(i,i)*d(i)"}) {
    INFO(reader);
    const Checked listed = check(laplacian + reader, {"A=csr"});
    REQUIRE(listed.kernel);
    CHECK(listed.tensor("L").isAssembled());
    CHECK(listed.count("densify") == 0);
  }
  for (const char *reader :
       {"y(i) = exp(L(i,j))*x(j)", "y(i) = x(j)/L(i,j)", "y(i) = max(j, L(i,j))", "y(i) = pattern(L(i,j))*x(j)",
        "y(i) = max(L(i,j), 2)*x(j)", "L(i,j) = L(i,j) + 1\ny(i) = L(i,j)*x(j)"}) {
    INFO(reader);
    const Checked stored = check(laplacian + reader, {"A=csr"});
    REQUIRE(stored.kernel);
    CHECK(stored.tensor("L").format.isDense());
  }
  CHECK(check("let L(i,j) = D(i,j) - A(i,j)\ny(i) = L(i,j)*x(j)", {"A=csr"}).tensor("L").format.isDense());
  CHECK(check("let T(i,j) = x(i,p(i,j))\ny(i,j) = 2*T(i,j)").tensor("T").format.isDense());
  CHECK(check(laplacian + "y(i) = L(i,j)*x(j)", {"A=csr", "L=dense"}).tensor("L").format.isDense());
  // Rows are listed where no operand stores them all.
  for (const char *sum :
       {"let T(i,j) = A(i,j) + B(i,j)\ns = T(i,j)*T(i,j)", "let T(i,j) = A(i,j)*x(j) + B(i,j)\ns = T(i,j)*T(i,j)"}) {
    CHECK_FALSE(check(sum, {"A=coo", "B=dcsr"}).tensor("T").format.levels.front().isDense());
    CHECK(check(sum, {"A=coo", "B=csr"}).tensor("T").format.levels.front().isDense());
  }
  CHECK(costOf("let T(i,k) = A(i,j)*B(j,k)\ny(i) = T(i,k)*x(k)\nz(k) = T(i,k)*w(i)", {"A=csr", "B=csr"}) ==
        "nnz(A)*nnz(B)/j for T; nnz(T) for y, z");
  // An output has no format that the text does not lead to.
  CHECK(check(laplacian + "let y(i) = L(i,j)*x(j)\nC(i,j) = L(i,j)*y(i)", {"A=csr"}).tensor("C").format.isDense());
}

TEST_CASE("a temporary whose type is declared lists its entries as any other") {
  const std::string text = "let L(i,j) = d(i)*(i == j) - d(i)*(i == j + 1)\ny(i) = L(i,j)*x(j)";
  CHECK(costOf("tensor L(n,n): f64\ntensor d(n)\ntensor x(n)\ntensor y(n)\n" + text) == "n for L; nnz(L) for y");
  CHECK(costOf(text) == "i for L; nnz(L) for y");
}

TEST_CASE("temporaries keep the pattern of a factor that lacks some of their dimensions") {
  for (const char *indices : {"i,j,h", "i,h,j", "h,i,j"}) {
    const std::string e = "E(" + std::string(indices) + ")";
    const Checked heads =
        check("let " + e + " = pattern(S(i,j))*Q(i,h,k)*K(j,h,k)\nz(i,h) = exp(" + e + ")*" + e, {"S=csr"});
    INFO(heads.errors());
    REQUIRE(heads.kernel);
    const Tensor &scores = heads.tensor("E");
    REQUIRE(scores.shared());
    REQUIRE(scores.format.levels.size() == 3);
    CHECK(scores.format.levels[1].storage == format::Storage::Compressed);
    CHECK(scores.format.levels[2].isFullyDense());
    CHECK(costOf("let " + e + " = pattern(S(i,j))*Q(i,h,k)*K(j,h,k)\nz(i,h) = exp(" + e + ")*" + e, {"S=csr"}) ==
          "nnz(S)*h*k for E; nnz(S)*h for z");
  }
  CHECK(check("let E(i,j,h) = S(i,j)*a(h)\ny(i) = E(i,j,h)", {"S=bsr"}).kernel);
  CHECK_FALSE(check("E(i,j,h) = S(i,j)*a(h)", {"S=csr"}).tensor("E").shared());
}

TEST_CASE("dense temporaries are computed where all that read them want them") {
  const std::string scores = "let E(i,j,h) = Q(i,h,k)*K(j,h,k)\nlet m(i,h) = max(j, select(pattern(S(i,j)), E(i,j,h), "
                             "-inf))\n";
  const Checked heads = check(scores + "z(i,h) = pattern(S(i,j))*exp(E(i,j,h) - m(i,h))", {"S=csr"});
  REQUIRE(heads.tensor("E").shared());
  CHECK(heads.tensor("E").as<Temporary>()->isRestricted);
  CHECK(check(scores + "Z(i,j,h) = exp(E(i,j,h) - m(i,h))", {"S=csr"}).tensor("E").format.isDense());
}

TEST_CASE("temporaries that take an operand's pattern say where others are wanted") {
  const std::string scores = "let Z(i,j) = a(i) + b(j)\nlet E(i,j) = pattern(A(i,j))*exp(Z(i,j))\n"
                             "let D(i) = sum(j, E(i,j))\nlet P(i,j) = E(i,j)/D(i)\n";
  const std::string slopes = "let dZ(i,j) = P(i,j)*C(i,j)*select(Z(i,j) > 0, 1, 0.2)\nd(j) = dZ(i,j) + P(i,j)";
  const Checked back = check(scores + slopes, {"A=csr"});
  REQUIRE(back.tensor("Z").shared());
  CHECK(back.tensor("Z").as<Temporary>()->isRestricted);
  CHECK(costOf(scores + slopes, {"A=csr"}) == "nnz(A) for Z, E, D, P, d");
  for (const std::string mask : {"(i < j)", "select(i < j, 1, 0)", "exp(-abs(f64(i) - f64(j)))"})
    CHECK(check("let Z(i,j) = " + mask + "\ny(i) = A(i,j)*Z(i,j)*x(j)", {"A=csr"}).tensor("Z").shared());
  // Nothing says so where a reader wants all of it, an entry at another place, or what a caller stores otherwise.
  CHECK(check(scores + "d(i) = P(i,j)*Z(j,i)", {"A=csr"}).tensor("Z").format.isDense());
  CHECK(check(scores + "d(i) = max(j, P(i,j)) + sum(j, Z(i,j))", {"A=csr"}).tensor("Z").format.isDense());
  CHECK(check(scores + slopes, {"A=csr", "P=dense"}).tensor("Z").format.isDense());
}

TEST_CASE("identities and diagonals that have names take steps by entries") {
  for (const std::string equal : {"(i == j)", "select(i == j, 1, 0)", "select(i != j, 0, 1)", "select(j == i, 1, 0)"}) {
    const std::string identity = "let I(i,j) = " + equal + "\n";
    CHECK(costOf(identity + "let T(i,j) = A(i,j) + I(i,j)\nY(i,k) = T(i,j)*X(j,k)", {"A=csr"}) ==
          "i for I; nnz(A) + i for T; nnz(T)*k for Y");
  }
  for (const std::string scale : {"select(i == j, d(i), 0)", "select(i != j, 0, d(j))", "d(i)*(i == j)"})
    CHECK(costOf("let D(i,j) = " + scale + "\nlet L(i,j) = D(i,j) - A(i,j)\ny(i) = L(i,j)*x(j)", {"A=csr"}) ==
          "i for D; i + nnz(A) for L; nnz(L) for y");
  const std::string walk = "let P(i,j) = A(i,j)/d(i)\nlet K(i,j) = 0.15*select(i == j, 1, 0) + 0.5*P(i,j)\n";
  CHECK(check(walk + "Y(i,f) = K(i,j)*X(j,f)", {"A=csr"}).tensor("K").isAssembled());
  CHECK(check("D(i,j) = select(i == j, d(i), 0)", {}).tensor("D").format.isDense());
  CHECK(check("let D(i,j) = select(i == j, d(i), 0) + C(i,j)\ny(i) = D(i,j)*x(j)", {}).tensor("D").format.isDense());
}

TEST_CASE("products of sparse operands that have names are listed, or wanted at entries, whichever index they share") {
  const std::string read = "\ny(i) = S(i,j)*C(i,j)/z(i)\nw(i) = C(i,j)*x(j)";
  for (const std::string product : {"A(i,k)*B(k,j)", "A(i,k)*B(j,k)", "A(k,i)*B(k,j)", "A(k,i)*B(j,k)"}) {
    const Checked listed = check("let C(i,j) = " + product + read, {"A=csr", "B=csr", "S=csr"});
    CHECK(listed.tensor("C").isAssembled());
    const Checked sampled =
        check("let C(i,j) = " + product + "\nD(i,j) = S(i,j)*exp(C(i,j))", {"A=csr", "B=csr", "S=csr"});
    CHECK(sampled.tensor("C").shared());
    CHECK(check("let C(i,j) = " + product + "\nD(i,j) = S(i,j) + exp(C(i,j))", {"A=csr", "B=csr", "S=csr"})
              .tensor("C")
              .format.isDense());
  }
}

TEST_CASE("sums over what is left of a pattern are dense by nature, as vectors are") {
  const std::string heads = "let E(i,j,h) = S(i,j)*a(i,h)\n";
  CHECK(check(heads + "let z(i,h) = E(i,j,h)\ny(i) = z(i,h)", {"S=csr"}).count("densify") == 0);
  CHECK(check(heads + "let z(i,j) = E(i,j,h)*E(j,i,h)\ny(i) = exp(z(i,j))*E(i,j,h)", {"S=csr"}).count("densify") == 1);
}

TEST_CASE("a temporary that is a sum of products is a factor as any other") {
  const std::vector<std::string> sparse = {"A=csr", "B=csr", "y=dense"};
  for (const char *text : {"y(l) = B(i,k)*A(k,l)", "let T(l,i) = B(i,k)*A(k,l)\ny(l) = T(l,i)",
                           "let T(l,i) = sum(k, B(i,k)*A(k,l))\ny(l) = sum(i, T(l,i))",
                           "let U(l,i,k) = B(i,k)*A(k,l)\nlet T(l,i) = U(l,i,k)\ny(l) = T(l,i)"})
    CHECK(costOf(text, sparse).find("nnz(B) for $") == 0);
  CHECK(costOf("let T(i,k) = A(i,j)*B(j,k)\ny(i) = T(i,k)*x(k)", sparse) ==
        "nnz(B) for $7; j for $6, $7; nnz(A) for y");
  // It lists what the product has, not all elements of an array.
  const std::vector<std::string> listed = {"A=csr", "B=csr", "C=csr"}, one{"A=csr", "C=csr"};
  const Checked product = check("let T(i,k) = A(i,j)*B(j,k)\nC(i,k) = 2*T(i,k)", listed);
  CHECK(product.tensor("T").is<Fused>());
  CHECK(product.count("densify") == 0);
  // A format of its own, another reader, a function and what changes its operands keep it.
  CHECK_FALSE(check("let T(i,k) = A(i,j)*B(j,k)\ny(i) = T(i,k)*x(k)", {"A=csr", "T=csr"}).tensor("T").is<Fused>());
  CHECK_FALSE(check("let T(i,k) = A(i,j)*B(j,k)\ny(i) = T(i,k)*x(k)\nz(k) = T(i,k)").tensor("T").is<Fused>());
  CHECK_FALSE(check("let T(i,k) = A(i,j)*B(j,k)\ny(i) = exp(T(i,k))*x(k)").tensor("T").is<Fused>());
  CHECK_FALSE(
      check("let T(i,k) = A(i,j)*B(j,k)\nx(k) = z(k)\nB(j,k) = D(j,k)\ny(i) = T(i,k)*x(k)").tensor("T").is<Fused>());
  CHECK_FALSE(check("let T(i,k) = A(i,j)*B(j,k)\ny(i) = T(i,k)*x(k)", {}, /*strict=*/true).tensor("T").is<Fused>());
}

TEST_CASE("a temporary is kept where the order of sums is the text's") {
  const std::vector<std::string> sparse = {"A=csr", "B=csr", "S=csr"};
  const std::string product = "let T(i,k) = A(i,j)*B(j,k)\nw(i) = S(i,k)\n";
  for (const char *reader : {"y(i) = T(i,k)*x(k)*k", "y(i) = T(i,k)*x(k)/S(i,k)", "y(i) = T(i,k)*x(k)/S(i,k) + z(i)",
                             "y(i) = x(k)/T(i,k)", "C(i,k) = T(i,k)/x(k)", "C(i,k) = T(i,k)/x(k) + S(i,k)",
                             "let E(i,k) = T(i,k)/x(k)\ny(i) = E(i,0)\nz(i) = E(i,k)*x(k)"})
    CHECK_FALSE(check(product + reader, sparse).tensor("T").is<Fused>());
  for (const char *divided :
       {"T(i,k)/x(k)", "T(i,k)*x(k)/z(i)", "sum(k, T(i,k)*x(k))/z(i)", "T(i,k)/z(i)*x(k) - z(i)"}) {
    const Checked whole = checkUsual(product + "y(i) = " + divided, sparse);
    CHECK(whole.tensor("T").is<Fused>());
    CHECK(whole.cost().find("nnz(B) for $") != std::string::npos);
  }
  CHECK(check("let T(i,k) = A(i,j)*B(j,k)\nlet P(i,k) = T(i,k)/z(i)\ny(i) = P(i,k)*x(k)", {"A=csr", "B=csr"})
            .tensor("T")
            .is<Fused>());
  // More sums than sets of which can be tried: some are taken as the text has them.
  std::string chain = "let T1(a,c) = M1(a,b)*M2(b,c)\n";
  for (int k = 2; k < 14; ++k) {
    const std::string from(1, static_cast<char>('a' + k)), to(1, static_cast<char>('b' + k));
    chain += "let T" + std::to_string(k) + "(a," + to + ") = T" + std::to_string(k - 1) + "(a," + from + ")*M" +
             std::to_string(k + 1) + "(" + from + "," + to + ")\n";
  }
  const Checked checked = check(chain + "y(a) = T13(a,o)*x(o)");
  REQUIRE(checked.kernel);
  CHECK(checked.tensor("T2").is<Fused>());
  for (const Step &step : checked.kernel->steps)
    if (const auto *statement = std::get_if<Statement>(&step))
      for (const Term &term : statement->terms)
        CHECK(term.loops.size() <= 3);
}

TEST_CASE("sums within a product are taken in the order that costs least") {
  const std::string factors = "(C(i,j) + D(i,j))";
  CHECK(costOf("y(k,i) = sum(l, A(k,l)*B(j,l))*d(j)*" + factors, {"A=csr", "B=csr", "C=coo"}) ==
        costOf("y(k,i) = A(k,l)*B(j,l)*d(j)*" + factors, {"A=csr", "B=csr", "C=coo"}));
}

TEST_CASE("equal sums in a product are 0 together") {
  const Checked variance = check("v(j) = mean(i, A(i,j)*A(i,j)) - mean(i, A(i,j))*mean(i, A(i,j))", {"A=csr"});
  CHECK(variance.kernel->steps.size() == 3);
  // A and B have as many rows as they have: each mean has a count of its own.
  CHECK(checkUsual("v(j) = mean(i, A(i,j))*mean(i, B(i,j))", {"A=csr", "B=csr"}).kernel->steps.size() == 7);
}

TEST_CASE("sums stay where the text has them when that is asked for, or all rounding is kept") {
  const std::string text = "y(i) = A(i,j)*B(j,k)*x(k)";
  CHECK(checkWith({"--plan=as-written"}, text, {"A=csr", "B=csr"}).kernel->steps.size() == 1);
  CHECK(check(text, {"A=csr", "B=csr"}, true).kernel->steps.size() == 1);
}

} // namespace spc::sema::test
