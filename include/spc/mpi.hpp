/// Rows of dense operands between processes of MPI, for kernels on parts of a matrix. C++20 and MPI 3, nothing else:
/// kernels of any name, PETSc or not.
///
///     const spc::mpi::owners rows = spc::mpi::owners::ranges(comm, local_rows);
///     spc::mpi::halo halo(rows, columns);                       // global columns of the process' rows of A, in CSR
///     std::vector<int32_t> local = halo.renumber(columns);      // its own rows of B first, then those of others
///     std::vector<double> B(halo.size() * width);               // B's first halo.own() rows are the process'
///     halo.start(B.data(), width);                              // sends and receives
///     ...                                                       // rows whose columns are all its own
///     halo.finish();                                            // the others' rows are in B
///
/// What is wrong on one process, all of them throw, with the same text: none is left waiting. SPDX-License-Identifier:
/// Apache-2.0
#ifndef SPC_MPI_HPP
#define SPC_MPI_HPP

#if __cplusplus < 202002L
#error "spc/mpi.hpp needs C++20 (-std=c++20)"
#else

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace spc::mpi {

/// What a process found wrong, thrown by all.
class error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Throws the `problem` of the first process that has one, on all of them; returns where none has. Collective.
inline void agree(MPI_Comm comm, const std::string &problem) {
  int rank = 0, size = 0, first = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int mine = problem.empty() ? size : rank;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == size)
    return;
  int length = static_cast<int>(std::min<size_t>(problem.size(), 1000));
  MPI_Bcast(&length, 1, MPI_INT, first, comm);
  std::string text = problem.substr(0, static_cast<size_t>(length));
  text.resize(static_cast<size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, first, comm);
  throw error("process " + std::to_string(first) + ": " + text);
}

/// Which process has which row of a matrix or of a dense operand, and as which of its rows.
class owners {
public:
  struct place {
    int rank;
    int64_t row;
  };

  /// Rows in the order of processes, of which this one has `local`. Collective.
  static owners ranges(MPI_Comm comm, int64_t local) {
    agree(comm, local < 0 ? "a negative number of rows, " + std::to_string(local) : "");
    owners result(comm);
    std::vector<int64_t> counts(static_cast<size_t>(result.size_));
    MPI_Allgather(&local, 1, MPI_INT64_T, counts.data(), 1, MPI_INT64_T, comm);
    for (const int64_t count : counts)
      result.begins_.push_back(result.begins_.back() + count);
    result.local_ = local;
    return result;
  }

  /// Any parts: process `rank[i]` has row i, as its next one. All processes pass the same. Collective.
  static owners of(MPI_Comm comm, std::span<const int> rank) {
    owners result(comm);
    std::string problem;
    uint64_t hash = rank.size();
    std::vector<int64_t> counts(static_cast<size_t>(result.size_));
    for (const int owner : rank) {
      hash = (hash ^ static_cast<uint64_t>(static_cast<int64_t>(owner))) * 1099511628211u;
      if (owner < 0 || owner >= result.size_) {
        problem = "a row of process " + std::to_string(owner) + ", of " + std::to_string(result.size_);
        break;
      }
      result.places_.push_back({owner, counts[static_cast<size_t>(owner)]++});
    }
    agree(comm, problem);
    uint64_t least = 0;
    MPI_Allreduce(&hash, &least, 1, MPI_UINT64_T, MPI_MIN, comm);
    agree(comm, least != hash ? "processes do not pass the same owners" : "");
    result.local_ = counts[static_cast<size_t>(result.rank_)];
    result.begins_.push_back(static_cast<int64_t>(rank.size()));
    return result;
  }

  /// `global` is from 0 to rows() - 1.
  [[nodiscard]] place find(int64_t global) const {
    if (!places_.empty())
      return places_[static_cast<size_t>(global)];
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), global);
    return {static_cast<int>(next - begins_.begin()) - 1, global - *(next - 1)};
  }

  [[nodiscard]] int64_t rows() const noexcept { return begins_.back(); }
  [[nodiscard]] int64_t local() const noexcept { return local_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }

