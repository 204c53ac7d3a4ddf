/* Plans of calls in two phases. C11 and C++17. Every generated header carries this text after that of spc/spc.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_PLAN_H
#define SPC_PLAN_H

#ifndef SPC_CONVENTION_H
#include "spc.h"
#endif

/* A plan, which NAME_symbolic leaves to NAME_numeric, so that this need not find places anew. The caller owns it.
 * NAME_symbolic sets it, whatever it was; any number of calls of NAME_numeric may read it, also at the same time. */
typedef struct spc_plan {
  void *memory;  /* one block; NULL: no plan */
  int64_t bytes; /* its size */
} spc_plan;

SPC_DETAIL_ASSERT_FIELD(spc_plan, memory, 0);
SPC_DETAIL_ASSERT_FIELD(spc_plan, bytes, 1);
SPC_DETAIL_ASSERT_SIZE(spc_plan, 2);

/* Releases a plan, which NAME_symbolic_ctx has made with this context; NULL is fine, and so is an empty plan. */
static inline void spc_plan_free_ctx(const spc_context *ctx, spc_plan *plan) {
  if (plan == NULL)
    return;
  spc_detail_release(ctx, plan->memory);
  plan->memory = NULL;
  plan->bytes = 0;
}

/* The same of one that NAME_symbolic has made. */
static inline void spc_plan_free(spc_plan *plan) {
  spc_plan_free_ctx(NULL, plan);
}

#endif
