// One call of a kernel whose arguments lie in guarded memory, each array as long as the numbers of its struct say.
#pragma once

#include "corruption/guarded_memory.h"
#include "harness/kernel_arguments.h"
#include "harness/kernel_under_test.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spc::testing {

class GuardedCall {
public:
  /// One argument: the fields of its struct, and the contents of the arrays that it owns.
  struct Argument {
    const abi::Parameter *parameter;
    const sema::Tensor *tensor;
    std::vector<uint64_t> fields;          ///< pointers are set by place()
    std::vector<std::vector<char>> arrays; ///< by field
    std::vector<bool> isNull;              ///< by field, of arrays
    int owner = -1;                        ///< of a shared structure: the argument that has it
    bool sharesPointers = false;           ///< … whose arrays and numbers the struct names
    std::vector<char> scalar;
    void *placed = nullptr;

    bool isStruct() const { return parameter->kind == abi::ParameterKind::Tensor; }
    bool isSparse() const { return isStruct() && !parameter->type.format.isDense(); }
    /// Whether the struct's numbers and arrays are the caller's to give.
    bool isGiven() const { return !parameter->fillsStructure && (!parameter->isAssembled || hasPattern); }
    bool hasPattern = false; ///< an assembled output that is read, or has a pattern for the numeric phase
    int64_t bytesOf(size_t field) const;
  };

  /// Copies what `packed` are the arguments of. Requires: a compiled kernel.
  GuardedCall(const KernelUnderTest &kernel, void **packed);

  std::vector<Argument> &arguments() { return arguments_; }

  /// Gives an assembled output the pattern that the symbolic phase works out. False where that fails.
  bool addPatterns();

  /// Makes arrays of an argument, and of those that share its structure, as long as its numbers say, repeating last
  /// elements. False where no caller could have such arrays.
  bool fitArrays(size_t argument);

  /// Puts all in guarded memory and calls the kernel, or a phase of it ("_numeric").
  int32_t run(const std::string &phase, Chunks chunks, bool atEnd);

  /// After a call that succeeded: compares the results with those of the evaluator on what the arguments say. The empty
  /// string, or the first difference.
  std::string check() const;

private:
  void copy(Argument &argument, const void *packed);
  void place(Argument &argument);
  void fitArray(Argument &argument, size_t field, int64_t length);
  bool isComparable(const Argument &argument) const;
  std::string compare(const std::string &name, DenseTensor expected) const;
  static const std::string &wholeOf(const Argument &argument);
  tensor::Coordinates contentOf(const Argument &argument, bool isBefore) const;
  DenseTensor denseOf(const Argument &argument) const;

  const KernelUnderTest &kernel_;
  abi::Signature signature_;
  std::vector<Argument> arguments_;
  std::unique_ptr<GuardedMemory> memory_;
};

} // namespace spc::testing
