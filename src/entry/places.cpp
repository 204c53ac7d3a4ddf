#include "entry/places.h"

namespace spc::entry {
namespace {

using abi::FieldRole;

/// "ncols", "shape[1]"; empty where the struct has no such field.
std::string fieldText(const abi::StructType &type, FieldRole role, size_t index) {
  const int slot = type.find(role, static_cast<int>(index));
  if (slot < 0)
    return "";
  const abi::Field &field = type.fields[static_cast<size_t>(slot)];
  return field.name + (field.arrayLength > 0 ? "[" + std::to_string(index) + "]" : "");
}

} // namespace

Place placeOf(const Entry &entry, const abi::Parameter &parameter) {
  Place place;
  place.name = parameter.name;
  place.argument = static_cast<int32_t>(&parameter - entry.signature.parameters.data());
  return place;
}

Place placeOf(const Entry &entry, const TensorArgument &argument, FieldRole role, size_t index) {
  const abi::StructType &type = argument.parameter.type;
  Place place = placeOf(entry, argument.parameter);
  const int slotOfField = argument.hasStruct() ? type.find(role, static_cast<int>(index)) : -1;
  if (slotOfField < 0)
    return place;
  const abi::Field &field = type.fields[static_cast<size_t>(slotOfField)];
  place.field = fieldText(type, role, index);
  if (role == FieldRole::Size || role == FieldRole::Stride)
    place.dimension = static_cast<int32_t>(index);
  TensorView passed = argument.passed;
  if (field.type == abi::FieldType::Int64)
    place.found = slot(passed, field);
  return place;
}

Place placeOf(const Entry &entry, const sema::Tensor &tensor, mlir::Value bytes) {
  Place place;
  for (const abi::Parameter &parameter : entry.signature.parameters)
    if (&entry.kernel.tensors[parameter.tensor] == &tensor)
      place = placeOf(entry, parameter);
  if (place.name.empty())
    place.name = tensor.name.starts_with('$') ? "an intermediate result" : tensor.name;
  place.found = bytes;
  return place;
}

Place sizePlace(const Entry &entry, const TensorArgument &argument, size_t dimension) {
  const sema::ExtentId extent = entry.kernel.tensors[argument.parameter.tensor].extents[dimension];
  Place place = placeOf(entry, argument, FieldRole::Size, dimension);
  const ExtentSource &source = entry.extentSources[extent];
  if (source.parameter == &argument.parameter && source.dimension == dimension)
    return place;
  place.wanted = entry.extents[extent];
  if (source.parameter) {
    place.other = source.parameter->name;
    place.otherField = fieldText(source.parameter->type, FieldRole::Size, source.dimension);
  }
  return place;
}

Place against(Place place, const TensorArgument &other, FieldRole role, size_t index, mlir::Value wanted) {
  place.other = other.parameter.name;
  place.otherField = fieldText(other.parameter.type, role, index);
  if (role == FieldRole::Pointers)
    place.otherField = "the end of " + place.otherField;
  place.wanted = wanted;
  return place;
}

} // namespace spc::entry
