#include "driver/explain/draw_format.h"
#include "driver/shell/front_end.h"
#include "driver/shell/options.h"
#include "driver/shell/subcommands.h"

#include "abi/signature.h"
#include "format/format_file.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kFormatsOrder{"formats-order", Severity::Error};

struct FormatsOptions {
  std::vector<std::string> formats;
  std::vector<std::string> folders;
  int order = 0; ///< 0: the format's own, or 2
  bool json = false;
};

/// The names of a struct's arrays: "row_ptr, col_ind, values".
std::string arraysOf(const format::Format &format) {
  if (format.isSum()) {
    std::string text;
    for (const format::Format &part : format.parts)
      text += (text.empty() ? "" : " + ") + arraysOf(part);
    return text;
  }
  std::string text;
  for (const abi::Field &field : abi::structFor(format, sema::ValueType::F64).fields)
    if (field.type != abi::FieldType::Int64)
      text += (text.empty() ? "" : ", ") + field.name;
  return text;
}

int shownOrder(const format::FormatFamily &family, const FormatsOptions &options) {
  return family.order().value_or(options.order > 0 ? options.order : 2);
}

std::string list(format::FormatLoader &loader, const FormatsOptions &options) {
  struct Row {
    format::KnownFormat format;
    std::string description, arrays;
  };
  std::vector<Row> rows;
  size_t width = 0;
  for (const format::KnownFormat &known : loader.known()) {
    for (const format::Binding &binding : loader.load(known.name)) {
      if (binding.tensor || !binding.family)
        continue;
      std::optional<format::Format> format = binding.family->instantiate(shownOrder(*binding.family, options));
      rows.push_back({known, binding.family->description(), format ? arraysOf(*format) : ""});
      width = std::max(width, known.name.size());
    }
  }
  std::string text;
  const std::filesystem::path *place = nullptr;
  for (const Row &row : rows) {
    if (!place || *place != row.format.folder)
      text +=
          (place ? "\n" : "") + (row.format.folder.empty() ? "Built in" : "In " + row.format.folder.string()) + ":\n\n";
    place = &row.format.folder;
    text += row.format.name + std::string(width + 2 - row.format.name.size(), ' ') + row.description + "\n" +
            std::string(width + 2, ' ') + "arrays: " + row.arrays + "\n";
  }
  return text;
}

/// The files that the arguments name, as they are. nullopt with errors reported.
std::optional<std::string> filesText(format::FormatLoader &loader, const FormatsOptions &options) {
  std::string text;
  for (const std::string &argument : options.formats) {
    std::optional<std::string> file = loader.text(argument);
    if (!file)
      return std::nullopt;
    text += *file;
  }
  return text;
}

std::string showOne(const format::Format &format, const std::string &example) {
  return "levels: " + format::describe(format) + "\n\n" + drawStruct(format) + "\n" + example;
}

/// One format, or nullopt with errors reported.
std::optional<std::string> show(Session &session, format::FormatLoader &loader, const std::string &argument,
                                const FormatsOptions &options) {
  std::string text;
  for (const format::Binding &binding : loader.load(argument)) {
    if (!binding.family)
      continue;
    const int order = options.order > 0 ? options.order : shownOrder(*binding.family, options);
    std::optional<format::Format> format = binding.family->instantiate(order);
    if (!format) {
      Diagnostic &diagnostic = session.diagnostics().report(kFormatsOrder, binding.where,
                                                            "format '" + binding.family->name() +
                                                                "' has no tensors of order " + std::to_string(order));
      if (binding.family->order())
        diagnostic.advise("its tensors are of order " + std::to_string(*binding.family->order()));
      return std::nullopt;
    }
    text += (text.empty() ? "" : "\n") + binding.family->name();
    if (const std::string description = binding.family->description(); !description.empty())
      text += ": " + description;
    text += "\n";
    if (!format->isSum()) {
      text += showOne(*format, drawExample(*format));
      continue;
    }
    text +=
        "A tensor is the sum of its parts, each an argument of its own. A part of fixed width takes the first entries "
        "of each row, the next one the rest.\n";
    const std::vector<std::string> examples = drawParts(*format);
    for (size_t k = 0; k < format->parts.size(); ++k)
      text += "\npart " + std::to_string(k) + "\n" + showOne(format->parts[k], examples[k]);
  }
  return session.failed() ? std::nullopt : std::optional(std::move(text));
}

std::optional<std::string> showAll(Session &session, format::FormatLoader &loader, const FormatsOptions &options) {
  std::string text;
  for (const std::string &argument : options.formats) {
    std::optional<std::string> shown = show(session, loader, argument, options);
    if (!shown)
      return std::nullopt;
    text += (text.empty() ? "" : "\n") + *shown;
  }
  return text;
}

} // namespace

int formatsCommand(Session &session) {
  CLI::App app("List storage formats, or show one with its C struct and an example", "spc formats");
  FormatsOptions options;
  CLI::Option *formats =
      app.add_option("format", options.formats, "A format's name or path, with a mode order where wanted: csf:2,0,1")
          ->type_name("FORMAT");
  addFormatFolders(app, options.folders);
  app.add_option("--order", options.order, "The order of the tensors, for formats of any order")
      ->check(CLI::Range(1, 8).description(""))
      ->type_name("N");
  app.add_flag("--json", options.json, "Print the formats' files as they are, to begin one of your own with")
      ->needs(formats);
  if (std::optional<int> done = readCommandLine(app, session))
    return *done;
  format::FormatLoader loader(formatFolders(options.folders), session.sources(), session.diagnostics());
  std::optional<std::string> text;
  if (options.formats.empty())
    text = list(loader, options);
  else
    text = options.json ? filesText(loader, options) : showAll(session, loader, options);
  if (!text || session.failed())
    return session.finish();
  return session.print(std::move(*text));
}

} // namespace spc::driver
