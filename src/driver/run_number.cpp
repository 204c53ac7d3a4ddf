#include "driver/run_number.h"

#include <cstdlib>

namespace spc::driver {

std::optional<tensor::Number> readNumber(const std::string &text, bool mayBeComplex) {
  const char *begin = text.c_str();
  char *end = nullptr;
  tensor::Number number{std::strtod(begin, &end), 0};
  if (end == begin)
    return std::nullopt;
  if (mayBeComplex && *end == 'i' && end[1] == '\0')
    return tensor::Number{0, number.real};
  if (mayBeComplex && (*end == '+' || *end == '-')) {
    const char *imaginary = end;
    number.imaginary = std::strtod(imaginary, &end);
    if (end == imaginary || *end++ != 'i')
      return std::nullopt;
  }
  if (*end != '\0')
    return std::nullopt;
  return number.imaginary == 0 ? tensor::withRest(number.real, text) : number;
}

} // namespace spc::driver
