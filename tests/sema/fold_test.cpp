// Numbers worked out at compile time, against the machine's arithmetic.
#include "sema/fold.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace spc::sema::test {
namespace {

/// A number of a type as fold has it.
template <typename T> double folded(T number) {
  if (number == std::numeric_limits<T>::max())
    return HUGE_VAL;
  return number == std::numeric_limits<T>::min() && number != 0 ? -HUGE_VAL : static_cast<double>(number);
}

template <typename T> size_t mismatches(ValueType type) {
  using Limits = std::numeric_limits<T>;
  size_t wrong = 0;
  for (int a = Limits::min(); a <= Limits::max(); ++a) {
    const double x = folded(static_cast<T>(a));
    wrong += foldNegate(type, x) != folded(static_cast<T>(-a));
    wrong += fold(Function::Abs, type, {x}) != folded(static_cast<T>(a < 0 ? -a : a));
    wrong += foldCast(ValueType::F64, type, x) != a;
    wrong += foldCast(type, ValueType::F64, a) != x;
    wrong += foldCast(ValueType::I32, type, x) != a;
    wrong += foldCast(type, ValueType::I32, a + 512) != x;
    for (int b = Limits::min(); b <= Limits::max(); ++b) {
      const double y = folded(static_cast<T>(b));
      wrong += fold(BinaryOp::Add, type, x, y) != folded(static_cast<T>(a + b));
      wrong += fold(BinaryOp::Sub, type, x, y) != folded(static_cast<T>(a - b));
      wrong += fold(BinaryOp::Mul, type, x, y) != folded(static_cast<T>(a * b));
      wrong += fold(Function::Min, type, {x, y}) != folded(static_cast<T>(std::min(a, b)));
      wrong += fold(Function::Less, type, {x, y}) != (a < b);
      wrong += fold(Function::Modulo, type, {x, y}) != folded(static_cast<T>(b == 0 ? 0 : a % b));
      wrong += fold(Function::Divide, type, {x, y}) != folded(static_cast<T>(b == 0 ? 0 : a / b));
      wrong += fold(Function::BitAnd, type, {x, y}) != folded(static_cast<T>(a & b));
      wrong += fold(Function::BitOr, type, {x, y}) != folded(static_cast<T>(a | b));
      wrong += fold(Function::BitXor, type, {x, y}) != folded(static_cast<T>(a ^ b));
      const bool isOut = b < 0 || b > 7;
      wrong += fold(Function::ShiftLeft, type, {x, y}) != folded(static_cast<T>(isOut ? 0 : a * (1 << (b & 7))));
      wrong += fold(Function::ShiftRight, type, {x, y}) != folded(static_cast<T>(a >> (isOut ? 8 : b)));
      const bool isMost = a == Limits::max() || b == Limits::max(), isLeast = a == Limits::min() || b == Limits::min();
      const int low = isMost ? Limits::max() : std::clamp(a + b, int(Limits::min()), Limits::max() - 1);
      const int high = isLeast ? Limits::min() : std::clamp(a + b, Limits::min() + 1, int(Limits::max()));
      wrong += fold(Function::MinPlus, type, {x, y}) != folded(static_cast<T>(low));
      wrong += fold(Function::MaxPlus, type, {x, y}) != folded(static_cast<T>(high));
    }
  }
  return wrong;
}

} // namespace

TEST_CASE("integers are folded as the machine computes them") {
  CHECK(mismatches<int8_t>(ValueType::I8) == 0);
  CHECK(mismatches<uint8_t>(ValueType::U8) == 0);
}

