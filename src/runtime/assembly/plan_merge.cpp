// Elementwise statements in two phases: the symbolic one notes which operands have an entry at each place.
#include "runtime/hot.h"
#include "runtime/levels/walk.h"
#include "runtime/plan.h"
#include "runtime/workers.h"

namespace spc::runtime {
namespace {

/// The rows of dense levels above a compressed one, and its entries.
struct Rows {
  explicit Rows(const Tensor &of) : tensor(of), list(of.levels[of.order - 1]) {
    for (int64_t k = 0; k + 1 < of.order; ++k)
      count *= of.levels[k].extent;
  }

  int64_t begin(int64_t row) const {
    return tensor.order == 1 ? row * list.count : load(list.pointers, tensor.pointerBytes, row);
  }
  int64_t entries() const { return tensor.stored == 0 || count == 0 ? 0 : begin(count) - begin(0); }
  int64_t column(int64_t position) const { return load(list.indices, tensor.indexBytes, position); }

  const Tensor &tensor;
  const Level &list;
  int64_t count = 1;
};

/// Notes the places of the entries of rows [first, last) of an operand, of whose entries the target has all.
SPC_HOT void placeRows(const Rows &target, const Rows &operand, int64_t first, int64_t last, uint32_t *places) {
  const int64_t before = operand.begin(0);
  for (int64_t row = first; row < last; ++row) {
    int64_t p = target.begin(row);
    for (int64_t at = operand.begin(row), end = operand.begin(row + 1); at < end; ++at, ++p) {
      for (const int64_t column = operand.column(at); target.column(p) != column;)
        ++p;
      places[at - before] = static_cast<uint32_t>(p);
    }
  }
}

/// Sets `bit` of the entries of rows [first, last) that the operand has, too.
SPC_HOT void markRows(const Rows &target, const Rows &operand, int64_t first, int64_t last, uint8_t bit,
                      uint8_t *masks) {
  for (int64_t row = first; row < last; ++row) {
    int64_t at = operand.begin(row);
    const int64_t end = operand.begin(row + 1), targetEnd = target.begin(row + 1);
    for (int64_t p = target.begin(row); p < targetEnd && at < end; ++p)
      if (operand.column(at) == target.column(p)) {
        masks[p] = static_cast<uint8_t>(masks[p] | bit);
        ++at;
      }
  }
}

} // namespace

extern "C" int32_t spc_rt_plan_merge(const Allocator *allocator, const Workers *workers, const Source *operands,
                                     const Tensor *target, const Planning *planning) {
  if (!hasPlan(planning))
    return static_cast<int32_t>(Status::Ok);
  PlanBlock block(*allocator);
  PlanHead head = {};
  head.kind = PlanKind::Merge;
  head.masks = block.add(target->stored + 1, 1);
  if (!block.allocate())
    return static_cast<int32_t>(Status::Memory);
  auto *masks = static_cast<uint8_t *>(block.at(head.masks));
  fillWithZeros(masks, target->stored + 1);
  const Rows rows(*target);
  const int64_t tasks = target->stored > 0 ? tasksFor(*workers, target->stored) : 0;
  forAll(*workers, tasks, [&](int64_t task) {
    const int64_t first = shareBegin(rows.count, task, tasks), last = shareBegin(rows.count, task + 1, tasks);
    uint8_t bit = 1;
    for (const Source *operand = operands; operand; operand = operand->next) {
      if (operand->tensor->stored > 0)
        markRows(rows, Rows(*operand->tensor), first, last, bit, masks + 1);
      bit = static_cast<uint8_t>(bit << 1);
    }
  });
  block.hand(*planning, *target, head);
  return static_cast<int32_t>(Status::Ok);
}

extern "C" int32_t spc_rt_plan_addends(const Allocator *allocator, const Workers *workers, const Source *operands,
                                       const Tensor *target, const Planning *planning) {
  if (!hasPlan(planning))
    return static_cast<int32_t>(Status::Ok);
  const Rows rows(*target);
  int64_t entries = 0;
  for (const Source *operand = operands; operand; operand = operand->next)
    entries += Rows(*operand->tensor).entries();
  PlanBlock block(*allocator);
  PlanHead head = {};
  const bool areNarrow = target->stored <= UINT32_MAX;
  head.kind = areNarrow ? PlanKind::Merge : PlanKind::Check;
  // First, by operand, whether it has all entries of the target, whose places are then not looked at.
  int64_t count = 0;
  for (const Source *operand = operands; operand; operand = operand->next)
    ++count;
  head.masks = block.add(areNarrow ? entries + count : 0, sizeof(uint32_t));
  if (!block.allocate())
    return static_cast<int32_t>(Status::Memory);
  auto *hasAll = static_cast<uint32_t *>(block.at(head.masks)), *places = hasAll + count;
  for (const Source *operand = areNarrow ? operands : nullptr; operand; operand = operand->next) {
    const Rows own(*operand->tensor);
    *hasAll++ = own.entries() == target->stored ? 1 : 0;
    const int64_t tasks = tasksFor(*workers, own.entries());
    forAll(*workers, own.entries() > 0 ? tasks : 0, [&](int64_t task) {
      placeRows(rows, own, shareBegin(rows.count, task, tasks), shareBegin(rows.count, task + 1, tasks), places);
    });
    places += own.entries();
  }
  block.hand(*planning, *target, head);
  return static_cast<int32_t>(Status::Ok);
}

extern "C" int32_t spc_rt_open_merge(const Tensor *target, const Planning *planning, const void **noted) {
  *noted = nullptr;
  if (!hasPlan(planning))
    return static_cast<int32_t>(Status::Ok);
  const PlanHead *const head = openPlan(*planning, *target);
  if (!head)
    return static_cast<int32_t>(Status::Pattern);
  if (head->kind == PlanKind::Merge)
    *noted = arrayOf(*head, head->masks);
  return static_cast<int32_t>(Status::Ok);
}

} // namespace spc::runtime
