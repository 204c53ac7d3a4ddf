#include "grad/text_writer.h"

#include <algorithm>
#include <sstream>

namespace spc::grad {
namespace {

constexpr size_t kWidth = 110; ///< of statements, where they can be broken

using Kind = Argument::Kind;

class TextWriter {
public:
  TextWriter(const sema::Program &kernel, const Request &request, const Program &program, const Derivative &derivative)
      : kernel_(kernel), request_(request), program_(program), derivative_(derivative) {}

  std::string write() {
    writeHead();
    writeSignature();
    writeDeclarations();
    writeStatements("what " + kernel_.function + " computes on the way", derivative_.recomputed);
    writeStatements("", derivative_.statements);
    return out_.str();
  }

private:
  const std::string &nameOf(const Argument &argument) const { return program_.nameOf(argument.tensor); }

  bool isReverse() const { return request_.mode == Mode::Reverse; }

  std::string fileName() const {
    const size_t folder = kernel_.kernelFile.rfind('/');
    return folder == std::string::npos ? kernel_.kernelFile : kernel_.kernelFile.substr(folder + 1);
  }

  static std::string listOf(const std::vector<language::Name> &names) {
    std::string list;
    for (size_t k = 0; k < names.size(); ++k)
      list += (k == 0 ? "" : k + 1 < names.size() ? ", " : " and ") + names[k].text;
    return list;
  }

  void writeHead() {
    out_ << "# The derivative of " << kernel_.function << " (" << fileName() << ") by " << listOf(request_.wrt)
         << ", made by spc grad: " << (isReverse() ? "reverse mode, " : "forward mode, ")
         << (isReverse() ? "vector-Jacobian products.\n" : "Jacobian-vector products.\n");
    size_t width = 0;
    for (const Argument &argument : derivative_.arguments)
      width = std::max(width, nameOf(argument).size());
    for (const Argument &argument : derivative_.arguments)
      out_ << "#   " << nameOf(argument) << std::string(width + 2 - nameOf(argument).size(), ' ') << meaningOf(argument)
           << "\n";
    explainAssembled();
  }

  /// Of derivatives that have to be bound to formats, since no single tensor has their entries to the compiler's eye.
  void explainAssembled() {
    if (derivative_.assembled.empty())
      return;
    std::string names;
    for (const TensorId tensor : derivative_.assembled)
      names += (names.empty() ? "" : ", ") + program_.nameOf(tensor);
    out_ << "# select(pattern(S(i,j)), 0, 0) is a zero wherever S has an entry, so that all of them are stored. To be\n"
         << "# sparse, " << names << " must be bound to formats, as --format-out does.\n";
  }

  std::string meaningOf(const Argument &argument) const {
    const TensorInfo &info = program_.info(argument.value);
    const std::string &source = program_.nameOf(*info.source);
    const std::string entries = info.pattern ? ", where " + program_.nameOf(*info.pattern) + " has entries" : "",
                      storedLike = info.pattern ? ", stored like " + source : "";
    switch (argument.kind) {
    case Kind::Operand:
      return "in: as for " + kernel_.function;
    case Kind::Result:
      return "in: what " + kernel_.function + " has made of " + source;
    case Kind::Seed:
      return isReverse() ? "in: the derivative of a number by " + source + storedLike
                         : "in: the change of " + source + storedLike;
    case Kind::Derivative:
      return isReverse() ? "out: the derivative of that number by " + source + entries
                         : "out: the change of " + source + entries;
    }
    return {};
  }

  void writeSignature() {
    std::string read, written;
    for (const Argument &argument : derivative_.arguments) {
      std::string &list = argument.kind == Kind::Derivative ? written : read;
      list += (list.empty() ? "" : ", ") + nameOf(argument);
    }
    out_ << "kernel " << request_.function << "(" << read << ") -> (" << written << ")\n\n";
  }

  void writeDeclarations() {
    std::ostringstream declarations;
    std::set<std::string> types;
    const auto declare = [&](TensorId tensor, bool isSparse, std::optional<double> fill) {
      declarations << declarationOf(tensor, isSparse, fill);
      types.insert(program_.info(tensor).typeName);
    };
    for (const Argument &argument : derivative_.arguments) {
      const bool isSparse = program_.info(argument.value).pattern.has_value();
      const bool isForward = argument.kind == Kind::Operand || argument.kind == Kind::Result;
      const double fill = program_.kernel.tensors[argument.tensor].fill;
      declare(argument.tensor, isSparse && argument.kind != Kind::Derivative,
              isForward && isSparse && fill != 0 ? std::optional(fill) : std::nullopt);
    }
    for (const TensorId tensor : derivative_.sized)
      declare(tensor, false, std::nullopt);
    for (const TensorId tensor : derivative_.constants)
      declareConstant(tensor, declare);
    declareRecomputed(declare);
    for (const language::TypeDecl &type : kernel_.types)
      if (types.contains(type.name.text) || isCastTo(type.name.text))
        out_ << "type " << type.name.text << " = " << type.type.text << "\n";
    out_ << declarations.str();
  }

