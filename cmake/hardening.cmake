# What a hostile input meets after a mistake of ours (SECURITY.md): release builds check the stack, what the C library copies, the
# edges of standard containers and where jumps land, and nothing of them can be written once it is linked.
# tests/hardening reads the binary. docs/evidence/build.md says what it costs.
#
# The checks of containers cost 17 to 29 % of a search (docs/evidence/build.md), so that rooms and folders which compute go without;
# those that read what others wrote, and those that write, have them.
option(TILEWRIGHT_HARDENED "Harden release builds" ON)
set(TW_WITHOUT_ASSERTIONS base workload arch mapping model mapspace schedule mapper certificate sim/noc sim/npu sim/machine
    maestro/account maestro/analysis maestro/cost maestro/dataflow maestro/forms maestro/mapper maestro/walk
    timeloop/account silicon/systolic silicon/kernels silicon/gemmini tiles/expression tiles/search
    zigzag/accounting zigzag/forms zigzag/lean zigzag/orders zigzag/search zigzag/stalls zigzag/values)

if(TILEWRIGHT_HARDENED)
  add_compile_options(
    $<$<CONFIG:Release>:-fstack-protector-strong>
    $<$<CONFIG:Release>:-fstack-clash-protection>
    "$<$<CONFIG:Release>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options($<$<CONFIG:Release>:-fcf-protection=full>)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    add_compile_options($<$<CONFIG:Release>:-mbranch-protection=standard>)
  endif()
  add_link_options("$<$<CONFIG:Release>:LINKER:-z,relro,-z,now,-z,noexecstack>")
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
endif()

# tw_assertions(target room): the standard library's own checks of indices and emptiness, where they cost little.
function(tw_assertions target room)
  if(TILEWRIGHT_HARDENED AND NOT room IN_LIST TW_WITHOUT_ASSERTIONS)
    target_compile_definitions(${target} PRIVATE $<$<CONFIG:Release>:_GLIBCXX_ASSERTIONS>)
  endif()
endfunction()

# tw_computing_sources(variable room sources...): those of them that lie in folders of the room which go without.
function(tw_computing_sources variable room)
  set(computing "")
  if(TILEWRIGHT_HARDENED)
    foreach(folder ${TW_WITHOUT_ASSERTIONS})
      set(inside ${ARGN})
      list(FILTER inside INCLUDE REGEX "/src/${folder}/")
      if(folder MATCHES "^${room}/")
        list(APPEND computing ${inside})
      endif()
    endforeach()
  endif()
  set(${variable} ${computing} PARENT_SCOPE)
endfunction()
