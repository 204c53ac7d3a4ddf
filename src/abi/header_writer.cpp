#include "abi/header.h"
#include "abi/header_comment.h"
#include "abi/text.h"

#include <map>
#include <set>

namespace spc::abi {
namespace {

constexpr std::string_view kHeader = R"(@comment@#ifdef SPC_KERNEL_@function@
#if SPC_KERNEL_@function@ != 0x@fingerprint@u@other_contents@
#error "headers of two kernels called @function@, which differ: compile one of them with another --name"
#endif
#else
#define SPC_KERNEL_@function@ 0x@fingerprint@u
@contents@
@common@
@types@#ifdef __cplusplus
extern "C" {
#endif

/* What the object defines: call it by the functions below. The names hold a hash, so that an object and a header that do
 * not belong together do not link: of the arguments; of a hidden kernel (--visibility) of what is computed, too. */
@exported@
/* For callers that know no types: arguments[k] is the k-th pointer, or points to the k-th number; as text the arguments
 * are in spc_signature_@function@, JSON that ends with a 0. */
@untyped@extern const char @data@[];
@macros@
#ifdef __cplusplus
}
#endif

/* `ctx` gives memory and threads; NULL: malloc, free and the calling thread. */
@with_context@
/* With the default context: on the threads of OpenMP, or of spc/pool.h, where this program has either. */
@plain@@named@
#endif
)";

/// Half floats are structs to C, and how a struct is passed by value differs from platform to platform: the object
/// takes the bits.
bool isPassedAsBits(const Parameter &parameter) {
  using sema::ValueType;
  return parameter.kind == ParameterKind::ScalarValue &&
         (parameter.value == ValueType::F16 || parameter.value == ValueType::BF16);
}

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

/// The parameters of a function for one kernel, as C declares and passes them: those of the functions that users call,
/// and those of what the object exports.
struct Parameters {
  std::vector<std::string> declared, passed;
  std::vector<std::string> exported, given;

  /// The plan of a phase, which C++ need not pass.
  void addPlan(bool isMade) {
    const std::string plan = std::string(isMade ? "" : "const ") + "spc_plan *plan";
    declared.push_back(plan + " SPC_DETAIL_OPTIONAL");
    passed.push_back("plan");
    exported.push_back(plan);
    given.push_back("plan");
  }

  void add(const Parameter &parameter) {
    const bool asBits = isPassedAsBits(parameter);
    declared.push_back(declaration(parameter));
    passed.push_back(parameter.name);
    exported.push_back(asBits ? "uint16_t " + parameter.name : declared.back());
    given.push_back(parameter.name + (asBits ? ".bits" : ""));
  }
};

/// One of the kernel's functions.
struct Function {
  std::string phase;   ///< "", "_symbolic", "_numeric", "_free"
  std::string comment; ///< in front of its `_ctx` function
  Parameters parameters;
};

constexpr std::string_view kSymbolic =
    R"(/* In two phases. _symbolic works out the pattern: everything but the values, whose array becomes NULL; it reads no
 * operand's values. _numeric computes the values of a pattern, as often as they change, into the output's array, which
 * it allocates where it is NULL; SPC_ERROR_PATTERN where an entry has no place in the pattern. `plan`, or NULL: what
 * _symbolic leaves to _numeric, so that this is faster, for spc_plan_free() to release; it is set whatever it was.
 * SPC_ERROR_PATTERN where structures are no longer those that the plan is of. */
)";

constexpr std::string_view kFree =
    R"(/* Releases the arrays of what this kernel has assembled and sets them to NULL; structs may be NULL. */
)";

std::vector<Function> functionsOf(const Signature &signature, const Parameters &all, const Parameters &outputs) {
  std::vector<Function> functions = {{"", "", all}};
  if (signature.hasPhases) {
    Parameters symbolic = all, numeric = all;
    symbolic.addPlan(/*isMade=*/true);
    numeric.addPlan(/*isMade=*/false);
    functions.push_back({"_symbolic", std::string(kSymbolic), std::move(symbolic)});
    functions.push_back({"_numeric", "", std::move(numeric)});
  }
  if (signature.assembles())
    functions.push_back({"_free", std::string(kFree), outputs});
  return functions;
}

std::vector<std::string> with(const std::string &first, std::vector<std::string> rest) {
  rest.insert(rest.begin(), first);
  return rest;
}

constexpr const char *kContext = "const spc_context *ctx";

/// What a function returns: releasing cannot fail.
std::string resultOf(const Function &function) {
  return function.phase == "_free" ? "void " : "spc_status ";
}

/// The object's typed symbol.
std::string exported(const Signature &signature, const Function &function) {
  return prototype(resultOf(function) + signature.symbol(function.phase), with(kContext, function.parameters.exported),
                   ";") +
         "\n";
}

std::string withContext(const Signature &signature, const Function &function) {
  const std::string name = signature.function + function.phase;
  return (function.comment.empty() ? "" : "\n" + function.comment) +
         prototype("static inline " + resultOf(function) + name + "_ctx", with(kContext, function.parameters.declared),
                   " {") +
         "\n  " + (function.phase == "_free" ? "" : "return ") + signature.symbol(function.phase) + "(" +
         join(with("ctx", function.parameters.given), ", ") + ");\n}\n";
}

