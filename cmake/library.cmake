# libtilewright: all rooms as one shared library, which the program, the Python module and users of find_package(tilewright) load. What
# it links itself is under licences that allow it (scripts/parts lists them). Before 1.0 a minor version may change its interface.
add_library(tilewright_library SHARED ${TW_VERSION_SOURCE})
set(archives "")
set(needs "")
foreach(room ${TW_ROOMS})
  get_target_property(type ${room} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    list(APPEND archives $<TARGET_FILE:${room}>)
    get_property(need TARGET ${room} PROPERTY TW_NEEDS)
    list(APPEND needs ${need})
  endif()
endforeach()
list(REMOVE_DUPLICATES needs)
list(JOIN archives "," archives)
set_target_properties(tilewright_library PROPERTIES
  OUTPUT_NAME tilewright EXPORT_NAME tilewright
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR} LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/library.map)
# As files: as targets each would come once for every room that links it.
target_link_libraries(tilewright_library PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${archives}> ${needs})
target_compile_features(tilewright_library PUBLIC cxx_std_20)
target_include_directories(tilewright_library PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# Calls within it go straight to where they lead, and what is not ours stays inside.
target_link_options(tilewright_library PRIVATE LINKER:-Bsymbolic-functions
                    $<$<CONFIG:Release>:LINKER:-z,defs> LINKER:--version-script=${CMAKE_CURRENT_LIST_DIR}/library.map)
