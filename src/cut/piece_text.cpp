#include "cut/piece_text.h"

#include "sema/kernel.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace spc::cut {
namespace {

using sema::Access;
using sema::ResolvedStatement;
using sema::Tensor;
using sema::TensorId;
using sema::VariableId;

class PieceWriter {
public:
  PieceWriter(const sema::Program &program, const sema::Kernel &plan, const DividedVariables &divided,
              const Request &request, Piece &piece)
      : whole_(program), plan_(plan), divided_(divided), request_(request), piece_(piece), own_(program) {
    own_.statements.clear();
    for (size_t k = piece.begin; k < piece.end; ++k)
      own_.statements.push_back(program.statements[k]);
  }

  void write() {
    for (size_t k = 0; k < own_.statements.size(); ++k)
      if (const std::optional<VariableId> id = variableOf(k); id && piece_.index.empty())
        piece_.index = own_.statements[k].scope.variables[*id].name;
    splitOperands();
    collectTensors();
    own_.declarations.clear();
    for (TensorId id : tensors_)
      declare(id);
    for (TensorId id : inside_)
      if (declarationOf(own_.tensors[id].name))
        declare(id);
    sign();
    std::erase_if(own_.types, [&](const language::TypeDecl &type) { return !isNamed(type.name.text); });
    piece_.text = head() + sema::toText(own_);
    for (TensorId id : tensors_)
      store(id);
    for (TensorId id : inside_)
      if (whole_.symbols[id].boundBy)
        store(id);
  }

private:
  std::optional<VariableId> variableOf(size_t statement) const { return divided_.variables[piece_.begin + statement]; }

  /// Gives what is read at other coordinates than the part's a name of its own, where the same tensor is read at these.
  void splitOperands() {
    for (TensorId id : whole_.tensors.ids()) {
      std::optional<std::vector<size_t>> dims; // at which the part's coordinates are
      for (size_t k = 0; k < own_.statements.size() && !isWrittenBefore(id, k); ++k)
        for (sema::AccessId read : accessesRead(own_.statements[k])) {
          const Access &access = own_.statements[k].scope.accesses[read];
          if (const std::vector<size_t> at = dimsAt(access, variableOf(k)); access.tensor == id && !at.empty() && !dims)
            dims = at;
        }
      if (!dims)
        continue;
      for (size_t k = 0; k < own_.statements.size() && !isWrittenBefore(id, k); ++k)
        for (sema::AccessId read : accessesRead(own_.statements[k]))
          if (Access &access = own_.statements[k].scope.accesses[read];
              access.tensor == id && dimsAt(access, variableOf(k)) != *dims)
            rename(own_.statements[k].scope, access, dims->front());
    }
  }

  /// Whether a statement of the piece before this one writes a tensor.
  bool isWrittenBefore(TensorId id, size_t statement) const {
    return std::any_of(own_.statements.begin(), own_.statements.begin() + static_cast<ptrdiff_t>(statement),
                       [&](const ResolvedStatement &earlier) { return earlier.target.tensor == id; });
  }

  void rename(sema::Scope &scope, Access &access, size_t dim) {
    const TensorId id = access.tensor;
    std::string across = scope.variables[access.variables[dim]].name; // of one that others make, as `i + 1`
    std::erase_if(across, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; });
    TensorId &copy = copies_.try_emplace({id, across}, id).first->second;
    if (copy == id) {
      Tensor tensor = whole_.tensors[id];
      const std::string name = tensor.name;
      tensor.name = unusedName(own_, name + "_" + across);
      piece_.copies.emplace_back(tensor.name, name);
      sources_[tensor.name] = name;
      copy = own_.tensors.add(std::move(tensor));
    }
    access.tensor = copy;
    for (VariableId variable : access.variables)
      if (sema::Variable &derived = scope.variables[variable];
          derived.kind == sema::Variable::Kind::Derived && derived.tensor == id)
        derived.tensor = copy;
  }

