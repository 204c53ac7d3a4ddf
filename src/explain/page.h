// An explanation as one page of HTML that needs nothing else: no network, no other file.
#pragma once

#include "explain/explanation.h"
#include "pipeline/compiler.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spc::explain {

/// A line of a stage's text, and the line of the kernel that it comes from; 0 where it comes from none.
struct StageLine {
  std::string text;
  int source = 0;
};

/// The kernel at one stage, as far as it is shown.
struct StageText {
  std::string name;
  std::vector<StageLine> lines;
  bool isCut = false; ///< there is more than is shown
};

/// The number of entries that a matrix, or the first two dimensions of a tensor, has in each of `bins` by `bins` cells.
struct SpyPlot {
  std::string tensor;
  std::vector<int64_t> shape;
  int bins = 0;
  std::vector<double> counts; ///< row by row
};

/// The kernel's text and that of each stage after it, from the plan to assembly for `options`' processor. nullopt with
/// a diagnostic where it cannot be compiled.
std::optional<std::vector<StageText>> stagesOf(const sema::Kernel &kernel, std::string_view source,
                                               const pipeline::CompileOptions &options, Diagnostics &diagnostics);

/// Counts a sparse operand's entries; `entries` have two dimensions at least.
SpyPlot spyPlotOf(const std::string &tensor, const tensor::Coordinates &entries);

/// The page.
std::string htmlOf(const Explanation &explanation, const std::vector<StageText> &stages,
                   const std::vector<SpyPlot> &plots);

/// Text as HTML shows it, control characters and what is no UTF-8 written out.
std::string escaped(std::string_view text);

/// Curve and kernel of a roofline, as SVG. Requires roofs and a cost.
std::string rooflineOf(const Explanation &explanation);

/// A spy plot as SVG.
std::string drawn(const SpyPlot &plot);

/// The common part of every page: its style, and the script that links lines.
std::string_view pageStyle();
std::string_view pageScript();

} // namespace spc::explain
