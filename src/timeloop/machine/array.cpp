#include "timeloop/machine/array.hpp"

#include <fmt/format.h>

#include <numeric>

#include "arch/estimation/technology.hpp"
#include "base/numbers/checked.hpp"
#include "base/numbers/number_text.hpp"
#include "cim/circuits.hpp"
#include "timeloop/components/component_classes.hpp"
#include "timeloop/machine/component_attributes.hpp"
#include "timeloop/machine/machine.hpp"
#include "workload/layer_roles.hpp"

namespace tilewright::timeloop {
namespace {

constexpr std::int64_t kMostPlaces = std::int64_t{1} << 20;  // as of neighbours

/// Attributes of one array, each checked at its place.
class ArrayReader {
   public:
    ArrayReader(const yaml::Node& node, const Attributes& attributes) : node_(node), attributes_(attributes) {}

    PlacedArray read() {
        made_.name = node_.at("name").text();
        made_.node = node_.at("name");
        read_geometry();
        if (const std::string problem = problem_with(made_.array); !problem.empty())
            made_.node.fail(ErrorCode::bad_value, "'" + made_.name + "': " + problem);
        read_numbers();
        if (weights_across(made_.array, made_.slices) < 1)
            made_.node.fail(ErrorCode::bad_value, "'" + made_.name + "': a weight takes " +
                                                      std::to_string(made_.slices.weights) +
                                                      " columns, and there are " + std::to_string(made_.array.columns));
        read_circuits();
        read_times();
        read_prices();
        return std::move(made_);
    }

   private:
    std::int64_t positive(const char* name, std::optional<std::int64_t> otherwise = std::nullopt) const {
        const std::optional<std::int64_t> given = attributes_.positive({name});
        if (!given && !otherwise)
            made_.node.fail(ErrorCode::missing_key, "the array '" + made_.name + "' needs '" + name + "'");
        const std::int64_t value = given.value_or(otherwise.value_or(1));
        if (value > kMostPlaces)
            attributes_.find({name})->fail(ErrorCode::unsupported, std::string("'") + name + "' is at most 2^20");
        return value;
    }
    int bits(const char* name, int otherwise) const { return static_cast<int>(positive(name, otherwise)); }
    double real(const char* name, double otherwise) const {
        return attributes_.real_from({name}, 0.0).value_or(otherwise);
    }
    /// Index of the word.
    std::size_t choice(const char* name, const std::vector<std::string>& words) const {
        const yaml::Node* given = attributes_.find({name});
        if (given == nullptr) return 0;
        for (std::size_t i = 0; i < words.size(); ++i)
            if (given->text() == words[i]) return i;
        given->fail(ErrorCode::bad_value,
                    std::string("'") + name + "' is " + given->text() + ", expected one of " + list_words(words));
    }

    void read_geometry() {
        cim::Array& array = made_.array;
        array.rows = positive("rows");
        array.columns = positive("columns");
        array.depth = positive("depth", 1);
        array.cell_bits = bits("cell_bits", 1);
        array.cells_per_place = bits("cells_per_place", 1);
        array.input_bits_at_once = bits("input_bits_at_once", 1);
        array.weight_slices =
            choice("weight_slices", {"parallel", "serial"}) == 0 ? cim::Slices::parallel : cim::Slices::serial;
        array.across =
            choice("columns_hold", {"filters", "positions"}) == 0 ? cim::Across::filters : cim::Across::positions;
        array.columns_per_converter = positive("columns_per_converter", 1);
        array.accumulates_inputs = attributes_.boolean({"accumulates_inputs"}).value_or(false);
        array.slice_sum =
            choice("slice_sum", {"digital", "analog"}) == 0 ? cim::SliceSum::digital : cim::SliceSum::analog;
        array.converter_bits = static_cast<int>(attributes_.not_negative({"converter_bits"}).value_or(0));
    }

    /// Bits of the places of a number, how many places, and the mean of their slices.
    struct Numbers {
        int bits = 8;
        int places = 1;
        double mean = 0.5;
    };

