// CoSA: a schedule from one mixed-integer program (Huang et al., ISCA 2021). docs/cosa.md has the formulation.
//
//     const cosa::Schedule schedule = cosa::schedule(einsum, architecture, mapspace, {});
//     if (schedule.point) ...   // else schedule.status and schedule.ended give the reason
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mapper/cosa/encoding/encoding.hpp"
#include "mapper/cosa/mip/solve.hpp"
#include "mapping/tiling_point.hpp"

namespace tilewright::cosa {

/// Capacities and traffic: ours, with every schedule legal; the same with the paper's traffic (schedule.cpp); or the
/// released code's (released.hpp).
enum class Variant { exact, as_printed, repaired, released_2021, released_2023 };

/// `exact` and `as_printed`.
bool has_exact_tiles(Variant variant);

/// The weighted sum (12), or the balance |w_T traffic - w_C compute|, either less w_U utilization.
enum class Goal { sum, balance };

/// Loop orders decided by the program: at the network's start, as in the paper, or at every memory from there outwards.
/// Exact tiles choose all others afterwards, for the program's tiles.
enum class Orders { hub, every };

struct ProgramOptions {
    Formulation formulation = Formulation::counts;
    Variant variant = Variant::exact;
    Weights weights;
    Goal goal = Goal::sum;
    Orders orders = Orders::hub;  ///< `every` is for exact tiles
    bool pad = false;             ///< extents with large primes may grow (mapspace/constraints.hpp)
    /// By tensor: bits of its words; empty: those of each memory. A word wider than the memory's takes more room.
    std::vector<std::int64_t> tensor_bits;
    mip::Limits limits;
};

struct Schedule {
    mip::Status status = mip::Status::nothing;
    mip::Ended ended = mip::Ended::finished;
    double objective = 0.0;
    double bound = 0.0;  ///< no schedule of this formulation has a smaller objective
    TermValues terms;
    std::optional<TilingPoint> point;
    std::vector<std::int64_t> extents;  ///< by dimension: the extents factorised
    int rows = 0;
    int columns = 0;
    int rounds = 0;  ///< programs solved until the tiles of shared memories fitted
    std::int64_t nodes = 0;
    double seconds = 0.0;
};

/// Requires mapspace.problem() == "" and equal einsum and architecture there. Unless `variant` is released_2021, the
/// tiles of a schedule fit.
Schedule schedule(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
                  const ProgramOptions& options);

/// "counts", "as-published"; "exact", "as-printed", "repaired", "released-2021", "released-2023".
std::string_view formulation_name(Formulation formulation);
std::string_view variant_name(Variant variant);
std::optional<Formulation> formulation_named(std::string_view name);
std::optional<Variant> variant_named(std::string_view name);

}  // namespace tilewright::cosa
