// One data set of `spc tune` in memory, and calls of candidates on it.
#pragma once

#include "driver/shell/front_end.h"
#include "driver/shell/session.h"
#include "host/inputs.h"
#include "host/kernel_call.h"
#include "tune/candidates.h"
#include "tune/choice.h"
#include "tune/extent_orders.h"

#include "spc/spc.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// A candidate compiled into memory.
struct TuneCode {
  sema::Kernel kernel;
  abi::Signature signature;
  std::unique_ptr<codegen::JitKernel> code;
  uint64_t hash = 0;   ///< the same for the same code
  bool isSlow = false; ///< its loops take many times the steps of what spc would choose
};

/// The arguments of calls of kernels that have the same formats, on data in one order.
struct TuneArguments {
  std::vector<host::CallArgument> arguments;
  std::vector<void *> addresses; ///< by parameter
  std::vector<tensor::PackedTensor *>
      tensors;                            ///< by parameter; of the data set's own or in `arguments`, null of scalars
  std::vector<host::SavedArgument> saved; ///< by parameter, before the first call
  double packSeconds = 0;                 ///< what it took to pack the sparse ones from lists of their entries
};

/// The cost of putting the dense operands in an order and the dense results back.
struct TunePermutingCost {
  double seconds = 0;
  bool hasSparseResult = false; ///< which is not put back
};

/// The tensors of a data set by name, in no format; dense ones that are made up are packed once for all candidates.
class TuneData {
public:
  /// Reads the inputs of `kernel`, the one with default formats. nullptr with errors reported.
  static std::unique_ptr<TuneData> read(Session &session, const sema::Kernel &kernel, const syntax::Kernel &tree,
                                        const host::InputOptions &options);

  /// The entries of a sparse operand, or of one that a file gives; null of others.
  const tensor::Coordinates *entriesOf(const std::string &tensor) const;

  /// The orders that are tried on this data: the first one leaves all as it is. They last as long as this.
  void findOrders(const sema::Kernel &kernel, const std::vector<std::string> &sparse, double mostPartsSeconds);
  const std::vector<tune::ExtentOrders> &orders() const { return orders_; }

  /// Packs the arguments of a candidate, the data in one of orders(). nullptr where it does not fit.
  std::shared_ptr<TuneArguments> pack(const TuneCode &candidate, size_t order);

  /// Measured once for each order.
  TunePermutingCost permutingCost(const TuneCode &fallback, size_t order);

  /// The cost of an operand in a format, next to the default one.
  struct Cost {
    double times = 1; ///< bytes that a call moves, over those of the default
    bool fitsMemory = true;
  };
  Cost costs(const sema::Kernel &fallback, const std::string &tensor, const format::Format &format, size_t order);

  /// What a call of a kernel is given, the data in one of orders().
  host::Inputs inputsFor(const sema::Kernel &kernel, size_t order) const;

  std::string label; ///< the file that tells the data sets apart

private:
  TunePermutingCost measurePermuting(const TuneCode &fallback, size_t order) const;
  double rowBytes(const sema::Kernel &fallback, sema::ExtentId columns) const;
  tensor::PackedTensor *denseOf(const sema::Tensor &tensor, const std::vector<int64_t> &shape);

  struct Input {
    std::optional<tensor::Coordinates> entries;
    tensor::Number scalar;
  };
  std::map<std::string, Input> inputs_;
  std::map<std::string, int64_t> sizes_;            ///< of extents
  std::map<std::string, sema::ExtentId> extentIds_; ///< of the default kernel, as the orders have them
  std::map<std::string, tensor::PackedTensor> dense_;
  std::vector<tune::ExtentOrders> orders_;
  std::map<size_t, TunePermutingCost> permuting_;                    ///< by order
  std::map<std::pair<std::string, size_t>, tune::Pattern> patterns_; ///< of operands that are matrices, by order
};

/// Seconds of one call; what the one before has assembled is freed. nullopt where the kernel returns a status that is
/// an error, which `status` then is.
std::optional<double> timedCall(const TuneCode &candidate, TuneArguments &arguments, const spc_context *context,
                                spc_status &status);

} // namespace spc::driver
