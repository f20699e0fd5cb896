// Lower bounds of the energy of an assignment's mappings, without following loops. Internal to certificate/.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "certificate/common/charges.hpp"
#include "certificate/common/stages.hpp"
#include "certificate/perfect/tile_numbers.hpp"

namespace tilewright::certificate {

/// C1: every needed word is sent at least once, for any tiles. Without leakage.
double every_word_once_pj(const Charges& charges);
/// One tensor's part; depends only on its keeping memories.
double every_word_once_pj(const Charges& charges, int t);
double every_word_once_pj(const Charges& charges, int t, int level);
/// Words of a tensor that neighbours cannot share, for any tiles and keeping memories.
struct Unshared {
    std::array<double, kMaxMemories> groups{};  ///< by fan-out: sets with their own words, if tile-dependent; else 1
    double used = 0.0;                          ///< words of overlapping tiles: each leaves its memory
};
Unshared unshared_of(const Charges& charges, int t);
/// As every_word_once_pj(), with sharing limited to the possible.
double every_word_once_pj(const Charges& charges, int t, const Unshared& unshared);
/// Its wire part: every mapping pays it on top of its cost with free wires.
double wires_once_pj(const Charges& charges);
/// Adds the tensor's least reads and writes.
void add_every_word_once(const Charges& charges, int t, Loads& loads);
void add_every_word_once(const Charges& charges, int t, const Unshared& unshared, Loads& loads);
void add_every_word_once(const Charges& charges, int t, int level, Loads& loads);
/// Cycles of memories for `loads`; lower bound of all mappings.
double cycles_of(const Charges& charges, const Loads& loads);
double every_word_once_cycles(const Charges& charges);

struct Completion {
    std::vector<Stage> stages;
    std::vector<std::vector<double>> pj;  ///< by stage and point
};

/// C2: least energy of the deliveries beyond a stage, over tiles with the point's loops inside: even mappings as in
/// chained_pj, uneven ones with the best tiles of each tensor. Infinite if none fit some memory. Nothing if all
/// mappings are `out_of_reach`.
std::optional<Completion> completion_pj(const Charges& charges, TileNumbers& tiles, Storage storage,
                                        const std::function<bool(double pj)>& out_of_reach);

// Chained: lower bound of an assignment's even mappings with nested tiles (C2). Internal to certificate/.
//
// Loops just outside a memory's tile come before those outside the next memory's. A tensor rests during irrelevant
// loops: if any loop between the two tiles moves it, at most for the irrelevant ones between. The inner memory's
// delivery therefore depends on its own tile along relevant dimensions and on the outer tile along all others.

/// By level and point: least energy of the deliveries to this memory and outside, with the point's loops inside.
/// Infinite if no tile around it fits some memory. Nothing if all mappings are `out_of_reach`.
std::optional<std::vector<std::vector<double>>> chained_pj(const Charges& charges, TileNumbers& tiles,
                                                           const std::function<bool(double pj)>& out_of_reach);

}  // namespace tilewright::certificate
