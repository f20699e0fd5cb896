#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/numbers/number_text.hpp"
#include "report/report.hpp"
#include "run/llm/fused_parts.hpp"
#include "run/llm/serve.hpp"
#include "run/physical/physical_latency.hpp"

namespace tilewright {
namespace {

constexpr double kPicojoules = 1e12;  // in a joule

struct Time {
    double seconds = 0.0;
    std::string bound;
};

Time plain_time(const Evaluation& costs, const Architecture& architecture) {
    const double seconds = static_cast<double>(costs.cycles) * architecture.cycle_seconds;
    if (costs.bounding_memory < 0) return {seconds, "compute"};
    return {seconds, costs.memories[costs.bounding_memory].name};
}

// As built if its model knows the mapping.
Time mapped_time(const LayerAnswer& answer, const ServingMachine& machine) {
    if (machine.silicon) {
        const auto built = physical_latency(answer.einsum, machine.architecture, *answer.mapping, *machine.silicon);
        if (const auto* known = std::get_if<PhysicalLatency>(&built)) return {known->us * 1e-6, known->bound};
    }
    return plain_time(*answer.evaluation, machine.architecture);
}

// Writes into each cell of the memories whose writes stop the units: the mean of all their cells.
double writes_of_a_cell(const Evaluation& costs, const Architecture& architecture) {
    double words = 0.0;
    double cells = 0.0;
    for (std::size_t m = 0; m < architecture.memories.size(); ++m) {
        const Memory& memory = architecture.memories[m];
        if (memory.write_stall_cycles == 0.0) continue;
        cells += static_cast<double>(memory.instances) * static_cast<double>(memory.capacity_words.value_or(1));
        for (const TensorTraffic& traffic : costs.memories[m].tensors)
            if (traffic.kept) words += traffic.fills + traffic.updates;
    }
    return cells > 0.0 ? words / cells : 0.0;
}

// Of one repeat. Nothing: no mapping of its shape.
struct PartCost {
    Time time;
    double energy_pj = 0.0;
    double cell_writes = 0.0;
};

std::optional<PartCost> cost_of(const ServingPart& part, const NetworkAnswer& answer, const ServingMachine& machine) {
    PartCost cost{{part.seconds.value_or(0.0), part.bound}, part.energy_pj};
    if (part.shape < 0) return cost;
    const LayerAnswer& found = answer.layers[part.shape];
    if (!found.evaluation || !found.mapping) return std::nullopt;
    const auto times = static_cast<double>(part.times);
    cost.energy_pj += times * found.evaluation->energy_pj;
    cost.cell_writes = times * writes_of_a_cell(*found.evaluation, machine.architecture);
    if (part.seconds) return cost;
    cost.time = mapped_time(found, machine);
    cost.time.seconds *= times;
    return cost;
}

class Sum {
   public:
    explicit Sum(const ServingPoint& planned) : costs_(planned.costs) {}

    void add(const ServingPart& part, const NetworkAnswer& answer, const ServingMachine& machine) {
        const std::optional<PartCost> cost = cost_of(part, answer, machine);
        if (!cost) return fail(part, answer.layers[part.shape]);
        costs_.cell_writes += static_cast<double>(part.repeats) * cost->cell_writes;
        add(part.repeats, cost->time, cost->energy_pj, part.attention ? cost->time.seconds : 0.0);
    }

    void add(std::int64_t repeats, const Time& time, double energy_pj, double attention_seconds) {
        const auto times = static_cast<double>(repeats);
        energy_pj_ += times * energy_pj;
        add_time(time.bound, times * time.seconds);
        costs_.attention_seconds += times * attention_seconds;
    }

    llm::PhaseCosts take(const Device& device) {
        const auto devices = static_cast<double>(costs_.point.devices);
        costs_.energy_pj += energy_pj_ * devices;
        if (costs_.collective_seconds > 0.0) add_time("links", costs_.collective_seconds);
        if (device.power_watts) limit_energy(*device.power_watts * devices);
        for (const auto& [bound, seconds] : by_bound_) costs_.bounds.push_back({bound, seconds / costs_.seconds});
        std::ranges::stable_sort(costs_.bounds, std::ranges::greater{}, &llm::BoundShare::share);
        return std::move(costs_);
    }

   private:
    void limit_energy(double watts) {
        const double most_pj = watts * costs_.seconds * kPicojoules;
        if (costs_.energy_pj <= most_pj) return;
        costs_.unlimited_energy_pj = costs_.energy_pj;
        costs_.energy_pj = most_pj;
    }

    void add_time(const std::string& bound, double seconds) {
        costs_.seconds += seconds;
        if (seconds > 0.0) by_bound_[bound] += seconds;
    }

