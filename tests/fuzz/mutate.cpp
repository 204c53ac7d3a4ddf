#include "fuzz/generator.h"

namespace spc::testing {

std::string mutate(const std::string &text, Random &random) {
  static const std::vector<std::string> tokens = {"(",        ")",
                                                  ",",        "=",
                                                  "+=",       "+",
                                                  "*",        "<",
                                                  "exp(",     "not ",
                                                  "and",      "%",
                                                  "max(",     "/",
                                                  "-",        "sum(",
                                                  "tensor ",  ":",
                                                  "f32",      "1e999",
                                                  "1e",       "i",
                                                  "A0",       "\n",
                                                  ";",        "#",
                                                  "\xc3\xa9", "\x01",
                                                  "((((((((", "sparse",
                                                  "0",        ".",
                                                  "@",        "99999999999999999999"};
  std::string result = text;
  for (int64_t edits = 1 + random.below(2); edits > 0 && !result.empty(); --edits) {
    const auto at = static_cast<size_t>(random.below(static_cast<int64_t>(result.size())));
    const auto length = static_cast<size_t>(1 + random.below(4));
    const std::string &token = tokens[static_cast<size_t>(random.below(static_cast<int64_t>(tokens.size())))];
    switch (random.below(4)) {
    case 0:
      result.erase(at, length);
      break;
    case 1:
      result.insert(at, result.substr(at, length));
      break;
    case 2:
      result.insert(at, token);
      break;
    default:
      result.replace(at, length, token);
      break;
    }
  }
  return result;
}

void giveTypes(KernelSpec &spec) {
  const std::string conversion = "f32(";
  spec.typesAreGiven = true;
  for (size_t at = spec.statements.find(conversion); at != std::string::npos; at = spec.statements.find(conversion, at))
    spec.statements.replace(at, conversion.size(), "Type(");
}

} // namespace spc::testing
