# Installs the build into a scratch prefix, builds the consumer against it and runs it.
# Wants: SOURCE_DIR, BINARY_DIR, COMPILER, TORCH_DIR.
set(scratch ${BINARY_DIR}/install-test)
file(REMOVE_RECURSE ${scratch})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
run(${CMAKE_COMMAND} --install ${BINARY_DIR} --prefix ${scratch}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${scratch}/build -G Ninja -DCMAKE_PREFIX_PATH=${scratch}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release -DTorch_DIR=${TORCH_DIR})
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${scratch}/build/consumer)
if(NOT output MATCHES "5278")
  message(FATAL_ERROR "the installed library gave another graph: ${output}")
endif()
run(${scratch}/prefix/bin/creg --version)
