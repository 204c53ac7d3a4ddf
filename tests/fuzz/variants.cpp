#include "fuzz/variants.h"

#include "fuzz/rewriting.h"
#include "support/source.h"
#include "syntax/parser.h"

#include <algorithm>
#include <array>
#include <regex>
#include <set>

namespace spc::testing {
namespace {

/// By order: formats that hold whatever there is to store.
const std::vector<std::vector<std::string>> kRoomy = {
    {},
    {"sv", "blocked-vector"},
    {"csr",     "csc",     "dcsr",         "dcsc",    "coo",          "coo:1,0", "csf:1,0",
     "csr-len", "ell",     "ellc",         "bsr2x3",  "bsr-cm",       "dia",     "dia-cols",
     "ragged",  "csr-dup", "csr-unsorted", "coo-dup", "coo-unsorted", "coo-aos", "ell4+coo"},
    {"csf", "coo", "csf:2,1,0", "csf:1,0,2", "coo:0,2,1", "ddc", "dcc", "cdc", "blocked3"},
    {"csf", "coo", "csf:3,1,0,2", "ddcc"},
};

/// Writes expressions anew, with terms and factors exchanged, or products multiplied out, at random.
class Rewriter {
public:
  Rewriter(Variation variation, Random &random) : variation_(variation), random_(random) {}

  std::string write(const syntax::Expr &expr) {
    if (const auto *binary = std::get_if<syntax::Binary>(&expr.node))
      return write(*binary);
    if (const auto *negate = std::get_if<syntax::Negate>(&expr.node))
      return "-" + write(*negate->operand);
    if (const auto *paren = std::get_if<syntax::Paren>(&expr.node))
      return "(" + write(*paren->inner) + ")";
    return syntax::toSource(expr);
  }

private:
  bool chance() { return random_.below(2) == 0; }

  std::string write(const syntax::Binary &binary) {
    using language::BinaryOp;
    const bool isSwapped = variation_ == Variation::Order && chance();
    switch (binary.op) {
    case BinaryOp::Add:
      return isSwapped ? write(*binary.right) + " + " + write(*binary.left)
                       : write(*binary.left) + " + " + write(*binary.right);
    case BinaryOp::Sub:
      return isSwapped ? "-" + write(*binary.right) + " + " + write(*binary.left)
                       : write(*binary.left) + " - " + write(*binary.right);
    case BinaryOp::Mul:
      if (const std::string sum = variation_ == Variation::Distributed ? multipliedOut(binary) : ""; !sum.empty())
        return sum;
      return isSwapped ? write(*binary.right) + " * " + write(*binary.left)
                       : write(*binary.left) + " * " + write(*binary.right);
    case BinaryOp::Div:
      return write(*binary.left) + " / " + write(*binary.right);
    }
    return {};
  }

  /// `x * (a + b)` as `(x * a + x * b)`; empty where no factor is a sum.
  std::string multipliedOut(const syntax::Binary &product) {
    for (const bool isRight : {true, false}) {
      const syntax::Expr &sum = isRight ? *product.right : *product.left;
      const std::string other = write(isRight ? *product.left : *product.right);
      const auto *paren = std::get_if<syntax::Paren>(&sum.node);
      const auto *inner = paren ? std::get_if<syntax::Binary>(&paren->inner->node) : nullptr;
      if (!inner || (inner->op != language::BinaryOp::Add && inner->op != language::BinaryOp::Sub))
        continue;
      const auto times = [&](const syntax::Expr &addend) {
        return isRight ? other + " * " + write(addend) : write(addend) + " * " + other;
      };
      return "(" + times(*inner->left) + (inner->op == language::BinaryOp::Add ? " + " : " - ") + times(*inner->right) +
             ")";
    }
    return {};
  }

  Variation variation_;
  Random &random_;
};

std::string rewritten(const std::string &statements, Variation variation, Random &random) {
  SourceManager sources;
  Diagnostics problems;
  const syntax::Kernel tree = syntax::parse(sources.add("statements", statements), problems);
  Rewriter rewriter(variation, random);
  std::string text;
  for (const syntax::Statement &statement : tree.statements) {
    const std::string line = syntax::toSource(statement), value = syntax::toSource(*statement.value);
    text += (text.empty() ? "" : "\n") + line.substr(0, line.size() - value.size()) + rewriter.write(*statement.value);
  }
  return text;
}

/// Reads one operand, wherever it has the same distinct variables as indices, by way of a temporary.
void addTemporary(KernelSpec &spec, Random &random) {
  std::vector<std::string> lines = split(spec.statements, '\n');
  const size_t chosen = static_cast<size_t>(random.below(static_cast<int64_t>(lines.size())));
  static const std::regex access("[Ad][0-9]+\\([ijkl](,[ijkl])*\\)");
  std::set<std::string> accesses;
  std::string &line = lines[chosen];
  for (std::sregex_iterator match(line.begin(), line.end(), access), end; match != end; ++match) {
    const std::string found = match->str(), indices = found.substr(found.find('('));
    std::set<char> variables(indices.begin(), indices.end());
    for (const char other : {'(', ',', ')'})
      variables.erase(other);
    if (variables.size() == (indices.size() - 1) / 2)
      accesses.insert(found);
  }
  if (accesses.empty())
    return;
  auto found = accesses.begin();
  std::advance(found, random.below(static_cast<int64_t>(accesses.size())));
  const std::string temporary = "T9" + found->substr(found->find('('));
  for (size_t at = line.find(*found); at != std::string::npos; at = line.find(*found, at + temporary.size()))
    line.replace(at, found->size(), temporary);
  line = "let " + temporary + " = " + *found + "\n" + line;
  if (const auto type = spec.types.find(found->substr(0, found->find('('))); type != spec.types.end())
    spec.types["T9"] = type->second;
  spec.statements = joined(lines, '\n');
}

template <typename Value>
std::map<std::string, Value> renamedKeys(const std::map<std::string, Value> &map,
                                         const std::map<std::string, std::string> &names) {
  std::map<std::string, Value> result;
  for (const auto &[key, value] : map)
    result[names.contains(key) ? names.at(key) : key] = value;
  return result;
}

/// Of min(l, x(i)) the l is a scalar.
bool hasScalarNamedAsIndex(const KernelUnderTest &kernel) {
  const auto &tensors = kernel.kernel().tensors;
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const sema::Tensor &tensor) { return tensor.name.size() == 1; });
}