private:
  explicit owners(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
  }

  MPI_Comm comm_;
  int rank_ = 0, size_ = 0;
  int64_t local_ = 0;
  std::vector<int64_t> begins_{0}; ///< of ranges: where each process' begin, and the end
  std::vector<place> places_;      ///< of any other parts: by row
};

/// The rows of a dense operand that a process' entries list: its own, then those of others, the halo.
class halo {
public:
  /// `columns` are the global ones of the process' entries, and `rows` says who has the operand's. A message has at
  /// most `longest` rows, as MPI counts them in an int; it is there for tests. Collective. Throws error, on all
  /// processes.
  template <typename Index>
  halo(const owners &rows, std::span<const Index> columns, int64_t longest = std::numeric_limits<int>::max())
      : own_(rows.local()), longest_(longest), rows_(rows) {
    agree(rows.comm(), longest < 1 ? "messages without rows" : "");
    find_ghosts(columns);
    agree(rows.comm(), problem_of_size<Index>());
    MPI_Comm_dup(rows.comm(), &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    exchange_lists();
  }
  template <typename Indices>
  halo(const owners &rows, const Indices &columns, int64_t longest = std::numeric_limits<int>::max())
      : halo(rows, std::span<const typename Indices::value_type>(columns), longest) {}
  halo(const halo &) = delete;
  halo &operator=(const halo &) = delete;
  ~halo() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized || comm_ == MPI_COMM_NULL)
      return;
    if (!requests_.empty()) {
      wait();
      MPI_Type_free(&type_);
    }
    MPI_Comm_free(&comm_);
  }

  [[nodiscard]] int64_t own() const noexcept { return own_; }
  [[nodiscard]] int64_t ghosts() const noexcept { return static_cast<int64_t>(ghosts_.size()); }
  /// Rows that an operand has room for: own() and behind them ghosts().
  [[nodiscard]] int64_t size() const noexcept { return own_ + ghosts(); }
  /// Rows that other processes are sent, one that several get counted for each.
  [[nodiscard]] int64_t sent() const noexcept { return static_cast<int64_t>(sent_.size()); }

  /// Global columns as rows of the operand that the process has. Each is its own or was among the halo's.
  template <typename Index> [[nodiscard]] std::vector<Index> renumber(std::span<const Index> columns) const {
    std::vector<Index> result;
    result.reserve(columns.size());
    for (const Index column : columns) {
      const owners::place place = rows_.find(static_cast<int64_t>(column));
      result.push_back(static_cast<Index>(place.rank == rows_.rank() ? place.row : own_ + ghost_of(place)));
    }
    return result;
  }
  template <typename Indices> [[nodiscard]] auto renumber(const Indices &columns) const {
    return renumber(std::span<const typename Indices::value_type>(columns));
  }

  /// Begins to fill the halo: `operand` has size() rows of `width` numbers, of which the first own() are sent. They
  /// stay as they are, and what is behind them is not looked at, until finish(). Collective, as all below.
  template <typename Value> void start(Value *operand, int64_t width) {
    static_assert(std::is_trivially_copyable_v<Value>, "rows are sent as bytes");
    begin(width, sizeof(Value), operand == nullptr && size() * width != 0);
    auto *bytes = reinterpret_cast<std::byte *>(operand);
    buffer_.resize(sent_.size() * row_);
    for (size_t k = 0; row_ != 0 && k < sent_.size(); ++k)
      std::copy_n(bytes + static_cast<size_t>(sent_[k]) * row_, row_, buffer_.data() + k * row_);
    transfer(buffer_.data(), sends_, row_ == 0 ? nullptr : bytes + static_cast<size_t>(own_) * row_, receives_);
  }

  /// The halo is filled. Throws error on all processes where one of them passed no operand, or another width; what the
  /// halos hold is undefined then.
  void finish() { end(); }

  /// The adjoint: begins to send the halo's rows of `operand` to those that own them, which add them up.
  template <typename Value> void start_sum(const Value *operand, int64_t width) {
    static_assert(std::is_trivially_copyable_v<Value>, "rows are sent as bytes");
    begin(width, sizeof(Value), operand == nullptr && size() * width != 0);
    const auto *bytes = reinterpret_cast<const std::byte *>(operand);
    buffer_.resize(sent_.size() * row_);
    transfer(row_ == 0 ? nullptr : bytes + static_cast<size_t>(own_) * row_, receives_, buffer_.data(), sends_);
  }

  /// What others sent is added to the first own() rows of `operand`, in the order of processes.
  template <typename Value> void finish_sum(Value *operand) {
    end();
    const size_t width = row_ / sizeof(Value);
    const auto *sums = reinterpret_cast<const Value *>(buffer_.data());
    for (size_t k = 0; k < sent_.size(); ++k)
      for (size_t c = 0; c < width; ++c)
        operand[static_cast<size_t>(sent_[k]) * width + c] += sums[k * width + c];
  }

