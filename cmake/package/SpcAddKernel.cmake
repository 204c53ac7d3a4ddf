# spc_add_kernel: kernels as parts of CMake targets. Read by find_package(spc).
#
#   spc_add_kernel(<target> KERNEL <file>
#                  [NAME <function>]                       default: as the kernel says, or the file's name
#                  [FORMAT [<tensor>=]<format>...]         names, or paths from the current source folder
#                  [FORMAT_PATH <folder>...]               where formats are found by name
#                  [TYPE [<tensor>=]<type>...]             as spc's --type
#                  [INDEX [<tensor>=]<type>...]            as spc's --index
#                  [OPTIONS <option>...])                  anything else for 'spc compile'
#
# adds the kernel's object and its header, called after NAME or the file, to a target of this folder. Where there is no
# such target, it becomes a static library, which others link:
#
#   spc_add_kernel(kernels KERNEL sddmm.tex FORMAT S=csr)
#   target_link_libraries(app PRIVATE kernels)
#
# The kernel is compiled anew where its file, a format's, an option or spc itself has changed; sources that include the
# header are where the header's text has. SPC_FLAGS holds options of all kernels. Cross-compiled projects run the host's
# spc (spc::spc; set SPC_EXECUTABLE to name it) for the triple of their compiler; SPC_TARGET names another one.
# SPDX-License-Identifier: Apache-2.0

cmake_policy(PUSH)
cmake_policy(VERSION 3.20...3.31) # CMP0116: Ninja is given dependency files with the paths that it expects

# _spc_check_arguments(call prefix): that cmake_parse_arguments has left nothing over, and that no keyword is misspelt, which
# would make it one of another's values.
macro(_spc_check_arguments call prefix)
  foreach(_spc_word IN LISTS ${prefix}_UNPARSED_ARGUMENTS ${prefix}_KERNEL ${prefix}_VARIANT ${prefix}_OVERLOAD
                             ${prefix}_FORMAT ${prefix}_FORMAT_PATH ${prefix}_TYPE ${prefix}_INDEX ${prefix}_OPTIONS)
    foreach(_spc_slip "KERNELS=KERNEL" "SOURCES=KERNEL" "NAMES=NAME" "FORMATS=FORMAT" "FORMAT_PATHS=FORMAT_PATH" "TYPES=TYPE"
                      "INDICES=INDEX" "INDEXES=INDEX" "OPTION=OPTIONS" "FLAGS=OPTIONS" "VARIANTS=VARIANT"
                      "OVERLOADS=OVERLOAD" "HEADERS=HEADER" "NO_OVERLOAD=NO_OVERLOADS")
      if(_spc_slip MATCHES "^${_spc_word}=(.*)$")
        message(FATAL_ERROR "${call}: there is no argument ${_spc_word}; did you mean ${CMAKE_MATCH_1}?")
      endif()
    endforeach()
  endforeach()
  if(${prefix}_UNPARSED_ARGUMENTS)
    list(JOIN ${prefix}_UNPARSED_ARGUMENTS " " _spc_word)
    message(FATAL_ERROR "${call}: these are no arguments: '${_spc_word}'")
  endif()
  foreach(_spc_word NAME HEADER)
    if(_spc_word IN_LIST ${prefix}_KEYWORDS_MISSING_VALUES)
      message(FATAL_ERROR "${call}: ${_spc_word} has no value")
    endif()
  endforeach()
endmacro()

# _spc_check_file(call file): that a file exists which the build does not write.
function(_spc_check_file call file)
  get_source_file_property(generated "${file}" GENERATED)
  string(FIND "${file}" "${CMAKE_BINARY_DIR}/" built)
  if(NOT EXISTS "${file}" AND NOT generated AND NOT built EQUAL 0)
    message(FATAL_ERROR "${call}: the file '${file}' does not exist")
  endif()
endfunction()

