#include "reference/evaluated.h"

#include "syntax/parser.h"

#include <catch2/catch.hpp>

namespace spc::testing {

reference::Tensors evaluated(const std::string &text, const std::map<std::string, Given> &given,
                             const reference::Types &types) {
  SourceManager sources;
  Diagnostics diagnostics;
  const syntax::Kernel kernel = syntax::parse(sources.add("k.tex", text), diagnostics);
  REQUIRE(!diagnostics.hasErrors());
  reference::Tensors tensors;
  for (const auto &[name, one] : given) {
    reference::Tensor &tensor = tensors.try_emplace(name, one.shape, one.type, one.isSparse, one.fill).first->second;
    tensor.fill({one.shape, one.coordinates, one.values, {}});
  }
  reference::evaluate(kernel, tensors, types);
  return tensors;
}

std::vector<double> valuesOf(const reference::Tensor &tensor, int64_t count) {
  std::vector<double> values;
  for (int64_t place = 0; place < count; ++place)
    values.push_back(tensor.at(place).number.real());
  return values;
}

} // namespace spc::testing
