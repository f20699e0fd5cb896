// Form: constants of a generation's kernels as a library or an engine runs them. They describe software, not a machine:
// every machine of the generation shares them (data/silicon, each file with its source and how it was chosen).
//
// Factors without a unit multiply a number of the data sheet or of the calibration. Values; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::silicon {

/// Number formats of a product's operands; results have 16 bits.
enum class Precision : std::uint8_t { bfloat16, fp8, fp8_block, nvfp4, int4_weights, mxfp4_weights, mxfp4_mxfp8 };

struct PrecisionWidth {
    double input_bytes = 2.0;
    double weight_bytes = 2.0;
    double copies = 6.0;  ///< of the weights, passed in turn by the measuring program
};

PrecisionWidth width_of(Precision precision);
/// "bfloat16", "fp8", "fp8_block", "nvfp4", "int4_wo", "w4a16_mxfp4", "w4a8_mxfp4_mxfp8"; empty otherwise.
std::optional<Precision> precision_named(const std::string& name);
std::string name_of(Precision precision);

/// Matrix products of a generation's library.
struct ProductForm {
    double inlet_bytes_per_cycle = 64.0;  ///< into one multiprocessor
    double cache_bytes_per_cycle = 32.0;  ///< out of the last-level cache, for each multiprocessor
    double fetched_share = 1.0;           ///< of the inlets' bytes, from the cache: blocks side by side share operands
    double kept_share = 0.1;              ///< of the cache, with products up to it running from the cache
    double stay_share = 0.0;              ///< of larger weights, found in the cache
    double fade = 1.0;                    ///< exponent of the same, by footprint
    double full_rows = 16.0;              ///< of a tile: below, its rate falls
    double rows_exponent = 0.0;
    double full_columns = 64.0;
    double columns_exponent = 0.0;
    double step_cycles = 0.0;     ///< minimum of a step of 64 of the reduction
    double tile_cycles = 0.0;     ///< of a block, besides its steps
    double result_factor = 0.0;   ///< on a block's results, leaving through its inlet
    double input_factor = 1.0;    ///< on the inputs' bytes from memory
    double partial_factor = 0.0;  ///< on a split's partial sums in memory
    double second_launch = 1.0;   ///< of a split's sum, in launches
    double overlap = 4.0;         ///< exponent of blocks and memory
    double unregulated_us = 0.0;  ///< of a kernel, before the power limit slows it; 0: it never does

    bool operator==(const ProductForm&) const = default;
};

/// Narrowing of activations before a product of narrow operands.
struct Narrowing {
    double fix_us = 0.0;
    double passes = 0.0;      ///< over wide and narrow activations
    double row_us = 0.0;      ///< per row and multiprocessor
    double rate_share = 1.0;  ///< of the product behind it

    bool operator==(const Narrowing&) const = default;
};

/// Attention of many queries of a request.
struct PrefillForm {
    double rate_share = 1.0;
    double least_width = 0.0;   ///< of a head, padded to it
    double exponentials = 1.0;  ///< factor on one per score
    double step_overlap = 1.0;  ///< exponent of matrix unit and exponentials; 1: one after the other
    double block_us = 0.0;      ///< of a block, besides its steps
    double fix_us = 0.0;        ///< with the launch of a graph
    double write_factor = 0.0;  ///< on the keys and values, into the cache
    double request_us = 0.0;    ///< per request and multiprocessor
    double bytes_factor = 1.0;  ///< on all bytes from memory
    double overlap = 1.0;       ///< exponent of longest block, work and memory
    double packed_heads = 1.0;  ///< of a key head, in one block at most
    double rows = 64.0;         ///< of a block: queries times packed heads
    double wide_head = 0.0;     ///< words: steps of wider heads take `wide_factor` times as long; 0: none
    double wide_factor = 1.0;
    double odd_factor = 1.0;  ///< on the steps of heads whose width is no power of two
    double odd_lanes = 0.0;   ///< multiply-accumulates per cycle of such heads; 0: they run on matrix units

    bool operator==(const PrefillForm&) const = default;
};

