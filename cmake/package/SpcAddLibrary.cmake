# spc_add_library: a library of kernels with one header. Read by find_package(spc), after SpcAddKernel.cmake.
#
#   spc_add_library(<target> [STATIC|SHARED|MODULE]         default: as add_library's
#                   [HEADER <file>]                         as programs include it; default: <target>.h
#                   [OVERLOAD <name>=<kernel>,<kernel>...]  as spc library's --overload
#                   [<argument of spc_add_kernel>...]       for all kernels
#                   KERNEL <file>... [NAME <function>] [NO_OVERLOADS] [<argument of spc_add_kernel>...]
#                     [VARIANT <suffix> [<argument of spc_add_kernel>...]]...
#                   [KERNEL ...]...)
#
# The arguments of spc_add_kernel are FORMAT, FORMAT_PATH, TYPE, INDEX and OPTIONS. A kernel with variants becomes a
# function <name>_<suffix> for each, which C++ programs may all call <name>:
#
#   spc_add_library(kernels SHARED
#     KERNEL spmm.tex FORMAT A=csr
#       VARIANT f32 TYPE T=f32
#       VARIANT f64
#     KERNEL spgemm.tex FORMAT A=csr B=csr C=csr)
#   target_link_libraries(app PRIVATE kernels)
#   install(TARGETS kernels)                                # the library and its header
#
# SPDX-License-Identifier: Apache-2.0

cmake_policy(PUSH)
cmake_policy(VERSION 3.20...3.31)

# _spc_library_block(prefix allowed arguments...): reads the arguments of the library, of a KERNEL or of a VARIANT into
# variables with the prefix. `allowed`: those that stand there alone. Reads `call`.
macro(_spc_library_block prefix allowed)
  cmake_parse_arguments(${prefix} "STATIC;SHARED;MODULE;NO_OVERLOADS" "HEADER;NAME"
                        "KERNEL;VARIANT;OVERLOAD;FORMAT;FORMAT_PATH;TYPE;INDEX;OPTIONS" ${ARGN})
  _spc_check_arguments("${call}" ${prefix})
  string(REPLACE " " ";" _spc_allowed "${allowed}")
  foreach(_spc_word STATIC SHARED MODULE HEADER OVERLOAD NAME NO_OVERLOADS)
    if(${prefix}_${_spc_word} AND NOT _spc_word IN_LIST _spc_allowed)
      if(_spc_word MATCHES "^NAME$|^NO_OVERLOADS$")
        message(FATAL_ERROR "${call}: ${_spc_word} belongs to a kernel: write it behind a KERNEL, ahead of its variants")
      endif()
      message(FATAL_ERROR "${call}: ${_spc_word} belongs to the library: write it ahead of the first KERNEL")
    endif()
  endforeach()
endmacro()

# _spc_library_kernel(suffix): compiles the files of the KERNEL that is being read, `suffix` being that of a variant or
# empty, with what the variables LIBRARY_, KERNEL_ and VARIANT_ say. Adds to `stems`, `overloaded` and variants_<name>.
function(_spc_library_kernel suffix)
  foreach(option FORMAT FORMAT_PATH TYPE INDEX OPTIONS)
    set(ALL_${option} ${LIBRARY_${option}} ${KERNEL_${option}} ${VARIANT_${option}})
  endforeach()
  _spc_options(options files ALL)
  foreach(file IN LISTS KERNEL_KERNEL)
    set(name "${KERNEL_NAME}")
    if(NOT name)
      get_filename_component(name "${file}" NAME_WE)
    endif()
    set(stem "${name}")
    set(function "${KERNEL_NAME}")
    if(suffix)
      set(stem "${name}_${suffix}")
      set(function "${stem}")
    endif()
    if(stem IN_LIST stems)
      message(FATAL_ERROR "${call}: two kernels would be called '${stem}': give one another NAME, or each a VARIANT")
    endif()
    list(APPEND stems "${stem}")
    if(suffix AND NOT KERNEL_NO_OVERLOADS)
      list(APPEND overloaded "${name}")
      set(variants_${name} ${variants_${name}} "${stem}" PARENT_SCOPE)
    endif()
    _spc_compile("${call}" "${file}" "${folder}/kernels/${stem}" "${function}" "${options}" "${files}")
  endforeach()
  set(stems "${stems}" PARENT_SCOPE)
  set(overloaded "${overloaded}" PARENT_SCOPE)
endfunction()

