// The options of one verb: declared once, used for parsing, --help, shell completion and the man page.
//
// Parsing is getopt_long's: options and files in any order, --name=value or --name value, -o value, `--` ends the
// options. What it does not know is a usage error that names the nearest option; so are empty values, and a second
// value of an option that takes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
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
    std::string group = {};                  ///< its heading in --help
    std::optional<std::int64_t> least = {};  ///< of a whole number
    std::optional<std::int64_t> most = {};

    Option& between(std::int64_t low, std::int64_t high) {
        least = low;
        most = high;
        return *this;
    }
    Option& at_least(std::int64_t low) {
        least = low;
        return *this;
    }
};

/// A row of a verb's table of what goes with what. An entry is an option's name, or "NAME=VALUE" where it has that
/// value; "WORD=show" is of a verb whose first word is that.
struct OptionRule {
    enum class Kind { needs_one_of, excludes, takes_only };
    std::vector<std::string> given;   ///< where any of these is given,
    std::vector<std::string> others;  ///< one of these has to be, none may be, or no other option may be
    Kind kind = Kind::needs_one_of;
    std::vector<std::string> unless;  ///< where one of these is given another refusal says more
    std::string why;  ///< the refusal; "" writes "--worth goes with --prove"; "{}" in it is the option that is refused
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

    /// Any of `given` needs one of `others`.
    void only_with(std::vector<std::string> given, std::vector<std::string> others, std::string why = "");
    /// None of `given` goes with any of `others`.
    void not_with(std::vector<std::string> given, std::vector<std::string> others, std::string why = "");
    /// Beside any of `given` no option is taken but these.
    void takes_only(std::vector<std::string> given, std::vector<std::string> others, std::string why = "",
                    std::vector<std::string> unless = {});
    /// Asked about an option that is not declared, by its name, and all that is given: its refusal, or "".
    using WhyUnknown = std::function<std::string(const std::string& name, const std::vector<std::string>& arguments)>;
    void explain_unknown(WhyUnknown why) { why_unknown_ = std::move(why); }
    /// Words have to be given.
    void needs_words(std::string why) { no_words_ = std::move(why); }

    /// Throws InputError(usage), also where a rule is broken: the first of them. `verb` is for the messages.
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
    void check_rules(const std::string& verb, const std::set<std::string>& given) const;

    std::vector<Option> options_;
    std::vector<OptionRule> rules_;
    std::string group_ = "Options";
    std::string words_name_;
    std::string words_help_;
    std::vector<std::string>* words_ = nullptr;
    std::string no_words_;
    WhyUnknown why_unknown_;
};

/// A mistake in how the program was called: "tilewright map: error: ... [usage]".
[[noreturn]] void fail_usage(const std::string& verb, const std::string& message);
/// The same where there is a reason; nothing where `why` is "".
void refuse_for(const std::string& verb, const std::string& why);

/// What `work` returns; what the library refuses without a place is a mistake in this verb's options. `option`, such as
/// "--bits: ", is whose mistake it is, of any kind: it stands before a message that does not begin with an option.
template <class Work>
auto in_the_words_of(const std::string& verb, const Work& work, const std::string& option = "") {
    try {
        return work();
    } catch (const InputError& error) {
        if (!error.where().file.empty() || (option.empty() && error.code() != ErrorCode::usage)) throw;
        fail_usage(verb, error.message().starts_with("--") ? error.message() : option + error.message());
    }
}

/// "NAME=VALUE" cut at its first '='; throws unless both are there. `form` is for the message: "OLD=NEW".
std::pair<std::string, std::string> name_and_value(const std::string& verb, const std::string& option,
                                                   const std::string& form, const std::string& text);

/// The words of `text` between commas, empty ones left out (parse() refuses them).
std::vector<std::string> split_at_commas(const std::string& text);

}  // namespace tilewright::cli
