#include "maestro/designs/dataflow_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "base/required.hpp"
#include "maestro/analysis/analysis.hpp"

namespace tilewright::explore {
namespace {

using dataflow::Axis;
using dataflow::Directive;
using dataflow::DirectiveKind;

constexpr std::size_t kArea = 3;  // in dataflow_metrics()
constexpr std::size_t kPower = 4;

const std::vector<std::string>& machine_knobs() {
    static const std::vector<std::string> kNames{"units", "noc", "vector_width"};
    return kNames;
}

std::optional<std::int64_t> whole(const std::string& text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stopped != end || value < 1) return std::nullopt;
    return value;
}

bool names(const dataflow::Size& size, const std::string& parameter) {
    const std::vector<std::string> all = parameters_of(size);
    return std::find(all.begin(), all.end(), parameter) != all.end();
}

// A larger value never shrinks a unit's tile: the name occurs only in tile sizes, and not of the filter's sides, which
// reduce outputs.
bool grows_tiles(const dataflow::Dataflow& dataflow, const std::string& parameter) {
    return std::none_of(dataflow.directives.begin(), dataflow.directives.end(), [&](const Directive& directive) {
        if (!names(directive.size, parameter)) return false;
        const bool filter = directive.axis == Axis::R || directive.axis == Axis::S;
        return directive.kind == DirectiveKind::cluster || !is_plain(directive.size) || filter;
    });
}

bool bounds_from_above(const Condition& limit) {
    return limit.relation == Condition::Relation::less || limit.relation == Condition::Relation::at_most;
}

}  // namespace

std::vector<Metric> dataflow_metrics() {
    return {{"energy_macs", "energy", false},
            {"latency_cycles", "latency", false},
            {"edp_macs_cycles", "edp", false},
            {"area_mm2", "area", false},
            {"power_mw", "power", false},
            {"macs_per_cycle", "throughput", true},
            {"utilization", "utilisation", true},
            {"l1_bytes", "l1", false},
            {"l2_bytes", "l2", false},
            {"macs_per_cycle_per_mw", "perf_per_watt", true},
            {"macs_per_cycle_per_mm2", "perf_per_area", true}};
}

void check_dataflow_knobs(const DataflowSubject& subject, const Space& space) {
    std::vector<std::string> known = machine_knobs();
    for (const dataflow::Layer& layer : subject.layers)
        for (const std::string& name : parameters_of(required(layer.dataflow)))
            if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    for (const Knob& knob : space.knobs()) {
        if (std::find(known.begin(), known.end(), knob.name) == known.end()) {
            const std::string meant = did_you_mean(knob.name, known);
            throw InputError(ErrorCode::unknown_name, knob.where,
                             fmt::format("the dataflow leaves no size '{}' open{}", knob.name,
                                         meant.empty() ? "; there are " + list_words(known) : meant));
        }
        for (const std::string& value : knob.values)
            if (!whole(value))
                throw InputError(ErrorCode::bad_value, knob.where,
                                 fmt::format("'{}' takes whole numbers of at least 1, found '{}'", knob.name, value));
    }
}

/// One chunk, knob by knob.
class DataflowEvaluator::Walk {
   public:
    Walk(const DataflowSubject& subject, const Specification& specification, const Options& options);

    std::optional<Batch> run(const Chunk& chunk, const StopSource& stop);

   private:
    enum class Part { units, noc, vector, size };
    struct KnobState {
        Part part = Part::size;
        std::vector<std::int64_t> values;
        std::int64_t least = 1;
        bool ascending = true;
        bool monotone = true;  ///< a larger value never lowers area and power
    };
    /// One layer at the current sizes.
    struct Mapped {
        dataflow::LayerCost cost;
        std::optional<dataflow::Plan> plan;  ///< for other bandwidths
    };

    void visit(std::size_t knob, Point first);
    void set(std::size_t knob, std::int64_t value);
    void skip(Point lo, Point hi);
    bool is_ruled_out(std::size_t knob);
    bool exceeds(const Accelerator& accelerator) const;
    std::optional<std::int64_t> least_l1_bytes();
    void measure(Point point);
    std::string map_layers();
    std::optional<std::int64_t> runtime(std::size_t layer);
    std::vector<double> values();
    void keep(Row row);
    /// Whether a batch is full, or a stop is requested.
    bool is_enough() const {
        return stop_->requested() || batch_.counts.evaluated >= options_.evaluated_together ||
               static_cast<std::int64_t>(batch_.rows.size()) >= options_.evaluated_together;
    }

    const DataflowSubject& subject_;
    const Specification& specification_;
    const Options& options_;
    std::vector<KnobState> knobs_;
    std::vector<bool> bounded_;  ///< by knob: it and all later ones are monotone
    std::vector<dataflow::CompleteLayer> problems_;
    Chunk chunk_;
    Point known_ = 0;  ///< of the chunk, all points before this one
    const StopSource* stop_ = nullptr;
    Batch batch_;
    // The design at hand.
    dataflow::Parameters parameters_;
    dataflow::Hardware hardware_;
    bool remap_ = true;  ///< units or sizes changed since map_layers()
    std::int64_t mapped_noc_ = 0;
    std::vector<Mapped> mapped_;
    std::string failure_;
    // Sizes of the cached L1.
    dataflow::Parameters l1_of_;
    std::optional<std::int64_t> l1_;
    bool l1_known_ = false;
};

