#include "llm/server/step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tilewright::llm {
namespace {

using silicon::Precision;

constexpr std::int64_t kWholeRows = 64;    // graphs are captured for every batch up to it
constexpr std::int64_t kRowsRounded = 16;  // and for multiples above
constexpr double kWordBytes = 2.0;         // of activations
constexpr double kNormBytes = 8.0;         // a word: sum, read, written
constexpr double kRotateBytes = 4.0;
constexpr double kGateBytes = 6.0;
constexpr double kSentBytes = 1.5;      // of a routed word: one there, two back
constexpr double kAbsorbedShare = 0.5;  // of the rate, in products of few rows for each head
constexpr double kLimitShare = 0.99;

double rows_of(std::int64_t tokens) {
    if (tokens <= kWholeRows) return static_cast<double>(std::max<std::int64_t>(1, tokens));
    const std::int64_t rounded = (tokens + kRowsRounded - 1) / kRowsRounded * kRowsRounded;
    return static_cast<double>(rounded);
}

template <typename Map, typename Key, typename Make>
double remembered(Map& map, const Key& key, Make make) {
    const auto known = map.find(key);
    if (known != map.end()) return known->second;
    return map.emplace(key, make()).first->second;
}

}  // namespace

std::int64_t Step::tokens() const {
    std::int64_t all = decodes;
    for (const Chunk& chunk : chunks) all += chunk.tokens;
    return all;
}

double Operators::product_us(Precision precision, double m, double n, double k) {
    return remembered(products_, std::tuple{precision, m, n, k},
                      [&] { return silicon::served_product_us(machine_, precision, {m, n, k}); });
}

double Operators::prefill_us(const silicon::AttentionSize& size, double before) {
    return remembered(
        prefills_,
        std::tuple{size.queries, before, size.heads, size.kv_heads, size.head_width, size.window, size.kv_bytes}, [&] {
            return silicon::prefill_us(machine_, size) +
                   (before > 0.0 ? silicon::chunk_history_us(machine_, size, before) : 0.0);
        });
}

double Operators::all_reduce_us(double devices, double bytes) {
    if (devices <= 1.0) return 0.0;
    return remembered(sums_, std::pair{devices, bytes},
                      [&] { return silicon::all_reduce_us(machine_, devices, bytes); });
}

double Operators::experts_us(Precision precision, const silicon::ExpertsSize& size, double skew) {
    const std::tuple key{precision, size.tokens, size.hidden, size.inter, size.topk, size.experts, size.tp, size.ep};
    return remembered(experts_, key, [&] {
        const auto whole = [](double value) { return std::llround(value); };
        const silicon::ExpertSpread spread =
            silicon::spread_of(whole(size.tokens), whole(size.experts), whole(size.topk), whole(size.ep), skew);
        return silicon::experts_us(machine_, silicon::experts_form(machine_.form, precision), precision, size, spread);
    });
}

// Work of a part of a step on one device; operations by precision for the power.
struct KernelServer::Sum {
    double us = 0.0;
    double bytes = 0.0;
    std::array<double, 3> operations{};  ///< products, experts, 16 bits
    static constexpr std::size_t kProducts = 0;
    static constexpr std::size_t kExperts = 1;
    static constexpr std::size_t kWide = 2;

    void add(double times, const Sum& other) {
        us += times * other.us;
        bytes += times * other.bytes;
        for (std::size_t i = 0; i < operations.size(); ++i) operations[i] += times * other.operations[i];
    }
};

void KernelServer::product(Precision precision, double m, double n, double k, Sum& sum) const {
    sum.us += operators_.product_us(precision, m, n, k);
    const silicon::PrecisionWidth width = silicon::width_of(precision);
    sum.bytes += width.input_bytes * m * k + width.weight_bytes * n * k + kWordBytes * m * n;
    sum.operations[precision == words_.products ? Sum::kProducts : Sum::kWide] += 2.0 * m * n * k;
}

void KernelServer::pointwise(double words, double bytes, Sum& sum) const {
    sum.us += silicon::pointwise_us(operators_.machine(), words, bytes);
}

double KernelServer::decode_us(const silicon::AttentionSize& size) const {
    return silicon::decode_us(operators_.machine(), size);
}

