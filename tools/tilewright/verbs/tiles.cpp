// tilewright tiles: tile sizes that a compiler asks for: the best legal point of a rule file, proven.
#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/files/file.hpp"
#include "inputs/csv_rows.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "tiles/document/document.hpp"
#include "tiles/files/shipped.hpp"
#include "tiles/forms/forms.hpp"
#include "tiles/search/calibrate.hpp"
#include "tiles/search/conflict.hpp"

namespace tilewright::cli {
namespace {

// Rows of measured times for `tilewright tiles calibrate`: a line of names, then numbers, with commas or tabs between.

// Throws InputError at the line of a row that is short or no numbers, and for a column that the rules need and the
// file lacks. Other columns are read over.
std::vector<tiles::MeasuredPoint> measured_rows(const std::string& file, const tiles::Rules& rules) {
    const CsvRows table(file);
    const auto columns = [&](const std::vector<std::string>& wanted) {
        std::vector<std::size_t> all;
        for (const std::string& name : wanted) all.push_back(table.column(name));
        return all;
    };
    const std::vector<std::size_t> given = columns(rules.given);
    const std::vector<std::size_t> chosen = columns(rules.chosen);
    const std::size_t us = table.column("us");
    std::vector<tiles::MeasuredPoint> rows;
    for (std::size_t i = 0; i < table.size(); ++i) {
        tiles::MeasuredPoint row;
        for (const std::size_t column : given) row.given.push_back(table.number<std::int64_t>(i, column));
        for (const std::size_t column : chosen) row.point.push_back(table.number<std::int64_t>(i, column));
        row.us = table.us(i, us);
        rows.push_back(std::move(row));
    }
    return rows;
}

constexpr const char* kTiles = "tiles";

/// "1..4096" or "4096"; as is, or nothing.
std::optional<tiles::Range> range_of(const std::string& text) {
    tiles::Range range;
    const char* last = text.data() + text.size();
    const auto low = std::from_chars(text.data(), last, range.low);
    if (low.ec != std::errc{}) return std::nullopt;
    range.high = range.low;
    if (low.ptr == last) return range;
    if (!std::string_view(low.ptr, last).starts_with("..")) return std::nullopt;
    const auto high = std::from_chars(low.ptr + 2, last, range.high);
    if (high.ec != std::errc{} || high.ptr != last) return std::nullopt;
    return range;
}

/// "M=64": names of `known` in their order, each once.
std::vector<tiles::Range> values_of(const char* option, const std::vector<std::string>& texts,
                                    const std::vector<std::string>& known) {
    std::vector<std::optional<tiles::Range>> values(known.size());
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        const std::string name = text.substr(0, equals);
        const auto found = std::ranges::find(known, name);
        if (equals == std::string::npos)
            fail_usage(kTiles, fmt::format("{} takes NAME=VALUE, found '{}'", option, text));
        if (found == known.end())
            fail_usage(kTiles, fmt::format("{}: the rules know no '{}'{}; they have {}", option, name,
                                           did_you_mean(name, known), list_words(known)));
        std::optional<tiles::Range>& value = values[found - known.begin()];
        if (value) fail_usage(kTiles, fmt::format("{}: '{}' stands there twice", option, name));
        value = range_of(text.substr(equals + 1));
        if (!value) fail_usage(kTiles, fmt::format("{}: expected a whole number or a..b, found '{}'", option, text));
    }
    std::vector<tiles::Range> all;
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (!values[i])
            fail_usage(kTiles, fmt::format("{} lacks '{}': the rules need {}", option, known[i], list_words(known)));
        all.push_back(*values[i]);
    }
    return all;
}

std::vector<std::int64_t> whole_values(const char* option, const std::vector<tiles::Range>& ranges) {
    std::vector<std::int64_t> values;
    for (const tiles::Range& range : ranges) {
        if (range.low != range.high)
            fail_usage(kTiles, fmt::format("{}: a range stands where one value is wanted", option));
        values.push_back(range.low);
    }
    return values;
}

