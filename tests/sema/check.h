// Kernels from text with formats by short names, for the tests of sema.
#pragma once

#include "sema/analyze.h"
#include "sema/program.h"
#include "syntax/parser.h"

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::sema::test {

/// A format by short name: dense, colmajor, csr, csc, csr64, dcsr, dcsc, coo, repeats (coo with duplicates), csf,
/// csf:<modes as digits>, vector, rows (compressed, dense), bsr (4 by 8), ell (width 2), dia, groups (2 of 4), lengths
/// (csr with lengths), ragged (dense rows of differing lengths), triangle (rows of i + 1 elements), lower and upper
/// (csr of one triangle of a symmetric matrix), hyb (ELL of width 2 and coo), with-dense (coo and a dense part).
std::shared_ptr<const format::FormatFamily> family(const std::string &name);

/// One kernel with all that was said about it.
struct Checked {
  std::unique_ptr<SourceManager> sources;
  std::unique_ptr<Diagnostics> diagnostics;
  std::string program; ///< as text, where it is right
  std::optional<Kernel> kernel;

  /// How many diagnostics have the id.
  int count(const std::string &id) const;
  /// The first with the id; fails the test where there is none.
  const Diagnostic &the(const std::string &id) const;
  /// All errors' ids, each once and sorted, separated by blanks.
  std::string errors() const;
  /// "i,k,j" of statement `statement`, term `term`.
  std::string loops(size_t term = 0, size_t step = 0) const;
  const Tensor &tensor(const std::string &name) const;
  bool has(const std::string &name) const;
  /// The tensor with which another one shares its structure; nullopt where it has its own, or is assembled.
  std::optional<TensorId> ownerOf(const std::string &name) const;
  const Statement &statement(size_t step = 0) const;
  const Statement &last() const;
  /// describe() of the steps only, that is from the first blank line on.
  std::string steps() const;
  /// What its plan says of the cost of statements: "nnz(S)*k for T; i for y".
  std::string cost() const;
  /// The names of the parameters, with commas.
  std::string parameters() const;
  /// describe() of each statement's division, a line each; steps() leaves these out.
  std::string divisions() const;
};

/// Also checks that what is written of the program has the same plan.
/// `bindings`: "A=csr", "csr", or "B=of:A" where B has the structure of A.
/// `schedule` is that of the first binding's file.
Checked check(const std::string &text, const std::vector<std::string> &bindings = {}, bool strict = false,
              const format::Schedule &schedule = {});

/// The same with arguments of --type and --index, "--type=A=i8", and with "--fp=distribute", "--plan=as-written" and
/// "--plan=1", the plan for the usual sizes, and so on; "careful": no sum without entries is taken for 0.
Checked checkWith(const std::vector<std::string> &arguments, const std::string &text,
                  const std::vector<std::string> &bindings = {});

/// Planned for the usual sizes alone, in which parts are asked where they have entries; and what that plan costs.
Checked checkUsual(const std::string &text, const std::vector<std::string> &bindings = {});
std::string costOf(const std::string &text, const std::vector<std::string> &bindings = {});

/// An index that is one variable, as the parser makes it.
language::Index indexOf(const std::string &variable);

} // namespace spc::sema::test