private:
  /// Rows that go to or come from a process, one behind another.
  struct message {
    int rank;
    int64_t first, count;
  };

  template <typename Index> void find_ghosts(std::span<const Index> columns) {
    std::string problem;
    std::vector<int64_t> others;
    for (const Index column : columns) {
      const auto global = static_cast<int64_t>(column);
      if (global < 0 || global >= rows_.rows()) {
        problem = "column " + std::to_string(global) + " of " + std::to_string(rows_.rows());
        break;
      }
      if (rows_.find(global).rank != rows_.rank())
        others.push_back(global);
    }
    agree(rows_.comm(), problem);
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    for (const int64_t global : others)
      ghosts_.push_back(rows_.find(global));
    std::sort(ghosts_.begin(), ghosts_.end(), before);
  }

  template <typename Index> [[nodiscard]] std::string problem_of_size() const {
    if (size() > 0 && static_cast<uint64_t>(size() - 1) > static_cast<uint64_t>(std::numeric_limits<Index>::max()))
      return std::to_string(size()) + " rows are too many for the type of the columns";
    return "";
  }

  static bool before(const owners::place &a, const owners::place &b) {
    return a.rank != b.rank ? a.rank < b.rank : a.row < b.row;
  }

  [[nodiscard]] int64_t ghost_of(const owners::place &place) const {
    return std::lower_bound(ghosts_.begin(), ghosts_.end(), place, before) - ghosts_.begin();
  }

  /// Tells each process which of its rows this one reads.
  void exchange_lists() {
    int size = 0;
    MPI_Comm_size(comm_, &size);
    std::vector<int64_t> wanted(static_cast<size_t>(size)), asked(static_cast<size_t>(size)), rows;
    for (const owners::place &place : ghosts_) {
      ++wanted[static_cast<size_t>(place.rank)];
      rows.push_back(place.row);
    }
    MPI_Alltoall(wanted.data(), 1, MPI_INT64_T, asked.data(), 1, MPI_INT64_T, comm_);
    receives_ = messages(wanted);
    sends_ = messages(asked);
    int64_t total = 0;
    for (const int64_t count : asked)
      total += count;
    sent_.resize(static_cast<size_t>(total));
    row_ = sizeof(int64_t);
    type_ = MPI_INT64_T;
    transfer(reinterpret_cast<const std::byte *>(rows.data()), receives_, reinterpret_cast<std::byte *>(sent_.data()),
             sends_);
    wait();
  }

  [[nodiscard]] std::vector<message> messages(const std::vector<int64_t> &counts) const {
    std::vector<message> result;
    int64_t first = 0;
    for (size_t rank = 0; rank < counts.size(); ++rank)
      for (int64_t left = counts[rank]; left > 0;) {
        const int64_t count = std::min(left, longest_);
        result.push_back({static_cast<int>(rank), first, count});
        first += count;
        left -= count;
      }
    return result;
  }

  /// Notes the width and begins to compare it with the others'. A process whose arguments are wrong takes part with
  /// rows of no bytes, so that the others' messages find it.
  void begin(int64_t width, size_t value, bool missing) {
    if (!requests_.empty())
      throw std::logic_error("spc::mpi::halo: the last transfer was not finished");
    const bool wrong = missing || width < 0 || width > std::numeric_limits<int>::max() / static_cast<int64_t>(value);
    row_ = wrong ? 0 : static_cast<size_t>(width) * value;
    mine_[0] = wrong ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(row_);
    mine_[1] = wrong ? 1 : -static_cast<int64_t>(row_);
    MPI_Type_contiguous(static_cast<int>(row_), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
    requests_.emplace_back();
    MPI_Iallreduce(mine_, most_, 2, MPI_INT64_T, MPI_MAX, comm_, &requests_.back());
  }

  void transfer(const std::byte *from, const std::vector<message> &out, std::byte *to, const std::vector<message> &in) {
    for (const message &part : in) {
      requests_.emplace_back();
      MPI_Irecv(row_ == 0 ? nullptr : to + static_cast<size_t>(part.first) * row_, static_cast<int>(part.count), type_,
                part.rank, 0, comm_, &requests_.back());
    }
    for (const message &part : out) {
      requests_.emplace_back();
      MPI_Isend(row_ == 0 ? nullptr : from + static_cast<size_t>(part.first) * row_, static_cast<int>(part.count),
                type_, part.rank, 0, comm_, &requests_.back());
    }
  }

  /// One after the other: MPI_Waitall may return at the first message that fails, with others under way.
  bool wait() {
    bool arrived = true;
    for (MPI_Request &request : requests_)
      arrived = MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && arrived;
    requests_.clear();
    return arrived;
  }

  void end() {
    if (requests_.empty())
      throw std::logic_error("spc::mpi::halo: no transfer was started");
    const bool arrived = wait();
    MPI_Type_free(&type_);
    if (most_[0] == -most_[1]) { // so on all processes
      if (!arrived)
        throw error("MPI did not deliver all rows");
      return;
    }
    const bool wrong = mine_[1] == 1;
    agree(comm_, wrong ? "no operand, or rows of a wrong width" : "");
    agree(comm_, "rows of " + std::to_string(row_) + " bytes, where processes have others");
  }

  int64_t own_, longest_;
  owners rows_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<owners::place> ghosts_; ///< by process, then by row
  std::vector<int64_t> sent_;         ///< own rows, by the process that reads them, then as it has them
  std::vector<message> sends_, receives_;
  std::vector<MPI_Request> requests_;
  std::vector<std::byte> buffer_; ///< the rows of sent_, as they go or as they come back
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  size_t row_ = 0;                      ///< bytes of a row
  int64_t mine_[2] = {}, most_[2] = {}; ///< bytes of a row and their negative, and the most of all processes
};

