// Words of a tensor with windows sent to the instances of a memory, in nests with remainders.
//
// As imperfect.cpp, but one instance at a time and composed from the inside out. A sub-nest's words after its first
// tile depend on the dimensions in their last chunk and on one more bit: a clash of the remembered direction with the
// first move inside. A loop is then a few transitions between sub-nests: first ones until the remembered direction
// repeats, and the one into the last chunk. Instances come in kinds: per dimension, every spatial index is before the
// last one, the last one, or idle in the last chunk.
//
// Below one parent, neighbours differing in a relevant index never need the same words at once, if every rank is spread
// in one way only; those differing in irrelevant indices need index 0's words, provided that an idle one resumes with
// the others' direction. If that is uncertain, there is no answer.
#include <bit>
#include <cmath>

#include "model/lean/imperfect.hpp"
#include "model/lean/window_walk.hpp"

namespace tilewright::lean {
namespace {

class WindowFlow {
   public:
    WindowFlow(const Setup& setup, const ImperfectNest& nest, int level, int asking, int tensor)
        : at_(setup, nest, level, asking, tensor) {}

    std::optional<Flow> run() {
        if (at_.form.tangled || !one_way_per_rank()) return std::nullopt;
        at_.choose_ranks();
        if (!at_.choose_loops() || repacking_shows()) return std::nullopt;
        for (std::uint32_t left = at_.nest.looped[at_.child]; left != 0; left &= left - 1)
            if (!kinds_.add_dimension(std::countr_zero(left))) return std::nullopt;
        Flow flow;
        sum_kinds(0, 1.0, 1.0, flow);
        if (walk_.failed() || std::isnan(flow.words)) return std::nullopt;
        return flow;
    }

   private:
    // Repacking changes nothing if instances stay in all relevant dimensions, or if every shorter step begins and ends
    // with a move without overlap and without a continued direction.
    bool repacking_shows() const {
        for (int l = 0; l < at_.child; ++l) {
            const Repack& repack = at_.nest.repack[l];
            if (repack.deep) return true;
            for (std::uint32_t left = repack.imperfect; left != 0; left &= left - 1) {
                const int d = std::countr_zero(left);
                if (at_.is_relevant(d) ? !moves_clear(l, d)
                                       : (repack.outside & at_.form.relevant) != 0 || !only_imperfect(l, d))
                    return true;
            }
        }
        return false;
    }

    bool only_imperfect(int level, int d) const {
        for (int j = at_.nest.outside[level + 1]; j < at_.nest.temporal[level]; ++j)
            if (at_.nest.loops[j].dimension != d && at_.nest.loops[j].remainder != at_.nest.loops[j].extent)
                return false;
        return true;
    }

    // Every change of the last chunk of `d` moves each instance along a rank of its own, out of its tile, for any
    // earlier direction: slides of another dimension precede every such move, or only `d` moves.
    bool moves_clear(int level, int d) const {
        if (at_.loop_count == 0 || terms_beside(d) != 0) return false;
        int twice = 0;
        bool thrice = false;
        for (int j = at_.nest.from[level + 1][d]; j < at_.nest.loop_count; j = at_.nest.loops[j].next) {
            if (at_.nest.loops[j].spatial) continue;
            thrice = thrice || at_.nest.loops[j].remainder >= 3.0;
            twice += at_.nest.loops[j].remainder >= 2.0 ? 1 : 0;
        }
        if (!thrice && twice < 2) return false;
        const int slider = at_.loops[0].dimension;
        if (slider == d) return at_.nest.loops[at_.innermost].remainder >= 3.0;
        for (int j = at_.nest.from[at_.child][slider]; j < at_.nest.loop_count; j = at_.nest.loops[j].next)
            if (at_.nest.loops[j].remainder != at_.nest.loops[j].extent) return false;
        return true;
    }

    // Other dimensions of the rank moved by `d`.
    int terms_beside(int d) const { return static_cast<int>(at_.rank[at_.rank_of[d]]->terms.size()) - 1; }

    bool one_way_per_rank() const {
        for (int l = at_.level; l < at_.child; ++l)
            if (spreads_a_rank_twice(at_.form, at_.nest, l)) return false;
        return true;
    }

    void sum_kinds(int index, double delivered, double groups, Flow& flow) {
        if (walk_.failed()) return;
        if (index == kinds_.dimensions()) {
            const double words = walk_.words();
            flow.delivered += delivered * words;
            if (groups > 0.0) flow.words += groups * words;
            return;
        }
        for (int v = 0; v < kinds_.variants(index); ++v) {
            const Variant& variant = kinds_.variant(index, v);
            walk_.choose(kinds_.dimension(index), variant);
            sum_kinds(index + 1, delivered * variant.delivered, groups * variant.groups, flow);
        }
    }

    WindowNest at_;
    InstanceKinds kinds_{at_};
    InstanceWalk walk_{at_, kinds_};
};

}  // namespace

std::optional<Flow> window_flow(const Setup& setup, const ImperfectNest& nest, int level, int asking, int tensor) {
    return WindowFlow(setup, nest, level, asking, tensor).run();
}

}  // namespace tilewright::lean
