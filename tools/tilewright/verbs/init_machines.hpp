// Starting files of machines, with comments, for `tilewright init`: texts in Timeloop's form (docs/timeloop-inputs.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::cli {

/// What a starting file is written for. Sizes and bandwidths have their units: they stand in the file as they are.
struct StartingSizes {
    std::int64_t rows = 16;
    std::int64_t columns = 16;
    std::string buffer = "256KiB";  ///< the buffer that all elements share
    std::string local = "";         ///< of the memories of one element; "": as the machine's kind has it
    std::string dram_bandwidth = "25.6GB/s";
    std::int64_t bits = 8;               ///< of an operand's word
    std::int64_t accumulator_bits = 32;  ///< of a partial sum's word
    std::string frequency = "1GHz";
    std::string technology = "45nm";
    std::int64_t vector_lanes = 0;  ///< of a vector unit beside the array; 0: there is none
};

/// "systolic", "spatial", "npu"
const std::vector<std::string>& starting_kinds();

/// The text of a file. Requires a kind of starting_kinds().
std::string starting_machine(const std::string& kind, const StartingSizes& sizes);

}  // namespace tilewright::cli
