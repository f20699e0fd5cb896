// tilewright plot: pictures of runs, as SVG.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "inputs/inputs.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/plot/chart.hpp"
#include "report/views/figures.hpp"
#include "verbs/compare/compare_runs.hpp"

namespace tilewright::cli {
namespace {

std::vector<std::string> kind_names() {
    std::vector<std::string> names;
    for (const views::FigureKind& kind : views::figure_kinds()) names.push_back(kind.name);
    for (const views::FigureKind& kind : views::document_figure_kinds()) names.push_back(kind.name);
    return names;
}

std::string kinds_help() {
    std::string text = "what to draw, then documents (report.json) or directories that hold one; KIND is one of";
    const auto add = [&text](const views::FigureKind& kind) { text += "\n" + kind.name + "\t" + kind.summary; };
    for (const views::FigureKind& kind : views::figure_kinds()) add(kind);
    for (const views::FigureKind& kind : views::document_figure_kinds()) add(kind);
    return text;
}

class Plot : public Command {
   public:
    void declare(Options& options) override {
        options.take_words("KIND FILES", kinds_help(), &words_);
        options.needs_words("no picture is named: give one of " + list_words(kind_names()));
        options
            .value("output", 'o', "FILE", "write the picture, which is SVG, there; '-', or not given: print it",
                   &output_)
            .completes = "file";
        declare_largest_input(options, largest_input_mib_);
        options.value("number", 'n', "N", "the N-th picture of this kind, where there are several", &number_);
    }

    ExitStatus run() override {
        const std::vector<std::string> kinds = kind_names();
        const std::string& kind = words_.front();
        if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
            fail_usage("plot",
                       "unknown kind '" + kind + "'; expected one of " + list_words(kinds) + did_you_mean(kind, kinds));
        if (words_.size() < 2)
            fail_usage("plot", "no run is named: give report.json files or directories that hold one");
        if (output_ == kStandardOutput) output_.clear();
        refuse_other_formats();
        if (!output_.empty()) check_target(output_);
        const views::Figure figure = chosen(kind);
        const std::string picture = plot::svg(figure.chart);
        if (output_.empty())
            print(picture);
        else
            write_file(output_, picture);
        return ExitStatus::done;
    }

   private:
    // Whoever opened picture.png would find no picture.
    void refuse_other_formats() const {
        const std::string ending = std::filesystem::path(output_).extension().string();
        if (ending.empty() || ending == ".svg") return;
        fail_usage("plot", fmt::format("-o {}: pictures are SVG: give a name that ends in .svg (rsvg-convert makes PNG "
                                       "and PDF of it: rsvg-convert picture.svg -o picture.png)",
                                       output_));
    }

    views::Figure chosen(const std::string& kind) const {
        const std::vector<views::Document> documents =
            read_documents({words_.begin() + 1, words_.end()}, largest_input_mib_);
        std::vector<views::Figure> figures;
        for (views::Figure& figure : views::all_figures(documents))
            if (figure.kind == kind) figures.push_back(std::move(figure));
        if (figures.empty()) fail_usage("plot", "the documents hold nothing for '" + kind + "'");
        const auto count = static_cast<std::int64_t>(figures.size());
        if (!number_ && count > 1) {
            std::string titles;
            for (std::size_t i = 0; i < figures.size(); ++i)
                titles += fmt::format("\n    {}  {}", i + 1, plot::title_of(figures[i].chart));
            print_error(fmt::format("note: the first of {} pictures; -n N chooses:{}", count, titles));
        }
        const std::int64_t number = number_.value_or(1);
        if (number < 1 || number > count) fail_usage("plot", fmt::format("--number is from 1 to {}", count));
        return figures[number - 1];
    }

    std::vector<std::string> words_;
    std::string output_;
    std::optional<std::int64_t> number_;
    std::optional<std::int64_t> largest_input_mib_;
};

}  // namespace

std::unique_ptr<Command> make_plot() { return std::make_unique<Plot>(); }

}  // namespace tilewright::cli
