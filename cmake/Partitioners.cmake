# METIS and the 64-bit variant of Scotch, found or left out: neither has a CMake package everywhere,
# so header and library are looked for. -DCMAKE_DISABLE_FIND_PACKAGE_METIS=ON and the same with
# SCOTCH leave them out.
set(METIS_FOUND OFF)
if(NOT CMAKE_DISABLE_FIND_PACKAGE_METIS)
  find_library(METIS_LIBRARY metis)
  find_path(METIS_INCLUDE metis.h)
  mark_as_advanced(METIS_LIBRARY METIS_INCLUDE)
  if(METIS_LIBRARY AND METIS_INCLUDE)
    set(METIS_FOUND ON)
  endif()
endif()

# The static library of Debian's folders for 64 bits: the shared one has the name of the 32-bit one,
# which a program may have loaded already.
set(SCOTCH_FOUND OFF)
if(NOT CMAKE_DISABLE_FIND_PACKAGE_SCOTCH)
  find_path(SCOTCH_INCLUDE scotch-int64/scotch.h)
  find_library(SCOTCH_LIBRARY libscotch.a PATH_SUFFIXES scotch-int64)
  find_library(SCOTCH_ERROR_LIBRARY libscotcherr.a PATH_SUFFIXES scotch-int64)
  mark_as_advanced(SCOTCH_INCLUDE SCOTCH_LIBRARY SCOTCH_ERROR_LIBRARY)
  if(SCOTCH_INCLUDE AND SCOTCH_LIBRARY MATCHES "/scotch-int64/" AND SCOTCH_ERROR_LIBRARY MATCHES "/scotch-int64/")
    set(SCOTCH_FOUND ON)
  endif()
endif()
