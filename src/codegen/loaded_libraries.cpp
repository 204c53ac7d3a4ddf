// Apart from what includes LLVM, whose names <link.h> defines as macros.
#include "codegen/lld.h"

#include <string_view>

#if __has_include(<link.h>)
#include <link.h>

namespace spc::codegen {

std::vector<std::string> loadedCLibraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *found) {
        const std::string_view path = info->dlpi_name, name = path.substr(path.rfind('/') + 1);
        if (name.starts_with("libc.") || name.starts_with("libm.") || name.starts_with("ld-musl-"))
          static_cast<std::vector<std::string> *>(found)->emplace_back(path);
        return 0;
      },
      &paths);
  return paths;
}

} // namespace spc::codegen

#else

namespace spc::codegen {

std::vector<std::string> loadedCLibraries() {
  return {};
}

} // namespace spc::codegen

#endif
