// The options of one verb: declared once, used for parsing, --help, shell completion and the man page.
//
// Parsing is getopt_long's: options and files in any order, --name=value or --name value, -o value, `--` ends the
// options. What it does not know is a usage error that names the nearest option; so are empty values, and a second
// value of an option that takes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace tilewright::cli {

struct Option {
    using Target = std::variant<bool*, std::string*, std::optional<std::int64_t>*, std::optional<double>*,
                                std::vector<std::string>*>;
    std::string name;                  ///< "objective", without the dashes
    char letter = 0;                   ///< 'o' for -o, 0 for none
    std::string value;                 ///< what it takes, in capitals for --help; "" for a switch
    std::string help;                  ///< one line
    Target target;                     ///< where parse() puts it; a vector collects every occurrence, split at commas
    std::vector<std::string> choices;  ///< the only allowed values; empty: anything
    std::string
        completes;  ///< what a shell completes: "file", "directory", "arch", "net", "objective" or "" (the choices)
    std::string group = {};  ///< its heading in --help
};

/// How --help is set out.
struct HelpLayout {
    std::size_t columns = 100;
    bool all = false;  ///< else, of a verb of many options, those that most calls need
};

class Options {
   public:
    /// The heading, in --help, of the options that are declared from here on: "Machine". Those of one heading stand
    /// together, in the order in which headings come up; those before any are "Options".
    void group(std::string heading) { group_ = std::move(heading); }
    /// A switch; no letter: 0.
    void flag(std::string name, char letter, std::string help, bool* target);
    /// An option that takes a value. The result lives until the next option is added; for its choices and completion.
    Option& value(std::string name, char letter, std::string value, std::string help, Option::Target target);
    /// Files and other words that are not options. Without this a verb takes none. Of `help`, a line "NAME\tTEXT" is a
    /// row of a table.
    void take_words(std::string name, std::string help, std::vector<std::string>* target);

    /// Throws InputError(usage). `verb` is for the messages.
    void parse(const std::string& verb, const std::vector<std::string>& arguments) const;

    /// What was given, in one form: "--name=value" by the order of the table, then the words. Parsed again it is the
    /// same. Options of these names are left out.
    std::vector<std::string> arguments(const std::set<std::string>& without) const;

    /// Options under their headings.
    std::string help(const HelpLayout& layout) const;
    /// These of them, and without words.
    std::string help(const std::set<std::string>& names, HelpLayout layout) const;
    const std::vector<Option>& all() const { return options_; }

   private:
    std::vector<Option> options_;
    std::string group_ = "Options";
    std::string words_name_;
    std::string words_help_;
    std::vector<std::string>* words_ = nullptr;
};

/// A mistake in how the program was called: "tilewright map: error: ... [usage]".
[[noreturn]] void fail_usage(const std::string& verb, const std::string& message);

/// What `work` returns; what the library refuses without a place is a mistake in this verb's options.
template <class Work>
auto in_the_words_of(const std::string& verb, const Work& work) {
    try {
        return work();
    } catch (const InputError& error) {
        if (error.code() != ErrorCode::usage || !error.where().file.empty()) throw;
        fail_usage(verb, error.message());
    }
}

/// The words of `text` between commas, empty ones left out (parse() refuses them).
std::vector<std::string> split_at_commas(const std::string& text);

}  // namespace tilewright::cli
