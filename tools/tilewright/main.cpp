// tilewright <verb>: picks the verb and turns what goes wrong into one message and an exit status.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/checked.hpp"
#include "base/threads.hpp"
#include "base/version.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "terminal/terminal.hpp"

namespace tilewright::cli {

const std::vector<Verb>& verbs() {
    static const std::vector<Verb> kTable = {
        {"map", "find the best mapping of every layer of a network", "[FILES] [options]",
         "tilewright map --arch eyeriss --net resnet50 --objective edp -o out", make_map},
        {"evaluate", "cost of a given mapping", "[FILES] [options]",
         "tilewright evaluate arch.yaml problem.yaml mapping.yaml --json", make_evaluate},
        {"compare", "one mapping under several accountings, several mappers, or model and simulation",
         "[FILES] [options]", "tilewright compare arch.yaml problem.yaml mapping.yaml --account exact,timeloop",
         make_compare},
        {"show", "a machine, its energies and their sources, a network or a mapping, for people", "[FILES] [options]",
         "tilewright show --arch eyeriss --energies", make_show},
        {"explore", "design spaces: machines with varying attributes; the best machine, proven",
         "[FILES] --set NAME=VALUES [options] | show STORE | worker --store STORE | slurm --store STORE | stop STORE",
         "tilewright explore --arch simba --net alexnet --set DRAM.read_bandwidth=4..16*2", make_explore},
        {"schedule", "run layers on several cores around one scratchpad", "--arch NAME --net NAME [options]",
         "tilewright schedule --arch arch5 --net vgg16 -o out", make_schedule},
        {"llm", "serving a language model: time to the first token and of each token, room, several devices",
         "[FILES] [options]",
         "tilewright llm --arch h100 --net llama3-8b --batch 1,8,64 --prompt 512,2048 --context 8192", make_llm},
        {"tiles", "tile sizes that a compiler asks for: the best legal ones by its own rules, proven",
         "RULES | check RULES | calibrate RULES | list [options]",
         "tilewright tiles triton-nvidia --arch h100 --extents M=512,N=4096,K=4096", make_tiles},
        {"check", "read everything and report every problem", "FILES [options]",
         "tilewright check arch.yaml problem.yaml", make_check},
        {"plot", "a picture (SVG) of runs", "KIND FILES [options]",
         "tilewright plot energy out/report.json -o energy.svg", make_plot},
        {"report", "one HTML file of one run or several, side by side", "FILES [options]",
         "tilewright report out/report.json -o report.html", make_report},
        {"convert", "einsums, problem files and mappings from what was read", "[FILES] --to FORMAT [options]",
         "tilewright convert --net resnet50 --to problem -o layers", make_convert},
        {"simulate", "replay mappings or schedules cycle by cycle: network-on-chip, DRAM, overlap", "[FILES] [options]",
         "tilewright simulate --arch simba-cosa --net resnet50 --dram ddr4-2400 -o run", make_simulate},
        {"calibrate", "numbers of an accelerator from measured products; weights of --mapper cosa", "[FILES] [options]",
         "tilewright calibrate --arch h100 --from rows.csv -o own.yaml", make_calibrate},
        {"init", "a commented machine to begin with, for given sizes", "systolic | spatial | npu [options]",
         "tilewright init systolic --rows 32 --columns 32 --buffer 2MiB -o mine.yaml", make_init},
        {"completion", "the completion script of a shell, or the man page", "bash | zsh | fish | man",
         "tilewright completion bash > ~/.local/share/bash-completion/completions/tilewright", make_completion},
    };
    return kTable;
}

namespace {

std::string overview() {
    std::string text =
        "Tilewright maps deep-learning layers onto accelerators.\n\nexample: " + verbs().front().example +
        "\nusage:   tilewright VERB [FILES] [options]\n\n";
    for (const Verb& verb : verbs()) text += fmt::format("  {:10}  {}\n", verb.name, verb.summary);
    return text + "\n  tilewright VERB --help  describes a verb; tilewright --version  prints the version\n";
}

const Verb& verb_of(const std::string& name) {
    for (const Verb& verb : verbs())
        if (verb.name == name) return verb;
    std::vector<std::string> names;
    for (const Verb& verb : verbs()) names.push_back(verb.name);
    const bool option = name.starts_with('-');
    if (option) names = {"--help", "--version"};
    fail_usage("", fmt::format("unknown {} '{}'{}", option ? "option" : "verb", name, did_you_mean(name, names)));
}

bool is_among(const std::vector<std::string>& arguments, const char* word) {
    return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
}

// Lines that are too long are hard to read, on a wide terminal, too.
std::size_t help_columns() {
    constexpr std::size_t kLeast = 60;
    constexpr std::size_t kMost = 100;
    return std::clamp(terminal_columns(STDOUT_FILENO).value_or(kMost), kLeast, kMost);
}

ExitStatus run_verb(const Verb& verb, const std::vector<std::string>& arguments) {
    const std::unique_ptr<Command> command = verb.make();
    bool help = false;
    bool help_all = false;
    Options options;
    command->declare(options);
    options.group("Output");
    options.flag("help", 'h', "this text", &help);
    options.flag("help-all", 0, "every option", &help_all);
    // Help is for those who do not know the options yet: it wins over mistakes elsewhere in the line.
    help = is_among(arguments, "--help");
    help_all = is_among(arguments, "--help-all");
    if (!help && !help_all) options.parse(verb.name, arguments);
    if (!help && !help_all) return command->run();
    const HelpLayout layout{help_columns(), help_all};
    if (const std::optional<HelpAbout> about = command->help_about(arguments)) {
        print(fmt::format("tilewright {0} {1}: {2}\n\nusage:   tilewright {0} {1} {3}\n\n{4}", verb.name, about->name,
                          about->summary, about->synopsis, options.help(about->options, layout)));
        return ExitStatus::done;
    }
    print(fmt::format("tilewright {}: {}\n\nexample: {}\nusage:   tilewright {} {}\n\n{}", verb.name, verb.summary,
                      verb.example, verb.name, verb.synopsis, options.help(layout)));
    return ExitStatus::done;
}

ExitStatus run(const std::vector<std::string>& arguments) {
    if (arguments.empty()) {
        print_error(overview());
        return ExitStatus::bad_input;
    }
    const std::string& first = arguments.front();
    if (first == "help" && arguments.size() > 1) return run_verb(verb_of(arguments[1]), {"--help"});
    if (first == "--help" || first == "-h" || first == "help") {
        print(overview());
        return ExitStatus::done;
    }
    if (first == "--version") {
        print(fmt::format("tilewright {}\n", build_version()));
        return ExitStatus::done;
    }
    return run_verb(verb_of(first), {arguments.begin() + 1, arguments.end()});
}

// What could not be written to standard output (a full disk, say) is an error, not a success.
void flush_output() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        throw InputError(ErrorCode::io, {}, "cannot write to standard output");
}

ExitStatus guarded(const std::vector<std::string>& arguments) {
    try {
        const ExitStatus status = run(arguments);
        flush_output();
        return status;
    } catch (const NoAnswer& none) {
        print_error(none.what());
        return ExitStatus::no_answer;
    } catch (const InputError& error) {
        print_error(error.what());
    } catch (const OverflowError& error) {
        print_error(fmt::format("error: {} [overflow]", error.what()));
    } catch (const std::bad_alloc&) {
        print_error("error: out of memory [overflow]");
    } catch (const std::filesystem::filesystem_error& error) {
        print_error(looked_at_in_vain(error).what());
    } catch (const std::exception& error) {
        print_error(fmt::format("error: {} (this is a defect of tilewright: please report it)", error.what()));
    }
    return ExitStatus::bad_input;
}

// On a stack that is deep enough for every verb, whatever `ulimit -s` leaves the first thread.
ExitStatus with_room(const std::vector<std::string>& arguments) {
    ExitStatus status = ExitStatus::bad_input;
    try {
        DeepThread(([&] { status = guarded(arguments); })).join();
    } catch (const std::system_error&) {
        status = guarded(arguments);  // no thread is to be had
    }
    return status;
}

}  // namespace
}  // namespace tilewright::cli

int main(int argc, char** argv) { return static_cast<int>(tilewright::cli::with_room({argv + 1, argv + argc})); }
