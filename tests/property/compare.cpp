#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "model/exact/model.hpp"
#include "oracle/oracle.hpp"

namespace tilewright::property {
namespace {

/// Counts are whole numbers.
bool equal(double a, double b) { return a == b; }

/// Up to the rounding of averages over instances.
bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(a, b); }

std::string number(double value) {
    const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
    return whole ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value);
}

class Report {
   public:
    void check(const std::string& what, double model, double oracle) {
        if (!equal(model, oracle)) text_ += what + ": model " + number(model) + ", oracle " + number(oracle) + "\n";
    }
    void check_close(const std::string& what, double model, double oracle) {
        if (!close(model, oracle)) check(what, model, oracle);
    }
    void check(const std::string& what, std::int64_t model, std::int64_t oracle) {
        if (model != oracle)
            text_ += what + ": model " + std::to_string(model) + ", oracle " + std::to_string(oracle) + "\n";
    }
    std::string text() const { return text_; }

   private:
    std::string text_;
};

void compare(const std::string& place, const TensorTraffic& model, const LinkTraffic& link,
             const oracle::Traffic& oracle, bool is_mesh, Report& report) {
    report.check(place + "kept", std::int64_t{model.kept}, std::int64_t{oracle.kept});
    report.check(place + "tile words", model.tile_words, oracle.tile_words);
    report.check(place + "reads", model.reads, oracle.reads);
    report.check(place + "fills", model.fills, oracle.fills);
    report.check(place + "updates", model.updates, oracle.updates);
    report.check(place + "link words", link.words, oracle.link_words);
    report.check(place + "link delivered", link.delivered, oracle.link_delivered);
    if (is_mesh) report.check_close(place + "link hops", link.hops, oracle.link_hops);
}

// Trees and multicast tables have no hops, or count levels of theirs.
bool is_mesh(const Memory& memory) { return memory.link.kind == NetworkKind::legacy && !memory.update_link; }

}  // namespace

std::string differences(const Nest& nest) {
    const oracle::Counts counts = oracle::walk(nest.einsum, nest.architecture, nest.mapping);
    Evaluation evaluation;
    try {
        evaluation = evaluate(nest.einsum, nest.architecture, nest.mapping);
    } catch (const std::exception& error) {
        return std::string("the model throws: ") + error.what() + "\n";
    }
    Report report;
    report.check("computes", evaluation.computes, counts.computes);
    report.check("compute cycles", evaluation.compute_cycles, counts.compute_cycles);
    report.check("compute units", evaluation.compute_units_used, counts.compute_units);
    for (std::size_t m = 0; m < counts.memories.size(); ++m) {
        const MemoryEvaluation& memory = evaluation.memories[m];
        for (std::size_t t = 0; t < nest.einsum.tensors.size(); ++t) {
            const std::string place = memory.name + " " + nest.einsum.tensors[t].name + " ";
            compare(place, memory.tensors[t], memory.link[t], counts.memories[m][t],
                    is_mesh(nest.architecture.memories[m]), report);
            if (memory.tensors[t].kept)
                report.check(place + "instances", memory.tensors[t].instances,
                             static_cast<double>(counts.instances[m]));
        }
    }
    return report.text();
}

}  // namespace tilewright::property
