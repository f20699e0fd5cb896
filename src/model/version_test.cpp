// Guards kModelVersion: evaluations that touch most rules of the model, as a digest.
#include "model/version.hpp"

#include <gtest/gtest.h>

#include <iomanip>
#include <sstream>

#include "base/numbers/hash.hpp"
#include "model/exact/model.hpp"
#include "workload/shapes.hpp"

namespace tilewright::version_test {
namespace {

Memory memory(std::string name, Mesh mesh, std::int64_t block_words, double energy_pj) {
    Memory m;
    m.name = std::move(name);
    m.mesh = mesh;
    m.instances = mesh.size();
    m.block_words = block_words;
    m.energy = {{energy_pj, ""}, {energy_pj + 1.0, ""}, {energy_pj + 2.0, ""}, {0.125, ""}};
    return m;
}

// Blocks, clusters, leakage, addresses, wires, bandwidths, memories that cannot reduce.
Architecture machine() {
    Architecture a;
    a.memories = {memory("DRAM", {1, 1}, 4, 200.0), memory("Buffer", {1, 1}, 2, 6.0),
                  memory("Registers", {3, 2}, 1, 1.0)};
    a.memories[0].reduces = false;
    a.memories[0].shared_words_per_cycle = 0.75;
    a.memories[1].address_energy_pj = 0.25;
    a.memories[1].link.energy_per_hop_pj = 0.5;
    a.memories[1].link.router_energy_pj = 0.0625;
    a.memories[1].link.fill_latency_cycles = 3;
    a.memories[2].cluster_size = 2;
    a.memories[2].address_energy_pj = 0.125;
    a.memories[2].power_gated_at = "Buffer";
    a.compute.mesh = {3, 2};
    a.compute.instances = 6;
    a.compute.energy_pj.value = 1.5;
    return a;
}

Loop loop(int dimension, std::int64_t extent, std::int64_t remainder = 0, LoopKind kind = LoopKind::temporal) {
    return {dimension, extent, remainder == 0 ? extent : remainder, kind};
}

// O[n, k, p, q] += W[k, c, r, s] * I[n, c, 2p + r, 2q + s] in three ways, the second with remainders and bypass, the
// third with two of six neighbours idle.
std::vector<Mapping> mappings(const Einsum& einsum) {
    const auto d = [&einsum](const char* name) { return find_dimension(einsum, name); };
    const TensorSet all = TensorSet::all(3);
    const Mapping perfect =
        mapping_of({{all, {loop(d("C"), 2), loop(d("P"), 3)}, {}},
                    {all,
                     {loop(d("K"), 2), loop(d("Q"), 6)},
                     {loop(d("K"), 3, 3, LoopKind::spatial_x), loop(d("R"), 2, 2, LoopKind::spatial_y)}},
                    {all, {loop(d("P"), 2), loop(d("S"), 2), loop(d("C"), 2)}, {}}});
    const Mapping imperfect = mapping_of(
        {{all, {loop(d("Q"), 2), loop(d("C"), 2), loop(d("P"), 3)}, {}},
         {TensorSet::from_bits(0b110),
          {loop(d("K"), 2), loop(d("Q"), 2, 1)},
          {loop(d("K"), 3, 3, LoopKind::spatial_x), loop(d("Q"), 2, 2, LoopKind::spatial_y)}},
         {TensorSet::from_bits(0b101), {loop(d("P"), 2), loop(d("S"), 2), loop(d("R"), 2), loop(d("C"), 2)}, {}}});
    const Mapping along_both_axes =
        mapping_of({{all, {loop(d("Q"), 6), loop(d("C"), 6), loop(d("P"), 6)}, {}},
                    {all, {}, {loop(d("K"), 2, 2, LoopKind::spatial_y), loop(d("K"), 3, 1, LoopKind::spatial_x)}},
                    {all, {loop(d("S"), 2), loop(d("R"), 2)}, {}}});
    return {perfect, imperfect, along_both_axes};
}

std::string numbers(const Evaluation& evaluation) {
    std::ostringstream text;
    text << std::setprecision(12) << evaluation.energy_pj << ' ' << evaluation.cycles << '\n';
    for (const MemoryEvaluation& memory : evaluation.memories)
        for (const auto& tensor : memory.tensors)
            text << tensor.tile_words << ' ' << tensor.reads << ' ' << tensor.fills << ' ' << tensor.updates << '\n';
    return text.str();
}

TEST(ModelVersion, GoesUpWhenNumbersChange) {
    const Einsum einsum = conv2d(6, 4, 6, 2, 2);
    std::string text;
    for (const Mapping& mapping : mappings(einsum)) text += numbers(evaluate(einsum, machine(), mapping));
    EXPECT_EQ(kModelVersion, 4);
    EXPECT_EQ(content_hash(text), "5ad3107de1d7057e773da6ee73471864")
        << "the model counts differently than before: raise kModelVersion, so that results kept on disk and old "
           "certificates are not believed, and put the new digest here\n"
        << text;
}

}  // namespace
}  // namespace tilewright::version_test
