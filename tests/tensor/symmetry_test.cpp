// Which matrices are symmetric.
#include "tensor/pack/symmetry.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace spc;
using namespace spc::tensor;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("symmetry is of values") {
  Coordinates matrix{{3, 3}, {0, 1, 2, 2, 1, 0}, {4, 1, 4}, {}, {}};
  CHECK(isSymmetric(matrix));
  matrix.values[2] = 5;
  CHECK(!isSymmetric(matrix));
  CHECK(!isSymmetric({{3, 3}, {0, 1}, {4}, {}, {}}));
  CHECK(!isSymmetric({{2, 3}, {}, {}, {}, {}}));
  CHECK(isSymmetric({{3, 3}, {}, {}, {}, {}}));
  CHECK(!isSymmetric({{3, 3}, {1, 1}, {kNaN}, {}, {}}));
  CHECK(!isSymmetric({{3, 3}, {0, 1, 1, 0}, {kNaN, kNaN}, {}, {}}));
}

TEST_CASE("mirror images are symmetric beside each other and apart") {
  CHECK(isSymmetric({{3, 3}, {0, 2, 2, 0, 1, 1}, {4, 4, 1}, {}, {}}));
  CHECK(isSymmetric({{3, 3}, {0, 2, 1, 1, 2, 0}, {4, 1, 4}, {}, {}}));
}

TEST_CASE("repeats are added up before they are compared") {
  CHECK(isSymmetric({{3, 3}, {0, 1, 0, 1, 1, 0}, {1, 2, 3}, {}, {}}));
  CHECK(!isSymmetric({{3, 3}, {0, 1, 0, 1, 1, 0}, {1, 2, 2}, {}, {}}));
  CHECK(isSymmetric({{3, 3}, {0, 1, 1, 0, 0, 1, 1, 0}, {1, 1, 2, 2}, {}, {}}));
}

TEST_CASE("imaginary parts are compared, too") {
  CHECK(isSymmetric({{2, 2}, {0, 1, 1, 0}, {1, 1}, {2, 2}, {}}));
  CHECK(!isSymmetric({{2, 2}, {0, 1, 1, 0}, {1, 1}, {2, -2}, {}}));
}

TEST_CASE("the first entry without its mirror image is found") {
  CHECK(withoutMirrorImage({{3, 3}, {0, 0, 0, 1, 1, 0}, {1, 2, 2}, {}, {}}) == std::nullopt);
  CHECK(withoutMirrorImage({{3, 3}, {0, 0, 0, 1, 1, 2}, {1, 2, 2}, {}, {}}) == 1);
  const int64_t large = int64_t{1} << 40;
  CHECK(withoutMirrorImage({{large, large}, {0, 1, 1, 0}, {2, 3}, {}, {}}) == 0);
  CHECK(withoutMirrorImage({{large, large}, {0, 1, 1, 0}, {2, 2}, {}, {}}) == std::nullopt);
}
