# Installs the build into a scratch prefix, moves that, builds the consumers against it and runs them
# and the command. Wants: SOURCE_DIR, BINARY_DIR, COMPILER, WITH_TORCH, TORCH_DIR.
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
function(expect words)
  if(NOT output MATCHES "${words}")
    message(FATAL_ERROR "expected ${words} in: ${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BINARY_DIR} --prefix ${scratch}/prefix)
set(prefix ${scratch}/moved)
file(RENAME ${scratch}/prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${scratch}/build -G Ninja -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release
    -DTorch_DIR=${TORCH_DIR})
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${scratch}/build/data_consumer)
expect("5278")

run(${prefix}/bin/creg --version)
run(${prefix}/bin/creg data list)
run(${CMAKE_COMMAND} -E chdir / ${prefix}/bin/creg info --json)
if(WITH_TORCH)
  # Where the library does not load, creg says null.
  expect("\"libtorch\": \"")
  run(${prefix}/bin/creg train --epochs 1 --dim 8 --json)
  expect("\"accuracy\"")
  run(${scratch}/build/consumer)
  expect("5278")
  expect("std::filesystem is in [^\n]*/lib(stdc|c\\+\\+)")
endif()
