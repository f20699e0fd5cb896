// Time of one step of a server: `decodes` requests with one token each, and chunks of prompts.
//
//     Operators operators(accelerator);
//     const KernelServer server(sizes, layout, words, engine, operators);
//     server.cost({.decodes = 64, .context = 1536}).us;
//
// Sizes of one rank. A step is a sum over its kernels: projections, attention, norms, all-reduces, feed-forward part or
// experts, head; weights are never in the cache. Source of the form: docs/llm.md.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "llm/server/engine.hpp"
#include "silicon/accelerator/kernels.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright::llm {

/// Tokens of a prompt computed in a step, after those in the cache.
struct Chunk {
    std::int64_t tokens = 1;
    std::int64_t before = 0;

    bool operator==(const Chunk&) const = default;
};

struct Step {
    std::int64_t decodes = 0;
    double context = 0.0;  ///< tokens in the cache of each of these
    std::vector<Chunk> chunks = {};
    std::optional<std::int64_t> sampled = {};  ///< rows of the head; else one per decode and chunk

    std::int64_t tokens() const;
};

struct StepCost {
    double us = 0.0;
    std::optional<double> watts = {};  ///< mean of one device
    double idle_watts = 0.0;           ///< of one device between steps, where `watts` is known
};

/// A machine's steps, whatever they come from.
using StepCosts = std::function<StepCost(const Step&)>;

/// Kernels of one accelerator, each size timed once. Not thread-safe.
class Operators {
   public:
    explicit Operators(const silicon::Accelerator& machine) : machine_(machine) {}

    const silicon::Accelerator& machine() const { return machine_; }
    double product_us(silicon::Precision precision, double m, double n, double k);
    double prefill_us(const silicon::AttentionSize& size, double before);
    double all_reduce_us(double devices, double bytes);
    double experts_us(silicon::Precision precision, const silicon::ExpertsSize& size, double skew);

   private:
    const silicon::Accelerator& machine_;
    std::map<std::tuple<silicon::Precision, double, double, double>, double> products_;
    std::map<std::tuple<double, double, double, double, double, double, double>, double> prefills_;
    std::map<std::pair<double, double>, double> sums_;
    std::map<std::tuple<silicon::Precision, double, double, double, double, double, double, double>, double> experts_;
};

class KernelServer {
   public:
    /// References must outlive it.
    KernelServer(const DecoderSizes& sizes, const Layout& layout, const ServedWords& words, const Engine& engine,
                 Operators& operators)
        : sizes_(sizes), layout_(layout), words_(words), engine_(engine), operators_(operators) {}

    StepCost cost(const Step& step) const;

   private:
    struct Sum;
    void add_grouped(const Step& step, double rows, Sum& block) const;
    void add_latent(const Step& step, double rows, Sum& block) const;
    void add_experts(double rows, Sum& part) const;
    void add_plain(double rows, double hidden, Sum& part) const;
    void product(silicon::Precision precision, double m, double n, double k, Sum& sum) const;
    void pointwise(double words, double bytes, Sum& sum) const;
    double decode_us(const silicon::AttentionSize& size) const;
    StepCost finished(const Sum& sum) const;

    const DecoderSizes& sizes_;
    const Layout layout_;
    const ServedWords words_;
    const Engine& engine_;
    Operators& operators_;
};

}  // namespace tilewright::llm
