#include "run/package/package_report.hpp"

#include <algorithm>
#include <cmath>

#include "package/plan_text.hpp"

namespace tilewright {
namespace {

std::string name_of(multicore::Decider decider, int index, const package::Network& network, int cores) {
    switch (decider) {
        case multicore::Decider::core: return "core " + std::to_string(index);
        case multicore::Decider::dram: return "dram " + std::to_string(index);
        case multicore::Decider::link: return "link " + package::name_of(network.links()[index], cores);
        case multicore::Decider::nothing: break;
    }
    return "";
}

const char* name_of(package::LinkSort sort) {
    switch (sort) {
        case package::LinkSort::link: return "link";
        case package::LinkSort::d2d: return "d2d";
        case package::LinkSort::local: break;
    }
    return "local";
}

std::int64_t transfer_cycles(std::int64_t words, double rate) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(words) / rate));
}

double filled_share(std::int64_t words, std::int64_t buffer_words) {
    return static_cast<double>(words) / static_cast<double>(std::max<std::int64_t>(1, buffer_words));
}

// Sums over all runs as they are evaluated.
class PackageReporter {
   public:
    explicit PackageReporter(const multicore::Evaluator& evaluator)
        : evaluator_(evaluator), problem_(evaluator.problem()), package_(problem_.package()) {
        report_.package = package_.name;
        report_.cascade = problem_.cascade().name;
        report_.mesh = {package_.columns, package_.rows, package_.chiplet_columns, package_.chiplet_rows};
        for (int c = 0; c < package_.core_count(); ++c) {
            const package::Core& core = package_.cores[c];
            const package::CoreKind& kind = package_.kind_of(c);
            report_.cores.push_back({c, kind.name, core.at.x, core.at.y, 0, 0, kind.buffer_words, {}});
        }
        for (const package::NetworkLink& link : evaluator.network().links())
            report_.links.push_back({package::name_of(link, package_.core_count()), name_of(link.sort), link.from.x,
                                     link.from.y, link.to.x, link.to.y, 0, 0, 0, 0.0});
        for (int d = 0; d < package_.dram_count(); ++d)
            report_.drams.push_back({d, package_.drams[d].at.x, package_.drams[d].at.y, 0, 0, 0, 0.0});
        for (const CascadeTensor& tensor : problem_.cascade().tensors)
            report_.tensors.push_back({tensor.name, 0, 0, 0});
    }

    report::PackageReport of(const package::Plan& plan, const multicore::Cost& cost) {
        report_.energy = cost.energy;
        report_.cycles = cost.cycles;
        report_.counts = cost.counts;
        for (const package::Run& run : plan.runs) add(run);
        for (std::size_t l = 0; l < report_.links.size(); ++l)
            report_.links[l].energy_pj =
                static_cast<double>(report_.links[l].words) * evaluator_.network().links()[l].rate.energy_pj;
        std::erase_if(report_.links, [](const report::PackageLink& link) { return link.words == 0; });
        std::erase_if(report_.tensors, [](const report::PackageTensor& tensor) { return tensor.link_words == 0; });
        report_.plan = package::to_text(plan, problem_.cascade());
        return std::move(report_);
    }

   private:
    void add(const package::Run& run) {
        multicore::Detail detail;
        const multicore::Evaluated got = evaluator_.run(run, &detail);
        const CascadeEinsum& last = problem_.cascade().einsums[run.last];
        const std::int64_t repeats = problem_.repeats(run.last);
        const Dimension& along = last.einsum.dimensions[package::result_dimensions(last)[run.axis]];
        report::PackageRun& one = report_.runs.emplace_back();
        one.step = along.name + " by " + std::to_string(run.step);
        one.steps = (along.extent + run.step - 1) / run.step;
        one.repeats = repeats;
        one.energy_pj = got.cost.energy.total();
        one.cycles = got.cost.cycles;
        add_stages(run, detail, one);
        add_room(detail, one);
        for (std::size_t i = 0; i < got.cost.slots.size(); ++i) {
            const multicore::Slot& slot = got.cost.slots[i];
            one.slots.push_back({static_cast<std::int64_t>(i) - 1, slot.cycles, slot.compute, slot.moving,
                                 name_of(slot.decider, slot.index, evaluator_.network(), package_.core_count())});
            add_slot(slot, detail, i, repeats);
        }
        add_places(detail, repeats);
    }

