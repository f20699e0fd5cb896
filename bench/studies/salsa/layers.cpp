#include "layers.hpp"

#include <ctime>

#include "zigzag/accounting/zigzag.hpp"
#include "zigzag/files/load.hpp"
#include "zigzag/files/mapping.hpp"

namespace tilewright::salsa_study {

std::vector<Layer> layers_of(const std::filesystem::path& folder, const std::string& network, std::string mapping) {
    if (mapping.empty()) mapping = network + "-mapping";
    const zigzag::Accelerator machine = zigzag::read_accelerator(zigzag::load(folder / "machine.yaml").root);
    const auto entries = zigzag::read_mappings(zigzag::load(folder / (mapping + ".yaml")).root, machine);
    std::vector<Layer> layers;
    for (zigzag::WorkloadLayer& one : zigzag::read_workload(zigzag::load(folder / (network + ".yaml")).root)) {
        const zigzag::MappingEntry& entry = *zigzag::entry_for(entries, one.layer);
        zigzag::link_operands(entry, one.layer);
        const zigzag::ArrayUnrolling unrolling =
            zigzag::legal_unrollings(machine, one.layer, zigzag::requested_unrolling(entry, one.layer)).front();
        const zigzag::SpatialPair spatial = zigzag::spatial_pair(machine, one.layer, unrolling);
        layers.push_back({network,
                          one.layer.name,
                          {machine,
                           one.layer,
                           spatial.fractional,
                           spatial.whole,
                           zigzag::Evenness::uneven,
                           {},
                           orders::LatencyModel::zigzag,
                           {}}});
    }
    return layers;
}

Timed run(const Layer& layer, const std::string& search, const orders::Settings& settings) {
    const std::clock_t begin = std::clock();
    Timed timed{orders::find_search(search)->run(layer.problem, settings)};
    timed.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    return timed;
}

}  // namespace tilewright::salsa_study
