#include "pipeline/cpu/versions.h"

#include "codegen/cpu/cpu_levels.h"
#include "entry/entry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

#include <map>

namespace spc::pipeline {

std::vector<codegen::CpuLevel> levelsOf(const Body &body) {
  std::vector<codegen::CpuLevel> levels;
  if (body.versions.size() > 1)
    for (const BodyVersion &version : body.versions)
      levels.push_back(codegen::levelNamed(version.processor).value());
  return levels;
}

std::vector<codegen::LevelPart> partsOf(const std::vector<Body> &bodies) {
  std::map<codegen::CpuLevel, std::vector<std::string>> functions;
  std::optional<codegen::CpuLevel> lowest;
  for (const Body &body : bodies) {
    const std::vector<codegen::CpuLevel> levels = levelsOf(body);
    if (levels.empty())
      continue;
    lowest = levels.front();
    for (auto [level, version] : llvm::zip_equal(levels, body.versions))
      functions[level].push_back(version.symbol);
  }
  std::vector<codegen::LevelPart> parts;
  for (auto &[level, names] : functions)
    parts.push_back({level == lowest ? std::nullopt : std::optional(level), std::move(names)});
  parts.emplace_back();
  return parts;
}

std::string addChoices(llvm::Module &module, const std::vector<Body> &bodies) {
  for (const Body &body : bodies) {
    const std::vector<codegen::CpuLevel> levels = levelsOf(body);
    if (levels.empty())
      continue;
    std::vector<llvm::Function *> functions{module.getFunction(entry::bodySymbol(body.name))};
    for (auto [level, version] : llvm::drop_begin(llvm::zip_equal(levels, body.versions))) {
      functions.push_back(module.getFunction(version.symbol));
      if (functions.back())
        codegen::setLevel(*functions.back(), level);
    }
    if (llvm::is_contained(functions, nullptr))
      return body.name;
    codegen::addChoice(levels, functions, body.versions.front().symbol);
  }
  return {};
}

void sortBodies(llvm::Module &module, const std::vector<Body> &bodies) {
  const std::vector<codegen::LevelPart> parts = partsOf(bodies);
  for (const codegen::LevelPart &part : llvm::reverse(parts))
    for (const std::string &name : llvm::reverse(part.functions)) {
      llvm::Function *body = module.getFunction(name);
      body->removeFromParent();
      module.getFunctionList().push_front(body);
    }
}

} // namespace spc::pipeline
