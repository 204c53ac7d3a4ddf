#include "tensor/compression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <new>

namespace spc::tensor {

namespace {

constexpr int kGzipWindow = 16 + MAX_WBITS;

class GzipDecoder : public Decoder {
public:
  GzipDecoder() : isReady_(inflateInit2(&stream_, kGzipWindow) == Z_OK) {}
  GzipDecoder(const GzipDecoder &) = delete;
  GzipDecoder &operator=(const GzipDecoder &) = delete;
  ~GzipDecoder() override {
    if (isReady_)
      inflateEnd(&stream_);
  }

  std::string step(std::string_view &in, std::span<char> &out) override {
    if (!isReady_ || (!inMember_ && inflateReset(&stream_) != Z_OK))
      return "zlib cannot start";
    constexpr size_t kMost = std::numeric_limits<uInt>::max();
    stream_.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(in.data()));
    stream_.avail_in = static_cast<uInt>(std::min(in.size(), kMost));
    stream_.next_out = reinterpret_cast<Bytef *>(out.data());
    stream_.avail_out = static_cast<uInt>(std::min(out.size(), kMost));
    const int status = inflate(&stream_, Z_NO_FLUSH);
    in.remove_prefix(static_cast<size_t>(reinterpret_cast<const char *>(stream_.next_in) - in.data()));
    out = out.subspan(static_cast<size_t>(reinterpret_cast<const char *>(stream_.next_out) - out.data()));
    inMember_ = status != Z_STREAM_END;
    if (status == Z_OK || status == Z_BUF_ERROR || status == Z_STREAM_END)
      return {};
    return std::string("the compressed data is damaged") + (stream_.msg ? std::string(": ") + stream_.msg : "");
  }

private:
  z_stream stream_{};
  bool isReady_;
};

class ZstdDecoder : public Decoder {
public:
  std::string step(std::string_view &in, std::span<char> &out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const size_t left = stream_ ? ZSTD_decompressStream(stream_.get(), &to, &from) : 0;
    in.remove_prefix(from.pos);
    out = out.subspan(to.pos);
    inMember_ = left != 0;
    if (!stream_)
      return "libzstd cannot start";
    return ZSTD_isError(left) ? std::string("the compressed data is damaged: ") + ZSTD_getErrorName(left) : "";
  }

private:
  struct Free {
    void operator()(ZSTD_DStream *stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
};

std::string gzipped(const std::string &bytes) {
  constexpr size_t kPiece = size_t{1} << 20;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string result, piece(kPiece, '\0');
  for (size_t at = 0, end = 0; at < bytes.size() || at == 0; at = end) {
    end = std::min(bytes.size(), at + kPiece);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data() + at));
    stream.avail_in = static_cast<uInt>(end - at);
    do {
      stream.next_out = reinterpret_cast<Bytef *>(piece.data());
      stream.avail_out = static_cast<uInt>(piece.size());
      deflate(&stream, end == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
      result.append(piece, 0, piece.size() - stream.avail_out);
    } while (stream.avail_out == 0);
    if (bytes.empty())
      break;
  }
  deflateEnd(&stream);
  return result;
}

} // namespace

std::unique_ptr<Decoder> decoderFor(std::string_view beginning) {
  if (beginning.starts_with("\x1f\x8b"))
    return std::make_unique<GzipDecoder>();
  if (beginning.starts_with("\x28\xb5\x2f\xfd"))
    return std::make_unique<ZstdDecoder>();
  return nullptr;
}

std::string compressed(const std::string &bytes, Compression compression) {
  switch (compression) {
  case Compression::None:
    break;
  case Compression::Gzip:
    return gzipped(bytes);
  case Compression::Zstd: {
    std::string result(ZSTD_compressBound(bytes.size()), '\0');
    const size_t size = ZSTD_compress(result.data(), result.size(), bytes.data(), bytes.size(), ZSTD_CLEVEL_DEFAULT);
    if (ZSTD_isError(size))
      throw std::bad_alloc();
    result.resize(size);
    return result;
  }
  }
  return bytes;
}

} // namespace spc::tensor
