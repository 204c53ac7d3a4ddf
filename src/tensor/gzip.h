// Decompression of whole files in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spc::tensor {

/// Whether `bytes` start as gzip data does.
bool isGzip(std::string_view bytes);

/// Decompresses gzip data of one or more members. nullopt, with the reason in `error`, where it is damaged, ends early,
/// or gives more than `limit` bytes.
std::optional<std::string> gunzip(std::string_view bytes, size_t limit, std::string &error);

} // namespace spc::tensor
