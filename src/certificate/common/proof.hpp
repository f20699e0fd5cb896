// What a proof is made of: the assignments that it goes through, why each is done with, and what is left in doubt.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "certificate/common/goal.hpp"

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
    bool overlapping_results = false;  ///< nor, it may be, all first words of results
    bool too_many = false;             ///< some assignment has more nests than can be followed
    bool refuted = false;              ///< some nest costs less than its bound: the checker itself is wrong
};

/// Which mappings there are: those that store all tensors of a memory at one place, or all that mapping/uneven.hpp
/// allows, with one loop of a dimension between two stores.
enum class Storage { even, uneven };

/// Of more assignments than this families are listed instead (families.hpp), where all factors divide.
inline constexpr std::int64_t kMostAssignments = 10'000;
/// Where some leave remainders, more cannot be listed.
inline constexpr std::int64_t kMostImperfectAssignments = 100'000;
/// Families are not found among more ways to choose spatial factors.
inline constexpr std::int64_t kMostSpatialFactors = 10'000'000;

}  // namespace tilewright::certificate
