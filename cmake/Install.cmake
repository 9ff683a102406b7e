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

# The component `command` is what the package for Debian holds (cmake/Package.cmake).
install(TARGETS ${targets} EXPORT contrast-reg-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT command NAMELINK_COMPONENT development)
install(TARGETS creg RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
install(DIRECTORY include/creg DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT contrast-reg-targets NAMESPACE contrast-reg:: DESTINATION ${CREG_CONFIG_DIR}
        COMPONENT development)
configure_package_config_file(
  cmake/contrast-reg-config.cmake.in ${PROJECT_BINARY_DIR}/contrast-reg-config.cmake
  INSTALL_DESTINATION ${CREG_CONFIG_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/contrast-reg-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/contrast-reg-config.cmake
              ${PROJECT_BINARY_DIR}/contrast-reg-config-version.cmake
        DESTINATION ${CREG_CONFIG_DIR} COMPONENT development)

# The command knows its completions and manual pages, so they are made when it is installed.
set(pages ${PROJECT_BINARY_DIR}/pages)
install(CODE "
  file(REMOVE_RECURSE \"${pages}\")
  foreach(shell bash/creg zsh/_creg fish/creg.fish)
    get_filename_component(name \${shell} DIRECTORY)
    file(MAKE_DIRECTORY \"${pages}/\${name}\")
    execute_process(COMMAND \"$<TARGET_FILE:creg>\" completion \${name} --out \"${pages}/\${shell}\"
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  execute_process(COMMAND \"$<TARGET_FILE:creg>\" --quiet manual --out \"${pages}/man1\"
                  COMMAND_ERROR_IS_FATAL ANY)
" COMPONENT command)
install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT command)
install(FILES ${pages}/bash/creg DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        COMPONENT command)
install(FILES ${pages}/zsh/_creg DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        COMPONENT command)
install(FILES ${pages}/fish/creg.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT command)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/contrast-reg COMPONENT command)
include(${CMAKE_CURRENT_LIST_DIR}/Package.cmake)