class Tiles : public Command {
   public:
    void declare(Options& options) override {
        options.take_words("RULES",
                           "rules by name or a file, after a word of what to do with them:\n"
                           "(none)\tthe best legal point, or a table for a range\n"
                           "check\twhich requirements --point breaks\n"
                           "calibrate\tnumbers of a machine from measured rows\n"
                           "list\trules and machines that are shipped",
                           &words_);
        options.group("Question");
        options.value("extents", 0, "LIST", "what the rules are given: M=512,N=4096; one of them a range, M=1..4096",
                      &extents_);
        options.value("arch", 'a', "NAME", "a machine that is shipped for tiles, or a file of one", &machine_);
        options.value("objective", 0, "WHAT", "time, count, words or several of these, the first before the second",
                      &objective_);
        options.value("loss", 0, "SHARE", "of a table: at most so much over the best, 0.05 or 5% (5%)", &loss_);
        options.value("top", 0, "N", "so many points, best first (2)", &top_);
        options.value("point", 0, "LIST", "of check: BM=64,BN=128", &point_);
        options.value("time-limit", 0, "SECONDS", "the best found until then", &seconds_);
        options.group("Calibration");
        options
            .value("from", 0, "FILE", "rows of measured times: a column for everything given and chosen, and us",
                   &rows_)
            .completes = "file";
        options.value("name", 0, "NAME", "of the calibrated machine", &name_);
        options.group("Output");
        options.value("form", 'f', "NAME", "the points as a compiler takes them: triton, mlir, iree, ...", &form_);
        options.flag("lossy", 0, "what the form cannot say as a comment, not refused", &lossy_);
        options.flag("json", 0, "the answer as JSON (schema tiles-1)", &json_);
    }

    ExitStatus run() override {
        if (words_ == std::vector<std::string>{"list"}) return list();
        std::string verb;
        if (!words_.empty() && (words_.front() == "check" || words_.front() == "calibrate")) {
            verb = words_.front();
            words_.erase(words_.begin());
        }
        if (words_.size() != 1)
            fail_usage(kTiles, "takes the name or file of rules; `tilewright tiles list` has those shipped");
        tiles::Rules rules = tiles::rules_named(words_.front());
        if (verb == "calibrate") return calibrate(rules);
        const tiles::Problem problem = tiles::make_problem(std::move(rules), tiles::machine_named(machine_));
        return verb == "check" ? check(problem) : ask(problem);
    }

   private:
    static ExitStatus list() {
        std::string text = "rules\n";
        for (const std::string& name : tiles::shipped_rules()) {
            const tiles::Rules rules = tiles::read_rules(tiles::shipped_rule_file(name));
            text += fmt::format("  {:16} given {}; {}\n", name, list_words(rules.given), rules.source);
        }
        text += "machines\n";
        for (const std::string& name : tiles::shipped_machines()) text += fmt::format("  {}\n", name);
        print(text);
        return ExitStatus::done;
    }

