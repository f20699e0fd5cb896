# The script of HTML reports: report-ui/ (TypeScript, ECharts) bundled by esbuild and embedded into the room `report`.
#
# Packages come from npm by the lock file, once per build tree and lock file, when CMake configures. Without node or npm, when
# the packages cannot be had, or with TILEWRIGHT_REPORT_UI=OFF, reports have tables and inline SVG only, and say so.

option(TILEWRIGHT_REPORT_UI "Bundle the interactive part of HTML reports (needs node and npm)" ON)

set(TW_REPORT_UI ${PROJECT_SOURCE_DIR}/report-ui)
set(TW_REPORT_UI_BUILD ${CMAKE_BINARY_DIR}/report-ui)

# Sets TW_REPORT_UI_READY when esbuild and ECharts lie in the build tree.
function(tw_fetch_report_ui)
  set(TW_REPORT_UI_READY FALSE PARENT_SCOPE)
  find_program(TW_NODE node)
  find_program(TW_NPM npm)
  if(NOT TW_NODE OR NOT TW_NPM)
    message(STATUS "HTML reports: tables and SVG only (interactive views need node and npm)")
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
      message(STATUS "HTML reports: tables and SVG only (npm ci in report-ui failed: ${failed})\n${said}")
      return()
    endif()
    file(TOUCH ${stamp})
  endif()
  message(STATUS "HTML reports: with interactive views")
  set(TW_REPORT_UI_READY TRUE PARENT_SCOPE)
endfunction()

# Adds embedded_report_ui() to `target`: the script, or nothing.
function(tw_embed_report_ui target)
  if(TILEWRIGHT_REPORT_UI)
    tw_fetch_report_ui()
  else()
    message(STATUS "HTML reports: tables and SVG only (TILEWRIGHT_REPORT_UI is OFF)")
    set(TW_REPORT_UI_READY FALSE)
  endif()
  set(files "")
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
  tw_embed_built(${target} report_ui ${TW_REPORT_UI_BUILD} ${files})
endfunction()
