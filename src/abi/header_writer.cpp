#include "abi/header.h"
#include "abi/header_comment.h"
#include "abi/text.h"

#include <set>

namespace spc::abi {
namespace {

constexpr std::string_view kHeader = R"(@comment@#ifndef SPC_KERNEL_@function@
#define SPC_KERNEL_@function@

@common@
@types@#ifdef __cplusplus
extern "C" {
#endif

/* The function in the object. `ctx` gives its memory and its threads; NULL: malloc, free and the calling thread. */
@context_prototype@

#ifdef __cplusplus
}
#endif

/* With the default context: on OpenMP's threads where this program is compiled with OpenMP. */
@plain_prototype@
  const spc_context ctx = spc_default_context();
  return @function@_ctx(@arguments@);
}

#endif
)";

std::string declaration(const Parameter &parameter) {
  switch (parameter.kind) {
  case ParameterKind::ScalarValue:
    return std::string(cType(parameter.value)) + " " + parameter.name;
  case ParameterKind::ScalarPointer:
  case ParameterKind::Values:
    return std::string(parameter.isWritten ? "" : "const ") + cType(parameter.value) + " *" + parameter.name;
  case ParameterKind::Tensor:
    return (parameter.isWritten ? "" : "const ") + parameter.type.name + " *" + parameter.name;
  }
  return "";
}

/// "head(a, b)tail", with one parameter a line where that would be long.
std::string prototype(const std::string &head, const std::vector<std::string> &parameters, const std::string &tail) {
  constexpr size_t kWidth = 110;
  const std::string line = head + "(" + join(parameters, ", ") + ")" + tail;
  return line.size() <= kWidth ? line : head + "(\n    " + join(parameters, ",\n    ") + ")" + tail;
}

/// Each struct type once, in the order of first use.
std::string types(const Signature &signature) {
  std::set<std::string> written;
  std::string text;
  for (const Parameter &parameter : signature.parameters)
    if (parameter.kind == ParameterKind::Tensor && written.insert(parameter.type.name).second)
      text += typeSection(parameter.type) + "\n";
  return text;
}

} // namespace

std::string writeHeader(const Signature &signature, const sema::Kernel &kernel) {
  std::vector<std::string> plain, withContext = {"const spc_context *ctx"}, arguments = {"&ctx"};
  for (const Parameter &parameter : signature.parameters) {
    plain.push_back(declaration(parameter));
    withContext.push_back(plain.back());
    arguments.push_back(parameter.name);
  }
  if (plain.empty())
    plain.push_back("void");
  const std::string &function = signature.function;
  return substitute(kHeader, {{"comment", headerComment(signature, kernel)},
                              {"function", function},
                              {"common", std::string(commonText())},
                              {"types", types(signature)},
                              {"context_prototype", prototype("spc_status " + function + "_ctx", withContext, ";")},
                              {"plain_prototype", prototype("static inline spc_status " + function, plain, " {")},
                              {"arguments", join(arguments, ", ")}});
}

} // namespace spc::abi
