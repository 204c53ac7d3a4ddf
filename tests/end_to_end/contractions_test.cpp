// Random products of several factors in several spellings: the sums are taken in whichever order costs least.
#include "end_to_end/expressions.h"
#include "harness/random_product.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

TEST_CASE("random products in two spellings", "[chains]") {
  std::mt19937 random(41);
  const int products = takesAll() ? 2500 : 40;
  for (int number = 0; number < products; ++number) {
    const RandomProduct product = randomProduct(random);
    for (int spelling = 0; spelling < 2; ++spelling) {
      KernelSpec spec =
          specFor(spellingOf(product, random), product.formats, static_cast<size_t>(2 * number + spelling));
      spec.optLevel = takesAll() ? spec.optLevel : seldomOptimised(static_cast<size_t>(number));
      check(spec);
    }
  }
}