/// Rows from `begin` to `end` - 1.
struct run {
  int64_t begin, end;
};

/// Rows of a process in runs: `interior` ones list its own columns alone and are computed while the halo travels.
struct runs {
  std::vector<run> interior, boundary;
};

/// Runs of whole blocks of `block` rows; `columns` as halo.renumber gives them, of which those from `own` on are
/// others'.
template <typename Pointers, typename Indices>
[[nodiscard]] runs split(const Pointers &row_ptr, const Indices &columns, int64_t own, int64_t block = 256) {
  runs result;
  const auto rows = static_cast<int64_t>(std::size(row_ptr)) - 1;
  for (int64_t begin = 0; begin < rows; begin += block) {
    const int64_t end = std::min(begin + block, rows);
    bool inside = true;
    for (auto e = static_cast<size_t>(row_ptr[static_cast<size_t>(begin)]);
         inside && e < static_cast<size_t>(row_ptr[static_cast<size_t>(end)]); ++e)
      inside = static_cast<int64_t>(columns[e]) < own;
    std::vector<run> &same = inside ? result.interior : result.boundary;
    if (!same.empty() && same.back().end == begin)
      same.back().end = end;
    else
      same.push_back({begin, end});
  }
  return result;
}

} // namespace spc::mpi

#endif
#endif
