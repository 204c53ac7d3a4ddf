// The kinds of levels: the one list of those that there are. Includes nothing, so that every stage may include it, the
// freestanding runtime too. Stages switch over these enums without a default, so that the compiler names each place
// that a new kind concerns (docs/development.md, "Adding a format").
#pragma once

namespace spc::format {

/// How a level stores the coordinates under each parent. kindOf() (levels.h) says which of them a level of a
/// format is; the runtime's descriptors hold it in 8 bytes.
enum class LevelKind : long long {
  Dense,            ///< every coordinate of its range: position = parent * count + coordinate
  Compressed,       ///< listed, in segments whose ends an array says; at the root one segment
  Singleton,        ///< one listed coordinate for each entry of a listed level above, which it continues (COO)
  FixedWidth,       ///< the same number of listed coordinates under each parent (ELL, N:M)
  RaggedDense,      ///< a run of coordinates without a list, in segments whose ends an array says
  ClosedDense,      ///< a run of coordinates without a list, as long as a closed form of the parent's coordinate
  ClosedCompressed, ///< listed, as many as a closed form of the parent's coordinate
};

/// Which part of the tensor's coordinates a level's coordinate is.
enum class Part : long long {
  Whole,      ///< i
  Quotient,   ///< i / block, rounded down: which block
  Remainder,  ///< i % block: where in the block
  Difference, ///< j - i: which diagonal, 0 being the main one; may be negative
};

/// Whether levels of this kind have an array of their coordinates.
constexpr bool listsCoordinates(LevelKind kind) {
  switch (kind) {
  case LevelKind::Dense:
  case LevelKind::RaggedDense:
  case LevelKind::ClosedDense:
    return false;
  case LevelKind::Compressed:
  case LevelKind::Singleton:
  case LevelKind::FixedWidth:
  case LevelKind::ClosedCompressed:
    break;
  }
  return true;
}

/// Whether an array says where the segments of such a level end: pointers or lengths. A root has one segment, and a
/// count in place of the array.
constexpr bool hasSegments(LevelKind kind) {
  switch (kind) {
  case LevelKind::Compressed:
  case LevelKind::RaggedDense:
    return true;
  case LevelKind::Dense:
  case LevelKind::Singleton:
  case LevelKind::FixedWidth:
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed:
    break;
  }
  return false;
}

/// Whether how many entries a parent has, or where they begin, may depend on the parent's coordinate.
constexpr bool readsParent(LevelKind kind) {
  switch (kind) {
  case LevelKind::RaggedDense:
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed:
    return true;
  case LevelKind::Dense:
  case LevelKind::Compressed:
  case LevelKind::Singleton:
  case LevelKind::FixedWidth:
    break;
  }
  return false;
}

/// Whether a closed form says how many entries each parent has.
constexpr bool hasClosedLength(LevelKind kind) {
  switch (kind) {
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed:
    return true;
  case LevelKind::Dense:
  case LevelKind::Compressed:
  case LevelKind::Singleton:
  case LevelKind::FixedWidth:
  case LevelKind::RaggedDense:
    break;
  }
  return false;
}

} // namespace spc::format
