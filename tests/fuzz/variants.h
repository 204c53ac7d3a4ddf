// Kernels that mean what another one means.
#pragma once

#include "harness/data.h"
#include "harness/kernel_under_test.h"

#include <optional>
#include <string>

namespace spc::testing {

/// What a variant changes.
enum class Variation {
  Storages,    ///< operands in other formats, permuted ones among them
  Indices,     ///< other names of index variables
  Operands,    ///< other names of operands
  Order,       ///< terms and factors in another order
  Distributed, ///< products of sums multiplied out
  Temporary,   ///< an operand that is read by way of a temporary
};

inline constexpr Variation kVariations[] = {Variation::Storages, Variation::Indices,     Variation::Operands,
                                            Variation::Order,    Variation::Distributed, Variation::Temporary};

const char *spelling(Variation variation);

struct Variant {
  KernelSpec spec;
  std::string meaning; ///< the statements of the original, with the variant's names of operands
};

/// The variant of a kernel that the compiler takes, or nullopt where it is the kernel itself.
std::optional<Variant> vary(const KernelSpec &spec, const KernelUnderTest &kernel, Variation variation, Random &random);

} // namespace spc::testing
