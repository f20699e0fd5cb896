#include "verbs/explore/work_order.hpp"

#include <fmt/format.h>
#include <cstdlib>
#include <set>

#include "base/error.hpp"
#include "base/files/file.hpp"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;
using explore::WorkOrder;

bool is_there(const std::string& name) {
    std::error_code unknown;
    return !name.empty() && fs::is_regular_file(name, unknown);
}

// Where a word of an argument ends: "--net=a.onnx,b.onnx".
constexpr const char* kEnds = "=,";

// The words of an argument that name files.
void add_files_named(const std::string& argument, std::set<std::string>& names) {
    for (std::size_t begin = 0; begin <= argument.size();) {
        const std::size_t end = std::min(argument.find_first_of(kEnds, begin), argument.size());
        if (const std::string word = argument.substr(begin, end - begin); is_there(word)) names.insert(word);
        begin = end + 1;
    }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

// A folder of its own.
fs::path made_folder() {
    std::string name = (fs::temp_directory_path() / "tilewright-worker-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw InputError(ErrorCode::io, {name}, "cannot make a temporary folder");
    return name;
}

// Below `root`, where an absolute file or one relative to the folder of the command lies.
fs::path place_of(const fs::path& root, const WorkOrder& order, const std::string& name) {
    const fs::path whole = (fs::path("/") / order.folder / name).lexically_normal();  // nothing lies above "/"
    return root / whole.relative_path();
}

}  // namespace

WorkOrder work_order(std::vector<std::string> arguments, const std::vector<std::string>& read) {
    constexpr std::size_t kMostBytes = std::size_t{256} << 20;
    std::set<std::string> names;
    for (const std::string& argument : arguments) add_files_named(argument, names);
    for (const std::string& name : read)
        if (is_there(name)) names.insert(name);
    WorkOrder order{std::move(arguments), fs::current_path().string(), {}};
    std::size_t bytes = 0;
    for (const std::string& name : names) {
        order.files.push_back({name, read_file(name, kAnySize)});
        bytes += order.files.back().bytes.size();
        if (bytes > kMostBytes)
            throw InputError(ErrorCode::unsupported, {name},
                             fmt::format("the files of the exploration have more than {} MiB together, and the store "
                                         "keeps them for its workers: take out what no shape needs (weights)",
                                         kMostBytes >> 20));
    }
    return order;
}

WorkFolder::WorkFolder(const WorkOrder& order, std::vector<fs::path> allowed)
    : order_(order), before_(fs::current_path()), root_(made_folder()) {
    for (const WorkOrder::File& file : order.files) {
        const fs::path place = place_of(root_, order, file.name);
        fs::create_directories(place.parent_path());
        write_file(place, file.bytes);
    }
    const fs::path here = place_of(root_, order, ".");
    fs::create_directories(here);
    fs::current_path(here);
    allowed.push_back(root_);
    fence_.emplace(allowed);
}

WorkFolder::~WorkFolder() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
    fs::remove_all(root_, ignored);
}

std::vector<std::string> WorkFolder::arguments() const {
    std::vector<std::string> all = order_.arguments;
    for (std::string& argument : all)
        for (const WorkOrder::File& file : order_.files) {
            if (!fs::path(file.name).is_absolute()) continue;
            const std::string place = place_of(root_, order_, file.name).string();
            std::size_t at = 0;
            while ((at = argument.find(file.name, at)) != std::string::npos) {
                const std::size_t end = at + file.name.size();
                const bool whole = (at == 0 || argument.find_first_of(kEnds, at - 1) == at - 1) &&
                                   (end == argument.size() || argument.find_first_of(kEnds, end) == end);
                if (whole) argument.replace(at, file.name.size(), place);
                at += whole ? place.size() : 1;
            }
        }
    return all;
}

std::string WorkFolder::as_given(std::string text) const { return replaced(std::move(text), root_.string(), ""); }

std::optional<explore::Batch> RelocatedEvaluator::evaluate(const explore::Chunk& chunk, const StopSource& stop) {
    std::optional<explore::Batch> batch = inner_.evaluate(chunk, stop);
    if (batch)
        for (explore::Row& row : batch->rows) row.message = folder_.as_given(std::move(row.message));
    return batch;
}

namespace {

constexpr const char* kScript = R"(#!/bin/bash
# Workers of one exploration, written by `tilewright explore slurm` (docs/cluster.md). Options of sbatch win over these.
#SBATCH --job-name=tilewright
#SBATCH --array=1-{workers}
#SBATCH --cpus-per-task={threads}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@60
program={program}
store={store}

# Told to end, the worker gives its chunk back to the others, which does not take long.
told=
trap 'told=1; kill -TERM "$worker"; echo "told to end"' TERM
for ((start = 0; start < 100; ++start)); do
  "$program" explore worker --store "$store" --threads {threads}{lease} &
  worker=$!
  wait "$worker"
  status=$?
  if [ -n "$told" ]; then
    wait "$worker"
    exit $?
  fi
  # 0: all points are explored, or `tilewright explore stop` was given.
  if [ "$status" -eq 0 ]; then exit 0; fi
  echo "the worker ended with status $status; another one starts"
  sleep 5
done
exit "$status"
)";

// One word of bash, whatever is in it.
std::string quoted(const std::string& text) {
    std::string word = "'";
    for (const char letter : text) word += letter == '\'' ? "'\\''" : std::string(1, letter);
    return word + "'";
}

}  // namespace

std::string slurm_script(const SlurmJob& job) {
    using fmt::arg;
    return fmt::format(kScript, arg("workers", job.workers), arg("threads", job.threads),
                       arg("program", quoted(job.program)), arg("store", quoted(job.store)),
                       arg("lease", job.lease_seconds ? fmt::format(" --lease {}", *job.lease_seconds) : ""));
}

}  // namespace tilewright::cli
