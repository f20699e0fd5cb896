// Genome: a dataflow as a search varies it: per cluster level a spatial dimension, the order of the maps, tile sizes;
// between levels the size of a cluster (the encoding of GAMMA: Kao and Krishna, ICCAD 2020, Fig. 4, with cluster sizes
// apart from the spatial dimension).
//
// Rows and columns of the image are counted in outputs, so that a tile means the same for every filter and stride.
// Filter rows and columns stay whole, but for levels whose spatial dimension is R or S: there a unit has one row of the
// filter and the row of the image that goes with it (row-stationary dataflows). Values; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "base/numbers/random.hpp"
#include "maestro/dataflow/problem.hpp"

namespace tilewright::dataflow {

struct Gene {
    Axis axis = Axis::K;
    std::int64_t tile = 1;  ///< elements; of images outputs
};

struct GenomeLevel {
    Axis spatial = Axis::K;
    std::int64_t clusters = 1;  ///< of the Cluster above it; the top level has what is left of the units
    std::vector<Gene> genes;    ///< every axis of the space once, the outermost first
};

using Genome = std::vector<GenomeLevel>;  ///< the top level first

/// What a search may choose from.
struct GenomeSpace {
    std::vector<Axis> axes;  ///< of more than one element; Y' and X' stand for the image
    Extents extents;
    AxisTable<std::int64_t> stride{std::int64_t{1}};
    AxisTable<std::int64_t> dilation{std::int64_t{1}};
    bool windows = true;
    std::int64_t units = 1;
    std::size_t most_levels = 3;
    bool nested = true;  ///< no tile is larger than that of the level above, as legal dataflows have it
};

/// Requires units of at least 1.
GenomeSpace genome_space(const CompleteLayer& problem, std::int64_t units, bool nested);

/// The notation. `levels_of` takes it for this problem.
Dataflow dataflow_of(const Genome& genome, const GenomeSpace& space);

/// Makes any values a member of the space: tiles within their dimension and, where they nest, the level above; no more
/// units than there are; no level without units that its filter rows need.
void repair(Genome& genome, const GenomeSpace& space);

Genome random_genome(const GenomeSpace& space, Random& random);
/// A tile size for `extent` elements: a divisor, a share rounded up, or anything.
std::int64_t random_tile(std::int64_t extent, Random& random);

/// One change each; the result is repaired.
void mutate_tile(Genome& genome, const GenomeSpace& space, Random& random);
void mutate_spatial(Genome& genome, const GenomeSpace& space, Random& random);
void mutate_clusters(Genome& genome, const GenomeSpace& space, Random& random);
void reorder(Genome& genome, const GenomeSpace& space, Random& random);
void grow(Genome& genome, const GenomeSpace& space, Random& random);
void age(Genome& genome, const GenomeSpace& space, Random& random);
/// Takes the tiles, orders, or a whole level of `other`.
void cross(Genome& genome, const Genome& other, const GenomeSpace& space, Random& random);

}  // namespace tilewright::dataflow
