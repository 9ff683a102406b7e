# creg_options: what every target of this project is compiled with, and no installed consumer.
add_library(creg_options INTERFACE)
target_compile_options(creg_options INTERFACE -Wall -Wextra -Werror -Wshadow -Wconversion
                                              -Wno-sign-conversion -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # gcc 12 and 13 see overflows in std::string's operator+ that are not there.
  target_compile_options(creg_options INTERFACE -Wno-restrict -Wno-stringop-overflow
                                                -Wno-stringop-overread
                                                -Wno-array-bounds)
endif()
if(CREG_SANITIZE)
  target_compile_options(creg_options INTERFACE -fsanitize=${CREG_SANITIZE}
                                                -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(creg_options INTERFACE -fsanitize=${CREG_SANITIZE})
endif()
if(CREG_FUZZ)
  target_compile_options(creg_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
