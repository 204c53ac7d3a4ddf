// The calling convention of a checked kernel: its parameters and the layout of the C structs they point to.
// This is the one place that says which fields a struct has and in which order: the header writer, the entry code and
// `spc run` all read it.
#pragma once

#include "abi/exported_names.h"
#include "format/format.h"
#include "sema/kernel.h"

#include <string>
#include <vector>

namespace spc::abi {

/// The contents of a struct's field.
enum class FieldRole {
  Size,     ///< int64_t: extent of dimension `index`
  Stride,   ///< int64_t: elements between neighbours along dimension `index` (dense operands)
  Count,    ///< int64_t: entries of level `index`, where no other number says it
  Stored,   ///< int64_t: stored entries in all ("nnz")
  Width,    ///< int64_t: entries under each parent of level `index`, where the format leaves that to the run time
  Pointers, ///< T*: offsets array of level `index`
  Lengths,  ///< T*: array of level `index` with the number of entries of each parent
  Indices,  ///< T*: indices array of level `index`
  Entries,  ///< T*: the coordinates of an interleaved format, `index` being its first listed level
  Values,   ///< T*: values
};

/// "size", "stride", …: the enumerator in lower case.
const char *spelling(FieldRole role);

/// The C type of a field: int64_t, or a pointer to the struct's pointer type (pointers and lengths), index type
/// (indices and entries) or value type.
enum class FieldType { Int64, Pointers, Indices, Values };

/// One 8-byte integer or one pointer. In C, neighbouring fields of one name with `arrayLength` > 0 are written as one
/// array member (`int64_t shape[3]`), which has the same layout.
struct Field {
  std::string name;
  FieldRole role;
  int index = 0;
  FieldType type = FieldType::Int64;
  int arrayLength = 0;
};

/// A C struct type. The name follows from levels, value type and index types alone: `spc_csr_f64_i32`.
struct StructType {
  std::string name;
  format::Format format;
  sema::ValueType value;
  std::vector<Field> fields;

  /// Position in `fields`, or -1.
  int find(FieldRole role, int index = 0) const;
};

/// The struct for tensors of order >= 1 in `format`.
StructType structFor(const format::Format &format, sema::ValueType value);

/// Whether a struct of this format has a field for the number of stored values: unless that follows from sizes, widths
/// and closed forms alone (ELL, N:M, packed triangles). Requires: no sum.
bool storesCount(const format::Format &format);

/// Whether a struct of this format has a field for the entries of level `k`: that of a root whose entries are not the
/// values themselves, and those of inner levels with segments, unless the stored values are a multiple of them that the
/// format gives (BSR). The length of every array follows from the struct's numbers with these fields. Requires: no sum.
bool hasCount(const format::Format &format, int k);

/// How a tensor is passed.
enum class ParameterKind {
  Tensor,      ///< pointer to a struct, const where the struct itself is not written to
  Values,      ///< pointer to the values of a tensor whose structure another parameter has (sema SharedWith, declared)
  ScalarValue, ///< a number by value
  ScalarPointer, ///< pointer to a number: an order-0 output; const: a complex operand, which C and C++ pass differently
};

/// "struct", "values", "number" or "pointer".
const char *spelling(ParameterKind kind);

/// "in", "out", or "inout" of what is read before it is written.
const char *roleOf(const sema::Tensor &tensor);

/// One argument of the function, after the context.
struct Parameter {
  ParameterKind kind;
  std::string name; ///< a C parameter name: the tensor's, with an underscore appended where that is a C or C++ keyword
  sema::TensorId tensor;
  sema::ValueType value;
  StructType type; ///< of kinds Tensor and Values
  bool isWritten = false;
  bool fillsStructure = false; ///< a pattern-sharing output whose NULL structure pointers the entry sets
  bool isAssembled = false;    ///< an output whose arrays the call allocates
};

/// The C functions of a kernel.
struct Signature : ExportedNames {
  std::vector<Parameter> parameters;
  bool hasPhases = false; ///< there are a symbolic and a numeric function, too
  std::string producer;   ///< what compiled the kernel, and its version; empty where nobody asks

  /// Whether some outputs' arrays are allocated by the call, so that there is a function that frees them.
  bool assembles() const;
};

/// The signature of a checked kernel; its parameters are in the order of Kernel::parameters. `contents`: what hides it,
/// see ExportedNames.
Signature makeSignature(const sema::Kernel &kernel, const std::string &contents = {});

/// The name of the parameter that a tensor is passed as; the tensor's own where it is none.
std::string parameterOf(const Signature &signature, const sema::Kernel &kernel, sema::TensorId tensor);

} // namespace spc::abi
