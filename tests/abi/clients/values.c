/* Value types of the C interface: layouts, and half-precision numbers to and from float. */
#include "sddmm.h"

#include "../../clients/expect.h"

#ifdef __cplusplus
#include <complex>
#else
#include <complex.h>
#endif

static spc_f16 f16_of(uint32_t bits) {
  const spc_f16 half = {SPC_DETAIL_CAST(uint16_t, bits)};
  return half;
}

static spc_bf16 bf16_of(uint32_t bits) {
  const spc_bf16 half = {SPC_DETAIL_CAST(uint16_t, bits)};
  return half;
}

/* Every pattern survives the way to float and back; numbers between two neighbours go to the nearer one, ties to even.
 */
static void check_f16(void) {
  uint32_t bits;
  for (bits = 0; bits <= 0xffffu; ++bits) {
    const spc_f16 half = f16_of(bits);
    const float number = spc_f16_to_float(half);
    if (isnan(number)) {
      EXPECT((bits & 0x7c00u) == 0x7c00u && isnan(spc_f16_to_float(spc_f16_from_float(number))));
      continue;
    }
    EXPECT(spc_f16_from_float(number).bits == bits);
    if ((bits & 0x7fffu) < 0x7bffu) {
      const float next = spc_f16_to_float(f16_of(bits + 1));
      const float middle = number + (next - number) / 2;
      EXPECT(spc_f16_from_float(middle).bits == ((bits & 1u) != 0 ? bits + 1 : bits));
      EXPECT(spc_f16_from_float(nextafterf(middle, number)).bits == bits);
      EXPECT(spc_f16_from_float(nextafterf(middle, next)).bits == bits + 1);
    }
  }
  EXPECT(spc_f16_to_float(f16_of(0x3c00)) >= 1.0f && spc_f16_to_float(f16_of(0x3c00)) <= 1.0f);
  EXPECT(spc_f16_from_float(-2.0f).bits == 0xc000);
  EXPECT(spc_f16_from_float(65519.0f).bits == 0x7bff);
  EXPECT(spc_f16_from_float(65520.0f).bits == 0x7c00);
  EXPECT(spc_f16_from_float(-3e38f).bits == 0xfc00);
  EXPECT(spc_f16_from_float(1e-30f).bits == 0);
  EXPECT(spc_f16_from_float(-1e-30f).bits == 0x8000);
  EXPECT(spc_f16_from_float(spc_detail_float_of_bits(0xff800001u)).bits == 0xfe00);
}

static void check_bf16(void) {
  uint32_t bits;
  for (bits = 0; bits <= 0xffffu; ++bits) {
    const spc_bf16 half = bf16_of(bits);
    const float number = spc_bf16_to_float(half);
    const uint32_t whole = bits << 16;
    if (isnan(number)) {
      EXPECT(isnan(spc_bf16_to_float(spc_bf16_from_float(number))));
      continue;
    }
    EXPECT(spc_bf16_from_float(number).bits == bits);
    if ((bits & 0x7fffu) < 0x7f80u) {
      EXPECT(spc_bf16_from_float(spc_detail_float_of_bits(whole + 0x7fffu)).bits == bits);
      EXPECT(spc_bf16_from_float(spc_detail_float_of_bits(whole + 0x8000u)).bits ==
             ((bits & 1u) != 0 ? bits + 1 : bits));
      EXPECT(spc_bf16_from_float(spc_detail_float_of_bits(whole + 0x8001u)).bits == bits + 1);
    }
  }
  EXPECT(spc_bf16_from_float(1.0f).bits == 0x3f80);
  EXPECT(spc_bf16_from_float(3.4e38f).bits == 0x7f80);
  EXPECT(isnan(spc_bf16_to_float(spc_bf16_from_float(spc_detail_float_of_bits(0x7f800001u)))));
}

static void check_complex(void) {
  const spc_cf64 number = {1.5, -2.5};
#ifdef __cplusplus
  std::complex<double> other;
#else
  double _Complex other;
#endif
  spc_cf64 back;
  void *place = &other;
  memcpy(place, &number, sizeof other);
  memcpy(&back, place, sizeof back);
#ifdef __cplusplus
  EXPECT(sizeof other == sizeof number && !(other.real() < 1.5) && !(other.imag() > -2.5));
#else
  EXPECT(sizeof other == sizeof number && !(creal(other) < 1.5) && !(cimag(other) > -2.5));
#endif
  EXPECT(!(back.re < 1.5) && !(back.im > -2.5));
}

int main(void) {
  check_f16();
  check_bf16();
  check_complex();
  return failures == 0 ? 0 : 1;
}
