#include "certificate/prove/prove.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/numbers/hash.hpp"
#include "certificate/common/assignments.hpp"
#include "certificate/imperfect/prove.hpp"
#include "certificate/perfect/arrivals.hpp"
#include "certificate/perfect/by_family.hpp"
#include "certificate/perfect/nests.hpp"

namespace tilewright::certificate {
namespace {

struct Settled {
    Reason reason = Reason::every_word_once;
    std::optional<Cost> open;  ///< its lower bound, if unsettled
    bool too_many = false;     ///< too many to follow
    bool refuted = false;      ///< a bound of ours is wrong
};

// "wwwf" -> "w3 f1"
std::string run_lengths(const std::string& letters) {
    std::string text;
    for (std::size_t begin = 0; begin < letters.size();) {
        const std::size_t end = std::min(letters.find_first_not_of(letters[begin], begin), letters.size());
        text += (text.empty() ? "" : " ") + (letters[begin] + std::to_string(end - begin));
        begin = end;
    }
    return text;
}

class Prover {
   public:
    Prover(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
           Storage storage, const sparse::Design* zeros, std::int64_t most_assignments)
        : ground_(einsum, architecture, zeros), mapspace_(mapspace), goal_(goal), storage_(storage) {
        if (mapspace.has_remainders()) {
            imperfect_ = std::make_unique<ImperfectProver>(ground_, mapspace, goal);
        } else if (is_longer_than(most_assignments)) {
            by_family_ = std::make_unique<ByFamily>(einsum, architecture, mapspace, goal, storage, zeros);
        }
    }

    Outline outline(const std::vector<Assignment>& assignments) const {
        std::string list;
        std::string reasons;
        for (const Assignment& assignment : assignments) {
            list += to_text(assignment) + "\n";
            const bool settled = goal_.is_out_of_reach(every_word_once(assignment));
            reasons += static_cast<char>(settled ? Reason::every_word_once : Reason::followed);
        }
        return {static_cast<std::int64_t>(assignments.size()), content_hash(list), run_lengths(reasons)};
    }

    Outline outline() const { return by_family_ ? outline_by_family() : outline(assignments()); }

    bool is_longer_than(std::int64_t most) const { return more_assignments_than(mapspace_, is_laid_out(), most); }

    Proof prove(const std::function<bool()>& stop) const {
        Proof proof;
        if (by_family_) {
            prove_by_family(stop, proof);
        } else {
            const std::vector<Assignment> all = assignments();
            proof.outline = outline(all);
            for (std::size_t first = 0; first < all.size() && proof.doubts.empty(); first += kBatch)
                prove(all, first, std::min(all.size(), first + kBatch), stop, proof);
        }
        proof.leaves_out_wires = ground_.leaves_out_wires;
        proof.overlapping_results =
            std::any_of(ground_.tensors.begin(), ground_.tensors.end(), [this](const Addresses& tensor) {
                return imperfect_ ? tensor.written && tensor.overlaps : !can_count_first_words(tensor, ground_.extents);
            });
        return proof;
    }

   private:
    static constexpr std::size_t kBatch = 64;  ///< in parallel

    void prove(const std::vector<Assignment>& all, std::size_t first, std::size_t last,
               const std::function<bool()>& stop, Proof& proof) const {
        std::vector<Settled> settled(last - first);
        tbb::parallel_for(first, last, [&](std::size_t i) { settled[i - first] = settle(all[i], stop); });
        for (std::size_t i = first; i < last; ++i) {
            const Settled& one = settled[i - first];
            ++proof.assignments_by_reason[one.reason];
            if (one.open) proof.doubts.push_back({static_cast<std::int64_t>(i), to_text(all[i]), *one.open});
            proof.too_many = proof.too_many || one.too_many;
            proof.refuted = proof.refuted || one.refuted;
        }
    }

    Outline outline_by_family() const {
        std::string reasons(by_family_->families().count(), ' ');
        tbb::parallel_for(std::size_t{0}, reasons.size(), [&](std::size_t f) {
            reasons[f] =
                static_cast<char>(by_family_->has_to_be_followed(f) ? Reason::followed : Reason::every_word_once);
        });
        return outline_by_family(reasons);
    }

