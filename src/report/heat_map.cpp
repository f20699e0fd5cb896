// The mesh with its links coloured by load.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/simulation.hpp"

namespace tilewright::report {
namespace {

constexpr int kPitch = 90;
constexpr int kNode = 44;
constexpr int kMargin = 60;

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

/// The two directions of a pair of nodes lie beside each other.
std::string link_svg(const sim::Floor& floor, int node, int port, double load, std::int64_t flits) {
    const Point from = centre(floor, node);
    const Point to = centre(floor, floor.mesh.neighbour(node, port));
    const int dx = (to.x > from.x) - (to.x < from.x);
    const int dy = (to.y > from.y) - (to.y < from.y);
    const int half = kNode / 2;
    const int side_x = -dy * 7;
    const int side_y = dx * 7;
    return fmt::format(
        "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"9\"><title>{} flits, {:.1f} % of "
        "the cycles"
        "</title></line>\n",
        from.x + dx * half + side_x, from.y + dy * half + side_y, to.x - dx * half + side_x, to.y - dy * half + side_y,
        colour(load), flits, 100.0 * load);
}

std::string label_of(const SimulatedLayer& layer, const Architecture& architecture, int node) {
    const sim::Floor& floor = layer.floor;
    const int x = floor.mesh.x(node);
    const int y = floor.mesh.y(node);
    if (y < floor.placed_y) return x < floor.placed_x ? fmt::format("{},{}", x, y) : "";
    if (node == floor.node_of_memory(0)) return architecture.memories.front().name;
    if (node == floor.node_of_memory(1) && floor.spreads_from > 0)
        return architecture.memories[static_cast<std::size_t>(floor.spreads_from)].name;
    return "";
}

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : text) {
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

}  // namespace

std::string heat_map_svg(const SimulatedLayer& layer, const Architecture& architecture) {
    const sim::Floor& floor = layer.floor;
    const int width = 2 * kMargin + (floor.mesh.columns - 1) * kPitch;
    const int height = 2 * kMargin + (floor.mesh.rows - 1) * kPitch;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" "
        "font-family=\"sans-serif\" "
        "font-size=\"11\" text-anchor=\"middle\">\n<title>{}: share of cycles in which a flit leaves by a "
        "link</title>\n",
        width, height, width, height, escaped(layer.names.front()));
    for (int node = 0; node < floor.mesh.nodes(); ++node) {
        for (int port = 0; port < sim::index_of(sim::Port::local); ++port) {
            if (floor.mesh.neighbour(node, port) < 0) continue;
            const std::int64_t flits = layer.result.flits[static_cast<std::size_t>(node * sim::kPorts + port)];
            const double load =
                layer.result.cycles > 0 ? static_cast<double>(flits) / static_cast<double>(layer.result.cycles) : 0.0;
            svg += link_svg(floor, node, port, load, flits);
        }
    }
    for (int node = 0; node < floor.mesh.nodes(); ++node) {
        const Point at = centre(floor, node);
        svg += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"#ffffff\" stroke=\"#444444\"/>\n",
            at.x - kNode / 2, at.y - kNode / 2, kNode, kNode);
        svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", at.x, at.y + 4,
                           escaped(label_of(layer, architecture, node)));
    }
    return svg + "</svg>\n";
}

}  // namespace tilewright::report
