// tilewright completion: the completion script of a shell and the man page, made from the options of the verbs.

#include <fmt/format.h>

#include "base/version.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"

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

std::string words_text(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

// What an option that takes words has for them: a command that prints them, one a line, or the words; "" for files and
// anything else. The zoo is asked when the user presses Tab, so that scripts never go out of date.
std::string words_of(const Option& option) {
    if (option.completes == "arch" || option.completes == "net")
        return fmt::format("$(tilewright show --names {} 2>/dev/null)", option.completes);
    if (option.completes == "objective") return "energy latency edp ed2p pareto";
    return words_text(option.choices);
}

bool takes_files(const Option& option) {
    return option.completes == "arch" || option.completes == "net" || option.completes == "file";
}

// In a list the words after the last comma are completed.
std::string bash_values(const Option& option) {
    if (option.completes == "directory") return "compgen -d -- \"$word\"";
    const std::string words = words_of(option);
    std::string text = words.empty() ? "" : fmt::format("compgen -P \"$list\" -W \"{}\" -- \"$last\"", words);
    if (takes_files(option)) text += (text.empty() ? "" : "; ") + std::string("compgen -f -- \"$word\"");
    return text;
}

// "-a|--arch"
std::string bash_names(const Option& option) {
    return (option.letter != 0 ? fmt::format("-{}|", option.letter) : "") + "--" + option.name;
}

std::string bash_verb(const Verb& verb) {
    std::unique_ptr<Command> command;
    const Options options = options_of(verb, command);
    std::string names = "--help --help-all";
    std::string values;
    for (const Option& option : options.all()) {
        names += " --" + option.name;
        const std::string value = bash_values(option);
        if (!value.empty()) values += fmt::format("          {}) {} ;;\n", bash_names(option), value);
    }
    return fmt::format(
        "      {})\n        case $before in\n{}          *) case $word in -*) compgen -W \"{}\" -- \"$word\" ;; *) "
        "compgen -f -- \"$word\" ;; "
        "esac ;;\n        esac ;;\n",
        verb.name, values, names);
}

// Bash cuts words at '=': --arch=eye is three of them.
std::string bash_script() {
    std::string text =
        "# bash completion of tilewright; source it, or put it into /usr/share/bash-completion/completions/tilewright\n"
        "_tilewright() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  [ \"$word\" = = ] && word= before==\n"
        "  if [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n  fi\n"
        "  local last=${word##*,} list=\n  [ \"$last\" = \"$word\" ] || list=${word%\"$last\"}\n"
        "  mapfile -t COMPREPLY < <(\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n      compgen -W \"" +
        names_of_verbs() + " --help --version\" -- \"$word\"\n      exit\n    fi\n    case ${COMP_WORDS[1]} in\n";
    for (const Verb& verb : verbs()) text += bash_verb(verb);
    return text + "    esac)\n}\ncomplete -o filenames -F _tilewright tilewright\n";
}

// As it stands inside single quotes; what `special` has gets a backslash.
std::string escaped(const std::string& text, const std::string& special) {
    std::string out;
    for (const char c : text) {
        if (special.find(c) != std::string::npos) out += '\\';
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out;
}

std::string quoted(const std::string& text, const std::string& special) { return "'" + escaped(text, special) + "'"; }

constexpr const char* kZshSpecial = "[]:\\";

std::string zsh_values(const Option& option) {
    if (option.completes == "directory") return "_files -/";
    const std::string words = words_of(option);
    if (words.empty()) return "_files";
    const std::string files = takes_files(option) ? "1" : "0";
    // Behind a space: _arguments would put words of its own in front of the function's.
    return fmt::format(" _tilewright_words {} {}", files, words.starts_with("$(") ? option.completes : words);
}

std::string zsh_option(const Option& option) {
    const std::string text = escaped(option.help, kZshSpecial);
    const std::string value =
        option.value.empty() ? "" : ":" + escaped(option.value, kZshSpecial) + ":" + zsh_values(option);
    const std::string equals = option.value.empty() ? "" : "=";
    std::string line = fmt::format("        '--{}{}[{}]{}' \\\n", option.name, equals, text, value);
    if (option.letter != 0) line += fmt::format("        '-{}[{}]{}' \\\n", option.letter, text, value);
    return line;
}

std::string zsh_script() {
    std::string text =
        "#compdef tilewright\n"
        "# zsh completion of tilewright; put it into a folder of $fpath as _tilewright\n"
        "_tilewright_words() {  # files or not, then words, or arch or net for those of the zoo\n"
        "  local files=$1; shift\n  local -a found\n"
        "  case $1 in arch|net) found=(${(f)\"$(tilewright show --names $1 2>/dev/null)\"}) ;; *) found=($@) ;; esac\n"
        "  compset -P '*,'\n  compadd -a found\n  [[ $files == 1 ]] && _files\n}\n"
        "_tilewright() {\n  local -a verbs=(\n";
    for (const Verb& verb : verbs()) text += "    " + quoted(verb.name + ":" + verb.summary, "") + "\n";
    // In quotes: the word under way may be empty.
    text +=
        "  )\n  if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n  local verb=$words[2]\n"
        "  words=(tilewright \"${(@)words[3,-1]}\"); (( CURRENT-- ))\n  case $verb in\n";
    for (const Verb& verb : verbs()) {
        std::unique_ptr<Command> command;
        const Options options = options_of(verb, command);
        text += "    " + verb.name + ")\n      _arguments \\\n";
        for (const Option& option : options.all()) text += zsh_option(option);
        text += "        '*:file:_files' ;;\n";
    }
    return text + "  esac\n}\n_tilewright \"$@\"\n";
}

std::string fish_option(const Verb& verb, const Option& option) {
    std::string line =
        fmt::format("complete -c tilewright -n '__fish_seen_subcommand_from {}' -l {}", verb.name, option.name);
    if (option.letter != 0) line += fmt::format(" -s {}", option.letter);
    if (!option.value.empty()) {
        const std::string words = words_of(option);
        const bool files = words.empty() || takes_files(option);
        line += files ? " -r -F" : " -x";
        // $(...) is (...) in fish.
        const std::string found = words.starts_with("$(") ? words.substr(1) : words;
        if (!words.empty()) line += " -a " + quoted("(__tilewright_words " + found + ")", "");
    }
    return line + " -d " + quoted(option.help, "\\") + "\n";
}

std::string fish_script() {
    // In a list the words after the last comma are completed; what stands before them is part of each.
    std::string text =
        "# fish completion of tilewright; put it into ~/.config/fish/completions/tilewright.fish\n"
        "function __tilewright_words\n"
        "  set -l token (string replace -r -- '^--[a-z-]+=' '' (commandline -ct))\n"
        "  set -l before (string match -r -- '.*,' \"$token\")\n"
        "  for word in $argv\n    echo -- \"$before$word\"\n  end\nend\n";
    for (const Verb& verb : verbs())
        text += fmt::format("complete -c tilewright -n __fish_use_subcommand -f -a {} -d {}\n", verb.name,
                            quoted(verb.summary, "\\"));
    for (const Verb& verb : verbs()) {
        std::unique_ptr<Command> command;
        const Options options = options_of(verb, command);
        for (const Option& option : options.all()) text += fish_option(verb, option);
    }
    return text;
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
        const std::string choices = option.choices.empty() ? "" : " (" + words_text(option.choices) + ")";
        text += fmt::format(".TP\n.B {}\n{}\n", troff(fmt::format("{}--{}{}", letter, option.name, value)),
                            troff(option.help + choices));
    }
    return text + ".PP\nExample:\n.PP\n.RS\n.B " + troff(verb.example) + "\n.RE\n";
}

std::string man_page() {
    std::string text = fmt::format(".TH TILEWRIGHT 1 \"\" \"tilewright {}\" \"User commands\"\n", version());
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
        options.take_words("bash | zsh | fish | man", "the completion script of a shell, or the man page", &words_);
    }

    ExitStatus run() override {
        if (words_ == std::vector<std::string>{"bash"})
            print(bash_script());
        else if (words_ == std::vector<std::string>{"zsh"})
            print(zsh_script());
        else if (words_ == std::vector<std::string>{"fish"})
            print(fish_script());
        else if (words_ == std::vector<std::string>{"man"})
            print(man_page());
        else
            fail_usage("completion", "takes one word: bash, zsh, fish or man");
        return ExitStatus::done;
    }

   private:
    std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_completion() { return std::make_unique<Completion>(); }

}  // namespace tilewright::cli
