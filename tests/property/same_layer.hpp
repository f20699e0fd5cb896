// One layer on one machine, written in other ways that cannot change its best value, or can only better it.
//
//     LayerCase again = layer;
//     if (const auto relation = rewrite(LayerRewriting::one_value, random, again)) compare(layer, again, *relation);
//
// A rewriting changes all that goes with it: constraints, densities, formats, and the mapping where there is one.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "arch/architecture.hpp"
#include "base/numbers/random.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/constraints.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"
#include "workload/words.hpp"

namespace tilewright::property {

struct LayerCase {
    Einsum einsum;
    Architecture architecture;
    Constraints constraints = {};
    std::optional<sparse::Design> design = {};  ///< nothing: nothing is done about zeros
    BlockFormats blocks = {};
    std::optional<Mapping> mapping = {};  ///< nothing: the best one is searched
};

enum class LayerRewriting {
    // What the layer says.
    dimensions,  ///< in another order
    terms,       ///< of sums, in another order
    ranks,       ///< axes of tensors, in another order
    operands,    ///< in another order
    names,       ///< others, of dimensions, tensors and memories
    one_value,   ///< a dimension of one value more
    backwards,   ///< an axis runs the other way
    batch,       ///< one dimension as two
    widths,      ///< all words twice as wide, in tensors, memories and wires
    said_width,  ///< of words as wide as the memories': said, or not
    lone_block,  ///< blocks of one word with a scale, instead of a wider word
    // What the machine says.
    axes,            ///< X and Y change places
    energies,        ///< all of them larger by a power of two
    useless_memory,  ///< one more, which keeps nothing
    // What can only better it.
    free_memory,  ///< one more, which may keep anything
    capacity,     ///< of one memory, doubled
    bandwidth,    ///< of one memory, doubled
    cheaper,      ///< reads of one memory
    freedom,      ///< constraints of one memory are dropped
};
inline constexpr int kLayerRewritings = 19;

std::string_view name_of(LayerRewriting rewriting);

/// What the best of the rewritten layer is to that of the layer.
struct Relation {
    double energies = 1.0;  ///< so many times as large
    bool equal = true;      ///< else at most as large
};

/// Nothing where it does not apply; the layer is then as it was.
std::optional<Relation> rewrite(LayerRewriting rewriting, Random& random, LayerCase& layer);

}  // namespace tilewright::property
