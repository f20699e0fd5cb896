# One static library per room (folder of src/; sim/noc is tw_sim_noc), and one test program per room from the *_test.cpp beside the sources.

# -Wrestrict has false positives on std::string in gcc 12; clang warns of embedded tables (long literals), of libstdc++'s own
# std::stable_sort, and in unity builds of a local name that another file of the room has, too.
set(TW_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:Clang>:-Wno-overlength-strings>
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
    $<$<AND:$<CXX_COMPILER_ID:Clang>,$<BOOL:${TILEWRIGHT_UNITY}>>:-Wno-shadow> -Werror)
# Everything is position independent, for the Python module; no function of ours is replaced, so that calls within a file may
# still be inlined.
add_compile_options(-fno-semantic-interposition)
set(TW_ROOMS "")

# Rooms that no search runs through: optimising what reads and writes any further takes a third of the time to compile it, and no
# command is faster for it (docs/evidence/build.md).
set(TW_READS_AND_WRITES accelforge native onnx python report run scalesim timeloop tools zigzag)
function(tw_optimisation target room)
  if(room IN_LIST TW_READS_AND_WRITES)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# tw_room(folder [LINKS rooms above it...] [PRIVATE_LINKS libraries...] [EMBED name files...] [EXCLUDE regex])
# EMBED: data files that travel inside the library (cmake/embed.cmake). EXCLUDE: sources that are not built.
function(tw_room folder)
  string(REPLACE "/" "_" name ${folder})
  cmake_parse_arguments(arg "" "EXCLUDE" "LINKS;PRIVATE_LINKS;EMBED" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*_test.cpp)
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCLUDE}")
    list(FILTER tests EXCLUDE REGEX "${arg_EXCLUDE}")
  endif()
  if(sources)
    # A room that both reads and computes is compiled as two, for only one of them has assertions.
    tw_computing_sources(computing ${folder} ${sources})
    if(computing)
      list(REMOVE_ITEM sources ${computing})
      add_library(tw_${name}_computing OBJECT ${computing})
      target_compile_options(tw_${name}_computing PRIVATE ${TW_WARNINGS})
      target_include_directories(tw_${name}_computing PRIVATE ${PROJECT_SOURCE_DIR}/src)
      target_link_libraries(tw_${name}_computing PRIVATE ${arg_PRIVATE_LINKS})
      tw_unity(tw_${name}_computing)
      list(APPEND sources $<TARGET_OBJECTS:tw_${name}_computing>)
    endif()
    add_library(tw_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_compile_options(tw_${name} PRIVATE ${TW_WARNINGS})
    target_link_libraries(tw_${name} PRIVATE ${arg_PRIVATE_LINKS})
    tw_unity(tw_${name})
    tw_assertions(tw_${name} ${folder})
    tw_optimisation(tw_${name} ${folder})
    if(arg_EMBED)
      tw_embed(tw_${name} ${arg_EMBED})
    endif()
  else()
    add_library(tw_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(tw_${name} ${scope} ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(tw_${name} ${scope} cxx_std_20)
  foreach(room ${arg_LINKS})
    target_link_libraries(tw_${name} ${scope} tw_${room})
  endforeach()
  set_property(TARGET tw_${name} PROPERTY TW_TESTS ${tests})
  set_property(TARGET tw_${name} PROPERTY TW_NEEDS ${arg_PRIVATE_LINKS})
  set(TW_ROOMS ${TW_ROOMS} tw_${name} PARENT_SCOPE)
endfunction()

# One GoogleTest program; its cases become ctest tests. A test that skips says why.
function(tw_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  # What takes time in them is in the library; a third of the time to compile them goes into optimising them further.
  target_compile_options(${name} PRIVATE ${TW_WARNINGS} $<$<CONFIG:Release>:-O1>)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gmock_main)
  tw_unity(${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()

# A test that says what was not built, so that a run of all tests tells of it.
function(tw_skipped_test name why)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${why}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()
