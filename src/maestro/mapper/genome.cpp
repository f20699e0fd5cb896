#include "maestro/mapper/genome.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::dataflow {
namespace {

// Y for Y', X for X'; others as they are.
Axis image_of(Axis axis) { return axis == Axis::out_y ? Axis::Y : axis == Axis::out_x ? Axis::X : axis; }

// The output axis under a filter axis.
Axis slid_by(Axis window) { return window == Axis::R ? Axis::out_y : Axis::out_x; }

bool is_filter_side(const GenomeSpace& space, Axis axis) {
    return space.windows && (axis == Axis::R || axis == Axis::S);
}

bool has_axis(const GenomeSpace& space, Axis axis) {
    return std::find(space.axes.begin(), space.axes.end(), axis) != space.axes.end();
}

Gene& gene_of(GenomeLevel& level, Axis axis) {
    return *std::find_if(level.genes.begin(), level.genes.end(), [&](const Gene& gene) { return gene.axis == axis; });
}

// An axis split by filter rows at a level above is one row from there on.
bool is_spent(const Genome& genome, std::size_t level, Axis axis, const GenomeSpace& space) {
    for (std::size_t i = 0; i < level; ++i) {
        const Axis above = genome[i].spatial;
        if (is_filter_side(space, above) && (axis == above || axis == slid_by(above))) return true;
    }
    return false;
}

void add_map(Dataflow& dataflow, bool spatial, Axis axis, std::int64_t size, std::int64_t offset) {
    Directive directive;
    directive.kind = spatial ? DirectiveKind::spatial : DirectiveKind::temporal;
    directive.axis = axis;
    directive.size = Size::number(size);
    directive.offset = Size::number(offset);
    dataflow.directives.push_back(std::move(directive));
}

// Output rows as such at stride 1; else their image rows, read alike by the exact analysis and the public tool.
void add_image(Dataflow& dataflow, bool spatial, const Gene& gene, const GenomeSpace& space) {
    const Axis image = image_of(gene.axis);
    const std::int64_t stride = space.stride[image];
    if (stride == 1) return add_map(dataflow, spatial, gene.axis, gene.tile, gene.tile);
    const Axis window = filter_along(image);
    const std::int64_t reach = (space.extents[window] - 1) * space.dilation[window] + 1;
    add_map(dataflow, spatial, image, (gene.tile - 1) * stride + reach, gene.tile * stride);
}

void add_level(Dataflow& dataflow, const Genome& genome, std::size_t index, const GenomeSpace& space) {
    const GenomeLevel& level = genome[index];
    const bool diagonal = is_filter_side(space, level.spatial);
    for (const Gene& gene : level.genes) {
        if (is_spent(genome, index, gene.axis, space)) continue;
        const bool spatial = gene.axis == level.spatial;
        if (diagonal && gene.axis == slid_by(level.spatial))
            add_map(dataflow, true, image_of(gene.axis), 1, space.dilation[level.spatial]);
        else if (space.windows && window_of(gene.axis))
            add_image(dataflow, spatial, gene, space);
        else
            add_map(dataflow, spatial, gene.axis, gene.tile, gene.tile);
    }
}

std::int64_t cluster_units(const Genome& genome) {
    std::int64_t units = 1;
    for (std::size_t i = 1; i < genome.size(); ++i) units = saturating_mul(units, genome[i].clusters);
    return units;
}

void repair_clusters(Genome& genome, const GenomeSpace& space) {
    for (std::size_t i = 1; i < genome.size(); ++i)
        genome[i].clusters = std::clamp<std::int64_t>(genome[i].clusters, 1, space.units);
    while (cluster_units(genome) > space.units) {
        const auto larger = [](const GenomeLevel& a, const GenomeLevel& b) { return a.clusters < b.clusters; };
        auto& most = *std::max_element(genome.begin() + 1, genome.end(), larger);
        most.clusters = std::max<std::int64_t>(most.clusters / 2, 1);
    }
    genome[0].clusters = space.units / cluster_units(genome);
}

// Spatial filter rows of a level: only below the top, one unit each, once.
void repair_spatial(Genome& genome, const GenomeSpace& space) {
    for (std::size_t i = 0; i < genome.size(); ++i) {
        Axis& spatial = genome[i].spatial;
        if (!is_filter_side(space, spatial)) {
            if (is_spent(genome, i, spatial, space)) spatial = space.axes.front();
            continue;
        }
        const bool fits = i > 0 && genome[i].clusters >= space.extents[spatial] && space.extents[spatial] > 1 &&
                          has_axis(space, slid_by(spatial)) && !is_spent(genome, i, spatial, space);
        if (!fits) spatial = space.axes.front();
    }
}

void repair_tiles(Genome& genome, const GenomeSpace& space) {
    for (std::size_t i = 0; i < genome.size(); ++i)
        for (Gene& gene : genome[i].genes) {
            std::int64_t most = space.extents[gene.axis];
            if (i > 0 && space.nested) most = gene_of(genome[i - 1], gene.axis).tile;
            gene.tile = std::clamp<std::int64_t>(gene.tile, 1, most);
            if (!is_filter_side(space, gene.axis)) continue;
            const bool spent = gene.axis == genome[i].spatial || is_spent(genome, i, gene.axis, space);
            gene.tile = spent ? 1 : space.extents[gene.axis];
        }
    // The level above spatial filter rows hands on one output row.
    for (std::size_t i = 1; i < genome.size(); ++i)
        if (is_filter_side(space, genome[i].spatial))
            for (std::size_t j = i - 1; j < genome.size(); ++j) gene_of(genome[j], slid_by(genome[i].spatial)).tile = 1;
}

GenomeLevel random_level(const GenomeSpace& space, Random& random) {
    GenomeLevel level;
    level.spatial = space.axes[random.below(space.axes.size())];
    level.clusters = random_tile(space.units, random);
    for (const Axis axis : space.axes) level.genes.push_back({axis, random_tile(space.extents[axis], random)});
    for (std::size_t i = level.genes.size(); i > 1; --i) std::swap(level.genes[i - 1], level.genes[random.below(i)]);
    return level;
}

}  // namespace