/// Attention of one query of each request.
struct DecodeForm {
    double packed_heads = 1.0;
    double most_packed = 0.0;      ///< query heads of a key head: more run in the single kernel; 0: any number
    double key_block = 128.0;      ///< keys in a step of a block
    double resident_blocks = 1.0;  ///< on a multiprocessor
    double key_cycles = 1.0;       ///< of a key of 128 words
    double wide_head = 0.0;        ///< words: keys of wider heads take `wide_factor` times as long; 0: none
    double wide_factor = 1.0;
    double odd_factor = 1.0;          ///< on key_cycles, of heads whose width is no power of two: other kernels
    double window_keys = 0.0;         ///< met beside a window's: its ends lie within blocks of keys
    double skipped_key_cycles = 0.0;  ///< of a key before the window
    /// Blocks that share a unit's keys, for each root of its history; 0: as many as take the least time.
    double splits_per_root = 0.0;
    double most_waves = 1.0;  ///< of blocks, from such splits
    double inlet_bytes_per_cycle = 64.0;
    double block_us = 0.0;
    double fix_us = 0.0;
    double partial_factor = 0.0;  ///< on the partial results of split keys, in memory
    double combine_us = 0.0;      ///< of them
    double overlap = 1.0;
    double bandwidth_factor = 1.0;

    bool operator==(const DecodeForm&) const = default;
};

/// Attention of one query against latent words that all heads share.
struct LatentForm {
    double fix_us = 0.0;
    double rate_factor = 1.0;
    double block_us = 0.0;
    double bandwidth_factor = 1.0;
    double block_heads = 16.0;  ///< of a block
    double key_us = 0.0;        ///< of a key in a block that takes all of them; 0: keys are split
    double overlap = 1.0;

    bool operator==(const LatentForm&) const = default;
};

/// A layer of experts: sorting, two grouped products, activation.
struct ExpertsForm {
    double bandwidth_factor = 1.0;
    double rate_factor = 1.0;
    double inlet_bytes_per_cycle = 64.0;
    double kept_share = 0.0;  ///< of the cache: local weights below it
    double kept_reads = 1.0;  ///< share of their bytes then still read from memory
    double row_factor = 1.0;  ///< on the bytes of rows
    double full_rows = 16.0;
    double rows_exponent = 0.0;
    double tile_cycles = 0.0;
    double overlap = 1.0;
    double fix_us = 0.0;
    double sort_factor = 0.0;  ///< on the bytes of sorted rows
    double expert_us = 0.0;    ///< per local expert
    double is_plain = 0.0;     ///< 1: without a gate's product

    bool operator==(const ExpertsForm&) const = default;
};

struct NamedExperts {
    std::string kernel;
    Precision precision = Precision::bfloat16;
    ExpertsForm form;
};

/// A protocol of NCCL: fixed and per-step latency (in units of a generation's), share of the link, bytes of a chunk.
struct Protocol {
    double base_us = 0.0;
    double step_us = 0.0;
    double link_share = 1.0;
    double chunk_bytes = 0.0;

    bool operator==(const Protocol&) const = default;
};

/// An engine's own all-reduce, in one shot or two.
struct OwnReduce {
    double base_us = 0.0;
    double peer_us = 0.0;
    double link_share = 1.0;
    double two_shots = 2.0;  ///< factor on the base

    bool operator==(const OwnReduce&) const = default;
};

struct CollectiveForm {
    double latency_factor = 1.0;
    std::vector<Protocol> protocols;
    OwnReduce own;

    bool operator==(const CollectiveForm&) const = default;
};

/// Kernels of one engine on one generation.
struct Form {
    std::string generation;  ///< "hopper"
    std::string engine;      ///< "vllm", "trtllm", "sglang"
    ProductForm product;
    std::map<Precision, Narrowing> narrowing;
    std::array<PrefillForm, 2> prefill;               ///< cache words of one byte, two bytes
    std::array<std::array<DecodeForm, 2>, 2> decode;  ///< the same; a query head for each key head, several
    std::array<LatentForm, 2> latent;                 ///< cache words of one byte, two bytes
    std::vector<NamedExperts> experts;                ///< by kernel
    std::map<Precision, ExpertsForm> usual_experts;   ///< by precision
    CollectiveForm collective;
};

}  // namespace tilewright::silicon
