// Compares the numbers of an evaluation with those that ZigZag reported (docs/zigzag.md, "How it counts").
#include <algorithm>
#include <cmath>

#include "zigzag_case.hpp"

namespace tilewright::golden {
namespace {

using nlohmann::json;
using zigzag::Direction;
using zigzag::LevelCost;
using zigzag::Result;

/// Calls `compare(name, value at direction, their value)` for the four directions.
template <class Values, class Compare>
void for_directions(const std::string& at, const Values& ours, const json& theirs, Compare compare) {
    for (int d = 0; d < zigzag::kDirections; ++d) {
        const auto direction = static_cast<Direction>(d);
        const std::string key(zigzag::long_name_of(direction));
        compare(at + key, ours[direction], theirs.at(key));
    }
}

class NumbersComparison {
   public:
    NumbersComparison(const Result& ours, const ZigzagInputs& inputs, Differences& differences)
        : ours_(ours), inputs_(inputs), differences_(differences) {}

    void compare_energy(const json& theirs, const json& words) {
        differences_.close("energy.total", ours_.energy_pj(), theirs.at("total"));
        differences_.close("energy.mac", ours_.mac_energy_pj, theirs.at("mac"));
        differences_.close("energy.memory", ours_.memory_energy_pj, theirs.at("memory"));
        for_levels("energy", theirs.at("per_operand_level"),
                   [&](const std::string& at, std::size_t i, std::size_t l, const json& value) {
                       differences_.close(at, level(i, l).energy_pj, value);
                   });
        for_levels("energy", theirs.at("per_operand_level_direction"),
                   [&](const std::string& at, std::size_t i, std::size_t l, const json& value) {
                       close_directions(at, level(i, l).energy_pj_by_direction, value);
                   });
        for_levels("words", words, [&](const std::string& at, std::size_t i, std::size_t l, const json& value) {
            count_directions(at, level(i, l).words, value);
        });
    }

    void compare_latency(const json& theirs, const json& utilization) {
        const zigzag::Latency& latency = ours_.latency;
        differences_.count("ideal_cycle", latency.ideal_cycles, theirs.at("ideal_cycle"));
        differences_.count("ideal_temporal_cycle", latency.ideal_temporal_cycles, theirs.at("ideal_temporal_cycle"));
        differences_.count("spatial_stall", latency.spatial_stall_cycles(), theirs.at("spatial_stall"));
        differences_.count("temporal_stall", latency.stall_cycles, theirs.at("temporal_stall"));
        differences_.close("data_onloading", latency.onloading_cycles, theirs.at("data_onloading"));
        differences_.close("data_offloading", latency.offloading_cycles, theirs.at("data_offloading"));
        differences_.count("total0", latency.computation(), theirs.at("total0_computation"));
        differences_.close("total1", latency.with_onloading(), theirs.at("total1_with_onloading"));
        differences_.close("total2", latency.total(), theirs.at("total2_with_on_and_offloading"));
        const auto used = [&](const char* key, double cycles) {
            differences_.close(std::string("mac_utilization.") + key, latency.utilization(cycles), utilization.at(key));
        };
        used("ideal_spatial", static_cast<double>(latency.ideal_temporal_cycles));
        used("with_stall", static_cast<double>(latency.computation()));
        used("with_stall_onloading", latency.with_onloading());
        used("with_stall_onloading_offloading", latency.total());
    }

    void compare_utilization(const json& theirs, const json& buffered) {
        const auto compare = [&](const char* key, double LevelCost::* share) {
            for_levels(key, theirs.at(key),
                       [&](const std::string& at, std::size_t i, std::size_t l, const json& value) {
                           differences_.close(at, level(i, l).*share, value);
                       });
        };
        compare("individual", &LevelCost::utilization);
        compare("shared", &LevelCost::shared_utilization);
        compare("effective_individual", &LevelCost::effective_utilization);
        compare("effective_shared", &LevelCost::effective_shared_utilization);
        compare("effective_shared_after_double_buffer_pass", &LevelCost::buffered_utilization);
        for_each_operand("double_buffer_flag", buffered, [&](const std::string& at, std::size_t i, const json& flags) {
            for (std::size_t a = 1; a < flags.size(); ++a)
                if (flags[a] != level(i, a - 1).double_buffered)
                    differences_.problem(at + std::to_string(a), "is not " + flags[a].dump());
        });
    }

