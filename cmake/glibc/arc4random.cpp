// arc4random() for C libraries before glibc 2.36. LLVM and libstdc++ call it for the names of temporary files; without
// that call, what Debian 12 links runs with glibc 2.34 and later. SPDX-License-Identifier: Apache-2.0

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
    if (errno != EINTR)
      std::abort(); // as the C library's does
  }
  return number;
}
