#include "tensor/generate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <new>
#include <numeric>

namespace spc::tensor {

namespace {

constexpr DiagnosticKind kMalformedGenerator{"malformed-generator", Severity::Error};

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }

  /// In [-1, 1), on a grid of 2^-52.
  double value() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }

  /// In [0, bound), each number as likely as the others.
  uint64_t below(uint64_t bound) {
    const uint64_t rest = -bound % bound; // numbers of the last, partial round
    while (true) {
      uint64_t number = next();
      if (number >= rest)
        return number % bound;
    }
  }

private:
  uint64_t state_;
};

/// `count` distinct numbers below `elements`, sorted.
std::vector<int64_t> sample(int64_t elements, int64_t count, Random &random) {
  std::vector<int64_t> chosen;
  chosen.reserve(count);
  // Each element in turn, chosen with the probability that is left (Knuth, TAOCP 2, 3.4.2, algorithm S).
  if (count > elements / 16) {
    for (int64_t at = 0; static_cast<int64_t>(chosen.size()) < count; ++at)
      if (random.below(elements - at) < static_cast<uint64_t>(count) - chosen.size())
        chosen.push_back(at);
    return chosen;
  }
  while (static_cast<int64_t>(chosen.size()) < count) {
    for (size_t missing = count - chosen.size(); missing > 0; --missing)
      chosen.push_back(static_cast<int64_t>(random.below(elements)));
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  }
  return chosen;
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

template <typename Number> bool parseWhole(const std::string &text, Number &number) {
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size();
}

std::optional<std::vector<int64_t>> parseShape(const std::string &text) {
  std::vector<int64_t> shape;
  for (const std::string &part : split(text, 'x')) {
    int64_t extent = 0;
    if (!parseWhole(part, extent) || extent < 0)
      return std::nullopt;
    shape.push_back(extent);
  }
  return shape;
}

/// Reads one part after the kind; false where it is none.
bool readPart(const std::string &part, Generator &generator) {
  const bool isRandom = generator.kind == Generator::Kind::Random;
  if (isRandom && part.starts_with("density=")) {
    double density = 0;
    bool fits = parseWhole(part.substr(8), density) && density > 0 && density <= 1 && !generator.density;
    generator.density = density;
    return fits;
  }
  if (isRandom && part.starts_with("seed="))
    return parseWhole(part.substr(5), generator.seed);
  std::optional<std::vector<int64_t>> shape = parseShape(part);
  if (!shape || generator.shape)
    return false;
  generator.shape = std::move(shape);
  return true;
}

std::optional<Generator::Kind> kindOf(const std::string &text) {
  std::string word = text.substr(0, text.find(':'));
  if (word == "zeros")
    return Generator::Kind::Zeros;
  if (word == "ones")
    return Generator::Kind::Ones;
  if (word == "random")
    return Generator::Kind::Random;
  return std::nullopt;
}

} // namespace

bool isGenerator(const std::string &text) {
  return kindOf(text).has_value();
}

std::optional<Generator> readGenerator(const std::string &text, Span where, Diagnostics &diagnostics) {
  std::vector<std::string> parts = split(text, ':');
  std::optional<Generator::Kind> kind = kindOf(text);
  std::string wrong = kind ? "" : parts[0];
  Generator generator;
  generator.kind = kind.value_or(Generator::Kind::Zeros);
  for (size_t k = 1; k < parts.size() && wrong.empty(); ++k)
    if (!readPart(parts[k], generator))
      wrong = parts[k].empty() ? ":" : parts[k];
  if (wrong.empty())
    return generator;
  diagnostics.report(kMalformedGenerator, where, "cannot read '" + wrong + "' in '" + text + "'")
      .advise("a generated tensor is written ones, zeros or random, with :1000x64 for a shape; random takes "
              ":density=0.01 (above 0, at most 1) and :seed=1 too");
  return std::nullopt;
}

double entryCount(const Generator &generator, const std::vector<int64_t> &shape) {
  if (generator.kind == Generator::Kind::Zeros)
    return 0;
  double elements = 1;
  for (int64_t extent : shape)
    elements *= static_cast<double>(extent);
  return generator.density ? std::round(elements * *generator.density) : elements;
}

Coordinates generate(const Generator &generator, const std::vector<int64_t> &shape) {
  Coordinates result;
  result.shape = shape;
  if (generator.kind == Generator::Kind::Zeros)
    return result;
  std::optional<int64_t> elements = elementCount(shape);
  const double wanted = entryCount(generator, shape);
  if (!elements || wanted > 0x1p40)
    throw std::bad_alloc();
  const bool isRandom = generator.kind == Generator::Kind::Random;
  const auto count = std::min(*elements, static_cast<int64_t>(wanted));
  Random random(generator.seed);
  std::vector<int64_t> places;
  if (generator.density)
    places = sample(*elements, count, random);
  const size_t order = shape.size();
  result.coordinates.resize(count * order);
  result.values.resize(count);
  for (int64_t e = 0; e < count; ++e) {
    int64_t place = generator.density ? places[e] : e;
    for (size_t d = order; d-- > 0; place /= shape[d])
      result.coordinates[e * order + d] = place % shape[d];
    result.values[e] = isRandom ? random.value() : 1;
  }
  return result;
}

void fitValues(Coordinates &entries, sema::ValueType type) {
  constexpr double kScale = 100;
  for (double &value : entries.values)
    if (type == sema::ValueType::Bool)
      value = value >= 0 ? 1 : 0;
    else if (sema::isInteger(type) && value != 1)
      value = std::floor(kScale * (sema::isUnsigned(type) ? std::abs(value) : value));
}

} // namespace spc::tensor
