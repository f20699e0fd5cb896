// Data files that are compiled into the library, so that it works wherever it is installed. cmake/embed.cmake generates
// one function per set of files; the room that owns the set declares it.
#pragma once

#include <span>
#include <string_view>

namespace tilewright {

struct EmbeddedFile {
    std::string_view path;  ///< relative to the source tree: "data/tables/dram.csv"
    std::string_view text;
};

}  // namespace tilewright
