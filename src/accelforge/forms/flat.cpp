#include "accelforge/forms/flat.hpp"

namespace tilewright::accelforge {
namespace {

MappingNode store(std::vector<std::string> tensors, const std::string& memory) {
    MappingNode node;
    node.tensors = std::move(tensors);
    node.component = memory;
    return node;
}

std::vector<MappingNode> flat_branch(const EinsumSpec& einsum, const std::vector<std::string>& inner_memories,
                                     const std::string& compute) {
    std::vector<MappingNode> nodes;
    std::vector<std::string> tensors;
    for (const TensorAccess& access : einsum.accesses) tensors.push_back(access.tensor);
    for (const std::string& memory : inner_memories) nodes.push_back(store(tensors, memory));
    for (const std::string& variable : einsum.variables) {
        MappingNode loop;
        loop.kind = MappingNode::Kind::temporal;
        loop.variable = variable;
        nodes.push_back(loop);
    }
    MappingNode last;
    last.kind = MappingNode::Kind::compute;
    last.einsum = einsum.name;
    last.component = compute;
    nodes.push_back(last);
    return nodes;
}

}  // namespace

MappingTree flat_mapping(const Workload& workload, const std::vector<std::string>& memories,
                         const std::function<std::string(const EinsumSpec&)>& compute_of) {
    const std::vector<std::string> inner(memories.begin() + 1, memories.end());
    MappingNode split;
    split.kind = MappingNode::Kind::split;
    for (const EinsumSpec& einsum : workload.einsums)
        split.branches.push_back(flat_branch(einsum, inner, compute_of(einsum)));
    return {{store(workload.tensors(), memories.front()), split}, {}};
}

}  // namespace tilewright::accelforge
