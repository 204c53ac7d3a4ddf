#include "tensor/files/text_source.h"

#include "support/input.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

namespace spc::tensor {

namespace {

constexpr DiagnosticKind kDamagedFile{"tensor-file", Severity::Error};
constexpr DiagnosticKind kInputLimit{"input-limit", Severity::Error};

constexpr size_t kInputBuffer = size_t{256} << 10;
constexpr size_t kUsualExpansion = 4;

} // namespace

TextSource::TextSource(const std::string &path, std::optional<uint64_t> limit, Diagnostics &diagnostics,
                       WorkCount *count)
    : path_(path), limit_(limit), diagnostics_(diagnostics), count_(count), file_(path) {
  if (count_)
    count_->begin(file_.size());
}

TextSource::~TextSource() = default;

std::nullopt_t TextSource::damaged(const std::string &why) {
  diagnostics_.report(kDamagedFile, {}, "cannot decompress the file: " + why).at(path_);
  return std::nullopt;
}

/// Reads more of the file, behind what is left of the last piece. False after reporting an error.
bool TextSource::fillInput() {
  std::memmove(input_.data(), input_.data() + at_, inputEnd_ - at_);
  inputEnd_ -= at_;
  at_ = 0;
  const std::optional<size_t> got = file_.read(input_.data() + inputEnd_, input_.size() - inputEnd_);
  if (!got) {
    reportUnreadable(path_, file_, diagnostics_);
    return false;
  }
  inputEnded_ = *got == 0;
  inputEnd_ += *got;
  taken_ += *got;
  if (count_)
    count_->add(*got);
  return true;
}

bool TextSource::start() {
  started_ = true;
  if (file_.why().empty() && file_.isDevice() && path_ != "-") {
    diagnostics_.report(kDamagedFile, {}, "cannot read a tensor from a device").at(path_);
    return false;
  }
  input_.resize(kInputBuffer);
  while (inputEnd_ < kCompressionMagic && !inputEnded_)
    if (!fillInput())
      return false;
  decoder_ = decoderFor({input_.data(), inputEnd_});
  if (decoder_ || file_.size() <= limit_.value_or(kMostText))
    return true;
  reportMoreThan(limit_.value_or(kMostText));
  return false;
}

std::optional<size_t> TextSource::decodeInto(char *bytes, size_t count) {
  std::span<char> left(bytes, count);
  while (left.size() == count) {
    if (at_ == inputEnd_ && !inputEnded_ && !fillInput())
      return std::nullopt;
    if (at_ == inputEnd_ && inputEnded_) {
      if (!decoder_->inMember())
        break;
      return damaged("the compressed data ends early");
    }
    std::string_view input(input_.data() + at_, inputEnd_ - at_);
    if (const std::string why = decoder_->step(input, left); !why.empty())
      return damaged(why);
    at_ = inputEnd_ - input.size();
  }
  return count - left.size();
}

/// Whether the text is no longer than it may be; reports it otherwise.
bool TextSource::isWithinLimit() {
  const bool byExpansion = !limit_ && decoder_ && made_ > kAnyExpansion && made_ / kMostExpansion > taken_;
  const uint64_t most = limit_.value_or(kMostText);
  if (!byExpansion && made_ <= most)
    return true;
  if (byExpansion)
    reportTooLong("it decompresses to more than " + std::to_string(kMostExpansion) + " times its size");
  else
    reportMoreThan(most);
  return false;
}

void TextSource::reportMoreThan(uint64_t most) {
  reportTooLong("it holds more than " + std::to_string(most) + " bytes of text");
}

void TextSource::reportTooLong(const std::string &what) {
  diagnostics_.report(kInputLimit, {}, what)
      .at(path_)
      .advise("if the file is to be trusted, allow more with --input-limit=SIZE, for instance --input-limit=100G");
}

uint64_t TextSource::mostFrom(uint64_t compressed) const {
  return limit_.value_or(std::min(kMostText, std::max(kAnyExpansion, compressed * kMostExpansion)));
}

std::optional<size_t> TextSource::read(char *bytes, size_t count) {
  if (!started_ && !start())
    return std::nullopt;
  std::optional<size_t> got;
  if (decoder_) {
    got = decodeInto(bytes, std::min<size_t>(count, kInputBuffer));
  } else {
    if (at_ == inputEnd_ && !inputEnded_ && !fillInput())
      return std::nullopt;
    got = std::min(count, inputEnd_ - at_);
    std::memcpy(bytes, input_.data() + at_, *got);
    at_ += *got;
  }
  made_ += got.value_or(0);
  if (got && !isWithinLimit())
    return std::nullopt;
  return got;
}

std::optional<uint64_t> TextSource::size() const {
  const uint64_t size = file_.size();
  return decoder_ || size == 0 ? std::nullopt : std::optional(size);
}

uint64_t TextSource::most() const {
  return decoder_ ? mostFrom(file_.size()) : size().value_or(0);
}

uint64_t TextSource::expectedSize() const {
  return file_.size() * (decoder_ ? kUsualExpansion : 1);
}

} // namespace spc::tensor
