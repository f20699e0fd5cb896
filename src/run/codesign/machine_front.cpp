#include "run/codesign/machine_front.hpp"

#include <algorithm>
#include <string_view>

#include "base/error.hpp"

namespace tilewright {

using codesign::Box;
using explore::Condition;

namespace {

constexpr const char* kAreaMetric = "area_mm2";

// Of a front with these metrics, the limits on the mappings for one of them.
std::vector<Condition> limits_about(const FrontQuestion& question, std::size_t metric) {
    const std::vector<explore::Metric>& all = question.specification.metrics;
    std::vector<Condition> limits;
    for (const Condition& limit : question.specification.limits) {
        const std::size_t about = explore::metric_named(all, limit.name, limit.where);
        const bool of_another = about != metric && all[about].name != kAreaMetric &&
                                std::ranges::find(question.metrics, about) != question.metrics.end();
        if (!of_another) limits.push_back(limit);
    }
    return limits;
}

}  // namespace

bool is_of_fronts(const explore::Metric& metric) {
    return metric.name == kAreaMetric || objective_of(metric).has_value();
}

/// Designs with mappings for one objective; several of these share a source.
class MachineFront::Designs : public DesignSource {
   public:
    Designs(DesignSource& source, std::mutex& designing, const Objective& objective)
        : source_(source), designing_(designing), objective_(objective), options_(source.options()) {
        options_.objective = objective;
    }

    Design design(explore::Point point) override {
        const std::lock_guard lock(designing_);
        Design made = source_.design(point);
        made.options.objective = objective_;
        return made;
    }
    const MapOptions& options() const override { return options_; }

   private:
    DesignSource& source_;
    std::mutex& designing_;
    const Objective objective_;
    MapOptions options_;
};

/// The area of machines, without mapping. A box's floor is the least area of its machines.
class MachineFront::Area : public codesign::Subject {
   public:
    Area(Mapped& machines, const FrontQuestion& question) : machines_(machines), question_(question) {
        for (const Condition& limit : question.specification.limits)
            if (limit.name == kAreaMetric &&
                (limit.relation == Condition::Relation::less || limit.relation == Condition::Relation::at_most))
                most_.most_mm2 = std::min(most_.most_mm2.value_or(limit.bound), limit.bound);
    }

    std::optional<double> quick_floor(const Box& box) override {
        if (open_form(box)) return 0.0;
        const std::optional<codesign::RelaxedMachine> machine =
            machines_.subject->family(box).parts->relaxed(box, most_);
        return machine ? std::optional(machine->least_area_mm2) : std::nullopt;
    }
    std::optional<double> floor(const Box& box, double) override { return quick_floor(box); }

    // The knob whose halves have the largest areas together.
    std::size_t knob_to_cut(const Box& box) override {
        if (const std::optional<std::size_t> open = open_form(box)) return *open;
        std::size_t best = box.ranges.size();
        double gain = -1.0;
        for (std::size_t knob = 0; knob < box.ranges.size(); ++knob) {
            if (box.ranges[knob].size() == 1) continue;
            const auto [low, high] = codesign::halves(box, knob);
            const double both = quick_floor(low).value_or(0.0) + quick_floor(high).value_or(0.0);
            if (both <= gain) continue;
            best = knob;
            gain = both;
        }
        return best;
    }

    codesign::Mapped map(explore::Point point) override {
        const Design made = machines_.designs->design(point);
        if (!made.failure.empty()) return {};
        return {total_area_um2(made.architecture) * 1e-6};
    }

   private:
    std::optional<std::size_t> open_form(const Box& box) const {
        for (std::size_t knob = 0; knob < box.ranges.size(); ++knob)
            if (question_.roles[knob].form && box.ranges[knob].size() > 1) return knob;
        return std::nullopt;
    }

