#include "host/block_feed.h"

#include "host/input_memory.h"
#include "host/log.h"
#include "support/quantities.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <stdexcept>
#include <system_error>

namespace spc::host {

namespace {

/// Larger blocks are no faster, but for what each call adds up as a whole.
constexpr double kLargestBlock = 256.0 * (1 << 20);

} // namespace

BlockFeed::BlockFeed(Session &session, const sema::Kernel &kernel, const sema::IndexDivision &division,
                     const InputBlocks &blocks, Inputs &inputs)
    : session_(session), kernel_(kernel), division_(division), blocks_(blocks), inputs_(inputs),
      size_(inputs.extents[division.extent]) {
  for (const sema::ArgumentPart &part : division.arguments)
    if (part.role == sema::ArgumentPart::Role::Slice)
      step_ = std::lcm(step_, std::max<int64_t>(1, part.block));
  for (const Input &input : inputs.parameters)
    if (input.blocks)
      step_ = std::lcm(step_, input.blocks->step());
  whole_ = wholeBytes();
}

BlockFeed::~BlockFeed() {
  if (pending_.valid())
    pending_.wait();
}

/// What is there all the time.
double BlockFeed::wholeBytes() const {
  double bytes = 0;
  for (size_t k = 0; k < inputs_.parameters.size(); ++k) {
    const sema::Tensor &tensor = kernel_.tensors[kernel_.parameters[k]];
    const Input &input = inputs_.parameters[k];
    if (input.blocks)
      bytes += input.blocks->heldBytes();
    if (input.packed)
      bytes += input.packed->footprint().bytes;
    if (input.entries) // packed once, beside the list
      bytes += leastBytes(tensor, inputs_.shapeOf(tensor), static_cast<double>(input.entries->size())) +
               static_cast<double>(input.entries->size() * (input.entries->shape.size() + 1) * sizeof(double));
  }
  return bytes;
}

double BlockFeed::operandBytes(int64_t begin, int64_t end) const {
  double bytes = 0;
  for (const Input &input : inputs_.parameters)
    if (input.blocks)
      bytes += input.blocks->bytesFor(begin, end);
  return bytes;
}

IdVector<sema::ExtentId, int64_t> BlockFeed::extentsOf(int64_t length) const {
  IdVector<sema::ExtentId, int64_t> extents = inputs_.extents;
  extents[division_.extent] = length;
  return extents;
}

/// What a call takes besides its operands: dense results and temporaries.
double BlockFeed::callBytes(int64_t length) const {
  IdVector<sema::ExtentId, std::optional<int64_t>> sizes(kernel_.extents.size());
  const IdVector<sema::ExtentId, int64_t> extents = extentsOf(length);
  for (const sema::ExtentId extent : kernel_.extents.ids())
    sizes[extent] = extents[extent];
  std::vector<ForeseenTensor> foreseen;
  for (const sema::TensorId id : kernel_.parameters)
    if (!kernel_.tensors[id].isWritten)
      foreseen.push_back({&kernel_.tensors[id], {}});
  const size_t operands = foreseen.size();
  addDense(kernel_, sizes, foreseen);
  double bytes = 0;
  for (size_t k = operands; k < foreseen.size(); ++k)
    bytes += leastBytes(*foreseen[k].tensor, foreseen[k].announced.shape, 0);
  return bytes;
}

bool BlockFeed::fits(double held) {
  const double least = callBytes(std::min(step_, size_));
  double most = 0;
  for (int64_t begin = 0; begin < size_; begin += step_)
    most = std::max(most, operandBytes(begin, std::min(size_, begin + step_)));
  const double needed = whole_ + held + least + 2 * most;
  if (needed <= blocks_.memory)
    return true;
  constexpr double kUnit = 1024, kExactly = 1024 * kUnit;
  const double units = needed < kExactly ? needed : std::ceil(needed / kUnit);
  session_.diagnostics()
      .report(kTooLittleMemory, session_.find("--memory"),
              "the smallest blocks of '" + division_.index + "', of " + std::to_string(step_) +
                  (step_ == 1 ? " value" : " values") + ", do not fit into the memory: " + roughText(whole_ + held) +
                  " bytes are held all the time, a call takes " + roughText(least) + ", and two blocks " +
                  roughText(2 * most))
      .advise("--memory=" + std::to_string(static_cast<int64_t>(std::ceil(units))) +
              (needed < kExactly ? " is the least" : "K is the least"));
  return false;
}

/// The end of the largest block that fits; the smallest one where none does any more, as results have grown.
int64_t BlockFeed::endFrom(int64_t begin, double held) const {
  const double free = blocks_.memory - whole_ - held;
  const double most = std::max(kLargestBlock, 4 * callBytes(0));
  const auto isFine = [&](int64_t steps) {
    const int64_t end = std::min(size_, begin + steps * step_);
    const double operands = operandBytes(begin, end);
    return operands <= most && 2 * operands + callBytes(end - begin) <= free;
  };
  int64_t fine = 1, wrong = (size_ - begin + step_ - 1) / step_ + 1;
  while (wrong - fine > 1) {
    const int64_t middle = fine + (wrong - fine) / 2;
    (isFine(middle) ? fine : wrong) = middle;
  }
  return std::min(size_, begin + fine * step_);
}

void BlockFeed::start(int64_t begin, double held) {
  const int64_t end = endFrom(begin, held);
  const auto work = [this, begin, end] { return read(begin, end); };
  try {
    pending_ = std::async(std::launch::async, work);
  } catch (const std::system_error &) { // there are no more threads
    pending_ = std::async(std::launch::deferred, work);
  }
}

namespace {

/// Keeps of a slice along several dimensions what is in the block in all.
void cutOthers(tensor::Coordinates &entries, const std::vector<int> &dims, int64_t begin, int64_t end) {
  const size_t order = entries.shape.size();
  tensor::Coordinates kept;
  kept.shape = entries.shape;
  std::vector<int64_t> at(order);
  for (size_t e = 0; e < entries.size(); ++e) {
    std::copy_n(entries.coordinates.data() + e * order, order, at.data());
    bool isInside = true;
    for (size_t k = 1; k < dims.size(); ++k) {
      int64_t &other = at[static_cast<size_t>(dims[k])];
      isInside = isInside && other >= begin && other < end;
      other -= begin;
    }
    if (isInside)
      kept.append(at.data(), entries.value(e));
  }
  entries = std::move(kept);
}

} // namespace

bool BlockFeed::readOne(size_t parameter, Read &read) {
  const sema::Tensor &tensor = kernel_.tensors[kernel_.parameters[parameter]];
  Input &input = inputs_.parameters[parameter], &own = read.block.inputs.parameters[parameter];
  const std::vector<int> &dims = blocks_.dims[parameter];
  std::optional<tensor::FileTensor> got = input.blocks->read(read.block.begin, read.block.end, read.fileProblem);
  if (!got || !got->unstorable.empty()) {
    read.path = input.path;
    read.unstorable = got ? got->unstorable : std::string();
    return false;
  }
  own.packed = std::move(got->packed);
  if (own.packed)
    return true;
  if (dims.size() > 1)
    cutOthers(got->entries, dims, read.block.begin, read.block.end);
  got->entries.shape = read.block.inputs.shapeOf(tensor);
  if (tensor.partOf.empty() && !tensor.shared()) {
    own.packed = tensor::PackedTensor::pack(std::move(got->entries), tensor.format, tensor.type, read.unstorable);
    return own.packed.has_value();
  }
  own.entries = std::move(got->entries);
  if (!tensor.partOf.empty())
    splitIntoParts(kernel_, parameter, read.block.inputs);
  return true;
}

BlockFeed::Read BlockFeed::read(int64_t begin, int64_t end) {
  Read result;
  result.block.begin = begin;
  result.block.end = end;
  result.block.inputs.parameters.resize(inputs_.parameters.size());
  result.block.inputs.extents = extentsOf(end - begin);
  try {
    for (size_t k = 0; k < inputs_.parameters.size(); ++k) {
      result.parameter = k;
      result.block.inputs.parameters[k].scalar = inputs_.parameters[k].scalar;
      if (inputs_.parameters[k].blocks && !readOne(k, result))
        return result;
    }
    result.parameter = inputs_.parameters.size();
  } catch (const std::bad_alloc &) {
    result.isOutOfMemory = true;
  } catch (const std::length_error &) {
    result.isOutOfMemory = true;
  }
  return result;
}

/// Whether a block was read; reports what is wrong otherwise.
bool BlockFeed::report(const Read &read) {
  if (read.parameter == inputs_.parameters.size())
    return true;
  const sema::Tensor &tensor = kernel_.tensors[kernel_.parameters[read.parameter]];
  if (read.isOutOfMemory)
    session_.diagnostics()
        .report(kTooLittleMemory, tensor.where, "a block of '" + tensor.name + "' finds no memory in this process")
        .advise("give a smaller --memory: spc itself takes some, too");
  else if (!read.unstorable.empty())
    session_.diagnostics().report(kUnstorable, tensor.where,
                                  "'" + tensor.name + "' cannot be stored: " + read.unstorable);
  else
    tensor::reportProblem(read.fileProblem, read.path, session_.diagnostics());
  return false;
}

std::optional<OperandBlock> BlockFeed::next(double held) {
  if (!pending_.valid())
    start(0, held);
  Read read = pending_.get();
  if (!report(read))
    return std::nullopt;
  log("block of '" + division_.index + "' from " + std::to_string(read.block.begin) + " to " +
      std::to_string(read.block.end) + " of " + std::to_string(size_));
  ended_ = read.block.end >= size_;
  if (!ended_)
    start(read.block.end, held);
  return std::move(read.block);
}

} // namespace spc::host