    void fail(const ServingPart& part, const LayerAnswer& found) {
        const std::string why = found.failures.empty() ? "there is no mapping" : found.failures.front();
        costs_.failures.push_back(part.name + ": " + why);
    }

    llm::PhaseCosts costs_;
    double energy_pj_ = 0.0;  ///< of one device
    std::map<std::string, double> by_bound_;
};

// A group of a point, with what its einsums take one by one.
struct GroupOfPoint {
    int first = 0;  ///< first .. last, by their numbers in the point's cascade
    int last = 0;
    std::int64_t repeats = 1;
    const FusedGroup* fused = nullptr;
    std::optional<PartCost> unfused = {};  ///< of one repeat
};

// Of every group fused or not: the least of several choices for all of them.
class FusionChoice {
   public:
    FusionChoice(const ServingPoint& planned, const NetworkAnswer& answer, const ServingMachine& machine,
                 const FusedParts& fused)
        : planned_(planned), answer_(answer), machine_(machine), fused_(fused) {
        for (const FusibleRun& run : planned.runs)
            for (const FusedGroup& group : fused.parts[run.part].groups)
                groups_.push_back({run.first + group.first, run.first + group.last, run.repeats, &group, PartCost{}});
        for (const ServingPart& part : planned.parts) add_unfused(part);
    }

    llm::PhaseCosts best() const {
        const llm::PhaseCosts unfused = costs_of([](const GroupOfPoint&) { return false; });
        const auto faster = [](const GroupOfPoint& one) {
            return !one.unfused || one.fused->seconds < one.unfused->time.seconds;
        };
        const auto leaner = [](const GroupOfPoint& one) {
            return !one.unfused || one.fused->energy_pj < one.unfused->energy_pj;
        };
        llm::PhaseCosts best = unfused;
        for (llm::PhaseCosts other : {costs_of(faster), costs_of(leaner), costs_of([](const auto&) { return true; })})
            if (score(other) < score(best)) best = std::move(other);
        best.fused = llm::FusedPhase{};
        if (unfused.is_complete()) best.fused = {unfused.seconds, unfused.energy_pj, {}};
        best.fused->bound = bound(best);
        return best;
    }

   private:
    Score score(const llm::PhaseCosts& costs) const {
        return costs.is_complete() ? fused_.objective.score(costs.energy_pj, costs.seconds) : Score{};
    }

    GroupOfPoint* group_of(int einsum) {
        const auto found = std::ranges::find_if(
            groups_, [&](const GroupOfPoint& one) { return one.first <= einsum && einsum <= one.last; });
        return found == groups_.end() ? nullptr : &*found;
    }

    void add_unfused(const ServingPart& part) {
        GroupOfPoint* group = group_of(part.einsum);
        if (group == nullptr || !group->unfused) return;
        const std::optional<PartCost> cost = cost_of(part, answer_, machine_);
        if (!cost) return group->unfused.reset();
        group->unfused->time.seconds += cost->time.seconds;
        group->unfused->energy_pj += cost->energy_pj;
    }

    template <typename IsFused>
    llm::PhaseCosts costs_of(const IsFused& is_fused) const {
        Sum sum(planned_);
        const auto is_in = [](const ServingPart& part, const GroupOfPoint& group) {
            return group.first <= part.einsum && part.einsum <= group.last;
        };
        for (const ServingPart& part : planned_.parts)
            if (std::ranges::none_of(groups_, [&](const auto& group) { return is_in(part, group) && is_fused(group); }))
                sum.add(part, answer_, machine_);
        for (const GroupOfPoint& group : groups_)
            if (is_fused(group))
                sum.add(group.repeats, {group.fused->seconds, group.fused->bound}, group.fused->energy_pj,
                        group.fused->attention_seconds);
        return sum.take(machine_.device);
    }

    // Of sums: a vector unit runs beside the space of the searches, and layers einsum by einsum in one of their own.
    std::optional<double> bound(const llm::PhaseCosts& best) const {
        const bool is_time = fused_.objective.kind == ObjectiveKind::latency;
        if (machine_.vector_unit || !(is_time || fused_.objective.kind == ObjectiveKind::energy)) return std::nullopt;
        const double unit = is_time ? machine_.architecture.cycle_seconds : static_cast<double>(planned_.point.devices);
        double sum = is_time ? planned_.costs.collective_seconds : planned_.costs.energy_pj;
        for (const FusibleRun& run : planned_.runs)
            sum += static_cast<double>(run.repeats) * fused_.parts[run.part].bound * unit;
        return std::min(sum, is_time ? best.seconds : best.energy_pj);
    }

