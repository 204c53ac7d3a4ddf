#include "tensor/gzip.h"

#include <zlib.h>

#include <algorithm>

namespace spc::tensor {

namespace {

constexpr size_t kMaxStep = size_t{1} << 30; // zlib counts in 32 bits
constexpr int kGzipWindow = 16 + MAX_WBITS;

/// Ends zlib's state on every way out.
struct Inflater {
  z_stream stream{};
  bool isReady = inflateInit2(&stream, kGzipWindow) == Z_OK;
  ~Inflater() {
    if (isReady)
      inflateEnd(&stream);
  }
};

} // namespace

bool isGzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

std::optional<std::string> gunzip(std::string_view bytes, size_t limit, std::string &error) {
  Inflater inflater;
  z_stream &stream = inflater.stream;
  if (!inflater.isReady) {
    error = "zlib cannot start";
    return std::nullopt;
  }
  std::string text(std::min(limit, std::max<size_t>(4 * bytes.size(), 4096)), '\0');
  size_t taken = 0;
  size_t made = 0;
  while (true) {
    if (made == text.size()) {
      if (made == limit) {
        error = "it decompresses to more than " + std::to_string(limit) + " bytes";
        return std::nullopt;
      }
      text.resize(std::min(limit, 2 * made));
    }
    size_t in = std::min(bytes.size() - taken, kMaxStep);
    size_t out = std::min(text.size() - made, kMaxStep);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data() + taken));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef *>(text.data() + made);
    stream.avail_out = static_cast<uInt>(out);
    int status = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += out - stream.avail_out;
    if (status == Z_STREAM_END) {
      if (taken == bytes.size()) {
        text.resize(made);
        return text;
      }
      if (inflateReset(&stream) != Z_OK) {
        error = "zlib cannot go on";
        return std::nullopt;
      }
    } else if (status == Z_BUF_ERROR && taken == bytes.size()) {
      error = "the compressed data ends early";
      return std::nullopt;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      error = std::string("the compressed data is damaged") + (stream.msg ? std::string(": ") + stream.msg : "");
      return std::nullopt;
    }
  }
}

} // namespace spc::tensor
