#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Catch2's main, whose memory stays with the process: what tests give back they ask for again, and the system would clear
/// each page of it anew.
int main(int count, char **arguments) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  return Catch::Session().run(count, arguments);
}
