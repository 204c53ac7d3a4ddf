#include "host/call_memory.h"

#include "support/memory.h"
#include "support/quantities.h"

#include <algorithm>
#include <new>

namespace spc::host {

namespace {

/// The tensors whose arrays all calls are given.
std::vector<tensor::PackedTensor *> givenTensors(const KernelCall &call) {
  std::vector<tensor::PackedTensor *> given;
  for (size_t k = 0; k < call.arguments.size(); ++k)
    if (call.arguments[k].tensor && !call.signature.parameters[k].isAssembled)
      given.push_back(&*call.arguments[k].tensor);
  return given;
}

} // namespace

void preparePages(Pages pages) {
  if (pages == Pages::Ordinary)
    useOrdinaryPages();
  else
    growHeap();
}

CallMemory memoryOf(const KernelCall &call, Pages pages) {
  return memoryOf(givenTensors(call), pages);
}

CallMemory memoryOf(const std::vector<tensor::PackedTensor *> &tensors, Pages pages) {
  CallMemory memory{pages, 0, 0};
  std::vector<MemoryRange> ranges;
  for (const tensor::PackedTensor *tensor : tensors)
    for (const MemoryRange &range : tensor->ranges()) {
      memory.bytes += static_cast<double>(range.bytes);
      ranges.push_back(range);
    }
  memory.onLargePages = bytesOnLargePages(ranges);
  return memory;
}

std::string memoryText(const CallMemory &memory) {
  constexpr double kNearlyAll = 0.95, kHardlyAny = 0.01;
  const std::string all = byteText(memory.bytes);
  if (memory.onLargePages > kNearlyAll * memory.bytes)
    return all + " on large pages" + (memory.pages == Pages::Ordinary ? ", as this system gives them to malloc" : "");
  if (memory.onLargePages > kHardlyAny * memory.bytes)
    return all + ", " + byteText(memory.onLargePages) + " of it on large pages" +
           (memory.pages == Pages::Ordinary ? ", as this system gives them to malloc" : ", the rest on ordinary ones");
  return all + " on ordinary pages" +
         (memory.pages == Pages::Ordinary ? " (--pages=huge asks for large ones)"
                                          : ": no array is so large, or the "
                                            "system grants no large ones");
}

Places::Places(KernelCall &call, int count) : tensors_(givenTensors(call)) {
  for (bool hasMemory = true; hasMemory && this->count() < count;) {
    tensor::TwinArrays twins;
    try {
      for (tensor::PackedTensor *tensor : tensors_)
        tensor->copyArrays(twins);
    } catch (const std::bad_alloc &) {
      hasMemory = false;
    }
    swap(twins); // back to what was in use, to which all structs still point
    if (hasMemory)
      others_.push_back(std::move(twins));
  }
}

void Places::use(int place) {
  if (place == inUse_)
    return;
  if (inUse_ > 0)
    swap(others_[static_cast<size_t>(inUse_ - 1)]);
  if (place > 0)
    swap(others_[static_cast<size_t>(place - 1)]);
  inUse_ = place;
}

void Places::swap(tensor::TwinArrays &twins) {
  for (tensor::PackedTensor *tensor : tensors_)
    tensor->swapArrays(twins);
  for (tensor::PackedTensor *tensor : tensors_)
    tensor->followArrays(twins);
}

} // namespace spc::host
