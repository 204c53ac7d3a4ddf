# cpack: a .deb of what cmake --install installs, and one of the Python package.

set(SPC_PACKAGE_CONTACT "The spc developers <spc@example.org>" CACHE STRING "Who answers for packages: name and address")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "${SPC_PACKAGE_CONTACT}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL spc)
set(CPACK_DEBIAN_SPC_PACKAGE_NAME spc)
set(CPACK_DEBIAN_SPC_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_SPC_PACKAGE_SUGGESTS "gcc | clang, cmake | make | meson, pkgconf")
# The first line is the synopsis, as there is no CPACK_PACKAGE_DESCRIPTION_SUMMARY, which would stand ahead of each.
set(CPACK_DEBIAN_SPC_DESCRIPTION "ahead-of-time compiler for sparse tensor kernels
spc turns a kernel in index notation and a description of how its tensors
are stored, such as CSR, COO or CSF, into an object file and a C header,
which any C or C++ program links. Objects need no library but libc and libm.")
if(TARGET spc_contexts)
  list(APPEND CPACK_COMPONENTS_ALL python3)
endif()
set(CPACK_DEBIAN_PYTHON3_PACKAGE_NAME python3-spc)
set(CPACK_DEBIAN_PYTHON3_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON3_PACKAGE_DEPENDS "spc (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), python3, python3-numpy")
set(CPACK_DEBIAN_PYTHON3_PACKAGE_RECOMMENDS python3-scipy)
set(CPACK_DEBIAN_PYTHON3_PACKAGE_SUGGESTS python3-torch)
set(CPACK_DEBIAN_PYTHON3_DESCRIPTION
    "sparse tensor kernels on SciPy's, NumPy's and PyTorch's arrays
spc compiles kernels in index notation for how their tensors are stored.
This package calls them from Python, without copies, and keeps what is
compiled from one process to the next.")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_BINARY_DIR}/debian.cmake)
configure_file(${CMAKE_CURRENT_LIST_DIR}/package/debian.cmake.in debian.cmake @ONLY)
include(CPack)
