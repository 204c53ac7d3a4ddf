#include "sema/divisions.h"

#include "sema/amounts.h"
#include "sema/divide/halos.h"
#include "sema/divide/part_values.h"
#include "sema/divide/storage.h"
#include "sema/fold.h"
#include "sema/kernel.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace spc::sema {
namespace {

/// How one extent may be divided.
class IndexDivider {
public:
  IndexDivider(const Program &program, const Kernel &kernel, IndexDivision &division)
      : program_(program), kernel_(kernel), division_(division), divided_(division.extent),
        values_(program, division.extent, division.index) {}

  void run() {
    division_.reason = refusal();
    if (!division_.reason.empty())
      return;
    for (TensorId id : kernel_.parameters)
      for (ExtentId extent : kernel_.tensors[id].extents)
        addHalo(extent);
    for (TensorId id : kernel_.parameters)
      division_.arguments.push_back(partOf(id));
  }

private:
  std::string refusal() {
    if (std::string why = whyNotSized(program_, divided_); !why.empty())
      return why;
    for (TensorId id : program_.tensors.ids())
      if (countOf(program_.tensors[id]) > 1 && !isReadOnDiagonals(id))
        return whyTwice(program_.tensors[id]);
    for (TensorId id : program_.tensors.ids())
      if (std::string why = whyNotStored(id); !why.empty())
        return why;
    for (TensorId id : kernel_.parameters)
      if (std::string why = whyNotStored(id); !why.empty())
        return why;
    if (std::string why = values_.refusal(); !why.empty())
      return why;
    for (TensorId id : program_.parameters)
      if (std::string why = whyNotReduced(id); !why.empty())
        return why;
    return {};
  }

  std::string whyNotStored(TensorId id) const {
    const Tensor &tensor = kernel_.tensors[id];
    for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
      if (tensor.extents[dim] == divided_)
        if (std::string why = whyNotCut(tensor, static_cast<int>(dim)); !why.empty())
          return why;
    return {};
  }

  ptrdiff_t countOf(const Tensor &tensor) const {
    return std::count(tensor.extents.begin(), tensor.extents.end(), divided_);
  }

  /// Whether a tensor's dimensions of the extent have the same index wherever it is read.
  bool isReadOnDiagonals(TensorId id) const {
    for (const ResolvedStatement *statement : statementsThatMatter(program_)) {
      if (statement->target.tensor == id)
        return false;
      for (const Access &access : statement->scope.accesses) {
        std::set<VariableId> along;
        for (size_t dim = 0; access.tensor == id && dim < access.variables.size(); ++dim)
          if (program_.tensors[id].extents[dim] == divided_)
            along.insert(plainAt(access, dim, statement->scope));
        if (along.size() > 1)
          return false;
      }
    }
    return true;
  }

  /// Missing entries of a result are what the reduction of none is.
  std::string whyNotReduced(TensorId id) const {
    const Tensor &tensor = kernel_.tensors[id];
    const PartValue &value = values_.of(id);
    if (!value.isPartial() || tensor.format.isDense() || tensor.fill == identityOf(value.by, tensor.type))
      return {};
    return "'" + tensor.name + "' stores no element that is " + textOf(tensor.type, tensor.fill) +
           ", which would be taken for the result of a part";
  }

  /// Two dimensions have one size: a part would have both cut, or parts of different sizes.
  std::string whyTwice(const Tensor &tensor) const {
    if (tensor.format.symmetry != format::Symmetry::None)
      return "of '" + tensor.name + "' one triangle is stored, which says what the other one is";
    for (const bool ofTemporaries : {true, false})
      for (TensorId id : program_.tensors.ids())
        if (program_.tensors[id].is<Temporary>() == ofTemporaries)
          if (const std::vector<std::string> names = namesAlong(id); names.size() > 1)
            return "'" + program_.tensors[id].name + "' is " + (ofTemporaries ? "written" : "read") + " along '" +
                   names[0] + "' and " + (ofTemporaries ? "read " : "") + "along '" + names[1] +
                   "', which may be in another part";
    const std::string &name = program_.extents[divided_].name;
    if (isDeclared(name))
      return "two dimensions of '" + tensor.name + "' are declared to have one size, '" + name +
             "', and a part has fewer of one: give them two names";
    return "two dimensions of '" + tensor.name + "' have the size of '" + division_.index +
           "', and a part needs more of one than of the other";
  }

  bool isDeclared(const std::string &name) const {
    for (const language::TensorDecl &declaration : program_.declarations)
      for (const language::ExtentDecl &extent : declaration.extents)
        if (const auto *declared = std::get_if<std::string>(&extent.value); declared && *declared == name)
          return true;
    return false;
  }

