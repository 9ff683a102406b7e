# cairo draws figures as PDF and PNG. Its headers are what a build needs: the library is loaded when the
# first figure is drawn. -DCMAKE_DISABLE_FIND_PACKAGE_CAIRO=ON leaves it out; so
# do the sanitizers, which would count what fontconfig never frees.
set(CAIRO_FOUND OFF)
if(NOT CMAKE_DISABLE_FIND_PACKAGE_CAIRO AND NOT CREG_SANITIZE)
  find_path(CAIRO_INCLUDE cairo-pdf.h PATH_SUFFIXES cairo)
  mark_as_advanced(CAIRO_INCLUDE)
  if(CAIRO_INCLUDE)
    set(CAIRO_FOUND ON)
  endif()
endif()