  /// Operands and outputs, in the order of the whole kernel's tensors.
  void collectTensors() {
    for (ResolvedStatement &statement : own_.statements) {
      const TensorId target = statement.target.tensor;
      if (statement.isTemporary && isReadElsewhere(target)) {
        statement.isTemporary = false;
        piece_.made.push_back(whole_.tensors[target].name);
      }
      (statement.isTemporary ? inside_ : written_).insert(target);
    }
    std::set<TensorId> all = written_;
    for (const ResolvedStatement &statement : own_.statements)
      for (sema::AccessId read : accessesRead(statement))
        if (const sema::TensorId id = statement.scope.accesses[read].tensor;
            !inside_.contains(id) && !own_.tensors[id].is<sema::Size>())
          all.insert(id);
    tensors_.assign(all.begin(), all.end());
  }

  /// Whether a statement of another piece reads or writes a tensor.
  bool isReadElsewhere(TensorId id) const {
    for (size_t k = 0; k < whole_.statements.size(); ++k) {
      const ResolvedStatement &statement = whole_.statements[k];
      if ((k < piece_.begin || k >= piece_.end) && (statement.target.tensor == id || reads(statement, id)))
        return true;
    }
    return false;
  }

  static bool reads(const ResolvedStatement &statement, TensorId id) {
    const std::vector<sema::AccessId> read = accessesRead(statement);
    return std::any_of(read.begin(), read.end(),
                       [&](sema::AccessId access) { return statement.scope.accesses[access].tensor == id; });
  }

  const language::TensorDecl *declarationOf(const std::string &name) const {
    for (const language::TensorDecl &declaration : whole_.declarations)
      if (declaration.name.text == name)
        return &declaration;
    return nullptr;
  }

  const std::string &sourceOf(const std::string &name) const {
    const auto found = sources_.find(name);
    return found == sources_.end() ? name : found->second;
  }

  /// Declares a tensor. Dimensions with the divided extent have sizes of their own but where the part's coordinates
  /// are; others have those of the whole.
  void declare(TensorId id) {
    const Tensor &tensor = own_.tensors[id];
    const language::TensorDecl *said = declarationOf(sourceOf(tensor.name));
    language::TensorDecl declaration;
    if (said && said->constant) {
      declaration = *said;
    } else {
      for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
        declaration.extents.push_back({sizeOf(id, dim), {}});
      declaration.type = said && said->type ? *said->type : language::Name{sema::spelling(tensor.type), {}};
      declaration.sparse = inside_.contains(id) ? said->sparse : isSparse(tensor);
      if (tensor.fill != 0)
        declaration.fill = language::FillDecl{tensor.fill, {}};
    }
    declaration.name = {tensor.name, {}};
    own_.declarations.push_back(std::move(declaration));
  }

  std::variant<std::string, int64_t, language::ExtentSum> sizeOf(TensorId id, size_t dim) const {
    const sema::ExtentId extent = own_.tensors[id].extents[dim];
    const sema::Extent &size = whole_.extents[extent];
    if (size.fixed)
      return *size.fixed;
    if (extent == divided_.extent && !isAtPart(id, dim))
      return unusedName(whole_, own_.tensors[id].name + "_size" + std::to_string(dim));
    return size.name;
  }

  /// Whether some access has the part's coordinates in a dimension.
  bool isAtPart(TensorId id, size_t dim) const {
    for (size_t k = 0; k < own_.statements.size(); ++k) {
      const auto isThere = [&](const Access &access) {
        return access.tensor == id && sema::has(dimsAt(access, variableOf(k)), dim);
      };
      const ResolvedStatement &statement = own_.statements[k];
      const std::vector<sema::AccessId> read = accessesRead(statement);
      if (isThere(statement.target) || std::any_of(read.begin(), read.end(), [&](sema::AccessId access) {
            return isThere(statement.scope.accesses[access]);
          }))
        return true;
    }
    return false;
  }

