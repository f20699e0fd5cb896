# Several files as one translation unit: headers are read once for eight of them, and a clone is built in half the time
# (docs/evidence/build.md). On in the presets that a fresh clone builds; off (-DTILEWRIGHT_UNITY=OFF, preset dev) one change compiles
# one file.
#
# No two files of a room name different helpers alike: a "redefinition" that only a unity build sees is mended by a better name. Tests, whose
# helpers may well share names, lie in a namespace of their file's name each.
option(TILEWRIGHT_UNITY "Compile several files as one" OFF)

# tw_unity(target): for targets of this directory whose sources are given by full paths.
function(tw_unity target)
  if(TILEWRIGHT_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 32)
  endif()
endfunction()
