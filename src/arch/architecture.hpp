// Architecture: a chain of memories over an array of multiply-accumulate units, outermost memory first.
//
// Between two neighbours of the chain lies a fan-out: the inner one has more instances, spread over a mesh. Its size
// follows from the meshes. Spread-only levels (Timeloop's dummy buffers, the containers of v0.4 files) are memories
// keeping no tensor. Values are immutable once read; all of it is thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright {

inline constexpr int kMaxMemories = 16;

/// Number of instances along X and Y.
struct Mesh {
    std::int64_t x = 1;
    std::int64_t y = 1;

    std::int64_t size() const { return x * y; }
    bool operator==(const Mesh&) const = default;
};

/// An energy or an area with its source ("ERT energy.yaml:12", "CACTI 7 table, 65 nm, ...", "given in arch.yaml:30"),
/// printed by `tilewright show --energies`.
struct Sourced {
    double value = 0.0;
    std::string source;

    bool operator==(const Sourced&) const = default;
};

/// Energy of one vector access (one block of block_words words), pJ; leakage is per instance and cycle.
struct MemoryEnergy {
    Sourced read_pj;
    Sourced fill_pj;    ///< a word from the outer memory, or reloaded partial sums
    Sourced update_pj;  ///< a result from inside
    Sourced leak_pj_per_cycle;

    bool operator==(const MemoryEnergy&) const = default;
};

/// An estimator's inputs for a component without a given energy (arch/estimation/estimate.hpp). Unknown numbers are 0.
struct Geometry {
    std::string technology;  ///< "45nm"; "" if unknown
    std::string kind;  ///< component class (and subclass), for choosing a formula: "smartbuffer_RF", "intmac", ...
    std::int64_t depth = 0;       ///< rows
    std::int64_t width_bits = 0;  ///< of one row
    std::int64_t banks = 1;
    std::int64_t ports = 1;
    std::string dram_type;  ///< "LPDDR4", ...
    std::int64_t multiplier_bits = 0;
    std::int64_t adder_bits = 0;
    double energy_scale = 1.0;  ///< factor on estimated energies, not on given ones
    double area_scale = 1.0;

    bool operator==(const Geometry&) const = default;
};

enum class NetworkKind { legacy, simple_multicast, reduction_tree };

/// Whether a multicast spreads one word from one port (1:N), from many (M:N) or not at all (1:1).
enum class NetworkSpread { unspecified, one_to_one, one_to_many, many_to_many };

/// A priced place that holds nothing, passed by all words of a tensor: a converter, a driver, an adder of column sums.
/// Its words are those that the level sends inwards (operands) or takes from inside (results): equal words to
/// neighbours below the level count once (docs/model.md, rule 6).
struct Passage {
    std::string name;
    std::string tensor;             ///< by name, or Inputs, Weights, Outputs: the layer's operand of that role
    Sourced energy_pj;              ///< of an action
    double actions_per_word = 1.0;  ///< input slices, bits of a conversion, ...

    double word_pj() const { return energy_pj.value * actions_per_word; }
    bool operator==(const Passage&) const = default;
};

/// The wires between a memory and the next inner level. An absent energy is free, except that energy_per_hop_pj is
/// derived from wire energy and tile width if only those are known (docs/timeloop.md).
struct Link {
    std::string name;
    bool user_defined = false;  ///< a network of its own in the file, not inferred from the memory's attributes
    NetworkKind kind = NetworkKind::legacy;
    NetworkSpread spread = NetworkSpread::unspecified;
    std::int64_t word_bits = 16;
    std::optional<double> energy_per_hop_pj;
    std::optional<double> wire_energy_pj_per_bit_mm;
    std::optional<double> router_energy_pj;
    std::optional<double> tile_width_um;
    double adder_energy_pj = 0.0;                        ///< reduction tree only
    std::map<std::int64_t, double> multicast_energy_pj;  ///< simple multicast only: energy by multicast factor
    /// The same per tensor; unlisted tensors then travel for free.
    std::map<std::string, std::map<std::int64_t, double>> tensor_multicast_energy_pj;
    std::int64_t fill_latency_cycles = 0;
    std::int64_t drain_latency_cycles = 0;
    std::string energy_source;      ///< set by estimate() with the wire energy
    std::vector<Passage> passages;  ///< below the memory (or the fan-out without one)

    bool operator==(const Link&) const = default;

    /// Simple multicast only: this tensor's delivery energy by multicast factor.
    const std::map<std::int64_t, double>& multicast_energy_of(const std::string& tensor) const;
};

/// Of a tile's extent along one dimension: what an instruction, a DMA engine or a bank asks.
struct TileRule {
    std::int64_t multiple_of = 1;
    std::int64_t at_least = 1;
    std::optional<std::int64_t> at_most;

    bool operator==(const TileRule&) const = default;

