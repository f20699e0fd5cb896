// The program of a mapping without remainders, without visiting every instance: instances of a level get equal tiles up
// to a constant shift, so one stands for all, and their sharing groups are constant. An element's inner loops depend
// only on how the tile arrives, and are analysed once per way.
#include "sim/machine/program.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/numbers/checked.hpp"
#include "sim/dram/device.hpp"
#include "sim/machine/builder.hpp"
#include "sim/machine/loops.hpp"

namespace tilewright::sim {
namespace {

using Shift = std::array<std::int64_t, kMaxRanks>;
using Indices = std::array<std::int64_t, kMaxDimensions>;

Shift minus(const Shift& a, const Shift& b) {
    Shift difference{};
    for (std::size_t r = 0; r < a.size(); ++r) difference[r] = a[r] - b[r];
    return difference;
}

Shift shift_of(const Tensor& tensor, const Indices& low) {
    Shift shift{};
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
        for (const Term& term : tensor.ranks[r].terms) shift[r] += term.coefficient * low[at(term.dimension)];
    }
    return shift;
}

/// Loops and their indices.
struct Odometer {
    std::vector<SizedLoop> loops;  ///< outermost first
    std::vector<std::int64_t> index;

    explicit Odometer(std::vector<SizedLoop> all) : loops(std::move(all)), index(loops.size()) {}

    /// Index of the advanced loop, or -1 after the last step, with a restart.
    int advance(Indices& low) {
        for (int i = static_cast<int>(loops.size()) - 1; i >= 0; --i) {
            std::int64_t& along = low[at(loops[at(i)].dimension)];
            if (++index[at(i)] < loops[at(i)].extent) {
                along += loops[at(i)].points;
                return i;
            }
            along -= (index[at(i)] - 1) * loops[at(i)].points;
            index[at(i)] = 0;
        }
        return -1;
    }
    /// Whether all irrelevant ones of the first `count` loops are at their start.
    bool at_first_pass(const Tensor& tensor, std::size_t count) const {
        for (std::size_t i = 0; i < count; ++i) {
            if (index[i] != 0 && !is_relevant(tensor, loops[i].dimension)) return false;
        }
        return true;
    }
};

/// Resident words of one instance, given by the start of its tile alone: all its tiles have one size (Holding in
/// loops.hpp).
struct Slide {
    std::optional<Shift> start;
    std::optional<Shift> direction;

    std::int64_t receive(const Shift& next, const Shift& widths) {
        std::int64_t all = 1;
        for (const std::int64_t width : widths) all = checked_mul(all, width);
        if (!start) {
            start = next;
            return all;
        }
        const Shift move = minus(next, *start);
        start = next;
        if (move == Shift{}) return 0;
        if (direction && *direction != move) {
            direction.reset();
            return all;
        }
        direction = move;
        std::int64_t kept = 1;
        for (std::size_t r = 0; r < widths.size(); ++r)
            kept *= std::max<std::int64_t>(0, widths[r] - std::abs(move[r]));
        return all - kept;
    }
};

/// A step's words over a flow, per group.
struct Sent {
    std::int64_t words = 0;
    std::int64_t first = 0;  ///< of these, in the first pass of the inner loops
    Slide after;             ///< relative to the start of the step
};

struct PlannedFlow {
    Flow flow;
    Shift widths{};
    std::size_t outer_loops = 0;  ///< loops of the odometer outside the inner level
    std::vector<SizedLoop> inner_loops;
    struct Group {
        int id = 0;
        std::int64_t copies = 0;
    };
    std::vector<Group> groups;
    Slide state;
    std::map<std::pair<std::optional<Shift>, std::optional<Shift>>, Sent> known;
};

class Plan {
   public:
    Plan(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping, const StopSource* stop)
        : einsum_(einsum),
          architecture_(architecture),
          levels_(sized_levels(mapping, architecture.memory_count())),
          floor_(floor_of(architecture)),
          builder_(floor_, flows_of(einsum, levels_, floor_)),
          outer_(outer_loops()),
          stop_(stop) {
        for (const Flow& flow : flows_of(einsum, levels_, floor_)) flows_.push_back(planned(flow));
    }

    Program run() {
        const std::int64_t cycles = element_cycles(levels_, floor_, step_region(), einsum_.dimension_count());
        const int working = working_group();
        Indices low{};
        int advanced = -1;  // the first step has only new words
        do {
            if (stop_ != nullptr && stop_->requested()) throw Interrupted{};
            builder_.begin_step(cycles, working);
            for (std::size_t f = 0; f < flows_.size(); ++f) step(static_cast<int>(f), low, advanced);
            advanced = outer_.advance(low);
        } while (advanced >= 0);
        return builder_.finish();
    }

