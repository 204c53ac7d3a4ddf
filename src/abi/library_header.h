// The header of a library: those of its kernels with what they have in common once.
#pragma once

#include "abi/signature_reader.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spc::abi {

/// The parts of a header that writeHeader() has written.
struct KernelHeader {
  std::string comment; ///< at its top
  std::string guard;   ///< what keeps the kernel from being declared twice, to its #define
  std::vector<std::pair<std::string, std::string>> types; ///< guard and text of each struct type
  std::string functions;                                  ///< what is declared of the kernel itself
};

/// The parts of the header of `kernel`; nullopt where `text` is not one that spc has written for it.
std::optional<KernelHeader> splitHeader(std::string_view text, std::string_view kernel);

/// The parts of the header of several kernels, which writeLibraryHeader() has written, or of one; empty where it is not
/// that of all of them. The first one has the types of all.
std::vector<KernelHeader> splitHeader(std::string_view text, const std::vector<std::string> &kernels);

/// Whether the header is that of the signature's object: its inline functions call what the object exports.
bool belongsTo(const KernelHeader &header, const ReadSignature &signature);

/// The header of the same kernel as a shared library exports it, beside which the kernel's own may be included.
KernelHeader visibleHeader(KernelHeader header, const ReadSignature &signature);

struct LibraryKernel {
  ReadSignature signature;
  KernelHeader header;
};

/// Kernels, as positions, that C++ programs may call by one name, too.
struct Overload {
  std::string name;
  std::vector<size_t> kernels;
};

/// A library's name as linkers are told it: of `libkernels` `kernels`.
std::string plainName(const std::string &library);

/// The names of a library's table of kernels: as programs write it, which follows from the library's, a file's stem;
/// and as the linker knows it. That has a hash of the kernels where these are hidden, so that tables of libraries of
/// one name live in one program.
struct TableNames {
  std::string written, symbol;
};
TableNames tableNames(const std::string &name, const std::vector<LibraryKernel> &kernels);

/// The header of the library `name` (a file's stem). It has the common part of this spc, whose version the kernels'
/// signatures must have; each struct type once; each kernel's part under its own guard, so that the header of a kernel
/// can be included beside it; the table of kernels; C++ overloads. Requires: overloads of one name differ in their
/// argument types.
std::string writeLibraryHeader(const std::string &name, const std::vector<LibraryKernel> &kernels,
                               const std::vector<Overload> &overloads);

} // namespace spc::abi
