/* Arrays between pages that no one may touch: a read or write right before or right after one ends the program.
 * Include first: it asks the system's headers for mmap's flags. */
#ifndef SPC_TESTS_GUARDED_H
#define SPC_TESTS_GUARDED_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_BLOCKS = 16 };

static struct {
  char *start; /* of the first guard page */
  size_t inside;
} guarded_blocks[MOST_BLOCKS];
static int guarded_count = 0;

/* Whether arrays end right before a guard page, or start right after one. What is left of their pages is 0xff bytes:
 * NaNs to whoever reads numbers there, and far away to whoever reads indices. */
static int guarded_at_end = 0;

static void *guarded(int64_t elements, size_t size) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)elements * size;
  const size_t inside = (bytes + page - 1) / page * page;
  char *start = (char *)mmap(NULL, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED || guarded_count == MOST_BLOCKS)
    abort();
  if (inside > 0 && mprotect(start + page, inside, PROT_READ | PROT_WRITE) != 0)
    abort();
  memset(start + page, 0xff, inside);
  guarded_blocks[guarded_count].start = start;
  guarded_blocks[guarded_count++].inside = inside;
  return start + page + (guarded_at_end ? inside - bytes : 0);
}

/* From here on, what there is so far may only be read. */
static void guarded_freeze(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (int k = 0; k < guarded_count; ++k)
    if (guarded_blocks[k].inside > 0 &&
        mprotect(guarded_blocks[k].start + page, guarded_blocks[k].inside, PROT_READ) != 0)
      abort();
}

static void guarded_release(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  while (guarded_count > 0) {
    --guarded_count;
    munmap(guarded_blocks[guarded_count].start, guarded_blocks[guarded_count].inside + 2 * page);
  }
}

/* Whether reading a byte ends a process; a child tries it. */
static int read_is_fatal(const volatile char *byte) {
  const pid_t child = fork();
  int status = 0;
  if (child < 0)
    abort();
  if (child == 0)
    _exit((int)*byte & 0);
  if (waitpid(child, &status, 0) != child)
    abort();
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

#endif
