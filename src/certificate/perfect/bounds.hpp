// Lower bounds on the energy of all mappings of one assignment, without following their loops. Internal to
// certificate/.
#pragma once

#include <vector>

#include "certificate/common/charges.hpp"
#include "certificate/common/lattice.hpp"
#include "certificate/common/stages.hpp"

namespace tilewright::certificate {

/// Every word that is needed is sent at least once, whatever the tiles. Without leakage.
double every_word_once_pj(const Charges& charges);
/// The part of one tensor: it depends on the memories that keep that one only.
double every_word_once_pj(const Charges& charges, int t);
/// Adds what memories read and write at least for that tensor.
void add_every_word_once(const Charges& charges, int t, Loads& loads);

/// Of the computation and of what the compute units are sent: exact but where neighbours' sharing depends on tiles.
double inside_pj(const Charges& charges);

/// What one instance of `level` is sent of tensor `t` at least, when these loops are inside its tile and the innermost
/// loop outside that runs more than once runs along `first` (-1: there is none).
double least_sent(const Charges& charges, int t, int level, const Box& loops, int first);

/// The same whatever loop is the first.
double least_sent(const Charges& charges, int t, int level, const Box& loops);

/// By stage and point: the least energy of the deliveries that the stage has not reached, among tiles that have the
/// point's loops inside: of even mappings as chained.hpp has it, of uneven ones each tensor with the tiles that suit it
/// best. Infinite when none fit some memory.
std::vector<std::vector<double>> completion_pj(const Charges& charges, const Lattice& lattice,
                                               const std::vector<Stage>& stages, Storage storage);

}  // namespace tilewright::certificate
