#include "driver/tune/report.h"

#include "host/call_memory.h"
#include "tune/order_writer.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace spc::driver {

namespace {

std::string formatted(const char *pattern, double number) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, number);
  return text;
}

/// "12.3 ms"
std::string duration(double seconds) {
  if (seconds < 1e-3)
    return formatted("%.3g us", seconds * 1e6);
  return seconds < 1 ? formatted("%.3g ms", seconds * 1e3) : formatted("%.3g s", seconds);
}

double meanOf(const std::vector<double> &numbers) {
  return numbers.empty() ? 0
                         : std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

std::string orDash(const std::string &text) {
  return text.empty() ? "-" : text;
}

std::string calls(double once, double fallback, double candidate) {
  const std::optional<double> number = tune::callsUntilItPays(once, fallback, candidate);
  return number ? formatted("%.0f", *number) : "never";
}

using Row = std::vector<std::string>;

Row rowOf(const TuneTrial &trial, const TuneTrial &fallback) {
  Row row = {orDash(trial.point.formatText()), orDash(trial.order), orDash(tune::describe(trial.point.schedule))};
  if (!trial.skipped.empty()) {
    row.push_back("not measured: " + trial.skipped);
    return row;
  }
  const double own = meanOf(trial.seconds), other = meanOf(fallback.seconds);
  const bool isFallback = &trial == &fallback;
  row.insert(row.end(),
             {duration(own), formatted("%.2f", 1 / trial.ratio), isFallback ? "-" : duration(trial.onceInAll()),
              isFallback ? "-" : calls(trial.onceInAll(), other, own)});
  row.push_back(trial.mayPermute ? duration(own + trial.permuting) : "-");
  row.push_back(trial.mayPermute ? calls(trial.once, other, own + trial.permuting) : "-");
  return row;
}

std::string tableText(const std::vector<Row> &rows) {
  std::vector<size_t> widths;
  for (const Row &row : rows)
    for (size_t k = 0; k < row.size(); ++k) {
      widths.resize(std::max(widths.size(), k + 1));
      if (k + 1 < row.size())
        widths[k] = std::max(widths[k], row[k].size());
    }
  std::string text;
  for (const Row &row : rows) {
    std::string line;
    for (size_t k = 0; k < row.size(); ++k)
      line += row[k] + (k + 1 < row.size() ? std::string(widths[k] + 2 - row[k].size(), ' ') : "");
    text += line + "\n";
  }
  return text;
}

std::string nameOf(const TuneTrial &trial) {
  std::string text = trial.point.formatText();
  const auto add = [&](const std::string &word) { text += (text.empty() || word.empty() ? "" : ", ") + word; };
  add(trial.order.empty() ? "" : "order " + trial.order);
  add(tune::describe(trial.point.schedule));
  return text;
}

} // namespace

std::string tuneTable(const TuneSearch &search, const std::vector<std::unique_ptr<TuneData>> &data) {
  const std::vector<TuneTrial> &trials = search.trials();
  std::vector<size_t> ranks(trials.size());
  std::iota(ranks.begin(), ranks.end(), size_t{0});
  std::stable_sort(ranks.begin(), ranks.end(), [&](size_t a, size_t b) {
    return std::pair(!trials[a].skipped.empty(), trials[a].ratio) <
           std::pair(!trials[b].skipped.empty(), trials[b].ratio);
  });
  std::vector<Row> rows = {
      {"format", "order", "schedule", "a call", "speedup", "once", "pays after", "permuting each call", "pays after"}};
  for (size_t rank : ranks)
    rows.push_back(rowOf(trials[rank], trials.front()));
  const auto fallbackRow = 1 + (std::find(ranks.begin(), ranks.end(), size_t{0}) - ranks.begin());
  rows[fallbackRow][0] = "(default)";
  std::string text = tableText(rows) + "\n";
  text += "memory: " + host::memoryText(search.memory()) + "\n" + tune::leftOutLine(search.leftOut());
  const TuneTrial &chosen = trials[search.chosen()];
  if (const std::optional<size_t> closest = search.closest(); search.chosen() == 0)
    return text + (closest ? tune::keptDefaultLine(nameOf(trials[*closest]), search.rounds()[*trials[*closest].rounds])
                           : tune::keptDefaultLine("", {}));
  const double ratio = chosen.rounds ? tune::ratioOf(search.rounds()[*chosen.rounds]) : chosen.ratio;
  return text + "kept: " + nameOf(chosen) + ": " + formatted("%.2f", 1 / ratio) + " times as fast as the default" +
         (data.size() > 1 ? " in the geometric mean" : "") + "\n";
}

