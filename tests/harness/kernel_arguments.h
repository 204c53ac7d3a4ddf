// The arguments of one call of a compiled kernel, in the calling convention's order, made from random data.
#pragma once

#include "abi/signature.h"
#include "codegen/jit.h"
#include "harness/dense_evaluator.h"
#include "harness/kernel_spec.h"
#include "harness/pattern_evaluator.h"
#include "harness/test_context.h"
#include "tensor/tensor.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace spc::testing {

class KernelArguments {
public:
  /// `context` must outlive this, and so must `given`: what tensors hold, by the names of the text, in place of random
  /// data of the trial's shape.
  KernelArguments(const sema::Kernel &kernel, const ExtentClasses &classes, const Trial &trial, TestContext &context,
                  const TensorMap *given = nullptr);
  ~KernelArguments();

  /// Makes and packs all data. Returns the empty string, or what went wrong.
  std::string pack();

  /// What the in-memory entry takes: the context, then one pointer an argument.
  void **pointers() { return pointers_.data(); }

  /// Every parameter's content before the call, with the masks of sparse tensors; for the evaluator.
  TensorMap denseTensors() const;

  /// What every parameter stores before the call, without padding, which is no entry of a result either. `withPadding`:
  /// what statements write has the padding of its format when later ones read it.
  PatternMap patterns(bool withPadding) const;

  /// Whether every assembled output can be stored in its format when it has its share of `patterns`.
  bool canStore(const PatternMap &patterns) const;

  /// Compares what the kernel left behind with the evaluators' results. Returns the empty string or the first
  /// difference.
  std::string compare(const TensorMap &expected, const PatternMap &least, const PatternMap &most);

  /// What the kernel left behind in the tensors that it writes.
  TensorMap results() const;

  /// After a call in one phase of a kernel that has two: calls these, with a plan and without one. Returns the empty
  /// string or where what comes out is not the same, to the bit.
  std::string checkPhases(const codegen::JitKernel &code);

  /// After a call that failed: what it changed of operands and of assembled outputs; empty where nothing.
  std::string compareFailed() const;

  /// Frees what the call, or pack(), has allocated in the context. Returns what is left over there, or done wrong.
  std::string release();

private:
  struct Argument;

  std::string packOwn(Argument &argument);
  std::string packAssembled(Argument &argument);
  bool isOperandsExtent(sema::ExtentId extent) const;
  std::string packSharing(Argument &argument, Argument &owner);
  void fillOutput(Argument &argument, const Argument &owner);
  bool isNamedApart(const sema::Tensor &tensor) const;
  std::string compareSum(const std::string &name, const DenseTensor &expected, const Pattern &least,
                         const Pattern &most) const;
  Fill fillFor(const Argument &argument) const;
  tensor::Coordinates drawn(const Argument &argument);
  tensor::Number drawnAt(const Argument &argument, const int64_t *coordinates);
  tensor::Coordinates entriesFor(const Argument &argument);
  /// The tensor whose structure a parameter has; itself where it has its own.
  sema::TensorId ownerOf(sema::TensorId id) const;
  Argument &argumentFor(sema::TensorId id) const;
  std::vector<int64_t> shapeOf(const std::string &tensor) const;
  int64_t sizeOf(sema::TensorId scalar) const;
  using MaskOf = std::function<std::vector<uint8_t>(const std::string &)>;
  std::vector<uint8_t> sharedMask(const sema::Tensor &tensor, const MaskOf &maskOf) const;

  const sema::Kernel &kernel_;
  const ExtentClasses &classes_;
  const Trial trial_;
  TestContext &context_;
  const TensorMap *given_;
  Random random_;
  abi::Signature signature_;
  std::vector<std::unique_ptr<Argument>> arguments_;              ///< by parameter
  std::map<std::string, std::vector<tensor::Coordinates>> parts_; ///< of tensors that are stored as sums
  std::vector<void *> pointers_;
};

} // namespace spc::testing
