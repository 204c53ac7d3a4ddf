// The operands of one call after the other, each with a block of a divided index, read ahead.
#pragma once

#include "host/inputs.h"

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace spc::host {

/// What a call is given of a block.
struct OperandBlock {
  int64_t begin = 0, end = 0; ///< coordinates of the divided extent
  Inputs inputs;              ///< of slices, with sizes as the call sees them; operands that are whole have none
};

/// Reads blocks of slices, the next one while a call computes on the last one.
class BlockFeed {
public:
  /// `inputs` were read with InputOptions::blocks, which are `blocks`; all outlive this.
  BlockFeed(Session &session, const sema::Kernel &kernel, const sema::IndexDivision &division,
            const InputBlocks &blocks, Inputs &inputs);
  BlockFeed(const BlockFeed &) = delete;
  BlockFeed &operator=(const BlockFeed &) = delete;
  ~BlockFeed();

  /// Whether each block fits into memory beside `held` bytes of results; reports the least memory otherwise.
  bool fits(double held);

  /// The next block, and has the one behind it read, beside `held` bytes of results, meanwhile. nullopt with an error
  /// reported. Requires: fits(), and not ended().
  std::optional<OperandBlock> next(double held);

  /// Whether there is no further block. There is at least one.
  bool ended() const { return ended_; }

private:
  struct Read {
    OperandBlock block;
    std::string path; ///< of a file with a problem
    tensor::FileProblem fileProblem;
    std::string unstorable;
    size_t parameter = 0; ///< that this is about
    bool isOutOfMemory = false;
  };

  double operandBytes(int64_t begin, int64_t end) const;
  double callBytes(int64_t length) const;
  double wholeBytes() const;
  int64_t endFrom(int64_t begin, double held) const;
  void start(int64_t begin, double held);
  Read read(int64_t begin, int64_t end);
  bool readOne(size_t parameter, Read &read);
  bool report(const Read &read);
  IdVector<sema::ExtentId, int64_t> extentsOf(int64_t length) const;

  Session &session_;
  const sema::Kernel &kernel_;
  const sema::IndexDivision &division_;
  const InputBlocks &blocks_;
  Inputs &inputs_;
  int64_t size_, step_ = 1;
  double whole_;
  bool ended_ = false;
  std::future<Read> pending_;
};

} // namespace spc::host
