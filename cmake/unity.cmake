# Several files as one translation unit: headers are read once for eight of them, and a clone is built in half the time
# (docs/evidence/build.md). On in the presets that a fresh clone builds; off (-DTILEWRIGHT_UNITY=OFF, preset dev) one change compiles
# one file.
#
# Files that share the name of a helper with a neighbour stand alone. A "redefinition" that only a unity build sees is mended by
# a better name, or by a line here.
option(TILEWRIGHT_UNITY "Compile several files as one" OFF)

set(TW_STAND_ALONE
    src/report/documents/fusion.cpp
    src/report/fused/search_csv.cpp
    src/report/fused/search_figures.cpp
    src/report/fused/search_json.cpp
    src/report/fused/search_text.cpp
    src/run/fused/map_fused.cpp
    src/run/fused/dram_words.cpp
    src/run/fused/unconstrained.cpp
    src/zigzag/lean/order_bound.cpp
    src/zigzag/forms/translate.cpp
    src/certificate/perfect/chained.cpp
    src/certificate/perfect/dominance.cpp
    src/certificate/perfect/nests.cpp
    src/certificate/perfect/open.cpp
    src/certificate/perfect/tile_numbers.cpp
    src/codegen/cuda/launch.cpp
    src/codegen/cuda/nest.cpp
    src/maestro/dataflow/layer.cpp
    src/maestro/dataflow/levels.cpp
    src/explore/sqlite_schema.cpp
    src/native/schedule.cpp
    src/onnx/operators/infer.cpp
    src/timeloop/files/merge.cpp
    src/timeloop/machine/read_over.cpp
    src/timeloop/machine/settings.cpp
    src/timeloop/machine/tree.cpp
    src/timeloop/mapping/mapping.cpp
    src/yaml/jinja/filters.cpp
    src/yaml/jinja/render.cpp
    src/yaml/jinja/template.cpp
    src/yaml/jinja/value.cpp
    src/mapper/optimal/bounds/coupling.cpp
    src/mapper/optimal/imperfect/completion_bound.cpp
    src/mapper/optimal/imperfect/flows.cpp
    src/mapper/optimal/imperfect/keeps.cpp
    src/mapper/optimal/geometry/layouts.cpp
    src/mapper/optimal/bounds/compulsory_bound.cpp
    src/mapper/optimal/optimal.cpp
    src/mapper/optimal/perfect/dominance.cpp
    src/mapper/optimal/perfect/sliding.cpp
    src/mapper/optimal/bounds/tile_table.cpp
    src/mapper/start.cpp
    src/mapper/strategies/linear_pruned.cpp
    src/mapspace/enumerate.cpp
    src/mapspace/padding.cpp
    src/mapspace/remainders.cpp
    src/model/lean/lean.cpp
    src/model/lean/link.cpp
    src/report/plot/heat_map.cpp
    src/report/plot/plane.cpp
    src/report/plot/stacked_bars.cpp
    src/report/csv.cpp
    src/report/json.cpp
    src/report/json_parts.cpp
    src/report/comparison/mapper_comparison.cpp
    src/report/simulation/simulation.cpp
    src/report/zigzag_json.cpp
    src/report/zigzag_text.cpp
    src/mapspace/conflict.cpp
    src/schedule/problem/graph.cpp
    src/sim/dram/controller.cpp
    src/sim/dram/controller_clock_sync.cpp
    src/sim/machine/program.cpp
    src/sim/machine/walk.cpp
    src/sim/noc/router.cpp
    tools/tilewright/cosa_options.cpp
    tools/tilewright/machine_options.cpp
    tools/tilewright/schedule.cpp
    tools/tilewright/simulate.cpp
    tools/tilewright/work_order.cpp)

# tw_unity(target): for targets of this directory whose sources are given by full paths.
function(tw_unity target)
  if(NOT TILEWRIGHT_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE file)
    if(file IN_LIST TW_STAND_ALONE)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()
