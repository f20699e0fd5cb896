#include "accelerator_rows.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "silicon/accelerator/accelerator.hpp"
#include "silicon/accelerator/kernels.hpp"
#include "silicon/kernels/product.hpp"
#include "table.hpp"

namespace tilewright::silicon_study {
namespace {

using silicon::Accelerator;
using silicon::Precision;

struct Guess {
    std::string what;
    double us = 0.0;
    double roofline = 0.0;
};

std::string machine_in(const std::string& stem) { return stem.substr(stem.rfind('-') + 1); }

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

double bytes_of(const silicon::ProductSize& size, Precision precision) {
    const silicon::PrecisionWidth width = silicon::width_of(precision);
    return width.input_bytes * size.m * size.k + width.weight_bytes * size.n * size.k + 2.0 * size.m * size.n;
}

double general_us(const Accelerator& machine, const silicon::ProductSize& size) {
    const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
    return silicon::product_latency({whole(size.m), whole(size.n), whole(size.k)}, silicon::without_form(machine)).us;
}

std::optional<Guess> product_guess(const Table& rows, std::size_t i, const Accelerator& machine,
                                   const RowOptions& options) {
    const auto precision = silicon::precision_named(rows.text(i, "dtype"));
    const std::string engine = rows.text(i, "engine");
    if (!precision || (engine.starts_with("vllm") && *precision == Precision::fp8_block)) return std::nullopt;
    const silicon::ProductSize size{rows.number(i, "m"), rows.number(i, "n"), rows.number(i, "k")};
    if (options.without_form && *precision != Precision::bfloat16) return std::nullopt;
    const double us = options.without_form ? general_us(machine, size) : silicon::layer_us(machine, *precision, size);
    const double rate = machine.sheet.operations_per_us * silicon::rate_factor(machine.sheet, *precision);
    return Guess{engine + " " + rows.text(i, "dtype"), us,
                 std::max(2.0 * size.m * size.n * size.k / rate,
                          bytes_of(size, *precision) / machine.sheet.memory_bytes_per_us)};
}

silicon::AttentionSize attention_size(const Table& rows, std::size_t i, bool is_prefill) {
    return {rows.number(i, "batch"),
            rows.number(i, is_prefill ? "queries" : "history"),
            rows.number(i, "heads"),
            rows.number(i, "kv_heads"),
            rows.number(i, "head_dim"),
            rows.number(i, "window"),
            rows.text(i, "kv_dtype") == "fp8" ? 1.0 : 2.0};
}

std::optional<Guess> prefill_guess(const Table& rows, std::size_t i, const Accelerator& machine, const RowOptions&) {
    const silicon::AttentionSize size = attention_size(rows, i, true);
    const double q = size.queries;
    const double w = size.window > 0.0 && size.window < q ? size.window : q;
    const double operations = 4.0 * size.batch * size.heads * size.head_width * (w * (w + 1.0) / 2.0 + (q - w) * w);
    const double bytes = 4.0 * size.batch * q * size.heads * size.head_width +
                         2.0 * size.kv_bytes * size.batch * q * size.kv_heads * size.head_width;
    return Guess{rows.text(i, "engine") + " cache " + rows.text(i, "kv_dtype"), silicon::prefill_us(machine, size),
                 std::max(operations / machine.sheet.operations_per_us, bytes / machine.sheet.memory_bytes_per_us)};
}

std::optional<Guess> decode_guess(const Table& rows, std::size_t i, const Accelerator& machine, const RowOptions&) {
    const silicon::AttentionSize size = attention_size(rows, i, false);
    const double keys = size.window > 0.0 ? std::min(size.window, size.queries + 1.0) : size.queries + 1.0;
    return Guess{
        rows.text(i, "engine") + " cache " + rows.text(i, "kv_dtype"), silicon::decode_us(machine, size),
        2.0 * size.batch * keys * size.kv_heads * size.head_width * size.kv_bytes / machine.sheet.memory_bytes_per_us};
}

std::optional<Guess> latent_guess(const Table& rows, std::size_t i, const Accelerator& machine, const RowOptions&) {
    if (rows.text(i, "part") != "generation_mla" || !rows.text(i, "engine").starts_with("trtllm")) return std::nullopt;
    const silicon::LatentSize size{rows.number(i, "batch"), rows.number(i, "history"), rows.number(i, "heads"),
                                   rows.text(i, "kv_dtype") == "fp8" ? 1.0 : 2.0};
    const double keys = size.batch * size.history;
    return Guess{rows.text(i, "engine") + " cache " + rows.text(i, "kv_dtype"),
                 silicon::latent_decode_us(machine, size),
                 std::max(keys * size.width * size.kv_bytes / machine.sheet.memory_bytes_per_us,
                          2.0 * keys * size.heads * (2.0 * size.width - size.rope) / machine.sheet.operations_per_us)};
}

std::optional<Guess> experts_guess(const Table& rows, std::size_t i, const Accelerator& machine, const RowOptions&) {
    const auto precision = silicon::precision_named(rows.text(i, "dtype"));
    if (!precision) return std::nullopt;
    const std::string spread = rows.text(i, "distribution");
    const double skew = spread.starts_with("power_law_") ? std::stod(spread.substr(spread.rfind('_') + 1)) : 0.0;
    const silicon::ExpertsSize size{rows.number(i, "tokens"), rows.number(i, "hidden"),  rows.number(i, "inter"),
                                    rows.number(i, "topk"),   rows.number(i, "experts"), rows.number(i, "tp"),
                                    rows.number(i, "ep")};
    const silicon::ExpertSpread found = silicon::spread_of(rows.integer(i, "tokens"), rows.integer(i, "experts"),
                                                           rows.integer(i, "topk"), rows.integer(i, "ep"), skew);
    const std::string kernel = rows.text(i, "kernel");
    const silicon::ExpertsForm& form = silicon::experts_form(machine.form, *precision, kernel);
    const double rate = machine.sheet.operations_per_us * silicon::rate_factor(machine.sheet, *precision);
    const double words = size.hidden * size.inter / size.tp;
    return Guess{first_word(rows.text(i, "engine")) + " " + rows.text(i, "dtype") + " " + kernel,
                 silicon::experts_us(machine, form, *precision, size, found),
                 std::max(6.0 * static_cast<double>(found.rows) * words / rate,
                          3.0 * static_cast<double>(found.experts_in_use) * words *
                              silicon::width_of(*precision).weight_bytes / machine.sheet.memory_bytes_per_us)};
}

std::optional<Guess> collective_guess(const Table& rows, std::size_t i, const Accelerator& machine, const RowOptions&) {
    if (rows.text(i, "kernel").find("eager") != std::string::npos) return std::nullopt;
    const std::map<std::string, silicon::Collective> known{{"all_reduce", silicon::Collective::all_reduce},
                                                           {"all_gather", silicon::Collective::all_gather},
                                                           {"reduce_scatter", silicon::Collective::reduce_scatter},
                                                           {"alltoall", silicon::Collective::all_to_all}};
    const double devices = rows.number(i, "gpus");
    const double bytes = rows.number(i, "bytes");
    const std::string& engine = rows.text(i, "engine");
    const double us = engine.starts_with("nccl")
                          ? silicon::collective_us(machine, known.at(rows.text(i, "op")), devices, bytes)
                          : silicon::all_reduce_us(machine, devices, bytes);
    return Guess{engine + " " + rows.text(i, "op"), us, 0.0};
}

// The collector repeats a run for a second, or for 0.3 where a replay takes under 0.1 ms; at most 3,000 replays.
double seconds_of_run(double us, double copies) {
    const double each = us * copies * 1e-6;
    return std::clamp((each < 1e-4 ? 0.3 : 1.0) / each, 6.0, 3000.0) * each;
}

std::optional<Guess> power_guess(const Table& rows, std::size_t i, const Accelerator& machine, const RowOptions&) {
    const auto precision = silicon::precision_named(rows.text(i, "dtype"));
    const bool is_eager = precision == Precision::fp8_block;
    if (rows.text(i, "kind") != "gemm" || !precision || is_eager) return std::nullopt;
    silicon::ProductSize size;
    const std::string& shape = rows.text(i, "shape");
    const std::size_t second = shape.find(' ') + 1;
    size.m = std::stod(shape);
    size.n = std::stod(shape.substr(second));
    size.k = std::stod(shape.substr(shape.find(' ', second) + 1));
    const double us = rows.number(i, "us");
    const double seconds = seconds_of_run(us, silicon::width_of(*precision).copies);
    const double watts = silicon::power_watts(machine, *precision, 2.0 * size.m * size.n * size.k,
                                              bytes_of(size, *precision), us, seconds);
    constexpr double kLong = 0.25;
    return Guess{rows.text(i, "dtype") + (seconds >= kLong ? " runs of 0.25 s and more" : " shorter runs"), watts, 0.0};
}

struct Kind {
    const char* file;
    const char* name;
    const char* measured;  ///< the column
    std::optional<Guess> (*guess)(const Table&, std::size_t, const Accelerator&, const RowOptions&);
};

constexpr Kind kKinds[]{{"gemm-", "products", "us", product_guess},
                        {"attention-context-", "prefill", "us", prefill_guess},
                        {"attention-generation-", "decode", "us", decode_guess},
                        {"mla-", "latent decode", "us", latent_guess},
                        {"moe-", "experts", "us", experts_guess},
                        {"collective-", "collectives", "us", collective_guess},
                        {"power-", "power", "watts", power_guess}};

// Power rows and NCCL name no engine of ours.
std::string engine_of(const Table& rows, std::size_t i) {
    const std::string engine = rows.has("engine") ? first_word(rows.text(i, "engine")) : "vllm";
    return engine == "nccl" ? "vllm" : engine;
}

const std::map<std::string, std::pair<std::string, std::string>>& machines() {
    static const std::map<std::string, std::pair<std::string, std::string>> all{
        {"A100", {"a100", "H100"}},       {"H100", {"h100", "A100"}},
        {"H200", {"h200-sxm", "H100"}},   {"B200", {"b200", "H100"}},
        {"GB200", {"gb200", "H100"}},     {"B300", {"b300", "B200"}},
        {"GB300", {"gb300", "B200"}},     {"L40S", {"l40s", "H100"}},
        {"RTX4090", {"rtx4090", "H100"}}, {"RTXPRO6000", {"rtx-pro-6000", "H100"}}};
    return all;
}

}  // namespace

std::string zoo_name(const std::string& machine) {
    const auto found = machines().find(machine);
    return found == machines().end() ? "" : found->second.first;
}

std::string relative_of(const std::string& machine) { return machines().at(machine).second; }

std::vector<Group> groups_of(const std::filesystem::path& file, const MachineOf& machine_of,
                             const RowOptions& options) {
    const std::string stem = file.stem().string();
    const auto* kind = std::ranges::find_if(kKinds, [&](const Kind& one) { return stem.starts_with(one.file); });
    const std::string machine = machine_in(stem);
    if (kind == std::end(kKinds) || zoo_name(machine).empty()) return {};
    const Table rows = Table::read(file);
    std::map<std::string, Group> groups;
    for (std::size_t i = 0; i < rows.size(); i += options.every) {
        const auto guess = kind->guess(rows, i, *machine_of(machine, engine_of(rows, i)), options);
        if (!guess) continue;
        Group& group = groups[guess->what];
        group.kind = kind->name;
        group.machine = machine;
        group.what = guess->what;
        group.predicted.push_back(guess->us);
        group.measured.push_back(rows.number(i, kind->measured));
        if (guess->roofline > 0.0) group.roofline.push_back(guess->roofline);
    }
    std::vector<Group> result;
    for (auto& [name, group] : groups) result.push_back(std::move(group));
    return result;
}

}  // namespace tilewright::silicon_study
