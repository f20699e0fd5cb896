#include "timeloop_classes.hpp"

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "cases.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "sparse_stats.hpp"
#include "timeloop/account/printed_stats.hpp"
#include "timeloop/account/timeloop.hpp"
#include "timeloop/files/stats.hpp"
#include "timeloop/sparse/sparse_account.hpp"
#include "timeloop/sparse/stats_text.hpp"
#include "timeloop_numbers.hpp"

namespace tilewright::golden {
namespace {

using nlohmann::json;

constexpr std::string_view kLetters = "PITRLO";

/// The kind by which Timeloop refuses what our readers refuse with `error`.
std::string kind_of(const InputError& error) {
    std::string kind(error_code_name(error.code()));
    std::replace(kind.begin(), kind.end(), '-', '_');
    return kind;
}

struct Verdict {
    std::string kind;
    std::string level;
    std::string message;
};

std::string to_text(const Verdict& verdict) {
    if (verdict.kind.empty()) return "accepted";
    return verdict.kind + (verdict.level.empty() ? "" : " at " + verdict.level) + " (" + verdict.message + ")";
}

/// "psum_spad.Outputs.reads", "MAC.energy (pJ)", "total.cycles".
std::string name_of(const account::PrintedFigure& figure) {
    const std::string level = figure.level.empty() ? "total" : figure.level;
    return level + (figure.tensor.empty() ? "" : "." + figure.tensor) + "." + figure.what;
}

class Checker {
   public:
    Checker(const std::filesystem::path& folder, const ClassSelection& selection)
        : folder_(folder), selection_(selection) {}

    CaseResult run() {
        if (const auto stats = stats_file(folder_)) {
            read();
            run_class(CaseClass::outputs, [&](ClassResult& result) { check_outputs(*stats, result); });
        }
        const std::optional<json> expected = recorded("expected.json");
        if (!expected || !mapping_file(folder_)) return result_;
        if (!expected->at("valid").get<bool>()) {
            run_class(CaseClass::invalid, [&](ClassResult& result) { check_refusal(*expected, result); });
            return result_;
        }
        read();
        const std::optional<json> no_links = recorded("expected_nolink.json");
        if (no_links && (!inputs_ || is_perfect(inputs_->mapping)))
            run_class(CaseClass::perfect, [&](ClassResult& result) { check_account(*no_links, result); });
        const std::optional<json> truth = recorded("truth.json");
        if (truth) run_class(CaseClass::truth, [&](ClassResult& result) { check_truth(*truth, result); });
        const std::optional<json> walked = recorded("expected_exact_nolink.json");
        if (walked && inputs_ && !is_perfect(inputs_->mapping))
            run_class(CaseClass::imperfect, [&](ClassResult& result) { check_account(*walked, result); });
        if (options_of(*expected).link_transfers)
            run_class(CaseClass::links, [&](ClassResult& result) { check_account(*expected, result); });
        return result_;
    }

   private:
    std::optional<json> recorded(const std::string& name) const { return read_json(folder_, name); }

    void read() {
        try {
            inputs_ = read_inputs(folder_);
        } catch (const InputError& error) {
            refused_ = {kind_of(error), "", error.what()};
        }
    }

    void run_class(CaseClass which, const std::function<void(ClassResult&)>& check) {
        if (!selection_.has(which)) return;
        ClassResult result{which, {}, {}, {}};
        try {
            check(result);
        } catch (const std::exception& error) {
            result.differences.push_back({"error", error.what(), ""});
        }
        result_.classes.push_back(std::move(result));
    }

    const Inputs& inputs() const {
        if (!inputs_) throw std::runtime_error(refused_.message);
        return *inputs_;
    }

    account::TimeloopResult account(const json& expected) {
        const account::TimeloopOptions options = options_of(expected);
        const auto start = std::chrono::steady_clock::now();
        account::TimeloopResult ours =
            account::timeloop(inputs().einsum, inputs().architecture, inputs().mapping, options);
        result_.account_time += std::chrono::steady_clock::now() - start;
        ++result_.account_runs;
        return ours;
    }

    void check_account(const json& expected, ClassResult& result) {
        const account::TimeloopResult ours = account(expected);
        result.undefined = ours.undefined;
        if (!ours.undefined.empty()) return;
        Differences differences;
        if (ours.refusal)
            differences.problem("refused", ours.refusal->message);
        else
            compare_account(ours, inputs(), expected, differences);
        result.differences = differences.all();
    }

