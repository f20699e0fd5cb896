// Data files embedded in the library, for any install location. cmake/embed.cmake generates one function per set of
// files; the owning room declares it.
#pragma once

#include <span>
#include <string_view>

namespace tilewright {

struct EmbeddedFile {
    std::string_view path;  ///< relative to the source tree: "data/tables/dram.csv"
    std::string_view text;
};

}  // namespace tilewright
