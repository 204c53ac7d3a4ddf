// Orders of dimensions as files and as code that applies them.
#pragma once

#include "tune/ordering.h"

#include <string>
#include <string_view>
#include <vector>

namespace spc::tune {

/// An order and the dimensions that it is for.
struct NamedOrder {
  std::string file;                 ///< where its numbers are written
  std::vector<std::string> tensors; ///< "dimension 0 of 'A'"
  std::vector<std::string> extents; ///< names of C and Python
  const Order *order;
};

/// A Matrix Market vector of integers: in line p, counting from 1 as its numbers do, the old place of what comes p-th.
std::string orderText(const NamedOrder &order);

/// Functions that read an order and permute arrays, and what is to be permuted by which, in C (a header of static
/// functions) and in Python (NumPy and SciPy). `prefix`: of the functions' names, an identifier.
std::string cCode(const std::string &prefix, const std::vector<NamedOrder> &orders);
std::string pythonCode(const std::vector<NamedOrder> &orders);

/// Whether a file that begins so is one of these.
bool isOrderFile(std::string_view begin);

} // namespace spc::tune
