// LoadsToCome: lower bounds of the words still read and written by memories with a bandwidth; completion_pj() for
// flows. Internal to certificate/.
//
// Every memory's reads, its writes and their sum are a flow, added up over the deliveries contributing to it: even
// mappings with each memory's best tile for the flow, nested and fitting, and the best first loop outside; uneven ones
// with each tensor's best tiles.
#pragma once

#include <optional>
#include <vector>

#include "certificate/common/charges.hpp"
#include "certificate/common/proof.hpp"
#include "certificate/common/stages.hpp"
#include "certificate/perfect/bounds.hpp"
#include "certificate/perfect/tile_numbers.hpp"

namespace tilewright::certificate {

class LoadsToCome {
   public:
    LoadsToCome(const Charges& charges, TileNumbers& tiles, const std::vector<Stage>& stages, Storage storage);

    /// Lower bound of the memories' cycles with the point's loops inside the stage and `loads` so far.
    double cycles(std::size_t stage, int point, const Loads& loads) const;
    /// Of all mappings.
    double least_cycles() const { return least_cycles_; }

   private:
    using ByPoint = std::vector<double>;

    struct Flow {
        std::size_t memory = 0;
        bool reads = false;
        bool writes = false;
        double words_per_cycle = 1.0;
        double before = 0.0;  ///< cycles that come on top: of writes on which the units wait

        double words(const Loads& loads) const {
            return (reads ? loads[2 * memory] : 0.0) + (writes ? loads[2 * memory + 1] : 0.0);
        }
        /// A delivery to `level` contributes.
        bool is_moved_by(const Charges& charges, int t, int level) const;
    };

    void list_flows();
    void look_at_even(TileNumbers& tiles, const std::vector<Stage>& stages);
    void look_at_uneven(TileNumbers& tiles, const std::vector<Stage>& stages);
    void add_least(TileNumbers& tiles, int level, int point, std::vector<ByPoint>& outside) const;
    bool sends(int level) const;

    const Charges& charges_;
    std::vector<Flow> flows_;
    std::vector<std::vector<ByPoint>> words_;  ///< by stage, flow and point
    double least_cycles_ = 0.0;
};

// ToCome: lower bounds of the deliveries beyond a stage, by fitting tiles. Internal to certificate/.

struct ToCome {
    Completion completion;
    std::optional<LoadsToCome> loads;  ///< if some memory's bandwidth may bind
    double least_cycles = 0.0;         ///< of all mappings
};

/// Nothing if all mappings are out of reach. `least_cycles`: their lower bound for any tiles.
std::optional<ToCome> look_at_tiles(const Charges& charges, TileNumbers& tiles, Storage storage, double least_cycles,
                                    const Goal& goal);

}  // namespace tilewright::certificate