DataflowEvaluator::Walk::Walk(const DataflowSubject& subject, const Specification& specification,
                              const Options& options)
    : subject_(subject),
      specification_(specification),
      options_(options),
      parameters_(subject.parameters),
      hardware_(subject.hardware) {
    for (const dataflow::Layer& layer : subject.layers) problems_.push_back(problem_of(layer));
    for (const Knob& knob : specification.space.knobs()) {
        KnobState state;
        for (const std::string& value : knob.values) state.values.push_back(required(whole(value)));
        state.least = *std::min_element(state.values.begin(), state.values.end());
        state.ascending = std::is_sorted(state.values.begin(), state.values.end());
        if (knob.name == "units") state.part = Part::units;
        if (knob.name == "noc") state.part = Part::noc;
        if (knob.name == "vector_width") state.part = Part::vector;
        if (state.part == Part::size)
            state.monotone =
                std::all_of(subject.layers.begin(), subject.layers.end(),
                            [&](const dataflow::Layer& layer) { return grows_tiles(*layer.dataflow, knob.name); });
        knobs_.push_back(std::move(state));
    }
    bounded_.assign(knobs_.size() + 1, true);
    for (std::size_t i = knobs_.size(); i-- > 0;) bounded_[i] = bounded_[i + 1] && knobs_[i].monotone;
}

std::optional<Batch> DataflowEvaluator::Walk::run(const Chunk& chunk, const StopSource& stop) {
    chunk_ = chunk;
    known_ = chunk.lo;
    stop_ = &stop;
    for (std::size_t i = 0; i < knobs_.size(); ++i) set(i, knobs_[i].least);
    visit(0, 0);
    if (known_ == chunk.lo) return std::nullopt;
    batch_.counts.explored = known_ - chunk.lo;
    return std::move(batch_);
}

void DataflowEvaluator::Walk::set(std::size_t knob, std::int64_t value) {
    switch (knobs_[knob].part) {
        case Part::units:
            remap_ = remap_ || hardware_.units != value;
            hardware_.units = value;
            break;
        case Part::noc: hardware_.noc_bytes_per_cycle = value; break;
        case Part::vector:
            remap_ = remap_ || hardware_.vector_width != value;
            hardware_.vector_width = value;
            break;
        case Part::size: {
            std::int64_t& size = parameters_[specification_.space.knobs()[knob].name];
            remap_ = remap_ || size != value;
            size = value;
        }
    }
}

void DataflowEvaluator::Walk::skip(Point lo, Point hi) {
    batch_.counts.skipped += std::max<Point>(std::min(hi, chunk_.hi) - std::max(lo, chunk_.lo), 0);
    known_ = std::max(known_, std::min(hi, chunk_.hi));
}

// Points from `first` on have the present values of the knobs before this one; later knobs are at their minima, for the
// bound.
void DataflowEvaluator::Walk::visit(std::size_t knob, Point first) {
    if (knob == knobs_.size()) {
        measure(first);
        return;
    }
    const KnobState& state = knobs_[knob];
    const std::int64_t stride = specification_.space.stride(knob);
    const auto count = static_cast<std::int64_t>(state.values.size());
    for (std::int64_t i = std::max<std::int64_t>((chunk_.lo - first) / stride, 0); i < count; ++i) {
        const Point lo = first + i * stride;
        if (lo >= chunk_.hi || is_enough()) break;
        set(knob, state.values[i]);
        if (options_.prune && is_ruled_out(knob)) {
            const bool rest = state.ascending && state.monotone;
            skip(lo, rest ? first + count * stride : lo + stride);
            if (rest) break;
            continue;
        }
        visit(knob + 1, lo);
    }
    set(knob, state.least);
}

// L1 of the smallest unit under these sizes; empty if there is none.
std::optional<std::int64_t> DataflowEvaluator::Walk::least_l1_bytes() {
    if (l1_known_ && l1_of_ == parameters_) return l1_;
    l1_known_ = true;
    l1_of_ = parameters_;
    l1_ = 0;
    for (std::size_t i = 0; i < problems_.size(); ++i) {
        const dataflow::LevelsResult made =
            levels_of(required(subject_.layers[i].dataflow), parameters_, request_for(problems_[i], hardware_.units));
        if (!made.ok()) {
            l1_ = std::nullopt;
            l1_known_ = false;  // more units may allow one
            break;
        }
        l1_ = std::max(*l1_, l1_bytes_of(problems_[i], made.levels, hardware_));
    }
    return l1_;
}

