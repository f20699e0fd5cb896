#include "frontend/native/problem.hpp"

#include "frontend/native/problem_json.hpp"

namespace tilewright::native {
namespace {

std::string numbered(const char* what, std::size_t number) { return what + std::to_string(number); }

void rename_memories(const Problem& from, Architecture& machine) {
    machine.name.clear();
    machine.compute.name = "compute";
    for (std::size_t m = 0; m < machine.memories.size(); ++m) {
        Memory& memory = machine.memories[m];
        memory.name = numbered("m", m);
        if (memory.power_gated_at) {
            const int gate = find_memory(from.architecture, *memory.power_gated_at);
            memory.power_gated_at = numbered("m", static_cast<std::size_t>(gate));
        }
        std::map<std::string, double> scale;
        for (std::size_t t = 0; t < from.einsum.tensors.size(); ++t)
            if (const auto found = memory.bandwidth_scale.find(from.einsum.tensors[t].name);
                found != memory.bandwidth_scale.end())
                scale[numbered("t", t)] = found->second;
        memory.bandwidth_scale = std::move(scale);
    }
}

}  // namespace

Problem without_names(const Problem& problem) {
    Problem plain = problem;
    plain.einsum.name.clear();
    for (std::size_t d = 0; d < plain.einsum.dimensions.size(); ++d) plain.einsum.dimensions[d].name = numbered("d", d);
    for (std::size_t t = 0; t < plain.einsum.tensors.size(); ++t) plain.einsum.tensors[t].name = numbered("t", t);
    rename_memories(problem, plain.architecture);
    return plain;
}

std::string to_text(const Problem& problem) {
    const Json json{{"einsum", json_of(problem.einsum)},
                    {"machine", json_of(problem.architecture)},
                    {"constraints", json_of(problem.constraints, problem.einsum)}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tilewright::native
