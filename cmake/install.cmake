# Install rules, the CMake package and the Debian package.
include(CMakePackageConfigHelpers)

# What is installed; built before the first rule (CMakeLists.txt).
add_custom_target(tilewright_installed)
add_dependencies(tilewright_installed ${TW_ROOMS})
foreach(target tilewright_cli tilewright_share tilewright_python)
  if(TARGET ${target})
    add_dependencies(tilewright_installed ${target})
  endif()
endforeach()

install(TARGETS tilewright ${TW_ROOMS} EXPORT tilewright ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The border of the library: users include what is in include/tilewright (docs/library.md), and nothing else. The parts of
# src/ that those headers include are installed beside them; tests/docs/test_public_headers.py holds the list to the tree.
set(TW_PUBLIC_PARTS
    arch/architecture.hpp
    arch/estimation/estimate.hpp
    base/numbers/checked.hpp
    base/error.hpp
    base/notes.hpp
    base/stop.hpp
    onnx/onnx.hpp
    onnx/weights/counted.hpp
    mapping/mapping.hpp
    mapping/places.hpp
    mapping/text.hpp
    mapping/validity.hpp
    mapspace/constraints.hpp
    mapspace/layer_problem.hpp
    mapspace/factors/factor_rule.hpp
    model/evaluation.hpp
    model/exact/model.hpp
    model/layer_answer.hpp
    model/objective.hpp
    report/fused/fusion_report.hpp
    report/json.hpp
    report/report.hpp
    report/text.hpp
    run/answer_cache.hpp
    run/check/certificates.hpp
    run/fused/map_cascade.hpp
    run/mapping/layer_mapping.hpp
    run/machine.hpp
    run/map_layer.hpp
    run/map_network.hpp
    run/options.hpp
    run/report_of.hpp
    run/search_settings.hpp
    sparse/costs.hpp
    sparse/density.hpp
    sparse/design.hpp
    workload/words.hpp
    workload/cascade/cascade.hpp
    workload/cascade/text.hpp
    workload/einsum.hpp
    workload/einsum_text.hpp
    workload/network.hpp
    workload/shapes.hpp
    workload/zoo/cascades.hpp
    workload/zoo/zoo.hpp)
install(DIRECTORY include/tilewright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
foreach(part ${TW_PUBLIC_PARTS})
  cmake_path(GET part PARENT_PATH folder)
  install(FILES src/${part} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilewright/parts/${folder})
endforeach()
install(EXPORT tilewright NAMESPACE tilewright:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright
        FILE tilewright-targets.cmake)
configure_package_config_file(cmake/tilewright-config.cmake.in ${CMAKE_BINARY_DIR}/tilewright-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tilewright-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tilewright-config.cmake ${CMAKE_BINARY_DIR}/tilewright-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)
if(TARGET tilewright_cli)
  install(TARGETS tilewright_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_PACKAGE_NAME tilewright)
# Who answers for a package is who builds it: -DTILEWRIGHT_PACKAGE_CONTACT="Name <address>".
set(TILEWRIGHT_PACKAGE_CONTACT "the authors of Tilewright" CACHE STRING "Maintainer field of the Debian packages")
set(CPACK_PACKAGE_CONTACT "${TILEWRIGHT_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
# With the Python module there are two packages: tilewright, and python3-tilewright, which needs nothing of the other.
if(TARGET tilewright_python)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_ALL Unspecified python)
  set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME tilewright)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tilewright)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-pandas)
  get_target_property(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS tilewright_python TW_NEEDS_PYTHON)
endif()
include(CPack)
