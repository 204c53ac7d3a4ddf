// The checked kernel: names resolved, sums placed, formats bound, loop orders chosen. Everything after sema reads this
// and nothing of the syntax tree.
#pragma once

#include "format/format.h"
#include "format/schedule.h"
#include "sema/divisions.h"
#include "sema/expression.h"
#include "sema/index.h"
#include "sema/roles.h"
#include "sema/value_type.h"
#include "support/ids.h"
#include "support/source.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spc::sema {

/// The tensor's own: that of every dense tensor, of operands, and of outputs that are scaled in place.
struct Own {
  bool operator==(const Own &) const = default;
};

/// Another tensor's, which has the same levels in storage; those of a temporary may be followed by dense ones, its
/// tail, so that each entry of the other tensor is a whole array in it. `declared`: the user has said so of a
/// parameter, of which only the values are passed; otherwise an output keeps an operand's. The declared owner is named
/// where both are so.
struct SharedWith {
  TensorId owner; ///< may share itself: structureOwner() gives the last one
  bool declared = false;
  bool operator==(const SharedWith &) const = default;
};

/// Worked out by the kernel, of a sparse output: the call allocates its arrays.
struct Assembled {
  bool operator==(const Assembled &) const = default;
};

/// Whose structure a tensor has: the arrays of its levels, which say where its entries are.
using Structure = std::variant<Own, SharedWith, Assembled>;

/// Everything that the kernel reads or writes by name, scalars (order 0) included.
struct Tensor {
  std::string name; ///< unique; a temporary's or a copy's name is made up and is no identifier of the language
  TensorRole role = Parameter{};
  ValueType type = ValueType::F64;
  format::Format format;
  std::vector<ExtentId> extents; ///< by dimension
  double fill = 0;               ///< what the missing entries of a sparse tensor are; an infinity of an integer type
                                 ///< is its greatest or its least number
  bool isRead = false;           ///< its values before the call matter: an operand, or an output with += or read first
  bool isWritten = false;        ///< an output, or a temporary of the source text
  Structure structure = Own{};   ///< of a sparse tensor
  bool keepsStructure = false;   ///< an output whose entries the user wants to stay where they are
  std::string partOf;            ///< the source text's name of the tensor whose part this is (a format that is a sum,
                                 ///< hyb); empty for whole tensors
  int part = 0;                  ///< which part
  std::optional<size_t> alternative = std::nullopt; ///< the one of the kernel's that alone uses this temporary or copy
  bool isOfRecomputation = false; ///< a temporary or a copy that the kernel's recomputation alone uses
  std::string couldBe;            ///< a shipped format for an output that nothing binds and that is dense, though only
                                  ///< sparse operands decide which elements are set; else empty
  Span where;                     ///< declaration, else first use

  int order() const { return format.order(); }

  /// Whether entries may be missing that are not 0.
  bool hasFill() const { return fill != 0 && !format.isDense(); }

  /// The member that belongs to a role; null where the tensor has another one.
  template <typename Role> const Role *as() const { return std::get_if<Role>(&role); }
  template <typename Role> bool is() const { return std::holds_alternative<Role>(role); }

  /// Whether it has no memory of its own.
  bool isNowhere() const { return is<Fused>() || is<Held>() || is<View>(); }

  bool isAssembled() const { return std::holds_alternative<Assembled>(structure); }
  /// Null where no other tensor has the structure.
  const SharedWith *shared() const { return std::get_if<SharedWith>(&structure); }
  bool hasDeclaredOwner() const { return shared() && shared()->declared; }
};

/// One loop of a term's nest: over an index variable, or over what a sparse operand's level stores of one (which
/// block of it, where in the block) or of two (which diagonal).
struct Loop {
  std::string variable;     ///< for people: "i", "i / 4", "i % 4", "j - i"
  ExtentId extent;          ///< of the variable; of a difference j - i that of j
  bool isReduction = false; ///< the statement's target does not depend on it alone; see Term
  format::Part part = format::Part::Whole;
  int64_t block = 0; ///< of a quotient or a remainder
};

