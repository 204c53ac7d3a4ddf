#include "abi/header_comment.h"

#include "abi/text.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace spc::abi {
namespace {

constexpr std::string_view kComment = R"(/* @function@(): made by spc from @file@; do not edit.
@statements@ *
 * Arguments. They must not overlap in memory. Coordinates count from 0; they are sorted and unique
 * unless said otherwise.
 *
@arguments@@constants@ *
 * Returns SPC_OK or what is wrong (spc_status_string() says it in words). Keeps no state: calls may run in parallel. */
)";

std::string withoutFolders(const std::string &path) {
  return path.substr(path.find_last_of('/') + 1);
}

Span placeOf(const sema::Step &step) {
  if (const auto *statement = std::get_if<sema::Statement>(&step))
    return statement->where;
  if (const auto *ranking = std::get_if<sema::Ranking>(&step))
    return ranking->where;
  const auto *conversion = std::get_if<sema::Conversion>(&step);
  return conversion ? conversion->where : Span();
}

/// The source of the kernel's statements in the order of the file, each once, however many steps they became.
std::string statements(const sema::Kernel &kernel) {
  std::map<uint32_t, std::string_view> texts;
  for (const sema::Step &step : kernel.steps)
    if (const Span where = placeOf(step); where) {
      std::string_view &text = texts[where.begin];
      const std::string_view candidate = where.file->text().substr(where.begin, where.end - where.begin);
      text = std::max(text, candidate, [](auto a, auto b) { return a.size() < b.size(); });
    }
  std::string lines;
  for (auto [begin, text] : texts) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      lines += " *     " + forComment(text.substr(0, end)) + "\n";
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  return lines.empty() ? "" : " *\n" + lines;
}

/// "m x n"
std::string shape(const sema::Kernel &kernel, const sema::Tensor &tensor) {
  std::vector<std::string> extents;
  for (sema::ExtentId id : tensor.extents) {
    const sema::Extent &extent = kernel.extents[id];
    extents.push_back(extent.fixed ? std::to_string(*extent.fixed) : forComment(extent.name));
  }
  return join(extents, " x ");
}

/// "dimension 0 dense, 1 compressed"
std::string storage(const format::Format &format) {
  if (format.isDense()) {
    const int inner = format.levels.back().dim;
    return format.order() == 1 ? "dense" : "dense, dimension " + std::to_string(inner) + " innermost";
  }
  return format::describe(format);
}

std::string direction(const sema::Tensor &tensor) {
  const std::string role = roleOf(tensor);
  return role == "inout" ? "in/out" : role;
}

/// The fields of an assembled output's struct for sizes that nothing else says.
std::string sizesToSet(const sema::Kernel &kernel, const Parameter &parameter) {
  const auto isOperands = [&](sema::ExtentId extent) {
    return std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](sema::TensorId id) {
      const sema::Tensor &tensor = kernel.tensors[id];
      return tensor.isRead && std::find(tensor.extents.begin(), tensor.extents.end(), extent) != tensor.extents.end();
    });
  };
  std::string names;
  const std::vector<sema::ExtentId> &extents = kernel.tensors[parameter.tensor].extents;
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    if (kernel.extents[extents[dim]].fixed || isOperands(extents[dim]))
      continue;
    const Field &field =
        parameter.type.fields[static_cast<size_t>(parameter.type.find(FieldRole::Size, static_cast<int>(dim)))];
    names += (names.empty() ? "" : ", ") + field.name;
    if (field.arrayLength > 0)
      names += "[" + std::to_string(dim) + "]";
  }
  return names;
}

/// Whether a call changes values alone.
bool keepsStructure(const sema::Tensor &tensor) {
  return tensor.isWritten && !tensor.format.isDense() && std::holds_alternative<sema::Own>(tensor.structure);
}

/// Whether entries are looked up in the structure that a tensor has.
bool isPlacedIn(const sema::Kernel &kernel, sema::TensorId tensor) {
  return std::any_of(kernel.steps.begin(), kernel.steps.end(), [&](const sema::Step &step) {
    const auto *placement = std::get_if<sema::Placement>(&step);
    return placement && placement->to == tensor;
  });
}