    Outline outline_by_family(const std::string& reasons) const {
        std::string list;
        for (std::size_t f = 0; f < reasons.size(); ++f) list += by_family_->families().text(f) + "\n";
        return {static_cast<std::int64_t>(reasons.size()), content_hash(list), run_lengths(reasons)};
    }

    // First all families with free wires, then the members of unsettled ones.
    void prove_by_family(const std::function<bool()>& stop, Proof& proof) const {
        const Families& families = by_family_->families();
        proof.by_family = true;
        std::vector<FamilyFinding> findings(families.count());
        tbb::parallel_for(std::size_t{0}, findings.size(),
                          [&](std::size_t f) { findings[f] = by_family_->settle(f, stop); });
        std::string reasons;
        std::vector<bool> open;
        for (const FamilyFinding& finding : findings) {
            const bool settled = finding.reason == Reason::every_word_once;
            reasons += static_cast<char>(settled ? Reason::every_word_once : Reason::followed);
            ++proof.assignments_by_reason[finding.reason];
            open.push_back(!finding.open.empty());
        }
        proof.outline = outline_by_family(reasons);
        if (std::ranges::find(open, true) == open.end()) return;
        std::vector<Dealt> dealt;
        families.visit_members(open, [&](std::size_t family, const TilingPoint& member) {
            dealt.push_back({family, member, {}});
            if (dealt.size() >= kBatch) settle(dealt, findings, stop, proof);
            return proof.doubts.empty();
        });
        settle(dealt, findings, stop, proof);
    }

    /// A member of a family, with its possibly better kept tensors at free wires.
    struct Dealt {
        std::size_t family = 0;
        TilingPoint member;
        std::vector<OpenChoice> open;
    };

    void settle(std::vector<Dealt>& dealt, const std::vector<FamilyFinding>& findings,
                const std::function<bool()>& stop, Proof& proof) const {
        tbb::parallel_for(std::size_t{0}, dealt.size(), [&](std::size_t i) {
            dealt[i].open = by_family_->open_choices(dealt[i].member, findings[dealt[i].family], stop);
        });
        std::vector<Member> members;
        for (const Dealt& one : dealt)
            for (const OpenChoice& choice : one.open) {
                add_layouts(one.family, one.member, choice, members);
                if (members.size() >= kBatch) settle(members, stop, proof);
                if (!proof.doubts.empty()) break;
            }
        settle(members, stop, proof);
        dealt.clear();
    }

    /// An assignment of a family that may be better with free wires.
    struct Member {
        std::size_t family = 0;
        Assignment assignment;
        Cost wireless;  ///< lower bound of its better mappings
    };

    void add_layouts(std::size_t family, TilingPoint member, const OpenChoice& choice,
                     std::vector<Member>& members) const {
        for (int l = 0; l < member.level_count(); ++l) member[l].keep = choice.point[l].keep;
        const auto add = [&] {
            members.push_back({family, {member, false}, choice.least});
            return true;
        };
        if (!ground_.wires_cost) {
            add();
        } else {
            mapspace_.visit_layouts(member, Mapspace::Cover::as_it_may_be, add);
        }
    }

    void settle(std::vector<Member>& members, const std::function<bool()>& stop, Proof& proof) const {
        std::vector<Settled> settled(members.size());
        tbb::parallel_for(std::size_t{0}, members.size(),
                          [&](std::size_t i) { settled[i] = settle(members[i], stop); });
        for (std::size_t i = 0; i < members.size(); ++i)
            if (const auto& open = settled[i].open)
                proof.doubts.push_back(
                    {static_cast<std::int64_t>(members[i].family), to_text(members[i].assignment), *open});
        members.clear();
    }

    // Costs with free wires are known; every word pays the wires at least once.
    Settled settle(const Member& member, const std::function<bool()>& stop) const {
        const Cost with_wires{member.wireless.energy_pj + wires_once_pj(Charges(ground_, member.assignment.point)),
                              member.wireless.cycles};
        if (goal_.is_out_of_reach(with_wires)) return {Reason::followed, {}};
        return settle(member.assignment, stop);
    }

    // Wire lengths depend on the layout. With remainders all are bounded at once: the order depends on inner loops.
    std::vector<Assignment> assignments() const { return assignments_of(mapspace_, is_laid_out()); }

    std::function<bool(const TilingPoint&)> is_laid_out() const {
        return [this](const TilingPoint& spatial) { return ground_.wires_cost && divides(spatial); };
    }

