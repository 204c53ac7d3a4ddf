// One call of a compiled kernel on tensors given by their arrays, as a C program has them: unsorted, with repeats,
// wider than memory. The packer, which sorts and adds up, takes no part in it.
#pragma once

#include "../include/spc/plan.h"
#include "../include/spc/spc.h"
#include "abi/signature.h"
#include "harness/kernel_under_test.h"
#include "harness/pattern_evaluator.h"
#include "harness/test_context.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace spc::testing {

/// One stored entry; `value` is best a small integer, so that sums are exact in any order.
struct StoredEntry {
  std::vector<int64_t> at;
  double value;
};

/// What a call is given: the entries of a sparse tensor, or all elements of a dense one.
struct GivenTensor {
  std::vector<int64_t> shape;
  std::vector<StoredEntry> entries;
  std::vector<double> values;
  bool isSparse = false;
};

GivenTensor givenEntries(std::vector<int64_t> shape, std::vector<StoredEntry> entries);
GivenTensor givenVector(std::vector<double> values);

/// What the dense tensor y holds after one call, which has to succeed. Tensors have the types of `spec`, scalars f64.
std::vector<double> resultOf(const KernelSpec &spec, const std::map<std::string, GivenTensor> &given);

class HandMadeCall {
public:
  /// Compiles; a spec that gives no kernel fails the test. `chunks`: how context() runs them.
  explicit HandMadeCall(const KernelSpec &spec, Chunks chunks = Chunks::Serial);
  ~HandMadeCall();

  const KernelUnderTest &compiled() const { return compiled_; }

  /// A sparse operand whose levels are dense, compressed or singletons and store whole dimensions (CSR, CSC,
  /// DCSR, COO, sparse vectors), with its entries just as listed. Entries of one parent must be neighbours. check() is
  /// for entries of f64.
  void passEntries(const std::string &tensor, std::vector<int64_t> shape, const std::vector<StoredEntry> &entries);

  /// A dense tensor of f64, row-major; a scalar where `shape` is empty.
  void passDense(const std::string &tensor, std::vector<int64_t> shape, std::vector<double> values);

  /// A contiguous dense tensor in someone else's memory, of any type.
  void passMemory(const std::string &tensor, const std::vector<int64_t> &shape, void *values);

  /// A sparse output that shares a pattern: no structure, and room for that many values, which are NaN.
  void passOutput(const std::string &tensor, int64_t values);

  /// A sparse output whose arrays the call makes, in this object's memory: pass context().
  void passAssembled(const std::string &tensor, const std::vector<int64_t> &shape);

  /// The hooks that assembled outputs need.
  spc_context *context() { return context_.get(); }
  /// The memory behind them.
  TestContext &memory() { return context_; }

  /// What an assembled output holds, in storage order. Requires: a successful call.
  tensor::Coordinates assembled(const std::string &tensor) const;

  /// Calls the kernel; nullptr is the context whose hooks are all absent.
  int32_t call(spc_context *context = nullptr);

  /// Calls one of its phases with context(), "_symbolic" or "_numeric"; `plan` may be null.
  int32_t callPhase(const std::string &phase, spc_plan *plan);

  /// Frees what assembled outputs hold.
  void releaseAssembled();

  /// What the values array of a tensor holds.
  const std::vector<double> &values(const std::string &tensor) const;

  /// Calls the kernel and compares dense and assembled outputs with the evaluators, which get the sum of repeated
  /// entries. The memory must be what the outputs have, which is freed.
  /// Returns the empty string or the first difference.
  std::string check();

private:
  struct Argument;
  Argument &argument(const std::string &tensor);
  std::vector<void *> pointers();
  std::string checkAssembled(const TensorMap &expected);

  TestContext context_;
  std::string statements_;
  KernelUnderTest compiled_;
  abi::Signature signature_;
  std::map<std::string, std::unique_ptr<Argument>> arguments_;
};

} // namespace spc::testing
