// Proves that no mapping of a mapspace beats a score, assignment by assignment.
//
// The proof is this room's own: it enumerates the assignments from the mapspace, bounds them, and follows those that
// the bounds leave open; it shares no code with the search that found the mapping. Thread-safe; deterministic.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "certificate/goal.hpp"
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

struct Proof {
    std::int64_t assignments = 0;
    std::string digest;         ///< of the list of assignments
    std::string reasons;        ///< one letter each, in order
    std::vector<Doubt> doubts;  ///< of reasons that turned out not to hold; complete() only when empty
};

/// Lists the assignments with the cheapest reason that holds; `followed` where the bounds do not settle it.
Proof outline(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal);

/// The outline, with every assignment that has to be followed to its end followed. `stop`: asked between assignments;
/// what is not looked at then is a doubt.
Proof prove(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
            const std::function<bool()>& stop = {});

/// "w120 m3 f1": letters with how often they follow each other.
std::string run_lengths(const std::string& letters);

}  // namespace tilewright::certificate