std::string plain(const Signature &signature, const Function &function) {
  const std::string name = signature.function + function.phase;
  std::vector<std::string> declared = function.parameters.declared;
  if (declared.empty())
    declared.push_back("void");
  return prototype("static inline " + resultOf(function) + name, declared, " {") +
         "\n  const spc_context ctx = spc_default_context();\n  " + (function.phase == "_free" ? "" : "return ") +
         name + "_ctx(" + join(with("&ctx", function.parameters.passed), ", ") + ");\n}\n";
}

constexpr std::string_view kNamed = R"(
#ifdef SPC_DETAIL_NAMED_ARGUMENTS
extern "C++" {
/* The arguments by name, in this order: @function@({@example@}). None may be left out. */
struct @function@_arguments {
@members@};
@calls@}
#endif
)";

/// The member that stands for a parameter: of a type that has to be given.
std::string member(const Parameter &parameter) {
  const std::string isConst = parameter.isWritten ? "" : "const ";
  switch (parameter.kind) {
  case ParameterKind::ScalarValue:
    return "spc_detail_argument<" + std::string(cType(parameter.value)) + "> " + parameter.name;
  case ParameterKind::Values:
    return "spc_detail_argument<" + isConst + cType(parameter.value) + " *> " + parameter.name;
  case ParameterKind::ScalarPointer:
    return isConst + cType(parameter.value) + " &" + parameter.name;
  case ParameterKind::Tensor:
    return isConst + parameter.type.name + " &" + parameter.name;
  }
  return "";
}

/// C++20's calls with a struct that names the arguments.
std::string named(const Signature &signature, const std::vector<Function> &functions) {
  if (signature.parameters.empty())
    return "";
  std::string members, calls;
  std::vector<std::string> examples, passed;
  for (const Parameter &parameter : signature.parameters) {
    members += "  " + member(parameter) + ";\n";
    examples.push_back("." + parameter.name + " = " + parameter.name);
    const bool isValue = parameter.kind == ParameterKind::ScalarValue || parameter.kind == ParameterKind::Values;
    passed.push_back((isValue ? "" : "&") + ("arguments." + parameter.name) + (isValue ? ".value" : ""));
  }
  for (const Function &function : functions) {
    if (function.phase == "_free")
      continue;
    const std::string name = signature.function + function.phase;
    std::vector<std::string> declared = {"const " + signature.function + "_arguments &arguments"}, given = passed;
    if (!function.phase.empty()) {
      declared.push_back(function.parameters.declared.back());
      given.push_back("plan");
    }
    calls += prototype("static inline spc_status " + name, declared, " {") + "\n  return " + name + "(" +
             join(given, ", ") + ");\n}\n" +
             prototype("static inline spc_status " + name + "_ctx", with(kContext, declared), " {") + "\n  return " +
             name + "_ctx(" + join(with("ctx", given), ", ") + ");\n}\n";
  }
  return substitute(
      kNamed,
      {{"function", signature.function}, {"example", join(examples, ", ")}, {"members", members}, {"calls", calls}});
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

/// The condition under which a header that was read before is one of another hidden kernel.
std::string otherContents(const Signature &signature) {
  const std::string macro = "SPC_CONTENTS_" + signature.function;
  return signature.isHidden() ? " || (defined " + macro + " && " + macro + " + 0 != 0x" + signature.contents + "u)"
                              : "";
}

std::string contents(const Signature &signature) {
  return signature.isHidden() ? "#define SPC_CONTENTS_" + signature.function + " 0x" + signature.contents + "u\n" : "";
}

/// The untyped names of a hidden kernel as programs write them.
std::string macros(const Signature &signature, const std::vector<Function> &functions) {
  if (!signature.isHidden())
    return "";
  const ExportedNames visible = signature.visible();
  std::string text = "#define " + visible.dataSymbol() + " " + signature.dataSymbol() + "\n";
  for (const Function &function : functions)
    text += "#define " + visible.argvSymbol(function.phase) + " " + signature.argvSymbol(function.phase) + "\n";
  return text;
}

} // namespace

std::string writeHeader(const Signature &signature, const sema::Kernel &kernel) {
  Parameters all, outputs;
  for (const Parameter &parameter : signature.parameters) {
    all.add(parameter);
    if (parameter.isAssembled)
      outputs.add(parameter);
  }
  const std::vector<Function> functions = functionsOf(signature, all, outputs);
  std::string typed, untyped, contexts, plains;
  for (const Function &function : functions) {
    typed += exported(signature, function);
    untyped +=
        resultOf(function) + signature.argvSymbol(function.phase) + "(" + kContext + ", void *const *arguments);\n";
    contexts += withContext(signature, function);
    plains += (plains.empty() ? "" : "\n") + plain(signature, function);
  }
  return substitute(kHeader, {{"comment", headerComment(signature, kernel)},
                              {"function", signature.function},
                              {"fingerprint", signature.fingerprint},
                              {"other_contents", otherContents(signature)},
                              {"contents", contents(signature)},
                              {"common", std::string(commonText())},
                              {"types", types(signature, kernel)},
                              {"exported", typed},
                              {"untyped", untyped},
                              {"data", signature.dataSymbol()},
                              {"macros", macros(signature, functions)},
                              {"with_context", contexts},
                              {"plain", plains},
                              {"named", named(signature, functions)}});
}

} // namespace spc::abi