/// What a caller has to know about an argument beyond its shape and storage, in lines.
std::vector<std::string> notes(const Signature &signature, const sema::Kernel &kernel, const Parameter &parameter) {
  const sema::Tensor &tensor = kernel.tensors[parameter.tensor];
  std::vector<std::string> lines;
  if (!tensor.partOf.empty())
    lines.push_back("part " + std::to_string(tensor.part) + " of " + forComment(tensor.partOf) +
                    ", which is the sum of its parts");
  if (tensor.hasFill())
    lines.push_back("missing entries are " + sema::textOf(tensor.type, tensor.fill));
  if (parameter.kind == ParameterKind::Values) {
    const std::string owner = parameterOf(signature, kernel, tensor.shared()->owner);
    lines.push_back("only its values, as many as " + owner + " stores and in that order: it has the structure of " +
                    owner);
  } else if (parameter.isAssembled && tensor.isRead) {
    lines.push_back("its arrays are released, as by " + signature.function + "_free, and replaced by new ones");
  } else if (parameter.isAssembled) {
    lines.push_back("assembled: the call sets the struct, whatever it holds before, and allocates its arrays,");
    lines.push_back("which " + signature.function + "_free releases");
    if (const std::string sizes = sizesToSet(kernel, parameter); !sizes.empty())
      lines.push_back("to be set before, as no operand has it: " + sizes);
  } else if (keepsStructure(tensor)) {
    lines.push_back("only its values change");
  } else if (parameter.fillsStructure) {
    const std::string owner = parameterOf(signature, kernel, tensor.shared()->owner);
    lines.push_back("has the entries of " + owner + ": its values array has room for as many as " + owner + " stores,");
    lines.push_back("its other arrays are those of " + owner + ", or NULL, which the call replaces by them");
  }
  if (isPlacedIn(kernel, parameter.tensor))
    lines.push_back("an entry without a place there is SPC_ERROR_PATTERN, upon which its values are undefined");
  return lines;
}

std::string argument(const Signature &signature, const sema::Kernel &kernel, const Parameter &parameter, size_t width) {
  const sema::Tensor &tensor = kernel.tensors[parameter.tensor];
  const std::string indent = " *   " + std::string(width + 2, ' ');
  std::string text = " *   " + parameter.name + std::string(width + 2 - parameter.name.size(), ' ') + direction(tensor);
  if (parameter.kind == ParameterKind::ScalarValue || parameter.kind == ParameterKind::ScalarPointer)
    return text + ", scalar\n";
  text += ", " + shape(kernel, tensor) + "; " + storage(tensor.format) + "\n";
  for (const std::string &note : notes(signature, kernel, parameter))
    text += indent + note + "\n";
  return text;
}

/// The constants of the source text, which the function has itself.
std::string constants(const sema::Kernel &kernel) {
  std::string lines;
  for (const sema::Tensor &tensor : kernel.tensors)
    if (tensor.is<sema::Constant>() && tensor.part == 0)
      lines += " *   " + forComment(tensor.partOf.empty() ? tensor.name : tensor.partOf) + ", " +
               (tensor.order() == 0 ? "a number" : shape(kernel, tensor)) + " of " + sema::spelling(tensor.type) + "\n";
  return lines.empty() ? "" : " *\n * Constants, which are no arguments:\n *\n" + lines;
}

} // namespace

std::string headerComment(const Signature &signature, const sema::Kernel &kernel) {
  size_t width = 0;
  for (const Parameter &parameter : signature.parameters)
    width = std::max(width, parameter.name.size());
  std::string arguments;
  for (const Parameter &parameter : signature.parameters)
    arguments += argument(signature, kernel, parameter, width);
  return substitute(kComment, {{"function", signature.function},
                               {"file", forComment(withoutFolders(kernel.kernelFile))},
                               {"statements", statements(kernel)},
                               {"arguments", arguments},
                               {"constants", constants(kernel)}});
}

} // namespace spc::abi
