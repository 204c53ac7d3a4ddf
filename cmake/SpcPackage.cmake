# cpack: a .deb of what cmake --install installs.

set(SPC_PACKAGE_CONTACT "The spc developers <spc@example.org>" CACHE STRING "Who answers for packages: name and address")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "${SPC_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "ahead-of-time compiler for sparse tensor kernels")
set(CPACK_PACKAGE_DESCRIPTION
    "spc turns a kernel in index notation and a description of how its tensors
are stored, such as CSR, COO or CSF, into an object file and a C header,
which any C or C++ program links. Objects need no library but libc and libm.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gcc | clang, cmake | make | meson, pkgconf")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_BINARY_DIR}/debian.cmake)
configure_file(${CMAKE_CURRENT_LIST_DIR}/package/debian.cmake.in debian.cmake @ONLY)
include(CPack)
