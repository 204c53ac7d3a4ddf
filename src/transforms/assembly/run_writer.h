// Writes what the operations of a run become: stores into its buffers and workspace, and calls of the runtime
// (runtime/contract.def) where these do not suffice. Private to this folder.
#pragma once

#include "dialect/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

/// An index value as i64.
mlir::Value toInt(mlir::ImplicitLocOpBuilder &ops, mlir::Value index);

/// One run while it is lowered: its handle and the addresses of its variables, which LLVM promotes to registers. Each
/// function builds code where `ops` stands. Keys and slots are i64, coordinates index values.
class RunWriter {
public:
  /// A lowered run is as many pointers as its form has variables.
  static size_t partCount(dialect::RunForm form);

  /// The run of `type` whose parts these are.
  RunWriter(dialect::RunType type, mlir::ValueRange parts) : type_(type), parts_(parts.begin(), parts.end()) {}

  /// A run that has not begun. Its variables are allocated at the start of the function around `ops`.
  RunWriter(mlir::ImplicitLocOpBuilder &ops, dialect::RunType type);

  mlir::ValueRange parts() const { return parts_; }

  /// Begins run number `run` of a chunk. i1: whether there is one; there is not where memory ran out.
  mlir::Value begin(mlir::ImplicitLocOpBuilder &ops, mlir::Value assembly, mlir::Value chunk, int64_t run);
  /// i1: whether the runtime chose a dense workspace.
  mlir::Value isDense(mlir::ImplicitLocOpBuilder &ops);
  /// i1, where it did not: whether that is a hash table; else the run is planned.
  mlir::Value isHash(mlir::ImplicitLocOpBuilder &ops);
  /// The run as a nest for `form` has it, with which that nest starts.
  RunWriter enter(mlir::ImplicitLocOpBuilder &ops, dialect::RunForm form);
  void end(mlir::ImplicitLocOpBuilder &ops);

  /// i1: whether there is room for `most` (i64) more entries.
  mlir::Value reserve(mlir::ImplicitLocOpBuilder &ops, mlir::Value most);
  /// Appends an entry, for which room is made unless it `isReserved`.
  void append(mlir::ImplicitLocOpBuilder &ops, mlir::Value key, mlir::Value value, bool isReserved);

  /// Appends an entry where the condition (i1) holds; room for it is made in any case.
  void appendIf(mlir::ImplicitLocOpBuilder &ops, mlir::Value condition, mlir::Value key, mlir::Value value);

  /// i64: how many entries the row has.
  mlir::Value rowLength(mlir::ImplicitLocOpBuilder &ops);
  /// Adds the entries behind the first `before` (i64) of the row to these.
  void joinRow(mlir::ImplicitLocOpBuilder &ops, mlir::Value before);

  /// Puts the row's entries in order.
  void sortRow(mlir::ImplicitLocOpBuilder &ops);

  /// The slot of a key; of a hash table it is made, with value 0.
  mlir::Value locate(mlir::ImplicitLocOpBuilder &ops, mlir::Value key);
  /// The value at a key, or the identity (null: 0) where there is none; makes no entry.
  mlir::Value peek(mlir::ImplicitLocOpBuilder &ops, mlir::Value key, mlir::Attribute identity);
  /// The value at a slot; the values from there on, if `type` is a vector.
  mlir::Value loadSlot(mlir::ImplicitLocOpBuilder &ops, mlir::Value slot, mlir::Type type);
  /// Makes the key, which has this slot, an entry. Without values `value` is null; a vector is for as many neighbouring
  /// keys.
  void storeSlot(mlir::ImplicitLocOpBuilder &ops, mlir::Value key, mlir::Value slot, mlir::Value value);

  /// Begins the row of this coordinate (null: the only one) in a run by plan: its values are the identity (null: 0).
  void beginRow(mlir::ImplicitLocOpBuilder &ops, mlir::Value coordinate, mlir::Attribute identity);
  void endRow(mlir::ImplicitLocOpBuilder &ops, mlir::ValueRange coordinates);

  /// i1: whether all that is done at a row's end is to note how many entries it has.
  mlir::Value notesRows(mlir::ImplicitLocOpBuilder &ops);
  /// Ends `count` (i64) rows from `first` on, as long as those of an operand from `row` on by its pointers.
  void endRows(mlir::ImplicitLocOpBuilder &ops, mlir::Value first, mlir::Value count, mlir::Value pointers,
               mlir::Value row);

  /// The address of a variable of type i1, false where `ops` stands.
  static mlir::Value makeFlag(mlir::ImplicitLocOpBuilder &ops);
  static void raise(mlir::ImplicitLocOpBuilder &ops, mlir::Value flag);
  static mlir::Value isRaised(mlir::ImplicitLocOpBuilder &ops, mlir::Value flag);

private:
  /// The handle and the variables; those of a dense workspace come last: where its bits and their summary are, the
  /// least and the last touched word, and the word whose bits are not stored yet, with these bits.
  enum Part : size_t {
    Handle,
    Count,
    Keys,
    Values,
    Capacity,
    Slots,
    Coordinates,
    Bits,
    Summary,
    First,
    Last,
    Word,
    WordBits,
    Parts
  };

  mlir::Value part(Part number) const { return parts_[number]; }
  mlir::Value field(mlir::ImplicitLocOpBuilder &ops, unsigned slot);
  void reload(mlir::ImplicitLocOpBuilder &ops);
  void makeRoom(mlir::ImplicitLocOpBuilder &ops, mlir::Value isNeeded, mlir::Value more);
  mlir::Value compareRoom(mlir::ImplicitLocOpBuilder &ops, mlir::arith::CmpIPredicate predicate, mlir::Value more);
  mlir::Value writeNext(mlir::ImplicitLocOpBuilder &ops, mlir::Value key, mlir::Value value);
  mlir::Value isTouched(mlir::ImplicitLocOpBuilder &ops, mlir::Value key);
  mlir::Value placeAt(mlir::ImplicitLocOpBuilder &ops, mlir::Value address);
  mlir::Value nextPlace(mlir::ImplicitLocOpBuilder &ops);
  mlir::Value peekPlace(mlir::ImplicitLocOpBuilder &ops, mlir::Attribute identity);
  void touch(mlir::ImplicitLocOpBuilder &ops, mlir::Value key, int64_t count);
  void storeWord(mlir::ImplicitLocOpBuilder &ops);
  void clearTouched(mlir::ImplicitLocOpBuilder &ops);
  mlir::Value elementAddress(mlir::ImplicitLocOpBuilder &ops, mlir::Value array, mlir::Value position);
  void storeElement(mlir::ImplicitLocOpBuilder &ops, mlir::Value address, mlir::Value value);

  dialect::RunType type_;
  llvm::SmallVector<mlir::Value, Parts> parts_;
};

} // namespace spc::transforms