void KernelServer::add_grouped(const Step& step, double rows, Sum& block) const {
    const auto tensor = static_cast<double>(layout_.tensor);
    const auto width = static_cast<double>(sizes_.width);
    const auto head = static_cast<double>(sizes_.head);
    const double heads = static_cast<double>(sizes_.query_heads) / tensor;
    // Beyond as many devices as heads of keys, these are copied.
    const double kv_heads = std::max(1.0, static_cast<double>(sizes_.kv_heads) / tensor);
    product(words_.products, rows, (heads + 2.0 * kv_heads) * head, width, block);
    product(words_.products, rows, width, heads * head, block);
    pointwise(rows * (heads + kv_heads) * head, kRotateBytes, block);
    const double local = static_cast<double>(sizes_.local_blocks) / static_cast<double>(sizes_.blocks);
    const std::array windows{std::pair{static_cast<double>(sizes_.window), local}, std::pair{0.0, 1.0 - local}};
    for (const auto& [window, share] : windows) {
        if (share <= 0.0) continue;
        silicon::AttentionSize size{1.0, 1.0, heads, kv_heads, head, window, words_.kv_bytes};
        const auto add = [&](double us, double queries, double keys) {
            const double met = window > 0.0 ? std::min(keys, window) : keys;
            block.us += share * us;
            block.operations[Sum::kWide] += share * 4.0 * queries * met * heads * head;
            block.bytes += share * 2.0 * met * kv_heads * head * words_.kv_bytes * size.batch;
        };
        if (step.decodes > 0) {
            size.batch = static_cast<double>(step.decodes);
            size.queries = step.context;
            add(decode_us(size), size.batch, step.context + 1.0);
        }
        size.batch = 1.0;
        for (const Chunk& chunk : step.chunks) {
            size.queries = static_cast<double>(chunk.tokens);
            const auto before = static_cast<double>(chunk.before);
            add(operators_.prefill_us(size, before), size.queries, before + size.queries / 2.0);
        }
    }
}

void KernelServer::add_latent(const Step& step, double rows, Sum& block) const {
    const LatentSizes& latent = *sizes_.latent;
    const auto width = static_cast<double>(sizes_.width);
    const auto rank = static_cast<double>(latent.rank);
    const auto kept = static_cast<double>(latent.kept());
    const auto plain = static_cast<double>(latent.plain);
    const auto value = static_cast<double>(latent.value);
    const auto query = static_cast<double>(latent.plain + latent.rotated);
    const auto query_rank = static_cast<double>(latent.query_rank);
    const double heads = static_cast<double>(sizes_.query_heads) / static_cast<double>(layout_.tensor);
    product(words_.products, rows, query_rank + kept, width, block);
    product(words_.products, rows, heads * query, latent.query_rank > 0 ? query_rank : width, block);
    product(words_.products, rows, width, heads * value, block);
    for (int kernel = 0; kernel < 3; ++kernel) pointwise(rows * heads * query, kRotateBytes, block);
    if (step.decodes > 0) {  // absorbed: every head against one latent vector
        const silicon::Accelerator& machine = operators_.machine();
        const auto batch = static_cast<double>(step.decodes);
        const double words = heads * plain * rank;
        const double absorb = machine.calibrated.launch_us + words * kWordBytes / machine.reached_bytes_per_us() +
                              2.0 * batch * words / (machine.sheet.operations_per_us * kAbsorbedShare);
        block.us += 2.0 * absorb + silicon::latent_decode_us(machine, {batch, step.context, heads, words_.kv_bytes,
                                                                       kept, static_cast<double>(latent.rotated)});
        block.operations[Sum::kWide] += 4.0 * batch * words + 2.0 * batch * step.context * heads * (kept + rank);
        block.bytes += 2.0 * words * kWordBytes + batch * step.context * kept * words_.kv_bytes;
    }
    for (const Chunk& chunk : step.chunks) {
        const auto tokens = static_cast<double>(chunk.tokens);
        const auto before = static_cast<double>(chunk.before);
        product(words_.products, tokens + before, heads * (plain + value), rank, block);
        block.us += operators_.prefill_us({1.0, tokens, heads, heads, query, 0.0, words_.kv_bytes}, before);
        block.operations[Sum::kWide] += 2.0 * tokens * (before + tokens / 2.0) * heads * (query + value);
    }
}

