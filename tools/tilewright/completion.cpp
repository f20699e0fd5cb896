// tilewright completion: the completion script of a shell and the man page, made from the options of the verbs.

#include <fmt/format.h>

#include "output.hpp"
#include "verb.hpp"

namespace tilewright::cli {
namespace {

std::string names_of_verbs() {
    std::string names;
    for (const Verb& verb : verbs()) names += (names.empty() ? "" : " ") + verb.name;
    return names;
}

Options options_of(const Verb& verb, std::unique_ptr<Command>& keeps_targets) {
    keeps_targets = verb.make();
    Options options;
    keeps_targets->declare(options);
    return options;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

// The zoo is asked when the user presses Tab, so that the script never goes out of date.
std::string bash_values(const Option& option) {
    if (option.completes == "directory") return "compgen -d -- \"$word\"";
    if (option.completes == "arch" || option.completes == "net")
        return fmt::format(
            "compgen -W \"$(tilewright show --names {} 2>/dev/null)\" -- \"$word\"; compgen -f -- \"$word\"",
            option.completes);
    if (!option.choices.empty()) return fmt::format("compgen -W \"{}\" -- \"$word\"", joined(option.choices));
    return "";
}

std::string bash_verb(const Verb& verb) {
    std::unique_ptr<Command> command;
    const Options options = options_of(verb, command);
    std::string names = "--help";
    std::string values;
    for (const Option& option : options.all()) {
        names += " --" + option.name;
        const std::string value = bash_values(option);
        if (!value.empty()) values += fmt::format("          --{}) {} ;;\n", option.name, value);
    }
    return fmt::format(
        "      {})\n        case $before in\n{}          *) case $word in -*) compgen -W \"{}\" -- \"$word\" ;; *) "
        "compgen -f -- \"$word\" ;; "
        "esac ;;\n        esac ;;\n",
        verb.name, values, names);
}

std::string bash_script() {
    std::string text =
        "# bash completion of tilewright; source it, or put it into /usr/share/bash-completion/completions/tilewright\n"
        "_tilewright() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  mapfile -t COMPREPLY < <(\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n      compgen -W \"" +
        names_of_verbs() + " --help --version\" -- \"$word\"\n      exit\n    fi\n    case ${COMP_WORDS[1]} in\n";
    for (const Verb& verb : verbs()) text += bash_verb(verb);
    return text + "    esac)\n}\ncomplete -o filenames -F _tilewright tilewright\n";
}

// troff reads a leading '-' or '.' and every '\' in its own way.
std::string troff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '-' || c == '\\') out += '\\';
        out += c;
    }
    return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string man_verb(const Verb& verb) {
    std::unique_ptr<Command> command;
    const Options options = options_of(verb, command);
    std::string text = ".SS tilewright " + verb.name + " " + troff(verb.synopsis) + "\n" + troff(verb.summary) + "\n";
    for (const Option& option : options.all()) {
        const std::string letter = option.letter != 0 ? fmt::format("-{}, ", option.letter) : "";
        const std::string value = option.value.empty() ? "" : " " + option.value;
        const std::string choices = option.choices.empty() ? "" : " (" + joined(option.choices) + ")";
        text += fmt::format(".TP\n.B {}\n{}\n", troff(fmt::format("{}--{}{}", letter, option.name, value)),
                            troff(option.help + choices));
    }
    return text + ".PP\nExample:\n.PP\n.RS\n.B " + troff(verb.example) + "\n.RE\n";
}

std::string man_page() {
    std::string text = fmt::format(".TH TILEWRIGHT 1 \"\" \"tilewright {}\" \"User commands\"\n", TILEWRIGHT_VERSION);
    text += ".SH NAME\ntilewright \\- maps deep\\-learning layers onto accelerators\n";
    text += ".SH SYNOPSIS\n.B tilewright\nVERB [FILES] [options]\n.SH VERBS\n";
    for (const Verb& verb : verbs()) text += man_verb(verb);
    return text +
           ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nno valid answer: no legal mapping was found, or the given one "
           "is not legal\n"
           ".TP\n.B 2\nbad input or usage\n.TP\n.B 130\ninterrupted; the best so far was written\n";
}

class Completion : public Command {
   public:
    void declare(Options& options) override {
        options.take_words("bash | man", "the completion script, or the man page", &words_);
    }

    ExitStatus run() override {
        if (words_ == std::vector<std::string>{"bash"})
            print(bash_script());
        else if (words_ == std::vector<std::string>{"man"})
            print(man_page());
        else
            fail_usage("completion", "takes one word: bash or man");
        return ExitStatus::done;
    }

   private:
    std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_completion() { return std::make_unique<Completion>(); }

}  // namespace tilewright::cli
