# Run by cmake --install: has the installed program, `program`, write its manual pages and completions below `share`.

set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
set(share "${root}/${share}")
execute_process(COMMAND "${root}/${program}" "--write-manual=${share}" COMMAND_ERROR_IS_FATAL ANY)
# Where distributions' own packages have their completions.
if(root MATCHES "/usr$")
  file(MAKE_DIRECTORY "${share}/zsh/vendor-completions")
  file(RENAME "${share}/zsh/site-functions/_spc" "${share}/zsh/vendor-completions/_spc")
  file(REMOVE_RECURSE "${share}/zsh/site-functions")
endif()
find_program(SPC_GZIP gzip)
if(SPC_GZIP)
  file(GLOB pages "${share}/man/man1/spc.1" "${share}/man/man1/spc-*.1")
  execute_process(COMMAND "${SPC_GZIP}" -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
