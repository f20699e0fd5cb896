#include "maestro/mapper/judge.hpp"

#include "base/numbers/checked.hpp"
#include "maestro/account/printed.hpp"

namespace tilewright::dataflow {
namespace {

class ExactJudge : public Judge {
   public:
    ExactJudge(const Layer& layer, const Hardware& hardware, const AccessEnergy& energy)
        : layer_(layer), hardware_(hardware), energy_(energy) {}

    Verdict judge(const Dataflow& dataflow) override {
        Verdict verdict;
        try {
            const LayerCost cost = cost_of(layer_, dataflow, {}, hardware_, energy_, Beyond::refuse);
            if (!cost.counts) return verdict;
            verdict = {true,
                       cost.findings.empty(),
                       cost.counts->runtime_cycles,
                       cost.counts->operations,
                       cost.energy_operations,
                       cost.l1_bytes,
                       cost.l2_bytes};
        } catch (const OverflowError&) {
            return {};
        }
        return verdict;
    }

    std::unique_ptr<Judge> another() const override { return std::make_unique<ExactJudge>(*this); }

   private:
    Layer layer_;
    Hardware hardware_;
    AccessEnergy energy_;
};

class ToolJudge : public Judge {
   public:
    ToolJudge(const Layer& layer, const Hardware& hardware)
        : layers_{layer}, hardware_(hardware), problem_(problem_of(layer)) {}

    Verdict judge(const Dataflow& dataflow) override {
        layers_.front().dataflow = dataflow;
        Verdict verdict;
        try {
            const maestro::ToolHardware hardware = maestro::tool_hardware(hardware_);
            const maestro::ToolResult result = maestro::count(layers_, hardware);
            if (result.refused) return verdict;
            const maestro::LayerCounts& layer = result.layers.front();
            verdict.cycles = layer.top.runtime;
            verdict.operations = layer.top.operations;
            verdict.counted = verdict.cycles > 0 && verdict.operations > 0;
            verdict.energy = maestro::energy_in_macs(layer);
            verdict.l1_bytes = layer.l1_size();
            verdict.l2_bytes = layer.l2_size();
            const LevelsResult made = levels_of(dataflow, {}, request_for(problem_, hardware_.units));
            verdict.legal = made.ok() && findings(problem_, made.levels).empty();
        } catch (const OverflowError&) {
            return {};
        }
        return verdict;
    }

    std::unique_ptr<Judge> another() const override { return std::make_unique<ToolJudge>(*this); }

   private:
    std::vector<Layer> layers_;
    Hardware hardware_;
    CompleteLayer problem_;
};

}  // namespace

std::unique_ptr<Judge> exact_judge(const Layer& layer, const Hardware& hardware, const AccessEnergy& energy) {
    return std::make_unique<ExactJudge>(layer, hardware, energy);
}

std::unique_ptr<Judge> tool_judge(const Layer& layer, const Hardware& hardware) {
    return std::make_unique<ToolJudge>(layer, hardware);
}

}  // namespace tilewright::dataflow
