// Constants whose numbers are in files.
#pragma once

#include "sema/analyze.h"
#include "sema/program.h"
#include "support/diagnostic.h"
#include "syntax/ast.h"

#include <filesystem>
#include <string>
#include <vector>

namespace spc::host {

/// The constants of a kernel may take so many bytes of its object.
constexpr int64_t kMostConstantBytes = int64_t{256} << 20;

/// Where files of constants are found: beside the kernel's file, those of one from standard input in the working
/// folder.
std::filesystem::path constantFolder(const std::string &kernel);

/// The files that a kernel's constants name, as paths, those that there are.
std::vector<std::string> constantFiles(const syntax::Kernel &kernel, const std::filesystem::path &folder);

/// The name of a constant's file for a kernel in folder `to` that one in folder `from` calls `file`.
std::string fileFrom(const std::string &file, const std::filesystem::path &from, const std::filesystem::path &to);

/// Reads what the files have, by the readers of data files, each once. What cannot be read is reported with its path,
/// and where the kernel names it.
sema::ConstantReader constantReader(std::filesystem::path folder);

/// Reports constants that their formats cannot hold, or that take more bytes than kMostConstantBytes; false then.
bool checkConstants(const sema::Program &program, Diagnostics &diagnostics);

} // namespace spc::host
