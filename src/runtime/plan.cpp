#include "runtime/plan.h"

namespace spc::runtime {

const PlanHead *openPlan(const Planning &planning, const Tensor &target) {
  const auto *head = static_cast<const PlanHead *>(planning.plan->memory);
  const bool isOfThese = head && planning.plan->bytes >= static_cast<int64_t>(sizeof(PlanHead)) &&
                         head->check == planning.check &&
                         head->target == spc_rt_fingerprint(&target, 0, planning.isWhole);
  return isOfThese ? head : nullptr;
}

} // namespace spc::runtime
