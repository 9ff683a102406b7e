# The page of `creg report`: bundled from web/ into one text that creg holds, where there is node and
# `npm ci --prefix web` (./bootstrap runs it) has fetched what web/package-lock.json names. Else it is
# left out and `creg info` says so. Nothing is fetched here.
set(CREG_PAGE OFF)
find_program(CREG_NODE NAMES node nodejs)
mark_as_advanced(CREG_NODE)
set(web ${PROJECT_SOURCE_DIR}/web)
if(NOT CREG_WEB_PAGE)
  # As asked.
elseif(CREG_NODE AND EXISTS ${web}/node_modules/esbuild AND EXISTS ${web}/node_modules/uplot
   AND EXISTS ${web}/node_modules/regl)
  set(CREG_PAGE ON)
else()
  message(STATUS "the page of creg report is left out: it needs node, and the packages that "
                 "`npm ci --prefix web` fetches")
endif()

# creg_add_page(TARGET SOURCE): SOURCE of TARGET gets page_shell.inc.
function(creg_add_page target source)
  if(NOT CREG_PAGE)
    return()
  endif()
  set(out ${PROJECT_BINARY_DIR}/web)
  set(sources
      build.mjs
      package-lock.json
      src/charts.js
      src/colours.js
      src/data.js
      src/index.html
      src/main.js
      src/map.js
      src/overview.js
      src/points.js
      src/style.css
      src/text.js)
  list(TRANSFORM sources PREPEND ${web}/)
  add_custom_command(
    OUTPUT ${out}/page_shell.inc
    COMMAND ${CREG_NODE} ${web}/build.mjs ${out}
    DEPENDS ${sources}
    COMMENT "Bundling the page of creg report"
    VERBATIM)
  target_sources(${target} PRIVATE ${out}/page_shell.inc)
  set_source_files_properties(
    ${source} TARGET_DIRECTORY ${target}
    PROPERTIES COMPILE_DEFINITIONS CREG_HAS_PAGE
               INCLUDE_DIRECTORIES ${out}
               OBJECT_DEPENDS ${out}/page_shell.inc
               SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
