// The results of a kernel that is called with a block after the other.
#pragma once

#include "driver/run/outputs.h"
#include "driver/shell/session.h"
#include "host/block_feed.h"
#include "host/kernel_call.h"

#include <memory>
#include <string>
#include <vector>

namespace spc::driver {

/// Puts results together. Dense slices go to their .npy files as they come; all else is held until the end.
class BlockResults {
public:
  /// `whole` has the sizes of the whole. All outlive this.
  BlockResults(Session &session, const sema::Kernel &kernel, const abi::Signature &signature,
               const sema::IndexDivision &division, const host::Inputs &whole, const OutputFiles &files, double memory);

  /// Begins files, and makes the tensors that are filled bit by bit. False with an error reported.
  bool begin();

  /// Takes what a call has made of a block, which may be moved out of the call's arguments. False with an error
  /// reported.
  bool take(const host::OperandBlock &block, host::KernelCall &call);

  /// The bytes that results take, and will take as far as their sizes say.
  double held() const;

  /// Writes and prints all. `code` and `context` are those of the calls.
  bool deliver(const codegen::JitKernel &code, const void *context, int digits);

private:
  enum class Way {
    None,     ///< no result
    Streamed, ///< slices are appended to a file
    Dense,    ///< slices are put at their places
    Listed,   ///< entries of slices, or of a sparse result that each block has whole
    Reduced,  ///< shares, or a dense result or a number that each block has whole
  };
  struct Result {
    Way way = Way::None;
    const sema::ArgumentPart *part = nullptr;
    bool hasFirst = false;
    std::unique_ptr<GrowingFile> file;
    tensor::Coordinates entries;
  };

  Way wayOf(size_t parameter) const;
  bool takeOne(size_t parameter, const host::OperandBlock &block, host::KernelCall &call);
  void takeList(size_t parameter, int64_t begin, const host::KernelCall &call);
  void takeShare(size_t parameter, host::CallArgument &share);
  bool reportTooLarge(size_t parameter, double bytes);
  const sema::Tensor &tensorAt(size_t parameter) const { return kernel_.tensors[kernel_.parameters[parameter]]; }

  Session &session_;
  const sema::Kernel &kernel_;
  const abi::Signature &signature_;
  const host::Inputs &whole_;
  const OutputFiles &files_;
  double memory_;
  std::vector<Result> results_;
  std::vector<host::CallArgument> arguments_;
};

} // namespace spc::driver
