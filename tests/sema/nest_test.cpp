// What is known of the loops of terms, and of how many entries operands let a statement collect.
#include "sema/check.h"
#include "sema/collected_entries.h"
#include "sema/nest.h"

#include <catch2/catch.hpp>

using namespace spc;
using namespace spc::sema::test;

namespace {

std::string nameOf(const Checked &checked, const sema::Term &term, sema::OperandId operand) {
  return checked.kernel->tensors[term.operands[operand].tensor].name;
}

/// The loops of a term: "i row divided, k A, j B".
std::string nest(const Checked &checked, size_t number = 0, size_t step = 0) {
  const sema::Statement &statement = checked.statement(step);
  const sema::Term &term = statement.terms.at(number);
  std::string text;
  for (const sema::NestLoop &loop :
       sema::nestOf(*checked.kernel, statement, term, sema::divisionOf(*checked.kernel, statement))) {
    text += (text.empty() ? "" : ", ") + term.loops[loop.loop].variable;
    for (const sema::OperandId list : loop.lists)
      text += " " + nameOf(checked, term, list);
    text +=
        std::string(loop.isBeyond ? " beyond" : "") + (loop.isRow ? " row" : "") + (loop.isDivided ? " divided" : "");
  }
  return text;
}

/// The covers of a term: "A*B | C, …".
std::string covers(const Checked &checked) {
  const sema::Term &term = checked.statement().terms.front();
  std::string text;
  for (const std::vector<sema::Cover> &alternatives : sema::coversOf(*checked.kernel, term)) {
    text += text.empty() ? "" : ", ";
    for (size_t k = 0; k < alternatives.size(); ++k)
      for (size_t f = 0; f < alternatives[k].size(); ++f)
        text += (f > 0 ? "*" : k > 0 ? " | " : "") + nameOf(checked, term, alternatives[k][f]);
  }
  return text;
}

} // namespace

TEST_CASE("Loops say which operands list their coordinates, and which of them workers divide") {
  CHECK(nest(check("y(i) = A(i,j)*x(j)", {"A=csr"})) == "i divided, j A");
  CHECK(nest(check("y(i) = A(i,j)*x(j)", {"A=dcsr"})) == "i A divided, j A");
  CHECK(nest(check("y(j) = A(i,j)*x(i)", {"A=csr"})) == "i divided, j A");
  CHECK(nest(check("s = A(i,j)", {"A=dia"})) == "j - i A divided, i");
  CHECK(nest(check("y(i) = A(i,j)*x(j)", {"A=dia"})) == "j - i A, i divided");
  CHECK(nest(check("y(i) = A(i,j)*x(j)", {"A=bsr"})) == "i / 4 divided, j / 8 A, i % 4, j % 8");
}

TEST_CASE("Loops of assembled outputs say what is a row") {
  CHECK(nest(check("C(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csr", "C=csr"})) == "i row divided, k A, j B");
  CHECK(nest(check("C(i,j) = A(i,j) + B(i,j)", {"A=dcsr", "B=dcsr", "C=csr"})) == "i A B row divided, j A B");
  CHECK(nest(check("z(i) = x(i) + y(i)", {"x=vector", "y=vector", "z=vector"})) == "i x y");
}

TEST_CASE("A loop that goes on where nothing is listed is beyond the lists") {
  CHECK(nest(check("y(i) = sum(j, max(A(i,j), x(j)))", {"A=csr"})) == "i divided, j A beyond");
}

TEST_CASE("Workers divide no loop of a term that one of them does alone") {
  const Checked checked = check("y(j) = A(i,j)*x(i) + z(j)", {"A=csr"});
  CHECK(nest(checked, 0) + "; " + nest(checked, 1) == "j; i divided, j A");
}

TEST_CASE("Operands cover the loops of a term") {
  CHECK(covers(check("C(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csr", "C=csr"})) == "A*B");
  CHECK(covers(check("C(i,j) = A(i,j) + B(i,j)", {"A=csr", "B=csr", "C=csr"})) == "A, B");
  CHECK(covers(check("C(i,j) = A(i,j)*B(i,j)", {"A=csr", "B=csr", "C=csr"})) == "A | B");
}

TEST_CASE("Products by rows have multiplications to count") {
  const auto product = [](const Checked &checked) {
    const auto found = sema::countedProduct(*checked.kernel, checked.statement());
    if (!found)
      return std::string("none");
    const sema::Term &term = checked.statement().terms.front();
    return nameOf(checked, term, found->first) + nameOf(checked, term, found->second) +
           (found->isByRows ? " by rows" : "") + (found->isAll ? ", all" : "");
  };
  CHECK(product(check("C(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csr", "C=csr"})) == "AB by rows, all");
  CHECK(product(checkWith({"--plan=as-written"}, "C(i,j,l) = A(i,k)*B(k,j)*D(i,l)",
                          {"A=csr", "B=csr", "C=csf", "D=csr"})) == "AB by rows");
  CHECK(product(check("C(i,j) = A(i,j) + B(i,j)", {"A=csr", "B=csr", "C=csr"})) == "none");
}

TEST_CASE("Operands by rows list what rows have") {
  const auto lists = [](const Checked &checked) {
    std::string text;
    for (const sema::OperandId operand : sema::rowLists(*checked.kernel, checked.statement()))
      text += nameOf(checked, checked.statement().terms.front(), operand);
    return text;
  };
  CHECK(lists(check("C(i,j) = A(i,j) + B(i,j)", {"A=csr", "B=csr", "C=csr"})) == "AB");
  CHECK(lists(check("C(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csr", "C=csr"})) == "A");
  CHECK(lists(check("C(i,j) = A(i,k)*B(k,j)", {"A=dcsr", "B=csr", "C=csr"})).empty());
}
