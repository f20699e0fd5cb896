// Tile sizes by a compiler's rules (docs/tiles.md): rules and a machine, their best legal points, tables and forms.
#include <pybind11/stl.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "parts.hpp"
#include "tiles/files/shipped.hpp"
#include "tiles/forms/forms.hpp"
#include "tiles/search/conflict.hpp"

namespace tilewright::python {
namespace {

using Numbers = std::vector<std::int64_t>;

struct OpenTiles {
    tiles::Problem problem;
    tiles::AskOptions options;
};

// `text`: of a file of rules called `rules`; else they are read or shipped.
OpenTiles opened(const std::string& rules, const std::optional<std::string>& text, const std::string& machine,
                 const std::string& objective) {
    tiles::Rules read = text ? tiles::read_rules(yaml::parse_text(*text, rules)) : tiles::rules_named(rules);
    OpenTiles open{tiles::make_problem(std::move(read), tiles::machine_named(machine)), {}};
    open.options.measures = tiles::measures_of(open.problem.rules, objective);
    return open;
}

const char* claim_word(tiles::Claim claim) {
    return claim == tiles::Claim::proven ? "proven" : claim == tiles::Claim::within ? "within" : "best found";
}

auto answer_to(const OpenTiles& open, const Numbers& given, std::optional<double> seconds) {
    tiles::AskOptions options = open.options;
    if (seconds)
        options.limits.deadline =
            deadline_after(std::chrono::steady_clock::now(), std::chrono::duration<double>(*seconds));
    const tiles::Answer answer = tiles::ask(open.problem, given, options);
    std::vector<std::string> conflicts;
    if (!answer.has_point() && answer.walked.complete)
        conflicts = tiles::conflict_lines(open.problem.rules, tiles::conflicts_of(open.problem, given));
    return std::make_tuple(answer.best.point, std::string(claim_word(answer.claim)), answer.within,
                           std::vector<double>(answer.best.score.begin(), answer.best.score.end()), answer.best.time_us,
                           answer.walked.legal, conflicts);
}

auto table_of(const OpenTiles& open, const Numbers& given, std::size_t axis, std::int64_t low, std::int64_t high,
              double loss) {
    std::vector<std::tuple<std::int64_t, std::int64_t, Numbers, double>> rows;
    for (const tiles::Interval& interval :
         tiles::make_table(open.problem, given, axis, {low, high}, loss, open.options).intervals)
        rows.emplace_back(interval.from, interval.to, interval.point, interval.worst_loss);
    return rows;
}

}  // namespace

void bind_tiles(py::module_& module);

// Searches run without the interpreter's lock: what was opened is immutable.
void bind_tiles(py::module_& module) {
    using Free = py::call_guard<py::gil_scoped_release>;
    py::class_<OpenTiles>(module, "Tiles")
        .def(py::init(&opened), py::arg("rules"), py::arg("text"), py::arg("machine"), py::arg("objective"))
        .def_property_readonly("given", [](const OpenTiles& open) { return open.problem.rules.given; })
        .def_property_readonly("chosen", [](const OpenTiles& open) { return open.problem.rules.chosen; })
        .def("ask", &answer_to, py::arg("given"), py::arg("seconds"), Free())
        .def("table", &table_of, py::arg("given"), py::arg("axis"), py::arg("low"), py::arg("high"), py::arg("loss"),
             Free())
        .def(
            "format",
            [](const OpenTiles& open, const Numbers& given, const Numbers& point, const std::string& form, bool lossy) {
                return tiles::form_text(open.problem, given, point, {form, lossy});
            },
            py::arg("given"), py::arg("point"), py::arg("form"), py::arg("lossy"));
}

}  // namespace tilewright::python
