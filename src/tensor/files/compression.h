// Compressed bytes: gzip and Zstandard. Private to this folder, but for compressed().
#pragma once

#include "support/output_file.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace spc::tensor {

enum class Compression { None, Gzip, Zstd };

/// Decompresses what comes piece by piece: members, or frames, one after the other.
class Decoder {
public:
  virtual ~Decoder() = default;

  /// Reads from `in` and writes to `out`, both of which become what is left. Gives what is wrong with the bytes; an
  /// empty text where nothing is.
  virtual std::string step(std::string_view &in, std::span<char> &out) = 0;

  /// Whether a member has begun and not ended.
  bool inMember() const { return inMember_; }

protected:
  bool inMember_ = true;
};

/// The program that decompresses a file that begins so; null of one that is not compressed.
std::unique_ptr<Decoder> decoderFor(std::string_view beginning);

/// How many bytes decoderFor() looks at.
constexpr size_t kCompressionMagic = 4;

/// The source's bytes as a compressed file holds them, the same in each run, made as it is asked for. Throws
/// std::bad_alloc.
ByteSource compressed(ByteSource bytes, Compression compression);

} // namespace spc::tensor
