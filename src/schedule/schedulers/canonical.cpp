#include "schedule/schedulers/canonical.hpp"

#include <vector>

#include "schedule/schedulers/list_scheduler.hpp"

namespace tilewright::schedule {
namespace {

// Two position-dependent sums.
class Mixer {
   public:
    void add(std::uint64_t value) {
        a_ = (a_ ^ value) * 0x9e3779b97f4a7c15U;
        a_ ^= a_ >> 32;
        b_ = (b_ + value) * 0xd6e8feb86659fd93U;
        b_ ^= b_ >> 29;
    }
    Fingerprint result() const { return {{a_, b_}}; }

   private:
    std::uint64_t a_ = 0x243f6a8885a308d3U;
    std::uint64_t b_ = 0x13198a2e03707344U;
};

}  // namespace

Fingerprint fingerprint(const OperationGraph& graph, const std::array<Dim, kDims>& data_flow) {
    Mixer mixer;
    std::vector<std::uint64_t> label(graph.tiles.size(), 0);
    std::uint64_t labels = 0;
    for (const int id : numbered(graph, data_flow)) {
        const Operation& operation = graph.operation(id);
        for (const int tile : operation.tiles) {
            std::uint64_t& its = label[tile];
            const bool fresh = its == 0;
            if (fresh) its = ++labels;
            mixer.add(its);
            if (!fresh) continue;
            const Tile& one = graph.tile(tile);
            for (const std::int64_t value : {one.block_bytes, one.load_bytes, one.store_bytes})
                mixer.add(static_cast<std::uint64_t>(value));
        }
        mixer.add(static_cast<std::uint64_t>(operation.cycles));
        mixer.add(static_cast<std::uint64_t>(operation.step));
    }
    return mixer.result();
}

}  // namespace tilewright::schedule