# _spc_options(out files prefix): the options of 'spc compile' that the variables <prefix>_FORMAT, _FORMAT_PATH, _TYPE,
# _INDEX and _OPTIONS say, and the files of formats among them. Formats' paths become absolute: they end in .json or hold
# a '/', and may follow 'TENSOR=' and precede ':MODES'.
function(_spc_options out files prefix)
  set(options "")
  set(paths "")
  foreach(reference IN LISTS ${prefix}_FORMAT)
    if(reference MATCHES "^([A-Za-z_][A-Za-z0-9_]*=)?(.*(/|\\.json).*)$")
      get_filename_component(path "${CMAKE_MATCH_2}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
      set(reference "${CMAKE_MATCH_1}${path}")
      string(REGEX REPLACE ":[0-9,]*$" "" path "${path}")
      list(APPEND paths "${path}")
    endif()
    list(APPEND options "--format=${reference}")
  endforeach()
  foreach(folder IN LISTS ${prefix}_FORMAT_PATH)
    get_filename_component(folder "${folder}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND options "--format-path=${folder}")
  endforeach()
  list(TRANSFORM ${prefix}_TYPE PREPEND "--type=" OUTPUT_VARIABLE types)
  list(TRANSFORM ${prefix}_INDEX PREPEND "--index=" OUTPUT_VARIABLE indices)
  set(${out} ${options} ${types} ${indices} ${${prefix}_OPTIONS} PARENT_SCOPE)
  set(${files} "${paths}" PARENT_SCOPE)
endfunction()

# _spc_target_triple(out call): what to compile for; empty where that is the machine that builds.
function(_spc_target_triple out call)
  set(triple "${SPC_TARGET}")
  if(NOT triple AND CMAKE_CROSSCOMPILING)
    foreach(language C CXX)
      if(NOT triple AND CMAKE_${language}_COMPILER_TARGET)
        set(triple "${CMAKE_${language}_COMPILER_TARGET}")
      elseif(NOT triple AND CMAKE_${language}_COMPILER)
        execute_process(COMMAND "${CMAKE_${language}_COMPILER}" -dumpmachine OUTPUT_VARIABLE triple ERROR_QUIET
                        OUTPUT_STRIP_TRAILING_WHITESPACE)
      endif()
    endforeach()
    if(NOT triple)
      message(FATAL_ERROR "${call}: the compiler does not say which machine it compiles for; set SPC_TARGET to the target "
                          "triple")
    endif()
  endif()
  set(${out} "${triple}" PARENT_SCOPE)
endfunction()

# _spc_compile(call kernel stem name options files): <stem>.o and <stem>.h of a kernel's file, whose function is `name`,
# or, where that is empty, called as the kernel says. `files`: those of formats.
function(_spc_compile call kernel stem name options files)
  get_filename_component(kernel "${kernel}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  foreach(file IN LISTS kernel files)
    _spc_check_file("${call}" "${file}")
  endforeach()
  _spc_target_triple(triple "${call}")
  set(more ${SPC_FLAGS})
  if(name)
    list(APPEND more --name "${name}")
  endif()
  if(triple)
    list(APPEND more "--target=${triple}")
  endif()
  if(CMAKE_COLOR_DIAGNOSTICS)
    list(APPEND more --color=always)
  endif()
  get_filename_component(folder "${stem}" DIRECTORY)
  get_filename_component(title "${stem}" NAME)
  file(MAKE_DIRECTORY "${folder}")
  # In the dependency file by its path from here: a makefile cannot name every folder, as `50%` and `a=b`.
  file(RELATIVE_PATH object "${CMAKE_CURRENT_BINARY_DIR}" "${stem}.o")
  # The header is replaced only where it differs, so that its includers are compiled only then.
  add_custom_command(
    OUTPUT "${stem}.o"
    BYPRODUCTS "${stem}.h"
    COMMAND spc::spc compile "${kernel}" ${more} ${options} -o "${stem}.o" --header "${stem}.h.new"
            -MD -MF "${stem}.d" -MT "${object}"
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${stem}.h.new" "${stem}.h"
    DEPENDS "${kernel}" ${files} "$<TARGET_FILE:spc::spc>"
    DEPFILE "${stem}.d"
    COMMENT "Compiling the kernel ${title}"
    VERBATIM COMMAND_EXPAND_LISTS)
  set_source_files_properties("${stem}.o" PROPERTIES GENERATED ON EXTERNAL_OBJECT ON)
endfunction()

# _spc_new_library(call target type): a library without sources, for kernels. Not called after spc_add_library: where that
# is defined again, by another find_package(spc), CMake keeps the earlier one under its name with an underscore.
function(_spc_new_library call target type)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("C" IN_LIST languages)
    set(linker C)
  elseif("CXX" IN_LIST languages)
    set(linker CXX)
  else()
    message(FATAL_ERROR "${call}: the project has neither of the languages C and CXX")
  endif()
  add_library(${target} ${type})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${linker})
endfunction()

# _spc_ensure_target(call target): a static library, unless there is a target of this folder that sources can be added to.
function(_spc_ensure_target call target)
  if(NOT TARGET ${target})
    _spc_new_library("${call}" ${target} STATIC)
    return()
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "${call}: the target '${target}' belongs to ${folder}; call spc_add_kernel there, or let it make a "
                        "target of its own")
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE)_LIBRARY)$")
    message(FATAL_ERROR "${call}: the target '${target}' is an ${type}, whose users would not get the kernel; let spc_add_kernel "
                        "make a target of its own, and link '${target}' to that")
  endif()
  get_target_property(listed ${target} SPC_LISTS_KERNELS)
  if(listed)
    message(FATAL_ERROR "${call}: the target '${target}' is a library of spc_add_library, which lists all of its kernels: "
                        "name this one there")
  endif()
endfunction()

function(spc_add_kernel target)
  set(call "spc_add_kernel(${target})")
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "KERNEL;NAME" "FORMAT;FORMAT_PATH;TYPE;INDEX;OPTIONS")
  if(NOT ARG_KERNEL AND NOT "KERNEL" IN_LIST ARGN AND ARG_UNPARSED_ARGUMENTS MATCHES "^([^;]+\\.(tex|spc|txt))(;|$)")
    message(FATAL_ERROR "${call}: KERNEL is missing ahead of '${CMAKE_MATCH_1}'")
  endif()
  _spc_check_arguments("${call}" ARG)
  if(NOT ARG_KERNEL)
    message(FATAL_ERROR "${call}: no kernel is given: KERNEL <file> is missing")
  endif()
  set(stem "${ARG_NAME}")
  if(NOT stem)
    get_filename_component(stem "${ARG_KERNEL}" NAME_WE)
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/spc/${target}")
  _spc_ensure_target("${call}" ${target})
  get_target_property(stems ${target} SPC_KERNELS)
  if(stem IN_LIST stems)
    message(FATAL_ERROR "${call}: the target has a kernel '${stem}' already; give this one another name with NAME")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY SPC_KERNELS "${stem}")
  _spc_options(options files ARG)
  _spc_compile("${call}" "${ARG_KERNEL}" "${folder}/${stem}" "${ARG_NAME}" "${options}" "${files}")
  target_sources(${target} PRIVATE "${folder}/${stem}.o")
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${folder}>")
  if(UNIX)
    target_link_libraries(${target} PUBLIC m)
  endif()
endfunction()

cmake_policy(POP)
