// What the tests of CUDA kernels share: a GPU and its constraints, kernels compiled and run away from any GPU, and the
// plain loop that says what is right.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"

namespace tilewright::cuda {

/// A GPU of the zoo.
Architecture gpu(const std::string& name);
Constraints gpu_constraints(const std::string& name, const Einsum& einsum);

/// An even mapping from the five kinds of loops of a kernel, each list outermost first. Remainders follow from the
/// extents.
struct Nest {
    using Factors = std::vector<std::pair<std::string, std::int64_t>>;
    Factors tile = {};
    Factors block = {};
    Factors step = {};
    Factors thread = {};
    Factors point = {};
    std::vector<std::string> unstaged = {};  ///< operands that stay out of shared memory
};
Mapping mapping_of(const Nest& nest, const Einsum& einsum, const Architecture& architecture);

/// The `seed`-th random legal mapping of a layer on a GPU of the zoo.
Mapping random_mapping(const std::string& gpu_name, const Einsum& einsum, const std::string& factor_rule,
                       std::uint64_t seed);

struct Case {
    std::string name;
    Einsum einsum;
    Architecture architecture;
    Mapping mapping;
};

/// Small whole numbers, so that sums are exact; for the written tensor NaN, so that reading it too early shows.
std::vector<std::vector<float>> arrays_for(const Einsum& einsum, std::uint64_t seed);

/// The written tensor after every iteration, one after another.
std::vector<float> plain_result(const Einsum& einsum, const std::vector<std::vector<float>>& arrays);

/// Writes kernels, compiles them with the host's compiler and runs them block by block (emulation/cuda_runtime.h).
class Workshop {
   public:
    Workshop();
    ~Workshop();
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;

    /// By case, the written tensor; empty where the kernel did not run to its end. `error` gets what compiler and
    /// kernels said.
    std::vector<std::vector<float>> run(const std::vector<Case>& cases, std::string& error);

    const std::filesystem::path& folder() const { return folder_; }

   private:
    bool compile(const std::vector<Case>& cases, std::string& error);
    std::vector<float> run_one(const Case& one, std::string& error);

    std::filesystem::path folder_;
};

/// The exit status of a shell command, whose output is added to `output`.
int run_command(const std::string& command, std::string& output);

}  // namespace tilewright::cuda
