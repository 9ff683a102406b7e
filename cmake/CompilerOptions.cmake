# creg_options: what every target of this project is compiled with, and no installed consumer.
add_library(creg_options INTERFACE)
target_compile_options(creg_options INTERFACE -Wall -Wextra -Wconversion -Wno-sign-conversion
                                              -Wno-missing-field-initializers)
# Sources that are compiled at once see one another's constants and are no main files: of shadows
# only those of locals count then, and gcc may not ask where an anonymous namespace stands. tidy reads
# sources one by one and looks for the rest.
if(NOT CREG_UNITY)
  target_compile_options(creg_options INTERFACE -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(creg_options INTERFACE -Wshadow=local -Wno-subobject-linkage)
endif()
if(CREG_WERROR)
  target_compile_options(creg_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    # gcc 12 and 13 see overflows in std::string's operator+ that are not there, gcc 13 takes every
    # temporary argument for the owner of a returned reference.
    target_compile_options(creg_options INTERFACE -Wno-restrict -Wno-stringop-overflow
                                                  -Wno-stringop-overread -Wno-array-bounds
                                                  -Wno-dangling-reference)
  else()
    # gcc 14 believes that a std::vector frees what it did not allocate.
    target_compile_options(creg_options INTERFACE -Wno-free-nonheap-object)
  endif()
endif()
if(CREG_SANITIZE)
  target_compile_options(creg_options INTERFACE -fsanitize=${CREG_SANITIZE}
                                                -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(creg_options INTERFACE -fsanitize=${CREG_SANITIZE})
endif()
# creg_quick: for what need not be fast itself, compiled sooner.
add_library(creg_quick INTERFACE)
if(CREG_SANITIZE)
  target_compile_options(creg_quick INTERFACE -O0)
else()
  target_compile_options(creg_quick INTERFACE $<$<CONFIG:Release>:-O1>)
endif()
