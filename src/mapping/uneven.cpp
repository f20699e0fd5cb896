#include "mapping/uneven.hpp"

#include <algorithm>

namespace tilewright {
namespace {

// Stores of every memory: indices of nodes.
struct Span {
    int first = -1;
    int last = -1;
};

std::vector<Span> spans_of(const Mapping& mapping, int memory_count) {
    std::vector<Span> spans(static_cast<std::size_t>(memory_count));
    for (int i = 0; i < static_cast<int>(mapping.nodes.size()); ++i)
        if (const Store* store = std::get_if<Store>(&mapping.nodes[i])) {
            Span& span = spans[store->memory];
            if (span.first < 0) span.first = i;
            span.last = i;
        }
    return spans;
}

// Follows the nodes from the outside.
class Rules {
   public:
    Rules(const Mapping& mapping, const Architecture& architecture)
        : architecture_(architecture),
          spans_(spans_of(mapping, architecture.memory_count())),
          kept_(spans_.size()),
          nodes_(mapping.nodes) {}

    std::string problem() {
        for (int m = 0; m < architecture_.memory_count(); ++m)
            if (spans_[m].first < 0) return "there is no store for " + name(m);
        for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) {
            const Node& node = nodes_[i];
            std::string wrong =
                std::holds_alternative<Store>(node) ? store_problem(std::get<Store>(node)) : loop_problem(i);
            if (!wrong.empty()) return wrong;
        }
        return "";
    }

   private:
    std::string name(int memory) const { return architecture_.memories[memory].name; }

    std::string store_problem(const Store& store) {
        inside_spatial_ = false;
        deepest_ = std::max(deepest_, store.memory);
        for (std::size_t m = static_cast<std::size_t>(store.memory); m < kept_.size(); ++m)
            if ((kept_[m] & store.tensors.bits()) != 0)
                return "a tensor is stored in " + name(store.memory) + " inside its store in " +
                       name(static_cast<int>(m));
        kept_[store.memory] |= store.tensors.bits();
        return "";
    }

    std::string loop_problem(int at) {
        if (at < spans_.front().last) return "a loop stands outside a store of " + name(0);
        const bool spatial = std::get<Loop>(nodes_[at]).is_spatial();
        if (inside_spatial_ && !spatial) return "a temporal loop follows a spatial one without a store between them";
        inside_spatial_ = spatial;
        if (!spatial) return "";
        for (int m = 0; m <= deepest_; ++m)
            if (spans_[m].last > at)
                return "a spatial loop stands between the stores of " + name(m) + " and " + name(deepest_);
        return "";
    }

    const Architecture& architecture_;
    std::vector<Span> spans_;
    std::vector<std::uint32_t> kept_;  // by memory: stored so far
    const std::vector<Node>& nodes_;
    int deepest_ = -1;  // the innermost memory stored so far
    bool inside_spatial_ = false;
};

}  // namespace

std::string uneven_problem(const Mapping& mapping, const Architecture& architecture) {
    return Rules(mapping, architecture).problem();
}

std::vector<MappingLevel> owned_levels(const Mapping& mapping, int memory_count) {
    const std::vector<Span> spans = spans_of(mapping, memory_count);
    std::vector<MappingLevel> levels(static_cast<std::size_t>(memory_count));
    int owner = 0;
    for (int i = 0; i < static_cast<int>(mapping.nodes.size()); ++i) {
        const Node& node = mapping.nodes[i];
        if (const Store* store = std::get_if<Store>(&node)) {
            MappingLevel& level = levels[store->memory];
            level.keep = TensorSet::from_bits(level.keep.bits() | store->tensors.bits());
            if (i == spans[store->memory].last) owner = std::max(owner, store->memory);
            continue;
        }
        const Loop& loop = std::get<Loop>(node);
        MappingLevel& level = levels[owner];
        (loop.is_spatial() ? level.spatial : level.temporal).push_back(loop);
    }
    return levels;
}

std::vector<int> store_positions(const Mapping& mapping, int memory_count, int tensor) {
    std::vector<int> positions;
    for (const Span& span : spans_of(mapping, memory_count)) positions.push_back(span.last);
    std::vector<bool> keeps(positions.size(), false);
    for (int i = 0; i < static_cast<int>(mapping.nodes.size()); ++i) {
        const Store* store = std::get_if<Store>(&mapping.nodes[i]);
        if (store == nullptr || !store->tensors.has(tensor)) continue;
        positions[store->memory] = i;
        keeps[store->memory] = true;
    }
    int inside = static_cast<int>(mapping.nodes.size());
    for (std::size_t m = positions.size(); m-- > 0;) {  // no further in than the next memory
        if (!keeps[m]) positions[m] = std::min(positions[m], inside);
        inside = positions[m];
    }
    for (std::size_t m = 1; m < positions.size(); ++m)  // no further out than the one before
        if (!keeps[m]) positions[m] = std::max(positions[m], positions[m - 1]);
    return positions;
}

}  // namespace tilewright