/// One distinct (tensor, indices) access; a term lists each once, however often its expression uses it.
struct Operand {
  TensorId tensor;
  /// One index a dimension of a dense tensor, or a level of a sparse one; empty for scalars. An index of a sparse
  /// tensor has one term, unless it is that of a fully dense root.
  std::vector<Index> indices;
  /// Entries on the diagonal, where both indices are the same, count as missing: a symmetric tensor is read as its
  /// mirror image. `diagonal` holds the two coordinates that are compared.
  bool skipsDiagonal = false;
  std::vector<Index> diagonal;
  /// The operand whose structure and indices this sparse one has, its leader. It is read at the leader's positions, and
  /// only where the leader stores an entry.
  std::optional<OperandId> follows;
};

/// An equality that loops are tied by: a term is 0 but where these multiples of loops and a number add up to 0.
struct LoopEquation {
  std::map<LoopId, int64_t> multiples; ///< none is 0
  bool isChoice = false;               ///< the term is a choice, `select(q == i + p, e, 0)`: its loops are narrowed
};

/// Iterations in which an index of several terms lies outside of its extent, the padding of a block or a diagonal, are
/// skipped. (The loops are clipped after MLIR's sparsifier.)
///
/// target[...] += expr, summed over the reduction loops; or, when `overwrites`, target[...] = expr for every element
/// (then there is no reduction loop and no sparse operand) or, where a sparse target is scaled in place, for every
/// stored element (then the target is the one sparse operand).
struct Term {
  IdVector<LoopId, Loop> loops; ///< chosen order, outermost first; respects the level order of every sparse operand
  IdVector<OperandId, Operand> operands;
  ExprPtr expr;
  std::vector<LoopEquation> equations;
  std::vector<Index> target;    ///< of a dense target by dimension, of one that shares a pattern by level
  std::optional<Domain> domain; ///< of a term that has sparse operands and is no product of them with other factors
  bool overwrites = false;
  /// One loop an index walks all sparse operands at once, whose levels are dense or compressed. The term has a domain,
  /// and would take too many loops if each set of operands with entries left had loops of its own.
  bool isMerged = false;
  /// It is a sum of products that is scaled: what one loop, the only one that adds up, does not change is applied to
  /// the elements behind it once that has run. No other term adds to the target, which is 0 before.
  bool scalesRows = false;
  /// Where one of these is 0 the term is a sum of nothing, though its loops multiply what earlier steps have made of no
  /// addends, and other terms are none. Its loops then run over nothing, or set elements to 0.
  std::vector<ExtentId> emptyWith = {};
  Span where;
};

/// How an assembled target's entries are collected (docs/why.md, "Assembled outputs").
struct Collecting {
  std::vector<int> dims; ///< the target's dimensions in the order in which every term's loops visit them
  int rowOrder = 0;      ///< the first so many are each term's outermost loops, less than all of them
  bool isWide = false;   ///< elements of half floats are collected in F32, as several values are added up in one
};

/// Computed in the widest type among the statement's operands and its target; rounded to the target's type as it is
/// accumulated.
struct Statement {
  TensorId target;
  ValueType computeType = ValueType::F64;
  bool zeroFirst = false; ///< the target (its stored values, where it shares a pattern) is set to 0 before the terms,
                          ///< or to the identity of the reduction
  Reduction reduction = Reduction::Sum; ///< another one has one term, and a dense target that is set first
  std::vector<Term> terms;              ///< run in this order; of an assembled target a loop nest each
  std::optional<Collecting> collecting; ///< of an assembled target, which is built anew
  /// Of a dense or assembled target: where one of these is 0, each term is a sum of nothing, though its loops multiply
  /// what earlier steps have made of no addends. The entry then leaves the terms out.
  std::vector<ExtentId> emptyWith;
  Span where;
};

/// Copies `from` to `to`, same shape, both dense (an output that its own statement reads other than in place).
struct Copy {
  TensorId from;
  TensorId to;
};

/// Builds the arrays of the assembled tensor `to` from the entries of the sparse tensor `from` (perhaps itself).
struct Conversion {
  TensorId from;
  TensorId to;
  std::vector<int> dims; ///< by dimension of `from`: that of `to`
  Span where;
};

