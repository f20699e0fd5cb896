// tilewright init: a commented machine to begin with, for given sizes.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "timeloop/components/units.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "verbs/init_machines.hpp"

namespace tilewright::cli {
namespace {

constexpr const char* kInit = "init";

class Init : public Command {
   public:
    void declare(Options& options) override {
        options.take_words("KIND",
                           "what the machine is like:\n"
                           "systolic\tweights stay in an array through which inputs and partial sums move\n"
                           "spatial\telements with registers around one buffer; nothing is forbidden\n"
                           "npu\telements with a vector of multipliers and memories for each tensor",
                           &words_);
        options.group("Sizes");
        options.value("rows", 0, "N", "of the array (16)", &rows_).between(1, 65'536);
        options.value("columns", 0, "N", "of the array (16)", &columns_).between(1, 65'536);
        options.value("buffer", 0, "SIZE", "shared by all elements: 256KiB, 2MiB (256KiB)", &buffer_);
        options.value("local", 0, "SIZE", "a memory of one element, or of one column of accumulators", &local_);
        options.value("vector-lanes", 0, "N", "of a vector unit: softmax, norms, activations (none)", &vector_lanes_)
            .between(1, 65'536);
        options.value("dram-bandwidth", 0, "RATE", "25.6GB/s, 64B/cycle (25.6GB/s)", &dram_bandwidth_);
        options.value("word", 0, "BITS", "bits of an operand (8)", &bits_).between(1, 64);
        options.value("accumulator", 0, "BITS", "bits of a partial sum (32)", &accumulator_bits_).between(1, 128);
        options.value("frequency", 0, "F", "of the clock: 200MHz, 1GHz (1GHz)", &frequency_);
        options.value("technology", 0, "T", "for what is estimated: 45nm, 7nm (45nm)", &technology_);
        options.group("Output");
        options.value("output", 'o', "FILE", "write there instead of printing; an existing file stays", &file_)
            .completes = "file";
    }

    ExitStatus run() override {
        const std::vector<std::string>& kinds = starting_kinds();
        if (words_.size() != 1) fail_usage(kInit, "takes one KIND of machine: " + list_words(kinds));
        if (std::ranges::find(kinds, words_.front()) == kinds.end())
            fail_usage(kInit, fmt::format("there is no kind '{}'{}; there are {}", words_.front(),
                                          did_you_mean(words_.front(), kinds), list_words(kinds)));
        const std::string text = starting_machine(words_.front(), given());
        check(text);
        if (file_.empty()) return print(text), ExitStatus::done;
        write(text);
        return ExitStatus::done;
    }

   private:
    StartingSizes given() const {
        StartingSizes sizes;
        sizes.rows = rows_.value_or(sizes.rows);
        sizes.columns = columns_.value_or(sizes.columns);
        sizes.bits = bits_.value_or(sizes.bits);
        sizes.accumulator_bits = accumulator_bits_.value_or(sizes.accumulator_bits);
        sizes.vector_lanes = vector_lanes_.value_or(sizes.vector_lanes);
        if (!buffer_.empty()) sizes.buffer = buffer_;
        if (!local_.empty()) sizes.local = local_;
        if (!dram_bandwidth_.empty()) sizes.dram_bandwidth = dram_bandwidth_;
        if (!frequency_.empty()) sizes.frequency = frequency_;
        if (!technology_.empty()) sizes.technology = technology_;
        check_bytes(sizes.buffer, "--buffer");
        if (!sizes.local.empty()) check_bytes(sizes.local, "--local");
        return sizes;
    }

    static void check_bytes(const std::string& text, const char* option) {
        const std::optional<timeloop::Amount> amount = timeloop::amount_in(text);
        if (!amount || amount->unit != timeloop::Unit::bytes || amount->number < 1.0)
            fail_usage(kInit, fmt::format("{} takes bytes with their unit, such as 64KiB, found '{}'", option, text));
    }

    // What is written can be read: a size, a bandwidth or a clock that cannot is said as the reader says it.
    static void check(const std::string& text) {
        try {
            static_cast<void>(timeloop::read_architecture(timeloop::load_text(text, "machine")));
        } catch (const InputError& error) {  // of a text that the user has not got: without its place
            fail_usage(kInit, error.message());
        }
    }

    void write(const std::string& text) const {
        std::error_code unknown;
        if (std::filesystem::exists(file_, unknown))
            throw InputError(ErrorCode::io, {file_}, "is there already; init overwrites nothing");
        write_files("", {{std::filesystem::absolute(file_).string(), text}});
        print(fmt::format("wrote {0}\ntilewright map --arch {0} --net resnet18 maps a network on it\n",
                          file_.find('/') == std::string::npos && !file_.ends_with(".yaml") ? "./" + file_ : file_));
    }

    std::vector<std::string> words_;
    std::optional<std::int64_t> rows_;
    std::optional<std::int64_t> columns_;
    std::optional<std::int64_t> bits_;
    std::optional<std::int64_t> accumulator_bits_;
    std::optional<std::int64_t> vector_lanes_;
    std::string buffer_;
    std::string local_;
    std::string dram_bandwidth_;
    std::string frequency_;
    std::string technology_;
    std::string file_;
};

}  // namespace

std::unique_ptr<Command> make_init() { return std::make_unique<Init>(); }

}  // namespace tilewright::cli
