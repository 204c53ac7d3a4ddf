// Which dimensions of a kernel may be put in another order, and orders for them from its sparse operands.
#pragma once

#include "sema/kernel.h"
#include "tensor/tensor.h"
#include "tune/ordering.h"

#include <memory>
#include <string>
#include <vector>

namespace spc::tune {

/// An order for each extent that is reordered; null where an extent stays as it is. The results of a kernel whose
/// operands are permuted so are its results, permuted so.
struct ExtentOrders {
  std::string name;   ///< "rcm"; empty: nothing is reordered
  double seconds = 0; ///< that it took to find
  IdVector<sema::ExtentId, std::shared_ptr<const Order>> orders;

  bool isIdentity() const { return name.empty(); }
  const Order *of(sema::ExtentId extent) const { return orders.empty() ? nullptr : orders[extent].get(); }
};

/// A sparse operand: the extents of its dimensions and its entries.
struct SparseOperand {
  std::vector<sema::ExtentId> extents;
  const tensor::Coordinates *entries;
};

/// Why the kernel does not mean the same in another order of its dimensions (it uses values of index variables, or
/// neighbours, or sums in the order that is written); empty where it does.
std::string whyOrderMatters(const sema::Kernel &kernel);

/// Finds orders: by the graph whose vertices are the coordinates of all dimensions of sparse matrices (rows and columns
/// of a square one being the same), and whose edges are their entries.
class OrderFinder {
public:
  /// `sizes` by extent. Requires: operands outlive this.
  OrderFinder(const IdVector<sema::ExtentId, int64_t> &sizes, const std::vector<SparseOperand> &operands);

  /// Whether there is a graph: a sparse matrix, and no more vertices than an int32_t numbers.
  bool hasGraph() const { return graph_.vertices() > 0; }
  int64_t edges() const { return graph_.begin.back() / 2; }

  ExtentOrders reverseCuthillMcKee();
  ExtentOrders byDegree() const;
  /// name empty where METIS is missing or the graph is too small. `partSize`: vertices of a part.
  ExtentOrders byParts(int32_t partSize);

private:
  ExtentOrders spread(std::string name, const Order &order, double seconds) const;
  int32_t firstOf(sema::ExtentId extent) const { return first_[extent]; }

  IdVector<sema::ExtentId, int64_t> sizes_;
  IdVector<sema::ExtentId, sema::ExtentId> leader_; ///< extents whose coordinates are the same vertices
  IdVector<sema::ExtentId, int32_t> first_;         ///< the vertex of coordinate 0; -1: none
  Graph graph_;
  Order cuthill_; ///< once it is asked for
  double cuthillSeconds_ = 0;
};

/// Coordinates in other orders: `orders` by dimension, null where one stays.
void permute(tensor::Coordinates &entries, const std::vector<const Order *> &orders);

} // namespace spc::tune
