#include "abi/text.h"

namespace spc::abi {

std::string substitute(std::string_view text, const Substitutions &values) {
  std::string result;
  while (!text.empty()) {
    const size_t open = text.find('@');
    result += text.substr(0, open);
    if (open == std::string_view::npos)
      break;
    text.remove_prefix(open);
    const size_t close = text.find('@', 1);
    const std::string *value = nullptr;
    for (const auto &[name, candidate] : values)
      if (close != std::string_view::npos && text.substr(1, close - 1) == name)
        value = &candidate;
    result += value ? *value : "@";
    text.remove_prefix(value ? close + 1 : 1);
  }
  return result;
}

std::string join(const std::vector<std::string> &parts, std::string_view separator) {
  std::string result;
  for (size_t k = 0; k < parts.size(); ++k) {
    if (k > 0)
      result += separator;
    result += parts[k];
  }
  return result;
}

std::string forComment(std::string_view text) {
  std::string result;
  for (char c : text) {
    const char shown = c >= ' ' && c <= '~' ? c : c == '\t' ? ' ' : '?';
    const char before = result.empty() ? ' ' : result.back();
    const bool endsOrNests = (before == '*' && shown == '/') || (before == '/' && shown == '*');
    const bool isTrigraph = before == '?' && shown == '?';
    if (endsOrNests || isTrigraph)
      result += ' ';
    result += shown;
  }
  return result;
}

const char *cType(format::IndexType type) {
  switch (type) {
  case format::IndexType::U8:
    return "uint8_t";
  case format::IndexType::U16:
    return "uint16_t";
  case format::IndexType::I32:
    return "int32_t";
  case format::IndexType::I64:
    return "int64_t";
  }
  return "";
}

const char *cType(sema::ValueType type) {
  using sema::ValueType;
  switch (type) {
  case ValueType::F16:
    return "spc_f16";
  case ValueType::BF16:
    return "spc_bf16";
  case ValueType::F32:
    return "float";
  case ValueType::F64:
    return "double";
  case ValueType::I8:
    return "int8_t";
  case ValueType::I16:
    return "int16_t";
  case ValueType::I32:
    return "int32_t";
  case ValueType::I64:
    return "int64_t";
  case ValueType::U8:
    return "uint8_t";
  case ValueType::U16:
    return "uint16_t";
  case ValueType::U32:
    return "uint32_t";
  case ValueType::U64:
    return "uint64_t";
  case ValueType::Bool:
    return "bool";
  case ValueType::CF32:
    return "spc_cf32";
  case ValueType::CF64:
    return "spc_cf64";
  }
  return "";
}

} // namespace spc::abi
