// How many entries an assembling statement collects at most, as far as its operands say.
#pragma once

#include "sema/kernel.h"

#include <optional>
#include <vector>

namespace spc::sema {

/// Operands with which each loop of a term runs over a coordinate of one of them: it comes to at most as many places as
/// the product of how many entries they have.
using Cover = std::vector<OperandId>;

/// What bounds the places at which a term is computed: for each set of operands of which it has an entry there all
/// covers among these, none of which has another one in it. Without a cover nothing does.
std::vector<std::vector<Cover>> coversOf(const Kernel &kernel, const Term &term);

/// Operands of a product whose multiplications can be counted: the entries of the first one list rows of the second
/// one.
struct CountedProduct {
  OperandId first, second;
  bool isByRows = false; ///< the first is a matrix by rows, which are those that are collected
  bool isAll = false;    ///< the term is computed where both have an entry, nowhere else, and has no loops but theirs
};

/// Such operands of an assembling statement; of a matrix by rows as the first one whatever else the term has.
std::optional<CountedProduct> countedProduct(const Kernel &kernel, const Statement &statement);

/// The operands of an assembling statement's first term that list what they have in each row that is collected, in
/// order.
std::vector<OperandId> rowLists(const Kernel &kernel, const Statement &statement);

} // namespace spc::sema
