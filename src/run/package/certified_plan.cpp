#include "run/package/certified_plan.hpp"

#include <algorithm>

#include "certificate/package/claim.hpp"
#include "model/version.hpp"
#include "native/certificates/package_certificate.hpp"
#include "run/package/package_planner.hpp"

namespace tilewright {
namespace {

namespace proof = certificate::package_proof;

constexpr std::size_t kMostLeaves = 1000;
constexpr std::size_t kMostBestLeaves = 128;  // each is proven again by the checker

// Claims about the leaves of a search, as the certificate comes to need them.
class LeafClaims {
   public:
    LeafClaims(const PackageProblem& problem, const Objective& objective, MappedLeaves& leaves)
        : problem_(problem), objective_(objective), leaves_(leaves) {}

    /// Of its mapping's cost. False: the mapping is not known.
    bool add_mapping(int einsum, int kind, const proof::Extents& extents, std::vector<proof::Leaf>& claims) const {
        const multicore::LeafCost cost = leaves_.of(einsum, kind, extents);
        const Mapping* mapping = leaves_.mapping(einsum, kind, extents);
        if (mapping == nullptr) return false;
        const CascadeEinsum& one = problem_.cascade.einsums[einsum];
        proof::Leaf leaf{einsum, kind, {}};
        leaf.claim.names = {one.name};
        leaf.claim.einsum = proof::box_of(one, extents);
        leaf.claim.constraints = problem_.constraints(kind, one.einsum);
        leaf.claim.objective = objective_name(objective_.kind);
        leaf.claim.answers = {{*mapping, {cost.energy_pj, static_cast<double>(cost.cycles)}}};
        leaf.claim.score = objective_.score(cost.energy_pj, static_cast<double>(cost.cycles)).value;
        claims.push_back(std::move(leaf));
        return true;
    }

    /// That its mapping is the best.
    bool add_best(int einsum, int kind, const proof::Extents& extents, std::vector<proof::Leaf>& claims) {
        if (best_ >= kMostBestLeaves || claims.size() >= kMostLeaves) return false;
        auto leaf = std::ranges::find_if(claims, [&](const proof::Leaf& one) {
            return one.einsum == einsum && one.kind == kind && extents_of(one.claim.einsum) == extents;
        });
        if (leaf == claims.end()) {
            try {
                if (!add_mapping(einsum, kind, extents, claims)) return false;
            } catch (const Stopped&) {
                return false;
            }
            leaf = std::prev(claims.end());
        }
        if (leaf->has_bound() || certificate::has_too_many_assignments(leaf->claim, machine(kind))) return false;
        leaf->claim.bound = leaf->claim.score;
        leaf->claim.outline = certificate::outline_of(leaf->claim, machine(kind));
        ++best_;
        return true;
    }

   private:
    static proof::Extents extents_of(const Einsum& einsum) {
        proof::Extents extents;
        for (const Dimension& dimension : einsum.dimensions) extents.push_back(dimension.extent);
        return extents;
    }
    const Architecture& machine(int kind) const { return *problem_.package.kinds[kind].architecture; }

    const PackageProblem& problem_;
    Objective objective_;
    MappedLeaves& leaves_;
    std::size_t best_ = 0;
};

void certify(const PackageProblem& problem, const Objective& objective, const multicore::Answer& answer,
             MappedLeaves& leaves, const std::string& tool_version, const StopSource* stop, CertifiedPlan& plan) {
    const std::string name(objective_name(objective.kind));
    proof::Claim claim{problem.cascade, problem.package, name, answer.best->plan, answer.best->value, 0.0, {}};
    plan.no_certificate = proof::problem_with(claim.cascade, claim.package, claim.objective);
    if (!plan.no_certificate.empty()) return;
    LeafClaims claims(problem, objective, leaves);
    std::size_t count = 0;
    proof::each_leaf_of_plan(claim, [&](int einsum, int kind, const proof::Extents& extents) {
        if (++count <= kMostLeaves) claims.add_mapping(einsum, kind, extents, claim.leaves);
    });
    if (count > kMostLeaves) {
        plan.no_certificate =
            "the plan has " + std::to_string(count) + " leaves to map, more than " + std::to_string(kMostLeaves);
        return;
    }
    const auto more = [&](int einsum, int kind, const proof::Extents& extents, std::vector<proof::Leaf>& all) {
        return claims.add_best(einsum, kind, extents, all);
    };
    const auto is_stopped = [stop] { return stop != nullptr && stop->requested(); };
    if (answer.proven)
        proof::add_bound(claim, answer.potentials, more, is_stopped);
    else
        proof::add_bound(claim, {});
    if (answer.proven && claim.bound < claim.value * (1.0 - proof::kDigits))
        plan.note = "the certificate has a lower bound than the search: what the checker shows of so large a problem";
    plan.certificate = native::write_package_certificate({tool_version, kModelVersion, std::move(claim)});
}

}  // namespace

CertifiedPlan map_package_certified(const PackageProblem& problem, const Objective& objective,
                                    const std::string& tool_version, const StopSource* stop,
                                    const TellPackageProgress& tell) {
    PackagePlanner planner(problem, objective, stop);
    const multicore::Answer answer = planner.search(tell);
    CertifiedPlan plan;
    if (!answer.best) return plan;
    plan.report = planner.report(answer);
    certify(problem, objective, answer, planner.leaves(), tool_version, stop, plan);
    return plan;
}

}  // namespace tilewright
