// Layout: CoSA's matrices for one layer on one machine.
//
// A schedule puts every prime factor of every dimension at a place: the temporal loops of a memory, or the fan-out
// below it along one axis. Matrix A has the relevant dimensions of each tensor, matrix B its memories. Memories keeping
// anything are numbered from the inside, as in CoSA: level 0 is the innermost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/mapspace.hpp"
#include "workload/einsum.hpp"

namespace tilewright::cosa {

struct LoopSlot {
    int memory = 0;
    LoopKind kind = LoopKind::temporal;

    bool is_spatial() const { return kind != LoopKind::temporal; }
};

/// Equal, interchangeable prime factors of one dimension. Prime 1 stands for extent 1 where a formulation needs it.
struct FactorGroup {
    int dimension = 0;
    std::int64_t prime = 1;
    int count = 1;
    double log2 = 0.0;  ///< of the prime
};

/// One axis of a tensor read through a sliding window: position stride * p + dilation * r.
struct Window {
    int tensor = 0;
    int position = 0;  ///< a dimension of the results
    int kernel = 0;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
};

enum class Units { left_out, included };

class Layout {
   public:
    /// `extents`: by dimension, the einsum's or larger (padded). Requires mapspace.problem() == "".
    Layout(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
           std::vector<std::int64_t> extents, Units units);

    const Einsum& einsum() const { return einsum_; }
    const Architecture& architecture() const { return architecture_; }
    const Mapspace& mapspace() const { return mapspace_; }
    const std::vector<std::int64_t>& extents() const { return extents_; }

    const std::vector<FactorGroup>& groups() const { return groups_; }
    /// Innermost first.
    const std::vector<LoopSlot>& places() const { return places_; }
    bool may_go(int group, int place) const { return allowed_[group][place]; }

    bool relevant(int dimension, int tensor) const { return (relevant_[dimension] >> tensor & 1U) != 0; }
    /// Matrix B, by memory.
    TensorSet keep(int memory) const { return keep_[memory]; }

    /// Memories keeping anything, innermost first.
    const std::vector<int>& storages() const { return storages_; }
    /// Position in storages() of the nearest one at or outside `memory`.
    int level_of(int memory) const { return level_of_[memory]; }
    /// Start of the array's network: the outermost memory of limited capacity.
    int hub() const { return hub_; }
    /// Loops at that place belong to the tile of `memory`.
    bool inside(int place, int memory) const { return places_[place].memory >= memory; }

    const std::vector<Window>& windows() const { return windows_; }

   private:
    void set_groups(Units units);
    void set_keeps();
    void set_places();
    void set_allowed();
    void set_windows();
    bool has_room(const FactorGroup& group, const LoopSlot& place) const;

    const Einsum& einsum_;
    const Architecture& architecture_;
    const Mapspace& mapspace_;
    std::vector<std::int64_t> extents_;
    std::vector<FactorGroup> groups_;
    std::vector<LoopSlot> places_;
    std::vector<std::vector<bool>> allowed_;
    std::vector<std::uint32_t> relevant_;
    std::vector<TensorSet> keep_;
    std::vector<int> storages_;
    std::vector<int> level_of_;
    int hub_ = 0;
    std::vector<Window> windows_;
};

}  // namespace tilewright::cosa
