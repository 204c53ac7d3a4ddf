// Kernels whose body is a probe: it stores every argument that it gets into the dense output "out", so that a test sees
// what the entry computed for each bind.
#pragma once

#include "abi/signature.h"
#include "codegen/jit.h"
#include "codegen/object.h"
#include "sema/kernel.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::entry::test {

/// Levels from letters: d dense, c compressed, s singleton (and the level above it not unique), f a fixed width given
/// at run time, l compressed with lengths, r ragged dense, t dense with a closed form (a lower triangle: i + 1).
format::Format formatOf(const std::string &letters, std::vector<int> modes = {},
                        format::IndexType pointers = format::IndexType::I32,
                        format::IndexType indices = format::IndexType::I32);

/// A checked kernel written by hand, and the binds that its body asks for.
class Probe {
public:
  Probe();

  sema::ExtentId extent(const std::string &name, std::optional<int64_t> fixed = {});
  /// An operand; order 0 (no extents) is a scalar.
  sema::TensorId operand(const std::string &name, const format::Format &format, std::vector<sema::ExtentId> extents,
                         sema::ValueType type = sema::ValueType::F64);
  sema::TensorId temporary(const std::string &name, const format::Format &format, std::vector<sema::ExtentId> extents);
  sema::TensorId converted(const std::string &name, const format::Format &format, sema::TensorId source);
  /// A sparse output that shares the pattern of `owner`.
  sema::TensorId shares(const std::string &name, sema::TensorId owner);
  /// An operand with the structure of `owner`, of which only the values are passed.
  sema::TensorId valuesOnly(const std::string &name, sema::TensorId owner);
  sema::TensorId scalarOutput(const std::string &name);
  /// Asks for a bind, written as in #spc.bind<...>; its number is the place in "out".
  size_t ask(const std::string &bind);

  abi::Signature signature() const;
  /// The body in the LLVM dialect.
  std::string bodyText() const;

  sema::Kernel kernel;
  std::vector<std::string> binds;
  std::string attributes; ///< of the body, as in MLIR's text

private:
  sema::TensorId add(sema::Tensor tensor);
};

/// The probe compiled as far as LLVM IR, runtime linked and optimised; throws what went wrong.
struct Compiled {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};
Compiled compileProbe(const Probe &probe, const codegen::TargetOptions &target);

/// A C struct as its 8-byte words.
struct Object {
  abi::StructType type;
  std::vector<int64_t> words;

  int64_t &at(abi::FieldRole role, int index = 0);
  void point(abi::FieldRole role, int index, const void *array);
};

/// An address as structs and binds have it.
inline int64_t word(const void *pointer) {
  return reinterpret_cast<intptr_t>(pointer);
}

/// A 2 x 3 matrix in CSR.
struct CsrArrays {
  std::vector<int32_t> pointers;
  std::vector<int32_t> indices;
  std::vector<double> values;

  void fill(Object &object);
};

/// The probe in memory, with a struct an argument and room for what it stores.
class Running {
public:
  explicit Running(const Probe &probe);
  ~Running();

  Object &operator[](const std::string &tensor) { return objects_.at(tensor); }
  /// Replaces what is passed for a parameter: NULL, or a scalar's place.
  void pass(const std::string &tensor, void *pointer) { overrides_[tensor] = pointer; }
  int32_t call(void *context = nullptr);
  /// What the body got for a bind.
  int64_t got(size_t ask) const { return out[ask]; }
  bool bodyRan() const { return out[0] != kUntouched; }

  static constexpr int64_t kUntouched = 0x5a5a5a5a5a5a5a5a;
  std::vector<int64_t> out;
  double scalar = 2.5;
  float single = 1.5F;

private:
  abi::Signature signature_;
  std::vector<std::string> names_; ///< of the tensors, by parameter
  std::unique_ptr<codegen::JitKernel> jit_;
  std::map<std::string, Object> objects_;
  std::map<std::string, void *> overrides_;
};

} // namespace spc::entry::test
