// The contract between kernels and the runtime (contract.def) as the compiler's side needs it: where each field of a
// struct lies, and each function's symbol and signature. Any stage may include this header, which includes none of
// ours but format/level_kind.h.
#pragma once

#include "format/level_kind.h"

#include <stdint.h>

namespace spc::runtime {

using format::LevelKind;
using format::Part;

inline constexpr int64_t kMaxOrder = 8;
inline constexpr int64_t kMaxShares = 4;
/// Pieces of a trial: the first one, in which caches are cold, and four for each loop.
inline constexpr int64_t kTrials = 9;
/// Arrays that a call keeps for its next tasks: as many as threads that run at a time, or fewer.
inline constexpr int64_t kPooledPositions = 16;

// The cost of a call of the caller's parallel-for (pays() in workers.h, and entry/call.cpp, which says the same in
// generated code).
/// The cost that it is taken to have where nobody has measured it, in nanoseconds.
inline constexpr int64_t kUsualCost = 4000;
/// How many times its cost work must take for a call to pay: with one idle thread more, a call then saves three eighths
/// of the time, and loses an eighth where there turns out to be none.
inline constexpr int64_t kWorthCosts = 8;
/// Time spent without threads counts against what they cost, to a thirty-second: measuring it anew costs no more.
inline constexpr int64_t kTimeOfCost = 32;

/// Whether a root that is looked up lists the rows that have entries, of so many rows: pointers of all would take
/// longer to write than entries take to be sorted and looked up. Few rows are there as soon as any table.
constexpr bool listsFoundRows(int64_t rows, int64_t entries) {
  constexpr int64_t fewRows = 4096, rowsOfEntry = 32;
  return (rows - fewRows) / rowsOfEntry > entries;
}

enum class ValueKind : int64_t;
enum class Duplicates : int64_t;
enum class Phase : int64_t;
struct AssemblyState;
struct RowTable;

/// How a nest meets its entries.
enum class Form : int64_t {
  Append,    ///< keys ascend within a row and do not repeat
  Workspace, ///< in any order, with repeats
};

/// Marks a body's function, as an attribute of LLVM's: vectors hold what can be paired there.
inline constexpr char kPairedFunction[] = "spc-paired";

/// A function that a struct points to.
template <typename Signature> using Hook = Signature *;

/// The kind of a struct's slot, of a parameter or of a result in generated code.
enum class Scalar { Void, Int32, Int64, Pointer };

template <typename T> struct ScalarOf {
  static_assert(__is_enum(T) && sizeof(T) == sizeof(int64_t));
  static constexpr Scalar kind = Scalar::Int64;
};
template <> struct ScalarOf<int64_t> {
  static constexpr Scalar kind = Scalar::Int64;
};
template <> struct ScalarOf<int32_t> {
  static constexpr Scalar kind = Scalar::Int32;
};
template <> struct ScalarOf<void> {
  static constexpr Scalar kind = Scalar::Void;
};
template <typename T> struct ScalarOf<T *> {
  static constexpr Scalar kind = Scalar::Pointer;
};

/// Generated code sees a struct as scalars, its slots, with the elements of arrays and the fields of structs within it
/// one after the other. slotCount<T>: how many a T takes.
template <typename T> inline constexpr unsigned slotCount = 1;

// LevelSlot::width: the slot of that field of Level, the first one where it takes several. LevelSlot::kCount: of Level.
// clang-format off
#define SPC_STRUCT(STRUCT) struct STRUCT; struct STRUCT##Slot { enum : unsigned {
#define SPC_FIELD(STRUCT, TYPE, NAME, ...) NAME, NAME##Last = NAME + slotCount<TYPE> - 1,
#define SPC_ARRAY(STRUCT, TYPE, NAME, COUNT) NAME, NAME##Last = NAME + COUNT * slotCount<TYPE> - 1,
#define SPC_END(STRUCT) kCount }; }; template <> inline constexpr unsigned slotCount<STRUCT> = STRUCT##Slot::kCount;
#include "runtime/contract.def"
// clang-format on

/// The kind of a slot of a T.
template <typename T> constexpr Scalar slotKind(unsigned) {
  return ScalarOf<T>::kind;
}
#define SPC_STRUCT(STRUCT) template <> constexpr Scalar slotKind<STRUCT>(unsigned slot) {
#define SPC_FIELD(STRUCT, TYPE, NAME, ...)                                                                             \
  if (slot <= STRUCT##Slot::NAME##Last)                                                                                \
    return slotKind<TYPE>(slot - STRUCT##Slot::NAME);
#define SPC_ARRAY(STRUCT, TYPE, NAME, COUNT)                                                                           \
  if (slot <= STRUCT##Slot::NAME##Last)                                                                                \
    return slotKind<TYPE>((slot - STRUCT##Slot::NAME) % slotCount<TYPE>);
#define SPC_END(STRUCT)                                                                                                \
  return Scalar::Void;                                                                                                 \
  }
#include "runtime/contract.def"

/// A function of the runtime. Its symbol in a kernel is no C identifier, so that no kernel's name clashes.
struct Function {
  const char *symbol;
  Scalar result;
  unsigned parameterCount;
  Scalar parameters[6];
};

template <typename Signature> struct FunctionOf;
template <typename Result, typename... Parameters> struct FunctionOf<Result(Parameters...)> {
  static constexpr Function named(const char *symbol) {
    return {symbol, ScalarOf<Result>::kind, sizeof...(Parameters), {ScalarOf<Parameters>::kind...}};
  }
};

/// The prefix of a function's name in C, and in kernels.
inline constexpr char kCPrefix[] = "spc_rt_";
#define SPC_SYMBOL_PREFIX "spc.rt."
inline constexpr char kSymbolPrefix[] = SPC_SYMBOL_PREFIX;

/// functions::run_begin is what C knows as spc_rt_run_begin.
namespace functions {
#define SPC_FUNCTION(RESULT, NAME, ...)                                                                                \
  inline constexpr Function NAME = FunctionOf<RESULT(__VA_ARGS__)>::named(SPC_SYMBOL_PREFIX #NAME);
#include "runtime/contract.def"

// functions::row_flush_of(4, 8): row_flush_4_8. Null where there is no function for these widths.
#define SPC_FAMILY(NAME) constexpr const Function *NAME##_of(int64_t first, int64_t second) {
#define SPC_MEMBER(RESULT, NAME, FIRST, SECOND, ...)                                                                   \
  if (first == FIRST && second == SECOND)                                                                              \
    return &NAME##_##FIRST##_##SECOND;
#define SPC_END_FAMILY(NAME)                                                                                           \
  return nullptr;                                                                                                      \
  }
#include "runtime/contract.def"
} // namespace functions
#undef SPC_SYMBOL_PREFIX

/// Those that become part of their callers when the runtime is linked.
inline constexpr Function kShortFunctions[] = {functions::row_end, functions::row_length, functions::row_join};

} // namespace spc::runtime
