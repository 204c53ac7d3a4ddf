#include "tensor/files/compression.h"

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

constexpr size_t kPiece = size_t{1} << 18; ///< of compressed bytes

void gzip(const ByteSource &bytes, const ByteSink &sink) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> ended(&stream, deflateEnd);
  std::string piece(kPiece, '\0');
  const auto step = [&](std::string_view in, int flush) {
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(in.data()));
    stream.avail_in = static_cast<uInt>(in.size());
    do {
      stream.next_out = reinterpret_cast<Bytef *>(piece.data());
      stream.avail_out = static_cast<uInt>(piece.size());
      deflate(&stream, flush);
      sink(std::string_view(piece).substr(0, piece.size() - stream.avail_out));
    } while (stream.avail_out == 0);
  };
  bytes([&](std::string_view in) {
    constexpr size_t kMost = std::numeric_limits<uInt>::max();
    for (; !in.empty(); in.remove_prefix(std::min(in.size(), kMost)))
      step(in.substr(0, kMost), Z_NO_FLUSH);
  });
  step({}, Z_FINISH);
}

void zstd(const ByteSource &bytes, const ByteSink &sink) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context)
    throw std::bad_alloc();
  std::string piece(kPiece, '\0');
  const auto step = [&](std::string_view in, ZSTD_EndDirective end) {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    for (size_t left = 1; end == ZSTD_e_end ? left != 0 : from.pos < from.size;) {
      ZSTD_outBuffer to{piece.data(), piece.size(), 0};
      left = ZSTD_compressStream2(context.get(), &to, &from, end);
      if (ZSTD_isError(left))
        throw std::bad_alloc();
      sink(std::string_view(piece).substr(0, to.pos));
    }
  };
  bytes([&](std::string_view in) { step(in, ZSTD_e_continue); });
  step({}, ZSTD_e_end);
}

} // namespace

std::unique_ptr<Decoder> decoderFor(std::string_view beginning) {
  if (beginning.starts_with("\x1f\x8b"))
    return std::make_unique<GzipDecoder>();
  if (beginning.starts_with("\x28\xb5\x2f\xfd"))
    return std::make_unique<ZstdDecoder>();
  return nullptr;
}

ByteSource compressed(ByteSource bytes, Compression compression) {
  switch (compression) {
  case Compression::None:
    break;
  case Compression::Gzip:
    return [bytes = std::move(bytes)](const ByteSink &sink) { gzip(bytes, sink); };
  case Compression::Zstd:
    return [bytes = std::move(bytes)](const ByteSink &sink) { zstd(bytes, sink); };
  }
  return bytes;
}

} // namespace spc::tensor
