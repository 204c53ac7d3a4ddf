/* The checks of client programs, here and in tests/abi: C11 and C++17. */
#ifndef SPC_TESTS_EXPECT_H
#define SPC_TESTS_EXPECT_H

#include <math.h>
#include <stdio.h>

static int failures = 0;

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);                                         \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)

#define EXPECT_STATUS(expected, call)                                                                                  \
  do {                                                                                                                 \
    const spc_status got = (call);                                                                                     \
    if (got != (expected)) {                                                                                           \
      fprintf(stderr, "%s:%d: expected %s, got %d (%s)\n", __FILE__, __LINE__, #expected, (int)got,                    \
              spc_status_string(got));                                                                                 \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)

#define EXPECT_NEAR(expected, actual) EXPECT(fabs((double)(actual) - (double)(expected)) <= 1e-6)

#endif
