#include "tune/order_writer.h"

namespace spc::tune {

namespace {

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// What is to be permuted by which file, a line for each order, behind a comment's sign.
std::string uses(const std::string &sign, const std::vector<NamedOrder> &orders) {
  std::string text;
  for (const NamedOrder &order : orders)
    text += sign + order.file + ": " + joined(order.tensors) + "\n";
  return text;
}

/// What tells files of orders from others.
constexpr const char *kOrderMark = "In line p the old place of what comes p-th";
constexpr const char *kCodeMark = "the orders that spc tune has found";

constexpr const char *kCReader = R"(
/* The order in `file`, `n` numbers from 0: at place p what was at place order[p]. NULL where it is not there, has
 * another length, or memory runs out; free() it. */
static inline int32_t *PREFIX_read(const char *file, int64_t n) {
  FILE *stream = fopen(file, "r");
  char line[256];
  int64_t size = -1, number = 0, p = 0;
  int isRest = 0, isNextRest = 0; /* of a longer line */
  int32_t *order = (int32_t *)malloc(n > 0 ? (size_t)n * sizeof *order : 1);
  while (stream && order && p < n && fgets(line, sizeof line, stream)) {
    isRest = isNextRest;
    isNextRest = !strchr(line, '\n');
    if (isRest || line[0] == '%')
      continue;
    if (size < 0) {
      size = strtoll(line, NULL, 10);
      if (size != n)
        break;
      continue;
    }
    number = strtoll(line, NULL, 10);
    if (number < 1 || number > n)
      break;
    order[p++] = (int32_t)(number - 1);
  }
  if (stream)
    fclose(stream);
  if (order && (!stream || p != n)) {
    free(order);
    return NULL;
  }
  return order;
}

/* The inverse, with which PREFIX_rows undoes what it has done, and with which coordinates are renumbered:
 * row[e] = inverse[row[e]] for each entry of a matrix, before it is packed. */
static inline void PREFIX_invert(const int32_t *order, int64_t n, int32_t *inverse) {
  int64_t p;
  for (p = 0; p < n; ++p)
    inverse[order[p]] = (int32_t)p;
}

/* Rows of `bytes` bytes each, dense and not overlapping: to[p] = from[order[p]]. */
static inline void PREFIX_rows(const int32_t *order, int64_t n, size_t bytes, const void *from, void *to) {
  int64_t p;
  for (p = 0; p < n; ++p)
    memcpy((char *)to + (size_t)p * bytes, (const char *)from + (size_t)order[p] * bytes, bytes);
}
)";

constexpr const char *kPython = R"(
import pathlib

import numpy

FOLDER = pathlib.Path(__file__).resolve().parent


def read(name):
    """An order: at place p what was at place order[p]."""
    return numpy.loadtxt(FOLDER / name, dtype=numpy.int64, comments="%", skiprows=3, ndmin=1) - 1


def permuted(array, *names):
    """A NumPy array or a SciPy matrix with each dimension in the order of its file; None leaves one as it is."""
    sparse = hasattr(array, "tocsr")
    result = array.tocsr() if sparse else array
    for axis, name in enumerate(names):
        if name is not None:
            order = read(name)
            result = (result[order] if axis == 0 else result[:, order]) if sparse else numpy.take(result, order, axis)
    return result


def restored(array, *names):
    """What permuted() has made of an array, as it was: for results."""
    result = array.tocsr() if hasattr(array, "tocsr") else array
    for axis, name in enumerate(names):
        if name is not None:
            inverse = numpy.argsort(read(name))
            if hasattr(result, "tocsr"):
                result = result[inverse] if axis == 0 else result[:, inverse]
            else:
                result = numpy.take(result, inverse, axis)
    return result
)";

std::string replaced(std::string text, const std::string &word, const std::string &by) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
  return text;
}

/// Inside of a Python string.
std::string inPython(const std::string &text) {
  std::string result;
  for (char c : text) {
    if (c == '\\' || c == '"')
      result += '\\';
    result += c;
  }
  return result;
}

std::string upper(std::string text) {
  for (char &c : text)
    c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

} // namespace

std::string orderText(const NamedOrder &order) {
  std::string text = "%%MatrixMarket matrix array integer general\n% " + std::string(kOrderMark) + ": " +
                     joined(order.tensors) + "\n" + std::to_string(order.order->size()) + " 1\n";
  for (int32_t vertex : *order.order)
    text += std::to_string(int64_t{vertex} + 1) + "\n";
  return text;
}

bool isOrderFile(std::string_view begin) {
  return begin.find(kOrderMark) != std::string_view::npos || begin.find(kCodeMark) != std::string_view::npos;
}

std::string cCode(const std::string &prefix, const std::vector<NamedOrder> &orders) {
  const std::string guard = upper(prefix) + "_ORDER_H";
  return "/* Reads " + std::string(kCodeMark) + ", and permutes by them. Which file is for which dimensions:\n" +
         uses(" *   ", orders) + " */\n#ifndef " + guard + "\n#define " + guard +
         "\n\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n" +
         replaced(kCReader, "PREFIX", prefix) + "\n#endif\n";
}

std::string pythonCode(const std::vector<NamedOrder> &orders) {
  const std::string first = orders.empty() ? "order.mtx" : inPython(orders.front().file);
  const std::string last = orders.empty() ? first : inPython(orders.back().file);
  return "\"\"\"Permutes arrays by " + std::string(kCodeMark) + ". Which file is for which dimensions:\n\n" +
         inPython(uses("    ", orders)) + "\n    A = permuted(A, \"" + first + "\", \"" + last +
         "\")     y = restored(y, \"" + first + "\")\n\"\"\"\n" + kPython;
}

} // namespace spc::tune
