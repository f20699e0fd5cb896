#include "options/options.hpp"

#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/scanner.hpp"

namespace tilewright::cli {
namespace {

template <typename Number>
std::optional<Number> number_in(const std::string& text) {
    Number number{};
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stopped != end) return std::nullopt;
    return number;
}

// Stores the value of one occurrence of an option, by the type of its target.
struct Assign {
    const std::string& verb;
    const Option& option;
    const std::string& value;

    void operator()(bool* target) const { *target = true; }
    void operator()(std::string* target) const { *target = value; }
    void operator()(std::vector<std::string>* target) const {
        const std::vector<std::string> words = split_at_commas(value);
        target->insert(target->end(), words.begin(), words.end());
    }
    void operator()(std::optional<std::int64_t>* target) const {
        *target = number_in<std::int64_t>(value);
        const std::int64_t least = option.least.value_or(0);
        if (*target && **target >= least && (!option.most || **target <= *option.most)) return;
        refuse(option.most ? fmt::format("a whole number from {} to {}", least, *option.most)
                           : fmt::format("a whole number, at least {}", least));
    }
    void operator()(std::optional<double>* target) const {
        *target = number_in<double>(value);
        if (*target == std::numeric_limits<double>::infinity() && option.name == "time-limit") return target->reset();
        if (!*target || !std::isfinite(**target) || **target < 0.0) refuse("a number, at least 0");
    }
    void refuse(const std::string& expected) const {
        fail_usage(verb, fmt::format("--{} takes {}, found '{}'", option.name, expected, value));
    }
};

// The values of an option as they would be written; nothing when it was not given.
struct Written {
    std::vector<std::string> operator()(const bool* target) const {
        return *target ? std::vector<std::string>{""} : std::vector<std::string>{};
    }
    std::vector<std::string> operator()(const std::string* target) const {
        return target->empty() ? std::vector<std::string>{} : std::vector{*target};
    }
    std::vector<std::string> operator()(const std::vector<std::string>* target) const {
        std::string all;
        for (const std::string& word : *target) all += (all.empty() ? "" : ",") + word;
        return (*this)(&all);
    }
    template <typename Number>
    std::vector<std::string> operator()(const std::optional<Number>* target) const {
        return *target ? std::vector{fmt::format("{}", **target)} : std::vector<std::string>{};
    }
};

// "a, b or c"
std::string choices_text(const std::vector<std::string>& choices) {
    std::string text;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
        text += choices[i];
    }
    return text;
}

void check_choice(const std::string& verb, const Option& option, const std::string& value) {
    if (option.choices.empty()) return;
    const bool many = std::holds_alternative<std::vector<std::string>*>(option.target);
    for (const std::string& word : many ? split_at_commas(value) : std::vector{value})
        if (std::find(option.choices.begin(), option.choices.end(), word) == option.choices.end())
            fail_usage(verb, fmt::format("--{} takes {}, found '{}'{}", option.name, choices_text(option.choices), word,
                                         did_you_mean(word, option.choices)));
}

// An empty value is a slip of the shell ("$DIR" that is not set), not a wish.
void check_not_empty(const std::string& verb, const Option& option, const std::string& value) {
    if (option.value.empty()) return;
    if (value.empty()) fail_usage(verb, fmt::format("--{} needs a value, found an empty one", option.name));
    if (!std::holds_alternative<std::vector<std::string>*>(option.target)) return;
    if (value.front() == ',' || value.back() == ',' || value.find(",,") != std::string::npos)
        fail_usage(verb, fmt::format("--{} has an empty entry in '{}'", option.name, value));
}

// Lists grow and switches stay on; of anything else one value would be lost.
void refuse_repeated(const std::string& verb, const Option& option, std::set<std::string>& given) {
    const bool one_value = !option.value.empty() && !std::holds_alternative<std::vector<std::string>*>(option.target);
    if (!given.insert(option.name).second && one_value)
        fail_usage(verb, fmt::format("--{} is given twice", option.name));
}

