#include "fusion/leaf/leaf.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "fusion/leaf/leaf_space.hpp"
#include "fusion/machine/indices.hpp"
#include "fusion/machine/number_hash.hpp"

namespace tilewright::fusion {
std::size_t hash_of(int einsum, const LeafQuestion& question) {
    NumberHash hash(static_cast<std::uint64_t>(einsum) << 32U | question.held.bits());
    hash.add(question.resumed);
    for (const std::int64_t extent : question.extents) hash.add(extent);
    return hash.value();
}

std::string problem_with_leaf(const Einsum& einsum, std::int64_t word_bits) {
    for (const Tensor& tensor : einsum.tensors) {
        if (tensor.bits != 0 && tensor.bits != word_bits)
            return "'" + tensor.name + "' of '" + einsum.name + "' has words of a width of its own";
        std::vector<int> seen;
        for (const Rank& rank : tensor.ranks)
            for (const Term& term : rank.terms) {
                if (term.coefficient < 0) return "'" + tensor.name + "' of '" + einsum.name + "' is read backwards";
                if (std::ranges::find(seen, term.dimension) != seen.end())
                    return "'" + tensor.name + "' of '" + einsum.name + "' has a dimension twice";
                seen.push_back(term.dimension);
                if (tensor.written && (rank.terms.size() > 1 || term.coefficient != 1))
                    return "the result of '" + einsum.name + "' has windows";
            }
    }
    return "";
}

namespace {

// A result of which two neighbouring words of the tensor are never both written.
bool leaves_gaps(const Einsum& einsum, const Access& access) {
    return std::ranges::any_of(access.coordinates, [&](const Coordinate& coordinate) {
        const Term* smallest = nullptr;
        for (const Term& term : coordinate.terms)
            if (einsum.dimensions[at(term.dimension)].extent > 1) smallest = &term;  // larger steps come first
        return smallest != nullptr && smallest->coefficient != 1;
    });
}

}  // namespace

std::string problem_with_cascade(const Cascade& cascade, std::int64_t word_bits) {
    for (const CascadeEinsum& einsum : cascade.einsums)
        if (std::string problem = problem_with_leaf(einsum.einsum, word_bits); !problem.empty())
            return "fused mappings of such an einsum are not searched: " + problem;
    for (const CascadeEinsum& einsum : cascade.einsums)
        for (int t = 0; t < einsum.einsum.tensor_count(); ++t)
            if (einsum.einsum.tensors[at(t)].written && leaves_gaps(einsum.einsum, einsum.accesses[at(t)]))
                return "fused mappings of such an einsum are not searched: the result of '" + einsum.name +
                       "' has windows";
    // The exact model knows one state of each word: it has no old one that is read while the new one is made.
    for (const CascadeTensor& tensor : cascade.tensors)
        for (const TensorUse& write : tensor.writers)
            for (const TensorUse& read : tensor.readers)
                if (tensor.role == TensorRole::cache && read.einsum == write.einsum)
                    return "fused mappings are not searched where an einsum changes a cache in place, as '" +
                           cascade.einsums[write.einsum].name + "' does '" + tensor.name + "'";
    return "";
}

LeafFront leaf_front(const Einsum& einsum, const Machine& machine, const LeafQuestion& question, Neighbours& neighbours,
                     Ranking ranking) {
    return LeafSpace(einsum, machine, question, neighbours).front(ranking);
}

namespace {

// What a leaf costs at least, of what its array does: every operand that is not in the buffer comes once.
class BesideArray {
   public:
    BesideArray(const Einsum& einsum, const Machine& machine, const LeafQuestion& question)
        : dram_(words_once(einsum, question)),
          at_dram_(cycles(machine.dram, dram_)),
          resumed_(static_cast<double>(question.resumed)) {
        double operations = 1.0;
        for (const std::int64_t extent : question.extents) operations *= static_cast<double>(extent);
        outside_pj_ = operations * machine.operation_pj + energy_pj(machine.dram, dram_) +
                      energy_pj(machine.buffer, {0.0, dram_.reads, 0.0});
    }

    double fills() const { return dram_.reads; }
    LeafPoint of(const ArrayCorner& array) const {
        return {0, (1.0 + resumed_) * (outside_pj_ + array.buffer_pj),
                std::max(array.cycles, at_dram_) + resumed_ * std::max(array.resumed_cycles, at_dram_)};
    }

   private:
    Words dram_;
    double at_dram_ = 0.0;
    double resumed_ = 0.0;
    double outside_pj_ = 0.0;
};

}  // namespace

LeafPoint leaf_floor(const Einsum& einsum, const Machine& machine, const LeafQuestion& question,
                     Neighbours& neighbours) {
    const BesideArray floors(einsum, machine, question);
    const LeastOfArray array = least_of_array(einsum, machine, question.extents, floors.fills(), neighbours);
    return floors.of({array.buffer_pj, array.cycles, array.resumed_cycles});
}

LeafFront leaf_corners(const Einsum& einsum, const Machine& machine, const LeafQuestion& question,
                       Neighbours& neighbours) {
    const BesideArray floors(einsum, machine, question);
    std::vector<LeafPoint> points;
    for (const ArrayCorner& array : corners_of_array(einsum, machine, question.extents, floors.fills(), neighbours))
        points.push_back(floors.of(array));
    return front_of(std::move(points));
}

LeafNest nest_of(const Einsum& einsum, const Machine& machine, const LeafQuestion& question, const LeafPoint& point) {
    Neighbours neighbours(einsum);
    LeafSpace space(einsum, machine, question, neighbours);
    LeafNest nest;
    bool found = false;
    space.list(
        [&](const LeafChoice& choice, const LeafPoint& other) {
            if (other.energy_pj != point.energy_pj || other.cycles != point.cycles) return true;
            nest = space.nest(choice);
            found = true;
            return false;
        },
        point.words);
    if (!found) throw std::logic_error("a point of another leaf");
    nest.box = question.extents;
    return nest;
}

}  // namespace tilewright::fusion
