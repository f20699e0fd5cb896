# The script of HTML reports: report-ui/ (TypeScript, ECharts) bundled by esbuild and embedded into the room `report`.
#
# report-ui/bundle has the script as scripts/bundle-report-ui made it, and made.txt there says of which sources: while it is of these, no
# registry is asked. Where sources have changed, packages come from npm by the lock file, once per build tree and lock file, when CMake
# configures; without them, or with TILEWRIGHT_REPORT_UI=OFF, reports have tables and inline SVG only.

option(TILEWRIGHT_REPORT_UI "Interactive views in HTML reports" ON)

set(TW_REPORT_UI ${PROJECT_SOURCE_DIR}/report-ui)
set(TW_REPORT_UI_BUILD ${CMAKE_BINARY_DIR}/report-ui)

# Sets TW_REPORT_UI_READY when esbuild and ECharts lie in the build tree.
function(tw_fetch_report_ui)
  set(TW_REPORT_UI_READY FALSE PARENT_SCOPE)
  find_program(TW_NODE node)
  find_program(TW_NPM npm)
  if(NOT TW_NODE OR NOT TW_NPM)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TW_REPORT_UI}/package-lock.json)
  file(SHA256 ${TW_REPORT_UI}/package-lock.json lock)
  set(stamp ${TW_REPORT_UI_BUILD}/fetched-${lock})
  if(NOT EXISTS ${stamp})
    file(COPY ${TW_REPORT_UI}/package.json ${TW_REPORT_UI}/package-lock.json DESTINATION ${TW_REPORT_UI_BUILD})
    execute_process(
      COMMAND ${TW_NPM} ci --omit=dev --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1 --fetch-timeout=20000
      WORKING_DIRECTORY ${TW_REPORT_UI_BUILD} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said TIMEOUT 120)
    if(failed)
      message(STATUS "HTML reports: npm ci in report-ui failed: ${failed}\n${said}")
      return()
    endif()
    file(TOUCH ${stamp})
  endif()
  message(STATUS "HTML reports: with interactive views (report-ui/bundle is of other sources: scripts/bundle-report-ui)")
  set(TW_REPORT_UI_READY TRUE PARENT_SCOPE)
endfunction()

# Sets `result` to the hash of all that the script is made of; scripts/bundle-report-ui computes the same.
function(tw_hash_report_ui result)
  file(GLOB_RECURSE sources RELATIVE ${TW_REPORT_UI} ${TW_REPORT_UI}/src/*.ts)
  list(SORT sources)
  set(lines "")
  foreach(source build.mjs package-lock.json ${sources})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TW_REPORT_UI}/${source})
    file(SHA256 ${TW_REPORT_UI}/${source} hash)
    string(APPEND lines "${hash}  ${source}\n")
  endforeach()
  string(SHA256 hash "${lines}")
  set(${result} ${hash} PARENT_SCOPE)
endfunction()

# Sets TW_REPORT_UI_BUNDLED when the script in the source tree is of these sources.
function(tw_find_report_ui_bundle)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TW_REPORT_UI}/bundle/made.txt)
  file(STRINGS ${TW_REPORT_UI}/bundle/made.txt made REGEX "^(sources|script): ")
  tw_hash_report_ui(sources)
  file(SHA256 ${TW_REPORT_UI}/bundle/report.js script)
  set(TW_REPORT_UI_BUNDLED FALSE PARENT_SCOPE)
  if("sources: ${sources}" IN_LIST made AND "script: ${script}" IN_LIST made)
    message(STATUS "HTML reports: with interactive views, as scripts/bundle-report-ui made them")
    set(TW_REPORT_UI_BUNDLED TRUE PARENT_SCOPE)
  endif()
endfunction()

# Adds embedded_report_ui() to `target`: the script, or nothing.
function(tw_embed_report_ui target)
  set(TW_REPORT_UI_READY FALSE)
  set(files "")
  set(root ${TW_REPORT_UI_BUILD})
  if(NOT TILEWRIGHT_REPORT_UI)
    message(STATUS "HTML reports: tables and SVG only (TILEWRIGHT_REPORT_UI is OFF)")
  else()
    tw_find_report_ui_bundle()
    if(TW_REPORT_UI_BUNDLED)
      set(files report.js)
      set(root ${TW_REPORT_UI}/bundle)
    else()
      tw_fetch_report_ui()
      if(NOT TW_REPORT_UI_READY)
        message(STATUS "HTML reports: tables and SVG only (report-ui/bundle is of other sources; with node and npm: scripts/bundle-report-ui)")
      endif()
    endif()
  endif()
  if(TW_REPORT_UI_READY)
    set(files report.js)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${TW_REPORT_UI}/src/*.ts)
    # esbuild looks for packages in the folders above the sources, so they go beside node_modules.
    add_custom_command(OUTPUT ${TW_REPORT_UI_BUILD}/report.js
      COMMAND ${CMAKE_COMMAND} -E rm -rf ${TW_REPORT_UI_BUILD}/src
      COMMAND ${CMAKE_COMMAND} -E copy_directory ${TW_REPORT_UI}/src ${TW_REPORT_UI_BUILD}/src
      COMMAND ${CMAKE_COMMAND} -E copy ${TW_REPORT_UI}/build.mjs ${TW_REPORT_UI_BUILD}/build.mjs
      COMMAND ${TW_NODE} build.mjs ${TW_REPORT_UI_BUILD}/report.js
      WORKING_DIRECTORY ${TW_REPORT_UI_BUILD}
      DEPENDS ${sources} ${TW_REPORT_UI}/build.mjs ${TW_REPORT_UI}/package-lock.json COMMENT "Bundling the script of HTML reports" VERBATIM)
  endif()
  tw_embed_built(${target} report_ui ${root} ${files})
endfunction()
