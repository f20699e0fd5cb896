#include "silicon/accelerator/form.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "silicon/accelerator/accelerator.hpp"

namespace tilewright::silicon {
namespace {

struct Named {
    Precision precision;
    const char* name;
    PrecisionWidth width;  ///< 4-bit formats with the scales of their blocks
};

constexpr Named kPrecisions[]{{Precision::bfloat16, "bfloat16", {2.0, 2.0, 6.0}},
                              {Precision::fp8, "fp8", {1.0, 1.0, 6.0}},
                              {Precision::fp8_block, "fp8_block", {1.0, 1.0, 1.0}},
                              {Precision::nvfp4, "nvfp4", {0.5625, 0.5625, 1.0}},
                              {Precision::int4_weights, "int4_wo", {2.0, 0.5625, 1.0}},
                              {Precision::mxfp4_weights, "w4a16_mxfp4", {2.0, 0.53125, 1.0}},
                              {Precision::mxfp4_mxfp8, "w4a8_mxfp4_mxfp8", {1.0, 0.53125, 1.0}}};

const Named& named(Precision precision) { return kPrecisions[static_cast<std::size_t>(precision)]; }

}  // namespace

PrecisionWidth width_of(Precision precision) { return named(precision).width; }

std::string name_of(Precision precision) { return named(precision).name; }

std::optional<Precision> precision_named(const std::string& name) {
    const auto* found = std::ranges::find(kPrecisions, name, &Named::name);
    if (found == std::end(kPrecisions)) return std::nullopt;
    return found->precision;
}

double rate_factor(const DataSheet& sheet, Precision precision) {
    if (precision == Precision::nvfp4) return sheet.fp4_factor;
    const bool is_fp8 =
        precision == Precision::fp8 || precision == Precision::fp8_block || precision == Precision::mxfp4_mxfp8;
    return is_fp8 ? sheet.fp8_factor : 1.0;
}

}  // namespace tilewright::silicon
