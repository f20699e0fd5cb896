#include "native/problem.hpp"

#include <algorithm>
#include <set>

#include "arch/widths.hpp"
#include "base/numbers/hash.hpp"
#include "native/problem_json.hpp"

namespace tilewright::native {
namespace {

std::string numbered(const char* what, std::size_t number) { return what + std::to_string(number); }

void rename_memories(const LayerProblem& from, Architecture& machine) {
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
            if (const std::optional<double> found = bandwidth_scale(from.einsum.tensors[t], memory))
                scale[numbered("t", t)] = *found;
        memory.bandwidth_scale = std::move(scale);
    }
}

// A key of one side only compares with nothing.
std::string difference(const Json& left, const Json& right) {
    const Json mine = left.flatten();
    const Json others = right.flatten();
    const auto value = [](const Json& values, const std::string& path) {
        return values.contains(path) ? text_of(values[path]) : std::string("nothing");
    };
    std::set<std::string> paths;
    for (const Json& values : {mine, others})
        for (const auto& [path, ignored] : values.items()) paths.insert(path);
    for (const std::string& path : paths) {
        if (value(mine, path) == value(others, path)) continue;
        std::string name = path.substr(std::min<std::size_t>(1, path.size()));
        std::replace(name.begin(), name.end(), '/', '.');
        return name + ": " + value(mine, path) + ", not " + value(others, path);
    }
    return "";
}

}  // namespace

std::string text_of(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string hash_of(const Architecture& machine) { return content_hash(text_of(json_of(machine))); }

std::string difference(const Architecture& machine, const Architecture& other) {
    return difference(json_of(machine), json_of(other));
}

std::string difference(const Einsum& einsum, const Einsum& other) {
    return difference(json_of(einsum), json_of(other));
}

std::string difference(const Constraints& constraints, const Constraints& other, const Einsum& einsum) {
    return difference(json_of(constraints, einsum), json_of(other, einsum));
}

LayerProblem without_names(const LayerProblem& problem) {
    LayerProblem plain = problem;
    plain.einsum.name.clear();
    for (std::size_t d = 0; d < plain.einsum.dimensions.size(); ++d) plain.einsum.dimensions[d].name = numbered("d", d);
    for (std::size_t t = 0; t < plain.einsum.tensors.size(); ++t) plain.einsum.tensors[t].name = numbered("t", t);
    rename_memories(problem, plain.architecture);
    return plain;
}

std::string to_text(const LayerProblem& problem) {
    const Json json{{"einsum", json_of(problem.einsum)},
                    {"machine", json_of(problem.architecture)},
                    {"constraints", json_of(problem.constraints, problem.einsum)}};
    return text_of(json);
}

}  // namespace tilewright::native
