#include "tensor/text_source.h"

#include "support/input.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace spc::tensor {

namespace {

constexpr DiagnosticKind kTensorFile{"tensor-file", Severity::Error};
constexpr DiagnosticKind kInputLimit{"input-limit", Severity::Error};

constexpr size_t kInputBuffer = size_t{256} << 10;
constexpr int kGzipWindow = 16 + MAX_WBITS;
constexpr size_t kUsualExpansion = 4;

} // namespace

struct TextSource::Inflater {
  z_stream stream{};
  bool isReady = inflateInit2(&stream, kGzipWindow) == Z_OK;
  bool inMember = true; ///< a member of the file has begun and not ended
  Inflater() = default;
  Inflater(const Inflater &) = delete;
  Inflater &operator=(const Inflater &) = delete;
  ~Inflater() {
    if (isReady)
      inflateEnd(&stream);
  }
};

TextSource::TextSource(const std::string &path, std::optional<uint64_t> limit, Diagnostics &diagnostics)
    : path_(path), limit_(limit), diagnostics_(diagnostics), file_(path) {}

TextSource::~TextSource() = default;

std::nullopt_t TextSource::damaged(const std::string &why) {
  diagnostics_.report(kTensorFile, {}, "cannot decompress the file: " + why).at(path_);
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
  return true;
}

bool TextSource::start() {
  started_ = true;
  if (file_.why().empty() && file_.isDevice() && path_ != "-") {
    diagnostics_.report(kTensorFile, {}, "cannot read a tensor from a device").at(path_);
    return false;
  }
  input_.resize(kInputBuffer);
  constexpr std::string_view kGzip = "\x1f\x8b";
  while (inputEnd_ < kGzip.size() && !inputEnded_)
    if (!fillInput())
      return false;
  if (!std::string_view(input_.data(), inputEnd_).starts_with(kGzip))
    return true;
  inflater_ = std::make_unique<Inflater>();
  if (!inflater_->isReady)
    damaged("zlib cannot start");
  return inflater_->isReady;
}

std::optional<size_t> TextSource::inflateInto(char *bytes, size_t count) {
  z_stream &stream = inflater_->stream;
  stream.next_out = reinterpret_cast<Bytef *>(bytes);
  stream.avail_out = static_cast<uInt>(count);
  while (stream.avail_out == count) {
    if (at_ == inputEnd_ && !inputEnded_ && !fillInput())
      return std::nullopt;
    if (at_ == inputEnd_ && inputEnded_) {
      if (!inflater_->inMember)
        break;
      return damaged("the compressed data ends early");
    }
    if (!inflater_->inMember && inflateReset(&stream) != Z_OK)
      return damaged("zlib cannot go on");
    stream.next_in = reinterpret_cast<Bytef *>(input_.data() + at_);
    stream.avail_in = static_cast<uInt>(inputEnd_ - at_);
    const int status = inflate(&stream, Z_NO_FLUSH);
    at_ = inputEnd_ - stream.avail_in;
    inflater_->inMember = status != Z_STREAM_END;
    if (status != Z_OK && status != Z_BUF_ERROR && status != Z_STREAM_END)
      return damaged(std::string("the compressed data is damaged") +
                     (stream.msg ? std::string(": ") + stream.msg : ""));
  }
  return count - stream.avail_out;
}

/// Whether the text is no longer than it may be; reports it otherwise.
bool TextSource::isWithinLimit() {
  const bool byExpansion = !limit_ && inflater_ && made_ > kAnyExpansion && made_ / kMostExpansion > taken_;
  const uint64_t most = limit_.value_or(kMostText);
  if (!byExpansion && made_ <= most)
    return true;
  diagnostics_
      .report(kInputLimit, {},
              byExpansion ? "it decompresses to more than " + std::to_string(kMostExpansion) + " times its size"
                          : "it holds more than " + std::to_string(most) + " bytes of text")
      .at(path_)
      .advise("if the file is to be trusted, allow more with --input-limit=SIZE, for instance --input-limit=100G");
  return false;
}

std::optional<size_t> TextSource::read(char *bytes, size_t count) {
  if (!started_ && !start())
    return std::nullopt;
  std::optional<size_t> got;
  if (inflater_) {
    got = inflateInto(bytes, std::min<size_t>(count, kInputBuffer));
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

uint64_t TextSource::expectedSize() const {
  return file_.size() * (inflater_ ? kUsualExpansion : 1);
}

} // namespace spc::tensor
