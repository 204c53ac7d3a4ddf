#include "abi/header.h"
#include "abi/header_comment.h"
#include "abi/text.h"

#include <map>
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
@assembly_prototypes@
#ifdef __cplusplus
}
#endif

/* With the default context: on OpenMP's threads where this program is compiled with OpenMP. */
@plain_prototype@
  const spc_context ctx = spc_default_context();
  return @function@_ctx(@arguments@);
}
@assembly_functions@
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

/// The parameters of the functions for one kernel, as C declares and passes them.
struct Parameters {
  std::vector<std::string> plain, withContext = {"const spc_context *ctx"}, arguments = {"&ctx"};

  void add(const std::string &declaration, const std::string &name) {
    plain.push_back(declaration);
    withContext.push_back(declaration);
    arguments.push_back(name);
  }
};

constexpr std::string_view kPhases = R"(
/* In two phases. _symbolic works out the pattern: everything but the values, whose array becomes NULL; it reads no
 * operand's values. _numeric computes the values of a pattern, as often as they change, into the output's array, which
 * it allocates where it is NULL; SPC_ERROR_PATTERN where an entry has no place in the pattern. */
@symbolic@
@numeric@
)";

constexpr std::string_view kFree = R"(
/* Releases the arrays of what this kernel has assembled and sets them to NULL; structs may be NULL. */
@free@
)";

/// What the object exports besides the function, for a kernel that assembles.
std::string assemblyPrototypes(const Signature &signature, const Parameters &all, const Parameters &outputs) {
  const std::string head = "spc_status " + signature.function;
  std::string text;
  if (signature.hasPhases)
    text += substitute(kPhases, {{"symbolic", prototype(head + "_symbolic_ctx", all.withContext, ";")},
                                 {"numeric", prototype(head + "_numeric_ctx", all.withContext, ";")}});
  if (!outputs.plain.empty())
    text += substitute(kFree, {{"free", prototype(head + "_free_ctx", outputs.withContext, ";")}});
  return text;
}

/// The same with the default context.
std::string assemblyFunctions(const Signature &signature, const Parameters &all, const Parameters &outputs) {
  const auto define = [&](const std::string &type, const std::string &suffix, const Parameters &parameters,
                          const std::string &before) {
    const std::string name = signature.function + suffix;
    return "\n" + prototype("static inline " + type + " " + name, parameters.plain, " {") +
           "\n  const spc_context ctx = spc_default_context();\n  " + before + name + "_ctx(" +
           join(parameters.arguments, ", ") + ");\n}\n";
  };
  std::string text;
  if (signature.hasPhases)
    text += define("spc_status", "_symbolic", all, "return ") + define("spc_status", "_numeric", all, "return ");
  if (!outputs.plain.empty())
    text += define("void", "_free", outputs, "(void)");
  return text;
}

/// What missing entries are in the tensors of a struct type, where not all are 0.
std::string fillsOf(const std::string &type, const Signature &signature, const sema::Kernel &kernel) {
  std::map<std::string, std::vector<std::string>> tensors; // by fill
  bool hasFill = false;
  for (const Parameter &parameter : signature.parameters) {
    if (parameter.kind != ParameterKind::Tensor || parameter.type.name != type)
      continue;
    const sema::Tensor &tensor = kernel.tensors[parameter.tensor];
    tensors[sema::textOf(tensor.type, tensor.fill)].push_back(parameter.name);
    hasFill |= tensor.hasFill();
  }
  std::vector<std::string> parts;
  for (const auto &[fill, names] : tensors)
    parts.push_back(fill + " in " + join(names, ", "));
  return hasFill ? "Missing entries are " + join(parts, "; ") + "." : "";
}

/// Each struct type once, in the order of first use.
std::string types(const Signature &signature, const sema::Kernel &kernel) {
  std::set<std::string> written;
  std::string text;
  for (const Parameter &parameter : signature.parameters)
    if (parameter.kind == ParameterKind::Tensor && written.insert(parameter.type.name).second)
      text += typeSection(parameter.type, fillsOf(parameter.type.name, signature, kernel)) + "\n";
  return text;
}

} // namespace

std::string writeHeader(const Signature &signature, const sema::Kernel &kernel) {
  Parameters all, outputs;
  for (const Parameter &parameter : signature.parameters) {
    all.add(declaration(parameter), parameter.name);
    if (parameter.isAssembled)
      outputs.add(declaration(parameter), parameter.name);
  }
  std::vector<std::string> plain = all.plain;
  if (plain.empty())
    plain.push_back("void");
  const std::string &function = signature.function;
  return substitute(kHeader, {{"comment", headerComment(signature, kernel)},
                              {"function", function},
                              {"common", std::string(commonText())},
                              {"types", types(signature, kernel)},
                              {"context_prototype", prototype("spc_status " + function + "_ctx", all.withContext, ";")},
                              {"plain_prototype", prototype("static inline spc_status " + function, plain, " {")},
                              {"arguments", join(all.arguments, ", ")},
                              {"assembly_prototypes", assemblyPrototypes(signature, all, outputs)},
                              {"assembly_functions", assemblyFunctions(signature, all, outputs)}});
}

} // namespace spc::abi
