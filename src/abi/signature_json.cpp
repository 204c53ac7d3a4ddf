#include "abi/signature_json.h"

#include "format/format_writer.h"
#include "spc/message.h"

#include <nlohmann/json.hpp>

namespace spc::abi {
namespace {

using Json = nlohmann::ordered_json;

/// One entry for each 8 bytes of the struct.
Json fieldsJson(const StructType &type) {
  Json fields = Json::array();
  for (const Field &field : type.fields) {
    Json json = {{"name", field.name}, {"holds", spelling(field.role)}};
    if (field.role == FieldRole::Size || field.role == FieldRole::Stride)
      json["dim"] = field.index;
    else if (field.role != FieldRole::Stored && field.role != FieldRole::Values)
      json["level"] = field.index;
    fields.push_back(std::move(json));
  }
  return fields;
}

Json shapeJson(const sema::Kernel &kernel, const sema::Tensor &tensor) {
  Json shape = Json::array();
  for (sema::ExtentId id : tensor.extents) {
    const sema::Extent &extent = kernel.extents[id];
    shape.push_back(extent.fixed ? Json(*extent.fixed) : Json(extent.name));
  }
  return shape;
}

Json argumentJson(const Signature &signature, const sema::Kernel &kernel, const Parameter &parameter) {
  const sema::Tensor &tensor = kernel.tensors[parameter.tensor];
  Json json = {{"name", parameter.name}};
  if (parameter.name != tensor.name)
    json["tensor"] = tensor.name;
  json["role"] = roleOf(tensor);
  json["pass"] = spelling(parameter.kind);
  json["type"] = sema::spelling(parameter.value);
  if (parameter.kind == ParameterKind::ScalarValue || parameter.kind == ParameterKind::ScalarPointer)
    return json;
  json["shape"] = shapeJson(kernel, tensor);
  json["format"] = format::toJson(tensor.format);
  if (parameter.kind == ParameterKind::Tensor) {
    json["struct"] = parameter.type.name;
    json["fields"] = fieldsJson(parameter.type);
  }
  if (!tensor.format.isDense())
    json["fill"] = sema::textOf(tensor.type, tensor.fill);
  if (!tensor.couldBe.empty())
    json["could_be"] = tensor.couldBe;
  if (!tensor.partOf.empty())
    json["part_of"] = tensor.partOf;
  if (parameter.isAssembled)
    json["structure"] = "assembled";
  else if (parameter.kind == ParameterKind::Values || parameter.fillsStructure)
    json["structure"] = "of " + parameterOf(signature, kernel, tensor.shared()->owner);
  return json;
}

Json symbolsJson(const Signature &signature) {
  std::vector<std::pair<const char *, const char *>> phases = {{"call", ""}};
  if (signature.hasPhases) {
    phases.emplace_back("symbolic", "_symbolic");
    phases.emplace_back("numeric", "_numeric");
  }
  if (signature.assembles())
    phases.emplace_back("free", "_free");
  Json json;
  for (const auto &[name, phase] : phases)
    json[name] = {{"typed", signature.symbol(phase)}, {"argv", signature.argvSymbol(phase)}};
  return json;
}

Json sumsJson(const sema::Kernel &kernel) {
  Json sums = Json::array();
  for (const sema::Extent &extent : kernel.extents)
    for (const sema::ExtentSum &sum : extent.sums) {
      Json products = Json::array();
      for (const sema::ExtentSum::Product &product : sum.products) {
        Json names = Json::array();
        for (sema::ExtentId factor : product.extents)
          names.push_back(kernel.extents[factor].fixed ? Json(*kernel.extents[factor].fixed)
                                                       : Json(kernel.extents[factor].name));
        products.push_back({{"factor", product.factor}, {"extents", names}});
      }
      sums.push_back({{"extent", extent.name}, {"products", products}, {"constant", sum.constant}});
    }
  return sums;
}

/// What an argument is to a part, under its name.
Json partJson(const sema::ArgumentPart &part) {
  Json json = {{"part", spelling(part)}};
  if (!part.dims.empty())
    json["dims"] = part.dims;
  if (part.block > 1)
    json["block"] = part.block;
  if (!part.listed.empty())
    json["rows"] = part.listed;
  return json;
}

/// How processes may divide each index variable, or why they may not.
Json divideJson(const Signature &signature, const sema::Kernel &kernel) {
  Json divisions = Json::array();
  for (const sema::IndexDivision &division : kernel.divisions) {
    Json json = {{"index", division.index}, {"extent", kernel.extents[division.extent].name}};
    if (!division.reason.empty()) {
      json["refused"] = division.reason;
      divisions.push_back(std::move(json));
      continue;
    }
    for (const sema::ArgumentPart &part : division.arguments)
      json["arguments"][parameterOf(signature, kernel, part.tensor)] = partJson(part);
    for (const sema::Halo &halo : division.halos) {
      Json lists = Json::array();
      for (const auto &[tensor, dim] : halo.listedBy)
        lists.push_back({{"argument", parameterOf(signature, kernel, tensor)}, {"dim", dim}});
      Json halos = {{"extent", kernel.extents[halo.extent].name}, {"listed_by", std::move(lists)}};
      if (halo.needsOne)
        halos["least"] = 1;
      json["halos"].push_back(std::move(halos));
    }
    divisions.push_back(std::move(json));
  }
  return divisions;
}

Json statusesJson() {
  Json json;
  for (int status = SPC_OK; status <= SPC_ERROR_OVERLAP; ++status)
    json[std::to_string(status)] = spc_status_string(static_cast<spc_status>(status));
  return json;
}

} // namespace

std::string signatureJson(const Signature &signature, const sema::Kernel &kernel) {
  Json json = {{"spc_abi", SPC_ABI_VERSION},
               {"name", signature.function},
               {"fingerprint", signature.fingerprint},
               {"functions", symbolsJson(signature)},
               {"arguments", Json::array()}};
  if (signature.isHidden())
    json["contents"] = signature.contents;
  if (!signature.producer.empty())
    json["made_by"] = signature.producer;
  for (const Parameter &parameter : signature.parameters)
    json["arguments"].push_back(argumentJson(signature, kernel, parameter));
  if (Json sums = sumsJson(kernel); !sums.empty())
    json["sums"] = std::move(sums);
  json["divide"] = divideJson(signature, kernel);
  json["statuses"] = statusesJson();
  return json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

} // namespace spc::abi
