#include "command_line/command_line.hpp"

#include <getopt.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace tilewright {
namespace {

/// What is wrong with the command line, in a sentence; caught by parse().
struct Mistake {
    std::string text;
};

std::vector<std::string> split(const std::string& names) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= names.size();) {
        const std::size_t end = std::min(names.find(',', begin), names.size());
        words.push_back(names.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

template <typename Number>
Number number_in(const std::string& names, const std::string& text, bool positive) {
    Number number{};
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stopped != end) throw Mistake{names + " takes a number, found '" + text + "'"};
    if (positive && !(number > Number{})) throw Mistake{names + " takes a number above zero, found '" + text + "'"};
    return number;
}

// Stores one occurrence, by the type of the target.
struct Assign {
    const std::string& names;
    const std::string& text;
    bool positive;

    void operator()(bool* target) const { *target = true; }
    void operator()(std::string* target) const { *target = text; }
    void operator()(std::filesystem::path* target) const { *target = text; }
    void operator()(std::vector<std::string>* target) const { target->push_back(text); }
    void operator()(std::vector<std::filesystem::path>* target) const { target->emplace_back(text); }
    void operator()(std::optional<std::uint64_t>* target) const {
        *target = number_in<std::uint64_t>(names, text, positive);
    }
    template <typename Number>
    void operator()(Number* target) const {
        *target = number_in<Number>(names, text, positive);
    }
};

// What a list holds before its first occurrence are defaults.
struct Forget {
    template <typename Value>
    void operator()(std::vector<Value>* target) const {
        target->clear();
    }
    template <typename Value>
    void operator()(Value* /*target*/) const {}
};

bool is_list(const CommandLine::Target& target) {
    return std::holds_alternative<std::vector<std::string>*>(target) ||
           std::holds_alternative<std::vector<std::filesystem::path>*>(target);
}

}  // namespace

struct CommandLine::Parser {
    struct Declared {
        std::string names;
        Target target;
        std::string help;
        Rule rule;
        bool given = false;

        bool is_word() const { return !names.starts_with("-"); }
        bool is_switch() const { return std::holds_alternative<bool*>(target); }
    };

    void take(Declared& option, const std::string& text) const {
        const std::vector<std::string>& choices = option.rule.choices;
        if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end())
            throw Mistake{option.names + " does not take '" + text + "'"};
        if (!option.given) std::visit(Forget{}, option.target);
        std::visit(Assign{option.names, text, option.rule.positive}, option.target);
        option.given = true;
    }

    void take_word(const std::string& text) {
        for (Declared& option : all)
            if (option.is_word() && (!option.given || is_list(option.target))) return take(option, text);
        throw Mistake{"'" + text + "' is one word too many"};
    }

    void parse(int argc, char** argv);
    std::string help_text() const;

    std::string what;
    std::vector<Declared> all;
    bool help = false;
};

// getopt_long() says which: 256 and more are the long names, in order.
void CommandLine::Parser::parse(int argc, char** argv) {
    std::vector<std::string> long_names;
    std::vector<std::size_t> owners;
    std::vector<std::size_t> owner_of_letter(256, all.size());
    std::string letters = ":";
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const std::string& name : all[i].is_word() ? std::vector<std::string>{} : split(all[i].names)) {
            if (name.starts_with("--")) {
                long_names.push_back(name.substr(2));
                owners.push_back(i);
            } else {
                owner_of_letter[static_cast<unsigned char>(name[1])] = i;
                letters += name.substr(1) + (all[i].is_switch() ? "" : ":");
            }
        }
    std::vector<::option> known;
    for (std::size_t i = 0; i < long_names.size(); ++i)
        known.push_back({long_names[i].c_str(), all[owners[i]].is_switch() ? no_argument : required_argument, nullptr,
                         256 + static_cast<int>(i)});
    known.push_back({nullptr, 0, nullptr, 0});
    optind = 0;  // GNU: start afresh
    opterr = 0;
    for (int found = 0; (found = getopt_long(argc, argv, letters.c_str(), known.data(), nullptr)) != -1;) {
        const std::string word = argv[optind - 1];
        if (found == ':') throw Mistake{"'" + word + "' needs a value"};
        if (found == '?') throw Mistake{"unknown option '" + word + "'"};
        const std::size_t owner =
            found >= 256 ? owners[found - 256] : owner_of_letter[static_cast<unsigned char>(found)];
        take(all[owner], optarg == nullptr ? "" : optarg);
    }
    for (int i = optind; i < argc; ++i) take_word(argv[i]);
    for (const Declared& option : all)
        if (option.rule.required && !option.given && !help) throw Mistake{option.names + " is required"};
}

std::string CommandLine::Parser::help_text() const {
    std::string text = what + "\n\n";
    for (const Declared& option : all) {
        text += "  " + option.names + (option.is_word() || option.is_switch() ? "" : " VALUE");
        if (!option.help.empty()) text += "\n        " + option.help;
        for (std::size_t i = 0; i < option.rule.choices.size(); ++i)
            text += (i == 0 ? "\n        one of: " : ", ") + option.rule.choices[i];
        text += "\n";
    }
    return text;
}

CommandLine::CommandLine(const std::string& what) : parser_(std::make_unique<Parser>()) {
    parser_->what = what;
    option("-h,--help", &parser_->help, "print this");
}

CommandLine::~CommandLine() = default;

void CommandLine::option(const std::string& names, Target target, const std::string& help, const Rule& rule) {
    parser_->all.push_back({names, target, help, rule});
}

std::optional<int> CommandLine::parse(int argc, const char* const* argv) {
    std::vector<std::string> copy(argv, argv + argc);  // getopt_long() moves words to the end
    std::vector<char*> words;
    for (std::string& word : copy) words.push_back(word.data());
    words.push_back(nullptr);
    try {
        parser_->parse(argc, words.data());
    } catch (const Mistake& mistake) {
        std::fputs((mistake.text + "\nRun with --help for more information.\n").c_str(), stderr);
        return 2;
    }
    if (!parser_->help) return std::nullopt;
    std::fputs(parser_->help_text().c_str(), stdout);
    return 0;
}

}  // namespace tilewright
