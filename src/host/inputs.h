// What a kernel is fed: tensors from files and generators, scalars, and the size of every extent.
#pragma once

#include "host/session.h"
#include "sema/kernel.h"
#include "syntax/ast.h"
#include "tensor/files/row_blocks.h"
#include "tensor/numbers.h"
#include "tensor/tensor.h"

#include <memory>
#include <optional>
#include <vector>

namespace spc::host {

/// A tensor that its format cannot hold.
constexpr DiagnosticKind kUnstorable{"unstorable-tensor", Severity::Error};

/// The tensors of which a block after the other is wanted.
struct InputBlocks {
  std::vector<std::vector<int>> dims; ///< by parameter: those that are divided; none of tensors that are whole
  double memory = 0;                  ///< bytes that all tensors may take

  /// What sorting entries into blocks may hold of it.
  double buffers() const { return memory / 8; }
};

/// What is said of the inputs, still text.
struct InputOptions {
  std::vector<std::string> given;  ///< TENSOR=SOURCE
  std::vector<std::string> sizes;  ///< EXTENT=N
  std::vector<std::string> shapes; ///< TENSOR=NxM
  std::string limit;               ///< SIZE of a data file, or empty
  bool needsAll = true;            ///< what the kernel reads and is not given is an error
  bool packsWhileReading = false;  ///< nothing asks for the entries of inputs whose arrays are as they are packed
  bool asks = false;               ///< at a terminal, before it reads more than memory holds
  bool takesSizesAlone = false;    ///< what is not given takes no memory: nothing will be called with it
  bool leavesOutDense = false;     ///< dense tensors that are made up get no entries: what reads them fills them itself
  std::optional<InputBlocks> blocks; ///< of inputs that are divided

  /// The dimensions of an input that are divided.
  std::vector<int> dividedDims(size_t parameter) const;
};

/// The input for one parameter of the kernel.
struct Input {
  std::optional<tensor::Coordinates> entries;            ///< of an input of order 1 and up
  std::optional<tensor::PackedTensor> packed;            ///< in their place, with InputOptions::packsWhileReading
  tensor::Number scalar;                                 ///< of an input of order 0
  std::unique_ptr<tensor::BlockReader> blocks = nullptr; ///< in place of entries, of an input that is divided
  std::string path = {};                                 ///< of its file; empty of others
};

/// All that a call of the kernel is given.
struct Inputs {
  std::vector<Input> parameters;
  IdVector<sema::ExtentId, int64_t> extents;

  std::vector<int64_t> shapeOf(const sema::Tensor &tensor) const;
};

/// Gives each part of a tensor that is stored as a sum, of which `first` has all entries, its share of them.
void splitIntoParts(const sema::Kernel &kernel, size_t first, Inputs &inputs);

/// Reads and makes every input, and settles the size of every extent: declared numbers, --size, --shape, the files'
/// shapes, the generators' shapes; a .tns file without --shape says only the least size that holds its entries.
/// nullopt with every error that was found reported. `tree` is the kernel's text, for messages.
std::optional<Inputs> readInputs(Session &session, const sema::Kernel &kernel, const syntax::Kernel &tree,
                                 const InputOptions &options);

} // namespace spc::host
