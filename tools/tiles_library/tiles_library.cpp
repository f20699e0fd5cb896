// The C functions of include/tilewright/tiles.h. Whatever is thrown within becomes a status and a tw_error.

#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "answers.hpp"
#include "base/deadline.hpp"
#include "base/error.hpp"
#include "tiles/files/shipped.hpp"
#include "tiles/forms/forms.hpp"
#include "tiles/search/conflict.hpp"
#include "tilewright/tiles.h"

struct tw_tiles {
    tilewright::tiles::Problem problem;
    tilewright::tiles::AskOptions options;
    std::optional<double> seconds;
    mutable tilewright::tiles::KeptAnswers answers;
};

namespace {

using namespace tilewright;
using namespace tilewright::tiles;

void copy_text(char* to, std::size_t size, std::string_view text) {
    const std::size_t length = std::min(size - 1, text.size());
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
}

void say(tw_error* error, std::string_view code, const Location& where, std::string_view text) {
    if (error == nullptr || error->size < sizeof(tw_error)) return;
    copy_text(error->code, sizeof error->code, code);
    error->line = where.line;
    error->column = where.column;
    copy_text(error->text, sizeof error->text, text);
}

/// Runs it; what it throws becomes a status.
template <typename Work>
int guarded(tw_error* error, Work work) noexcept {
    try {
        return work();
    } catch (const InputError& mistake) {
        say(error, error_code_name(mistake.code()), mistake.where(), mistake.message());
        return TW_BAD_QUESTION;
    } catch (const std::bad_alloc&) {
        say(error, "overflow", {}, "out of memory");
    } catch (const std::exception& defect) {
        say(error, "internal", {}, defect.what());
    } catch (...) {
        say(error, "internal", {}, "an unknown defect");
    }
    return TW_INTERNAL;
}

void require(bool good, const char* message) {
    if (!good) throw InputError(ErrorCode::usage, {}, message);
}

void read_options(std::string_view text, tw_tiles& tiles) {
    std::string objective;
    if (!text.empty()) {
        const yaml::Node options = yaml::parse_text(text, "options");
        options.expect_keys({"objective", "time_limit_s", "most_tried"});
        if (const yaml::Node* node = options.find("objective")) objective = node->text();
        if (const yaml::Node* node = options.find("time_limit_s")) tiles.seconds = node->real();
        if (const yaml::Node* node = options.find("most_tried")) tiles.options.limits.most_tried = node->positive();
    }
    tiles.options.measures = measures_of(tiles.problem.rules, objective);
    tiles.options.runners_up = 0;
}

int give(const KeptAnswer& kept, std::int64_t* point, tw_claim* claim) {
    std::ranges::copy(kept.point, point);
    if (claim != nullptr && claim->size >= sizeof(tw_claim)) {
        const std::size_t size = claim->size;
        *claim = kept.claim;
        claim->size = size;
    }
    return TW_DONE;
}

AskOptions options_now(const tw_tiles& tiles) {
    AskOptions options = tiles.options;
    if (tiles.seconds)
        options.limits.deadline =
            deadline_after(std::chrono::steady_clock::now(), std::chrono::duration<double>(*tiles.seconds));
    return options;
}

int say_why_none(const tw_tiles& tiles, std::span<const std::int64_t> given, const Answer& answer, tw_error* error) {
    if (!answer.walked.complete) {
        say(error, "deadline", {}, "no legal point was found before the search ended");
        return TW_DEADLINE;
    }
    std::string text;
    for (const std::string& line : conflict_lines(tiles.problem.rules, conflicts_of(tiles.problem, given)))
        text += (text.empty() ? "" : "\n") + line;
    say(error, "no-legal-point", {}, text);
    return TW_NO_LEGAL_POINT;
}

int ask_anew(const tw_tiles& tiles, std::span<const std::int64_t> given, std::int64_t* point, tw_claim* claim,
             tw_error* error) {
    const Answer answer = tilewright::tiles::ask(tiles.problem, given, options_now(tiles));
    if (!answer.has_point()) return say_why_none(tiles, given, answer, error);
    auto kept = std::make_unique<KeptAnswer>();
    kept->given.assign(given.begin(), given.end());
    kept->point = answer.best.point;
    kept->claim = {sizeof(tw_claim),    static_cast<int>(answer.claim),
                   answer.within,       answer.best.score[0],
                   answer.best.time_us, answer.walked.legal};
    give(*kept, point, claim);
    // What a deadline cut short may be better the next time.
    if (answer.claim != Claim::proven) return TW_DEADLINE;
    tiles.answers.keep(std::move(kept));
    return TW_DONE;
}

// Rows of a later version of the header are larger.
void write_rows(const Table& table, tw_row* rows) {
    const std::size_t size = rows->size;
    for (std::size_t i = 0; i < table.intervals.size(); ++i) {
        const Interval& interval = table.intervals[i];
        tw_row row{size, interval.from, interval.to, interval.worst_loss, interval.point.empty() ? 0 : 1, {}};
        std::ranges::copy(interval.point, row.point);
        std::memcpy(reinterpret_cast<char*>(rows) + i * size, &row, sizeof row);
    }
}

}  // namespace

