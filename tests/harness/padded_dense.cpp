#include "harness/padded_dense.h"

#include "harness/data.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace spc::testing {
namespace {

constexpr unsigned char kGap = 0xC5;
constexpr int64_t kPadding = 3;
constexpr int64_t kForward = 3, kBackward = -2; ///< strides of vectors, of an even and an odd size

int64_t readField(const void *fields, int index) {
  int64_t value = 0;
  std::memcpy(&value, static_cast<const char *>(fields) + 8 * index, sizeof value);
  return value;
}

} // namespace

PaddedDense::PaddedDense(const abi::StructType &type, void *packed)
    : type_(type), packed_(packed), elementSize_(static_cast<size_t>(sema::bytesOf(type.value))),
      fields_(type.fields.size()) {
  std::memcpy(fields_.data(), packed, 8 * fields_.size());
  int64_t stride = 1;
  for (size_t level = type.format.levels.size(); level-- > 0;) {
    const int dim = type.format.levels[level].dim;
    const int field = type.find(abi::FieldRole::Stride, dim);
    if (field >= 0)
      fields_[static_cast<size_t>(field)] = static_cast<uint64_t>(stride);
    stride *= readField(packed, type.find(abi::FieldRole::Size, dim)) + (level == 0 ? 0 : kPadding);
  }
  const int only = type.find(abi::FieldRole::Stride, 0);
  if (type.format.order() == 1 && only >= 0) {
    const int64_t size = stride, apart = size % 2 == 0 ? kForward : kBackward;
    fields_[static_cast<size_t>(only)] = static_cast<uint64_t>(apart);
    first_ = apart < 0 ? static_cast<size_t>((size - 1) * -apart) * elementSize_ : 0;
    stride = size * std::abs(apart);
  }
  buffer_.assign(static_cast<size_t>(stride) * elementSize_, kGap);
  forEachElement([&](unsigned char *mine, const unsigned char *theirs) { std::memcpy(mine, theirs, elementSize_); });
  const unsigned char *data = buffer_.data() + first_;
  std::memcpy(&fields_[static_cast<size_t>(type.find(abi::FieldRole::Values))], &data, sizeof data);
}

template <typename Visit> void PaddedDense::forEachElement(Visit visit) {
  std::vector<int64_t> shape;
  for (int dim = 0; dim < type_.format.order(); ++dim)
    shape.push_back(readField(packed_, type_.find(abi::FieldRole::Size, dim)));
  if (!hasElements(shape))
    return;
  unsigned char *theirs = nullptr;
  std::memcpy(&theirs, static_cast<const char *>(packed_) + 8 * type_.find(abi::FieldRole::Values), sizeof theirs);
  auto offset = [&](const void *fields, const std::vector<int64_t> &at) {
    int64_t result = 0;
    for (size_t dim = 0; dim < at.size(); ++dim) {
      const int field = type_.find(abi::FieldRole::Stride, static_cast<int>(dim));
      result += at[dim] * (field < 0 ? 1 : readField(fields, field));
    }
    return result * static_cast<int64_t>(elementSize_);
  };
  std::vector<int64_t> at(shape.size(), 0);
  do
    visit(buffer_.data() + first_ + offset(fields_.data(), at), theirs + offset(packed_, at));
  while (advance(at, shape));
}

bool PaddedDense::copyBack() {
  std::vector<unsigned char> gaps = buffer_;
  forEachElement([&](unsigned char *mine, unsigned char *theirs) {
    std::memcpy(theirs, mine, elementSize_);
    std::memset(gaps.data() + (mine - buffer_.data()), kGap, elementSize_);
  });
  return std::all_of(gaps.begin(), gaps.end(), [](unsigned char byte) { return byte == kGap; });
}

} // namespace spc::testing
