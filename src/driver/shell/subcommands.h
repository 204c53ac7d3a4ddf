// The subcommands, one file each. They read their own arguments from the session and say how spc exits.
#pragma once

#include "driver/shell/session.h"

namespace spc::driver {

/// `spc compile`: a kernel to an object and a header, or to the text of any stage.
int compileCommand(Session &session);

/// `spc run`: a kernel compiled into memory and run on files.
int runCommand(Session &session);

/// `spc explain`: what a kernel's loops are and cost, in words or as a page; or what a diagnostic means.
int explainCommand(Session &session);

/// `spc tune`: formats, orders of rows and columns, and schedules by measurement.
int tuneCommand(Session &session);

/// `spc grad`: a kernel's derivative as a kernel file.
int gradCommand(Session &session);

/// `spc formats`: the known formats, or one of them with its C struct and an example.
int formatsCommand(Session &session);

/// `spc partition`: what parts of the data are like where processes divide an index, and what they need of each other.
int partitionCommand(Session &session);

/// `spc inspect`: the signatures of the kernels in an object, an archive or a shared library.
int inspectCommand(Session &session);

/// `spc library`: objects of single kernels to a static or a shared library with one header.
int libraryCommand(Session &session);

} // namespace spc::driver
