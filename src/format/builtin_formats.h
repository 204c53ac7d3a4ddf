// The format files of formats/, which the executable holds.
#pragma once

#include <span>
#include <string_view>

namespace spc::format {

/// A format file: its name without `.json`, and its text.
struct BuiltinFormat {
  std::string_view name;
  std::string_view text;
};

/// All of them, sorted by name.
std::span<const BuiltinFormat> builtinFormats();

} // namespace spc::format
