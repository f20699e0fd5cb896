#include "zigzag/files/write.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "yaml/write.hpp"
#include "zigzag/files/words.hpp"

namespace tilewright::zigzag {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw InputError(ErrorCode::unsupported, {}, what); }

template <typename Items, typename Text>
std::string list_text(const Items& items, const Text& text_of) {
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : ", ") + text_of(item);
    return "[" + text + "]";
}

std::string digits(std::int64_t value) { return std::to_string(value); }

std::string lower_case(std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

// --- accelerators ---

std::string port_text(const SharedMemory& memory, const Port& port) {
    if (port.takes_no_time)
        refuse("memory '" + memory.name + "' has no bandwidth for its port '" + port.name +
               "': a ZigZag file gives every port one");
    std::string text = "    - name: " + yaml::quoted_text(port.name) + "\n      type: " + port.type +
                       "\n      bandwidth_min: " + digits(port.bandwidth_min_bits) +
                       "\n      bandwidth_max: " + digits(port.bandwidth_max_bits) + "\n      allocation: ";
    return text +
           list_text(port.uses,
                     [](const PortUse& use) {
                         return '"' + std::string(name_of(use.operand)) + ", " +
                                std::string(short_name_of(use.direction)) + '"';
                     }) +
           "\n";
}

std::string memory_text(const Accelerator& accelerator, const SharedMemory& memory) {
    std::string text =
        "  " + yaml::quoted_text(memory.name) + ":\n    size: " + digits(memory.size_bits) +
        "\n    r_cost: " + yaml::number_text(memory.read_pj) + "\n    w_cost: " + yaml::number_text(memory.write_pj) +
        "\n    area: " + yaml::number_text(memory.area) + "\n    latency: " + digits(memory.latency_cycles) + "\n";
    if (memory.auto_cost_extraction) text += "    auto_cost_extraction: true\n";
    if (memory.force_double_buffering) text += "    force_double_buffering: true\n";
    text += "    operands: " +
            list_text(memory.operands, [](MemoryOperand operand) { return std::string(name_of(operand)); }) +
            "\n    ports:\n";
    for (const Port& port : memory.ports) text += port_text(memory, port);
    return text + "    served_dimensions: " +
           list_text(memory.served,
                     [&](int dimension) { return yaml::quoted_text(accelerator.array[dimension].name); }) +
           "\n";
}

std::string array_text(const Accelerator& accelerator) {
    std::string text = "operational_array:\n";
    if (const std::optional<InMemoryArray>& array = accelerator.in_memory) {
        text += std::string("  is_imc: true\n  imc_type: ") + (array->analog ? "analog" : "digital") +
                "\n  bit_serial_precision: " + digits(array->bit_serial_precision_bits) + "\n";
        if (array->adc_resolution_bits) text += "  adc_resolution: " + digits(*array->adc_resolution_bits) + "\n";
        text += "  input_precision: " + list_text(array->input_precision_bits, digits) + "\n";
    } else {
        text += "  unit_energy: " + yaml::number_text(accelerator.unit_energy_pj) +
                "\n  unit_area: " + yaml::number_text(accelerator.unit_area) + "\n";
        if (!accelerator.input_precision_bits.empty())
            text += "  input_precision: " + list_text(accelerator.input_precision_bits, digits) + "\n";
    }
    return text + "  dimensions: " +
           list_text(accelerator.array,
                     [](const ArrayDimension& dimension) { return yaml::quoted_text(dimension.name); }) +
           "\n  sizes: " +
           list_text(accelerator.array, [](const ArrayDimension& dimension) { return digits(dimension.size); }) + "\n";
}

// --- workloads ---

bool is_word(const std::string& text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !text.empty() && letter(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// One layer; windows are named after their sliding dimension: IX along OX.
class LayerWriter {
   public:
    explicit LayerWriter(const WorkloadLayer& written) : written_(written), layer_(written.layer) {
        for (const Dimension& dimension : layer_.dimensions) check_word(dimension.name, "dimension");
        for (const Operand& operand : layer_.operands) check_word(operand.name, "operand");
        for (const DimensionRelation& window : layer_.windows) windows_.push_back(window_name(window));
    }

    std::string text() const {
        std::string text = "- id: " + digits(written_.id) + "\n  name: " + yaml::quoted_text(layer_.name) +
                           "\n  operator_type: " + yaml::quoted_text(layer_.operator_type) +
                           "\n  equation: " + equation() + "\n";
        if (!layer_.windows.empty()) text += "  dimension_relations: " + relations() + "\n";
        text +=
            "  loop_dims: " + list_text(layer_.dimensions, [](const Dimension& one) { return upper_case(one.name); }) +
            "\n  loop_sizes: " + list_text(layer_.dimensions, [](const Dimension& one) { return digits(one.extent); }) +
            "\n";
        if (!layer_.windows.empty()) text += window_sizes();
        return text + "  operand_precision: " + precisions() + "\n" + sources();
    }

   private:
    void check_word(const std::string& name, const char* what) const {
        if (!is_word(name)) refuse("layer '" + layer_.name + "': no equation can have " + what + " '" + name + "'");
    }

    std::string window_name(const DimensionRelation& window) const {
        if (is_word(window.name) && find_dimension(layer_, upper_case(window.name)) < 0) return lower_case(window.name);
        std::string name = lower_case(layer_.dimensions[window.first].name);
        name = name.size() > 1 && name.front() == 'o' ? "i" + name.substr(1) : "i_" + name;
        while (find_dimension(layer_, upper_case(name)) >= 0 ||
               std::find(windows_.begin(), windows_.end(), name) != windows_.end())
            name += "_";
        return name;
    }

    std::string dimension(int index) const { return lower_case(layer_.dimensions[index].name); }

    std::string operand_text(const Operand& operand) const {
        std::string text = operand.name;
        for (const Axis& axis : operand.axes)
            text +=
                "[" + (axis.windowed ? windows_[static_cast<std::size_t>(axis.index)] : dimension(axis.index)) + "]";
        return operand.axes.empty() ? text + "[]" : text;
    }

    std::string equation() const {
        std::string text = operand_text(layer_.result()) + "+=";
        for (std::size_t i = 1; i < layer_.operands.size(); ++i)
            text += (i > 1 ? "*" : "") + operand_text(layer_.operands[i]);
        return '"' + text + '"';
    }

    std::string relations() const {
        std::string text;
        for (std::size_t w = 0; w < windows_.size(); ++w) {
            const DimensionRelation& window = layer_.windows[w];
            text += (w > 0 ? ", " : "") + windows_[w] + "=" + digits(window.first_step) + "*" +
                    dimension(window.first) + "+" + digits(window.second_step) + "*" + dimension(window.second);
        }
        return "[" + text + "]";
    }

    std::string window_sizes() const {
        return "  pr_loop_dims: " + list_text(windows_, [](const std::string& name) { return upper_case(name); }) +
               "\n  pr_loop_sizes: " +
               list_text(layer_.windows, [](const DimensionRelation& window) { return digits(window.size); }) +
               "\n  padding: " +
               list_text(layer_.windows,
                         [](const DimensionRelation& window) {
                             return "[" + digits(window.padding / 2) + ", " +
                                    digits(window.padding - window.padding / 2) + "]";
                         }) +
               "\n";
    }

    std::string precisions() const {
        std::string text;
        for (const Operand& operand : layer_.operands) {
            text += (text.empty() ? "" : ", ") + operand.name + ": " + digits(operand.precision_bits);
            if (operand.is_result()) text += ", " + operand.name + "_final: " + digits(operand.final_precision_bits);
        }
        return "{" + text + "}";
    }

    std::string sources() const {
        std::string text;
        for (const auto& [operand, id] : written_.sources)
            text += (text.empty() ? "" : ", ") + operand + ": " + digits(id);
        return text.empty() ? "" : "  operand_source: {" + text + "}\n";
    }

    const WorkloadLayer& written_;
    const Layer& layer_;
    std::vector<std::string> windows_;
};

}  // namespace

std::string write_accelerator(const Accelerator& accelerator) {
    std::string text = accelerator.name.empty() ? "" : "name: " + yaml::quoted_text(accelerator.name) + "\n";
    text += array_text(accelerator) + "memories:\n";
    for (const SharedMemory& memory : accelerator.memories) text += memory_text(accelerator, memory);
    return text;
}

std::string write_workload(const std::vector<WorkloadLayer>& layers) {
    std::string text;
    for (const WorkloadLayer& layer : layers) text += LayerWriter(layer).text();
    return text;
}

}  // namespace tilewright::zigzag