extern "C" {

int tw_abi(void) { return TILEWRIGHT_ABI; }

int tw_tiles_open(const char* rules, size_t rules_size, const char* machine, size_t machine_size, const char* options,
                  size_t options_size, tw_tiles** out, tw_error* error) {
    return guarded(error, [&] {
        require(rules != nullptr && out != nullptr, "rules and a place for the result are needed");
        *out = nullptr;
        Machine with;
        if (machine != nullptr && machine_size > 0)
            with = read_machine_on_shipped(yaml::parse_text({machine, machine_size}, "machine"));
        auto tiles = std::make_unique<tw_tiles>();
        tiles->problem = make_problem(read_rules(yaml::parse_text({rules, rules_size}, "rules")), std::move(with));
        read_options(options == nullptr ? std::string_view() : std::string_view(options, options_size), *tiles);
        *out = tiles.release();
        return TW_DONE;
    });
}

int tw_tiles_ask(const tw_tiles* tiles, const int64_t* given, size_t given_count, int64_t* point, size_t point_count,
                 tw_claim* claim, tw_error* error) {
    return guarded(error, [&] {
        require(tiles != nullptr && (given != nullptr || given_count == 0) && point != nullptr,
                "tiles, what is given and a place for the point are needed");
        if (point_count < tiles->problem.rules.chosen.size()) {
            say(error, "usage", {}, "a point has more values than there is room for");
            return static_cast<int>(TW_TOO_SMALL);
        }
        const std::span<const std::int64_t> question(given, given_count);
        if (const KeptAnswer* kept = tiles->answers.find(question)) return give(*kept, point, claim);
        return ask_anew(*tiles, question, point, claim, error);
    });
}

int tw_tiles_table(const tw_tiles* tiles, const int64_t* given, size_t given_count, int axis, int64_t low, int64_t high,
                   double loss, tw_row* rows, size_t* count, tw_error* error) {
    return guarded(error, [&] {
        require(tiles != nullptr && given != nullptr && count != nullptr && axis >= 0,
                "tiles, what is given, an axis and a count are needed");
        const Table table = make_table(tiles->problem, {given, given_count}, static_cast<std::size_t>(axis),
                                       {low, high}, loss, options_now(*tiles));
        const std::size_t room = std::exchange(*count, table.intervals.size());
        if (room < table.intervals.size() || rows == nullptr) {
            say(error, "usage", {}, "the table has more rows than there is room for");
            return static_cast<int>(TW_TOO_SMALL);
        }
        require(rows->size >= sizeof(tw_row), "the first row says how large rows are");
        write_rows(table, rows);
        return static_cast<int>(table.complete ? TW_DONE : TW_DEADLINE);
    });
}

int tw_tiles_format(const tw_tiles* tiles, const int64_t* given, const int64_t* point, const char* form, char* text,
                    size_t* size, tw_error* error) {
    return guarded(error, [&] {
        require(tiles != nullptr && given != nullptr && point != nullptr && form != nullptr && size != nullptr,
                "tiles, what is given, a point, a form and a size are needed");
        const std::string made = form_text(tiles->problem, {given, tiles->problem.rules.given.size()},
                                           {point, tiles->problem.rules.chosen.size()}, {form, false});
        const std::size_t room = std::exchange(*size, made.size() + 1);
        if (text == nullptr || room < made.size() + 1) return static_cast<int>(TW_TOO_SMALL);
        copy_text(text, room, made);
        return static_cast<int>(TW_DONE);
    });
}

int tw_tiles_name(const tw_tiles* tiles, int which, size_t index, const char** name) {
    if (tiles == nullptr || name == nullptr || which < 0 || which > 1) return TW_BAD_QUESTION;
    const std::vector<std::string>& names = which == 0 ? tiles->problem.rules.given : tiles->problem.rules.chosen;
    if (index >= names.size()) return TW_BAD_QUESTION;
    *name = names[index].c_str();
    return TW_DONE;
}

void tw_tiles_close(tw_tiles* tiles) { delete tiles; }

}  // extern "C"