std::string letters_of(const std::vector<Option>& options) {
    std::string letters = ":";  // missing values are reported as ':'
    for (const Option& option : options) {
        if (option.letter == 0) continue;
        letters += option.letter;
        if (!option.value.empty()) letters += ':';
    }
    return letters;
}

std::vector<::option> long_names(const std::vector<Option>& options) {
    std::vector<::option> names;
    names.reserve(options.size() + 1);
    for (std::size_t i = 0; i < options.size(); ++i)
        names.push_back({options[i].name.c_str(), options[i].value.empty() ? no_argument : required_argument, nullptr,
                         static_cast<int>(i) + 256});
    names.push_back({nullptr, 0, nullptr, 0});
    return names;
}

const Option& option_of(int found, const std::vector<Option>& options) {
    if (found >= 256) return options[found - 256];
    return *std::find_if(options.begin(), options.end(), [&](const Option& option) { return option.letter == found; });
}

[[noreturn]] void fail_unknown(const std::string& verb, const std::string& word, const std::vector<Option>& options) {
    std::vector<std::string> names;
    names.reserve(options.size());
    for (const Option& option : options) names.push_back("--" + option.name);
    const std::string name = word.substr(0, word.find('='));
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (known) fail_usage(verb, name + " takes no value");
    fail_usage(verb, "unknown option '" + name + "'" + did_you_mean(name, names));
}

// "--account set" of "account=set", "explore show" of "WORD=show".
std::string as_given(const std::string& entry) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) return "--" + entry;
    const std::string name = entry.substr(0, equals);
    return (name == "WORD" ? "" : "--" + name + " ") + entry.substr(equals + 1);
}

// Why a rule is broken by what is given, or "".
std::string refusal_by(const OptionRule& rule, const std::set<std::string>& given, const std::vector<Option>& options) {
    const auto is_given = [&](const std::string& entry) { return given.contains(entry); };
    const auto one = std::ranges::find_if(rule.given, is_given);
    if (one == rule.given.end() || std::ranges::any_of(rule.unless, is_given)) return "";
    if (rule.kind == OptionRule::Kind::takes_only) {
        const auto is_alien = [&](const Option& option) {
            return is_given(option.name) && std::ranges::count(rule.others, option.name) == 0 &&
                   std::ranges::count(rule.given, option.name) == 0;
        };
        const auto alien = std::ranges::find_if(options, is_alien);
        if (alien == options.end()) return "";
        return rule.why.empty() ? fmt::format("{} does not take --{}", as_given(*one), alien->name)
                                : fmt::format(fmt::runtime(rule.why), "--" + alien->name);
    }
    const auto other = std::ranges::find_if(rule.others, is_given);
    const bool needs = rule.kind == OptionRule::Kind::needs_one_of;
    if ((other != rule.others.end()) == needs) return "";
    if (!rule.why.empty()) return fmt::format(fmt::runtime(rule.why), as_given(*one));
    if (!needs) return fmt::format("{} and {} exclude each other", as_given(*one), as_given(*other));
    std::vector<std::string> wanted;
    for (const std::string& entry : rule.others) wanted.push_back(as_given(entry));
    return fmt::format("{} goes with {}", as_given(*one), choices_text(wanted));
}

}  // namespace

void fail_usage(const std::string& verb, const std::string& message) {
    throw InputError(ErrorCode::usage, {"tilewright" + (verb.empty() ? "" : " " + verb)}, message);
}

void refuse_for(const std::string& verb, const std::string& why) {
    if (!why.empty()) fail_usage(verb, why);
}

