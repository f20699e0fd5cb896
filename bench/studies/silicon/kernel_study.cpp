// Measured layers of one machine beside what is predicted of them, as JSON: by the roofline, by data sheets and papers
// alone, by calibration on named rows, and by the numbers that the zoo's file has.
//
//     silicon_kernels MACHINE < rows.json
//
// rows.json: {"rows": [...], "named": {"launch": 17, "bandwidth": 3, ...}, "calibration": {...}} with rows by number,
// and with numbers of another machine in the place of named rows.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>

#include "command_line/command_line.hpp"
#include "kernel_fit.hpp"
#include "silicon/files/silicon.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::silicon_study;
using nlohmann::json;

silicon::KernelMachine zoo_machine(const std::string& name) {
    const yaml::Node root = timeloop::zoo_architecture(name);
    const auto read = silicon::read_silicon(root, timeloop::read_architecture(root));
    if (!read || !std::holds_alternative<silicon::KernelMachine>(read->machine))
        throw std::runtime_error(name + " is no machine of kernels");
    return std::get<silicon::KernelMachine>(read->machine);
}

std::optional<KernelRow> named(const json& input, const char* name) {
    const json& numbers = input.at("named");
    if (!numbers.contains(name) || numbers.at(name).is_null()) return std::nullopt;
    return kernel_row(input.at("rows").at(numbers.at(name).get<std::size_t>()));
}

silicon::KernelMachine calibrated_by(const json& input, silicon::KernelMachine machine) {
    if (input.contains("calibration")) {
        const json& given = input.at("calibration");
        machine.calibration = {given.at("launch_us"), given.at("compiled_launch_us"), given.at("bandwidth_share"),
                               given.at("rate_share"), given.at("cache_bytes_per_us")};
        return machine;
    }
    const NamedRows rows{named(input, "launch"), named(input, "compiled_launch"), named(input, "bandwidth"),
                         named(input, "rate"), named(input, "cache")};
    // What was published does not count any more, except the rate of a cache, which no row may tell.
    const double cache = machine.published.cache_bytes_per_us;
    machine.calibration = {};
    machine.calibration.cache_bytes_per_us = cache;
    return calibrated(machine, rows);
}

json as_json(const silicon::Calibration& values) {
    return {{"launch_us", values.launch_us},
            {"compiled_launch_us", values.compiled_launch_us},
            {"bandwidth_share", values.bandwidth_share},
            {"rate_share", values.rate_share},
            {"cache_bytes_per_us", values.cache_bytes_per_us}};
}

json mapping_of(const Work& work, const silicon::KernelMachine& machine) {
    const auto* product = std::get_if<silicon::Product>(&work);
    if (product == nullptr) return nullptr;
    const silicon::ProductLatency found = silicon::product_latency(*product, machine);
    return {found.mapping.tile.rows, found.mapping.tile.columns, found.mapping.split, found.mapping.waves,
            found.compared};
}

void study(const std::string& name) {
    const json input = json::parse(std::cin);
    const silicon::KernelMachine zoo = zoo_machine(name);
    silicon::KernelMachine sheet = zoo;
    sheet.calibration = zoo.published;
    const silicon::KernelMachine fitted = calibrated_by(input, zoo);
    json rows = json::array();
    for (const json& one : input.at("rows")) {
        const KernelRow row = kernel_row(one);
        rows.push_back({{"roofline", roofline_us(row.work, zoo)},
                        {"sheet", predicted_us(row.work, sheet)},
                        {"calibrated", predicted_us(row.work, fitted)},
                        {"zoo", predicted_us(row.work, zoo)},
                        {"mapping", mapping_of(row.work, fitted)}});
    }
    std::cout << json{{"calibration", as_json(fitted.calibration)}, {"zoo", as_json(zoo.calibration)}, {"rows", rows}}
              << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    std::string name;
    CommandLine line("Layers measured on a machine of kernels, and predicted");
    line.option("MACHINE", &name, "of the zoo", {.required = true});
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    try {
        study(name);
    } catch (const std::exception& error) {
        fmt::print(stderr, "silicon_kernels: {}\n", error.what());
        return 1;
    }
    return 0;
}
