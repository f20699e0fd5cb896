// Names of the numbers of forms, calibration and power, as files write them: the members' own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "silicon/accelerator/accelerator.hpp"
#include "silicon/files/fields.hpp"
#include "yaml/node.hpp"

namespace tilewright::silicon {

template <class Values>
using Fields = std::vector<std::pair<const char*, double Values::*>>;

inline Fields<ProductForm> fields_of(const ProductForm*) {
    return {{"inlet_bytes_per_cycle", &ProductForm::inlet_bytes_per_cycle},
            {"cache_bytes_per_cycle", &ProductForm::cache_bytes_per_cycle},
            {"fetched_share", &ProductForm::fetched_share},
            {"kept_share", &ProductForm::kept_share},
            {"stay_share", &ProductForm::stay_share},
            {"fade", &ProductForm::fade},
            {"full_rows", &ProductForm::full_rows},
            {"rows_exponent", &ProductForm::rows_exponent},
            {"full_columns", &ProductForm::full_columns},
            {"columns_exponent", &ProductForm::columns_exponent},
            {"step_cycles", &ProductForm::step_cycles},
            {"tile_cycles", &ProductForm::tile_cycles},
            {"result_factor", &ProductForm::result_factor},
            {"input_factor", &ProductForm::input_factor},
            {"partial_factor", &ProductForm::partial_factor},
            {"second_launch", &ProductForm::second_launch},
            {"overlap", &ProductForm::overlap},
            {"unregulated_us", &ProductForm::unregulated_us}};
}

inline Fields<Narrowing> fields_of(const Narrowing*) {
    return {{"fix_us", &Narrowing::fix_us},
            {"passes", &Narrowing::passes},
            {"row_us", &Narrowing::row_us},
            {"rate_share", &Narrowing::rate_share}};
}

inline Fields<PrefillForm> fields_of(const PrefillForm*) {
    return {{"rate_share", &PrefillForm::rate_share},     {"least_width", &PrefillForm::least_width},
            {"exponentials", &PrefillForm::exponentials}, {"step_overlap", &PrefillForm::step_overlap},
            {"block_us", &PrefillForm::block_us},         {"fix_us", &PrefillForm::fix_us},
            {"write_factor", &PrefillForm::write_factor}, {"request_us", &PrefillForm::request_us},
            {"bytes_factor", &PrefillForm::bytes_factor}, {"overlap", &PrefillForm::overlap},
            {"packed_heads", &PrefillForm::packed_heads}, {"rows", &PrefillForm::rows},
            {"wide_head", &PrefillForm::wide_head},       {"wide_factor", &PrefillForm::wide_factor},
            {"odd_factor", &PrefillForm::odd_factor},     {"odd_lanes", &PrefillForm::odd_lanes}};
}

inline Fields<DecodeForm> fields_of(const DecodeForm*) {
    return {{"packed_heads", &DecodeForm::packed_heads},
            {"key_block", &DecodeForm::key_block},
            {"resident_blocks", &DecodeForm::resident_blocks},
            {"key_cycles", &DecodeForm::key_cycles},
            {"most_packed", &DecodeForm::most_packed},
            {"wide_head", &DecodeForm::wide_head},
            {"wide_factor", &DecodeForm::wide_factor},
            {"odd_factor", &DecodeForm::odd_factor},
            {"window_keys", &DecodeForm::window_keys},
            {"skipped_key_cycles", &DecodeForm::skipped_key_cycles},
            {"splits_per_root", &DecodeForm::splits_per_root},
            {"most_waves", &DecodeForm::most_waves},
            {"inlet_bytes_per_cycle", &DecodeForm::inlet_bytes_per_cycle},
            {"block_us", &DecodeForm::block_us},
            {"fix_us", &DecodeForm::fix_us},
            {"partial_factor", &DecodeForm::partial_factor},
            {"combine_us", &DecodeForm::combine_us},
            {"overlap", &DecodeForm::overlap},
            {"bandwidth_factor", &DecodeForm::bandwidth_factor}};
}

inline Fields<LatentForm> fields_of(const LatentForm*) {
    return {{"fix_us", &LatentForm::fix_us},           {"rate_factor", &LatentForm::rate_factor},
            {"block_us", &LatentForm::block_us},       {"bandwidth_factor", &LatentForm::bandwidth_factor},
            {"block_heads", &LatentForm::block_heads}, {"key_us", &LatentForm::key_us},
            {"overlap", &LatentForm::overlap}};
}

inline Fields<ExpertsForm> fields_of(const ExpertsForm*) {
    return {{"bandwidth_factor", &ExpertsForm::bandwidth_factor},
            {"rate_factor", &ExpertsForm::rate_factor},
            {"inlet_bytes_per_cycle", &ExpertsForm::inlet_bytes_per_cycle},
            {"kept_share", &ExpertsForm::kept_share},
            {"kept_reads", &ExpertsForm::kept_reads},
            {"row_factor", &ExpertsForm::row_factor},
            {"full_rows", &ExpertsForm::full_rows},
            {"rows_exponent", &ExpertsForm::rows_exponent},
            {"tile_cycles", &ExpertsForm::tile_cycles},
            {"overlap", &ExpertsForm::overlap},
            {"fix_us", &ExpertsForm::fix_us},
            {"sort_factor", &ExpertsForm::sort_factor},
            {"expert_us", &ExpertsForm::expert_us},
            {"is_plain", &ExpertsForm::is_plain}};
}

inline Fields<Protocol> fields_of(const Protocol*) {
    return {{"base_us", &Protocol::base_us},
            {"step_us", &Protocol::step_us},
            {"link_share", &Protocol::link_share},
            {"chunk_bytes", &Protocol::chunk_bytes}};
}

inline Fields<OwnReduce> fields_of(const OwnReduce*) {
    return {{"base_us", &OwnReduce::base_us},
            {"peer_us", &OwnReduce::peer_us},
            {"link_share", &OwnReduce::link_share},
            {"two_shots", &OwnReduce::two_shots}};
}

inline Fields<CalibratedNumbers> fields_of(const CalibratedNumbers*) {
    return {{"launch_us", &CalibratedNumbers::launch_us},
            {"bandwidth_share", &CalibratedNumbers::bandwidth_share},
            {"rate_share", &CalibratedNumbers::rate_share},
            {"link_share", &CalibratedNumbers::link_share}};
}

inline Fields<PowerNumbers> fields_of(const PowerNumbers*) {
    return {{"idle_watts", &PowerNumbers::idle_watts},
            {"pj_per_operation", &PowerNumbers::pj_per_operation},
            {"pj_per_byte", &PowerNumbers::pj_per_byte},
            {"busy_watts", &PowerNumbers::busy_watts}};
}

/// Fields not named keep their values. `others`: keys that are no field. Throws unknown_key, or bad_value for a number
/// below 0.
template <class Values>
void read_fields(const yaml::Node& node, Values& values, const std::vector<std::string>& others = {}) {
    std::vector<std::string> known = others;
    for (const auto& [name, member] : fields_of(&values)) known.emplace_back(name);
    node.expect_keys(known);
    for (const auto& [name, member] : fields_of(&values)) values.*member = number_or(node, name, values.*member);
}

}  // namespace tilewright::silicon
