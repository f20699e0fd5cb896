// What a test has to have seen: one that compared nothing shows nothing.
#pragma once

#include <cstdint>
#include <cstdio>

namespace tilewright::property {

/// False, with a line that says so, when fewer were seen than a test asks for.
inline bool enough(const char* what, std::uint64_t seen, std::uint64_t least) {
    if (seen >= least) return true;
    std::printf("only %llu %s, at least %llu were expected\n", static_cast<unsigned long long>(seen), what,
                static_cast<unsigned long long>(least));
    return false;
}

}  // namespace tilewright::property
