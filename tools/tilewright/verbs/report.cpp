// tilewright report: one HTML file of one run or several.

#include "base/files/file.hpp"
#include "inputs/inputs.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/page/page.hpp"
#include "verbs/compare/compare_runs.hpp"

namespace tilewright::cli {
namespace {

class Report : public Command {
   public:
    void declare(Options& options) override {
        options.take_words("FILES", "documents (report.json and its like) or directories that hold a report.json",
                           &words_);
        options
            .value("output", 'o', "FILE", "write the page there (default report.html; '-': standard output)", &output_)
            .completes = "file";
        options.value("html", 0, "FILE", "as -o", &html_).completes = "file";
        declare_largest_input(options, largest_input_mib_);
        options.needs_words("no run is named: give report.json files or directories that hold one");
        options.not_with({"html"}, {"output"}, "give -o or --html, not both");
    }

    ExitStatus run() override {
        if (!html_.empty()) output_ = html_;
        if (output_.empty()) output_ = "report.html";
        if (output_ != kStandardOutput) check_target(output_);
        const std::string page = page::html(read_documents(words_, largest_input_mib_), page::assets());
        if (output_ == kStandardOutput)
            print(page);
        else
            write_file(output_, page);
        return ExitStatus::done;
    }

   private:
    std::vector<std::string> words_;
    std::string output_;
    std::string html_;
    std::optional<std::int64_t> largest_input_mib_;
};

}  // namespace

std::unique_ptr<Command> make_report() { return std::make_unique<Report>(); }

}  // namespace tilewright::cli
