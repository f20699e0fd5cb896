// Machine: what rules and times know of a chip: named numbers, the kernels that its software has, and how good the code
// of each is where that was measured. A value, read by files/; thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::tiles {

/// Of fewer rows a median says little: their quality is kept, but not believed.
inline constexpr std::int64_t kLeastQualityRows = 8;

struct Quality {
    double time = 1.0;      ///< measured over predicted, in the median
    std::int64_t rows = 0;  ///< that it was measured on

    bool is_measured() const { return rows >= kLeastQualityRows; }
};

struct Machine {
    std::string name;
    std::string like;  ///< the machine whose numbers these replace, or ""
    std::map<std::string, double> numbers;
    std::vector<std::vector<std::int64_t>> kernels;  ///< rows for `choose: {"a, b": kernels of the machine}`
    std::map<std::vector<std::int64_t>, Quality> quality;
    double unmeasured = 1.0;  ///< quality of code that stands not in the list
    double prior = 0.0;       ///< code that won `rows` times counts as rows^-prior of its time, where points are ranked
    double measured_error = -1.0;  ///< median error of such times; below 0: unknown
    std::int64_t measured_rows = 0;
};

}  // namespace tilewright::tiles
