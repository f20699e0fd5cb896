// Lower bounds on the energy of all mappings of one assignment, without following their loops. Internal to
// certificate/.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "certificate/common/charges.hpp"
#include "certificate/common/stages.hpp"
#include "certificate/perfect/tile_numbers.hpp"

namespace tilewright::certificate {

/// Every word that is needed is sent at least once, whatever the tiles. Without leakage.
double every_word_once_pj(const Charges& charges);
/// The part of one tensor: it depends on the memories that keep that one only.
double every_word_once_pj(const Charges& charges, int t);
/// Of one delivery.
double every_word_once_pj(const Charges& charges, int t, int level);
/// What neighbours cannot share of a tensor, whatever the tiles and the memories that keep it.
struct Unshared {
    std::array<double, kMaxMemories>
        groups{};       ///< by fan-out: sets with words of their own, where tiles decide; else 1
    double used = 0.0;  ///< words of tiles that overlap: each leaves its memory
};
Unshared unshared_of(const Charges& charges, int t);
/// As every_word_once_pj(), and no more is shared than can be.
double every_word_once_pj(const Charges& charges, int t, const Unshared& unshared);
/// Of this, what words cost on wires: every mapping pays it on top of what it costs as if wires were free.
double wires_once_pj(const Charges& charges);
/// Adds what memories read and write at least for that tensor.
void add_every_word_once(const Charges& charges, int t, Loads& loads);
void add_every_word_once(const Charges& charges, int t, const Unshared& unshared, Loads& loads);
void add_every_word_once(const Charges& charges, int t, int level, Loads& loads);
/// Cycles that memories need for `loads`, and all mappings at least.
double cycles_of(const Charges& charges, const Loads& loads);
double every_word_once_cycles(const Charges& charges);

/// What the deliveries that each stage has not reached cost at least.
struct Completion {
    std::vector<Stage> stages;
    std::vector<std::vector<double>> pj;  ///< by stage and point
};

/// The least energy of the deliveries that a stage has not reached, among tiles that have the point's loops inside: of
/// even mappings as chained.hpp has it, of uneven ones each tensor with the tiles that suit it best. Infinite when none
/// fit some memory. Nothing when all mappings take so much that it is `out_of_reach`.
std::optional<Completion> completion_pj(const Charges& charges, TileNumbers& tiles, Storage storage,
                                        const std::function<bool(double pj)>& out_of_reach);

}  // namespace tilewright::certificate
