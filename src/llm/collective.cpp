#include "llm/collective.hpp"

#include <algorithm>

namespace tilewright::llm {
namespace {

double steps_of_ring(std::int64_t devices) { return 2.0 * static_cast<double>(devices - 1); }

// Of a binary tree with this many leaves.
std::int64_t depth_of(std::int64_t devices) {
    std::int64_t depth = 0;
    for (std::int64_t reached = 1; reached < devices; reached *= 2) ++depth;
    return depth;
}

}  // namespace

double ring_us(double bytes, std::int64_t devices, const Links& links) {
    const double part = bytes / static_cast<double>(devices);
    return steps_of_ring(devices) * (links.latency_us + part / links.bytes_per_us);
}

double tree_us(double bytes, std::int64_t devices, const Links& links) {
    return 2.0 * static_cast<double>(depth_of(devices)) * (links.latency_us + bytes / links.bytes_per_us);
}

double all_reduce_us(double bytes, std::int64_t devices, const Links& links, Collective by) {
    if (by == Collective::ring) return ring_us(bytes, devices, links);
    if (by == Collective::tree) return tree_us(bytes, devices, links);
    return std::min(ring_us(bytes, devices, links), tree_us(bytes, devices, links));
}

double all_reduce_pj(double bytes, std::int64_t devices, const Links& links) {
    return steps_of_ring(devices) * bytes * links.energy_pj_per_byte;
}

}  // namespace tilewright::llm