    void compare_nest(const json& theirs) {
        differences_.count("total_mac_count", inputs_.layer.operations, theirs.at("total_mac_count"));
        for_each_operand("operand_size_elem", theirs.at("operand_size_elem"),
                         [&](const std::string& at, std::size_t i, const json& value) {
                             differences_.count(at, inputs_.layer.operands[i].elements, value);
                         });
        for_each_operand("stationary", theirs.at("mac_level_data_stationary_cycle"),
                         [&](const std::string& at, std::size_t i, const json& value) {
                             differences_.count(at, ours_.nest.operands[i].stationary_cycles, value);
                         });
        // Theirs leave the units (level 0) out.
        for_each_operand("cycles", theirs.at("cycle_cabl_level"),
                         [&](const std::string& at, std::size_t i, const json& value) {
                             const std::vector<std::int64_t>& cycles = ours_.nest.operands[i].cycles;
                             count_list(at, std::vector<std::int64_t>(cycles.begin() + 1, cycles.end()), value);
                         });
        for_each_operand("top_r", theirs.at("top_r_loop_size"),
                         [&](const std::string& at, std::size_t i, const json& value) {
                             count_list(at, ours_.nest.operands[i].top_relevant, value);
                         });
        for_each_operand("top_ir", theirs.at("top_ir_loop_size"),
                         [&](const std::string& at, std::size_t i, const json& value) {
                             count_list(at, ours_.nest.operands[i].top_irrelevant, value);
                         });
        compare_sunk_loops(theirs.at("temporal_mapping_stationary"));
    }

    void compare_units(const json& theirs) {
        for_each_operand("unit_count", theirs.at("unit_count"),
                         [&](const std::string& at, std::size_t i, const json& value) {
                             count_list(at, ours_.movement[i].units.units, value);
                         });
        for_each_operand("unit_unique", theirs.at("unit_unique"),
                         [&](const std::string& at, std::size_t i, const json& value) {
                             close_list(at, ours_.movement[i].units.distinct, value);
                         });
        for_each_operand("unit_duplicate", theirs.at("unit_duplicate"),
                         [&](const std::string& at, std::size_t i, const json& value) {
                             close_list(at, ours_.movement[i].units.copies, value);
                         });
        for_each_operand("elements over all", theirs.at("data_elem_per_level"),
                         [&](const std::string& at, std::size_t i, const json& value) {
                             const zigzag::OperandMovement& movement = ours_.movement[i];
                             for (std::size_t a = 0; a < value.size(); ++a)
                                 rounded(at + std::to_string(a),
                                         static_cast<double>(movement.elements[a]) * movement.units.distinct[a],
                                         0.5 * movement.units.distinct[a] + 0.5, value[a]);
                         });
        compare_sizes(ours_.movement, theirs, "");
        compare_sizes(ours_.movement_whole, theirs, "_int");
        for_each_operand("effective_data_bit", theirs.at("effective_data_bit"),
                         [&](const std::string& at, std::size_t i, const json& value) {
                             count_list(at, ours_.movement[i].effective_bits, value);
                         });
    }

