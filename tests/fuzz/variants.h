// Kernels that mean what another one means.
#pragma once

#include "harness/data.h"
#include "harness/kernel_under_test.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spc::testing {

/// What a variant changes.
enum class Variation {
  Storages,    ///< operands in other formats, permuted ones among them
  Indices,     ///< other names of index variables
  Operands,    ///< other names of operands
  Order,       ///< terms and factors in another order
  Distributed, ///< products of sums multiplied out
  Temporary,   ///< an operand that is read by way of a temporary
  Dimensions,  ///< a tensor with its dimensions in another order, and read transposed
  Inlined,     ///< a temporary's right side in place of the temporary
  Signature,   ///< arguments in another order
};

inline constexpr Variation kVariations[] = {Variation::Storages,   Variation::Indices,     Variation::Operands,
                                            Variation::Order,      Variation::Distributed, Variation::Temporary,
                                            Variation::Dimensions, Variation::Inlined,     Variation::Signature};

const char *spelling(Variation variation);

struct Variant {
  KernelSpec spec;
  std::string meaning; ///< the statements of the original, with the variant's names of operands
  std::map<std::string, std::vector<int>> dimensions = {}; ///< as in Meaning
  bool lacksTemporary = false;                             ///< that the original has
};

/// The variant of a kernel that the compiler takes, or nullopt where it is the kernel itself.
std::optional<Variant> vary(const KernelSpec &spec, const KernelUnderTest &kernel, Variation variation, Random &random);

} // namespace spc::testing
