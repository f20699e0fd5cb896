# Install rules and the CMake package; cmake/debian.cmake packs what they install.
include(CMakePackageConfigHelpers)

# What is installed; built before the first rule (CMakeLists.txt).
add_custom_target(tilewright_installed)
foreach(target tilewright_library tilewright_cli tilewright_share tilewright_tiles tilewright_python)
  if(TARGET ${target})
    add_dependencies(tilewright_installed ${target})
  endif()
endforeach()

install(TARGETS tilewright_library EXPORT tilewright
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
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
    mapping/text.hpp
    mapping/validity.hpp
    mapspace/constraints.hpp
    mapspace/layer_problem.hpp
    mapspace/factors/factor_rule.hpp
    model/evaluation.hpp
    model/exact/model.hpp
    model/layer_answer.hpp
    model/objective.hpp
    multicore/cost.hpp
    package/package.hpp
    package/plan.hpp
    package/plan_text.hpp
    report/fused/fusion_report.hpp
    report/json.hpp
    report/package/package_report.hpp
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
    run/package/map_package.hpp
    run/package/package_machine.hpp
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
# Below tilewright/parts, and included by that name: what users call base/error.hpp is their own.
set(headers ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/headers ${CMAKE_INSTALL_INCLUDEDIR} ${TW_PUBLIC_PARTS})
install(CODE "set(TW_HEADERS \"${headers}\")" COMPONENT development)
install(SCRIPT cmake/install_headers.cmake COMPONENT development)
install(EXPORT tilewright NAMESPACE tilewright:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright
        FILE tilewright-targets.cmake COMPONENT development)
configure_package_config_file(cmake/tilewright-config.cmake.in ${CMAKE_BINARY_DIR}/tilewright-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tilewright-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tilewright-config.cmake ${CMAKE_BINARY_DIR}/tilewright-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright COMPONENT development)
if(TARGET tilewright_cli)
  install(TARGETS tilewright_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilewright COMPONENT program)
include(cmake/debian.cmake)
