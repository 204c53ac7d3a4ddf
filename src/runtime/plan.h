// What the symbolic phase leaves to the numeric one, in one block of memory. Freestanding.
#pragma once

#include "runtime/memory.h"
#include "runtime/runtime.h"

namespace spc::runtime {

enum class PlanKind : int64_t {
  Check,  ///< whether structures are those that the plan is of, and no more
  Gather, ///< by place of the target: the values that it is the sum of
  Places, ///< by key that a body meets: its place
  Merge,  ///< by place of the target: which operands have an entry there; or by entry of each operand: its place
};

/// The start of a plan's block. Arrays follow it, each at a multiple of 8 bytes.
struct PlanHead {
  int64_t check;  ///< Planning::check of the call that has made it
  int64_t target; ///< the fingerprint of the result
  PlanKind kind;
  int64_t positionBytes; ///< of Gather: 4 or 8, of unsigned numbers
  int64_t sources;       ///< of Gather: values that there are
  int64_t starts;    ///< of Gather: the offset of an array of starts by place, and one more; 0: each has one at most
  int64_t positions; ///< of Gather: the offset of an array of positions, in the order of the sums; without starts one
                     ///< more than the position, or 0. 0: values are copied as they are
  int64_t rows;      ///< of Places: the offset of the array of rows, and one more
  int64_t places;    ///< of Places: the offset of the array of places
  int64_t masks;     ///< of Merge: the offset of the bytes, or of the places
};

inline const void *arrayOf(const PlanHead &head, int64_t offset) {
  return reinterpret_cast<const char *>(&head) + offset;
}
inline void *arrayOf(PlanHead &head, int64_t offset) {
  return reinterpret_cast<char *>(&head) + offset;
}

/// Whether a call makes a plan, or goes by one.
inline bool hasPlan(const Planning *planning) {
  return planning && planning->plan;
}

/// A plan's block while it is made. Released with the scope unless it is handed over.
class PlanBlock {
public:
  explicit PlanBlock(const Allocator &allocator) : block_(allocator) { layout_.add(1, sizeof(PlanHead)); }

  /// The offset of an array. To be called before allocate().
  int64_t add(int64_t count, int64_t bytes) { return layout_.add(count, bytes); }
  bool allocate() { return block_.allocate(layout_); }
  void *at(int64_t offset) const { return block_.at(offset); }

  /// Hands the block over. `head` lacks its fingerprints.
  void hand(const Planning &planning, const Tensor &target, PlanHead head) {
    head.check = planning.check;
    head.target = spc_rt_fingerprint(&target, 0, planning.isWhole);
    *reinterpret_cast<PlanHead *>(block_.at(0)) = head;
    *planning.plan = {block_.at(0), layout_.total()};
    block_.keep();
  }

private:
  Layout layout_;
  Block block_;
};

/// The plan that a numeric phase goes by; null where it is of other structures. Requires: hasPlan().
const PlanHead *openPlan(const Planning &planning, const Tensor &target);

} // namespace spc::runtime
