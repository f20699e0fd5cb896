// Reads the part `accelerator` of a machine's section `silicon`, and the forms of its generation (data/silicon).
//
//     silicon:
//       accelerator:
//         generation: hopper
//         cache_bytes: 50.0e6
//         multiprocessors: 132              # of the next rate; a machine with half of them has half of it
//         operations_per_us: 989.4e6        # dense, 16 bits; without: the architecture's
//         fp8_factor: 2
//         calibrated: {launch_us: 2.35, bandwidth_share: 0.836, rate_share: 0.866, link_share: 0.71, rows: "..."}
//
// Memory, multiprocessors and clock are the architecture's, links and power those of `device`. Without `calibrated` a
// machine takes those of a relative, named by its generation's file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "silicon/accelerator/accelerator.hpp"
#include "yaml/node.hpp"

namespace tilewright::silicon {

/// Of an engine that the generation has no kernels of: those of the engine that stands in. Throws InputError
/// (bad_value) for an unknown generation or engine, at `place`.
Form form_named(const std::string& generation, const std::string& engine, const yaml::Node& place);

/// Names of the engines: "vllm", "trtllm", "sglang".
std::vector<std::string> engine_names();

/// The file of a generation. Throws InputError (bad_value) for an unknown one, at `place`.
yaml::Node generation_file(const std::string& generation, const yaml::Node& place);

/// `root`: a machine's file. Empty without such a part. Throws InputError.
std::optional<Accelerator> read_accelerator(const yaml::Node& root, const Architecture& architecture,
                                            const std::string& engine = "vllm");

}  // namespace tilewright::silicon
