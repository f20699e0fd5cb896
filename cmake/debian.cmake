# Debian packages: the program, the library, what programs are built with, the Python module. `cpack -G DEB` in a build folder.

# Who answers for a package is who builds it: -DTILEWRIGHT_MAINTAINER="Name <address>", or as Debian's own tools have it, or git.
set(contact "")
if(TW_GIT)
  execute_process(COMMAND ${TW_GIT} var GIT_COMMITTER_IDENT WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE contact ERROR_QUIET)
  string(REGEX REPLACE "(<[^>]*>).*" "\\1" contact "${contact}")
endif()
if(NOT contact)
  set(contact "Tilewright developers <tilewright@localhost.localdomain>")
endif()
if(DEFINED ENV{DEBEMAIL} AND DEFINED ENV{DEBFULLNAME})
  set(contact "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(TILEWRIGHT_MAINTAINER "${contact}" CACHE STRING "Maintainer field of the Debian packages")
set(CPACK_PACKAGE_CONTACT "${TILEWRIGHT_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SOURCE tilewright)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL "")
# CPack's own words: any others would become the first line of each description.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CMAKE_PROJECT_NAME} built using CMake")

# tw_package(component name section "synopsis" "description" [components that it needs...])
function(tw_package component name section synopsis description)
  string(TOUPPER ${component} COMPONENT)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${COMPONENT}_DESCRIPTION "${synopsis}\n${description}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${COMPONENT}_DEPENDS ${ARGN} PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  install(FILES packaging/debian/copyright ${CMAKE_BINARY_DIR}/debian/changelog.Debian.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
endfunction()

set(about "Tilewright finds the best mapping of every layer of a network (ONNX, Timeloop
problem files, einsums) onto a machine (Timeloop YAML), proves that no other is
better, and says what it costs.")
set(library libtilewright${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(TARGET tilewright_cli)
  tw_package(program tilewright science "maps deep-learning layers onto accelerators" "${about}" library)
endif()
tw_package(library ${library} libs "mapping deep-learning layers onto accelerators: shared library"
           "${about}\n.\nThis is the library that the program and the Python module load.")
tw_package(development libtilewright-dev libdevel "mapping deep-learning layers onto accelerators: headers"
           "${about}\n.\nWith this, find_package(tilewright) finds the C++ library." library tiles)
tw_package(tiles libtilewright-tiles1 libs "tile sizes of accelerator kernels: C library"
           "${about}\n.\nThis is the C library that compilers ask for tile sizes.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS libpq5)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_TILES_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
if(TARGET tilewright_python)
  tw_package(python python3-tilewright python "maps deep-learning layers onto accelerators: Python module" "${about}" library)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-pandas)
  get_target_property(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS tilewright_python TW_NEEDS_PYTHON)
endif()

# One entry: what changed is in CHANGELOG.md.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${CMAKE_BINARY_DIR}/debian/changelog.Debian "tilewright (${PROJECT_VERSION}-1) unstable; urgency=medium

  * Version ${PROJECT_VERSION}.

 -- ${TILEWRIGHT_MAINTAINER}  ${date}
")
execute_process(COMMAND gzip -9nf ${CMAKE_BINARY_DIR}/debian/changelog.Debian)
include(CPack)
