// Genome: a dataflow under variation: per cluster level a spatial dimension, map order and tile sizes; between levels
// the cluster size (GAMMA's encoding: Kao and Krishna, ICCAD 2020, Fig. 4, with cluster sizes apart from the spatial
// dimension).
//
// Image rows and columns are counted in outputs: a tile means the same for every filter and stride. Filter rows and
// columns stay whole, except at levels spatial in R or S: there a unit has one filter row and its image row
// (row-stationary dataflows). Values; thread-safe.
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
    std::int64_t clusters = 1;  ///< of the Cluster above; the top level has the remaining units
    std::vector<Gene> genes;    ///< each axis of the space once, outermost first
};

using Genome = std::vector<GenomeLevel>;  ///< the top level first

/// Choices of a search.
struct GenomeSpace {
    std::vector<Axis> axes;  ///< of more than one element; Y' and X' stand for the image
    Extents extents;
    AxisTable<std::int64_t> stride{std::int64_t{1}};
    AxisTable<std::int64_t> dilation{std::int64_t{1}};
    bool windows = true;
    std::int64_t units = 1;
    std::size_t most_levels = 3;
    bool nested = true;  ///< tiles no larger than the level above's, as in legal dataflows
};

/// Requires units of at least 1.
GenomeSpace genome_space(const CompleteLayer& problem, std::int64_t units, bool nested);

/// In the notation; accepted by `levels_of` for this problem.
Dataflow dataflow_of(const Genome& genome, const GenomeSpace& space);

/// Projects any values into the space: tiles within their dimension and, if nested, the level above; units within the
/// limit; no level short of units for its filter rows.
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