void renameOperands(Variant &variant, const KernelUnderTest &kernel) {
  std::map<std::string, std::string> names;
  for (const sema::Tensor &tensor : kernel.kernel().tensors) {
    const std::string &name = tensor.partOf.empty() ? tensor.name : tensor.partOf;
    if (name.front() == 'A' || name.front() == 'd')
      names[name] = (name.front() == 'A' ? "zeta" : "Beta") + name.substr(1);
  }
  KernelSpec &spec = variant.spec;
  spec.statements = variant.meaning = renamed(spec.statements, names);
  spec.formats = renamedKeys(spec.formats, names);
  spec.types = renamedKeys(spec.types, names);
  spec.fills = renamedKeys(spec.fills, names);
  for (auto &[tensor, format] : spec.formats)
    if (format.starts_with("structure of "))
      format = renamed(format, names);
}

void changeStorages(KernelSpec &spec, const KernelUnderTest &kernel, Random &random) {
  std::set<std::string> owners;
  for (const auto &[tensor, format] : spec.formats)
    if (format.starts_with("structure of "))
      owners.insert(format.substr(13));
  for (auto &[tensor, format] : spec.formats) {
    if (tensor.front() != 'A' || owners.contains(tensor) || format.starts_with("structure of "))
      continue;
    for (const sema::Tensor &known : kernel.kernel().tensors)
      if (known.name == tensor || known.partOf == tensor) {
        const std::vector<std::string> &formats = kRoomy[static_cast<size_t>(known.order())];
        format = formats[static_cast<size_t>(random.below(static_cast<int64_t>(formats.size())))];
        break;
      }
  }
}

/// A clause that names the arguments in any order. What is read and written may stand on either side.
std::string randomSignature(const sema::Kernel &kernel, Random &random) {
  std::vector<std::string> operands, outputs;
  std::set<std::string> names;
  for (sema::TensorId id : kernel.parameters) {
    const sema::Tensor &tensor = kernel.tensors[id];
    const std::string &name = tensor.partOf.empty() ? tensor.name : tensor.partOf;
    const bool isOperand = !tensor.isWritten || (tensor.isRead && random.below(2) == 0);
    if (!names.insert(name).second)
      continue;
    std::vector<std::string> &side = isOperand ? operands : outputs;
    side.insert(side.begin() + random.below(static_cast<int64_t>(side.size()) + 1), name);
  }
  return "kernel shuffled(" + joined(operands, ',') + ") -> (" + joined(outputs, ',') + ")";
}

} // namespace

const char *spelling(Variation variation) {
  static constexpr std::array names = {"storages",  "indices",    "operands", "order",    "distributed",
                                       "temporary", "dimensions", "inlined",  "signature"};
  return names[static_cast<size_t>(variation)];
}

std::optional<Variant> vary(const KernelSpec &spec, const KernelUnderTest &kernel, Variation variation,
                            Random &random) {
  Variant variant{spec, spec.statements};
  KernelSpec &changed = variant.spec;
  switch (variation) {
  case Variation::Storages:
    changeStorages(changed, kernel, random);
    break;
  case Variation::Indices:
    if (hasScalarNamedAsIndex(kernel))
      return std::nullopt;
    changed.statements = renamed(spec.statements, {{"i", "q"}, {"j", "i"}, {"k", "row_2"}, {"l", "j"}});
    break;
  case Variation::Operands:
    renameOperands(variant, kernel);
    break;
  case Variation::Order:
  case Variation::Distributed:
    // With a fill of 2, A - 2 is 0 where A has no entry, whatever it is multiplied with, which its parts are not.
    if (variation == Variation::Distributed && !spec.fills.empty())
      return std::nullopt;
    changed.statements = rewritten(spec.statements, variation, random);
    if (changed.statements == rewritten(spec.statements, Variation::Storages, random))
      return std::nullopt;
    break;
  case Variation::Temporary:
    addTemporary(changed, random);
    break;
  case Variation::Dimensions:
    variant.dimensions = permuteDimensions(changed, random);
    break;
  case Variation::Inlined:
    variant.lacksTemporary = inlineTemporary(changed);
    break;
  case Variation::Signature:
    changed.statements = randomSignature(kernel.kernel(), random) + "\n" + spec.statements;
    break;
  }
  return describe(changed) == describe(spec) ? std::nullopt : std::optional(variant);
}

} // namespace spc::testing