    Numbers numbers(const std::string& of, int bits_per_slice) const {
        Numbers found;
        found.bits = bits((of + "_bits").c_str(), 8);
        if (found.bits > 64) attributes_.find({of + "_bits"})->fail(ErrorCode::bad_value, "a number has up to 64 bits");
        found.mean = real(("mean_" + of).c_str(), 0.5);
        if (found.mean > 1.0)
            attributes_.find({"mean_" + of})->fail(ErrorCode::bad_value, "a mean is a share of the largest value");
        const yaml::Node* given = attributes_.find({of + "_encoding"});
        if (given == nullptr) return found;
        const std::optional<cim::Encoding> encoding = cim::encoding_named(given->text());
        if (!encoding)
            given->fail(ErrorCode::unknown_name, "no encoding is called '" + given->text() +
                                                     "'; known are magnitude, two_part, offset, xnor, " +
                                                     "zero_gated_xnor, offset_if_signed, two_part_if_signed");
        const cim::Histogram values = histogram(of);
        const bool is_signed = values.empty() || cim::is_signed(values);
        const bool two =
            *encoding == cim::Encoding::two_part || (*encoding == cim::Encoding::two_part_if_signed && is_signed);
        if (!values.empty()) {
            if (found.bits > 16 || found.bits < cim::bits_of(values))
                given->fail(ErrorCode::bad_value, "values are encoded in as many bits as they have, to 16");
            const std::vector<double> slices = cim::mean_slices(values, *encoding, found.bits, bits_per_slice);
            found.mean = std::accumulate(slices.begin(), slices.end(), 0.0) / static_cast<double>(slices.size());
        }
        found.bits = std::max(1, cim::encoded_bits(*encoding, found.bits, is_signed));
        found.places = two ? 2 : 1;
        return found;
    }

    cim::Histogram histogram(const std::string& of) const {
        const std::string key = of + "_values";
        const yaml::Node* given = attributes_.find({key});
        if (given == nullptr) return {};
        cim::Histogram values;
        for (const yaml::Node& item : given->items()) values.push_back(item.real());
        if (!cim::bits_of(values))
            given->fail(ErrorCode::bad_value,
                        "'" + key + "' are weights of the values -(2^(n-1) - 1) to 2^(n-1) - 1: 2^n - 1 numbers");
        return values;
    }

    void read_numbers() {
        const cim::Array& array = made_.array;
        const Numbers inputs = numbers("input", array.input_bits_at_once);
        const Numbers weights = numbers("weight", array.cell_bits * array.cells_per_place);
        made_.input_bits = inputs.bits;
        made_.weight_bits = weights.bits;
        made_.circuits.mean_input = inputs.mean;
        made_.circuits.mean_weight = weights.mean;
        made_.slices = slicing_of(array, inputs.bits, weights.bits);
        made_.slices.weights *= weights.places;
    }

    void read_circuits() {
        cim::ArrayCircuits& circuits = made_.circuits;
        if (const yaml::Node* cells = attributes_.find({"cells"})) {
            const std::vector<std::string> known = cim::cell_descriptions();
            circuits.cells = cells->text();
            if (!is_in(known, circuits.cells))
                cells->fail(ErrorCode::unknown_name, "no table of circuits has the cells '" + circuits.cells + "'" +
                                                         did_you_mean(circuits.cells, known) + "; known are " +
                                                         list_words(known));
        }
        circuits.pulse_ns = real("pulse_ns", circuits.pulse_ns);
        circuits.supply_v = real("voltage", circuits.supply_v);
        circuits.activity = real("activity", circuits.activity);
        circuits.booth = attributes_.boolean({"booth"}).value_or(false);
        circuits.cell_um2 = real("cell_area", 0.0);
        if (const std::optional<std::string> technology = attributes_.text({"technology"}))
            circuits.technology_nm = technology_nm(*technology).value_or(0.0);
        if (circuits.pulse_ns == 0.0) attributes_.find({"pulse_ns"})->fail(ErrorCode::bad_value, "a pulse takes time");
    }

    void read_times() {
        made_.step_seconds = real("step_seconds", 0.0);
        made_.prices.program_seconds =
            real("program_seconds", 0.0) / static_cast<double>(positive("program_rows_at_once", 1));
        made_.endurance_writes = real("endurance", 0.0);
    }

    void read_price(const char* name, Sourced& price) const {
        if (const yaml::Node* given = attributes_.find({name})) price = {real(name, 0.0), given_at(*given)};
    }