TEST_CASE("the ends of wide integers") {
  using enum ValueType;
  CHECK(fold(BinaryOp::Add, I64, HUGE_VAL, 1) == -HUGE_VAL);
  CHECK(fold(BinaryOp::Sub, U64, 0, 1) == HUGE_VAL);
  CHECK(fold(BinaryOp::Add, U64, HUGE_VAL, 4) == 3.0);
  CHECK_FALSE(fold(BinaryOp::Sub, I64, HUGE_VAL, 1)); // no double has it
  CHECK(fold(BinaryOp::Mul, I64, HUGE_VAL, 0) == 0.0);
  CHECK(foldCast(I32, I64, HUGE_VAL) == -1.0);
  CHECK(foldCast(I64, U32, HUGE_VAL) == 4294967295.0);
  CHECK(foldCast(F64, U64, HUGE_VAL) == 0x1p64);
  CHECK(foldCast(F32, I64, -HUGE_VAL) == -0x1p63);
  CHECK(foldCast(U64, F64, HUGE_VAL) == HUGE_VAL);
  CHECK(foldCast(U64, F64, -HUGE_VAL) == 0.0);
  CHECK(foldCast(I16, F32, -40000) == -HUGE_VAL);
  CHECK(fold(Function::MinPlus, I64, {-HUGE_VAL, -1}) == -HUGE_VAL);
  CHECK(fold(Function::MinPlus, I64, {HUGE_VAL, -HUGE_VAL}) == HUGE_VAL);
  CHECK_FALSE(fold(Function::MinPlus, U64, {0x1p52, HUGE_VAL}) != HUGE_VAL);
  CHECK(fold(Function::MaxPlus, U64, {HUGE_VAL, 5}) == HUGE_VAL);
  CHECK(fold(Function::MaxPlus, U64, {HUGE_VAL, 0}) == 0.0);
  CHECK(fold(Function::Divide, I64, {-HUGE_VAL, -1}) == -HUGE_VAL);
  CHECK(fold(Function::Divide, I32, {-HUGE_VAL, 0}) == 0.0);
  CHECK(fold(Function::ShiftRight, I64, {-HUGE_VAL, 63}) == -1.0);
  CHECK(fold(Function::ShiftRight, U64, {HUGE_VAL, 64}) == 0.0);
  CHECK(fold(Function::ShiftLeft, I64, {1, 63}) == -HUGE_VAL);
  CHECK(fold(Function::BitXor, U64, {HUGE_VAL, HUGE_VAL}) == 0.0);
}

TEST_CASE("functions that are folded where the result is exact") {
  using enum ValueType;
  CHECK(fold(Function::RoundEven, F64, {2.5}) == 2.0);
  CHECK(fold(Function::RoundEven, F64, {-3.5}) == -4.0);
  CHECK(fold(Function::Trunc, F32, {-2.75}) == -2.0);
  CHECK(fold(Function::Exp2, F64, {0}) == 1.0);
  CHECK(fold(Function::Exp2, F64, {-HUGE_VAL}) == 0.0);
  CHECK(fold(Function::Log2, F64, {1}) == 0.0);
  CHECK_FALSE(fold(Function::Log2, F64, {0}));
  CHECK(fold(Function::Cosh, F64, {0}) == 1.0);
  CHECK(fold(Function::Cosh, F64, {-HUGE_VAL}) == HUGE_VAL);
  CHECK(fold(Function::Sinh, F64, {-HUGE_VAL}) == -HUGE_VAL);
  CHECK_FALSE(fold(Function::Acos, F64, {0}));
  CHECK_FALSE(fold(Function::Acosh, F64, {0}));
  CHECK_FALSE(fold(Function::Atan, F64, {HUGE_VAL}));
  for (const Function function : {Function::Sinh, Function::Asin, Function::Atan, Function::Asinh, Function::Atanh})
    CHECK(fold(function, F64, {0}) == 0.0);
  CHECK(fold(Function::CopySign, F64, {3, -0.0}) == -3.0);
  CHECK(fold(Function::MinNumber, F64, {3, -2, HUGE_VAL}) == -2.0);
  CHECK(fold(Function::MaxNumber, F64, {3, -2, HUGE_VAL}) == HUGE_VAL);
}

TEST_CASE("known numbers in words") {
  using enum ValueType;
  CHECK(textOf(F64, HUGE_VAL) == "inf");
  CHECK(textOf(F32, -HUGE_VAL) == "-inf");
  CHECK(textOf(F64, 0.5) == "0.5");
  CHECK(textOf(Bool, 1) == "true");
  CHECK(textOf(Bool, 0) == "false");
  CHECK(textOf(I8, HUGE_VAL) == "127");
  CHECK(textOf(I8, -HUGE_VAL) == "-128");
  CHECK(textOf(U16, HUGE_VAL) == "65535");
  CHECK(textOf(I64, HUGE_VAL) == "9223372036854775807");
  CHECK(textOf(I64, -HUGE_VAL) == "-9223372036854775808");
  CHECK(textOf(U64, HUGE_VAL) == "18446744073709551615");
  CHECK(textOf(I32, -7) == "-7");
}

} // namespace spc::sema::test
