#include "arch/format.hpp"

#include <array>
#include <cstdio>

namespace tilewright {

std::string short_number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g", value);
    return text.data();
}

std::string size_text(double bytes) {
    const char* unit = " B";
    for (const char* larger : {" KiB", " MiB", " GiB"}) {
        if (bytes < 1024.0) break;
        bytes /= 1024.0;
        unit = larger;
    }
    return short_number(bytes) + unit;
}

}  // namespace tilewright
