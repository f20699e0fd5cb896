#include "report/views/figures.hpp"

#include <algorithm>
#include <array>

namespace tilewright::views {

std::span<const FigureKind> figure_kinds() {
    static const std::array kKinds{
        FigureKind{"compare", "energy and latency of whole runs side by side", comparison_figures},
        FigureKind{"network", "the network's energy by memory and tensor", network_figures},
        FigureKind{"energy", "energy of every layer, by memory", energy_figures},
        FigureKind{"latency", "where the cycles of every layer go", latency_figures},
        FigureKind{"traffic", "words moved by every layer, by memory", traffic_figures},
        FigureKind{"roofline", "rate against intensity of every layer, for each memory port", roofline_figures},
        FigureKind{"pareto", "energy against latency of all mappings on the fronts", pareto_figures},
    };
    return kKinds;
}

std::span<const FigureKind> document_figure_kinds() {
    static const std::array kKinds{
        FigureKind{"zeros", "energy that zeros save, by memory and layer (map and evaluate of sparse machines)",
                   nullptr},
        FigureKind{"convergence", "how good each mapper's best was after so much work (compare --mappers --json)",
                   nullptr},
        FigureKind{"tilings", "what every tiling comes to, static and out of order (schedule --every-tiling)", nullptr},
        FigureKind{"scheduled", "schedules beside the static baseline and the bounds (schedule)", nullptr},
        FigureKind{"gantt", "what every core and DMA channel does when (schedule)", nullptr},
        FigureKind{"scratchpad", "which operand lies where in the scratchpad (schedule)", nullptr},
        FigureKind{"operands", "bytes moved, by operand, first and again (schedule)", nullptr},
        FigureKind{"sharing", "tiles by the number of cores that use them (schedule)", nullptr},
        FigureKind{"simulated", "where the cycles of simulated layers go (simulate)", nullptr},
        FigureKind{"figure", "what a document of figures holds, such as a study's (tilewright-figures)", nullptr},
        FigureKind{"llm", "tokens per second and times over batches, contexts and prompts (llm)", nullptr},
        FigureKind{"fusion", "energy and words fused and not, groups, words by size of the buffer (map --fuse)",
                   nullptr},
        FigureKind{"package", "slots, room, loads of links and energy by place of a plan on cores (map --package)",
                   nullptr},
        FigureKind{"machines", "machines that no other beats, and where others may be (explore --prove --pareto)",
                   nullptr},
        FigureKind{"worth", "what each value of each knob costs (explore --prove --worth)", nullptr},
        FigureKind{"proof", "what was ruled out and why, and how the proof went on (explore --prove)", nullptr},
        FigureKind{"links", "how busy the links of the mesh are (simulate)", nullptr},
    };
    return kKinds;
}

std::vector<Run> all_runs(const std::vector<Document>& documents) {
    std::vector<Run> runs;
    for (const Document& document : documents) runs.insert(runs.end(), document.runs.begin(), document.runs.end());
    make_titles_distinct(runs);
    return runs;
}

std::vector<Headline> all_headlines(const std::vector<Document>& documents) {
    std::vector<Headline> all;
    for (const Document& document : documents)
        all.insert(all.end(), document.headlines.begin(), document.headlines.end());
    return all;
}

std::vector<Figure> all_figures(const std::vector<Document>& documents) {
    const std::vector<Run> runs = all_runs(documents);
    std::vector<Figure> all;
    for (const FigureKind& kind : figure_kinds())
        for (Figure& figure : kind.figures(runs)) all.push_back(std::move(figure));
    for (const Document& document : documents) all.insert(all.end(), document.figures.begin(), document.figures.end());
    return all;
}

}  // namespace tilewright::views
