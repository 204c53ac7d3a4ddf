# spc_add_kernel: kernels as parts of CMake targets. Read by find_package(spc).
#
#   spc_add_kernel(<target> KERNEL <file>
#                  [NAME <function>]                       default: the file's name without its suffix
#                  [FORMAT [<tensor>=]<format>...]         names, or paths from the current source folder
#                  [FORMAT_PATH <folder>...]               where formats are found by name
#                  [TYPE [<tensor>=]<type>...]             as spc's --type
#                  [INDEX [<tensor>=]<type>...]            as spc's --index
#                  [OPTIONS <option>...])                  anything else for 'spc compile'
#
# adds the kernel's object and its header, <function>.h, to a target of this folder. Where there is no such target, it
# becomes a static library, which others link:
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

# _spc_absolute_formats(out files references...): the references with paths made absolute, and these files. A path ends in
# .json or holds a '/', and may follow 'TENSOR=' and precede ':MODES'.
function(_spc_absolute_formats out files)
  set(absolute "")
  set(paths "")
  foreach(reference IN LISTS ARGN)
    if(reference MATCHES "^([A-Za-z_][A-Za-z0-9_]*=)?(.*(/|\\.json).*)$")
      get_filename_component(path "${CMAKE_MATCH_2}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
      list(APPEND absolute "${CMAKE_MATCH_1}${path}")
      string(REGEX REPLACE ":[0-9,]*$" "" path "${path}")
      list(APPEND paths "${path}")
    else()
      list(APPEND absolute "${reference}")
    endif()
  endforeach()
  set(${out} "${absolute}" PARENT_SCOPE)
  set(${files} "${paths}" PARENT_SCOPE)
endfunction()

# _spc_target_triple(out): what to compile for; empty where that is the machine that builds.
function(_spc_target_triple out)
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
      message(FATAL_ERROR "spc_add_kernel: the compiler does not say which machine it compiles for; set SPC_TARGET to the "
                          "target triple")
    endif()
  endif()
  set(${out} "${triple}" PARENT_SCOPE)
endfunction()

# _spc_ensure_target(target): a static library, unless there is a target of this folder that sources can be added to.
function(_spc_ensure_target target)
  if(NOT TARGET ${target})
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    set(linker C)
    if(NOT "C" IN_LIST languages)
      set(linker CXX)
    endif()
    add_library(${target} STATIC)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${linker})
    return()
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "spc_add_kernel: the target '${target}' belongs to ${folder}; call spc_add_kernel there, or let it "
                        "make a target of its own")
  endif()
endfunction()

function(spc_add_kernel target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "KERNEL;NAME" "FORMAT;FORMAT_PATH;TYPE;INDEX;OPTIONS")
  if(NOT ARG_KERNEL OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "spc_add_kernel(${target} KERNEL <file> ...): no kernel is given, or these are no arguments of it: "
                        "'${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  get_filename_component(kernel "${ARG_KERNEL}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT ARG_NAME)
    get_filename_component(ARG_NAME "${ARG_KERNEL}" NAME_WE)
  endif()

  set(options "")
  _spc_absolute_formats(formats files ${ARG_FORMAT})
  _spc_target_triple(triple)
  foreach(pair "format=formats" "type=ARG_TYPE" "index=ARG_INDEX")
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 option)
    list(GET pair 1 values)
    foreach(value IN LISTS ${values})
      list(APPEND options "--${option}=${value}")
    endforeach()
  endforeach()
  foreach(folder IN LISTS ARG_FORMAT_PATH)
    get_filename_component(folder "${folder}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND options "--format-path=${folder}")
  endforeach()
  if(triple)
    list(APPEND options "--target=${triple}")
  endif()
  if(CMAKE_COLOR_DIAGNOSTICS)
    list(APPEND options --color=always)
  endif()

  _spc_ensure_target(${target})
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/spc/${target}")
  set(stem "${folder}/${ARG_NAME}")
  file(MAKE_DIRECTORY "${folder}")
  # The header is replaced only where it differs, so that its includers are compiled only then.
  add_custom_command(
    OUTPUT "${stem}.o"
    BYPRODUCTS "${stem}.h"
    COMMAND spc::spc compile "${kernel}" --name "${ARG_NAME}" ${options} ${SPC_FLAGS} ${ARG_OPTIONS} -o "${stem}.o"
            --header "${stem}.h.new" -MD -MF "${stem}.d"
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${stem}.h.new" "${stem}.h"
    DEPENDS "${kernel}" ${files} "$<TARGET_FILE:spc::spc>"
    DEPFILE "${stem}.d"
    COMMENT "Compiling the kernel ${ARG_NAME}"
    VERBATIM COMMAND_EXPAND_LISTS)
  set_source_files_properties("${stem}.o" PROPERTIES GENERATED ON EXTERNAL_OBJECT ON)
  target_sources(${target} PRIVATE "${stem}.o")
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${folder}>")
  if(UNIX)
    target_link_libraries(${target} PUBLIC m)
  endif()
endfunction()

cmake_policy(POP)