bool DataflowEvaluator::Walk::exceeds(const Accelerator& accelerator) const {
    for (const Condition& limit : specification_.limits) {
        if (!bounds_from_above(limit)) continue;
        if (limit.name == specification_.metrics[kArea].name && !limit.holds(area_mm2(accelerator, subject_.cost)))
            return true;
        if (limit.name == specification_.metrics[kPower].name && !limit.holds(power_mw(accelerator, subject_.cost)))
            return true;
    }
    return false;
}

// Lower bounds of area and power for the present values exceed a limit.
bool DataflowEvaluator::Walk::is_ruled_out(std::size_t knob) {
    if (!bounded_[knob + 1] || specification_.limits.empty()) return false;
    const std::optional<std::int64_t> l1 = least_l1_bytes();
    if (!l1) return false;
    return exceeds({hardware_.units, hardware_.vector_width, *l1, 0, hardware_.noc_bytes_per_cycle.value_or(1)});
}

// Returns the reason for no such design, or "".
std::string DataflowEvaluator::Walk::map_layers() {
    mapped_.clear();
    mapped_noc_ = hardware_.noc_bytes_per_cycle.value_or(0);
    for (std::size_t i = 0; i < problems_.size(); ++i) {
        Mapped mapped;
        mapped.cost = cost_of(subject_.layers[i], required(subject_.layers[i].dataflow), parameters_, hardware_);
        if (!mapped.cost.counts) return mapped.cost.failures.front();
        if (!mapped.cost.findings.empty()) return mapped.cost.findings.front().text;
        mapped_.push_back(std::move(mapped));
    }
    return "";
}

// Of the present design, whose bandwidth may differ from the one counted with.
std::optional<std::int64_t> DataflowEvaluator::Walk::runtime(std::size_t layer) {
    Mapped& mapped = mapped_[layer];
    if (hardware_.noc_bytes_per_cycle.value_or(0) == mapped_noc_) return required(mapped.cost.counts).runtime_cycles;
    if (!mapped.plan) mapped.plan.emplace(problems_[layer], mapped.cost.levels);
    if (const auto estimate = mapped.plan->evaluate(hardware_)) return estimate->runtime_cycles;
    const dataflow::LayerCost anew =
        cost_of(subject_.layers[layer], required(subject_.layers[layer].dataflow), parameters_, hardware_);
    if (!anew.counts) return std::nullopt;
    return anew.counts->runtime_cycles;
}

std::vector<double> DataflowEvaluator::Walk::values() {
    Accelerator accelerator{hardware_.units, hardware_.vector_width, 0, 0, hardware_.noc_bytes_per_cycle.value_or(1)};
    double cycles = 0.0;
    double energy = 0.0;
    double operations = 0.0;
    for (std::size_t i = 0; i < mapped_.size(); ++i) {
        const dataflow::LayerCost& cost = mapped_[i].cost;
        cycles += static_cast<double>(required(runtime(i)));
        operations += static_cast<double>(cost.operations);
        accelerator.l1_bytes = std::max(accelerator.l1_bytes, cost.l1_bytes);
        accelerator.l2_bytes = std::max(accelerator.l2_bytes, cost.l2_bytes);
    }
    // Buffers are the machine's: maxima over the layers.
    const dataflow::AccessEnergy access = subject_.cost.access_energy(accelerator.l1_bytes, accelerator.l2_bytes);
    for (const Mapped& mapped : mapped_) energy += energy_of(mapped.cost.accesses, access);
    const double throughput = cycles > 0.0 ? operations / cycles : 0.0;
    const double area = area_mm2(accelerator, subject_.cost);
    const double power = power_mw(accelerator, subject_.cost);
    return {energy,
            cycles,
            energy * cycles,
            area,
            power,
            throughput,
            throughput / static_cast<double>(hardware_.units * hardware_.vector_width),
            static_cast<double>(accelerator.l1_bytes),
            static_cast<double>(accelerator.l2_bytes),
            throughput / power,
            throughput / area};
}

void DataflowEvaluator::Walk::measure(Point point) {
    ++batch_.counts.evaluated;
    known_ = point + 1;
    try {
        if (remap_) failure_ = map_layers();
        remap_ = false;
        if (!failure_.empty()) return keep({point, Status::failed, {}, failure_});
        keep(measured(point, values(), specification_));
    } catch (const OverflowError& error) {
        keep({point, Status::failed, {}, error.what()});
    }
}

void DataflowEvaluator::Walk::keep(Row row) {
    if (row.status == Status::valid) ++batch_.counts.valid;
    if (row.status == Status::over_limit) ++batch_.counts.over_limit;
    if (row.status == Status::failed) ++batch_.counts.failed;
    if (options_.keep_all || row.status == Status::valid) batch_.rows.push_back(std::move(row));
}

DataflowEvaluator::DataflowEvaluator(const DataflowSubject& subject, const Specification& specification,
                                     Options options)
    : subject_(subject), specification_(specification), options_(options) {}

DataflowEvaluator::~DataflowEvaluator() = default;

std::optional<Batch> DataflowEvaluator::evaluate(const Chunk& chunk, const StopSource& stop) {
    return Walk(subject_, specification_, options_).run(chunk, stop);
}

}  // namespace tilewright::explore
