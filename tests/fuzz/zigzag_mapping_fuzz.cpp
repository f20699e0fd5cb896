// Any bytes as a ZigZag mapping of a small convolution on a small array: evaluated, refused or an InputError, nothing
// else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "fixtures/zigzag_sample.hpp"
#include "libfyaml_leaks.hpp"
#include "zigzag/accounting/allocation.hpp"
#include "zigzag/accounting/nest.hpp"
#include "zigzag/accounting/zigzag.hpp"
#include "zigzag/files/load.hpp"
#include "zigzag/files/mapping.hpp"
#include "zigzag/stalls/stalls.hpp"

namespace zigzag = tilewright::zigzag;

namespace {

void evaluate(const zigzag::MappingEntry& entry, const zigzag::Accelerator& machine, zigzag::Layer layer) {
    link_operands(entry, layer);
    const zigzag::ArrayUnrolling unrolling =
        legal_unrollings(machine, layer, requested_unrolling(entry, layer)).front();
    const zigzag::SpatialPair spatial = spatial_pair(machine, layer, unrolling);
    std::optional<zigzag::UnevenMapping> mapping = temporal_mapping(entry, machine, layer);
    if (const auto order = complete_ordering(entry, layer, spatial.fractional)) {
        auto allocated = allocate(machine, layer, spatial.fractional, *order, zigzag::Evenness::uneven);
        if (auto* fits = std::get_if<zigzag::UnevenMapping>(&allocated); fits != nullptr && !mapping) mapping = *fits;
    }
    const zigzag::GivenOrder given = given_order(entry, layer, spatial.fractional);
    const auto factors = loop_factors(layer, spatial.fractional);
    constexpr std::size_t kFew = 4;  // ways to place loops without size grow with their number
    if (given.inner.size() + given.outer.size() <= kFew) (void)placements(free_factors(factors, given), given);
    if (!mapping) return;
    (void)zigzag::evaluate(machine, layer, spatial, *mapping);
    (void)tilewright::stalls::latency(machine, layer, unrolling, *mapping);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const zigzag::Accelerator kMachine = zigzag::sample::array_of(6, 4);
    static const zigzag::Layer kLayer = zigzag::sample::convolution({2, 8, 4, 6, 34, 3, 3}, {2, 1});
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        for (const zigzag::MappingEntry& entry : read_mappings(zigzag::load_text(text, "fuzz.yaml").root, kMachine))
            evaluate(entry, kMachine, kLayer);
    } catch (const tilewright::InputError&) {
    } catch (const tilewright::OverflowError&) {
    }
    return 0;
}
