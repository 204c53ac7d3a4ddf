// The places of a call's arrays in memory, and the pages there.
#pragma once

#include "host/kernel_call.h"

#include <string>

namespace spc::host {

/// The pages that arrays which are measured lie on.
enum class Pages {
  Ordinary, ///< what malloc gives any program
  Huge,     ///< large pages where the system grants them, and memory that is freed stays with the process
};

/// The arrays that are the same in all calls, those of operands and of results that no call allocates.
struct CallMemory {
  Pages pages = Pages::Ordinary; ///< that were asked for
  double bytes = 0;
  double onLargePages = 0; ///< of them
};

/// Before anything is read that may be measured.
void preparePages(Pages pages);

CallMemory memoryOf(const KernelCall &call, Pages pages);
CallMemory memoryOf(const std::vector<tensor::PackedTensor *> &tensors, Pages pages);

/// How much memory it is, and on which pages: "17.2 MB on ordinary pages".
std::string memoryText(const CallMemory &memory);

/// Those arrays in several places of memory, of which calls use one.
class Places {
public:
  /// Copies the arrays `count` - 1 times, as far as there is memory for it. In use is the place where they are.
  Places(KernelCall &call, int count);

  int count() const { return static_cast<int>(others_.size()) + 1; }

  /// Makes calls use another place from here on.
  void use(int place);

private:
  void swap(tensor::TwinArrays &twins);

  std::vector<tensor::PackedTensor *> tensors_;
  std::vector<tensor::TwinArrays> others_; ///< beside place 0
  int inUse_ = 0;
};

} // namespace spc::host