    const ServingPoint& planned_;
    const NetworkAnswer& answer_;
    const ServingMachine& machine_;
    const FusedParts& fused_;
    std::vector<GroupOfPoint> groups_;
};

bool any_shared(const std::vector<llm::Point>& points) {
    return std::ranges::any_of(points, [](const llm::Point& point) { return point.devices > 1; });
}

std::string attention_sentence(silicon::AttentionKind kind) {
    switch (kind) {
        case silicon::AttentionKind::flash:
            return "attention is one kernel that skips what the causal mask hides; its energy is that of its einsums";
        case silicon::AttentionKind::masked:
            return "attention is one kernel that computes the full square; its energy is that of its einsums";
        case silicon::AttentionKind::unfused:
            return "scores of attention go through memory, and keys and values are copied for each query head";
    }
    return "";
}

}  // namespace

std::vector<llm::PhaseCosts> costs_of(const ServingPlan& plan, const NetworkAnswer& answer,
                                      const ServingMachine& machine, const FusedParts* fused) {
    std::vector<llm::PhaseCosts> all;
    for (const ServingPoint& planned : plan.points) {
        if (fused != nullptr) {
            all.push_back(FusionChoice(planned, answer, machine, *fused).best());
            continue;
        }
        Sum sum(planned);
        for (const ServingPart& part : planned.parts) sum.add(part, answer, machine);
        all.push_back(sum.take(machine.device));
    }
    return all;
}

std::string power_note(const std::vector<llm::PhaseCosts>& points, const Device& device) {
    std::size_t limited = 0;
    double most_watts = 0.0;
    for (const llm::PhaseCosts& one : points) {
        if (!one.unlimited_energy_pj) continue;
        ++limited;
        const double watts = *one.unlimited_energy_pj / kPicojoules / one.seconds;
        most_watts = std::max(most_watts, watts / static_cast<double>(one.point.devices));
    }
    if (limited == 0) return "";
    return fmt::format(
        "{} of {} points are at the power limit of {} a device (its data sheet): their energy is that of the limit, "
        "where "
        "the energies of the machine's file come to up to {}; times stay, which measured ones are behind",
        limited, points.size(), si_text(*device.power_watts, "W"), si_text(most_watts, "W"));
}

std::string wear_note(const std::vector<llm::PhaseCosts>& points) {
    constexpr double kSecondsOfDay = 86'400.0;
    double most = 0.0;
    double most_a_day = 0.0;
    for (const llm::PhaseCosts& one : points) {
        if (!one.is_complete()) continue;
        most = std::max(most, one.cell_writes);
        most_a_day = std::max(most_a_day, one.cell_writes / one.seconds * kSecondsOfDay);
    }
    if (most == 0.0) return "";
    return fmt::format(
        "weights do not stay in the memory cells: a run of a phase writes each cell up to {:.4g} times, the mean of "
        "all cells, at the rate served up to {:.4g} times a day",
        most, most_a_day);
}

std::vector<std::string> serving_caveats(const ServingMachine& machine, const std::vector<llm::Point>& points) {
    std::vector<std::string> notes;
    const bool kernels = machine.silicon && std::holds_alternative<silicon::KernelMachine>(machine.silicon->machine);
    if (kernels) {
        notes.emplace_back(
            "times are those of the machine as built: every einsum is a kernel of its own, one after the "
            "other; what is no product is one pass over its words");
        notes.push_back(attention_sentence(machine.attention));
        notes.emplace_back(
            "energies: products by the exact model, all else the words that it moves in the outermost "
            "memory");
    } else if (machine.silicon && machine.fastest_as_built) {
        notes.emplace_back(
            "times are those of the machine as built, of the mapping that takes the least of it, where its model knows "
            "the layer; else the plain model's");
    } else if (machine.silicon) {
        notes.emplace_back(
            "times are those of the machine as built where its model knows the layer, else the plain model's; of the "
            "mappings that were asked for, which need not be the fastest as built");
    } else {
        notes.emplace_back(machine.fuse ? "times are the plain model's, one group of einsums after the other"
                                        : "times are the plain model's, one einsum after the other");
    }
    if (!kernels && !machine.vector_unit)
        notes.emplace_back(
            "what is no product (softmax, norms, activations) runs on the array, an operation of any kind taking as "
            "long "
            "as a multiply-accumulate: the machine has no vector unit (docs/fusion.md)");
    if (machine.silicon)
        for (std::string& note : physical_caveats(*machine.silicon)) notes.push_back(std::move(note));
    if (any_shared(points))
        notes.emplace_back(
            "devices: an approximation: sums over them take the time of a formula (ring or tree), nothing "
            "else is under way meanwhile, and embedding tables that no head shares are on each of them");
    return notes;
}

}  // namespace tilewright