    /// Every figure that was printed, to the digits printed, under the convention with which the most are equal.
    void check_outputs(const std::filesystem::path& stats, ClassResult& result) {
        if (inputs().sparse) return check_sparse_outputs(read_file(stats), result);
        const account::PrintedStats printed = timeloop::read_stats(read_file(stats), stats);
        const account::ConventionFit best = account::best_convention(
            inputs().einsum, inputs().architecture, inputs().mapping, account::TimeloopOptions{}, printed);
        Differences differences;
        if (best.refusal) differences.problem("refused", best.refusal->message);
        for (const std::string& level : best.unknown_levels) differences.problem(level, "is printed only");
        for (const account::PrintedFigure& figure : best.figures)
            if (!figure.equal)
                differences.text(name_of(figure), std::to_string(figure.counted), std::to_string(figure.printed));
        if (!best.refusal) result.remark = "the convention that fits best: " + account::summary_of(best);
        result.differences = differences.all();
    }

    /// Every line that is computed, as it was printed.
    void check_sparse_outputs(const std::string& printed, ClassResult& result) {
        const Inputs& given = inputs();
        const account::SparseResult ours =
            account::sparse_timeloop(given.einsum, given.architecture, given.mapping, *given.sparse, given.orders);
        Differences differences;
        if (ours.common.refusal) differences.problem("refused", ours.common.refusal->message);
        if (!ours.common.refusal) {
            const SparseComparison compared =
                compare_sparse_stats(account::sparse_stats(ours, given.einsum, given.architecture),
                                     account::stats_lines(printed), differences);
            result.remark = "sparse: " + std::to_string(compared.equal) + " of " + std::to_string(compared.figures) +
                            " figures are equal as printed";
        }
        result.differences = differences.all();
    }

    void check_truth(const json& truth, ClassResult& result) {
        Differences differences;
        compare_truth(evaluate(inputs().einsum, inputs().architecture, inputs().mapping), inputs(), truth, differences);
        result.differences = differences.all();
    }

    /// Both the account and the check before the default model have to refuse, for the recorded reason.
    void check_refusal(const json& expected, ClassResult& result) {
        read();
        const std::string kind = expected.at("kind");
        const auto level = expected.find("level");
        const std::string where = level != expected.end() && level->is_string() ? level->get<std::string>() : "";
        Differences differences;
        const auto compare = [&](const std::string& who, const Verdict& ours) {
            if (ours.kind != kind || ours.level != where)
                differences.text(who, to_text(ours), to_text({kind, where, expected.at("message")}));
        };
        if (!inputs_) {
            compare("reader", refused_);
        } else {
            compare("account", verdict_of(account(expected).refusal));
            const std::vector<Violation> all = check(inputs().einsum, inputs().architecture, inputs().mapping);
            compare("model", verdict_of(all.empty() ? std::nullopt : std::optional(all.front())));
        }
        result.differences = differences.all();
    }

    static Verdict verdict_of(const std::optional<Violation>& violation) {
        if (!violation) return {};
        return {violation_kind_name(violation->kind), violation->level, violation->message};
    }

    std::filesystem::path folder_;
    ClassSelection selection_;
    std::optional<Inputs> inputs_;
    Verdict refused_;  ///< why the inputs could not be read
    CaseResult result_;
};

}  // namespace

char letter_of(CaseClass which) { return kLetters[static_cast<std::size_t>(which)]; }

std::optional<CaseClass> class_of_letter(char letter) {
    const std::size_t at = kLetters.find(letter);
    if (at == std::string_view::npos) return std::nullopt;
    return static_cast<CaseClass>(at);
}

bool decides(CaseClass which) { return which != CaseClass::imperfect && which != CaseClass::links; }

bool CaseResult::failed() const {
    return std::any_of(classes.begin(), classes.end(),
                       [](const ClassResult& result) { return decides(result.which) && !result.differences.empty(); });
}

bool CaseResult::skipped() const {
    return std::none_of(classes.begin(), classes.end(),
                        [](const ClassResult& result) { return decides(result.which) && result.undefined.empty(); });
}

CaseResult check_case(const std::filesystem::path& folder, const ClassSelection& selection) {
    try {
        return Checker(folder, selection).run();
    } catch (const std::exception& error) {
        CaseResult result;
        result.classes.push_back({CaseClass::perfect, {{"case", error.what(), ""}}, {}, {}});
        return result;
    }
}

}  // namespace tilewright::golden