    ExitStatus ask(const tiles::Problem& problem) const {
        const std::vector<tiles::Range> ranges = values_of("--extents", extents_, problem.rules.given);
        tiles::AskOptions options;
        options.measures = tiles::measures_of(problem.rules, objective_);
        options.runners_up = static_cast<std::size_t>(std::clamp<std::int64_t>(top_.value_or(2), 1, 10'000) - 1);
        if (seconds_)
            options.limits.deadline =
                deadline_after(std::chrono::steady_clock::now(), std::chrono::duration<double>(*seconds_));
        const auto is_range = [](const tiles::Range& range) { return range.low != range.high; };
        if (std::ranges::count_if(ranges, is_range) > 1)
            fail_usage(kTiles,
                       "one extent may be a range: a table of the fewest intervals of several is not to be had");
        const auto range = std::ranges::find_if(ranges, is_range);
        std::vector<std::int64_t> given;
        for (const tiles::Range& value : ranges) given.push_back(value.low);
        const tiles::Asked asked{problem, given, options.measures};
        if (range != ranges.end()) {
            const std::size_t axis = static_cast<std::size_t>(range - ranges.begin());
            const double loss = allowed_loss();
            const tiles::Table table = tiles::make_table(problem, given, axis, *range, loss, options);
            if (form_.empty()) return write(tiles::document_of(asked, table, axis, loss));
            print(tiles::table_form_text(problem, given, table, axis, {form_, lossy_}));
            return ExitStatus::done;
        }
        const tiles::Answer answer = tiles::ask(problem, given, options);
        if (!form_.empty() && answer.has_point()) return write_points(problem, given, answer);
        std::vector<std::string> conflicts;
        if (!answer.has_point() && answer.walked.complete)
            conflicts = tiles::conflict_lines(problem.rules, tiles::conflicts_of(problem, given));
        return write(tiles::document_of(asked, answer, conflicts));
    }

    // As many as --top says; the best alone where it does not.
    ExitStatus write_points(const tiles::Problem& problem, const std::vector<std::int64_t>& given,
                            const tiles::Answer& answer) const {
        const tiles::FormOptions options{form_, lossy_};
        std::string text = tiles::form_text(problem, given, answer.best.point, options);
        if (top_)
            for (const tiles::RankedPoint& next : answer.runners_up)
                text += tiles::form_text(problem, given, next.point, options);
        print(text);
        return ExitStatus::done;
    }

    double allowed_loss() const {
        double loss = 0.0;
        const char* last = loss_.data() + loss_.size();
        const auto [end, error] = std::from_chars(loss_.data(), last, loss);
        const bool percent = std::string_view(end, last) == "%";
        if (error != std::errc{} || (end != last && !percent) || loss < 0.0)
            fail_usage(kTiles, fmt::format("--loss takes a share, 0.05 or 5%, found '{}'", loss_));
        return percent ? loss / 100.0 : loss;
    }

    ExitStatus write(const tiles::TilesDocument& document) const {
        print(json_ ? tiles::json_text(document) : tiles::text_of(document));
        return document.answer || document.table ? ExitStatus::done : ExitStatus::no_answer;
    }

    ExitStatus check(const tiles::Problem& problem) const {
        const tiles::Rules& rules = problem.rules;
        const std::vector<std::int64_t> given =
            whole_values("--extents", values_of("--extents", extents_, rules.given));
        const std::vector<std::int64_t> point = whole_values("--point", values_of("--point", point_, rules.chosen));
        std::vector<std::int64_t> slots = tiles::slots_for(problem, given);
        std::ranges::copy(point, slots.begin() + rules.point_slot());
        const tiles::Broken broken = tiles::broken_by(problem, slots);
        for (const std::string& choice : broken.choices) print(choice + "\n");
        for (const std::size_t number : broken.requirements) {
            const tiles::Requirement& requirement = rules.requirements[number];
            print(fmt::format("breaks {}{}{}\n", requirement.holds.text(), requirement.reason.empty() ? "" : ": ",
                              requirement.reason));
        }
        const bool legal = broken.choices.empty() && broken.requirements.empty();
        if (!legal) return ExitStatus::no_answer;
        print(fmt::format("legal: {} requirements hold\n", rules.requirements.size()));
        return ExitStatus::done;
    }

    ExitStatus calibrate(const tiles::Rules& rules) const {
        if (rows_.empty() || machine_.empty())
            fail_usage(kTiles, "calibrate takes --from, measured rows, and --arch, a machine to begin with");
        tiles::Machine machine = tiles::calibrated(rules, tiles::machine_named(machine_), measured_rows(rows_, rules));
        if (!name_.empty()) machine.name = name_;
        const std::string source =
            fmt::format("{} rows of {}", machine.measured_rows, std::filesystem::path(rows_).filename().string());
        print(tiles::machine_text(machine, source));
        return ExitStatus::done;
    }

    std::vector<std::string> words_;
    std::vector<std::string> extents_;
    std::vector<std::string> point_;
    std::string machine_;
    std::string objective_;
    std::string loss_ = "5%";
    std::optional<std::int64_t> top_;
    std::optional<double> seconds_;
    std::string rows_;
    std::string name_;
    std::string form_;
    bool lossy_ = false;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_tiles() { return std::make_unique<Tiles>(); }

}  // namespace tilewright::cli
