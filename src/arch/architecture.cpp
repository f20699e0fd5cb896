#include "arch/architecture.hpp"

#include <cmath>
#include <set>

#include "workload/layer_roles.hpp"

namespace tilewright {
namespace {

std::string problem_with(const Architecture& architecture, int index) {
    const Memory& memory = architecture.memories[index];
    const std::string name = "memory '" + memory.name + "'";
    if (memory.instances < 1) return name + " has no instances";
    if (memory.mesh.x < 1 || memory.mesh.y < 1) return name + " has an empty mesh";
    if (memory.mesh.size() != memory.instances)
        return name + ": meshX * meshY = " + std::to_string(memory.mesh.size()) + ", but it has " +
               std::to_string(memory.instances) + " instances";
    if (memory.word_bits < 1 || memory.block_words < 1 || memory.cluster_size < 1)
        return name + " needs positive word bits, block size and cluster size";
    if (memory.instances % memory.cluster_size != 0)
        return name + ": " + std::to_string(memory.instances) + " instances do not divide into clusters of " +
               std::to_string(memory.cluster_size);
    if (index == 0 && !memory.holds_scales) return name + " is the outermost one: scales come from there";
    if (!(memory.multiple_buffering > 0.0)) return name + ": multiple buffering divides the capacity by more than 0";
    if (memory.reserved_words < 0 || memory.reserved_words > memory.capacity_words.value_or(memory.reserved_words))
        return name + ": reserved words are a part of the capacity";
    constexpr std::int64_t kMostRounded = std::int64_t{1} << 31;
    if (memory.alignment_words < 1 || memory.alignment_words > kMostRounded)
        return name + ": an alignment has 1 to 2^31 words";
    for (const auto& [tensor, count] : memory.buffers)
        if (count < 1 || count > kMostRounded) return name + ": '" + tensor + "' has 1 to 2^31 buffers";
    for (const auto& [dimension, rule] : memory.tile)
        if (rule.multiple_of < 1 || rule.at_least < 1 || rule.at_most.value_or(rule.at_least) < rule.at_least)
            return name + ": no tile along '" + dimension + "' is legal";
    if (memory.power_gated_at && find_memory(architecture, *memory.power_gated_at) < 0)
        return name + " is power-gated at '" + *memory.power_gated_at + "', which does not exist";
    const Mesh& inner = architecture.mesh(index + 1);
    if (inner.x % memory.mesh.x != 0 || inner.y % memory.mesh.y != 0)
        return "the mesh inside " + name + " (" + std::to_string(inner.x) + " x " + std::to_string(inner.y) +
               ") is not a multiple of its own (" + std::to_string(memory.mesh.x) + " x " +
               std::to_string(memory.mesh.y) + ")";
    return "";
}

}  // namespace

std::string rule_text(const TileRule& rule) {
    std::vector<std::string> parts;
    if (rule.multiple_of != 1) parts.push_back("a multiple of " + std::to_string(rule.multiple_of));
    if (rule.at_least != 1) parts.push_back("at least " + std::to_string(rule.at_least));
    if (rule.at_most) parts.push_back("at most " + std::to_string(*rule.at_most));
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::optional<std::int64_t> Memory::usable_words() const {
    if (!capacity_words) return std::nullopt;
    return static_cast<std::int64_t>(
        std::floor(static_cast<double>(*capacity_words - reserved_words) / multiple_buffering));
}

void Memory::set_usable_words(std::optional<std::int64_t> words) {
    capacity_words = words;
    multiple_buffering = 1.0;
    reserved_words = 0;
}

const std::map<std::int64_t, double>& Link::multicast_energy_of(const std::string& tensor) const {
    static const std::map<std::int64_t, double> kNothing;
    if (tensor_multicast_energy_pj.empty()) return multicast_energy_pj;
    const auto own = tensor_multicast_energy_pj.find(tensor);
    return own == tensor_multicast_energy_pj.end() ? kNothing : own->second;
}

Mesh Architecture::fanout(int index) const {
    const Mesh& outer = memories[index].mesh;
    const Mesh& inner = mesh(index + 1);
    return {inner.x / outer.x, inner.y / outer.y};
}

bool is_passed(const Passage& passage, const Einsum& einsum, int tensor) {
    if (find_tensor(einsum, passage.tensor) >= 0) return einsum.tensors[tensor].name == passage.tensor;
    const OperandRole role = layer_roles(einsum).operands[tensor];
    return role != OperandRole::none && kOperandNames[static_cast<std::size_t>(role)] == passage.tensor;
}

double passage_pj(const Link& link, const Einsum& einsum, int tensor) {
    double pj = 0.0;
    for (const Passage& passage : link.passages)
        if (is_passed(passage, einsum, tensor)) pj += passage.word_pj();
    return pj;
}

int find_memory(const Architecture& architecture, std::string_view name) {
    for (int i = 0; i < architecture.memory_count(); ++i)
        if (architecture.memories[i].name == name) return i;
    return -1;
}

std::string problem_with(const Architecture& architecture) {
    if (architecture.memories.empty()) return "an architecture needs at least one memory";
    if (architecture.memory_count() > kMaxMemories)
        return "more than " + std::to_string(kMaxMemories) + " memories are not supported";
    const Compute& compute = architecture.compute;
    if (compute.instances < 1 || compute.mesh.x < 1 || compute.mesh.y < 1) return "there are no compute units";
    if (compute.mesh.size() != compute.instances)
        return "compute '" + compute.name + "': meshX * meshY = " + std::to_string(compute.mesh.size()) +
               ", but it has " + std::to_string(compute.instances) + " instances";
    std::set<std::string> names{compute.name};
    for (int i = 0; i < architecture.memory_count(); ++i) {
        if (!names.insert(architecture.memories[i].name).second)
            return "two components are called '" + architecture.memories[i].name + "'";
        if (std::string problem = problem_with(architecture, i); !problem.empty()) return problem;
    }
    return "";
}

double total_area_um2(const Architecture& architecture) {
    const Compute& compute = architecture.compute;
    double area = compute.area_um2.value * static_cast<double>(compute.instances);
    for (const Memory& memory : architecture.memories)
        area += memory.area_um2.value * static_cast<double>(memory.instances);
    return area;
}

}  // namespace tilewright
