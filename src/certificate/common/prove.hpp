// Proves that no mapping of a mapspace beats a score, assignment by assignment.
//
// The proof is this room's own: it enumerates the assignments from the mapspace, bounds them, and follows those that
// the bounds leave open. With the search that found the mapping it shares the definition of the mapspace and what
// counts mappings (docs/certificate.md lists it), nothing else. Thread-safe; deterministic.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "certificate/claim/goal.hpp"
#include "mapspace/mapspace.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Why no mapping of an assignment beats the best.
enum class Reason : char {
    every_word_once = 'w',    ///< even if every word were sent once only
    each_memory_alone = 'm',  ///< even if every memory had the tile that suits it best
    followed = 'f',           ///< every loop was followed
};

/// An assignment that may hold something better, for all that the checker can tell.
struct Doubt {
    std::int64_t assignment = 0;  ///< from 0
    std::string what;             ///< its spatial factors and kept tensors
    Cost bound;                   ///< its mappings cost at least this
};

/// What a proof has to go through.
struct Outline {
    std::int64_t assignments = 0;  ///< or families of them, where there are more than kMostAssignments
    std::string digest;            ///< of the list of them
    /// "w120 f4": which of them are out of reach even if every word were sent once only (w), and which have to be
    /// followed (f), in order.
    std::string reasons;

    bool operator==(const Outline&) const = default;
};

struct Proof {
    Outline outline;
    bool by_family = false;     ///< the outline lists families
    std::vector<Doubt> doubts;  ///< none: it is proven
    std::map<Reason, std::int64_t> assignments_by_reason;
    bool leaves_out_wires = false;     ///< some costs of wires are not counted, which may be why there are doubts
    bool overlapping_results = false;  ///< nor are all first words of results
    bool too_many = false;             ///< some assignment has more nests than can be followed
    bool refuted = false;              ///< some nest costs less than its bound: the checker itself is wrong
};

/// Which mappings there are: those that store all tensors of a memory at one place, or all that mapping/uneven.hpp
/// allows, with one loop of a dimension between two stores.
enum class Storage { even, uneven };

/// Lists the assignments.
Outline outline(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal);

/// Of more assignments than this families are listed instead (families.hpp), where all factors divide.
inline constexpr std::int64_t kMostAssignments = 10'000;
/// Where some leave remainders, more cannot be listed.
inline constexpr std::int64_t kMostImperfectAssignments = 100'000;
/// Families are not found among more ways to choose spatial factors.
inline constexpr std::int64_t kMostSpatialFactors = 10'000'000;

/// There are more than that.
bool is_too_long_to_prove(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace);

/// Follows every assignment that has to be, until there are doubts. `stop`: asked between assignments;
/// what is not looked at then is a doubt. `most_assignments`: of more, families are gone through.
Proof prove(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
            Storage storage, const std::function<bool()>& stop = {}, std::int64_t most_assignments = kMostAssignments);

/// For tests: all mappings with these spatial factors and kept tensors, which leave no remainders, cost at least this,
/// as far as the checker can tell without following their loops. Infinite where no tiles fit.
Cost least_cost(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
                const PerfectPoint& assignment, Storage storage);

/// For tests: tells of every nest of the assignments that leave remainders what it costs and how the checker bounds it,
/// once for every way to build it. False: an assignment has too many. Requires a mapspace whose temporal factors
/// divide.
bool list_imperfect_nests(
    const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
    const std::function<void(const PerfectPoint& nest, const Cost& bound, const Cost& real)>& sink);

}  // namespace tilewright::certificate
