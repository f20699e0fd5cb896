// DOSA's mappings as text: "L3[WIO] C4 K48 - L2[WI] N1 K16X - L1[O] C48 P16 C16X - L0[W] P8": level, tensors that are
// kept there, loops outermost first; X is spatial. Levels count from the registers (0) to DRAM (3).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::silicon_study {

struct TextLoop {
    char dimension = ' ';
    std::int64_t extent = 1;
    bool spatial = false;
};

struct TextLevel {
    int number = 0;
    std::string kept;             ///< some of the letters W, I and O
    std::vector<TextLoop> loops;  ///< outermost first
};

/// Outermost level first. Throws std::runtime_error for text of another form.
std::vector<TextLevel> parse_mapping(const std::string& text);

}  // namespace tilewright::silicon_study
