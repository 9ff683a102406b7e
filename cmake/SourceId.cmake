# A checksum of the sources that results depend on, as OUT/source_id.inc: runs that a store keeps are known
# by it. What prints, draws and measures times is left out, so that a word in a help text makes no run
# another one. Looked at whenever something is built; the header changes only with the sources.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(source_id_script ${CMAKE_CURRENT_LIST_FILE})
  # creg_add_source_id(TARGET SOURCE): SOURCE of TARGET may include source_id.inc.
  function(creg_add_source_id target source)
    set(out ${PROJECT_BINARY_DIR}/source-id)
    set(command ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUT=${out} -P ${source_id_script})
    execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)  # for tools that read without building
    add_custom_target(
      creg_source_id
      COMMAND ${command}
      BYPRODUCTS ${out}/source_id.inc
      COMMENT "Looking at the sources"
      VERBATIM)
    add_dependencies(${target} creg_source_id)
    set_source_files_properties(
      ${source} TARGET_DIRECTORY ${target}
      PROPERTIES INCLUDE_DIRECTORIES ${out} OBJECT_DEPENDS ${out}/source_id.inc SKIP_UNITY_BUILD_INCLUSION ON)
  endfunction()
  return()
endif()

file(GLOB_RECURSE files RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/include/*.h ${SOURCE_DIR}/src/*.h
     ${SOURCE_DIR}/src/*.cpp ${SOURCE_DIR}/src/*.cu ${SOURCE_DIR}/src/*.cuh)
list(FILTER files EXCLUDE REGEX "^src/(bench|cli|report)/")
list(SORT files)
set(text "")
foreach(file ${files})
  file(SHA256 ${SOURCE_DIR}/${file} sum)
  string(APPEND text "${file} ${sum}\n")
endforeach()
string(SHA256 sum "${text}")
string(SUBSTRING ${sum} 0 12 id)
set(header "#define CREG_SOURCE_ID \"${id}\"\n")
set(old "")
if(EXISTS ${OUT}/source_id.inc)
  file(READ ${OUT}/source_id.inc old)
endif()
if(NOT old STREQUAL header)
  file(WRITE ${OUT}/source_id.inc "${header}")
endif()