std::pair<std::string, std::string> name_and_value(const std::string& verb, const std::string& option,
                                                   const std::string& form, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        fail_usage(verb, fmt::format("{} takes {}, found '{}'", option, form, text));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> split_at_commas(const std::string& text) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = end_of_entry(text, begin);
        if (end > begin) words.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

void Options::flag(std::string name, char letter, std::string help, bool* target) {
    options_.push_back({std::move(name), letter, "", std::move(help), target, {}, "", group_});
}

Option& Options::value(std::string name, char letter, std::string value, std::string help, Option::Target target) {
    options_.push_back({std::move(name), letter, std::move(value), std::move(help), target, {}, "", group_});
    return options_.back();
}

void Options::take_words(std::string name, std::string help, std::vector<std::string>* target) {
    words_name_ = std::move(name);
    words_help_ = std::move(help);
    words_ = target;
}

void Options::parse(const std::string& verb, const std::vector<std::string>& arguments) const {
    std::vector<std::string> copy{verb};
    copy.insert(copy.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    argv.reserve(copy.size() + 1);
    for (std::string& argument : copy) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const int argc = static_cast<int>(copy.size());
    const std::string letters = letters_of(options_);
    const std::vector<::option> names = long_names(options_);

    optind = 0;  // GNU: start afresh
    opterr = 0;
    std::set<std::string> given;
    for (int found = 0; (found = getopt_long(argc, argv.data(), letters.c_str(), names.data(), nullptr)) != -1;) {
        const std::string word = argv[optind - 1];
        if (found == ':') fail_usage(verb, "'" + word + "' needs a value");
        if (found == '?') {
            if (why_unknown_ && word.starts_with("--"))
                refuse_for(verb, why_unknown_(word.substr(2, word.find('=') - 2), arguments));
            fail_unknown(verb, word.starts_with("--") ? word : std::string("-") + static_cast<char>(optopt), options_);
        }
        const Option& option = option_of(found, options_);
        const std::string value = optarg == nullptr ? "" : optarg;
        refuse_repeated(verb, option, given);
        check_not_empty(verb, option, value);
        check_choice(verb, option, value);
        std::visit(Assign{verb, option, value}, option.target);
        for (const std::string& one : split_at_commas(value)) given.insert(option.name + "=" + one);
    }
    for (int i = optind; i < argc; ++i) {
        if (words_ == nullptr) fail_usage(verb, fmt::format("takes no files, found '{}'", argv[i]));
        if (argv[i][0] == '\0') fail_usage(verb, "the name of a file is empty");
        words_->emplace_back(argv[i]);
    }
    if (words_ != nullptr && words_->empty()) refuse_for(verb, no_words_);
    if (words_ != nullptr && !words_->empty()) given.insert("WORD=" + words_->front());
    check_rules(verb, given);
}

void Options::only_with(std::vector<std::string> given, std::vector<std::string> others, std::string why) {
    rules_.push_back({std::move(given), std::move(others), OptionRule::Kind::needs_one_of, {}, std::move(why)});
}

void Options::not_with(std::vector<std::string> given, std::vector<std::string> others, std::string why) {
    rules_.push_back({std::move(given), std::move(others), OptionRule::Kind::excludes, {}, std::move(why)});
}

void Options::takes_only(std::vector<std::string> given, std::vector<std::string> others, std::string why,
                         std::vector<std::string> unless) {
    rules_.push_back(
        {std::move(given), std::move(others), OptionRule::Kind::takes_only, std::move(unless), std::move(why)});
}

void Options::check_rules(const std::string& verb, const std::set<std::string>& given) const {
    if (given.contains("help") || given.contains("help-all")) return;
    for (const OptionRule& rule : rules_) refuse_for(verb, refusal_by(rule, given, options_));
}

std::vector<std::string> Options::arguments(const std::set<std::string>& without) const {
    std::vector<std::string> all;
    for (const Option& option : options_) {
        if (without.contains(option.name)) continue;
        for (const std::string& value : std::visit(Written{}, option.target))
            all.push_back("--" + option.name + (option.value.empty() ? "" : "=" + value));
    }
    if (words_ == nullptr || words_->empty()) return all;
    all.emplace_back("--");
    all.insert(all.end(), words_->begin(), words_->end());
    return all;
}

namespace {

constexpr std::size_t kWidestLeft = 32;   ///< what is wider has its text on the next line
constexpr std::size_t kTableColumn = 14;  ///< where the second column of a table within a text begins
constexpr std::size_t kOneScreen = 16;    ///< options that --help lists whole
constexpr std::size_t kLongList = 60;     ///< options of a verb that does several things
constexpr std::size_t kFewChoices = 6;    ///< choices that the help of the common options lists

/// What most calls need: the one list of it, for all verbs.
const std::set<std::string>& common_options() {
    static const std::set<std::string> kCommon = {
        "account",   "arch",      "batch",    "best",    "bits",    "buffers",         "context", "csv",
        "density",   "dim",       "dram",     "einsum",  "extents", "factors",         "fuse",    "help",
        "help-all",  "html",      "json",     "latency", "layers",  "limit",           "mapper",  "mappers",
        "net",       "objective", "output",   "pareto",  "phase",   "prompt",          "prove",   "quiet",
        "scheduler", "set",       "simulate", "space",   "store",   "tensor-parallel", "threads", "time-limit",
        "to",        "what-if"};
    return kCommon;
}

// Breaks at spaces; every line but the first begins with `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns) {
    std::string out;
    std::size_t column = indent;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        if (column > indent && column + 1 + word.size() > columns) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
        begin = end + 1;
    }
    return out;
}

// Line by line; "NAME\tTEXT" is a row of a table.
std::string laid_out(const std::string& text, std::size_t indent, std::size_t columns) {
    std::string out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        if (begin > 0) out += "\n" + std::string(indent, ' ');
        const std::size_t tab = line.find('\t');
        out += tab == std::string::npos ? wrapped(line, indent, columns)
                                        : fmt::format("{:{}}", line.substr(0, tab), kTableColumn) +
                                              wrapped(line.substr(tab + 1), indent + kTableColumn, columns);
        begin = end + 1;
    }
    return out;
}

