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
      width = std::max(width, argument.name.size());
    for (const Argument &argument : derivative_.arguments)
      out_ << "#   " << argument.name << std::string(width + 2 - argument.name.size(), ' ') << meaningOf(argument)
           << "\n";
    explainAssembled();
  }

  /// Of derivatives that have to be bound to formats, since no single tensor has their entries to the compiler's eye.
  void explainAssembled() {
    if (derivative_.assembled.empty())
      return;
    std::string names;
    for (const auto &[name, tensor] : derivative_.assembled)
      names += (names.empty() ? "" : ", ") + name;
    out_ << "# select(pattern(S(i,j)), 0, 0) is a zero wherever S has an entry, so that all of them are stored. To be\n"
         << "# sparse, " << names << " must be bound to formats, as --format-out does.\n";
  }

  std::string meaningOf(const Argument &argument) const {
    const TensorInfo &info = program_.info(argument.value);
    const std::string entries = info.pattern.empty() ? "" : ", where " + info.pattern + " has entries";
    switch (argument.kind) {
    case Kind::Operand:
      return "in: as for " + kernel_.function;
    case Kind::Result:
      return "in: what " + kernel_.function + " has made of " + info.source;
    case Kind::Seed:
      return isReverse() ? "in: the derivative of a number by " + info.source + storedLike(info)
                         : "in: the change of " + info.source + storedLike(info);
    case Kind::Derivative:
      return isReverse() ? "out: the derivative of that number by " + info.source + entries
                         : "out: the change of " + info.source + entries;
    }
    return {};
  }

  static std::string storedLike(const TensorInfo &info) {
    return info.pattern.empty() ? "" : ", stored like " + info.source;
  }

  void writeSignature() {
    std::string read, written;
    for (const Argument &argument : derivative_.arguments) {
      std::string &list = argument.kind == Kind::Derivative ? written : read;
      list += (list.empty() ? "" : ", ") + argument.name;
    }
    out_ << "kernel " << request_.function << "(" << read << ") -> (" << written << ")\n\n";
  }

  void writeDeclarations() {
    std::ostringstream declarations;
    std::set<std::string> types;
    const auto declare = [&](const std::string &name, const std::string &value, bool isSparse) {
      const TensorInfo &info = program_.info(value);
      declarations << "tensor " << name;
      for (size_t dim = 0; dim < info.extents.size(); ++dim)
        declarations << (dim == 0 ? "(" : ", ") << info.extents[dim] << (dim + 1 == info.extents.size() ? ")" : "");
      declarations << ": " << info.typeName << (isSparse ? ", sparse" : "");
      types.insert(info.typeName);
    };
    for (const Argument &argument : derivative_.arguments) {
      const TensorInfo &info = program_.info(argument.value);
      declare(argument.name, argument.value, !info.pattern.empty() && argument.kind != Kind::Derivative);
      const bool isForward = argument.kind == Kind::Operand || argument.kind == Kind::Result;
      if (isForward && !info.pattern.empty() && info.fill != 0)
        declarations << ", fill " << sema::textOf(info.type, info.fill);
      declarations << "\n";
    }
    for (const auto &[name, value] : derivative_.sized) {
      declare(name, value, false);
      declarations << "\n";
    }
    declareRecomputed(declare, declarations);
    for (const language::TypeDecl &type : kernel_.types)
      if (types.contains(type.name.text) || isCastTo(type.name.text))
        out_ << "type " << type.name.text << " = " << type.type.text << "\n";
    out_ << declarations.str();
  }

  /// Temporaries that the source text declares, and those of other types than their statements imply.
  template <typename Declare> void declareRecomputed(const Declare &declare, std::ostringstream &declarations) {
    for (const Assignment &statement : derivative_.recomputed) {
      const std::string &name = statement.target.tensor;
      if (const TensorInfo &info = program_.info(name);
          info.source.empty() && info.type != impliedType(program_, *statement.value)) {
        declare(name, name, false);
        declarations << "\n";
      }
      for (const language::TensorDecl &declaration : kernel_.declarations)
        if (declaration.name.text == program_.info(name).source) {
          declare(name, name, declaration.sparse);
          if (declaration.fill)
            declarations << ", fill " << sema::textOf(program_.info(name).type, declaration.fill->value);
          declarations << "\n";
        }
    }
  }

  bool isCastTo(const std::string &type) const {
    const auto casts = [&](const Assignment &statement) {
      return any(*statement.value, [&](const Expr &part) {
        const auto *node = std::get_if<Call>(&part.node);
        return node && node->function == Function::Cast && node->typeParameter == type;
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

  static std::string textOf(const Assignment &statement) {
    std::string text = statement.isTemporary ? "let " : "";
    text += grad::textOf(*access(statement.target.tensor, statement.target.indices)) + " ";
    return text.append(language::spellingOf(statement.op)) + " " + grad::textOf(*statement.value);
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
