// The arguments of one call of a compiled kernel, in the calling convention's order, made from random data.
#pragma once

#include "abi/signature.h"
#include "support/dense_evaluator.h"
#include "support/kernel_under_test.h"
#include "tensor/tensor.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace spc::testing {

class KernelArguments {
public:
  KernelArguments(const sema::Kernel &kernel, const ExtentClasses &classes, const Trial &trial);
  ~KernelArguments();

  /// Makes and packs all data. Returns the empty string, or what went wrong.
  std::string pack();

  /// What the in-memory entry takes: the context (none), then one pointer an argument.
  void **pointers() { return pointers_.data(); }

  /// Every parameter's content before the call, with the masks of sparse tensors; for the evaluator.
  TensorMap denseTensors() const;

  /// Compares what the kernel left behind with the evaluator's result. Returns the empty string or the first
  /// difference.
  std::string compare(const TensorMap &expected);

private:
  struct Argument;

  std::string packOwn(Argument &argument);
  std::string packSharing(Argument &argument, Argument &owner);
  void fillOutput(Argument &argument, const Argument &owner);
  tensor::Coordinates entriesFor(const Argument &argument);
  /// The tensor whose structure a parameter has; itself where it has its own.
  sema::TensorId ownerOf(sema::TensorId id) const;
  Argument &argumentFor(sema::TensorId id) const;

  const sema::Kernel &kernel_;
  const ExtentClasses &classes_;
  const Trial trial_;
  Random random_;
  abi::Signature signature_;
  std::vector<std::unique_ptr<Argument>> arguments_;              ///< by parameter
  std::map<std::string, std::vector<tensor::Coordinates>> parts_; ///< of tensors that are stored as sums
  std::vector<void *> pointers_;
};

} // namespace spc::testing