    void compare_flows(const std::vector<zigzag::OperandMovement>& ours, const std::string& name, const json& theirs) {
        for_levels(name, theirs, [&](const std::string& at, std::size_t i, std::size_t l, const json& value) {
            const zigzag::PerDirection<zigzag::Flow>& flows = ours[i].flows[l];
            compare_field(at + "precision ", flows, &zigzag::Flow::precision_bits, value.at("data_precision"));
            compare_field(at + "average ", flows, &zigzag::Flow::bits_per_cycle, value.at("req_mem_bw_aver"));
            compare_field(at + "period ", flows, &zigzag::Flow::period, value.at("data_trans_period"));
            compare_field(at + "count ", flows, &zigzag::Flow::count, value.at("data_trans_period_count"));
            compare_field(at + "elements ", flows, &zigzag::Flow::elements, value.at("data_trans_amount_per_period"));
            compare_field(at + "instant ", flows, &zigzag::Flow::bits_per_window_cycle, value.at("req_mem_bw_inst"));
            compare_moved(at + "moved ", i, l, flows, value.at("data_elem_move_count"));
            compare_field(at + "window ", flows, &zigzag::Flow::window, value.at("inst_data_trans_window"));
        });
    }

    void compare_stalls(const json& theirs) {
        for_levels("allowed", theirs.at("allowed_mem_update_cycle"),
                   [&](const std::string& at, std::size_t i, std::size_t l, const json& value) {
                       count_directions(at, level(i, l).allowed_cycles, value);
                   });
        for_levels("real", theirs.at("real_data_trans_cycle"),
                   [&](const std::string& at, std::size_t i, std::size_t l, const json& value) {
                       count_directions(at, level(i, l).transfer_cycles, value);
                   });
        for (const json& memory : theirs.at("ports"))
            for (const auto& [port, value] : memory.at("ports").items())
                if (!value.at("activities").empty()) compare_port(memory.at("memory"), port, value);
    }

    void compare_loading(const json& theirs) {
        const std::vector<zigzag::Operand>& operands = inputs_.layer.operands;
        for (std::size_t i = 1; i < operands.size(); ++i) {
            const std::string& name = operands[i].name;
            const zigzag::Onloading& parts = ours_.onloading[i - 1];
            differences_.close("loading own " + name, parts.separate, theirs.at("loading_individual_part").at(name));
            differences_.close("loading half " + name, parts.half_shared,
                               theirs.at("loading_half_shared_part").at(name));
            differences_.close("loading shared " + name, parts.shared, theirs.at("loading_shared_part").at(name));
            compare_remaining(i, theirs.at("loading_cc_per_op").at(name));
        }
        compare_remaining(0, theirs.at("offloading_cc_per_op").at(operands[0].name));
        compare_boundaries(theirs.at("loading_pair_combined"), theirs.at("offloading_pair_combined"));
    }

   private:
    const LevelCost& level(std::size_t i, std::size_t l) const { return ours_.levels[i][l]; }

    /// Calls `compare(name, operand, their value)`.
    template <class Compare>
    void for_each_operand(const std::string& name, const json& theirs, Compare compare) {
        for (std::size_t i = 0; i < inputs_.layer.operands.size(); ++i) {
            const std::string& operand = inputs_.layer.operands[i].name;
            std::string at = name;
            at.append(".").append(operand).append(".");
            compare(at, i, theirs.at(operand));
        }
    }

    /// Calls `compare(name, operand, level, their value)`.
    template <class Compare>
    void for_levels(const std::string& name, const json& theirs, Compare compare) {
        for_each_operand(name, theirs, [&](const std::string& at, std::size_t i, const json& levels) {
            differences_.count(at + "levels", static_cast<std::int64_t>(ours_.levels[i].size()), levels.size());
            for (std::size_t l = 0; l < levels.size() && l < ours_.levels[i].size(); ++l)
                compare(at + std::to_string(l) + ".", i, l, levels[l]);
        });
    }

    template <class Numbers>
    void count_list(const std::string& at, const Numbers& ours, const json& theirs) {
        for (std::size_t a = 0; a < theirs.size(); ++a)
            differences_.count(at + std::to_string(a), ours.at(a), theirs[a]);
    }

    void close_list(const std::string& at, const std::vector<double>& ours, const json& theirs) {
        for (std::size_t a = 0; a < theirs.size(); ++a)
            differences_.close(at + std::to_string(a), ours.at(a), theirs[a]);
    }

