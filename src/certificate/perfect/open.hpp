// Open deliveries: words not decided by the loops so far. Internal to certificate/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "certificate/common/charges.hpp"
#include "certificate/common/lattice.hpp"
#include "certificate/common/stages.hpp"
#include "certificate/perfect/arrivals.hpp"
#include "certificate/perfect/label.hpp"
#include "certificate/perfect/tile_numbers.hpp"

namespace tilewright::certificate {

class OpenDeliveries {
   public:
    OpenDeliveries(const Charges& charges, TileNumbers& tiles, bool timed);

    double words(int point, int t, int level) { return tiles_.words(t, level, point); }

    void enter(const Stage& stage) { crossed_ = stage.crossed; }

    /// Those of the compute units: each step needs its words.
    void start(Label& label);
    /// Those to memories placed by a store: from stage to stage, across fan-outs.
    void open(const Stage& from, const Stage& to, int point, Label& label);
    /// A fan-out is inside now.
    void cross(int fanout, int point, Label& label);
    void settle_windows(Label& label) const;
    /// The next loop, from `point`. True if some tile slides along it.
    bool move(int point, int dimension, const LatticeEdge& edge, Label& label);
    void settle_all(Label& label);

    /// Sets the costs of windows, and the label's lower bound.
    void price(int point, Label& label);
    /// Of one unmoved delivery: its price if moved by the next loop, and its least.
    double waiting_now_pj(int point, int t, int level);
    double waiting_least_pj(int point, int t, int level);
    /// Adds the upper bound of its accesses.
    void add_waiting_loads(int point, int t, int level, Loads& loads);
    void add_window_loads(int point, const WindowDelivery& window, Loads& loads);
    /// Adds the lower bound of all open deliveries' accesses.
    void add_least_loads(int point, const Label& label, Loads& loads);
    /// Some first words were too many to count: labels are invalid.
    bool gave_up() const { return gave_up_; }

   private:
    std::size_t entry(int point, int t, int level) const {
        const auto row = static_cast<std::size_t>(point) * static_cast<std::size_t>(charges_.tensor_count());
        return (row + static_cast<std::size_t>(t)) * static_cast<std::size_t>(charges_.level_count() + 1) +
               static_cast<std::size_t>(level);
    }
    WindowDelivery& add_window(int point, int t, int level, Label& label);
    bool decides_first_words(int point, int t, int level) const;
    /// An upper bound if the point does not decide.
    FirstWords first_words(int point, int t, int level);
    void settle(int t, int level, double sent, const FirstWords& first, const Sharing& sharing, Label& label) const;
    double sent_by_waiting(int point, int t, int level);
    double sent_now(const WindowDelivery& window, int point);
    double sent_least(const WindowDelivery& window, int point);
    double window_pj(const WindowDelivery& window, double sent, const FirstWords& first) const;
    void know_first_words(WindowDelivery& window);
    FirstWords counted(int t, int level, const Box& loops, std::span<const Crossing> crossings);
    bool is_crossed(const WindowDelivery& window) const {
        return !charges_.is_dynamic(window.tensor, window.level) ||
               crossed_ <= charges_.parent(window.tensor, window.level);
    }
    void start_sliding(WindowDelivery& window, int point, int dimension, double stride) const;
    void advance(WindowDelivery& window, int point, int dimension, const LatticeEdge& edge) const;

    const Charges& charges_;
    TileNumbers& tiles_;
    const Lattice& lattice_;
    const bool timed_;
    int crossed_;  ///< the outermost fan-out inside
    struct Waiting {
        double now_pj = kUnknown;
        double least_pj = kUnknown;
    };
    static constexpr double kUnknown = -1.0;
    std::vector<Waiting> waiting_;  ///< by point, tensor and level
    /// Fan-outs spreading first arrivals (arrivals.hpp).
    std::array<std::array<std::uint32_t, kMaxMemories + 1>, kMaxTensors> sharing_out_{};
    std::vector<std::optional<FirstWords>> first_;  ///< of results with overlapping tiles
    bool gave_up_ = false;
};

// Dominance between two labels at one node. Internal to certificate/; argument in nests.hpp.

class Dominance {
   public:
    Dominance(const Charges& charges, OpenDeliveries& open, bool timed)
        : charges_(charges), open_(open), timed_(timed) {}

    /// The stage of the labels, and the dimensions needing a loop of its memory.
    void enter(const Stage& stage, std::uint32_t required) {
        stage_ = &stage;
        required_ = required;
    }

    /// Any completion of `b` is legal for `a`, and no dearer.
    bool replaces(int point, const Label& a, const Label& b);

   private:
    bool may_go_on_like(const Label& a, const Label& b) const;
    bool replaces_loads(int point, const Label& a, const Label& b) const;

    const Charges& charges_;
    OpenDeliveries& open_;
    const bool timed_;
    const Stage* stage_ = nullptr;
    std::uint32_t required_ = 0;
};

}  // namespace tilewright::certificate
