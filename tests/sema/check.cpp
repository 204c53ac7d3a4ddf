#include "sema/check.h"

#include "sema/division.h"

#include "sema/given_types.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

namespace spc::sema::test {
namespace {

using format::Format;
using format::Level;
using format::Storage;

Level compressed(int dim, bool unique = true) {
  return {.dim = dim, .storage = Storage::Compressed, .extent = format::Extent::Ragged, .unique = unique};
}

Level dense(int dim) {
  return {.dim = dim};
}

Level singleton(int dim, bool unique) {
  return {.dim = dim, .storage = Storage::Compressed, .extent = format::Extent::Fixed, .unique = unique};
}

Format coo(int order) {
  Format format;
  for (int k = 0; k < order; ++k)
    format.levels.push_back(k == 0 ? compressed(0, order == 1) : singleton(k, k + 1 == order));
  return format;
}

Format ell() {
  Format format;
  format.levels = {dense(0), {.dim = 1, .storage = Storage::Compressed, .unique = false, .width = 2}};
  return format;
}

Format bsr() {
  Format format;
  format.levels = {dense(0), compressed(1), dense(0), dense(1)};
  for (int level = 0; level < 4; ++level) {
    format.levels[level].part = level < 2 ? format::Part::Quotient : format::Part::Remainder;
    format.levels[level].block = level % 2 == 0 ? 4 : 8;
  }
  return format;
}

Level difference() {
  Level level = compressed(1);
  level.part = format::Part::Difference;
  level.minus = 0;
  return level;
}

Format diagonals() {
  Format format;
  format.levels = {difference(), dense(0)};
  return format;
}

/// Two entries in every four neighbours of a row.
Format groups() {
  Format format;
  format.levels = {dense(0), dense(1), {.dim = 1, .storage = Storage::Compressed, .width = 2}};
  format.levels[1].part = format::Part::Quotient;
  format.levels[2].part = format::Part::Remainder;
  format.levels[1].block = format.levels[2].block = 4;
  return format;
}

/// Row i has i + 1 elements.
Format triangle() {
  Format format;
  format.levels = {dense(0), {.dim = 1, .extent = format::Extent::Closed}};
  format.levels[1].length = {.constant = 1, .slope = 1};
  return format;
}

Format csf(int order, const std::string &modes) {
  Format format;
  for (int k = 0; k < order; ++k)
    format.levels.push_back(compressed(modes.empty() ? k : modes[k] - '0'));
  return format;
}

std::optional<Format> build(const std::string &name, int order) {
  Format format;
  if (name == "dense")
    return format::denseFormat(order);
  if (name == "coo" || name == "repeats") {
    format = coo(order);
    format.levels.back().unique = name == "coo";
    return format;
  }
  if (name.starts_with("csf")) {
    std::string modes = name.size() > 4 ? name.substr(4) : "";
    return modes.empty() || static_cast<int>(modes.size()) == order ? std::optional(csf(order, modes)) : std::nullopt;
  }
  if (name == "vector" && order == 1)
    format.levels = {compressed(0)};
  if (order == 2) {
    if (name == "colmajor")
      format.levels = {dense(1), dense(0)};
    if (name == "csr" || name == "csr64")
      format.levels = {dense(0), compressed(1)};
    if (name == "csc")
      format.levels = {dense(1), compressed(0)};
    if (name == "dcsr")
      format.levels = {compressed(0), compressed(1)};
    if (name == "rows")
      format.levels = {compressed(0), dense(1)};
    if (name == "dcsc")
      format.levels = {compressed(1), compressed(0)};
    if (name == "bsr")
      format = bsr();
    if (name == "ell")
      format = ell();
    if (name == "dia")
      format = diagonals();
    if (name == "groups")
      format = groups();
    if (name == "triangle")
      format = triangle();
    if (name == "lengths" || name == "ragged")
      format.levels = {dense(0), name == "lengths" ? compressed(1) : dense(1)};
    if (name == "lengths")
      format.levels[1].extent = format::Extent::Lengths;
    if (name == "ragged")
      format.levels[1].extent = format::Extent::Ragged;
    if (name == "hyb")
      format.parts = {ell(), coo(2)};
    if (name == "with-dense")
      format.parts = {coo(2), format::denseFormat(2)};
    if (name == "lower" || name == "upper") {
      format.levels = {dense(0), compressed(1)};
      format.symmetry = name == "lower" ? format::Symmetry::Lower : format::Symmetry::Upper;
    }
  }
  if (name == "csr64")
    format.pointers = format::IndexType::I64;
  return format.order() == 0 ? std::nullopt : std::optional(format);
}

class NamedFamily : public format::FormatFamily {
public:
  explicit NamedFamily(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::optional<int> order() const override {
    if (name_ == "dense" || name_ == "coo" || name_ == "repeats" || name_.starts_with("csf"))
      return std::nullopt;
    return name_ == "vector" ? 1 : 2;
  }
  std::optional<Format> instantiate(int order) const override {
    std::optional<Format> format = build(name_, order);
    if (format)
      format->name = name_;
    return format;
  }

private:
  std::string name_;
};

} // namespace

std::shared_ptr<const format::FormatFamily> family(const std::string &name) {
  return std::make_shared<NamedFamily>(name);
}

int Checked::count(const std::string &id) const {
  const auto &all = diagnostics->all();
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const Diagnostic &d) { return d.kind.id == id; }));
}

