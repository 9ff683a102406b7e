# Everything comes from the system (./bootstrap installs it) or, on machines without packages, from
# third_party/ (./bootstrap vendor fills it). Nothing is ever downloaded here.
set(CREG_THIRD_PARTY ${PROJECT_SOURCE_DIR}/third_party)

# creg_header_only(target header): an interface target for a header-only library.
function(creg_header_only target header)
  string(TOUPPER ${target} id)
  string(REPLACE "::" "_" id ${id})
  find_path(${id}_INCLUDE ${header} HINTS ${CREG_THIRD_PARTY}/include REQUIRED)
  mark_as_advanced(${id}_INCLUDE)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} SYSTEM INTERFACE ${${id}_INCLUDE})
endfunction()

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json QUIET)
if(NOT nlohmann_json_FOUND)
  creg_header_only(nlohmann_json::nlohmann_json nlohmann/json.hpp)
endif()
find_package(CLI11 QUIET)
if(NOT CLI11_FOUND)
  creg_header_only(CLI11::CLI11 CLI/CLI.hpp)
endif()
creg_header_only(creg_deps::tomlplusplus toml++/toml.h)
creg_header_only(creg_deps::random123 Random123/philox.h)

# Found or left out; `creg info` says which.
find_package(OpenSSL 1.1 COMPONENTS Crypto)
find_package(CURL)
find_package(SQLite3)
include(${CMAKE_CURRENT_LIST_DIR}/Partitioners.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/Cairo.cmake)

if(CREG_TORCH)
  # A libtorch for CUDA adds an architecture of its own choice to these.
  set(cuda_flags "${CMAKE_CUDA_FLAGS}")
  find_package(Torch QUIET)
  if(NOT Torch_FOUND)
    # The libtorch inside a PyTorch for Python serves as well: ask the first python3 on the path.
    execute_process(COMMAND python3 -c "import torch; print(torch.utils.cmake_prefix_path)"
                    OUTPUT_VARIABLE python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    find_package(Torch REQUIRED HINTS ${python_torch})
  endif()
  set(CMAKE_CUDA_FLAGS "${cuda_flags}")
  find_package(OpenMP REQUIRED COMPONENTS CXX)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/Communication.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/Faiss.cmake)

# CUDA: `on` where libtorch has it; `compile` where there is a compiler for it alone, so that the
# kernels are at least compiled with the tests; else `off`.
set(CREG_CUDA_STATE off)
if(CREG_CUDA)
  find_program(CREG_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(CREG_NVCC)
  if(CREG_TORCH AND TORCH_CUDA_LIBRARIES)
    set(CREG_CUDA_STATE on)
    if(NOT CREG_NVCC)
      message(FATAL_ERROR "this libtorch is one for CUDA, but there is no nvcc: install CUDA's toolkit, "
                          "set CUDA_HOME to it, or build for the CPU alone with -DCREG_CUDA=OFF")
    endif()
  elseif(CREG_TORCH AND CREG_NVCC AND CREG_TESTS)
    set(CREG_CUDA_STATE compile)
  endif()
endif()
if(NOT CREG_CUDA_STATE STREQUAL "off")
  # 80: A100; 90a: H100 and H200; the intermediate code of 90 for what comes after.
  set(CREG_CUDA_ARCHITECTURES "80-real;90a-real;90" CACHE STRING "Cards that the kernels are compiled for")
  set(CMAKE_CUDA_ARCHITECTURES ${CREG_CUDA_ARCHITECTURES})
  set(CMAKE_CUDA_COMPILER ${CREG_NVCC})
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    # CMake 3.25 does not know what the nvcc of CUDA 13 can do.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  find_package(CUDAToolkit REQUIRED)
endif()
if(CREG_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck QUIET)
  # Debian ships the library without a CMake package.
  if(NOT TARGET rapidcheck)
    find_library(RAPIDCHECK_LIBRARY rapidcheck)
    find_path(RAPIDCHECK_INCLUDE rapidcheck.h)
    mark_as_advanced(RAPIDCHECK_LIBRARY RAPIDCHECK_INCLUDE)
    if(RAPIDCHECK_LIBRARY AND RAPIDCHECK_INCLUDE)
      add_library(rapidcheck UNKNOWN IMPORTED)
      set_target_properties(rapidcheck PROPERTIES IMPORTED_LOCATION ${RAPIDCHECK_LIBRARY}
                                                  INTERFACE_INCLUDE_DIRECTORIES ${RAPIDCHECK_INCLUDE})
    endif()
  endif()
endif()
if(CREG_BENCH)
  find_package(benchmark REQUIRED)
endif()
