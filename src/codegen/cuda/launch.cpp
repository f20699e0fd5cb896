#include "codegen/cuda/launch.hpp"

#include <numeric>

#include "base/numbers/checked.hpp"

namespace tilewright::cuda {
namespace {

std::int64_t size_of(const Dim3& extents) { return saturating_mul(saturating_mul(extents.x, extents.y), extents.z); }

void check_axes(const std::string& what, const Dim3& extents, const Dim3& limits, std::vector<std::string>& problems) {
    if (extents.x < 1 || extents.y < 1 || extents.z < 1)
        problems.push_back("the " + what + " " + to_text(extents) + " is empty");
    if (extents.x > limits.x || extents.y > limits.y || extents.z > limits.z)
        problems.push_back("the " + what + " " + to_text(extents) + " exceeds the largest one, " + to_text(limits));
}

std::int64_t product(const std::vector<std::int64_t>& extents, const std::vector<int>& loops) {
    std::int64_t product = 1;
    for (const int loop : loops) product = saturating_mul(product, extents[loop]);
    return product;
}

bool fits(const Axes& axes, const std::vector<std::int64_t>& extents, const Dim3& limits) {
    return product(extents, axes.x) <= limits.x && product(extents, axes.y) <= limits.y &&
           product(extents, axes.z) <= limits.z;
}

}  // namespace

std::string to_text(const Dim3& extents) {
    return "(" + std::to_string(extents.x) + ", " + std::to_string(extents.y) + ", " + std::to_string(extents.z) + ")";
}

std::vector<std::string> launch_problems(const Launch& launch, const LaunchLimits& limits) {
    std::vector<std::string> problems;
    check_axes("grid", launch.grid, limits.grid, problems);
    check_axes("thread block", launch.block, limits.block, problems);
    const std::int64_t threads = size_of(launch.block);
    if (threads > limits.threads_per_block)
        problems.push_back("the thread block " + to_text(launch.block) + " has " + std::to_string(threads) +
                           " threads, more than " + std::to_string(limits.threads_per_block));
    if (launch.shared_bytes > limits.shared_bytes_per_block)
        problems.push_back("a block uses " + std::to_string(launch.shared_bytes) +
                           " bytes of shared memory, more than " + std::to_string(limits.shared_bytes_per_block));
    const std::int64_t registers = checked_add(launch.words_per_thread, limits.registers_beside_words);
    if (registers > limits.registers_per_thread)
        problems.push_back("a thread needs about " + std::to_string(registers) + " registers, more than " +
                           std::to_string(limits.registers_per_thread));
    if (saturating_mul(registers, threads) > limits.registers_per_block)
        problems.push_back(std::to_string(threads) + " threads of about " + std::to_string(registers) +
                           " registers need more than the " + std::to_string(limits.registers_per_block) +
                           " of a block");
    return problems;
}

Axes assign_axes(const std::vector<std::int64_t>& extents, const Dim3& limits) {
    std::vector<int> all(extents.size());
    std::iota(all.begin(), all.end(), 0);
    const auto from = [&](std::size_t first, std::size_t last) {
        return std::vector<int>(all.begin() + static_cast<std::ptrdiff_t>(std::min(first, all.size())),
                                all.begin() + static_cast<std::ptrdiff_t>(std::min(last, all.size())));
    };
    const std::size_t end = all.size();
    for (const Axes& axes : {Axes{from(0, 1), from(1, 2), from(2, end)}, Axes{from(0, 1), from(1, end), {}}})
        if (fits(axes, extents, limits)) return axes;
    return {all, {}, {}};
}

}  // namespace tilewright::cuda