const Diagnostic &Checked::the(const std::string &id) const {
  for (const Diagnostic &diagnostic : diagnostics->all())
    if (diagnostic.kind.id == id)
      return diagnostic;
  FAIL("no diagnostic " << id << "; errors: " << errors());
  return diagnostics->all().front();
}

std::string Checked::errors() const {
  std::set<std::string_view> ids;
  for (const Diagnostic &diagnostic : diagnostics->all())
    if (diagnostic.severity >= Severity::Error)
      ids.insert(diagnostic.kind.id);
  std::string text;
  for (std::string_view id : ids)
    text += (text.empty() ? "" : " ") + std::string(id);
  return text;
}

const Statement &Checked::statement(size_t step) const {
  INFO(errors());
  REQUIRE(kernel);
  REQUIRE(step < kernel->steps.size());
  return std::get<Statement>(kernel->steps[step]);
}

const Statement &Checked::last() const {
  REQUIRE(kernel);
  return statement(kernel->steps.size() - 1);
}

std::string Checked::loops(size_t term, size_t step) const {
  const Statement &in = statement(step);
  REQUIRE(term < in.terms.size());
  std::string text;
  for (const Loop &loop : in.terms[term].loops)
    text += (text.empty() ? "" : ",") + loop.variable;
  return text;
}

bool Checked::has(const std::string &name) const {
  return std::any_of(kernel->tensors.begin(), kernel->tensors.end(), [&](const Tensor &t) { return t.name == name; });
}

std::optional<TensorId> Checked::ownerOf(const std::string &name) const {
  const SharedWith *shared = tensor(name).shared();
  return shared ? std::optional(shared->owner) : std::nullopt;
}

const Tensor &Checked::tensor(const std::string &name) const {
  INFO(errors());
  REQUIRE(kernel);
  for (const Tensor &tensor : kernel->tensors)
    if (tensor.name == name)
      return tensor;
  FAIL("no tensor " << name << " in\n" << describe(*kernel));
  return kernel->tensors.front();
}

std::string Checked::steps() const {
  INFO(errors());
  REQUIRE(kernel);
  std::istringstream lines(describe(*kernel));
  std::string text, line;
  while (std::getline(lines, line) && !line.empty())
    ;
  while (std::getline(lines, line))
    if (line.rfind("  divided by ", 0) != 0 && line.rfind("  not divided: ", 0) != 0)
      text += line + "\n";
  return text;
}

std::string Checked::cost() const {
  INFO(errors());
  REQUIRE(kernel);
  const std::string plan = describe(*kernel), head = "  cost: ";
  const size_t at = plan.find(head);
  REQUIRE(at != std::string::npos);
  return plan.substr(at + head.size(), plan.find('\n', at) - at - head.size());
}

std::string Checked::parameters() const {
  INFO(errors());
  REQUIRE(kernel);
  std::string names;
  for (TensorId id : kernel->parameters)
    names += (names.empty() ? "" : ",") + kernel->tensors[id].name;
  return names;
}

