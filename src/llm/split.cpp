#include "llm/split.hpp"

#include <algorithm>
#include <set>

namespace tilewright::llm {
namespace {

bool has_rank(const Cascade& cascade, const std::string& name) {
    return std::ranges::any_of(cascade.einsums,
                               [&](const CascadeEinsum& one) { return find_dimension(one.einsum, name) >= 0; });
}

// The vocabulary is cut only without remainder.
bool divides_rank(const Cascade& cascade, const std::string& name, std::int64_t devices) {
    return std::ranges::all_of(cascade.einsums, [&](const CascadeEinsum& one) {
        const int rank = find_dimension(one.einsum, name);
        return rank < 0 || one.einsum.dimensions[rank].extent % devices == 0;
    });
}

std::set<std::string> ranks_of(const Cascade& cascade, std::int64_t devices) {
    std::set<std::string> ranks{"h", "f", "s", "p"};
    if (!has_rank(cascade, "h")) ranks = {"i"};
    if (divides_rank(cascade, "v", devices)) ranks.insert("v");
    return ranks;
}

/// Of an operand: its tensor's cut axes.
struct CutAxes {
    std::set<std::size_t> axes;
    std::string problem;
};

class Sharing {
   public:
    Sharing(const Cascade& cascade, std::int64_t devices)
        : shared_{cascade, {}}, devices_(devices), ranks_(ranks_of(cascade, devices)) {}

    std::variant<Shared, std::string> share() {
        if (std::string problem = cut_tensors(); !problem.empty()) return problem;
        for (CascadeEinsum& one : shared_.part.einsums)
            for (Dimension& dimension : one.einsum.dimensions)
                if (ranks_.contains(dimension.name)) dimension.extent /= devices_;
        find_sums();
        if (std::string problem = problem_with(shared_.part); !problem.empty()) return problem;
        return std::move(shared_);
    }

   private:
    bool is_cut(const CascadeEinsum& one, int dimension) const {
        return ranks_.contains(one.einsum.dimensions[dimension].name);
    }

    CutAxes axes_of(const CascadeEinsum& one, std::size_t operand) const {
        const Access& access = one.accesses[operand];
        const CascadeTensor& tensor = shared_.part.tensors[access.tensor];
        CutAxes cut;
        for (std::size_t axis = 0; axis < access.coordinates.size(); ++axis) {
            const Coordinate& at = access.coordinates[axis];
            for (const Term& term : at.terms) {
                if (!is_cut(one, term.dimension)) continue;
                const std::int64_t extent = one.einsum.dimensions[term.dimension].extent;
                if (at.terms.size() > 1 || term.coefficient != 1 || at.offset != 0 || tensor.shape[axis] != extent)
                    cut.problem = "'" + one.name + "' reads parts of '" + tensor.name + "' across the devices";
                cut.axes.insert(axis);
            }
        }
        return cut;
    }

    std::string undivided(const CascadeEinsum& one) const {
        for (const Dimension& dimension : one.einsum.dimensions)
            if (ranks_.contains(dimension.name) && dimension.extent % devices_ != 0)
                return "rank '" + dimension.name + "' of '" + one.name + "' has " + std::to_string(dimension.extent) +
                       ", which " + std::to_string(devices_) + " devices do not divide";
        return "";
    }

    // All users of a tensor have to agree.
    std::string cut_tensors() {
        std::vector<std::set<std::size_t>> cut(shared_.part.tensors.size());
        std::vector<bool> seen(shared_.part.tensors.size(), false);
        for (const CascadeEinsum& one : shared_.part.einsums) {
            if (std::string problem = undivided(one); !problem.empty()) return problem;
            for (std::size_t operand = 0; operand < one.accesses.size(); ++operand) {
                if (one.accesses[operand].anywhere) continue;
                const auto tensor = static_cast<std::size_t>(one.accesses[operand].tensor);
                CutAxes axes = axes_of(one, operand);
                if (!axes.problem.empty()) return axes.problem;
                if (seen[tensor] && cut[tensor] != axes.axes)
                    return "'" + one.name + "' needs all of '" + shared_.part.tensors[tensor].name +
                           "', of which every device has a part";
                seen[tensor] = true;
                cut[tensor] = std::move(axes.axes);
            }
        }
        for (std::size_t t = 0; t < cut.size(); ++t)
            for (const std::size_t axis : cut[t]) shared_.part.tensors[t].shape[axis] /= devices_;
        return "";
    }

    bool writes_cut(const CascadeEinsum& one, int dimension) const {
        return std::ranges::any_of(
            one.einsum.tensors, [&](const Tensor& tensor) { return tensor.written && is_relevant(tensor, dimension); });
    }

    // A cut rank absent from all results was reduced: every device has a part of the sums.
    bool sums_parts(const CascadeEinsum& one) const {
        for (int d = 0; d < one.einsum.dimension_count(); ++d)
            if (is_cut(one, d) && !writes_cut(one, d)) return true;
        return false;
    }

    bool has_cut(const CascadeEinsum& one) const {
        return std::ranges::any_of(one.einsum.dimensions,
                                   [&](const Dimension& dimension) { return ranks_.contains(dimension.name); });
    }

    // Read only by sums of products equal on every device: these may sum up the parts.
    bool may_wait(const CascadeTensor& tensor) const {
        return !tensor.readers.empty() && std::ranges::all_of(tensor.readers, [&](const TensorUse& use) {
            const CascadeEinsum& one = shared_.part.einsums[use.einsum];
            return one.kind == EinsumKind::contraction && !has_cut(one);
        });
    }

    void find_sums() {
        std::vector<bool> parts(shared_.part.tensors.size(), false);
        for (int i = 0; i < shared_.part.einsum_count(); ++i) {
            const CascadeEinsum& one = shared_.part.einsums[i];
            bool of_parts = sums_parts(one);
            for (std::size_t operand = 0; operand < one.accesses.size(); ++operand)
                of_parts = of_parts || (!one.einsum.tensors[operand].written && parts[one.accesses[operand].tensor]);
            if (!of_parts) continue;
            for (std::size_t operand = 0; operand < one.accesses.size(); ++operand) {
                if (!one.einsum.tensors[operand].written) continue;
                const int tensor = one.accesses[operand].tensor;
                if (may_wait(shared_.part.tensors[tensor]))
                    parts[tensor] = true;
                else
                    shared_.sums.push_back({tensor, repeats_of(shared_.part, i)});
            }
        }
    }

    Shared shared_;
    std::int64_t devices_;
    std::set<std::string> ranks_;
};

}  // namespace

std::variant<Shared, std::string> shared_by(const Cascade& cascade, std::int64_t devices) {
    if (devices == 1) return Shared{cascade, {}};
    return Sharing(cascade, devices).share();
}

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
