// Vectors whose elements lie apart: kernels work on arrays.
#pragma once

#include "entry/allocator.h"

namespace spc::entry {

/// The dense vectors among one entry's arguments. A call whose strides are all 1 pays a comparison for each.
class StridedVectors {
public:
  StridedVectors(Entry &entry, Memory &memory) : entry_(entry), memory_(memory) {}

  /// Copies each vector whose stride is not 1 to an array, which every way out releases, and has the body get that.
  /// Leaves with Status::Memory. To be called before anything reads values.
  void gather();

  /// Copies the outputs among them back. To be called after the last step.
  void scatter();

private:
  struct Written {
    const TensorArgument *argument;
    mlir::Value isApart, array;
  };

  void gather(const TensorArgument &argument);

  Entry &entry_;
  Memory &memory_;
  std::vector<Written> written_;
};

} // namespace spc::entry
