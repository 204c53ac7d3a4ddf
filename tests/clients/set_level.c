/* Linked into a program, takes the level of x86-64 that its kernels run for from the environment. */
#include <stdint.h>
#include <stdlib.h>

extern int32_t spc_x86_64_level;

__attribute__((constructor)) static void set_level(void) {
  const char *level = getenv("LEVEL");
  if (level)
    spc_x86_64_level = atoi(level);
}
