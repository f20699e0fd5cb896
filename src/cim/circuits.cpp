#include "cim/circuits.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "arch/estimation/tables.hpp"

namespace tilewright::cim {
namespace {

CircuitPart part_of(const tables::Table& table, int row, const std::string& name) {
    const auto number = [&](const std::string& what) { return table.number(row, name + what); };
    return {
        {number("_00_pj"), number("_01_pj"), number("_10_pj"), number("_11_pj")}, number("_um2"), number("_leak_nw")};
}

ArrayCircuit circuit_of(const tables::Table& table, int row) {
    ArrayCircuit circuit;
    circuit.technology_nm = table.number(row, "technology_nm");
    circuit.supply_v = table.number(row, "supply_v");
    circuit.rows = part_of(table, row, "row");
    circuit.columns = part_of(table, row, "column");
    circuit.cell = part_of(table, row, "cell");
    circuit.write_0_pj = table.number(row, "cell_write_0_pj");
    circuit.write_1_pj = table.number(row, "cell_write_1_pj");
    circuit.weight_row_write_pj = table.number(row, "weight_row_write_pj");
    circuit.weight_row_leak_nw = table.number(row, "weight_row_leak_nw");
    return circuit;
}

/// Straight on a log-log scale between positive numbers, else on a linear one.
double between(double lower, double upper, double share) {
    if (lower > 0.0 && upper > 0.0) return lower * std::pow(upper / lower, share);
    return lower + (upper - lower) * share;
}

void interpolate(CircuitPart& lower, const CircuitPart& upper, double share) {
    for (double ReadEnergy::* pj :
         {&ReadEnergy::off_off_pj, &ReadEnergy::off_on_pj, &ReadEnergy::on_off_pj, &ReadEnergy::on_on_pj})
        lower.read.*pj = between(lower.read.*pj, upper.read.*pj, share);
    lower.area_um2 = between(lower.area_um2, upper.area_um2, share);
    lower.leak_nw = between(lower.leak_nw, upper.leak_nw, share);
}

ArrayCircuit interpolated(const std::map<double, ArrayCircuit>& axis, double x) {
    const Neighbours<ArrayCircuit> near = neighbours(axis, x);
    ArrayCircuit circuit = *near.lower;
    circuit.fit = worse(near.fit, worse(near.lower->fit, near.upper->fit));
    if (near.share == 0.0) return circuit;
    interpolate(circuit.rows, near.upper->rows, near.share);
    interpolate(circuit.columns, near.upper->columns, near.share);
    interpolate(circuit.cell, near.upper->cell, near.share);
    for (double ArrayCircuit::* number : {&ArrayCircuit::write_0_pj, &ArrayCircuit::write_1_pj,
                                          &ArrayCircuit::weight_row_write_pj, &ArrayCircuit::weight_row_leak_nw})
        circuit.*number = between(circuit.*number, near.upper->*number, near.share);
    return circuit;
}

CircuitPart times(CircuitPart part, double count) {
    part.area_um2 *= count;
    part.leak_nw *= count;
    return part;
}

/// Of one pulse, from the square arrays: drivers of rows are as long as there are columns, and the other way round.
ArrayCircuit shaped(const std::map<double, ArrayCircuit>& squares, std::int64_t rows, std::int64_t columns) {
    const auto r = static_cast<double>(rows);
    const auto c = static_cast<double>(columns);
    ArrayCircuit circuit = interpolated(squares, c);
    const ArrayCircuit other = interpolated(squares, r);
    circuit.rows = times(circuit.rows, r / c);
    circuit.columns = times(other.columns, c / r);
    circuit.fit = worse(circuit.fit, worse(other.fit, rows == columns ? Fit::tabulated : Fit::interpolated));
    return circuit;
}

}  // namespace

std::vector<std::string> cell_descriptions() {
    const tables::Table table = tables::load("array_circuits.csv");
    std::vector<std::string> names;
    for (int row = 0; row < table.row_count(); ++row)
        if (names.empty() || names.back() != table.text(row, "device")) names.push_back(table.text(row, "device"));
    return names;
}

ArrayCircuit array_circuit(std::string_view cell, std::int64_t rows, std::int64_t columns, double pulse_ns) {
    const tables::Table table = tables::load("array_circuits.csv");
    std::map<double, std::map<double, ArrayCircuit>> squares;  // by pulse and side
    std::map<double, ArrayCircuit> exact;                      // by pulse
    for (int row = 0; row < table.row_count(); ++row) {
        if (table.text(row, "device") != cell) continue;
        const double pulse = table.number(row, "pulse_ns");
        const double side = table.number(row, "rows");
        if (side == table.number(row, "columns")) squares[pulse][side] = circuit_of(table, row);
        if (side == static_cast<double>(rows) && table.number(row, "columns") == static_cast<double>(columns))
            exact[pulse] = circuit_of(table, row);
    }
    if (squares.empty()) throw std::invalid_argument("no table of circuits has the cell '" + std::string(cell) + "'");
    std::map<double, ArrayCircuit> by_pulse;
    for (const auto& [pulse, sides] : squares)
        by_pulse[pulse] = exact.contains(pulse) ? exact[pulse] : shaped(sides, rows, columns);
    return interpolated(by_pulse, pulse_ns);
}

}  // namespace tilewright::cim
