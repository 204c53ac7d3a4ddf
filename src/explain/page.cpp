#include "explain/page.h"

#include "explain/text.h"
#include "support/utf8.h"

#include <algorithm>

namespace spc::explain {
namespace {

std::string element(const std::string &tag, const std::string &kind, const std::string &inside) {
  return "<" + tag + (kind.empty() ? "" : " class=\"" + kind + "\"") + ">" + inside + "</" + tag + ">";
}

/// An attribute that links to a line of the kernel.
std::string linkTo(int source) {
  return source > 0 ? " data-line=\"" + std::to_string(source) + "\"" : "";
}

int lineOf(Span where) {
  return where ? static_cast<int>(where.file->lineColumn(where.begin).line) : 0;
}

std::string section(const std::string &title, const std::string &inside) {
  return inside.empty() ? "" : "<section>\n<h2>" + title + "</h2>\n" + inside + "</section>\n";
}

/// Boxes within each other, a box a loop.
std::string drawnNest(const Nest &nest) {
  std::string html = "<div class=\"nest\"" + linkTo(lineOf(nest.where)) + ">";
  for (const LoopLine &loop : nest.loops) {
    html += "<div class=\"loop" + std::string(loop.isReduction ? " sum" : "") + "\"><div class=\"head\">" +
            element("b", "", "for " + escaped(loop.variable)) + " " + element("span", "over", escaped(loop.over)) +
            "</div>";
    for (const std::string &note : loop.notes)
      html += element("span", "note", escaped(note));
  }
  html += element("div", "assignment", escaped(nest.assignment));
  for (size_t k = 0; k < nest.loops.size(); ++k)
    html += "</div>";
  return html + "</div>\n";
}

std::string drawnSteps(const Explanation &explanation) {
  std::string html;
  for (const StepLine &step : explanation.steps) {
    html += "<article" + linkTo(lineOf(step.where)) + ">\n" + element("h3", "", escaped(step.title)) + "\n";
    for (const Nest &nest : step.nests)
      html += drawnNest(nest);
    std::string notes;
    for (const std::string &note : step.notes)
      notes += element("li", "", escaped(note));
    if (!step.cost.empty())
      notes += element(
          "li", "",
          "steps: " +
              (step.steps ? "<b>" + numberText(*step.steps) + "</b>" + shareText(step.stepShare) + ", by the formula "
                          : "") +
              element("code", "", escaped(step.cost)));
    if (step.byteShare)
      notes += element("li", "",
                       "bytes: <b>" + byteText(*step.bytes) + "</b>" + shareText(step.byteShare) +
                           ", of the arrays that it reads and writes");
    html += element("ul", "", notes) + "</article>\n";
  }
  return html;
}

std::string tensorTable(const Explanation &explanation) {
  std::string rows;
  for (const TensorLine &tensor : explanation.tensors)
    rows += "<tr><td><b>" + escaped(tensor.name) + "</b></td><td>" + escaped(tensor.storage) + "</td><td>" +
            escaped(tensor.role) + "</td><td class=\"number\">" + (tensor.entries ? numberText(*tensor.entries) : "") +
            "</td><td class=\"number\">" + (tensor.bytes ? byteText(*tensor.bytes) : "") + "</td></tr>\n";
  return "<div "
         "class=\"wide\"><table><tr><th>tensor</th><th>storage</th><th>role</th><th>entries</th><th>size</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string card(const std::string &what, const std::string &number) {
  return "<div class=\"card\"><div class=\"figure\">" + number + "</div>" + what + "</div>\n";
}

std::string costCards(const Explanation &explanation) {
  if (!explanation.cost)
    return "";
  const CallCost &cost = *explanation.cost;
  std::string cards;
  const std::optional<double> steps = cost.allSteps();
  cards += card("steps of innermost loops", steps ? numberText(*steps) : "?");
  cards += card("operations", steps ? numberText(cost.operations) : "?");
  cards += card("of arrays, each once", byteText(cost.allBytes()));
  if (const std::optional<double> seconds = leastTime(explanation))
    cards += card("at best, on all cores", timeText(*seconds));
  if (explanation.measured)
    cards += card("measured: " + escaped(measuredText(explanation)), timeText(explanation.measured->seconds));
  return "<div class=\"cards\">" + cards + "</div>\n";
}

std::string formatTable(const std::vector<Alternative> &alternatives) {
  std::string html, tensor;
  for (const Alternative &one : alternatives) {
    if (one.tensor != tensor)
      html += (html.empty() ? "" : "</table></div>\n") + element("h3", "", escaped(one.tensor)) +
              "<div class=\"wide\"><table><tr><th>format</th><th>steps</th><th>bytes</th></tr>\n";
    tensor = one.tensor;
    html += "<tr" + std::string(one.isOwn ? " class=\"own\"" : "") + "><td>" + escaped(one.format) + "</td>";
    if (one.why.empty())
      html += "<td class=\"number\">" + (one.steps ? numberText(*one.steps) : "?") + "</td><td class=\"number\">" +
              (one.bytes ? byteText(*one.bytes) : "?") + "</td>";
    else
      html += "<td colspan=\"2\" class=\"why\">" + escaped(one.why) + "</td>";
    html += "</tr>\n";
  }
  return html.empty() ? "" : html + "</table></div>\n";
}

std::string remarkList(const std::vector<Remark> &remarks) {
  std::string html;
  for (const Remark &remark : remarks)
    html += "<div class=\"remark\"" + linkTo(lineOf(remark.where)) + ">" + element("code", "id", escaped(remark.id)) +
            " " + escaped(remark.text) +
            (remark.advice.empty() ? "" : element("div", "advice", "What would help: " + escaped(remark.advice))) +
            "</div>\n";
  return html;
}

std::string stagePanes(const std::vector<StageText> &stages) {
  std::string html;
  for (const StageText &stage : stages) {
    html += "<figure><figcaption>" + escaped(stage.name) + "</figcaption><pre>";
    for (const StageLine &line : stage.lines)
      html += "<span" + linkTo(line.source) + ">" + escaped(line.text) + "\n</span>";
    html += std::string(stage.isCut ? "<span class=\"cut\">…\n</span>" : "") + "</pre></figure>\n";
  }
  return "<p>A line that is pointed at shows where it comes from and what became of it; a click stays.</p>\n"
         "<div class=\"stages\">\n" +
         html + "</div>\n";
}

std::string pictures(const Explanation &explanation, const std::vector<SpyPlot> &plots) {
  std::string html;
  const bool hasOperations = explanation.cost && explanation.cost->allSteps() && explanation.cost->operations > 0;
  if (explanation.roofs && hasOperations) // others have no place on axes of powers of ten
    html += "<figure class=\"roofline\"><figcaption>Roofs of this machine, all cores</figcaption>" +
            rooflineOf(explanation) + "</figure>\n";
  for (const SpyPlot &plot : plots)
    html += "<figure><figcaption>" + escaped(plot.tensor) + ", " + std::to_string(plot.shape[0]) + " × " +
            std::to_string(plot.shape[1]) + "</figcaption>" + drawn(plot) + "</figure>\n";
  return html.empty() ? "" : "<div class=\"pictures\">\n" + html + "</div>\n";
}

} // namespace

std::string escaped(std::string_view text) {
  std::string html;
  for (char c : printable(text, true)) {
    if (c == '<')
      html += "&lt;";
    else if (c == '>')
      html += "&gt;";
    else if (c == '&')
      html += "&amp;";
    else if (c == '"')
      html += "&quot;";
    else
      html += c;
  }
  return html;
}

std::string htmlOf(const Explanation &explanation, const std::vector<StageText> &stages,
                   const std::vector<SpyPlot> &plots) {
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
                     escaped(explanation.function) + " explained</title>\n<style>\n";
  html += pageStyle();
  html += "</style>\n</head>\n<body>\n<h1>" + escaped(explanation.function) + "</h1>\n";
  html += costCards(explanation);
  html += section("Remarks", remarkList(explanation.remarks));
  html += section("Loops", "<div class=\"steps\">\n" + drawnSteps(explanation) + "</div>\n");
  html += section("Data", tensorTable(explanation) + pictures(explanation, plots));
  html += section("Other formats", formatTable(explanation.alternatives));
  html += section("Stages", stagePanes(stages));
  if (const Provenance &from = explanation.provenance; !from.version.empty())
    html += element("p", "over", escaped(from.version + " on " + from.machine)) + "\n" +
            element("p", "over", element("code", "", escaped(from.command))) + "\n";
  html += "<script>\n";
  html += pageScript();
  return html + "</script>\n</body>\n</html>\n";
}

} // namespace spc::explain
