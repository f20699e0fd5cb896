#include "certificate/prove.hpp"

#include <tbb/parallel_for.h>

#include "base/hash.hpp"
#include "certificate/assignments.hpp"
#include "certificate/nests.hpp"

namespace tilewright::certificate {
namespace {

/// What is known of one assignment.
struct Settled {
    Reason reason = Reason::every_word_once;
    std::optional<Cost> open;  ///< what it costs at least, where nothing settles it
};

class Prover {
   public:
    Prover(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal)
        : ground_(einsum, architecture), mapspace_(mapspace), goal_(goal) {}

    Proof run(bool follows, const std::function<bool()>& stop) const {
        const std::vector<PerfectPoint> assignments = assignments_of(mapspace_, ground_.wires_cost);
        std::vector<Settled> settled(assignments.size());
        tbb::parallel_for(std::size_t{0}, assignments.size(),
                          [&](std::size_t i) { settled[i] = settle(assignments[i], follows, stop); });
        Proof proof;
        std::string list;
        for (std::size_t i = 0; i < assignments.size(); ++i) {
            const std::string text = to_text(assignments[i]);
            list += text + "\n";
            proof.reasons += static_cast<char>(settled[i].reason);
            if (settled[i].open) proof.doubts.push_back({static_cast<std::int64_t>(i), text, *settled[i].open});
        }
        proof.assignments = static_cast<std::int64_t>(assignments.size());
        proof.digest = content_hash(list);
        return proof;
    }

   private:
    Settled settle(const PerfectPoint& assignment, bool follows, const std::function<bool()>& stop) const {
        const Flows flows(ground_, assignment);
        const Cost once = cost_of(flows, every_word_once_pj(flows), flows.steps());
        if (goal_.is_out_of_reach(once)) return {Reason::every_word_once, {}};
        if (stop && stop()) return {Reason::followed, once};
        const Grid grid(flows.rest(), flows.dimension_count());
        const std::vector<double> outside_pj = each_memory_alone_pj(flows, grid);
        const Cost alone = cost_of(flows, inside_pj(flows) + outside_pj.back(), flows.steps());
        if (goal_.is_out_of_reach(alone)) return {Reason::each_memory_alone, {}};
        if (!follows) return {Reason::followed, {}};
        return {Reason::followed, follow(mapspace_, flows, grid, outside_pj, goal_)};
    }

    // Of the computation and of what the compute units are sent.
    static double inside_pj(const Flows& flows) {
        double pj = flows.compute_pj();
        Box none;
        none.fill(1.0);
        const int units = flows.level_count();
        for (int t = 0; t < flows.tensor_count(); ++t)
            pj += flows.energy_pj(t, units, flows.steps(), flows.distinct(t, units, none));
        return pj;
    }

    Ground ground_;
    const Mapspace& mapspace_;
    const Goal& goal_;
};

}  // namespace

Proof outline(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal) {
    return Prover(einsum, architecture, mapspace, goal).run(false, {});
}

Proof prove(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
            const std::function<bool()>& stop) {
    return Prover(einsum, architecture, mapspace, goal).run(true, stop);
}

std::string run_lengths(const std::string& letters) {
    std::string text;
    for (std::size_t begin = 0; begin < letters.size();) {
        const std::size_t end = std::min(letters.find_first_not_of(letters[begin], begin), letters.size());
        text += (text.empty() ? "" : " ") + (letters[begin] + std::to_string(end - begin));
        begin = end;
    }
    return text;
}

}  // namespace tilewright::certificate
