// Measured kernels of accelerators (rows of golden/silicon2, unpacked) beside predictions.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "silicon/accelerator/accelerator.hpp"

namespace tilewright::silicon_study {

/// Rows of one machine, engine, precision and kind.
struct Group {
    std::string kind;     ///< "products", "prefill", "decode", "latent decode", "experts", "collectives", "power"
    std::string machine;  ///< as the files call it: "H100"
    std::string what;     ///< engine, precision, kernel
    std::vector<double> predicted;
    std::vector<double> measured;
    std::vector<double> roofline;  ///< empty where none is known
};

/// The machine under an engine; empty for one without a form (B60).
using MachineOf = std::function<const silicon::Accelerator*(const std::string& machine, const std::string& engine)>;

struct RowOptions {
    std::size_t every = 1;      ///< the first, and each so many-th row after it
    bool without_form = false;  ///< products by the general form
};

/// Of one file, gemm-H100.csv. Rows of kinds without a prediction are left out: vLLM's products of 8-bit blocks, which
/// ran without a graph, and eager collectives.
std::vector<Group> groups_of(const std::filesystem::path& file, const MachineOf& machine_of, const RowOptions& options);

/// The machines of shipped files: "H100" -> "h100".
std::string zoo_name(const std::string& machine);
/// The machine whose calibration stands in for that of another: "H100" -> "A100".
std::string relative_of(const std::string& machine);

}  // namespace tilewright::silicon_study