    void add_slot(const multicore::Slot& slot, const multicore::Detail& detail, std::size_t i, std::int64_t repeats) {
        if (slot.decider == multicore::Decider::link) report_.links[slot.index].deciding_slots += repeats;
        if (slot.decider == multicore::Decider::dram) report_.drams[slot.index].deciding_slots += repeats;
        for (std::size_t l = 0; l < report_.links.size(); ++l) {
            const std::int64_t words = detail.load[i][l];
            report_.links[l].words += words * repeats;
            report_.links[l].busy_cycles +=
                transfer_cycles(words, evaluator_.network().links()[l].rate.words_per_cycle) * repeats;
        }
        for (std::size_t d = 0; d < report_.drams.size(); ++d) {
            report_.drams[d].words += detail.port[i][d] * repeats;
            report_.drams[d].busy_cycles +=
                transfer_cycles(detail.port[i][d], package_.drams[d].words_per_cycle) * repeats;
        }
        for (std::size_t c = 0; c < report_.cores.size(); ++c) {
            report_.cores[c].busy_cycles += detail.busy[i][c] * repeats;
            report_.cores[c].peak_words = std::max(report_.cores[c].peak_words, detail.room[i][c]);
        }
    }

    void add_places(const multicore::Detail& detail, std::int64_t repeats) {
        const auto times = static_cast<double>(repeats);
        for (std::size_t c = 0; c < report_.cores.size(); ++c)
            multicore::add(report_.cores[c].energy, detail.cores[c], times);
        for (std::size_t d = 0; d < report_.drams.size(); ++d) report_.drams[d].energy_pj += detail.dram_pj[d] * times;
        for (std::size_t t = 0; t < report_.tensors.size(); ++t) {
            report_.tensors[t].dram_words += detail.tensors[t].dram_words * repeats;
            report_.tensors[t].link_words += detail.tensors[t].link_words * repeats;
            report_.tensors[t].d2d_words += detail.tensors[t].d2d_words * repeats;
        }
    }

    void add_room(const multicore::Detail& detail, report::PackageRun& one) const {
        double most = -1.0;
        for (const std::vector<std::int64_t>& slot : detail.room)
            for (int c = 0; c < package_.core_count(); ++c)
                if (const double share = filled_share(slot[c], package_.kind_of(c).buffer_words); share > most) {
                    most = share;
                    one.fullest_core = c;
                }
        for (std::size_t t = 0; t < detail.tensors.size(); ++t) {
            if (detail.tensors[t].room.empty()) continue;
            report::PackageRoom room{problem_.cascade().tensors[t].name, {}, {}};
            for (const std::vector<std::int64_t>& slot : detail.tensors[t].room) {
                std::int64_t all = 0;
                for (const std::int64_t words : slot) all += words;
                room.words.push_back(all);
                room.fullest_words.push_back(slot[one.fullest_core]);
            }
            one.room.push_back(std::move(room));
        }
    }

    void add_stages(const package::Run& run, const multicore::Detail& detail, report::PackageRun& one) const {
        std::vector<std::int64_t> first_slots;
        for (int e = run.first; e <= run.last; ++e) {
            const package::Stage& stage = run.stages[e - run.first];
            const CascadeEinsum& einsum = problem_.cascade().einsums[e];
            report::PackageStage shown;
            shown.einsum = einsum.name;
            shown.cores.assign(stage.team.begin(), stage.team.end());
            bool has_sums = false;
            for (const package::Split& split : stage.split) {
                shown.split += (shown.split.empty() ? "" : " ") + einsum.einsum.dimensions[split.dimension].name + "/" +
                               std::to_string(split.parts);
                has_sums = has_sums || (problem_.worker(e).axis_of[split.dimension] < 0 && split.parts > 1);
            }
            if (has_sums) shown.sums = sums_text(stage.sums, e);
            for (int operand = 0; operand < einsum.einsum.tensor_count(); ++operand)
                if ((stage.streamed >> operand & 1U) != 0)
                    shown.streamed.push_back(problem_.cascade().tensors[einsum.accesses[operand].tensor].name);
            for (int p = run.first; p < e; ++p)
                if (problem_.depends(e, p)) {
                    const bool late = !one.stages[p - run.first].sums.empty();
                    shown.first_slot = std::max(shown.first_slot, first_slots[p - run.first] + (late ? 2 : 1));
                }
            first_slots.push_back(shown.first_slot);
            const auto& cycles = detail.steps[e - run.first];
            const auto first = cycles.begin() + static_cast<std::ptrdiff_t>(shown.first_slot + 1);
            shown.step_cycles.assign(first, first + static_cast<std::ptrdiff_t>(one.steps));
            one.stages.push_back(std::move(shown));
        }
    }

    std::string sums_text(const package::Sums& sums, int einsum) const {
        if (sums.way == package::Sums::Way::root) return "root";
        const int dimension = problem_.worker(einsum).axes[sums.axis];
        return (sums.way == package::Sums::Way::ring ? "ring " : "scatter ") +
               problem_.cascade().einsums[einsum].einsum.dimensions[dimension].name;
    }

    const multicore::Evaluator& evaluator_;
    const multicore::Problem& problem_;
    const package::Package& package_;
    report::PackageReport report_;
};

}  // namespace

report::PackageReport package_report(const multicore::Evaluator& evaluator, const package::Plan& plan,
                                     const multicore::Cost& cost) {
    return PackageReporter(evaluator).of(plan, cost);
}

}  // namespace tilewright