namespace {

/// The orders of one data set's dimensions, each once, with what they are for.
std::vector<tune::NamedOrder> namedOrders(const sema::Kernel &kernel, const tune::ExtentOrders &orders,
                                          const std::string &stem) {
  std::vector<tune::NamedOrder> named;
  for (size_t k = 0; k < kernel.extents.size(); ++k) {
    const tune::Order *order = orders.of(sema::ExtentId(k));
    if (!order)
      continue;
    auto found =
        std::find_if(named.begin(), named.end(), [&](const tune::NamedOrder &one) { return one.order == order; });
    if (found == named.end())
      found = named.insert(named.end(), {"", {}, {}, order});
    found->extents.push_back(kernel.extents[sema::ExtentId(k)].name);
    for (sema::TensorId id : kernel.parameters)
      for (size_t dim = 0; dim < kernel.tensors[id].extents.size(); ++dim)
        if (const sema::Tensor &tensor = kernel.tensors[id];
            tensor.extents[dim] == sema::ExtentId(k) && tensor.part == 0)
          found->tensors.push_back("dimension " + std::to_string(dim) + " of '" +
                                   (tensor.partOf.empty() ? tensor.name : tensor.partOf) + "'");
  }
  for (tune::NamedOrder &one : named)
    one.file = stem + (named.size() == 1 ? ".order.mtx" : ".order-" + one.extents.front() + ".mtx");
  return named;
}

/// A C identifier of a file's stem.
std::string identifierOf(const std::string &stem) {
  std::string name = stem.empty() || (stem[0] >= '0' && stem[0] <= '9') ? "order_" : "";
  for (char c : stem)
    name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  return name;
}

/// Whether what follows a format file's stem is the end of a name that addTuneFiles() gives: ".order.mtx",
/// ".2.order-i.mtx".
bool isOrderEnding(std::string_view rest) {
  const auto isNumber = [](char c) { return c >= '0' && c <= '9'; };
  if (rest.size() > 1 && rest[0] == '.' && isNumber(rest[1]))
    rest.remove_prefix(std::find_if_not(rest.begin() + 1, rest.end(), isNumber) - rest.begin());
  if (rest == ".order.h" || rest == ".order.py" || rest == ".order.mtx")
    return true;
  return rest.starts_with(".order-") && rest.ends_with(".mtx");
}

} // namespace

std::vector<std::string> orderFilesBeside(const std::string &path) {
  const std::filesystem::path place(path);
  const std::string stem = place.stem().string();
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto &entry : std::filesystem::directory_iterator(
           place.parent_path().empty() ? std::filesystem::path(".") : place.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(stem) && isOrderEnding(std::string_view(name).substr(stem.size())) &&
        entry.is_regular_file(ignored))
      files.push_back((place.parent_path() / name).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> staleOrders(const std::string &path, const std::vector<std::string> &paths) {
  constexpr size_t kTelling = 512; // bytes
  std::vector<std::string> files = orderFilesBeside(path);
  std::erase_if(files, [&](const std::string &one) {
    std::string begin(kTelling, '\0');
    std::ifstream file(one, std::ios::binary);
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return !tune::isOrderFile(begin) || std::find(paths.begin(), paths.end(), one) != paths.end();
  });
  return files;
}

std::vector<std::string> addTuneFiles(OutputSet &outputs, const std::string &path, const TuneSearch &search,
                                      const std::vector<format::StoredTensor> &stored,
                                      const std::vector<std::unique_ptr<TuneData>> &data) {
  const TuneTrial &chosen = search.trials()[search.chosen()];
  std::vector<std::string> paths = {path};
  const std::string name = nameOf(chosen);
  outputs.add(path, format::bindingsText("By spc tune: " + (name.empty() ? "the default" : name), stored,
                                         chosen.point.schedule));
  if (chosen.order.empty() || path == "-")
    return paths;
  const std::filesystem::path place(path);
  for (size_t k = 0; k < data.size(); ++k) {
    std::filesystem::path base = place.parent_path() / place.stem();
    if (data.size() > 1)
      base += "." + std::to_string(k + 1);
    const std::string stem = base.filename().string();
    const auto add = [&](const std::string &file, std::string text) {
      paths.push_back((base.parent_path() / file).string());
      outputs.add(paths.back(), std::move(text));
    };
    const std::vector<tune::NamedOrder> orders =
        namedOrders(search.fallback().kernel, data[k]->orders()[chosen.point.order], stem);
    for (const tune::NamedOrder &order : orders)
      add(order.file, tune::orderText(order));
    add(stem + ".order.h", tune::cCode(identifierOf(stem), orders));
    add(stem + ".order.py", tune::pythonCode(orders));
  }
  return paths;
}

} // namespace spc::driver