    bool divides(const TilingPoint& spatial) const { return !imperfect_ || imperfect_->divides(spatial); }
    bool is_imperfect(const Assignment& assignment) const {
        return assignment.any_layout && !divides(assignment.point);
    }

    Cost every_word_once(const Assignment& assignment) const {
        return is_imperfect(assignment) ? imperfect_->every_word_once(assignment.point)
                                        : every_word_once(Charges(ground_, assignment.point));
    }

    static Cost every_word_once(const Charges& charges) {
        return cost_of(charges, every_word_once_pj(charges), charges.compute_cycles());
    }

    Settled settle(const Assignment& assignment, const std::function<bool()>& stop) const {
        if (is_imperfect(assignment)) {
            if (goal_.is_out_of_reach(imperfect_->every_word_once(assignment.point)))
                return {Reason::every_word_once, {}};
            const ImperfectFinding finding = imperfect_->follow(assignment.point, stop);
            return {finding.alone ? Reason::each_memory_alone : Reason::followed, finding.open, finding.too_many,
                    finding.refuted};
        }
        const Charges charges(ground_, assignment.point);
        const Cost once = every_word_once(charges);
        if (goal_.is_out_of_reach(once)) return {Reason::every_word_once, {}};
        if (stop && stop()) return {Reason::followed, once};
        const Lattice lattice(charges.rest(), charges.dimension_count());
        TileNumbers tiles(mapspace_, charges, lattice, storage_);
        const auto to_come = look_at_tiles(charges, tiles, storage_, every_word_once_cycles(charges), goal_);
        if (!to_come) return {Reason::each_memory_alone, {}};
        return {Reason::followed, follow(mapspace_, charges, tiles, *to_come, goal_)};
    }

    Ground ground_;
    const Mapspace& mapspace_;
    const Goal& goal_;
    Storage storage_;
    std::unique_ptr<ImperfectProver> imperfect_;  ///< if spatial factors may leave remainders
    std::unique_ptr<ByFamily> by_family_;         ///< if there are too many assignments to list
};

}  // namespace

Outline outline(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
                const sparse::Design* zeros) {
    return Prover(einsum, architecture, mapspace, goal, Storage::even, zeros, kMostAssignments)
        .outline();  // the same for both kinds of storage
}

bool is_too_long_to_prove(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace) {
    if (mapspace.has_remainders())
        return Prover(einsum, architecture, mapspace, {}, Storage::even, nullptr, kMostAssignments)
            .is_longer_than(kMostImperfectAssignments);
    std::int64_t count = 0;
    return !mapspace.enumerate_spatial([&](const TilingPoint&) { return ++count <= kMostSpatialFactors; });
}

Proof prove(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
            Storage storage, const std::function<bool()>& stop, std::int64_t most_assignments,
            const sparse::Design* zeros) {
    return Prover(einsum, architecture, mapspace, goal, storage, zeros, most_assignments).prove(stop);
}

Cost least_cost(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
                const TilingPoint& assignment, Storage storage) {
    const Ground ground(einsum, architecture);
    const Charges charges(ground, assignment);
    const Lattice lattice(charges.rest(), charges.dimension_count());
    TileNumbers tiles(mapspace, charges, lattice, storage);
    const std::vector<Stage> stages = stages_of(charges, storage);
    const auto never = [](double) { return false; };
    const auto completion = completion_pj(charges, tiles, storage, never);
    const double pj = completion ? tiles.inside_pj(charges) + completion->pj.front().front()
                                 : std::numeric_limits<double>::infinity();
    const double cycles = LoadsToCome(charges, tiles, stages, storage).least_cycles();
    return cost_of(charges, std::max(pj, every_word_once_pj(charges)),
                   std::max(cycles, every_word_once_cycles(charges)));
}

bool list_imperfect_nests(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
                          const NestSink& sink) {
    const Ground ground(einsum, architecture);
    const Goal none;
    ImperfectProver prover(ground, mapspace, none);
    for (const Assignment& assignment : assignments_of(mapspace, [](const TilingPoint&) { return false; }))
        if (!prover.divides(assignment.point) && !prover.list(assignment.point, sink)) return false;
    return true;
}

}  // namespace tilewright::certificate
