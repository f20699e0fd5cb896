#include "maestro/mapper/trial.hpp"

#include <utility>

namespace tilewright::dataflow {
namespace {

double excess_of(std::int64_t needed, const std::optional<std::int64_t>& there) {
    if (!there || needed <= *there) return 0.0;
    return static_cast<double>(needed) / static_cast<double>(std::max<std::int64_t>(*there, 1)) - 1.0;
}

}  // namespace

Trial::Trial(const Terms& terms, std::unique_ptr<Judge> judge, std::uint64_t seed, std::int64_t evaluations)
    : terms_(terms), judge_(std::move(judge)), random_(seed), most_(evaluations) {}

bool Trial::over() {
    if (!cut_short_ && spent_ < most_ && spent_ % 16 == 0) cut_short_ = terms_.limits.reached();
    return cut_short_ || spent_ >= most_;
}

Fitness Trial::judge(const Dataflow& dataflow) {
    ++spent_;
    ++best_.evaluations;
    const Verdict verdict = judge_->judge(dataflow);
    if (!verdict.counted || (terms_.search.legal && !verdict.legal)) return {};
    const Fitness fitness{
        excess_of(verdict.l1_bytes, terms_.hardware.l1_bytes) + excess_of(verdict.l2_bytes, terms_.hardware.l2_bytes),
        terms_.search.objective.score(verdict.energy, verdict.cycles)};
    if (fitness.excess == 0.0 && fitness.score < best_.score) {
        best_.dataflow = dataflow;
        best_.verdict = verdict;
        best_.score = fitness.score;
    }
    return fitness;
}

}  // namespace tilewright::dataflow
