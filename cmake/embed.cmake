# Data files that travel inside the library: tw_embed(target name files...) compiles `files` (paths relative to the source tree) into
# `target` as `std::span<const tilewright::EmbeddedFile> tilewright::embedded_<name>()` (src/base/files/embedded.hpp).
#
# The same file, run as a script (cmake -P), writes the source: at build time, when a data file changed.

if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  string(REPLACE "|" ";" FILES "${FILES}")
  list(LENGTH FILES count)
  foreach(file ${FILES})
    file(READ ${ROOT}/${file} text)
    string(APPEND entries "    {\"${file}\", R\"embedded(${text})embedded\"sv},\n")
  endforeach()
  file(WRITE ${OUTPUT} "// Generated from data files by cmake/embed.cmake.
#include <array>

#include \"base/files/embedded.hpp\"

namespace tilewright {
namespace {
using namespace std::literals;
constexpr std::array<EmbeddedFile, ${count}> kFiles{{
${entries}}};
}  // namespace
std::span<const EmbeddedFile> embedded_${NAME}();
std::span<const EmbeddedFile> embedded_${NAME}() { return kFiles; }
}  // namespace tilewright
")
  return()
endif()

set(TW_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(tw_embed target name)
  tw_embed_built(${target} ${name} ${PROJECT_SOURCE_DIR} ${ARGN})
endfunction()

# The same for files whose paths are relative to `root`, a folder of the build tree, say; there may be none.
function(tw_embed_built target name root)
  set(output ${CMAKE_BINARY_DIR}/embedded/${name}.cpp)
  list(TRANSFORM ARGN PREPEND ${root}/ OUTPUT_VARIABLE paths)
  list(JOIN ARGN "|" files)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DROOT=${root} "-DFILES=${files}" -DOUTPUT=${output} -P ${TW_EMBED_SCRIPT}
    DEPENDS ${paths} ${TW_EMBED_SCRIPT} COMMENT "Embedding ${name}" VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # generated files share their helpers' names
  target_sources(${target} PRIVATE ${output})
endfunction()
