#include "report/parts/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

using Figure = std::function<double(const Evaluation&)>;

std::string difference_text(double first, double other) {
    if (first == other) return "same";
    if (first == 0.0) return "from 0";
    return fmt::format("{:+.3g} %", 100.0 * (other - first) / first);
}

class Comparison {
   public:
    explicit Comparison(const std::vector<NamedEvaluation>& evaluations)
        : evaluations_(evaluations), table_(header(evaluations), alignment(evaluations)) {}

    void add(const std::string& name, const Figure& figure) {
        std::vector<std::string> row{name};
        const double first = figure(evaluations_.front().second);
        for (std::size_t i = 0; i < evaluations_.size(); ++i) {
            const double value = figure(evaluations_[i].second);
            row.push_back(count_text(value));
            if (i > 0) row.push_back(difference_text(first, value));
        }
        table_.add(std::move(row));
    }

    void add_if_different(const std::string& name, const Figure& figure) {
        const double first = figure(evaluations_.front().second);
        const auto differs = [&](const NamedEvaluation& other) { return figure(other.second) != first; };
        if (std::any_of(evaluations_.begin(), evaluations_.end(), differs)) add(name, figure);
    }

    void rule() { table_.rule(); }
    std::string text() const { return table_.text(); }

   private:
    static std::vector<std::string> header(const std::vector<NamedEvaluation>& evaluations) {
        std::vector<std::string> names{""};
        for (std::size_t i = 0; i < evaluations.size(); ++i) {
            names.push_back(evaluations[i].first);
            if (i > 0) names.emplace_back("difference");
        }
        return names;
    }

    static std::string alignment(const std::vector<NamedEvaluation>& evaluations) {
        return "l" + std::string(2 * evaluations.size() - 1, 'r');
    }

    const std::vector<NamedEvaluation>& evaluations_;
    Table table_;
};

void add_tensor(Comparison& comparison, const std::string& name, std::size_t memory, std::size_t tensor) {
    const auto traffic = [=](double TensorTraffic::* field) {
        return [=](const Evaluation& evaluation) { return evaluation.memories[memory].tensors[tensor].*field; };
    };
    const auto link = [=](double LinkTraffic::* field) {
        return [=](const Evaluation& evaluation) {
            const auto& links = evaluation.memories[memory].link;
            return tensor < links.size() ? links[tensor].*field : 0.0;
        };
    };
    comparison.add_if_different(name + " tile words", [=](const Evaluation& evaluation) {
        return static_cast<double>(evaluation.memories[memory].tensors[tensor].tile_words);
    });
    comparison.add_if_different(name + " reads", traffic(&TensorTraffic::reads));
    comparison.add_if_different(name + " fills", traffic(&TensorTraffic::fills));
    comparison.add_if_different(name + " updates", traffic(&TensorTraffic::updates));
    comparison.add_if_different(name + " link words", link(&LinkTraffic::words));
    comparison.add_if_different(name + " link transfers", link(&LinkTraffic::link_transfers));
    comparison.add_if_different(name + " energy (pJ)", traffic(&TensorTraffic::energy_pj));
}

}  // namespace

std::string comparison_text(const Einsum& einsum, const std::vector<NamedEvaluation>& evaluations) {
    Comparison comparison(evaluations);
    comparison.add("energy (pJ)", [](const Evaluation& e) { return e.energy_pj; });
    comparison.add("cycles", [](const Evaluation& e) { return static_cast<double>(e.cycles); });
    comparison.add("compute cycles", [](const Evaluation& e) { return static_cast<double>(e.compute_cycles); });
    comparison.add("multiply-accumulates", [](const Evaluation& e) { return static_cast<double>(e.computes); });
    comparison.add("utilization (%)", [](const Evaluation& e) { return 100.0 * e.utilization; });
    comparison.rule();
    const Evaluation& first = evaluations.front().second;
    for (std::size_t m = 0; m < first.memories.size(); ++m)
        for (std::size_t t = 0; t < first.memories[m].tensors.size(); ++t)
            if (first.memories[m].tensors[t].kept)
                add_tensor(comparison, first.memories[m].name + " " + einsum.tensors[t].name, m, t);
    return comparison.text();
}

}  // namespace tilewright::report
