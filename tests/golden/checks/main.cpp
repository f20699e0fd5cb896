// golden: do we reproduce what another tool recorded?
//
//     golden --peer timeloop DIR [DIR...] [-v] [--class P,I,T,R,L,O] [--time]
//     golden --peer zigzag DIR [DIR...] [-v]
//     golden --peer maestro DIR [DIR...] [-v]
//     golden --peer zigzag-search DIR [DIR...] [--orders N] [--seeds N] [-v]
//
// DIR is one case or a folder of cases; of searches, a folder with NAME.yaml and NAME_fast.json. Cases of Timeloop may
// also be what it leaves behind, its statistics beside its input: then the convention of its versions that fits best is
// named. Ends with the line "N passed, N failed, N skipped"; the exit status is 0 when none failed, 1 when some did, 2
// for bad usage.
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cases.hpp"
#include "command_line/command_line.hpp"
#include "maestro_case.hpp"
#include "timeloop_classes.hpp"
#include "zigzag_case.hpp"
#include "zigzag_search.hpp"

namespace {

using namespace tilewright::golden;

struct Arguments {
    std::vector<std::filesystem::path> folders;
    std::string peer;
    ClassSelection selection;
    bool verbose = false;
    bool time = false;
    bool skip_absent = false;
    SearchEffort effort;
};

struct ClassTally {
    int passed = 0;
    int failed = 0;
    int undefined = 0;
};

struct Tally {
    std::array<ClassTally, kCaseClasses> classes;
    int passed = 0;
    int failed = 0;
    int skipped = 0;
    std::vector<double> milliseconds;  ///< of the account, per run
};

void print_class(const std::string& name, const ClassResult& result, bool verbose) {
    const char letter = letter_of(result.which);
    if (!result.remark.empty()) std::printf("%s %c: %s\n", name.c_str(), letter, result.remark.c_str());
    if (!result.undefined.empty()) {
        std::printf("%s %c: not compared: Timeloop's result is undefined (%s)\n", name.c_str(), letter,
                    result.undefined.c_str());
        return;
    }
    if (result.differences.empty() || !(decides(result.which) || verbose)) return;
    const std::size_t most = verbose ? 40 : 4;
    std::printf("%s %c: %zu differences: %s\n", name.c_str(), letter, result.differences.size(),
                to_text(result.differences, most).c_str());
}

void note(const CaseResult& result, Tally& tally) {
    for (const ClassResult& one : result.classes) {
        ClassTally& counts = tally.classes[static_cast<std::size_t>(one.which)];
        if (!one.undefined.empty())
            ++counts.undefined;
        else
            ++(one.differences.empty() ? counts.passed : counts.failed);
    }
    ++(result.failed() ? tally.failed : result.skipped() ? tally.skipped : tally.passed);
    if (result.account_runs > 0)
        tally.milliseconds.push_back(std::chrono::duration<double, std::milli>(result.account_time).count() /
                                     result.account_runs);
}

void print_summary(Tally& tally, const Arguments& arguments) {
    for (int i = 0; i < kCaseClasses && arguments.peer == "timeloop"; ++i) {
        const auto which = static_cast<CaseClass>(i);
        const ClassTally& counts = tally.classes[i];
        if (!arguments.selection.has(which) || counts.passed + counts.failed + counts.undefined == 0) continue;
        std::printf("class %c: %d passed, %d failed%s%s\n", letter_of(which), counts.passed, counts.failed,
                    counts.undefined > 0 ? (", " + std::to_string(counts.undefined) + " undefined").c_str() : "",
                    decides(which) ? "" : " (reported only)");
    }
    if (arguments.time && !tally.milliseconds.empty()) {
        std::sort(tally.milliseconds.begin(), tally.milliseconds.end());
        std::printf("account: median %.3f ms, slowest %.3f ms\n", tally.milliseconds[tally.milliseconds.size() / 2],
                    tally.milliseconds.back());
    }
    std::printf("%d passed, %d failed, %d skipped\n", tally.passed, tally.failed, tally.skipped);
}

void check_timeloop(const std::filesystem::path& path, const Arguments& arguments, Tally& tally) {
    const CaseResult result = check_case(path, arguments.selection);
    for (const ClassResult& one : result.classes)
        print_class(one.which == CaseClass::outputs ? path : path.filename(), one, arguments.verbose);
    note(result, tally);
}

void note(const std::filesystem::path& path, const Differences& differences, const Arguments& arguments, Tally& tally) {
    ++(differences.empty() ? tally.passed : tally.failed);
    if (differences.empty()) return;
    std::printf("%s: %zu differences: %s\n", path.filename().c_str(), differences.all().size(),
                to_text(differences.all(), arguments.verbose ? 40 : 4).c_str());
}

void check_zigzag(const std::filesystem::path& path, const Arguments& arguments, Tally& tally) {
    note(path, check_zigzag_case(path), arguments, tally);
}

void check_maestro(const std::filesystem::path& path, const Arguments& arguments, Tally& tally) {
    note(path, check_maestro_case(path), arguments, tally);
}

void check_searches(const std::filesystem::path& stem, const Arguments& arguments, Tally& tally) {
    HitRates rates;
    for (const SearchCase& one : read_searches(stem)) {
        const Differences differences = check_search(one, arguments.effort, rates);
        ++(differences.empty() ? tally.passed : tally.failed);
        if (!differences.empty()) std::printf("%s: %s\n", one.name.c_str(), to_text(differences.all(), 10).c_str());
    }
    std::printf("%s: %s\n", stem.filename().c_str(), to_text(rates).c_str());
}

std::vector<std::filesystem::path> or_complain(std::vector<std::filesystem::path> cases, const char* what,
                                               const std::filesystem::path& folder) {
    if (cases.empty()) std::fprintf(stderr, "golden: no case (%s) in '%s'\n", what, folder.c_str());
    return cases;
}

/// The folders of cases in `folder`; says why there are none.
std::vector<std::filesystem::path> find_cases(const std::filesystem::path& folder, const std::string& peer) {
    if (!std::filesystem::is_directory(folder)) {
        std::fprintf(stderr, "golden: there is no folder '%s'\n", folder.c_str());
        return {};
    }
    if (peer == "zigzag-search") return or_complain(searches_in(folder), "a file NAME_fast.json", folder);
    if (peer == "maestro")
        return or_complain(maestro_cases_in(folder), "a folder with mapping.m and expected.json", folder);
    if (peer == "zigzag")
        return or_complain(zigzag_cases_in(folder), "a folder with accelerator.yaml and mapping.json", folder);
    return or_complain(cases_in(folder),
                       "a folder with a problem.yaml, or with parsed-processed-input.yaml and stats.txt", folder);
}

int run(const Arguments& arguments) {
    Tally tally;
    for (const std::filesystem::path& folder : arguments.folders) {
        if (!std::filesystem::exists(folder) && arguments.skip_absent) {
            std::printf("skipped: there is no folder '%s'\n", folder.c_str());
            continue;
        }
        const std::vector<std::filesystem::path> cases = find_cases(folder, arguments.peer);
        if (cases.empty()) return 2;
        const auto check = arguments.peer == "zigzag-search" ? check_searches
                           : arguments.peer == "zigzag"      ? check_zigzag
                           : arguments.peer == "maestro"     ? check_maestro
                                                             : check_timeloop;
        for (const std::filesystem::path& path : cases) check(path, arguments, tally);
    }
    print_summary(tally, arguments);
    return tally.failed == 0 ? 0 : 1;
}

std::string select_classes(const std::string& text, ClassSelection& selection) {
    selection.wanted.fill(false);
    for (const char letter : text) {
        if (letter == ',' || letter == ' ') continue;
        const std::optional<CaseClass> which = class_of_letter(letter);
        if (!which) return "unknown class '" + std::string(1, letter) + "'; the classes are P, I, T, R, L and O";
        selection.wanted[static_cast<std::size_t>(*which)] = true;
    }
    return "";
}

}  // namespace

int main(int argc, char** argv) {
    tilewright::CommandLine line("Checks Tilewright against recorded numbers of other tools");
    Arguments arguments;
    std::string classes;
    line.option("--peer", &arguments.peer, "whose records",
                {.choices = {"timeloop", "zigzag", "zigzag-search", "maestro"}, .required = true});
    line.option("DIR", &arguments.folders, "a case or a folder of cases", {.required = true});
    line.option("-v,--verbose", &arguments.verbose, "more differences per case, and those of the classes R and L");
    line.option("--class", &classes, "only these classes, of P,I,T,R,L,O");
    line.option("--skip-absent", &arguments.skip_absent, "a folder that does not exist is skipped, with a word");
    line.option("--time", &arguments.time, "how long the account took");
    line.option("--orders", &arguments.effort.most_orders,
                "of searches: repeat enumerations of at most so many orders");
    line.option("--seeds", &arguments.effort.seeds,
                "of searches: the best of so many has to be as good as the best known", {.positive = true});
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    if (!classes.empty()) {
        if (const std::string problem = select_classes(classes, arguments.selection); !problem.empty()) {
            std::fprintf(stderr, "golden: %s\n", problem.c_str());
            return 2;
        }
    }
    return run(arguments);
}