/// Makes the Converted tensor `copy`, or the Tie, of what its source, which an earlier step has written, holds now.
struct RefreshCopy {
  TensorId copy;
};

/// Builds the arrays of `parts`, which together are one tensor, from the entries of the sparse tensor `from`: each
/// takes what it has room for of what those before it have left, the last one the rest.
struct Distribution {
  TensorId from;
  std::vector<TensorId> parts;
};

/// Puts the entries of the sparse tensor `from` at their places in `to`, whose structure stays: added to what is there,
/// or in its place, and 0 where `from` has none.
struct Placement {
  TensorId from;
  TensorId to;
  std::vector<int> dims; ///< by dimension of `from`: that of `to`
  bool adds = false;
  Span where;
};

/// Sets the elements of the dense tensor `to` to the first elements of each row of `from`, in the order of their
/// values, or to their places: those in a row, numbered row-major over the dimensions behind the row's. `from` is
/// dense, or lists each place once and in order, levels being in the order of `dims`.
struct Ranking {
  Reduction kind = Reduction::Top;
  TensorId from;
  TensorId to;
  std::vector<int> dims;    ///< of `from`: the row's, then the others
  std::vector<int> rowDims; ///< of `to`, by the row's dimensions
  int rankDim = 0;          ///< of `to`: which element in order
  Span where;
};

using Step = std::variant<Statement, Copy, Conversion, RefreshCopy, Distribution, Placement, Ranking>;

/// The `parallel` of a schedule that wants no loop in chunks.
inline constexpr std::string_view kNotParallel = "none";

/// The schedule that format files give for the kernel's loops (docs/formats.md, "Schedules"). The pass, or the call at
/// run time, chooses what is not given. Loop orders are in the terms already.
struct Schedule {
  std::optional<int64_t> tile, unroll, prefetch, chunk;
  std::optional<std::string> parallel; ///< the index variable of a statement's outermost loop, or kNotParallel
  Span parallelAt;                     ///< where that is said
  format::WorkspaceKind workspace = format::WorkspaceKind::Auto;
  std::vector<std::string> order; ///< for people
};

/// An extent that a constant index of a sparse operand needs: the entry checks that it is no smaller.
struct LeastExtent {
  ExtentId extent;
  int64_t least = 0;
};

/// A sparse operand that is read at sums of multiples of index variables, by ties: the entry checks that these stay
/// inside.
struct ReadWindows {
  TensorId source;
  std::vector<Window> windows;   ///< by dimension of the source
  std::vector<ExtentId> extents; ///< that the windows' dimensions are of
};

/// Extents of variables whose values together are one number, a linear place: the entry checks that there are no more
/// places than an i64 has room for.
using LinearPlaces = std::vector<ExtentId>;

/// The names and tensors of a kernel, which are the same before its loops are planned and after.
struct KernelHead {
  std::string function; ///< a C identifier
  std::string kernelFile;
  IdVector<ExtentId, Extent> extents;
  std::vector<LeastExtent> leastExtents;
  std::vector<ReadWindows> readWindows;
  std::vector<LinearPlaces> linearPlaces;
  IdVector<TensorId, Tensor> tensors;
  std::vector<TensorId> parameters; ///< in the order of the call: see orderParameters() in sema/check/checking.h
  bool strictFp = false;
  bool dropZeros = false; ///< assembled outputs do not store computed zeros
  bool checked = false;   ///< the entry looks at what arrays hold before anything uses it
  Schedule schedule;
  std::map<std::string, ValueType> typeParameters; ///< each with the type that it stands for
};

/// Steps in a row, one of several ways to compute the same. Temporaries and copies of its own have its number: calls
/// that take another one make none of them.
struct Alternative {
  size_t begin = 0, end = 0; ///< into Kernel::steps
};

/// Steps behind the alternatives, which compute the same with more care: each asks which sums have entries at all. The
/// alternatives take one without entries for 0, which an infinity beside it makes no number; a step of each counts
/// these.
struct Recomputation {
  size_t begin = 0, end = 0; ///< into Kernel::steps
  TensorId count;            ///< an i64 of order 0: where that is not 0, calls run the steps
  /// The steps of a call by the kernel's alternative that it has taken, one behind the other, none for one that takes
  /// no sum for 0; empty where they are the same whichever it is.
  std::vector<Alternative> alternatives = {};
};

