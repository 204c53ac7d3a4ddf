# cmake --install: the compiler, the public C header and the format files. The formats lie where the executable looks
# for them, at ../share/spc/formats.
if(TARGET spc)
  install(TARGETS spc RUNTIME DESTINATION bin)
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/spc DESTINATION include FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/formats DESTINATION share/spc FILES_MATCHING PATTERN "*.json")
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CONTRIBUTING.md DESTINATION share/doc/spc)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION share/doc/spc FILES_MATCHING PATTERN "*.md")