    template <class Values>
    void count_directions(const std::string& at, const Values& ours, const json& theirs) {
        for_directions(at, ours, theirs, [&](const std::string& name, std::int64_t value, const json& other) {
            differences_.count(name, value, other);
        });
    }

    template <class Values>
    void close_directions(const std::string& at, const Values& ours, const json& theirs) {
        for_directions(at, ours, theirs, [&](const std::string& name, double value, const json& other) {
            differences_.close(name, value, other);
        });
    }

    void compare_field(const std::string& at, const zigzag::PerDirection<zigzag::Flow>& flows,
                       std::int64_t zigzag::Flow::* field, const json& theirs) {
        for_directions(at, flows, theirs, [&](const std::string& name, const zigzag::Flow& flow, const json& other) {
            differences_.count(name, flow.*field, other);
        });
    }

    /// What the units read of an input ZigZag counts once for all cycles in which it stays, or each time, by rules that
    /// we did not find; no cost follows from it.
    void compare_moved(const std::string& at, std::size_t operand, std::size_t level,
                       const zigzag::PerDirection<zigzag::Flow>& flows, const json& theirs) {
        const std::int64_t stays = ours_.nest.operands[operand].stationary_cycles;
        for_directions(at, flows, theirs, [&](const std::string& name, const zigzag::Flow& flow, const json& other) {
            const bool once = level == 0 && operand != 0 && other == flow.moved / stays;
            if (!once) rounded(name, static_cast<double>(flow.moved), 1.0, other);
        });
    }

    /// What ZigZag rounds at another place than we do, so that it may differ by `slack`.
    void rounded(const std::string& name, double ours, double slack, const json& theirs) {
        if (std::abs(ours - theirs.get<double>()) > slack) differences_.count(name, std::llrint(ours), theirs);
    }

    void compare_sizes(const std::vector<zigzag::OperandMovement>& ours, const json& theirs,
                       const std::string& suffix) {
        for_each_operand("boost" + suffix, theirs.at("mem_bw_boost" + suffix),
                         [&](const std::string& at, std::size_t i, const json& value) {
                             count_list(at, ours[i].units.boost, value);
                         });
        for_each_operand(
            "elements" + suffix, theirs.at("data_elem_per_level_unrolled" + suffix),
            [&](const std::string& at, std::size_t i, const json& value) { count_list(at, ours[i].elements, value); });
        for_each_operand(
            "bits" + suffix, theirs.at("data_bit_per_level_unrolled" + suffix),
            [&](const std::string& at, std::size_t i, const json& value) { count_list(at, ours[i].bits, value); });
        const json& partial = theirs.at("psum_flag" + suffix);
        for (std::size_t a = 0; a < partial.size(); ++a)
            if (partial[a] != static_cast<bool>(ours[0].partial.at(a)))
                differences_.problem("psum_flag" + suffix + std::to_string(a), "is not " + partial[a].dump());
    }

    void compare_sunk_loops(const json& theirs) {
        for_levels("sunk", theirs, [&](const std::string& at, std::size_t i, std::size_t l, const json& value) {
            json loops = json::array();
            for (const zigzag::TemporalLoop& loop : ours_.nest.operands[i].levels[l])
                loops.push_back({inputs_.layer.dimensions[loop.dimension].name, loop.size});
            differences_.text(at, loops.dump(), value.dump());
        });
    }

    const zigzag::PortCost* find_port(const std::string& memory, const std::string& port) const {
        for (const zigzag::PortCost& one : ours_.ports) {
            const zigzag::SharedMemory& owner = inputs_.accelerator.memories[one.memory];
            if (owner.name == memory && owner.ports[one.port].name == port) return &one;
        }
        return nullptr;
    }