std::string help_line(const std::string& left, const std::string& right, std::size_t width, std::size_t columns) {
    const std::string margin(width + 4, ' ');
    const std::string first = left.size() > width ? "  " + left + "\n" + margin : fmt::format("  {:{}}  ", left, width);
    return first + laid_out(right, width + 4, columns) + "\n";
}

std::string left_of(const Option& option) {
    const std::string letter = option.letter != 0 ? fmt::format("-{}, ", option.letter) : "    ";
    return letter + "--" + option.name + (option.value.empty() ? "" : " " + option.value);
}

std::string right_of(const Option& option, bool all) {
    if (option.choices.empty()) return option.help;
    if (!all && option.choices.size() > kFewChoices)
        return fmt::format("{} ({}, ... {} in all)", option.help, option.choices.front(), option.choices.size());
    return option.help + " (" + choices_text(option.choices) + ")";
}

}  // namespace

std::string Options::help(const HelpLayout& layout) const {
    std::size_t width = 0;
    std::vector<std::string> headings;
    std::size_t left_out = 0;
    const bool all = layout.all || options_.size() <= kOneScreen;
    // What serves another kind of search or a simulation is shown where all of it is.
    const auto is_shown = [&](const Option& option) {
        const bool aside = option.group == "Dataflows" || option.group == "Simulated machine";
        return all || (common_options().contains(option.name) && !(aside && options_.size() > kLongList));
    };
    for (const Option& option : options_) {
        if (!is_shown(option)) {
            ++left_out;
            continue;
        }
        if (left_of(option).size() <= kWidestLeft) width = std::max(width, left_of(option).size());
        if (std::ranges::find(headings, option.group) == headings.end()) headings.push_back(option.group);
    }
    std::string text = words_ == nullptr ? "" : help_line(words_name_, words_help_, width, layout.columns) + "\n";
    for (const std::string& heading : headings) {
        text += heading + "\n";
        for (const Option& option : options_)
            if (option.group == heading && is_shown(option))
                text += help_line(left_of(option), right_of(option, all), width, layout.columns);
        if (all) text += "\n";
    }
    if (left_out > 0) text += fmt::format("\n--help-all describes {} more options\n", left_out);
    return text;
}

std::string Options::help(const std::set<std::string>& names, HelpLayout layout) const {
    Options some;
    for (const Option& option : options_)
        if (names.contains(option.name)) some.options_.push_back(option);
    layout.all = true;
    return some.help(layout);
}

}  // namespace tilewright::cli
