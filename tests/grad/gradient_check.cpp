#include "grad/gradient_check.h"

#include "format/format_file.h"
#include "harness/formats.h"
#include "sema/analyze.h"
#include "support/render.h"
#include "syntax/parser.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace spc::testing {
namespace {

constexpr double kStep = 1e-5;

std::vector<format::Binding> bindingsOf(const std::map<std::string, std::string> &formats) {
  std::vector<format::Binding> bindings;
  for (const auto &[tensor, spelling] : formats) {
    format::Binding binding;
    binding.tensor = tensor;
    binding.family = makeFamily(spelling, {});
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

std::vector<language::Name> namesOf(const std::vector<std::string> &list) {
  std::vector<language::Name> names;
  for (const std::string &one : list)
    names.push_back({one, {}});
  return names;
}

DenseTensor emptyTensor(const sema::Kernel &kernel, const sema::Tensor &tensor,
                        const std::map<std::string, int64_t> &sizes) {
  DenseTensor result;
  for (const sema::ExtentId id : tensor.extents) {
    const sema::Extent &extent = kernel.extents[id];
    result.shape.push_back(extent.fixed ? *extent.fixed : sizes.at(extent.name));
  }
  result.type = tensor.type;
  result.fill = tensor.fill;
  result.sparse = !tensor.format.isDense();
  result.assembled = tensor.isAssembled();
  result.values.assign(static_cast<size_t>(result.size()), tensor.fill);
  result.stored.assign(result.values.size(), result.sparse ? 0 : 1);
  return result;
}

void fillConstant(const language::ConstantEntries &entries, DenseTensor &tensor) {
  const size_t order = tensor.shape.size();
  for (size_t entry = 0; entry < entries.size(); ++entry) {
    size_t at = 0;
    for (size_t dim = 0; dim < order; ++dim)
      at = at * static_cast<size_t>(tensor.shape[dim]) + static_cast<size_t>(entries.coordinates[entry * order + dim]);
    tensor.values[at] = entries.values[entry];
    tensor.stored[at] = 1;
  }
}

/// Every tensor of a kernel, with the entries of operands chosen by `stored`; what shares a structure follows.
TensorMap emptyTensors(const sema::Kernel &kernel, const std::map<std::string, int64_t> &sizes,
                       const std::function<void(const sema::Tensor &, DenseTensor &)> &fill) {
  TensorMap tensors;
  for (const bool isShared : {false, true})
    for (const sema::TensorId id : kernel.tensors.ids()) {
      const sema::Tensor &tensor = kernel.tensors[id];
      const sema::TensorId owner = sema::structureOwner(kernel, id);
      if ((owner != id) != isShared || tensor.is<sema::Converted>() || tensor.is<sema::View>())
        continue;
      DenseTensor made = emptyTensor(kernel, tensor, sizes);
      if (const auto *tie = tensor.as<sema::Tie>()) {
        made.stored = maskOfTie(*tie, made.shape, [&](sema::TensorId scalar) {
          const auto *size = kernel.tensors[scalar].as<sema::Size>();
          return size ? sizes.at(kernel.extents[size->extent].name) : 0;
        });
        tensors.emplace(tensor.name, std::move(made));
        continue;
      }
      if (const auto *constant = tensor.as<sema::Constant>()) {
        fillConstant(*constant->entries, made);
        tensors.emplace(tensor.name, std::move(made));
        continue;
      }
      if (const auto of = tensors.find(kernel.tensors[owner].name); isShared && of != tensors.end())
        made.stored =
            maskInOrderOf(tensor.format, made.shape, kernel.tensors[owner].format, of->second.shape, of->second.stored);
      fill(tensor, made);
      tensors.emplace(tensor.name, std::move(made));
    }
  return tensors;
}

double entryOf(const DenseTensor &tensor, size_t at) {
  return tensor.sparse && !tensor.stored[at] ? tensor.fill : tensor.values[at].real();
}

/// The sum of products, and in `magnitude` that of their absolute values.
double dot(const DenseTensor &a, const DenseTensor &b, double &magnitude) {
  double sum = 0;
  for (size_t at = 0; at < a.values.size(); ++at) {
    if (a.sparse && !a.stored[at])
      continue;
    const double product = entryOf(a, at) * b.values[at].real();
    sum += product;
    magnitude += std::abs(product);
  }
  return sum;
}

/// Values of a direction or a weight for each element.
DenseTensor randomLike(const DenseTensor &like, Random &random) {
  DenseTensor result = like;
  result.errors.clear();
  result.fill = 0;
  for (auto &value : result.values)
    value = 2 * random.unit() - 1;
  return result;
}

/// What a derivative has computed under a name, or the name with a suffix, of a tensor that is read and written.
const DenseTensor &resultOf(const TensorMap &tensors, const std::string &name, const std::string &suffix) {
  const auto found = tensors.find(name + suffix);
  return found != tensors.end() ? found->second : tensors.at(name);
}

} // namespace

GradientUnderTest::GradientUnderTest(const GradientCase &given) : given_(given) {
  tree_ = syntax::parse(sources_.add("kernel.tex", given.text), diagnostics_);
  sema::Options options;
  options.function = "kernel";
  options.fuses = false;
  options.verify = true;
  if (!diagnostics_.hasErrors())
    program_ = sema::check(tree_, bindingsOf(given.formats), options, diagnostics_);
  if (program_)
    checked_ = sema::plan(*program_, options, diagnostics_);
  if (checked_ && write(grad::Mode::Reverse, reverse_))
    write(grad::Mode::Forward, forwardMode_);
  for (const Diagnostic &one : diagnostics_.all())
    if (one.severity == Severity::Error && outcome_.refusal.empty() && outcome_.problem.empty())
      outcome_.refusal = one.kind.id;
  if (!isWritten() && outcome_.refusal.empty() && outcome_.problem.empty())
    outcome_.problem = "neither a derivative nor an error";
}

std::string GradientUnderTest::diagnostics() const {
  std::string text;
  for (const Diagnostic &one : diagnostics_.all())
    text += renderText(one, false);
  return text;
}

bool GradientUnderTest::write(grad::Mode mode, WrittenDerivative &written) {
  const grad::Request request{namesOf(given_.of), namesOf(given_.wrt), mode, "derivative"};
  std::optional<grad::Gradient> gradient = grad::differentiate(*program_, *checked_, request, diagnostics_);
  if (!gradient)
    return false;
  written.text = gradient->text;
  written.stored = gradient->stored;
  Diagnostics found;
  written.tree = syntax::parse(sources_.add("derivative.tex", written.text), found);
  std::vector<format::Binding> bindings;
  for (const grad::StoredLike &one : written.stored) {
    format::Binding binding;
    binding.tensor = one.name;
    if (one.sharesStructure)
      binding.structureOf = one.like;
    else
      for (const sema::Tensor &tensor : checked_->tensors)
        if (tensor.name == one.like)
          binding = format::bindingOf(one.name, tensor.format);
    bindings.push_back(std::move(binding));
  }
  sema::Options options;
  options.function = "derivative";
  options.fuses = false;
  options.verify = true;
  if (!found.hasErrors())
    written.checked = sema::analyze(written.tree, bindings, options, found);
  for (const Diagnostic &one : found.all())
    if (one.kind.id == std::string_view("unsized-variable") || one.kind.id == std::string_view("expression-too-large"))
      outcome_.refusal = "grad-unwritable"; // as spc grad says
    else if (one.severity == Severity::Error && outcome_.problem.empty())
      outcome_.problem = "the derivative is refused:\n" + renderText(one, false) + "\n" + written.text;
  return written.checked.has_value();
}

GradientUnderTest::Sizes GradientUnderTest::sizes(Random &random) const {
  Sizes sizes;
  for (const sema::Extent &extent : checked_->extents)
    sizes[extent.name] = extent.fixed ? *extent.fixed : 1 + random.below(4);
  return sizes;
}

TensorMap GradientUnderTest::forwardData(const Sizes &sizes, double aside, Random &random) const {
  Random elsewhere(random.next());
  return emptyTensors(*checked_, sizes, [&](const sema::Tensor &one, DenseTensor &tensor) {
    if (!one.isRead)
      return;
    for (size_t at = 0; at < tensor.values.size(); ++at) {
      if (tensor.sparse && random.below(2) == 0)
        tensor.stored[at] = 1;
      if (tensor.sparse && !tensor.stored[at])
        continue;
      const double value = random.unit() * 1.5 + 0.5;
      const int64_t kind = random.below(12);
      if (!sema::isFloat(tensor.type))
        tensor.values[at] = static_cast<double>(random.below(tensor.type == sema::ValueType::Bool ? 2 : 3));
      else
        tensor.values[at] = (kind == 0 ? 0 : kind < 5 ? -value : value) + aside * (2 * elsewhere.unit() - 1);
    }
  });
}

TensorMap GradientUnderTest::dataFor(const WrittenDerivative &derivative, const Sizes &sizes, const TensorMap &before,
                                     const TensorMap &after, const TensorMap &seeds) const {
  return emptyTensors(*derivative.checked, sizes, [&](const sema::Tensor &one, DenseTensor &tensor) {
    if (!one.isRead || !one.is<sema::Parameter>())
      return;
    const bool isOut = one.name.ends_with("_out");
    const std::string source = isOut ? one.name.substr(0, one.name.size() - 4) : one.name;
    const bool isInput = !isOut && std::any_of(checked_->tensors.begin(), checked_->tensors.end(),
                                               [&](const auto &own) { return own.name == one.name && own.isRead; });
    const TensorMap &from = seeds.contains(one.name) ? seeds : isInput ? before : after;
    const DenseTensor &value = from.at(seeds.contains(one.name) ? one.name : source);
    tensor.values = value.values;
    if (tensor.sparse)
      tensor.stored = value.stored;
  });
}

GradientOutcome GradientUnderTest::check(uint64_t seed) const {
  GradientOutcome outcome = checkAt(seed, 0);
  // Where both modes agree, the difference may be that of a tie: the rules take the first of two values, and others
  // are next to it. Then all agree a little further on.
  constexpr double kAside = 1e-3;
  if (outcome.modesAgree && !outcome.problem.empty() && checkAt(seed, kAside).problem.empty())
    return {};
  return outcome;
}

GradientOutcome GradientUnderTest::checkAt(uint64_t seed, double aside) const {
  Random random(seed);
  const Sizes sizes = this->sizes(random);
  const TensorMap before = forwardData(sizes, aside, random);
  TensorMap after = before;
  if (std::string problem = evaluate(tree_, after); !problem.empty())
    return {.refusal = "evaluator: " + problem};
  TensorMap weights, directions;
  for (const std::string &name : given_.of)
    weights.emplace("d_" + name, randomLike(after.at(name), random));
  for (const std::string &name : given_.wrt)
    directions.emplace("t_" + name, randomLike(before.at(name), random));

  TensorMap backwards = dataFor(reverse_, sizes, before, after, weights);
  TensorMap forwards = dataFor(forwardMode_, sizes, before, after, directions);
  for (const auto &[derivative, tensors] : {std::pair(&reverse_, &backwards), std::pair(&forwardMode_, &forwards)})
    if (const std::string problem = evaluate(derivative->tree, *tensors); !problem.empty())
      return {.problem = problem + "\n" + derivative->text};
  Slopes slopes;
  for (const std::string &name : given_.wrt)
    slopes.reverse += dot(resultOf(backwards, "d_" + name, "_in"), directions.at("t_" + name), slopes.size);
  for (const std::string &name : given_.of)
    slopes.forward += dot(resultOf(forwards, "t_" + name, "_out"), weights.at("d_" + name), slopes.size);
  return compare(slopes, [&](double step) {
    TensorMap moved = before;
    for (const std::string &name : given_.wrt)
      for (size_t at = 0; at < moved.at(name).values.size(); ++at)
        moved.at(name).values[at] += step * directions.at("t_" + name).values[at];
    evaluate(tree_, moved);
    Weighed sum;
    for (const std::string &name : given_.of)
      sum.value += dot(moved.at(name), weights.at("d_" + name), sum.size);
    return sum;
  });
}

TensorMap GradientUnderTest::gradientsAt(const TensorMap &operands) const {
  Sizes sizes;
  for (const sema::Tensor &tensor : checked_->tensors)
    if (const auto given = operands.find(tensor.name); given != operands.end())
      for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
        sizes[checked_->extents[tensor.extents[dim]].name] = given->second.shape.at(dim);
  const TensorMap before = emptyTensors(*checked_, sizes, [&](const sema::Tensor &one, DenseTensor &tensor) {
    if (const auto given = operands.find(one.name); given != operands.end()) {
      tensor.values = given->second.values;
      if (tensor.sparse)
        tensor.stored = given->second.stored;
    }
  });
  TensorMap after = before, seeds;
  if (const std::string problem = evaluate(tree_, after); !problem.empty())
    throw std::runtime_error(problem);
  for (const std::string &name : given_.of) {
    DenseTensor ones = after.at(name);
    ones.fill = 0;
    std::fill(ones.values.begin(), ones.values.end(), 1);
    seeds.emplace("d_" + name, std::move(ones));
  }
  TensorMap all = dataFor(reverse_, sizes, before, after, seeds);
  if (const std::string problem = evaluate(reverse_.tree, all); !problem.empty())
    throw std::runtime_error(problem);
  return all;
}

GradientOutcome GradientUnderTest::compare(const Slopes &slopes, const std::function<Weighed(double)> &weighed) const {
  const Weighed center = weighed(0);
  const double middle = center.value, up = weighed(kStep).value, down = weighed(-kStep).value;
  const double slope = (up - down) / (2 * kStep);
  const double fine = (weighed(kStep / 2).value - weighed(-kStep / 2).value) / kStep;
  const double scale = 1 + std::abs(slope) + slopes.size;
  if (!std::isfinite(slope) || !std::isfinite(fine) || !std::isfinite(middle))
    return {};
  GradientOutcome outcome;
  constexpr double kSteep = 1e6;
  // A difference of numbers that are so large that their last digits outweigh it says nothing.
  const bool isCoarse = std::numeric_limits<double>::epsilon() * center.size > 1e-5 * kStep * scale;
  outcome.isSmooth = !isCoarse && scale < kSteep && std::abs((up - middle) - (middle - down)) < 1e-4 * kStep * scale &&
                     std::abs(slope - fine) < 1e-5 * scale;
  outcome.changes = std::abs(slope) > 1e-6;
  outcome.modesAgree = std::abs(slopes.reverse - slopes.forward) < 1e-9 * scale;
  const bool areFinite = std::isfinite(slopes.reverse) && std::isfinite(slopes.forward);
  std::string what;
  const auto isFar = [&](double derivative) { return !(std::abs(derivative - slope) < 1e-4 * scale); };
  if (outcome.isSmooth && (isFar(slopes.reverse) || isFar(slopes.forward))) {
    // Steep stairs look like a slope, and numbers that a sum has cancelled to nothing but rounding errors may.
    constexpr double kTiny = kStep / 1024;
    const double tiny = (weighed(kTiny).value - weighed(-kTiny).value) / (2 * kTiny);
    outcome.isSmooth = std::abs(tiny - slope) < 1e-2 * scale;
  }
  if (outcome.isSmooth && isFar(slopes.reverse))
    what = "the reverse mode is wrong";
  else if (outcome.isSmooth && isFar(slopes.forward))
    what = "the forward mode is wrong";
  else if (scale < kSteep && areFinite && !outcome.modesAgree)
    what = "the modes differ";
  if (!what.empty())
    outcome.problem = what + ": reverse " + std::to_string(slopes.reverse) + ", forward " +
                      std::to_string(slopes.forward) + ", finite differences " + std::to_string(slope) + "\n" +
                      reverse_.text + "\n" + forwardMode_.text;
  return outcome;
}

} // namespace spc::testing