# _spc_library_files(target header objects overloads): what belongs to all kernels, in `folder`: the header, the object with
# the table of kernels, and, for shared libraries of ELF, which symbols are visible.
function(_spc_library_files target header objects overloads)
  set(table "${folder}/spc_kernels.o")
  set(script "${folder}/symbols.map")
  set(outputs --table "${table}")
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "STATIC_LIBRARY")
    list(APPEND outputs --shared)
  endif()
  if(UNIX AND NOT APPLE AND NOT CYGWIN AND NOT type STREQUAL "STATIC_LIBRARY")
    list(APPEND outputs --version-script "${script}")
    # The library's table is of its own kernels, also where another library of the program has some of the same names.
    target_link_options(${target} PRIVATE "SHELL:-Xlinker \"--version-script=${script}\"" "SHELL:-Xlinker -Bsymbolic")
  endif()
  get_filename_component(header_folder "${header}" DIRECTORY)
  file(MAKE_DIRECTORY "${header_folder}")
  add_custom_command(
    OUTPUT "${table}"
    BYPRODUCTS "${header}"
    COMMAND spc::spc library ${objects} ${outputs} --header "${folder}/${target}.h.new" ${overloads}
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${folder}/${target}.h.new" "${header}"
    DEPENDS ${objects} "$<TARGET_FILE:spc::spc>"
    COMMENT "Writing the header of the library ${target}"
    VERBATIM COMMAND_EXPAND_LISTS)
  set_source_files_properties("${table}" PROPERTIES GENERATED ON EXTERNAL_OBJECT ON)
  target_sources(${target} PRIVATE ${objects} "${table}")
endfunction()

function(spc_add_library target)
  set(call "spc_add_library(${target})")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/spc/${target}")
  # Block 0 has the library's arguments, each other one those from a KERNEL or a VARIANT on.
  set(last 0)
  set(block_0 "")
  foreach(argument IN LISTS ARGN)
    if(argument STREQUAL "KERNEL" OR argument STREQUAL "VARIANT")
      math(EXPR last "${last} + 1")
      set(block_${last} "")
    endif()
    list(APPEND block_${last} "${argument}")
  endforeach()

  _spc_library_block(LIBRARY "STATIC SHARED MODULE HEADER OVERLOAD" ${block_0})
  set(type "")
  foreach(choice STATIC SHARED MODULE)
    if(LIBRARY_${choice})
      list(APPEND type ${choice})
    endif()
  endforeach()
  if(type MATCHES ";")
    list(JOIN type " and " type)
    message(FATAL_ERROR "${call}: a library cannot be ${type}")
  endif()
  set(header "${LIBRARY_HEADER}")
  if(NOT header)
    set(header "${target}.h")
  elseif(IS_ABSOLUTE "${header}" OR header MATCHES "(^|/)\\.\\.(/|$)")
    message(FATAL_ERROR "${call}: HEADER '${header}' is no path as programs include it, like ${target}.h")
  endif()
  if(last EQUAL 0)
    message(FATAL_ERROR "${call}: no kernel is given: KERNEL <file> is missing")
  elseif(block_1 MATCHES "^VARIANT")
    message(FATAL_ERROR "${call}: a VARIANT stands ahead of all KERNELs")
  endif()

  set(stems "")
  set(overloaded "")
  foreach(at RANGE 1 ${last})
    math(EXPR next "${at} + 1")
    if(block_${at} MATCHES "^KERNEL")
      _spc_library_block(KERNEL "NAME NO_OVERLOADS" ${block_${at}})
      list(LENGTH KERNEL_KERNEL count)
      if(count EQUAL 0)
        message(FATAL_ERROR "${call}: KERNEL has no file")
      elseif(KERNEL_NAME AND count GREATER 1)
        message(FATAL_ERROR "${call}: NAME '${KERNEL_NAME}' is for one file, but its KERNEL has ${count}")
      endif()
      _spc_library_block(VARIANT "")
      if(NOT block_${next} MATCHES "^VARIANT")
        _spc_library_kernel("")
      endif()
    else()
      _spc_library_block(VARIANT "" ${block_${at}})
      if(NOT "${VARIANT_VARIANT}" MATCHES "^[A-Za-z0-9_]+$")
        message(FATAL_ERROR "${call}: VARIANT '${VARIANT_VARIANT}' is no suffix of a function's name: write VARIANT f32")
      endif()
      _spc_library_kernel("${VARIANT_VARIANT}")
    endif()
  endforeach()

  list(TRANSFORM LIBRARY_OVERLOAD PREPEND "--overload=" OUTPUT_VARIABLE overloads)
  list(REMOVE_DUPLICATES overloaded)
  foreach(name IN LISTS overloaded)
    list(LENGTH variants_${name} count)
    if(count GREATER 1)
      list(JOIN variants_${name} "," kernels)
      list(APPEND overloads "--overload=${name}=${kernels}")
    endif()
  endforeach()
  list(TRANSFORM stems PREPEND "${folder}/kernels/" OUTPUT_VARIABLE objects)
  list(TRANSFORM objects APPEND ".o")
  _spc_new_library("${call}" ${target} "${type}")
  _spc_library_files(${target} "${folder}/include/${header}" "${objects}" "${overloads}")
  set_target_properties(${target} PROPERTIES SPC_LISTS_KERNELS ON PUBLIC_HEADER "${folder}/include/${header}")
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${folder}/include>")
  if(UNIX)
    target_link_libraries(${target} PRIVATE m)
  endif()
endfunction()

cmake_policy(POP)
