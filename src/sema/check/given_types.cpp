// Value types that are given by name: types of the language, type parameters, and what the command line and files of
// bindings say.
#include "sema/check/checking.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kUnknownType{"unknown-type", Severity::Error};
constexpr DiagnosticKind kUnknownBinding{"unknown-binding", Severity::Error};
constexpr DiagnosticKind kTypeGivenTwice{"duplicate-binding", Severity::Error};
constexpr DiagnosticKind kParameterTwice{"duplicate-declaration", Severity::Error};
constexpr DiagnosticKind kTypeConflict{"type-conflict", Severity::Error};
constexpr DiagnosticKind kUnusedParameter{"unused", Severity::Warning};
constexpr DiagnosticKind kUnusedTypeOption{"unused-option", Severity::Warning};

// What other languages and libraries call our types.
const std::map<std::string, ValueType> &foreignTypeNames() {
  static const std::map<std::string, ValueType> names = {
      {"half", ValueType::F16},       {"float16", ValueType::F16},  {"bfloat16", ValueType::BF16},
      {"bfloat", ValueType::BF16},    {"float", ValueType::F32},    {"float32", ValueType::F32},
      {"single", ValueType::F32},     {"double", ValueType::F64},   {"float64", ValueType::F64},
      {"real", ValueType::F64},       {"char", ValueType::I8},      {"int8", ValueType::I8},
      {"short", ValueType::I16},      {"int16", ValueType::I16},    {"int", ValueType::I32},
      {"int32", ValueType::I32},      {"integer", ValueType::I32},  {"long", ValueType::I64},
      {"int64", ValueType::I64},      {"byte", ValueType::U8},      {"uint8", ValueType::U8},
      {"uint16", ValueType::U16},     {"uint", ValueType::U32},     {"unsigned", ValueType::U32},
      {"uint32", ValueType::U32},     {"uint64", ValueType::U64},   {"size_t", ValueType::U64},
      {"boolean", ValueType::Bool},   {"i1", ValueType::Bool},      {"c64", ValueType::CF32},
      {"complex64", ValueType::CF32}, {"complex", ValueType::CF64}, {"c128", ValueType::CF64},
      {"complex128", ValueType::CF64}};
  return names;
}

// The likeliest ones first: of several that are as near to a misspelt one, the first is suggested.
std::vector<std::string> typeNames() {
  std::vector<std::string> names = {spelling(ValueType::F32), spelling(ValueType::F64)};
  for (ValueType type : kValueTypes)
    if (type != ValueType::F32 && type != ValueType::F64)
      names.emplace_back(spelling(type));
  return names;
}

/// What one source gives, by name; the default's is the empty one.
using ByName = std::map<std::string, const format::GivenType *>;

void add(ByName &types, const format::GivenType &given, Diagnostics &diagnostics) {
  const auto [entry, isNew] = types.emplace(given.name.value_or(""), &given);
  if (isNew)
    return;
  diagnostics
      .report(kTypeGivenTwice, given.where,
              (given.name ? "the type of " + inQuotes(*given.name) : "the default type") + " is given twice")
      .note(entry->second->where, "first given here");
}

/// What the command line gives, and files of bindings where it does not.
ByName allGiven(const Checking &checking) {
  ByName types, ofFiles;
  for (const format::GivenType &given : checking.options.types)
    add(types, given, checking.diagnostics);
  for (const format::Binding &binding : checking.bindings)
    for (const format::GivenType &given : binding.types)
      add(ofFiles, given, checking.diagnostics);
  types.merge(ofFiles);
  return types;
}

bool names(const Node &node, const std::string &parameter) {
  const auto *call = std::get_if<CallNode>(&node.kind);
  const std::vector<const Node *> below = children(node);
  return (call && call->typeParameter == parameter) ||
         std::any_of(below.begin(), below.end(), [&](const Node *child) { return names(*child, parameter); });
}

bool isParameterUsed(const Program &program, const std::string &parameter) {
  return std::any_of(
             program.declarations.begin(), program.declarations.end(),
             [&](const auto &declaration) { return declaration.type && declaration.type->text == parameter; }) ||
         std::any_of(program.statements.begin(), program.statements.end(),
                     [&](const ResolvedStatement &statement) { return names(*statement.value, parameter); });
}

} // namespace

void reportUnknownType(Checking &checking, const language::Name &type, bool mayBeParameter) {
  checking.hasUnknownTypes = true;
  std::vector<std::string> known = typeNames();
  if (mayBeParameter)
    for (const auto &[name, value] : checking.program.typeParameters)
      known.push_back(name);
  const auto foreign = foreignTypeNames().find(type.text);
  std::optional<std::string> meant = foreign != foreignTypeNames().end()
                                         ? std::optional<std::string>(spelling(foreign->second))
                                         : didYouMean(type.text, known);
  Diagnostic &unknown =
      checking.diagnostics.report(kUnknownType, type.where, "unknown value type " + inQuotes(type.text));
  if (meant) {
    unknown.fix(type.where, *meant).advise("did you mean " + inQuotes(*meant) + "?");
    return;
  }
  std::string all;
  for (const std::string &name : typeNames())
    all += (all.empty() ? "" : ", ") + name;
  unknown.advise("the types are " + all);
}

