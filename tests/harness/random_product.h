// Random products of several factors, in spellings that mean the same.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace spc::testing {

/// What spellings of a product differ by: the order of factors and the places of sums, or temporaries and the
/// distribution of sums of two tensors as well.
enum class Spellings { Orders, All };

/// A product that is summed over the indices that its target lacks.
struct RandomProduct {
  struct Factor {
    std::string text; ///< "A(i,j)"
    std::vector<char> indices;
    std::string addend; ///< what is added to it, with the same indices, or nothing
    bool divides = false;
  };
  Spellings spellings = Spellings::All;
  std::string target; ///< "y(i)"
  std::vector<char> targetIndices;
  std::vector<Factor> factors;                ///< each shares an index with one before it, or is the first
  std::map<std::string, std::string> formats; ///< of tensors with indices

  /// The indices that are summed over, each once.
  std::vector<char> sums() const;
};

/// The seed for random products: SPC_TEST_SEED in the environment, or 41.
unsigned productSeed();

/// Two to five factors over up to four indices, of order 1 or 2, each dense or sparse, into a dense or a sparse target.
/// With all spellings some factors are sums of two tensors, of magnitudes where there are several sums: nothing can
/// cancel then. With a divisor it is divided by what is 1 or more, with indices of the factors.
RandomProduct randomProduct(std::mt19937 &random, Spellings spellings, bool hasDivisor = false);

/// Declarations of its tensors. Dimensions that an index runs over are as long in each spelling then: those that are
/// added up within one addend alone, too.
std::string declarationsOf(const RandomProduct &product);

/// Statements of the product: factors in another order; some sums written as sum(...) around the factors that have
/// their index, one within the other, or as temporaries; sums of tensors as they are, or a term for each addend.
std::string spellingOf(const RandomProduct &product, std::mt19937 &random);

} // namespace spc::testing
