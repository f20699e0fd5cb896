#include "run/zeros/sparse_files.hpp"

#include <algorithm>

#include "timeloop/sparse/read_sparse.hpp"

namespace tilewright {

bool SparseFiles::acts() const { return !whole_.is_null() && timeloop::is_sparse(whole_); }

bool SparseFiles::add_problem(const yaml::Node& tree) {
    if (!tree.has("problem") || whole_.has("problem")) return false;
    whole_ = yaml::Node::merged(whole_, tree);
    return true;
}

std::optional<sparse::Design> SparseFiles::design(const Layer& layer, const Architecture& architecture,
                                                  timeloop::VoidNamesByFile* found) const {
    if (!acts()) return std::nullopt;
    sparse::Design design = timeloop::read_sparse(whole_, layer.einsum, architecture, found);
    given_.set(layer, design);
    return design;
}

std::vector<sparse::Density> SparseFiles::densities(const Layer& layer) const {
    sparse::Design design;
    design.densities.resize(layer.einsum.tensors.size());
    if (!whole_.is_null()) design.densities = timeloop::read_densities(whole_, layer.einsum);
    given_.set(layer, design);
    return std::move(design.densities);
}

std::vector<std::string> SparseFiles::sources(const Layer& layer) const {
    std::vector<std::string> sources = given_.sources(layer);
    if (whole_.is_null()) return sources;
    const std::vector<std::string> places = timeloop::density_places(whole_, layer.einsum);
    for (std::size_t t = 0; t < sources.size(); ++t)
        if (sources[t].empty()) sources[t] = places[t];
    return sources;
}

std::string note_about(const sparse::Design& design) {
    const bool is_free = std::ranges::all_of(
        design.memories, [](const sparse::MemoryDesign& one) { return one.metadata == sparse::AccessEnergies{}; });
    return design.has_formats() && is_free ? "metadata costs no energy: no ERT has its accesses (metadata_read)" : "";
}

void name_density_sources(const SparseFiles& files, const Network& network, report::LayerResult& result) {
    if (!result.sparse) return;
    for (const std::string& name : result.names) {
        const auto layer = std::ranges::find(network.layers, name, &Layer::name);
        if (layer == network.layers.end()) continue;
        const std::vector<std::string> sources = files.sources(*layer);
        for (std::size_t t = 0; t < std::min(sources.size(), result.sparse->densities.size()); ++t) {
            std::string& from = result.sparse->densities[t].from;
            if (from.find(sources[t]) == std::string::npos) from += (from.empty() ? "" : "; ") + sources[t];
        }
    }
}

}  // namespace tilewright
