// Tensors made up on the command line of `spc run`: x=ones, B=random:1000x64:seed=1.
#pragma once

#include "support/diagnostic.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spc::tensor {

/// A made-up input, such as `random:1000x64:seed=1`.
struct Generator {
  enum class Kind { Zeros, Ones, Random };

  Kind kind = Kind::Zeros;
  std::optional<std::vector<int64_t>> shape; ///< nullopt: as the kernel's other sizes say
  std::optional<double> density;             ///< share of the elements that are entries; nullopt: all
  uint64_t seed = 1;
};

/// Whether `text` starts as a generator does: "ones", "zeros" or "random", alone or with a ':' after it. A file of such
/// a name is written ./ones.
bool isGenerator(const std::string &text);

/// Reads `ones`, `zeros` or `random`, then in any order and each after a ':' a shape (1000x64) and, for random, a
/// `density=` above 0 up to 1 and a `seed=`. Reports at `where` what it cannot read, and gives nullopt.
std::optional<Generator> readGenerator(const std::string &text, Span where, Diagnostics &diagnostics);

/// How many entries generate() makes; it takes 8 * (order + 1) bytes for each.
double entryCount(const Generator &generator, const std::vector<int64_t> &shape);

/// The tensor of `shape`, whatever the generator's own says: every element for ones and dense random values, no entry
/// for zeros, round(density * elements) entries at distinct random places otherwise. Random values are uniform in
/// [-1, 1). Entries are sorted. The same everywhere for the same seed. Throws std::bad_alloc.
Coordinates generate(const Generator &generator, const std::vector<int64_t> &shape);

/// Makes generated values ones that a type has: whole numbers from -100 to 99 of integers (from 0 to 100 where they are
/// unsigned), true where it is not negative of bools; floats and complex numbers stay.
void fitValues(Coordinates &entries, sema::ValueType type);

} // namespace spc::tensor