    void read_prices() {
        cim::ArrayPrices& prices = made_.prices;
        read_price("input_conversion_energy", prices.input_conversion_pj);
        read_price("row_drive_energy", prices.row_drive_pj);
        read_price("cell_energy", prices.cell_read_pj);
        read_price("column_energy", prices.column_settle_pj);
        read_price("sample_energy", prices.sample_pj);
        read_price("conversion_energy", prices.conversion_pj);
        read_price("shift_add_energy", prices.shift_add_pj);
        read_price("program_energy", prices.program_pj);
        read_price("leak_power", prices.leak_w);
        read_price("area", prices.area_um2);
        if (made_.array.converter_bits > 0 && made_.circuits.technology_nm == 0.0 &&
            prices.conversion_pj.source.empty())
            made_.node.fail(
                ErrorCode::missing_key,
                "'" + made_.name + "': a converter needs 'technology' for the survey, or " + "'conversion_energy'");
    }

    const yaml::Node& node_;
    const Attributes& attributes_;
    PlacedArray made_;
};

/// Dimensions that are not allowed have factor 1.
void allow(const std::vector<bool>& allowed, LoopConstraint& loops) {
    loops.factors.resize(allowed.size());
    for (std::size_t d = 0; d < allowed.size(); ++d)
        if (!allowed[d]) loops.factors[d].exactly = 1;
}

/// One block: those of `across` along X, those of `summed` along Y.
void lay_out(const std::vector<bool>& across, const std::vector<bool>& summed, LoopConstraint& loops) {
    loops.inner.clear();
    loops.outer.clear();
    std::vector<bool> either = across;
    for (const std::vector<bool>* axis : {&across, &summed})
        for (std::size_t d = 0; d < axis->size(); ++d) {
            if (!(*axis)[d]) continue;
            loops.inner.push_back(static_cast<int>(d));
            either[d] = true;
        }
    loops.split = static_cast<int>(std::ranges::count(across, true));
    allow(either, loops);
}

}  // namespace

const std::vector<std::string>& array_attributes() {
    static const std::vector<std::string> kNames{"rows",
                                                 "columns",
                                                 "depth",
                                                 "cell_bits",
                                                 "cells_per_place",
                                                 "input_bits",
                                                 "weight_bits",
                                                 "input_encoding",
                                                 "weight_encoding",
                                                 "input_values",
                                                 "weight_values",
                                                 "mean_input",
                                                 "mean_weight",
                                                 "input_bits_at_once",
                                                 "weight_slices",
                                                 "columns_hold",
                                                 "columns_per_converter",
                                                 "accumulates_inputs",
                                                 "slice_sum",
                                                 "converter_bits",
                                                 "cells",
                                                 "pulse_ns",
                                                 "technology",
                                                 "voltage",
                                                 "activity",
                                                 "booth",
                                                 "cell_area",
                                                 "step_seconds",
                                                 "program_seconds",
                                                 "program_rows_at_once",
                                                 "endurance",
                                                 "input_conversion_energy",
                                                 "row_drive_energy",
                                                 "cell_energy",
                                                 "column_energy",
                                                 "sample_energy",
                                                 "conversion_energy",
                                                 "shift_add_energy",
                                                 "program_energy",
                                                 "leak_power",
                                                 "area"};
    return kNames;
}

PlacedArray read_array(const yaml::Node& node, const Attributes& attributes) {
    return ArrayReader(node, attributes).read();
}

Architecture with_array(Architecture outside, const PlacedArray& array) {
    cim::ArrayPrices prices = array.prices;
    if (array.step_seconds == 0.0 && outside.clock_assumed)
        array.node.fail(ErrorCode::missing_key, "the array '" + array.name +
                                                    "' needs 'step_seconds', or its file a clock " +
                                                    "(global_cycle_seconds): the time of one input slice");
    prices.step_seconds = array.step_seconds > 0.0 ? array.step_seconds : outside.cycle_seconds;
    try {
        prices = with_estimates(std::move(prices), array.array, array.slices, array.circuits);
        return with_array(std::move(outside), array.array, array.slices, prices, cim::SlicesAs::factors, array.name);
    } catch (const std::invalid_argument& error) {
        array.node.fail(ErrorCode::bad_value, "'" + array.name + "': " + error.what());
    } catch (const OverflowError&) {
        array.node.fail(ErrorCode::overflow, "'" + array.name + "': its numbers do not fit in 64 bits");
    }
}

void constrain(const PlacedArray& array, const Architecture& machine, const Einsum& einsum, Constraints& constraints) {
    const LayerRoles roles = layer_roles(einsum);
    const auto tensor_of = [&](OperandRole role) {
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (roles.operands[t] == role) return t;
        array.node.fail(ErrorCode::unsupported,
                        (einsum.name.empty() ? "an einsum" : "'" + einsum.name + "'") + " has no " +
                            kOperandNames[static_cast<std::size_t>(role)] + ", and cells of the array '" + array.name +
                            "' keep weights; a 'vector_unit' runs what is no product (docs/cascades.md)");
    };
    const int weights = tensor_of(OperandRole::weights);
    const int inputs = tensor_of(OperandRole::inputs);
    const int outputs = tensor_of(OperandRole::outputs);
    const bool shares_rows = array.array.across == cim::Across::positions;
    std::vector<bool> across;
    std::vector<bool> summed;
    std::vector<bool> kept;
    std::vector<bool> rests;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const auto moves = [&](int t) { return is_relevant(einsum.tensors[t], d); };
        const bool is_position = shares_rows && moves(inputs) && !moves(weights);
        across.push_back(moves(outputs) && (is_position || (moves(weights) && !moves(inputs))));
        summed.push_back(moves(weights) && moves(inputs) && !moves(outputs));
        kept.push_back(array.array.depth > 1 && moves(weights));
        rests.push_back(!moves(inputs));
    }
    const auto columns = static_cast<std::size_t>(find_memory(machine, array.name));
    LevelConstraint& cells = constraints.levels[columns + 1];
    const auto keep_alone = [&](int tensor, LevelConstraint& level) {
        level.must_keep = {};
        level.must_keep.add(tensor);
        level.must_bypass =
            TensorSet::from_bits(TensorSet::all(einsum.tensor_count()).bits() & ~level.must_keep.bits());
    };
    allow(kept, cells.temporal);
    keep_alone(weights, cells);
    if (!shares_rows) {
        allow(across, constraints.levels[columns].spatial);
        allow(summed, cells.spatial);
        return;
    }
    LevelConstraint& latch = constraints.levels[columns - 1];
    allow(rests, latch.temporal);
    keep_alone(inputs, latch);
    lay_out(across, summed, constraints.levels[columns].spatial);
}