  /// The variables by which a tensor with one dimension of the extent is accessed there, what writes it first.
  std::vector<std::string> namesAlong(TensorId id) const {
    const Tensor &tensor = program_.tensors[id];
    std::vector<std::string> names;
    if (countOf(tensor) != 1)
      return names;
    const int dim = dimOf(tensor, divided_);
    for (const ResolvedStatement &statement : program_.statements) {
      std::vector<const Access *> accesses;
      if (statement.target.tensor == id)
        accesses.push_back(&statement.target);
      for (const Access &access : statement.scope.accesses)
        if (access.tensor == id)
          accesses.push_back(&access);
      for (const Access *access : accesses)
        if (const std::string &name = statement.scope.variables[access->variables[dim]].name; !has(names, name))
          names.push_back(name);
    }
    return names;
  }

  void addHalo(ExtentId extent) {
    const auto isOf = [&](const Halo &halo) { return halo.extent == extent; };
    if (extent == divided_ || std::any_of(division_.halos.begin(), division_.halos.end(), isOf))
      return;
    if (std::optional<Halo> halo = haloOf(program_, kernel_, divided_, extent, values_))
      division_.halos.push_back(std::move(*halo));
  }

  ArgumentPart partOf(TensorId id) const {
    const Tensor &tensor = kernel_.tensors[id];
    ArgumentPart part{id};
    const PartValue &value = values_.of(sourceIn(program_, kernel_, id));
    for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
      if (tensor.extents[dim] == divided_) {
        part.dims.push_back(static_cast<int>(dim));
        part.block = std::lcm(part.block, blockOf(tensor, static_cast<int>(dim)));
      }
    if (!part.dims.empty()) {
      part.role = ArgumentPart::Role::Slice;
    } else if (value.isPartial()) {
      part.role = ArgumentPart::Role::Reduced;
      part.reduction = value.by;
    }
    for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
      for (const Halo &halo : division_.halos)
        if (halo.extent == tensor.extents[dim])
          part.listed.push_back(static_cast<int>(dim));
    return part;
  }

  const Program &program_;
  const Kernel &kernel_;
  IndexDivision &division_;
  const ExtentId divided_;
  PartValues values_;
};

/// The extents that variables of the text run over, with their names.
std::vector<IndexDivision> extentsOfIndices(const Program &program) {
  std::vector<IndexDivision> divisions;
  for (const auto &[name, where] : program.indexNames)
    for (const ResolvedStatement &statement : program.statements)
      for (const Variable &variable : statement.scope.variables) {
        if (variable.name != name || variable.kind == Variable::Kind::Derived)
          continue;
        auto known = std::find_if(divisions.begin(), divisions.end(),
                                  [&](const IndexDivision &other) { return other.extent == variable.extent; });
        if (known == divisions.end()) {
          const bool isTaken = std::any_of(divisions.begin(), divisions.end(),
                                           [&](const IndexDivision &other) { return has(other.names, name); });
          divisions.push_back({isTaken ? program.extents[variable.extent].name : name, {}, variable.extent});
          known = divisions.end() - 1;
        }
        if (!has(known->names, name))
          known->names.push_back(name);
      }
  return divisions;
}

} // namespace

TensorId sourceIn(const Program &program, const Kernel &kernel, TensorId parameter) {
  const std::string &whole = kernel.tensors[parameter].partOf;
  for (TensorId id : program.tensors.ids())
    if (!whole.empty() && program.tensors[id].name == whole)
      return id;
  return parameter;
}

std::string whyNotSized(const Program &program, ExtentId extent) {
  const Extent &own = program.extents[extent];
  if (own.fixed)
    return "its size is given, " + std::to_string(*own.fixed);
  if (!own.sums.empty())
    return "its size is declared as " + textOf(own.sums.front(), program);
  for (const Extent &other : program.extents)
    for (const ExtentSum &sum : other.sums)
      for (const ExtentSum::Product &product : sum.products)
        if (has(product.extents, extent))
          return "the size '" + other.name + "' is declared as " + textOf(sum, program);
  for (const Tensor &tensor : program.tensors)
    if (const auto *size = tensor.as<Size>(); size && size->extent == extent)
      return "the size '" + tensor.name + "' is used as a number, and a part has one of its own";
  return {};
}

std::vector<IndexDivision> divisionsOf(const Program &program, const Kernel &kernel) {
  std::vector<IndexDivision> divisions = extentsOfIndices(program);
  for (IndexDivision &division : divisions)
    IndexDivider(program, kernel, division).run();
  return divisions;
}

} // namespace spc::sema
