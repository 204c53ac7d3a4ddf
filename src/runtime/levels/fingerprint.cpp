// What structures are told apart by. Freestanding.
#include "runtime/hot.h"
#include "runtime/levels/walk.h"

namespace spc::runtime {
namespace {

constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u; // odd: a product loses nothing
/// Of arrays that are longer one line in so many is looked at, or so many lines: each waits for memory.
constexpr int64_t kWholeBytes = int64_t{1} << 12;
constexpr int64_t kLine = 64, kFewestBetween = 16, kMostLines = 1024;

/// Any change of one number changes the result.
uint64_t mix(uint64_t seed, uint64_t number) {
  const uint64_t product = (seed ^ number) * kFactor;
  return product ^ (product >> 29);
}

uint64_t wordAt(const char *bytes) {
  uint64_t word;
  __builtin_memcpy(&word, bytes, sizeof word);
  return word;
}

/// What has been read of an array, in numbers that do not wait for one another, each in a register.
struct Lanes {
  uint64_t a = 1, b = 2, c = 3, d = 4;

  void add(const char *line) {
    addHalf(line);
    addHalf(line + kLine / 2);
  }

private:
  void addHalf(const char *words) {
    a = (a ^ wordAt(words)) * kFactor;
    b = (b ^ wordAt(words + 8)) * kFactor;
    c = (c ^ wordAt(words + 16)) * kFactor;
    d = (d ^ wordAt(words + 24)) * kFactor;
  }
};

/// A number below `step`, which is below 2^32, by the upper half of a number.
int64_t scaledTo(int64_t step, uint64_t number) {
  return static_cast<int64_t>(((number >> 32) * static_cast<uint64_t>(step)) >> 32);
}

/// Of each `step` lines of an array looks at one, and at what is left behind them.
SPC_HOT uint64_t hashBytes(const char *bytes, int64_t count, int64_t step) {
  Lanes lanes;
  int64_t at = 0;
  for (uint64_t line = 0; at + kLine * step <= count; ++line, at += kLine * step)
    lanes.add(bytes + at + scaledTo(step, mix(1, line)) * kLine);
  for (; at + kLine <= count; at += kLine)
    lanes.add(bytes + at);
  uint64_t hash = static_cast<uint64_t>(count);
  for (; at + 8 <= count; at += 8)
    hash = (hash ^ wordAt(bytes + at)) * kFactor;
  for (; at < count; ++at)
    hash = mix(hash, static_cast<unsigned char>(bytes[at]));
  return mix(mix(mix(mix(hash, lanes.a), lanes.b), lanes.c), lanes.d);
}

/// The fingerprint of what has been added so far.
class Fingerprint {
public:
  Fingerprint(int64_t seed, bool isWhole) : value_(static_cast<uint64_t>(seed)), isWhole_(isWhole) {}

  int64_t value() const { return static_cast<int64_t>(value_); }
  void add(int64_t number) { value_ = mix(value_, static_cast<uint64_t>(number)); }

  /// Elements [begin, end) of an array.
  void add(const void *array, int64_t bytes, int64_t begin, int64_t end) {
    const int64_t count = end > begin ? (end - begin) * bytes : 0;
    add(count);
    if (count > 0)
      value_ = mix(value_, hashBytes(static_cast<const char *>(array) + begin * bytes, count,
                                     isWhole_ || count <= kWholeBytes ? 1 : stepFor(count)));
  }

private:
  static int64_t stepFor(int64_t count) {
    const int64_t lines = count / kLine / kMostLines;
    return lines > kFewestBetween ? lines : kFewestBetween;
  }

  uint64_t value_;
  bool isWhole_;
};

/// Positions of a level.
struct Span {
  int64_t begin, end;
};

/// Adds the arrays of a level below the positions `above`. Gives its own positions.
Span addLevel(Fingerprint &print, const Tensor &tensor, int64_t k, Span above) {
  const Level &level = tensor.levels[k];
  Span own = above;
  switch (level.kind) {
  case LevelKind::Dense: {
    const int64_t count = denseCount(level);
    own = {above.begin * count, above.end * count};
    break;
  }
  case LevelKind::Singleton:
    break;
  case LevelKind::FixedWidth:
    own = {above.begin * level.width, above.end * level.width};
    break;
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed:
    own = {sumBefore(level, above.begin), sumBefore(level, above.end)};
    break;
  case LevelKind::Compressed:
  case LevelKind::RaggedDense:
    if (k == 0 || above.begin == above.end) {
      own = {0, k == 0 ? level.count : 0};
      break;
    }
    print.add(level.pointers, tensor.pointerBytes, above.begin, above.end + 1);
    own = {load(level.pointers, tensor.pointerBytes, above.begin),
           load(level.pointers, tensor.pointerBytes, above.end)};
    break;
  }
  print.add(level.extent);
  print.add(own.end - own.begin);
  // Interleaved lists are added with their first level.
  if (isListed(level) && level.offset == 0)
    print.add(level.indices, tensor.indexBytes, own.begin * level.stride, own.end * level.stride);
  return own;
}

} // namespace

extern "C" int64_t spc_rt_fingerprint(const Tensor *tensor, int64_t seed, int64_t isWhole) {
  Fingerprint print(seed, isWhole != 0);
  Span positions{0, 1};
  for (int64_t k = 0; k < tensor->order; ++k)
    positions = addLevel(print, *tensor, k, positions);
  return print.value();
}

} // namespace spc::runtime
