#include "codegen/cuda/kernel.hpp"

#include <algorithm>
#include <optional>

#include "base/numbers/checked.hpp"
#include "codegen/cuda/plan.hpp"
#include "mapping/text.hpp"

namespace tilewright::cuda {
namespace {

constexpr std::int64_t kSharedBytesWithoutAsking = 48 * 1024;

void write_comment(Code& code, const std::string& text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = comment(text.substr(begin, end - begin));
        code.line(line.empty() ? "//" : "// " + line);
        begin = end + 1;
    }
}

// "weights[64][64][3][3]"
std::string layout_text(const Plan& plan, int tensor) {
    std::string text = plan.names.tensors[tensor];
    for (const Rank& rank : plan.einsum.tensors[tensor].ranks)
        text += "[" + std::to_string(rank_extent(rank, whole_extents(plan.einsum))) + "]";
    return text;
}

std::string head_text(const Plan& plan, const Architecture& architecture, const Mapping& mapping,
                      const std::string& layer) {
    std::string text =
        layer + " on " + architecture.name + ", written by tilewright.\n\n" + to_text(plan.einsum) + "\n";
    for (const Dimension& dimension : plan.einsum.dimensions)
        text += dimension.name + "=" + std::to_string(dimension.extent) + " ";
    text.back() = '\n';
    text += "Arrays, last index fastest:";
    for (int t = 0; t < plan.einsum.tensor_count(); ++t) text += " " + layout_text(plan, t);
    text += "\nGrid " + to_text(plan.launch.grid) + ", block " + to_text(plan.launch.block) + ", " +
            std::to_string(plan.launch.shared_bytes) + " bytes of shared memory, " +
            std::to_string(plan.launch.words_per_thread) + " words in the registers of a thread.\n\n";
    return text + loop_nest_text(plan.einsum, architecture, mapping);
}

// "const float* __restrict__ weights, ..., float* __restrict__ outputs"
std::string parameters(const Plan& plan, const std::string& qualifier) {
    std::string text;
    for (int t = 0; t < plan.einsum.tensor_count(); ++t)
        text += std::string(text.empty() ? "" : ", ") + (t == plan.tiling.written ? "" : "const ") + "float* " +
                qualifier + plan.names.tensors[t];
    return text;
}

// Blocks per multiprocessor if every thread has the machine's registers; nvcc then uses no more.
std::int64_t resident_blocks(const Architecture& architecture, std::int64_t threads) {
    constexpr std::int64_t kMostBlocks = 16;
    constexpr std::int64_t kMostThreads = 2048;
    const std::optional<std::int64_t> words = architecture.memories.back().usable_words();
    if (!words) return 1;
    const LaunchLimits limits;
    const std::int64_t registers = std::min(*words, limits.registers_per_thread) + limits.registers_beside_words;
    const std::int64_t fitting = limits.registers_per_block / (threads * registers);
    return std::clamp<std::int64_t>(fitting, 1, std::clamp<std::int64_t>(kMostThreads / threads, 1, kMostBlocks));
}

void write_kernel(const Plan& plan, const Architecture& architecture, const std::string& name, Code& code) {
    const Dim3& block = plan.launch.block;
    const std::int64_t threads = block.x * block.y * block.z;
    const std::int64_t resident = resident_blocks(architecture, threads);
    code.line("__global__ void __launch_bounds__(" + std::to_string(threads) +
              (resident > 1 ? ", " + std::to_string(resident) : "") + ")");
    code.open(name + "_kernel(" + parameters(plan, "__restrict__ ") + ")");
    write_body(plan, code);
    code.close();
}

// cudaLaunchKernel rather than <<< >>>: plain C++ for any compiler.
void write_launcher(const Plan& plan, const std::string& name, Code& code) {
    const std::string kernel = "reinterpret_cast<const void*>(" + name + "_kernel)";
    code.line("// Starts the kernel on arrays in device memory; the result says whether it started.");
    code.open("extern \"C\" cudaError_t " + name + "(" + parameters(plan, "") + ", cudaStream_t stream)");
    code.line("const dim3 grid" + to_text(plan.launch.grid) + ";");
    code.line("const dim3 block" + to_text(plan.launch.block) + ";");
    const std::string bytes = std::to_string(plan.launch.shared_bytes);
    if (plan.launch.shared_bytes > kSharedBytesWithoutAsking) {
        code.line("const cudaError_t error =");
        code.line("    cudaFuncSetAttribute(" + kernel + ", cudaFuncAttributeMaxDynamicSharedMemorySize, " + bytes +
                  ");");
        code.line("if (error != cudaSuccess) return error;");
    }
    std::string addresses;
    for (const std::string& tensor : plan.names.tensors) addresses += (addresses.empty() ? "&" : ", &") + tensor;
    code.line("void* arguments[] = {" + addresses + "};");
    code.line("return cudaLaunchKernel(" + kernel + ", grid, block, arguments, " + bytes + ", stream);");
    code.close();
}

}  // namespace

LaunchLimits launch_limits(const Architecture& architecture) {
    LaunchLimits limits;
    int storing = 0;
    for (const Memory& memory : architecture.memories) {
        if (memory.spreads_only) continue;
        const std::optional<std::int64_t> words = memory.usable_words();
        if (++storing == 2 && words) limits.shared_bytes_per_block = saturating_mul(*words, memory.word_bits) / 8;
    }
    return limits;
}

Kernel make_kernel(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                   const std::string& layer) {
    const Plan plan = plan_of(einsum, architecture, mapping);
    const std::string name = identifier(layer);
    Code code;
    write_comment(code, head_text(plan, architecture, mapping, layer));
    code.line("#include <cuda_runtime.h>");
    code.blank();
    write_kernel(plan, architecture, name, code);
    code.blank();
    write_launcher(plan, name, code);
    return {name, code.text(), plan.launch};
}

}  // namespace tilewright::cuda
