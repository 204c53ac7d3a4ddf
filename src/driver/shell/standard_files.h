// The file descriptors 0, 1 and 2.
#pragma once

namespace spc::driver {

/// Makes sure that descriptors 0 to 2 are taken, so that no file that is opened later is mistaken for standard input,
/// output or error. One that the caller has closed still fails to be read or written.
void holdStandardFiles();

} // namespace spc::driver