    bool allows(std::int64_t extent) const {
        return extent % multiple_of == 0 && extent >= at_least && extent <= at_most.value_or(extent);
    }
};

/// "a multiple of 16, at most 64"
std::string rule_text(const TileRule& rule);

struct Memory {
    std::string name;
    std::string component_class;  ///< as written: "SRAM", "smartbuffer_RF", ...
    bool is_dram = false;
    bool spreads_only = false;  ///< a fan-out without storage: keeps no tensor, costs nothing

    std::int64_t word_bits = 16;
    std::int64_t block_words = 1;                ///< words per vector access
    std::int64_t cluster_size = 1;               ///< instances sharing one vector access
    std::optional<std::int64_t> capacity_words;  ///< per instance, before multiple buffering; empty: unlimited
    double multiple_buffering = 1.0;             ///< 2: half of the capacity holds a tile, the other half the next
    std::int64_t reserved_words = 0;             ///< of capacity_words, never a tile's
    std::int64_t alignment_words = 1;            ///< a tensor's tile takes a multiple of so many words: banks, granules
    std::map<std::string, std::int64_t> buffers;  ///< tiles held at once, by tensor name or role; 1 if absent
    std::map<std::string, TileRule> tile;         ///< by dimension name: of tiles whose tensor uses it; any if absent
    double min_utilization = 0.0;                 ///< minimum share of the usable capacity filled by a mapping
    bool holds_scales = true;                     ///< of words in blocks (Tensor::scale_bits); false: scales bypass it

    std::optional<double> read_words_per_cycle;  ///< per instance; empty: never binds
    std::optional<double> write_words_per_cycle;
    std::optional<double> shared_words_per_cycle;   ///< reads and writes together
    std::map<std::string, double> bandwidth_scale;  ///< by tensor name; 1 if absent
    /// All units wait so long for each word written into an instance: cells that are programmed (docs/model.md, rule
    /// 9).
    double write_stall_cycles = 0.0;

    std::int64_t instances = 1;
    Mesh mesh;

    Geometry geometry;
    MemoryEnergy energy;                      ///< readers leave missing sources empty; estimate() fills them in
    std::optional<double> address_energy_pj;  ///< per address generation
    Sourced area_um2;                         ///< of one instance
    bool reduces = true;                      ///< accumulates arriving partial sums (DRAM usually cannot)
    std::optional<std::string> power_gated_at;

    Link link;  ///< to the next inner memory (or the compute units)
    /// Set if results use another network than operands (Timeloop's network_read / network_update).
    std::optional<Link> update_link;

    bool operator==(const Memory&) const = default;

    /// A tile's room is more than its words, or not every tile with room is legal.
    bool rules_tiles() const { return alignment_words != 1 || !buffers.empty() || !tile.empty(); }
    /// floor((capacity_words - reserved_words) / multiple_buffering); empty: unlimited.
    std::optional<std::int64_t> usable_words() const;
    /// Makes usable_words() these: nothing is reserved, and nothing is buffered twice.
    void set_usable_words(std::optional<std::int64_t> words);
};

struct Compute {
    std::string name = "mac";
    std::string component_class;
    std::int64_t word_bits = 16;
    std::int64_t instances = 1;
    Mesh mesh;
    Geometry geometry;
    Sourced energy_pj;  ///< of one multiply-accumulate
    Sourced leak_pj_per_cycle;
    Sourced area_um2;  ///< of one unit

    bool operator==(const Compute&) const = default;
};

struct Architecture {
    std::string name;
    std::vector<Memory> memories;  ///< outermost first
    Compute compute;
    double cycle_seconds = 1e-9;
    bool clock_assumed = false;  ///< the files give no clock
    std::string technology;

    bool operator==(const Architecture&) const = default;

    int memory_count() const { return static_cast<int>(memories.size()); }
    /// Mesh of level `index`; memory_count(): the compute units.
    const Mesh& mesh(int index) const { return index < memory_count() ? memories[index].mesh : compute.mesh; }
    /// Fan-out below memory `index`: inner neighbours per instance along X and Y.
    Mesh fanout(int index) const;
};

/// Index of the named memory, or -1.
int find_memory(const Architecture& architecture, std::string_view name);

/// Whether the words of this tensor of the einsum pass it.
bool is_passed(const Passage& passage, const Einsum& einsum, int tensor);

/// Energy of a word of the tensor in all passages of a link.
double passage_pj(const Link& link, const Einsum& einsum, int tensor);

/// Reason why an architecture is malformed, or "": no memory, two equal names, non-dividing meshes, instances that are
/// no multiple of the cluster size, a storing memory too small for one word, an unknown power gate.
std::string problem_with(const Architecture& architecture);

/// Sum of the areas of all instances, um2.
double total_area_um2(const Architecture& architecture);

}  // namespace tilewright