   private:
    std::vector<SizedLoop> outer_loops() const {
        std::vector<SizedLoop> loops;
        for (int m = 0; m <= floor_.spreads_from; ++m) {
            const std::vector<SizedLoop>& temporal = levels_[at(m)].temporal;
            loops.insert(loops.end(), temporal.begin(), temporal.end());
        }
        return loops;
    }

    Region step_region() const {
        Region region = whole_region(einsum_);
        for (const SizedLoop& loop : outer_.loops) region[at(loop.dimension)].high /= loop.extent;
        return region;
    }

    PlannedFlow planned(const Flow& flow) {
        PlannedFlow plan;
        plan.flow = flow;
        const Tensor& tensor = einsum_.tensors[at(flow.tensor)];
        Region tile = whole_region(einsum_);
        for (int m = 0; m < flow.inner; ++m) {
            const SizedLevel& level = levels_[at(m)];
            for (const SizedLoop& loop : level.temporal) tile[at(loop.dimension)].high /= loop.extent;
            for (const SizedLoop& loop : level.spatial) tile[at(loop.dimension)].high /= loop.extent;
            if (m <= floor_.spreads_from) plan.outer_loops += level.temporal.size();
            if (m > floor_.spreads_from) {
                plan.inner_loops.insert(plan.inner_loops.end(), level.temporal.begin(), level.temporal.end());
            }
        }
        const Box box = box_of(tensor, tile);
        for (std::size_t r = 0; r < box.size(); ++r) plan.widths[r] = box[r].size();
        if (flow.into_array) {
            find_groups(plan, tensor);
        } else {
            plan.groups = {{0, 1}};
        }
        return plan;
    }

    /// Sharing groups: instances of the inner level with equal tile starts.
    void find_groups(PlannedFlow& plan, const Tensor& tensor) {
        std::map<Shift, std::vector<int>> elements;
        for (const auto& [low, element] : instances(plan.flow.inner))
            elements[shift_of(tensor, low)].push_back(element);
        for (auto& [shift, group] : elements) {
            const auto copies = static_cast<std::int64_t>(group.size());
            std::sort(group.begin(), group.end());
            group.erase(std::unique(group.begin(), group.end()), group.end());
            plan.groups.push_back({builder_.group(group), copies});
        }
    }

    int working_group() {
        std::vector<int> elements;
        for (const auto& [low, element] : instances(floor_.element)) elements.push_back(element);
        std::sort(elements.begin(), elements.end());
        return builder_.group(elements);
    }

    /// Instances of a level in the array: region starts and elements.
    std::vector<std::pair<Indices, int>> instances(int target) const {
        struct Instance {
            Indices low{};
            int x = 0;
            int y = 0;
        };
        std::vector<Instance> all(1);
        for (int m = floor_.spreads_from; m < target; ++m) {
            const tilewright::Mesh fanout = architecture_.fanout(m);
            std::vector<Instance> inside;
            for (const Instance& instance : all) {
                Odometer block(levels_[at(m)].spatial);
                Instance next = instance;
                int number = 0;
                do {
                    Instance one = next;
                    if (m < floor_.element) {
                        one.x = instance.x * static_cast<int>(fanout.x) + number % static_cast<int>(fanout.x);
                        one.y = instance.y * static_cast<int>(fanout.y) + number / static_cast<int>(fanout.x);
                    }
                    inside.push_back(one);
                    ++number;
                } while (block.advance(next.low) >= 0);
            }
            all = std::move(inside);
        }
        std::vector<std::pair<Indices, int>> found;
        for (const Instance& instance : all)
            found.emplace_back(instance.low, instance.y * floor_.elements_x + instance.x);
        return found;
    }

    void step(int f, const Indices& low, int advanced) {
        PlannedFlow& plan = flows_[at(f)];
        // A memory outside the array gets a tile when an outer loop has advanced.
        if (!plan.flow.into_array && advanced >= static_cast<int>(plan.outer_loops)) return;
        const Tensor& tensor = einsum_.tensors[at(plan.flow.tensor)];
        const Sent sent = send(plan, shift_of(tensor, low));
        const bool first_pass = outer_.at_first_pass(tensor, plan.outer_loops);
        for (const PlannedFlow::Group& group : plan.groups) {
            if (plan.flow.result) {
                builder_.result(f, group.id, sent.words, first_pass ? sent.first : 0, group.copies);
            } else {
                builder_.operand(f, group.id, sent.words, group.copies);
            }
        }
    }

    /// Moves the tile to `start` and through the element's loops.
    Sent send(PlannedFlow& plan, const Shift& start) {
        std::optional<Shift> from;
        if (plan.state.start) from = minus(*plan.state.start, start);
        const auto [found, is_new] = plan.known.try_emplace({from, plan.state.direction});
        if (is_new) found->second = slide(plan, {from, plan.state.direction});
        plan.state = found->second.after;
        for (std::size_t r = 0; r < start.size(); ++r) (*plan.state.start)[r] += start[r];
        return found->second;
    }