    void compare_port(const std::string& memory, const std::string& port, const json& theirs) {
        const std::string at = memory + "." + port + ".";
        const zigzag::PortCost* ours = find_port(memory, port);
        if (ours == nullptr) {
            differences_.problem(at, "is not among our ports");
            return;
        }
        differences_.count(at + "stall", ours->stall_cycles, theirs.at("stall_slack_comb"));
        const json& activities = theirs.at("activities");
        differences_.count(at + "activities", static_cast<std::int64_t>(ours->activities.size()), activities.size());
        if (activities.size() > 1)
            differences_.count(at + "window", ours->window_cycles, theirs.at("mem_updating_window_union"));
        for (std::size_t i = 0; i < activities.size() && i < ours->activities.size(); ++i)
            compare_activity(at + std::to_string(i) + ".", ours->activities[i], activities[i]);
    }

    void compare_activity(const std::string& at, const zigzag::PortActivity& ours, const json& theirs) {
        const zigzag::Activity& transfer = ours.transfer;
        differences_.text(at + "operand", inputs_.layer.operands[ours.operand].name, theirs.at("operand"));
        differences_.count(at + "level", ours.level, theirs.at("level"));
        differences_.text(at + "direction", std::string(zigzag::long_name_of(ours.direction)), theirs.at("direction"));
        differences_.count(at + "real", transfer.real_cycles, theirs.at("real_cycle"));
        differences_.count(at + "allowed", transfer.allowed_cycles, theirs.at("allowed_cycle"));
        differences_.count(at + "period", transfer.period_cycles, theirs.at("period"));
        differences_.count(at + "count", transfer.count, theirs.at("period_count"));
        differences_.count(at + "stall", (transfer.real_cycles - transfer.allowed_cycles) * (transfer.count - 1),
                           theirs.at("stall_or_slack"));
        differences_.count(at + "windows", transfer.allowed_cycles * (transfer.count - 1),
                           theirs.at("mem_updating_window"));
    }

    void compare_remaining(std::size_t operand, const json& theirs) {
        const std::string& name = inputs_.layer.operands[operand].name;
        for (std::size_t l = 0; l < ours_.levels[operand].size(); ++l) {
            for (int d = 0; d < zigzag::kDirections; ++d) {
                const auto direction = static_cast<Direction>(d);
                const std::string key = name + std::to_string(l) + "_" + std::string(zigzag::long_name_of(direction));
                if (theirs.contains(key))
                    differences_.close("remaining " + key, level(operand, l).loading_cycles[direction],
                                       theirs[key].at(0));
            }
        }
    }

    /// What is left of loading or off-loading across each boundary between memories: of the slower end.
    void compare_boundaries(const json& loading, const json& offloading) {
        for (std::size_t i = 0; i < inputs_.layer.operands.size(); ++i) {
            const std::string& name = inputs_.layer.operands[i].name;
            const json& theirs = i == 0 ? offloading : loading.at(name);
            const Direction lower = i == 0 ? Direction::read_up : Direction::write_from_above;
            const Direction upper = i == 0 ? Direction::write_from_below : Direction::read_down;
            for (std::size_t l = 0; l < theirs.size(); ++l)
                differences_.close("boundary " + name + std::to_string(l),
                                   std::max(level(i, l).loading_cycles[lower], level(i, l + 1).loading_cycles[upper]),
                                   theirs[l]);
        }
    }

    const Result& ours_;
    const ZigzagInputs& inputs_;
    Differences& differences_;
};

}  // namespace

void compare_zigzag(const Result& ours, const ZigzagInputs& inputs, const json& expected, Differences& differences) {
    NumbersComparison comparison(ours, inputs, differences);
    comparison.compare_energy(expected.at("energy"), expected.at("memory_word_access"));
    comparison.compare_latency(expected.at("latency"), expected.at("mac_utilization"));
    comparison.compare_utilization(expected.at("memory_utilization"), expected.at("double_buffer_flag"));
    if (!expected.contains("detail")) return;
    const json& detail = expected["detail"];
    comparison.compare_nest(detail);
    comparison.compare_units(detail);
    comparison.compare_flows(ours.movement, "flow", detail.at("data_movement"));
    comparison.compare_flows(ours.movement_whole, "flow_int", detail.at("data_movement_int"));
    comparison.compare_stalls(detail);
    comparison.compare_loading(detail);
}

}  // namespace tilewright::golden