GenomeSpace genome_space(const CompleteLayer& problem, std::int64_t units, bool nested) {
    GenomeSpace space;
    space.stride = problem.stride;
    space.dilation = problem.dilation;
    space.windows = problem.windows;
    space.units = units;
    space.nested = nested;
    space.extents = problem.extents;
    for (Axis axis : problem.coupled) {
        if (problem.windows && axis == Axis::Y) axis = Axis::out_y;
        if (problem.windows && axis == Axis::X) axis = Axis::out_x;
        // The filter is named wherever the image is: the public tool takes its sizes from the same level.
        if (problem.extents[axis] > 1 || is_filter_side(space, axis)) space.axes.push_back(axis);
    }
    // First an axis permitted as spatial at any level.
    std::stable_partition(space.axes.begin(), space.axes.end(),
                          [&](Axis axis) { return !is_filter_side(space, axis) && !window_of(axis); });
    std::stable_partition(space.axes.begin(), space.axes.end(),
                          [&](Axis axis) { return !is_filter_side(space, axis); });
    if (space.axes.empty() || is_filter_side(space, space.axes.front()))
        space.axes.insert(space.axes.begin(), problem.coupled.front());
    return space;
}

Dataflow dataflow_of(const Genome& genome, const GenomeSpace& space) {
    Dataflow dataflow;
    for (std::size_t i = 0; i < genome.size(); ++i) {
        if (i > 0) {
            Directive cluster;
            cluster.kind = DirectiveKind::cluster;
            cluster.cluster = ClusterKind::physical;
            cluster.size = Size::number(genome[i].clusters);
            dataflow.directives.push_back(std::move(cluster));
        }
        add_level(dataflow, genome, i, space);
    }
    return dataflow;
}

void repair(Genome& genome, const GenomeSpace& space) {
    repair_clusters(genome, space);
    repair_spatial(genome, space);
    repair_tiles(genome, space);
}

std::int64_t random_tile(std::int64_t extent, Random& random) {
    const std::int64_t any = random.between(1, extent);
    switch (random.below(4)) {
        case 0: return any;
        case 1: return ceil_div(extent, any);
        default: break;
    }
    // The first divisor on the way down.
    std::int64_t divisor = any;
    while (extent % divisor != 0) --divisor;
    return random.chance(0.5) ? divisor : extent / divisor;
}

Genome random_genome(const GenomeSpace& space, Random& random) {
    Genome genome;
    const std::size_t levels = 1 + random.below(space.most_levels);
    for (std::size_t i = 0; i < levels; ++i) genome.push_back(random_level(space, random));
    repair(genome, space);
    return genome;
}

void mutate_tile(Genome& genome, const GenomeSpace& space, Random& random) {
    GenomeLevel& level = genome[random.below(genome.size())];
    Gene& gene = level.genes[random.below(level.genes.size())];
    const std::int64_t extent = space.extents[gene.axis];
    switch (random.below(6)) {
        case 0: gene.tile += 1; break;
        case 1: gene.tile -= 1; break;
        case 2: gene.tile *= 2; break;
        case 3: gene.tile = ceil_div(gene.tile, 2); break;
        default: gene.tile = random_tile(extent, random);
    }
    repair(genome, space);
}

void mutate_spatial(Genome& genome, const GenomeSpace& space, Random& random) {
    genome[random.below(genome.size())].spatial = space.axes[random.below(space.axes.size())];
    repair(genome, space);
}

void mutate_clusters(Genome& genome, const GenomeSpace& space, Random& random) {
    if (genome.size() < 2) return;
    GenomeLevel& level = genome[1 + random.below(genome.size() - 1)];
    switch (random.below(4)) {
        case 0: level.clusters += 1; break;
        case 1: level.clusters -= 1; break;
        case 2: level.clusters = space.extents[level.spatial]; break;
        default: level.clusters = random_tile(space.units, random);
    }
    repair(genome, space);
}

void reorder(Genome& genome, const GenomeSpace& space, Random& random) {
    GenomeLevel& level = genome[random.below(genome.size())];
    const std::size_t from = random.below(level.genes.size());
    const std::size_t to = random.below(level.genes.size());
    std::swap(level.genes[from], level.genes[to]);
    repair(genome, space);
}

void grow(Genome& genome, const GenomeSpace& space, Random& random) {
    if (genome.size() >= space.most_levels) return;
    const auto place = static_cast<std::ptrdiff_t>(random.below(genome.size() + 1));
    genome.insert(genome.begin() + place, random_level(space, random));
    repair(genome, space);
}

void age(Genome& genome, const GenomeSpace& space, Random& random) {
    if (genome.size() < 2) return;
    genome.erase(genome.begin() + static_cast<std::ptrdiff_t>(random.below(genome.size())));
    repair(genome, space);
}

void cross(Genome& genome, const Genome& other, const GenomeSpace& space, Random& random) {
    const std::size_t mine = random.below(genome.size());
    const GenomeLevel& theirs = other[random.below(other.size())];
    if (random.chance(0.3)) {
        genome[mine] = theirs;
    } else {
        for (const Gene& gene : theirs.genes)
            if (random.chance(0.5)) gene_of(genome[mine], gene.axis).tile = gene.tile;
    }
    repair(genome, space);
}

}  // namespace tilewright::dataflow
