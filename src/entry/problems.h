// The problem that the caller is told of a failed call besides its status: argument, field and numbers.
#pragma once

#include "entry/builder.h"

#include <map>
#include <string>
#include <vector>

namespace spc::entry {

/// The texts and records of one kernel, which all of its entries share, and the function that tells the caller.
class Problems {
public:
  /// `kernel` is the function's name.
  explicit Problems(std::string kernel);

  /// The number, of 64 bits, of a record that says of what there is a problem.
  mlir::Value record(EntryBuilder &build, const Place &place);

  /// Tells the caller of a record and two numbers, if the context wants to know.
  void tell(EntryBuilder &build, mlir::Value context, mlir::Value status, mlir::Value record, mlir::Value found,
            mlir::Value wanted);

  /// Adds what the records are to the module. Nothing can be recorded afterwards.
  void finish(mlir::ModuleOp module);

private:
  mlir::LLVM::LLVMFuncOp teller(EntryBuilder &build);
  void buildTeller(EntryBuilder &build);
  /// The place where a text begins; 0 of none, where the kernel's name begins.
  uint16_t place(const std::string &text);

  std::string kernel_;
  std::string texts_;
  std::map<std::string, uint16_t> places_;
  std::vector<uint16_t> records_;
};

/// Marks a function that runs where a call has failed: short code, away from the rest.
void makeCold(mlir::LLVM::LLVMFuncOp function);

} // namespace spc::entry
