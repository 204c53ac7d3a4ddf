// What is broken in a planned kernel is found and named. Every other test of kernels runs with verification: what the
// planner gives holds.
#include "sema/check.h"
#include "sema/verify.h"

#include <catch2/catch.hpp>

#include <functional>

namespace spc::sema::test {
namespace {

/// What is said of a kernel that holds until `damage` is done to it.
std::string brokenBy(const std::function<void(Kernel &)> &damage, const std::string &text,
                     const std::vector<std::string> &bindings) {
  INFO(text);
  Checked checked = check(text, bindings);
  REQUIRE(checked.kernel);
  CHECK_FALSE(brokenInvariant(*checked.kernel));
  damage(*checked.kernel);
  return brokenInvariant(*checked.kernel).value_or("");
}

Tensor &tensorNamed(Kernel &kernel, const std::string &name) {
  const auto isNamed = [&](const Tensor &tensor) { return tensor.name == name; };
  return *std::find_if(kernel.tensors.begin(), kernel.tensors.end(), isNamed);
}

Statement &statement(Kernel &kernel, size_t step = 0) {
  return std::get<Statement>(kernel.steps.at(step));
}

Term &term(Kernel &kernel) {
  return statement(kernel).terms.front();
}

std::string brokenSpmv(const std::function<void(Kernel &)> &damage) {
  return brokenBy(damage, "y(i) = A(i,j) * x(j)\n", {"A=csr"});
}

std::string brokenSum(const std::function<void(Kernel &)> &damage) {
  return brokenBy(damage, "C(i,j) = A(i,j) + B(i,j)\n", {"A=csr", "B=csr", "C=csr"});
}

TEST_CASE("verify names broken tensors") {
  CHECK(brokenSpmv([](Kernel &kernel) { tensorNamed(kernel, "x").name = "A"; }) == "two tensors have one name");
  CHECK(brokenSpmv([](Kernel &kernel) { kernel.extents.back().name = kernel.extents.front().name; }) ==
        "two extents have one name");
  CHECK(brokenSpmv([](Kernel &kernel) { kernel.function.clear(); }) == "the function has no name");
  CHECK(brokenSpmv([](Kernel &kernel) { kernel.parameters.emplace_back(size_t(9)); }) ==
        "a parameter is none of the tensors that are passed");
  CHECK(brokenSpmv([](Kernel &kernel) { kernel.parameters.pop_back(); }) ==
        "tensor 'y': is a parameter that is not passed exactly once");
  CHECK(brokenSpmv([](Kernel &kernel) { kernel.leastExtents.push_back({ExtentId(9), 1}); }) ==
        "a least size is that of no extent");
  CHECK(brokenSpmv([](Kernel &kernel) { tensorNamed(kernel, "A").extents.pop_back(); }) ==
        "tensor 'A': has more or fewer extents than dimensions");
  CHECK(brokenSpmv([](Kernel &kernel) { tensorNamed(kernel, "A").extents.back() = ExtentId(9); }) ==
        "tensor 'A': has an extent that is none of the kernel's");
  CHECK(brokenSpmv([](Kernel &kernel) {
          tensorNamed(kernel, "A").format.levels.back().part = format::Part::Quotient;
        }) == "tensor 'A': has a level of blocks of no size");
  CHECK(brokenSpmv([](Kernel &kernel) { tensorNamed(kernel, "A").format.symmetry = format::Symmetry::Lower; }) ==
        "tensor 'A': is symmetric, and no square matrix");
}

TEST_CASE("verify names broken roles and structures") {
  CHECK(brokenSum([](Kernel &kernel) { tensorNamed(kernel, "A").structure = Assembled{}; }) ==
        "tensor 'A': is assembled, and no sparse output");
  CHECK(brokenSum([](Kernel &kernel) { tensorNamed(kernel, "C").structure = SharedWith{TensorId(9)}; }) ==
        "tensor 'C': shares the structure of no tensor");
  const auto shareWithItself = [](Kernel &kernel) {
    for (TensorId id : kernel.tensors.ids())
      if (kernel.tensors[id].name == "C")
        kernel.tensors[id].structure = SharedWith{id};
  };
  CHECK(brokenSum(shareWithItself) == "tensor 'C': has a structure that nothing owns");
  CHECK(brokenSpmv([](Kernel &kernel) {
          tensorNamed(kernel, "A").role = Converted{TensorId(9)};
          kernel.parameters.erase(kernel.parameters.begin());
        }) == "tensor 'A': is a copy of no tensor");
  CHECK(brokenSpmv([](Kernel &kernel) { tensorNamed(kernel, "A").role = Temporary{}; }) ==
        "a parameter is none of the tensors that are passed");
  CHECK(brokenBy([](Kernel &kernel) { tensorNamed(kernel, "D").format.levels.back().extent = format::Extent::Lengths; },
                 "D(i,j) = A(i,j) * x(j)\n", {"A=csr", "D=of:A"}) ==
        "tensor 'D': is declared to have a structure that its format or its shape do not fit");
  const std::string window = "y(i) = x(i + 1)\n";
  const auto viewIn = [](Kernel &kernel) -> View & {
    for (Tensor &tensor : kernel.tensors)
      if (auto *view = std::get_if<View>(&tensor.role))
        return *view;
    throw std::logic_error("no view");
  };
  CHECK_THAT(brokenBy([&](Kernel &kernel) { viewIn(kernel).windows.clear(); }, window, {}),
             Catch::EndsWith("is a view that lacks an index of its source"));
  CHECK_THAT(brokenBy([&](Kernel &kernel) { viewIn(kernel).windows.front().terms.front().dim = 1; }, window, {}),
             Catch::EndsWith("is a view by an index that it lacks"));
}

TEST_CASE("verify names extents that nothing gives") {
  CHECK(brokenSpmv([](Kernel &kernel) { kernel.extents.push_back({"k", {}}); }) == "no parameter gives the extent 'k'");
}

TEST_CASE("verify names indices that MLIR would take for others") {
  const std::string diagonals = "y(i) = A(i,j) * B(j,i)\n";
  const auto swap = [](Kernel &kernel) {
    for (Operand &operand : term(kernel).operands)
      if (kernel.tensors[operand.tensor].name == "B") {
        std::swap(operand.indices[0], operand.indices[1]);
        std::swap(tensorNamed(kernel, "B").extents[0], tensorNamed(kernel, "B").extents[1]);
      }
  };
  CHECK_THAT(brokenBy(swap, diagonals, {"A=dia"}),
             Catch::EndsWith("has a loop by itself before an index that is a sum with it"));
}

TEST_CASE("verify names broken steps") {
  CHECK(brokenSpmv([](Kernel &kernel) { kernel.steps.clear(); }) == "the kernel has no steps");
  CHECK(brokenSpmv([](Kernel &kernel) { statement(kernel).target = TensorId(9); }) ==
        "step 1: has a tensor that is none of the kernel's");
  CHECK(brokenSum([](Kernel &kernel) { statement(kernel).terms.clear(); }) == "step 1: collects entries of no terms");
  CHECK(brokenSpmv([](Kernel &kernel) { tensorNamed(kernel, "y").isWritten = false; }) ==
        "step 1: has a target that is no output");
  CHECK(brokenSum([](Kernel &kernel) { statement(kernel).collecting.reset(); }) ==
        "step 1: collects entries and does not assemble them, or the other way round");
  CHECK(brokenSum([](Kernel &kernel) { statement(kernel).collecting->dims = {0, 0}; }) ==
        "step 1: does not collect each dimension once");
  CHECK(brokenSum([](Kernel &kernel) { statement(kernel).collecting->dims = {1, 0}; }) ==
        "step 1: has a loop of a row that is none of the outermost ones");
  const auto turn = [](Kernel &kernel) {
    statement(kernel).collecting->dims = {1, 0};
    statement(kernel).collecting->rowOrder = 0;
  };
  CHECK(brokenSum(turn) == "step 1: does not come to the target's entries in collecting order");
  CHECK(brokenSum([](Kernel &kernel) { statement(kernel).collecting->rowOrder = 2; }) ==
        "step 1: has rows of all dimensions, or of less than none");
  CHECK(brokenSum([](Kernel &kernel) { statement(kernel).collecting->isWide = true; }) ==
        "step 1: collects what are no half floats in f32");
  CHECK(brokenSpmv([](Kernel &kernel) { statement(kernel).reduction = Reduction::Mean; }) ==
        "step 1: has a reduction that is made of others");
  const std::string transposed = "C(j,i) = A(i,j)\n";
  CHECK(brokenBy([](Kernel &kernel) { std::get<Conversion>(kernel.steps.front()).dims = {0, 1}; }, transposed,
                 {"A=csr", "C=csr"}) == "step 1: takes a dimension to one that is not as long");
  CHECK(brokenBy([](Kernel &kernel) { std::get<Conversion>(kernel.steps.front()).dims = {0, 0}; }, transposed,
                 {"A=csr", "C=csr"}) == "step 1: does not take each dimension to one");
}

TEST_CASE("verify names broken terms") {
  CHECK(brokenSpmv([](Kernel &kernel) { term(kernel).loops.front().extent = ExtentId(9); }) ==
        "step 1, term 1: has a loop over no extent of the kernel");
  CHECK(brokenSpmv([](Kernel &kernel) { term(kernel).target.clear(); }) ==
        "step 1, term 1: has more or fewer indices than its target");
  CHECK(brokenSpmv([](Kernel &kernel) { term(kernel).target.front().terms.front().loop = LoopId(7); }) ==
        "step 1, term 1: has an index by no loop of the term");
  CHECK(brokenSpmv([](Kernel &kernel) { term(kernel).loops.front().isReduction = true; }) ==
        "step 1, term 1: has a reduction that indexes the target");
  CHECK(brokenSpmv([](Kernel &kernel) { term(kernel).loops.back().isReduction = false; }) ==
        "step 1, term 1: has a loop that is no reduction, and does not index the target");
  CHECK(brokenSpmv([](Kernel &kernel) { term(kernel).overwrites = true; }) ==
        "step 1: sets a target to 0 that it overwrites");
  CHECK(brokenSpmv([](Kernel &kernel) { term(kernel).operands.front().tensor = TensorId(9); }) ==
        "step 1, term 1, operand 1: is no tensor of the kernel");
  CHECK(brokenSpmv([](Kernel &kernel) {
          std::swap(term(kernel).operands[OperandId(0)].indices[0], term(kernel).operands[OperandId(0)].indices[1]);
        }) == "step 1, term 1, operand 1, tensor 'A': has a level that is not as long as its loop");
  CHECK(brokenBy(
            [](Kernel &kernel) {
              std::swap(term(kernel).operands[OperandId(0)].indices[0], term(kernel).operands[OperandId(0)].indices[1]);
            },
            "y(i) = A(i,j) * x(j) * x(i)\n",
            {"A=csr"}) == "step 1, term 1, operand 1, tensor 'A': has levels in another order than the loops");
  CHECK(brokenSpmv([](Kernel &kernel) { term(kernel).operands.front().follows = OperandId(1); }) ==
        "step 1, term 1, operand 1, tensor 'A': follows one that follows another, or is read elsewhere");
  CHECK(brokenSpmv([](Kernel &kernel) { term(kernel).operands.push_back(term(kernel).operands.back()); }) ==
        "step 1, term 1, operand 3: is listed twice");
  CHECK(brokenBy([](Kernel &kernel) { tensorNamed(kernel, "A").fill = 1; }, "y(i) = A(i,j) * x(j)\n", {"A=ell"}) ==
        "step 1, term 1, operand 1, tensor 'A': is padded with zeros, and has missing entries that are none");
  CHECK(brokenSpmv([](Kernel &kernel) { term(kernel).scalesRows = true; }) ==
        "step 1, term 1: is scaled behind each row, which one loop around others does not add up");
  CHECK(brokenBy([](Kernel &kernel) { statement(kernel).zeroFirst = false; },
                 "Y(i,k) = d(i) * sum(j, A(i,j) * X(j,k))\n",
                 {"A=csr"}) == "step 1, term 1: is scaled behind each row, with what else is there");
  CHECK(brokenSpmv([](Kernel &kernel) { term(kernel).isMerged = true; }) ==
        "step 1, term 1: is merged, and has no domain");
}

TEST_CASE("verify names broken expressions") {
  const auto product = [](Kernel &kernel) -> Binary & { return std::get<Binary>(term(kernel).expr->node); };
  CHECK(brokenSpmv([&](Kernel &kernel) { product(kernel).left.reset(); }) ==
        "step 1, term 1: lacks a part of its expression");
  CHECK(brokenSpmv([&](Kernel &kernel) { std::get<Use>(product(kernel).left->node).operand = OperandId(2); }) ==
        "step 1, term 1: reads an operand that is none of its own");
  CHECK(brokenSpmv([&](Kernel &kernel) { product(kernel).right->node = Literal{1}; }) ==
        "step 1, term 1: has an operand that it does not read");
  CHECK(brokenSpmv([&](Kernel &kernel) { product(kernel).left->type = ValueType::F32; }) ==
        "step 1, term 1: combines values of another type");
  CHECK(brokenSpmv([&](Kernel &kernel) { product(kernel).op = BinaryOp::Add; }) ==
        "step 1, term 1: has no domain, and adds to a sparse operand what is everywhere");
  CHECK(brokenBy([](Kernel &kernel) { std::get<Binary>(term(kernel).expr->node).op = BinaryOp::Div; },
                 "y(i) = x(j) * A(i,j)\n",
                 {"A=csr"}) == "step 1, term 1: has no domain, and divides by a sparse operand");
  CHECK(brokenBy(
            [](Kernel &kernel) {
              Call call{Function::Exp, {}};
              call.arguments.push_back(std::move(term(kernel).expr));
              term(kernel).expr = std::make_unique<Expr>(Expr{std::move(call), ValueType::F64});
            },
            "y(i) = A(i,j)\n", {"A=csr"}) == "step 1, term 1: has no domain, and a function of a sparse operand");
  CHECK(brokenSpmv([&](Kernel &kernel) { term(kernel).domain = Domain{DomainKind::Stored, OperandId(1), {}}; }) ==
        "step 1, term 1: has a domain of what is no sparse operand");
  CHECK(brokenSpmv([&](Kernel &kernel) { term(kernel).domain = Domain{DomainKind::Any, {}, {}}; }) ==
        "step 1, term 1: has a domain that lacks parts");
}

TEST_CASE("verify names values that are not there") {
  CHECK(brokenSpmv([](Kernel &kernel) { tensorNamed(kernel, "x").isRead = false; }) ==
        "step 1, tensor 'x': is read before it has values");
  CHECK(brokenSpmv([](Kernel &kernel) { statement(kernel).zeroFirst = false; }) ==
        "step 1, tensor 'y': is read before it has values");
  const std::string chain = "t(i) = A(i,j) * x(j)\ny(i) = A(i,j) * t(j)\n";
  CHECK(brokenBy([](Kernel &kernel) { kernel.steps.erase(kernel.steps.begin()); }, chain, {"A=csr"}) ==
        "step 1, tensor 't': is read before it has values");
  CHECK(brokenBy([](Kernel &kernel) { kernel.steps.pop_back(); }, chain, {"A=csr"}) ==
        "tensor 'y': is an output that nothing writes");
  const std::string written = "A(i,j) = 2 * A(i,j)\ny(i) = A(i,j) * A(j,i)\n";
  const auto dropRefreshes = [](Kernel &kernel) {
    CHECK(std::erase_if(kernel.steps, [](const Step &step) { return std::holds_alternative<RefreshCopy>(step); }) > 0);
  };
  CHECK_THAT(brokenBy(dropRefreshes, written, {"A=csr"}),
             Catch::EndsWith("is a copy that is out of date where it is read"));
}

TEST_CASE("a broken plan is an internal error") {
  Checked checked = check("y(i) = A(i,j) * x(j)\n", {"A=csr"});
  Diagnostics diagnostics;
  verifyPlan(*checked.kernel, diagnostics);
  CHECK(diagnostics.all().empty());
  statement(*checked.kernel).zeroFirst = false;
  verifyPlan(*checked.kernel, diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all().front().severity == Severity::Internal);
  CHECK(diagnostics.all().front().message ==
        "the planned kernel is broken: step 1, tensor 'y': is read before it has values");
}

TEST_CASE("verify names broken schedules") {
  CHECK(brokenSpmv([](Kernel &kernel) { kernel.schedule.tile = -1; }) == "the schedule has a negative number");
  CHECK(brokenSpmv([](Kernel &kernel) { kernel.schedule.parallel = "j"; }) ==
        "the schedule wants a loop in chunks that is no term's outermost one");
}

} // namespace
} // namespace spc::sema::test