  std::string declarationOf(TensorId tensor, bool isSparse, std::optional<double> fill) const {
    const sema::Tensor &declared = program_.kernel.tensors[tensor];
    const std::string value = valueOf(tensor);
    std::string text = (value.empty() ? "tensor " : "const ") + declared.name;
    for (size_t dim = 0; dim < declared.extents.size(); ++dim)
      text +=
          (dim == 0 ? "(" : ", ") + program_.extentOf(tensor, dim) + (dim + 1 == declared.extents.size() ? ")" : "");
    return text + ": " + program_.info(tensor).typeName + (isSparse ? ", sparse" : "") +
           (fill ? ", fill " + sema::textOf(declared.type, *fill) : "") + value + "\n";
  }

  template <typename Declare> void declareConstant(TensorId tensor, const Declare &declare) const {
    const double fill = program_.kernel.tensors[tensor].fill;
    const bool isSparse = program_.info(tensor).pattern.has_value();
    declare(tensor, isSparse, isSparse && fill != 0 ? std::optional(fill) : std::nullopt);
  }

  /// The numbers of a constant, or its file as it is named from where the derivative will be; empty of other tensors.
  std::string valueOf(TensorId tensor) const {
    const auto &source = program_.info(tensor).source;
    if (!source || !program_.kernel.tensors[tensor].is<sema::Constant>())
      return "";
    language::ConstantDecl constant = *kernel_.symbols[*source].declaration->constant;
    if (!constant.file.empty() && request_.fileFrom)
      constant.file = request_.fileFrom(constant.file);
    return " = " + sema::toText(constant);
  }

  /// Temporaries that the source text declares, and those of other types than their statements imply.
  template <typename Declare> void declareRecomputed(const Declare &declare) const {
    for (const Assignment &statement : derivative_.recomputed) {
      const std::optional<TensorId> source = program_.info(statement.target).source;
      const auto &declaration = source ? kernel_.symbols[*source].declaration : std::nullopt;
      if (declaration)
        declare(statement.target, declaration->sparse,
                declaration->fill ? std::optional(declaration->fill->value) : std::nullopt);
      else if (!source && program_.typeOf(statement.target) != impliedType(program_, *statement.value))
        declare(statement.target, false, std::nullopt);
    }
  }

  bool isCastTo(const std::string &type) const {
    const auto casts = [&](const Assignment &statement) {
      return any(*statement.value, [&](const Node &part) {
        const CallNode *cast = callOf(part, Function::Cast);
        return cast && cast->typeParameter == type;
      });
    };
    return std::any_of(derivative_.recomputed.begin(), derivative_.recomputed.end(), casts) ||
           std::any_of(derivative_.statements.begin(), derivative_.statements.end(), casts);
  }

  void writeStatements(const std::string &title, const std::vector<Assignment> &statements) {
    if (statements.empty())
      return;
    out_ << "\n" << (title.empty() ? "" : "# " + title + "\n");
    for (const Assignment &statement : statements)
      out_ << broken(textOf(statement)) << "\n";
  }

  std::string textOf(const Assignment &statement) const {
    const std::vector<std::string> indices = program_.namesOf(statement.indices);
    std::string text = (statement.isTemporary ? "let " : "") + program_.nameOf(statement.target);
    for (const std::string &index : indices)
      text += (&index == &indices.front() ? "(" : ",") + index;
    return text + (indices.empty() ? " " : ") ") + std::string(language::spellingOf(statement.op)) + " " +
           program_.textOf(*statement.value);
  }

  /// A long statement on several lines: after operators outside of parentheses.
  static std::string broken(const std::string &text) {
    std::string result, line;
    int depth = 0;
    size_t lastBreak = 0; // in `line`, behind an operator
    for (const char c : text) {
      line += c;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      const bool isSum = line.ends_with(" + ") || line.ends_with(" - ");
      if (depth == 0 && (isSum || (c == '*' && lastBreak == 0)))
        lastBreak = line.size();
      if (line.size() > kWidth && lastBreak > 0) {
        std::string head = line.substr(0, lastBreak);
        head.erase(head.find_last_not_of(' ') + 1);
        result += head + "\n";
        line = "    " + line.substr(lastBreak);
        lastBreak = 0;
      }
    }
    return result + line;
  }

  const sema::Program &kernel_;
  const Request &request_;
  const Program &program_;
  const Derivative &derivative_;
  std::ostringstream out_;
};

} // namespace

std::string writeText(const sema::Program &kernel, const Request &request, const Program &program,
                      const Derivative &derivative) {
  return TextWriter(kernel, request, program, derivative).write();
}

} // namespace spc::grad