    Sent slide(const PlannedFlow& plan, Slide state) const {
        const Tensor& tensor = einsum_.tensors[at(plan.flow.tensor)];
        const bool units = plan.flow.inner == static_cast<int>(levels_.size());
        Odometer inner(plan.inner_loops);
        Indices low{};
        Sent sent;
        do {
            const Shift place = shift_of(tensor, low);
            if (units) state = {};  // units hold nothing
            const std::int64_t words = state.receive(place, plan.widths);
            sent.words += words;
            if (inner.at_first_pass(tensor, inner.loops.size())) sent.first += words;
        } while (inner.advance(low) >= 0);
        sent.after = state;
        return sent;
    }

    const Einsum& einsum_;
    const Architecture& architecture_;
    std::vector<SizedLevel> levels_;
    Floor floor_;
    ProgramBuilder builder_;
    Odometer outer_;
    const StopSource* stop_;
    std::vector<PlannedFlow> flows_;
};

/// Non-overlapping tiles of a result.
bool is_plain(const Tensor& tensor) {
    std::vector<int> used;
    for (const Rank& rank : tensor.ranks) {
        if (rank.terms.size() > 1) return false;
        for (const Term& term : rank.terms) {
            if (std::abs(term.coefficient) != 1 || std::find(used.begin(), used.end(), term.dimension) != used.end())
                return false;
            used.push_back(term.dimension);
        }
    }
    return true;
}

/// Bound on walk visits (minutes of run time).
constexpr std::int64_t kMostVisits = 200'000'000;

std::int64_t visits_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    const std::vector<SizedLevel> levels = sized_levels(mapping, architecture.memory_count());
    std::int64_t most = 0;
    for (const Flow& flow : flows_of(einsum, levels, floor_of(architecture))) {
        std::int64_t visits = 1;
        for (int m = 0; m < flow.inner; ++m) {
            for (const SizedLoop& loop : levels[at(m)].temporal) visits = saturating_mul(visits, loop.extent);
            for (const SizedLoop& loop : levels[at(m)].spatial) visits = saturating_mul(visits, loop.extent);
        }
        most = std::max(most, visits);
    }
    return most;
}

bool needs_walk(const Einsum& einsum, const Mapping& mapping) {
    return !is_perfect(mapping) || std::any_of(einsum.tensors.begin(), einsum.tensors.end(),
                                               [](const Tensor& t) { return t.written && !is_plain(t); });
}

}  // namespace

std::string problem_with_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    if (!is_even(mapping, architecture.memory_count())) return "only even mappings can be simulated";
    if (needs_walk(einsum, mapping) && visits_of(einsum, architecture, mapping) > kMostVisits) {
        return "a mapping with remainders (or overlapping results) has to be walked, and this one has too many steps "
               "for that";
    }
    return "";
}

Program program_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                   const StopSource* stop) {
    Program program = needs_walk(einsum, mapping) ? walked_program(einsum, architecture, mapping, stop)
                                                  : Plan(einsum, architecture, mapping, stop).run();
    for (const SizedLevel& level : sized_levels(mapping, architecture.memory_count())) {
        if (level.temporal.empty()) continue;
        const auto extent = static_cast<std::uint32_t>(level.temporal.front().extent);
        if (program.steps.size() % extent == 0)
            program.outer_period = static_cast<std::uint32_t>(program.steps.size()) / extent;
        break;
    }
    program.outer_period = std::max<std::uint32_t>(program.outer_period, 1);
    return program;
}

Floor floor_of(const Architecture& architecture) {
    const int memories = architecture.memory_count();
    Floor floor;
    floor.spreads_from = memories - 1;
    for (int m = memories - 1; m >= 0; --m) {
        if (architecture.fanout(m).size() > 1) floor.spreads_from = m;
    }
    floor.element = floor.spreads_from + 1;
    while (floor.element < memories && architecture.memories[floor.element].spreads_only) ++floor.element;
    const tilewright::Mesh& inside = architecture.mesh(floor.element);
    const tilewright::Mesh& outside = architecture.mesh(floor.spreads_from);
    floor.elements_x = static_cast<int>(inside.x / outside.x);
    floor.elements_y = static_cast<int>(inside.y / outside.y);
    return folded(floor, floor.elements_x, floor.elements_y);
}

Floor folded(Floor floor, int columns, int rows) {
    floor.placed_x = columns;
    floor.placed_y = rows;
    // Two corners are needed even for a one-column array.
    floor.mesh = {std::max(columns, 2), rows + 1};
    return floor;
}

}  // namespace tilewright::sim
