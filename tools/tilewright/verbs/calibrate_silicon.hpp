// The numbers of an accelerator from measured rows, into its machine's file: `tilewright calibrate --from`.
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

struct CalibrationFiles {
    std::string products;  ///< columns m, n, k, us; dtype, if there, selects bfloat16
    std::string links;     ///< columns gpus, bytes, us: all-reduces; "": none
};

struct CalibrationText {
    std::string table;    ///< each number, its spread, its rows
    std::string machine;  ///< the machine's file with these numbers
};

/// `root`: the machine's file, with a part `accelerator`. Throws InputError for other machines and for bad rows.
CalibrationText calibration_text(const yaml::Node& root, const Architecture& architecture,
                                 const CalibrationFiles& files);

}  // namespace tilewright::cli