std::vector<std::string> notes_about(const PlacedArray& array) {
    const cim::Array& one = array.array;
    std::vector<std::string> notes{
        fmt::format("array '{}': inputs of {} bits in {} slices, weights of {} bits in {} {}; {} weights side by side, "
                    "{} rows summed",
                    array.name, array.input_bits, array.slices.inputs, array.weight_bits, array.slices.weights,
                    one.weight_slices == cim::Slices::parallel ? "columns" : "slices",
                    weights_across(one, array.slices), one.rows)};
    const int lossless = lossless_converter_bits(one);
    if (one.converter_bits > 0 && one.converter_bits < lossless)
        notes.push_back(fmt::format("array '{}': its converters of {} bits lack {} of the {} of the largest sum",
                                    array.name, one.converter_bits, lossless - one.converter_bits, lossless));
    if (one.converter_bits == 0)
        notes.push_back(fmt::format("array '{}': the longest path of its gates takes {} ns at 28 nm and 0.9 V",
                                    array.name,
                                    short_number(digital_step_ns(one, array.slices, array.circuits.booth))));
    if (array.endurance_writes > 0.0)
        notes.push_back(
            fmt::format("array '{}': a cell lasts {} writes", array.name, short_number(array.endurance_writes)));
    if (array.prices.program_seconds == 0.0)
        notes.push_back(fmt::format("array '{}': writing weights takes no time (program_seconds)", array.name));
    return notes;
}

std::vector<std::string> notes_about_array(const yaml::Node& root) {
    const MachineFile machine = read_machine(root);
    return machine.array ? notes_about(*machine.array) : std::vector<std::string>{};
}

}  // namespace tilewright::timeloop