/// Steps in a row that run together, piece by piece of rows: all of them for some rows, then for the next ones
/// (sema/plan/sweeps.h).
struct Sweep {
  size_t begin = 0, end = 0;  ///< into Kernel::steps
  std::vector<TensorId> held; ///< the temporaries of which memory for the rows of a piece is enough
  bool listsAgain = false;    ///< several steps read rows of one tensor that entries list
};

/// A whole kernel file, checked and planned.
struct Kernel : KernelHead {
  std::vector<Step> steps;
  /// None, or two and more, each of which begins where the one before it ends: a call runs the one that takes the
  /// fewest steps with its sizes (sema/alternatives.h).
  std::vector<Alternative> alternatives = {};
  std::optional<Recomputation> recomputation = {};
  std::vector<Sweep> sweeps = {};            ///< in the order of their steps
  std::vector<IndexDivision> divisions = {}; ///< by index variable, among processes
};

/// The tensor that has the structure of `tensor` in arrays of its own, or assembles it; itself where that is so of it.
TensorId structureOwner(const KernelHead &kernel, TensorId tensor);

/// Whether a sparse tensor may hold zeros that are no entries. Copies hold what their source does, unless they are of
/// its entries.
bool holdsPadding(const KernelHead &kernel, TensorId tensor);

/// How many levels of a sparse tensor are its structure owner's: all but its tail.
int structureLevels(const KernelHead &kernel, TensorId tensor);

/// The dimensions of a sparse tensor's tail, of which it has all elements for each entry of its structure; empty of a
/// dense one.
std::vector<size_t> tailDims(const KernelHead &kernel, TensorId tensor);

/// The tensor of which a copy or a view has the elements; nullopt for any other one.
std::optional<TensorId> sourceOf(const Tensor &tensor);

/// Whether a tensor's arrays are made when the kernel is compiled: it is a constant, or a copy of one whose rows are
/// not looked up.
bool isConstant(const KernelHead &kernel, TensorId tensor);

/// The tensors that a tensor of the source text is passed as, `first` being the only one or part 0 of a sum.
std::vector<TensorId> partsOf(const KernelHead &kernel, TensorId first);

/// The statement that a step is, where it assembles, else nullptr.
const Statement *assemblingStatement(const Step &step);

/// Whether a step reads or writes a tensor.
bool uses(const Step &step, TensorId tensor);

/// The sweep of which a step is; null where it runs by itself.
const Sweep *sweepOf(const Kernel &kernel, size_t step);

/// The sweep that holds a temporary; null for any other tensor.
const Sweep *holderOf(const Kernel &kernel, TensorId tensor);

/// Whether some term of a step has the index variable, or its blocks, as its outermost loop.
bool hasOutermostLoop(const Step &step, std::string_view variable);

/// The type in which a statement adds up the elements of its target.
ValueType sumType(const Kernel &kernel, const Statement &statement);

/// The width of the keys under which a target's entries are collected: that of its indices where they are coordinates
/// that it lists, else 64.
int keyBits(const Tensor &target, const Collecting &collecting);

/// Why a kernel calls the runtime, where for several reasons the first one of these.
struct RuntimeUse {
  enum class Why { Assembles, CopiesOperand, AddsLengths, Ranks };
  Why why;
  Span where; ///< the step that assembles or ranks, the operand that is copied, the one whose lengths are added up
};

/// Whether a kernel calls the runtime: nullopt where it does not.
std::optional<RuntimeUse> runtimeUse(const Kernel &kernel);

/// The name of the function that computes step number `step`; of one that assembles, `patternBodyName` the one that
/// computes its pattern alone, `plannedBodyName` the one that sets its values by a plan (MergePlan, two_phases.h).
std::string bodyName(const Kernel &kernel, size_t step);
std::string patternBodyName(const Kernel &kernel, size_t step);
std::string plannedBodyName(const Kernel &kernel, size_t step);

} // namespace spc::sema