void KernelServer::add_experts(double rows, Sum& part) const {
    const auto width = static_cast<double>(sizes_.width);
    const auto tensor = static_cast<double>(layout_.tensor);
    const auto topk = static_cast<double>(sizes_.chosen);
    const silicon::ExpertsSize size{
        rows * static_cast<double>(layout_.data), width,
        static_cast<double>(sizes_.hidden),       topk,
        static_cast<double>(sizes_.experts),      static_cast<double>(layout_.expert_tensor),
        static_cast<double>(layout_.expert)};
    part.us += operators_.experts_us(words_.experts, size, engine_.skew);
    const double words = 3.0 * size.hidden * size.inter / size.tp / size.ep;
    part.operations[Sum::kExperts] += 2.0 * size.tokens * topk * words;
    part.bytes += std::min(size.experts, size.tokens * topk) * words * silicon::width_of(words_.experts).weight_bytes;
    product(Precision::bfloat16, rows, size.experts, width, part);
    // Ranks that attend to requests of their own send rows to their experts and back. Where all ranks have all rows,
    // each takes those of its experts, and the sum over devices that stands there anyway adds up the results.
    if (layout_.data > 1)
        part.us += 2.0 * silicon::collective_us(operators_.machine(), silicon::Collective::all_to_all,
                                                size.ep * size.tp, rows * topk * width * kSentBytes);
    if (sizes_.shared_hidden == 0) return;
    const double shared = static_cast<double>(sizes_.shared_hidden) / tensor;
    product(words_.products, rows, 2.0 * shared, width, part);
    product(words_.products, rows, width, shared, part);
}

void KernelServer::add_plain(double rows, double hidden, Sum& part) const {
    const auto width = static_cast<double>(sizes_.width);
    const double own = hidden / static_cast<double>(layout_.tensor);
    product(words_.products, rows, 2.0 * own, width, part);
    product(words_.products, rows, width, own, part);
    pointwise(rows * own, kGateBytes, part);
}

StepCost KernelServer::cost(const Step& step) const {
    if (step.tokens() == 0) return {};
    const double rows = rows_of(step.tokens());
    const auto width = static_cast<double>(sizes_.width);
    const auto tensor = static_cast<double>(layout_.tensor);
    const auto blocks = static_cast<double>(sizes_.blocks);
    Sum block;
    if (sizes_.latent)
        add_latent(step, rows, block);
    else
        add_grouped(step, rows, block);
    block.us += 2.0 * operators_.all_reduce_us(tensor, rows * width * kWordBytes);
    for (int norm = 0; norm < (sizes_.norms_results ? 4 : 2); ++norm) pointwise(rows * width, kNormBytes, block);
    const double plain = sizes_.experts > 0 ? static_cast<double>(sizes_.plain_blocks) : blocks;
    Sum sum;
    sum.add(blocks, block);
    if (plain > 0.0) {
        Sum part;
        add_plain(rows, static_cast<double>(sizes_.experts > 0 ? sizes_.plain_hidden : sizes_.hidden), part);
        sum.add(plain, part);
    }
    if (plain < blocks) {
        Sum part;
        add_experts(rows, part);
        sum.add(blocks - plain, part);
    }
    const std::int64_t rows_sampled =
        step.sampled.value_or(step.decodes + static_cast<std::int64_t>(step.chunks.size()));
    product(Precision::bfloat16, static_cast<double>(std::max<std::int64_t>(1, rows_sampled)),
            static_cast<double>(sizes_.vocabulary) / tensor, width, sum);
    if (layout_.pipeline > 1)
        sum.us += static_cast<double>(layout_.pipeline - 1) *
                  (engine_.stage_us + rows * width * kWordBytes / operators_.machine().sheet.link_bytes_per_us);
    return finished(sum);
}

// Between steps the device idles; a stage of a pipeline has its share of the work in every micro-batch's time.
StepCost KernelServer::finished(const Sum& sum) const {
    StepCost cost{sum.us + engine_.host_us, {}};
    const silicon::Accelerator& machine = operators_.machine();
    if (!machine.power) return cost;
    const silicon::PowerNumbers& power = *machine.power;
    const double still = power.idle_watts + power.busy_watts;
    const std::array precisions{words_.products, words_.experts, Precision::bfloat16};
    double watts = still + power.pj_per_byte * sum.bytes / sum.us * 1e-6;
    for (std::size_t i = 0; i < precisions.size(); ++i)
        if (sum.operations[i] > 0.0)
            watts += silicon::power_watts(machine, precisions[i], sum.operations[i], 0.0, sum.us) - still;
    if (machine.sheet.power_watts > 0.0) watts = std::min(watts, kLimitShare * machine.sheet.power_watts);
    cost.idle_watts = power.idle_watts;
    cost.watts = (watts * sum.us + power.idle_watts * engine_.host_us) / cost.us;
    return cost;
}

}  // namespace tilewright::llm
