#include "timeloop/components/known_keys.hpp"

#include <algorithm>

namespace tilewright::timeloop {

const std::vector<std::string>& known_attributes() {
    static const std::vector<std::string> kKnown{
        // words and capacity
        "word_bits", "word_width", "datawidth", "block_size", "n_words", "cluster_size", "width", "memory_width",
        "data_storage_width", "entries", "depth", "memory_depth", "data_storage_depth", "sizeKB", "size",
        "multiple_buffering", "min_utilization", "holds_scales",
        // bandwidth
        "read_bandwidth", "write_bandwidth", "shared_bandwidth", "bandwidth",
        "per_dataspace_bandwidth_consumption_scale",
        // instances
        "instances", "meshX", "meshY",
        // energy and area
        "vector_access_energy", "addr_gen_energy", "cluster_area", "energy", "area", "power_gated_at",
        "has_power_gating", "n_instances",
        // inputs of an estimator
        "technology", "type", "n_banks", "num_banks", "nbanks", "banks", "n_ports", "num_ports", "nports", "ports",
        "n_rd_ports", "n_wr_ports", "n_rdwr_ports", "n_rd_wr_ports", "n_rw_ports", "multiplier_width", "adder_width",
        "global_cycle_seconds", "cycle_seconds", "cycle_time", "frequency", "clock_frequency",
        // networks
        "network_word_bits", "network_type", "network_read", "network_fill", "network_update", "network_drain",
        "network_operand", "network_result", "network_fill_latency", "network_drain_latency", "fill_latency",
        "drain_latency", "router_energy", "wire_energy", "energy_per_hop", "tile_width", "adder_energy", "action_name",
        "multicast_factor_argument", "per_datatype_ERT", "reduction_supported",
        // sparse features: accepted only when switched off (hierarchy and tree readers refuse the rest)
        "metadata_storage_width", "metadata_storage_depth", "metadata_datawidth", "metadata_counter_width",
        "metadata_block_size", "metadata_word_bits", "metadata_width", "metadata_depth", "metadata_n_banks",
        "decompression_supported", "compression_supported", "tile_partition_supported",
        "concordant_compressed_tile_traversal", "allow_overbooking",
        // known to Accelergy's plug-ins or written by Timeloop's front end; without effect here
        "version", "name", "class", "subclass", "latency", "action_latency_cycles", "update_fifo_depth", "n_bits",
        "precision", "length", "voltage", "temperature", "num_pipeline_stages", "num_pipline_stages", "pipeline_stages",
        "data_width", "exponent", "mantissa", "page_bits", "bus_width", "burst_size", "n_ranks", "cache_type",
        "tag_size", "associativity", "n_row", "n_col"};
    return kKnown;
}

bool is_in(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace tilewright::timeloop