std::optional<ValueType> typeNamed(const Checking &checking, const std::string &name) {
  const auto parameter = checking.program.typeParameters.find(name);
  return parameter != checking.program.typeParameters.end() ? parameter->second : valueTypeNamed(name);
}

void declareTypes(Checking &checking) {
  for (const language::TypeDecl &declaration : checking.program.types) {
    const std::optional<ValueType> type = valueTypeNamed(declaration.type.text);
    if (!type)
      reportUnknownType(checking, declaration.type, /*mayBeParameter=*/false);
    if (checking.program.typeParameters.emplace(declaration.name.text, type.value_or(ValueType::F64)).second)
      continue;
    const auto first = std::find_if(checking.program.types.begin(), checking.program.types.end(),
                                    [&](const auto &other) { return other.name.text == declaration.name.text; });
    checking.diagnostics
        .report(kParameterTwice, declaration.name.where,
                "type parameter " + inQuotes(declaration.name.text) + " is declared twice")
        .note(first->name.where, "first declared here");
  }
  for (const auto &[name, given] : allGiven(checking)) {
    const std::optional<ValueType> type = valueTypeNamed(given->type);
    if (!type)
      reportUnknownType(checking, {given->type, given->typeWhere}, /*mayBeParameter=*/false);
    const ValueType value = type.value_or(ValueType::F64);
    const auto parameter = checking.program.typeParameters.find(name);
    if (!given->name)
      checking.defaultType = {value, given};
    else if (parameter != checking.program.typeParameters.end())
      parameter->second = value;
    else
      checking.givenTypes.emplace(name, ValueTypeGiven{value, given});
  }
}

std::optional<ValueType> statedType(const Checking &checking, TensorId tensor) {
  const auto given = checking.givenTypes.find(checking.program.tensors[tensor].name);
  if (given != checking.givenTypes.end())
    return given->second.type;
  const std::optional<language::TensorDecl> &declaration = checking.program.symbols[tensor].declaration;
  return declaration && declaration->type
             ? std::optional(typeNamed(checking, declaration->type->text).value_or(ValueType::F64))
             : std::nullopt;
}

void checkGivenTypes(const Checking &checking) {
  const auto &tensors = checking.program.tensors;
  for (const auto &[name, given] : checking.givenTypes) {
    const language::TensorDecl *declaration = checking.declarationOf(name);
    const bool exists = declaration || std::any_of(tensors.begin(), tensors.end(),
                                                   [&](const Tensor &tensor) { return tensor.name == name; });
    if (!exists) {
      reportUnknownName(checking, name, "tensor and no type parameter", given.by->where);
      continue;
    }
    const std::optional<ValueType> declared =
        declaration && declaration->type ? valueTypeNamed(declaration->type->text) : std::nullopt;
    if (!declared || *declared == given.type)
      continue;
    checking.diagnostics
        .report(kTypeConflict, given.by->where,
                inQuotes(name) + " is declared as " + spelling(*declared) + ", and cannot be " + spelling(given.type))
        .note(declaration->type->where, "its type is written here")
        .advise("leave the type out there, or declare a type parameter, 'type T = " + std::string(spelling(*declared)) +
                "', and write T in its place");
  }
}

void warnOfUnusedTypes(const Checking &checking) {
  for (const language::TypeDecl &declaration : checking.program.types)
    if (!isParameterUsed(checking.program, declaration.name.text))
      checking.diagnostics.report(kUnusedParameter, declaration.name.where,
                                  "type parameter " + inQuotes(declaration.name.text) + " is declared, and not used");
  if (!checking.defaultType || checking.usesDefaultType)
    return;
  const format::GivenType &given = *checking.defaultType->by;
  Diagnostic &unused =
      checking.diagnostics.report(kUnusedTypeOption, given.where,
                                  "--type " + given.type + " does nothing: the type of each operand is said elsewhere");
  if (!checking.program.types.empty())
    unused.advise("a type parameter is set by its name, --type " + checking.program.types.front().name.text + "=" +
                  given.type);
}

void reportUnknownName(const Checking &checking, const std::string &name, const std::string &kinds, Span where) {
  std::vector<std::string> known;
  std::string list;
  for (const Tensor &tensor : checking.program.tensors) {
    known.push_back(tensor.name);
    if (tensor.order() > 0)
      list += (list.empty() ? "" : ", ") + tensor.name;
  }
  std::string parameters;
  if (kinds != "tensor")
    for (const auto &[parameter, type] : checking.program.typeParameters) {
      known.push_back(parameter);
      parameters += (parameters.empty() ? "" : ", ") + parameter;
    }
  Diagnostic &unknown =
      checking.diagnostics.report(kUnknownBinding, where, "the kernel has no " + kinds + " " + inQuotes(name));
  if (std::optional<std::string> meant = didYouMean(name, known))
    unknown.advise("did you mean " + inQuotes(*meant) + "?");
  else if (!list.empty())
    unknown.advise("its tensors are " + list + (parameters.empty() ? "" : ", its type parameters " + parameters));
}

} // namespace spc::sema