    Mapped& machines_;
    const FrontQuestion question_;
    codesign::AreaLimit most_;
};

MachineFront::MachineFront(DesignSource& designs, const FrontQuestion& question, AnswerCache& cache,
                           const StopSource& stop, codesign::Journal* journal) {
    const std::vector<explore::Metric>& metrics = question.specification.metrics;
    for (const std::size_t metric : question.metrics) {
        if (!is_of_fronts(metrics[metric]))
            throw InputError(
                ErrorCode::usage, {},
                "nothing bounds '" + metrics[metric].name + "': energy, latency, edp and area are bounded");
        if (metrics[metric].name != kAreaMetric) add_mapped(designs, question, metric, cache, stop, journal);
    }
    if (mapped_.empty()) throw InputError(ErrorCode::usage, {}, "a front of areas alone has one machine");
    std::size_t next = 0;
    for (const std::size_t metric : question.metrics) {
        const bool is_area = metrics[metric].name == kAreaMetric;
        mapped_of_.push_back(is_area ? 0 : next);
        if (is_area) {
            area_ = std::make_unique<Area>(*mapped_.front(), question);
            subjects_.push_back(area_.get());
            continue;
        }
        Mapped& one = *mapped_[next++];
        subjects_.push_back(one.remembered ? static_cast<codesign::Subject*>(one.remembered.get()) : one.subject.get());
    }
}

MachineFront::~MachineFront() = default;

void MachineFront::add_mapped(DesignSource& designs, const FrontQuestion& question, std::size_t metric,
                              AnswerCache& cache, const StopSource& stop, codesign::Journal* journal) {
    auto one = std::make_unique<Mapped>();
    const explore::Metric& what = question.specification.metrics[metric];
    one->designs = std::make_unique<Designs>(designs, designing_, objective_of(what).value());
    one->specification = question.specification;
    one->specification.limits = limits_about(question, metric);
    one->question = std::make_unique<MachineQuestion>(
        MachineQuestion{one->specification, question.roles, metric, question.roles_of});
    one->subject = std::make_unique<MachineSubject>(*one->designs, *one->question, cache, stop);
    if (journal != nullptr)
        one->remembered = std::make_unique<codesign::Remembered>(*one->subject, *journal, stop, what.name + " ");
    mapped_.push_back(std::move(one));
}

explore::Row MachineFront::row(explore::Point point, std::size_t metric) {
    return mapped_[mapped_of_[metric]]->subject->row(point);
}

namespace {

using codesign::Role;

// Attributes of a memory that change its capacity, bandwidths, energies and area, and nothing else of the machine.
bool is_number_of_memory(std::string_view attribute) {
    static const std::vector<std::string_view> kNames{"depth",
                                                      "memory_depth",
                                                      "data_storage_depth",
                                                      "entries",
                                                      "sizeKB",
                                                      "size",
                                                      "n_banks",
                                                      "num_banks",
                                                      "nbanks",
                                                      "banks",
                                                      "n_ports",
                                                      "num_ports",
                                                      "nports",
                                                      "ports",
                                                      "read_bandwidth",
                                                      "write_bandwidth",
                                                      "shared_bandwidth",
                                                      "bandwidth",
                                                      "energy_scale",
                                                      "area_scale",
                                                      "vector_access_energy",
                                                      "cluster_area"};
    return std::ranges::find(kNames, attribute) != kNames.end();
}

bool is_number_of_units(std::string_view attribute) {
    static const std::vector<std::string_view> kNames{"energy",           "area",       "energy_scale", "area_scale",
                                                      "multiplier_width", "adder_width"};
    return std::ranges::find(kNames, attribute) != kNames.end();
}

bool is_count(std::string_view attribute) {
    return attribute == "meshX" || attribute == "meshY" || attribute == "instances";
}

constexpr Role kAnything{true, false, 0};

Role role_of(const std::string& name, const Architecture& architecture) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return kAnything;
    const std::string component = name.substr(0, dot);
    const std::string attribute = name.substr(dot + 1);
    if (component == "variables" || component == "dim" || component == "jinja") return kAnything;
    if (is_count(attribute)) return {false, true, 0};
    const int memory = find_memory(architecture, component);
    if (memory >= 0 && is_number_of_memory(attribute)) return {false, false, 1U << memory};
    if (component == architecture.compute.name && is_number_of_units(attribute))
        return {false, false, 1U << architecture.memory_count()};
    return kAnything;
}

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// An expression has that word.
bool names_variable(const std::string& text, const std::string& name) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool begins = at == 0 || !is_of_word(text[at - 1]);
        if (begins && (end == text.size() || !is_of_word(text[end]))) return true;
    }
    return false;
}

void add_role(Role& role, const Role& other) {
    role.form = role.form || other.form;
    role.counts = role.counts || other.counts;
    role.parts |= other.parts;
}

}  // namespace

std::vector<Role> knob_roles(const DesignKnobs& knobs, const Architecture& architecture) {
    std::vector<Role> roles;
    for (const explore::Knob& knob : knobs.space.knobs()) {
        if (std::ranges::find(knobs.variables, knob.name) == knobs.variables.end()) {
            roles.push_back(role_of(knob.name, architecture));
            continue;
        }
        Role role;
        for (const DerivedSetting& derived : knobs.derived)
            if (names_variable(derived.expression, knob.name)) add_role(role, role_of(derived.name, architecture));
        roles.push_back(role);
    }
    return roles;
}

}  // namespace tilewright
