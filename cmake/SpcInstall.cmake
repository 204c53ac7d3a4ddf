# cmake --install: the compiler, the headers, what build systems and shells read, and the documentation. The Python package
# is a component of its own, which is installed where it is asked for: `cmake --install build --component python3`.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME spc)
set(SPC_DATA ${CMAKE_INSTALL_DATADIR}/spc)
set(SPC_DOC ${CMAKE_INSTALL_DATADIR}/doc/spc)
set(SPC_CMAKE ${CMAKE_INSTALL_DATADIR}/cmake/spc)
set(package ${CMAKE_SOURCE_DIR}/cmake/package)

if(TARGET spc)
  install(TARGETS spc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(NOT CMAKE_CROSSCOMPILING)
    install(CODE "set(program ${CMAKE_INSTALL_BINDIR}/spc)\nset(share ${CMAKE_INSTALL_DATADIR})")
    install(SCRIPT ${CMAKE_SOURCE_DIR}/cmake/package/install_manual.cmake)
  endif()
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/spc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# For build systems.
configure_package_config_file(${package}/spcConfig.cmake.in spcConfig.cmake INSTALL_DESTINATION ${SPC_CMAKE}
                              NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Not write_basic_package_version_file(): with SameMinorVersion it refuses ranges of several minor versions.
configure_file(${package}/spcConfigVersion.cmake.in spcConfigVersion.cmake @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spcConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/spcConfigVersion.cmake
              ${package}/SpcAddKernel.cmake ${package}/SpcAddLibrary.cmake DESTINATION ${SPC_CMAKE})
file(RELATIVE_PATH SPC_PC_PREFIX /${CMAKE_INSTALL_DATADIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" SPC_PC_PREFIX ${SPC_PC_PREFIX})
configure_file(${package}/spc.pc.in spc.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spc.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
install(FILES ${CMAKE_SOURCE_DIR}/examples/common/kernel.mk DESTINATION ${SPC_DATA})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/cmake/package/petsc DESTINATION ${SPC_DATA})

# Documentation: the executable holds the formats, too.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/formats DESTINATION ${SPC_DATA})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CONTRIBUTING.md
        DESTINATION ${SPC_DOC})
install(FILES ${CMAKE_SOURCE_DIR}/bench/README.md DESTINATION ${SPC_DOC}/bench)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs ${CMAKE_SOURCE_DIR}/examples DESTINATION ${SPC_DOC}
        PATTERN .gitignore EXCLUDE PATTERN quickstart.sh EXCLUDE PATTERN run.sh EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN build EXCLUDE REGEX "/(app|[a-z]+\\.(o|d|flags))$" EXCLUDE
        REGEX "/([a-z]+)/\\1\\.h$" EXCLUDE)

# Debian's Python looks there for packages.
set(SPC_PYTHON_PACKAGES lib/python3/dist-packages CACHE STRING "Where the Python package is installed")
if(TARGET spc_contexts)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/spc DESTINATION ${SPC_PYTHON_PACKAGES} COMPONENT python3 EXCLUDE_FROM_ALL
          PATTERN __pycache__ EXCLUDE)
  install(TARGETS spc_contexts LIBRARY DESTINATION lib/spc COMPONENT python3 EXCLUDE_FROM_ALL)
endif()

include(SpcPackage)
