#include "accelforge/account/occupancy.hpp"

#include <algorithm>
#include <map>

namespace tilewright::accelforge {
namespace {

/// One einsum's part in a shared tensor.
struct Share {
    std::size_t einsum = 0;
    const Reservation* reservation = nullptr;
};

using ByName = std::map<std::string, double>;

bool runs_inside(const MappedEinsum& einsum, const MappingNode* loop) {
    return loop != nullptr && std::ranges::any_of(einsum.path.steps, [&](const Step& step) {
               return step.kind == Step::Kind::loop && step.node == loop;
           });
}

/// The branch of an einsum at split `depth` of its path; 0 behind the last.
int branch_at(const MappedEinsum& einsum, std::size_t depth) {
    return depth < einsum.path.splits.size() ? einsum.path.splits[depth].branch : 0;
}

// Number of splits common to all holders of the tensor.
std::size_t common_splits(const std::vector<MappedEinsum>& einsums, const std::vector<Share>& shares) {
    const MappedEinsum& first = einsums[shares.front().einsum];
    std::size_t depth = shares.front().reservation->splits_above;
    for (const Share& share : shares) {
        depth = std::min(depth, share.reservation->splits_above);
        const auto& other = einsums[share.einsum].path.splits;
        std::size_t same = 0;
        while (same < depth && first.path.splits[same] == other[same]) ++same;
        depth = same;
    }
    return depth;
}

bool is_alive(const std::vector<MappedEinsum>& einsums, const std::vector<Share>& shares, std::size_t now) {
    const bool in_a_loop = std::ranges::any_of(
        shares, [&](const Share& share) { return runs_inside(einsums[now], share.reservation->loop_below); });
    if (in_a_loop) return true;
    const std::size_t depth = common_splits(einsums, shares);
    const auto& first = einsums[shares.front().einsum].path.splits;
    const auto& here = einsums[now].path.splits;
    if (here.size() < depth ||
        !std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(depth), here.begin()))
        return false;
    int begin = branch_at(einsums[shares.front().einsum], depth);
    int end = begin;
    for (const Share& share : shares) {
        begin = std::min(begin, branch_at(einsums[share.einsum], depth));
        end = std::max(end, branch_at(einsums[share.einsum], depth));
    }
    return begin <= branch_at(einsums[now], depth) && branch_at(einsums[now], depth) <= end;
}

const std::string& memory_of(const MappedEinsum& einsum, const Reservation& reservation) {
    return einsum.path.component(reservation.component).name;
}

}  // namespace

std::vector<MemoryUse> occupancy(const Workload& workload, const std::vector<MappedEinsum>& einsums) {
    std::vector<ByName> used(einsums.size());
    std::map<std::pair<std::string, std::string>, std::vector<Share>> spans;
    std::map<std::pair<std::string, std::string>, double> always;
    for (std::size_t i = 0; i < einsums.size(); ++i)
        for (const Reservation& one : einsums[i].counts.reservations) {
            const std::string& tensor = einsums[i].path.access(one.tensor).tensor;
            const std::pair key{memory_of(einsums[i], one), tensor};
            if (one.persistent) {
                always[key] = one.bits * einsums[i].path.einsum->instances;
            } else if (one.first && workload.is_shared(tensor)) {
                spans[key].push_back({i, &one});
            } else {
                for (std::size_t now = 0; now < einsums.size(); ++now)
                    if (now == i || runs_inside(einsums[now], one.loop_below)) used[now][key.first] += one.bits;
            }
        }
    for (std::size_t now = 0; now < einsums.size(); ++now) {
        for (const auto& [key, shares] : spans)
            if (is_alive(einsums, shares, now)) used[now][key.first] += shares.front().reservation->bits;
        for (const auto& [key, bits] : always) used[now][key.first] += bits;
    }
    std::vector<MemoryUse> uses;
    for (const MappedEinsum& einsum : einsums)
        for (const int index : einsum.path.components) {
            const Component& component = einsum.path.component(index);
            if (component.kind != ComponentKind::memory) continue;
            auto use = std::ranges::find(uses, component.name, &MemoryUse::memory);
            if (use == uses.end()) use = uses.insert(uses.end(), MemoryUse{component.name, 0.0, component.size_bits});
            use->size_bits = component.size_bits;
        }
    for (MemoryUse& use : uses)
        for (const ByName& one : used)
            if (const auto bits = one.find(use.memory); bits != one.end()) use.bits = std::max(use.bits, bits->second);
    return uses;
}

}  // namespace tilewright::accelforge