std::string Checked::divisions() const {
  INFO(errors());
  REQUIRE(kernel);
  std::string text;
  for (const Step &step : kernel->steps)
    if (const auto *statement = std::get_if<Statement>(&step))
      text += describe(divisionOf(*kernel, *statement), *kernel) + "\n";
  return text;
}

/// What is written of a program reads as the same program, with the same plan.
static void checkText(const Checked &given, const std::vector<format::Binding> &bindings, const Options &options) {
  INFO(given.program);
  Diagnostics diagnostics;
  const syntax::Kernel tree = syntax::parse(given.sources->add("kernel.tex", given.program), diagnostics);
  const std::optional<Program> again = check(tree, bindings, options, diagnostics);
  for (const Diagnostic &diagnostic : diagnostics.all())
    UNSCOPED_INFO(diagnostic.message);
  REQUIRE(again);
  CHECK(toText(*again) == given.program);
  const std::optional<Kernel> kernel = plan(*again, options, diagnostics);
  CHECK(kernel.has_value() == given.kernel.has_value());
  if (kernel && given.kernel)
    CHECK(describe(*kernel) == describe(*given.kernel));
}

static Checked checked(const std::string &text, const std::vector<std::string> &bindings,
                       const format::Schedule &schedule, Options options, const std::vector<std::string> &arguments) {
  Checked result;
  result.sources = std::make_unique<SourceManager>();
  result.diagnostics = std::make_unique<Diagnostics>();
  const std::string type = "--type=", index = "--index=";
  for (const std::string &argument : arguments) {
    if (argument == "--fp=distribute")
      options.distributes = true;
    else if (argument == "--plan=as-written")
      options.asWritten = true;
    else if (argument == "careful")
      options.trusts = false;
    else if (argument.starts_with("--plan="))
      options.alternative = std::stoul(argument.substr(7)) - 1;
    else if (argument.starts_with(type))
      options.types.push_back(
          readGivenType(argument.substr(type.size()), *result.sources, *result.diagnostics).value());
    else
      options.indexTypes.push_back(
          readGivenIndexType(argument.substr(index.size()), *result.sources, *result.diagnostics).value());
  }
  const SourceFile &file = result.sources->add("kernel.tex", text);
  syntax::Kernel tree = syntax::parse(file, *result.diagnostics);
  std::vector<format::Binding> bound;
  for (const std::string &binding : bindings) {
    const SourceFile &argument = result.sources->add("--format", binding);
    Span where{&argument, 0, static_cast<uint32_t>(binding.size())};
    size_t equals = binding.find('=');
    const size_t owner = binding.find("=of:");
    if (owner != std::string::npos)
      bound.push_back({binding.substr(0, equals), nullptr, where, binding.substr(owner + 4)});
    else if (equals == std::string::npos)
      bound.push_back({std::nullopt, family(binding), where});
    else
      bound.push_back({binding.substr(0, equals), family(binding.substr(equals + 1)), where});
  }
  if (!bound.empty())
    bound.front().schedule = schedule;
  options.verify = true;
  const std::optional<Program> program = check(tree, bound, options, *result.diagnostics);
  if (program) {
    result.program = toText(*program);
    result.kernel = plan(*program, options, *result.diagnostics);
    checkText(result, bound, options);
  }
  CHECK(result.kernel.has_value() == !result.diagnostics->hasErrors());
  return result;
}

Checked check(const std::string &text, const std::vector<std::string> &bindings, bool strict,
              const format::Schedule &schedule) {
  return checked(text, bindings, schedule, {.function = "kernel", .strictFp = strict}, {});
}

Checked checkWith(const std::vector<std::string> &arguments, const std::string &text,
                  const std::vector<std::string> &bindings) {
  return checked(text, bindings, {}, {.function = "kernel"}, arguments);
}

Checked checkUsual(const std::string &text, const std::vector<std::string> &bindings) {
  return checkWith({"careful", "--plan=1"}, text, bindings);
}

std::string costOf(const std::string &text, const std::vector<std::string> &bindings) {
  const Checked checked = checkUsual(text, bindings);
  INFO(text);
  return checked.cost();
}

language::Index indexOf(const std::string &variable) {
  language::Index plain;
  plain.text = variable;
  plain.terms = {{{variable, {}}, 1}};
  return plain;
}

} // namespace spc::sema::test
