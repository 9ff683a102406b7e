# cmake --install puts down the library, its headers, the command, and what find_package needs.
include(CMakePackageConfigHelpers)

set(CREG_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/contrast-reg)
set(targets creg_data)
set_target_properties(creg_data PROPERTIES EXPORT_NAME data)
add_library(contrast-reg::data ALIAS creg_data)
if(CREG_TORCH)
  list(APPEND targets creg_library)
  set_target_properties(creg_library PROPERTIES EXPORT_NAME contrast-reg)
  add_library(contrast-reg::contrast-reg ALIAS creg_library)
endif()

install(TARGETS ${targets} EXPORT contrast-reg-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS creg RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/creg DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT contrast-reg-targets NAMESPACE contrast-reg:: DESTINATION ${CREG_CONFIG_DIR})
configure_package_config_file(
  cmake/contrast-reg-config.cmake.in ${PROJECT_BINARY_DIR}/contrast-reg-config.cmake
  INSTALL_DESTINATION ${CREG_CONFIG_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/contrast-reg-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/contrast-reg-config.cmake
              ${PROJECT_BINARY_DIR}/contrast-reg-config-version.cmake
        DESTINATION ${CREG_CONFIG_DIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/contrast-reg)
