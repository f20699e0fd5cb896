// The mesh with its links coloured by load.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers/number_text.hpp"
#include "base/printable.hpp"
#include "report/simulation/simulation.hpp"

namespace tilewright::report {
namespace {

constexpr int kPitch = 90;
constexpr int kNode = 44;
constexpr int kMargin = 60;
constexpr int kLegend = 50;
constexpr int kLeastWidth = 320;

/// White for nothing, through orange, to dark red for a flit in every cycle.
std::string colour(double load) {
    const double x = std::clamp(load, 0.0, 1.0);
    const auto mix = [&](double low, double mid, double high) {
        const double value = x < 0.5 ? low + (mid - low) * 2 * x : mid + (high - mid) * (2 * x - 1);
        return static_cast<int>(std::lround(value));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", mix(238, 245, 140), mix(238, 140, 0), mix(238, 40, 0));
}

struct Point {
    int x;
    int y;
};

Point centre(const sim::Floor& floor, int node) {
    return {kMargin + floor.mesh.x(node) * kPitch, kMargin + floor.mesh.y(node) * kPitch};
}

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : printable_line(text)) {  // XML has no control characters
        if (c == '<')
            safe += "&lt;";
        else if (c == '>')
            safe += "&gt;";
        else if (c == '&')
            safe += "&amp;";
        else
            safe += c;
    }
    return safe;
}

/// The two directions of a pair of nodes lie side by side.
std::string link_svg(const sim::Floor& floor, int node, int port, double load, std::int64_t flits) {
    const Point from = centre(floor, node);
    const Point to = centre(floor, floor.mesh.neighbour(node, port));
    const int dx = (to.x > from.x) - (to.x < from.x);
    const int dy = (to.y > from.y) - (to.y < from.y);
    const int half = kNode / 2;
    const int side_x = -dy * 7;
    const int side_y = dx * 7;
    return fmt::format(
        "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"9\"><title>{}: {} flits, {:.1f} % "
        "of the cycles</title></line>\n",
        from.x + dx * half + side_x, from.y + dy * half + side_y, to.x - dx * half + side_x, to.y - dy * half + side_y,
        colour(load), link_name(floor, {node, port, load}), count_text(flits), 100.0 * load);
}

/// Filled by the flits leaving the mesh there. Memories have long names, and nothing below them.
std::string node_svg(const sim::Floor& floor, int node, const std::string& label, double load, std::int64_t flits) {
    const Point at = centre(floor, node);
    const int half = kNode / 2;
    const bool is_memory = floor.mesh.y(node) >= floor.placed_y;
    std::string svg = fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{}\" stroke=\"#444444\"><title>{}: {} "
        "flits, "
        "{:.1f} % of the cycles</title></rect>\n",
        at.x - half, at.y - half, kNode, kNode, flits > 0 ? colour(load) : "#ffffff",
        link_name(floor, {node, sim::index_of(sim::Port::local), load}), count_text(flits), 100.0 * load);
    return svg +
           fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", at.x, at.y + (is_memory ? half + 14 : 4), escaped(label));
}

/// The colour scale.
std::string legend_svg(int width, int y) {
    constexpr int kSteps = 10;
    constexpr int kBox = 14;
    const int left = width / 2 - kSteps * kBox / 2;
    std::string svg;
    for (int i = 0; i < kSteps; ++i)
        svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"10\" fill=\"{}\"/>\n", left + i * kBox, y,
                           kBox, colour((i + 0.5) / kSteps));
    svg += fmt::format("<text x=\"{}\" y=\"{}\">0 %</text><text x=\"{}\" y=\"{}\">100 %</text>\n", left - 14, y + 9,
                       left + kSteps * kBox + 20, y + 9);
    return svg + fmt::format(
                     "<text x=\"{}\" y=\"{}\">of the cycles a flit passes; each way on its right-hand side</text>\n"
                     "<text x=\"{}\" y=\"{}\">nodes: into the element or the memory</text>\n",
                     width / 2, y + 26, width / 2, y + 40);
}

std::string label_of(const SimulatedLayer& layer, const Architecture& architecture, int node) {
    const sim::Floor& floor = layer.floor;
    const int x = floor.mesh.x(node);
    const int y = floor.mesh.y(node);
    if (y < floor.placed_y) return x < floor.placed_x ? fmt::format("{},{}", x, y) : "";
    if (node == floor.node_of_memory(0)) return architecture.memories.front().name;
    if (node != floor.node_of_memory(1)) return "";
    std::string names;  // of those that keep tensors: others only spread
    for (std::size_t m = 1; m < static_cast<std::size_t>(floor.element); ++m)
        if (layer.evaluation.memories[m].used_words > 0)
            names += (names.empty() ? "" : ", ") + architecture.memories[m].name;
    return names;
}

}  // namespace

std::string heat_map_svg(const SimulatedLayer& layer, const Architecture& architecture) {
    const sim::Floor& floor = layer.floor;
    const int width = std::max(kLeastWidth, 2 * kMargin + (floor.mesh.columns - 1) * kPitch);
    const int mesh_height = 2 * kMargin + (floor.mesh.rows - 1) * kPitch;
    const int height = mesh_height + kLegend;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" "
        "font-family=\"sans-serif\" "
        "font-size=\"11\" text-anchor=\"middle\">\n<title>{}: share of cycles in which a flit leaves by a "
        "link</title>\n<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n<text x=\"{}\" y=\"22\" "
        "font-size=\"13\">{}</text>\n",
        width, height, width, height, escaped(layer.names.front()), width, height, width / 2,
        escaped(layer.names.front()));
    const auto flits_of = [&](int node, int port) {
        return layer.result.flits[static_cast<std::size_t>(node * sim::kPorts + port)];
    };
    const auto load_of = [&](std::int64_t flits) {
        return layer.result.cycles > 0 ? static_cast<double>(flits) / static_cast<double>(layer.result.cycles) : 0.0;
    };
    for (int node = 0; node < floor.mesh.nodes(); ++node) {
        for (int port = 0; port < sim::index_of(sim::Port::local); ++port) {
            if (floor.mesh.neighbour(node, port) < 0) continue;
            const std::int64_t flits = flits_of(node, port);
            svg += link_svg(floor, node, port, load_of(flits), flits);
        }
    }
    for (int node = 0; node < floor.mesh.nodes(); ++node) {
        const std::int64_t flits = flits_of(node, sim::index_of(sim::Port::local));
        svg += node_svg(floor, node, label_of(layer, architecture, node), load_of(flits), flits);
    }
    svg += legend_svg(width, mesh_height - 6);
    return svg + "</svg>\n";
}

}  // namespace tilewright::report
