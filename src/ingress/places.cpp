#include "ingress/places.h"

#include "mlir/AsmParser/AsmParserState.h"

#include <cctype>

namespace spc::ingress {

namespace {

/// All locations that say a line of some file, the outermost call's last.
void collect(mlir::Location location, llvm::SmallVectorImpl<mlir::FileLineColLoc> &found) {
  if (auto place = mlir::dyn_cast<mlir::FileLineColLoc>(location))
    found.push_back(place);
  else if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      collect(part, found);
  else if (auto named = mlir::dyn_cast<mlir::NameLoc>(location))
    collect(named.getChildLoc(), found);
  else if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(location)) {
    collect(call.getCallee(), found);
    collect(call.getCaller(), found);
  }
}

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$';
}

} // namespace

void Places::mark(mlir::Operation *module, const mlir::AsmParserState &state) const {
  module->walk([&](mlir::Operation *operation) {
    const mlir::AsmParserState::OperationDefinition *definition = state.getOpDef(operation);
    if (!definition)
      return;
    const auto offset = static_cast<uint32_t>(definition->loc.Start.getPointer() - file_.text().data());
    if (offset >= file_.text().size())
      return;
    // Columns count bytes here, as MLIR's do.
    const uint32_t line = file_.lineColumn(offset).line, column = offset - file_.lineStart(line) + 1;
    auto place = mlir::FileLineColLoc::get(operation->getContext(), file_.name(), line, column);
    if (mlir::Location own = operation->getLoc(); own != mlir::Location(place))
      operation->setLoc(mlir::FusedLoc::get(operation->getContext(), {place, own}));
  });
}

Span Places::at(const mlir::FileLineColLoc &location) const {
  const std::string_view text = file_.text();
  const uint32_t begin = file_.lineStart(location.getLine()) + std::max(location.getColumn(), 1u) - 1;
  uint32_t end = begin;
  while (end < text.size() && isWord(text[end]))
    ++end;
  return {&file_, std::min<uint32_t>(begin, text.size()), std::max(end, begin + 1)};
}

Span Places::of(mlir::Location location) const {
  llvm::SmallVector<mlir::FileLineColLoc> found;
  collect(location, found);
  for (const mlir::FileLineColLoc &place : found)
    if (place.getFilename() == llvm::StringRef(file_.name()) && place.getLine() > 0)
      return at(place);
  return {};
}

std::string Places::origin(mlir::Location location) const {
  llvm::SmallVector<mlir::FileLineColLoc> found;
  collect(location, found);
  for (const mlir::FileLineColLoc &place : found)
    if (place.getFilename() != llvm::StringRef(file_.name()) && place.getLine() > 0)
      return place.getFilename().str() + ":" + std::to_string(place.getLine()) + ":" +
             std::to_string(place.getColumn());
  return "";
}

std::string Places::nameAt(llvm::SMRange range) {
  llvm::StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  return text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) ? "" : text.str();
}

} // namespace spc::ingress
