/* An argument of a kernel that TACO generates, whichever version's taco_tensor_t it takes. C and C++. */
#ifndef SPC_TACO_OPERAND_H
#define SPC_TACO_OPERAND_H

#include <stdint.h>

enum { kTacoMostLevels = 3, kTacoMostOperands = 4 };

/* Each dimension is a level, in order. */
typedef struct {
  int32_t order;
  int32_t shape[kTacoMostLevels];
  const int32_t *pointers[kTacoMostLevels]; /* NULL: the level is dense */
  const int32_t *indices[kTacoMostLevels];
  void *values;
} TacoOperand;

#endif