  void sign() {
    language::SignatureDecl signature{{piece_.function, {}}, {}, {}, {}};
    for (TensorId id : tensors_)
      if (const language::TensorDecl *said = declarationOf(own_.tensors[id].name); !said || !said->constant)
        (written_.contains(id) ? signature.outputs : signature.operands).push_back({own_.tensors[id].name, {}});
    own_.signature = std::move(signature);
  }

  /// Whether a declaration or a statement has the name of a type.
  bool isNamed(const std::string &type) const {
    const auto hasType = [&](const language::TensorDecl &one) { return one.type && one.type->text == type; };
    return std::any_of(own_.declarations.begin(), own_.declarations.end(), hasType) ||
           std::any_of(own_.statements.begin(), own_.statements.end(),
                       [&](const ResolvedStatement &one) { return isCastTo(*one.value, type); });
  }

  static bool isCastTo(const sema::Node &node, const std::string &type) {
    const auto *call = std::get_if<sema::CallNode>(&node.kind);
    if (call && call->typeParameter == type)
      return true;
    const std::vector<const sema::Node *> below = sema::children(node);
    return std::any_of(below.begin(), below.end(), [&](const sema::Node *child) { return isCastTo(*child, type); });
  }

  std::string head() const {
    const size_t folder = whole_.kernelFile.rfind('/');
    const std::string file = folder == std::string::npos ? whole_.kernelFile : whole_.kernelFile.substr(folder + 1);
    std::string text = "# Of " + file + ", cut along " + request_.index + " by spc partition.\n";
    for (const auto &[copy, tensor] : piece_.copies)
      text += "#   " + copy + ": " + tensor + ", of other parts as well\n";
    return text;
  }

  const Tensor *plannedTensor(const std::string &name) const {
    for (const Tensor &tensor : plan_.tensors)
      if (tensor.name == name || tensor.partOf == name)
        return &tensor;
    return nullptr;
  }

  bool isSparse(const Tensor &tensor) const {
    const Tensor *planned = plannedTensor(sourceOf(tensor.name));
    return planned && !planned->format.isDense();
  }

  void store(TensorId id) {
    const Tensor &tensor = own_.tensors[id];
    const Tensor *planned = plannedTensor(sourceOf(tensor.name));
    // Nothing need say of operands that they are dense; an output may be stored otherwise then.
    if (!planned || (planned->format.isDense() && (!written_.contains(id) || tensor.order() == 0)))
      return;
    StoredLike stored{tensor.name, sourceOf(tensor.name)};
    if (planned->hasDeclaredOwner()) {
      const std::string &owner = plan_.tensors[planned->shared()->owner].name;
      const auto isOwner = [&](TensorId other) {
        return own_.tensors[other].name == owner && !written_.contains(other);
      };
      if (std::any_of(tensors_.begin(), tensors_.end(), isOwner)) {
        stored.like = owner;
        stored.sharesStructure = true;
      }
    }
    piece_.stored.push_back(std::move(stored));
  }

  const sema::Program &whole_;
  const sema::Kernel &plan_;
  const DividedVariables &divided_;
  const Request &request_;
  Piece &piece_;
  sema::Program own_; ///< the tensors of the whole kernel, and copies behind them
  std::map<std::pair<TensorId, std::string>, TensorId> copies_; ///< by the variable that they are read at
  std::map<std::string, std::string> sources_;                  ///< the tensors of copies
  std::set<TensorId> inside_, written_;
  std::vector<TensorId> tensors_; ///< arguments, and constants
};

} // namespace

Piece pieceOf(const sema::Program &program, const sema::Kernel &plan, const DividedVariables &divided,
              const Request &request, size_t begin, size_t end, size_t number) {
  Piece piece{begin, end, request.function + "_" + std::to_string(number)};
  PieceWriter(program, plan, divided, request, piece).write();
  return piece;
}

} // namespace spc::cut
