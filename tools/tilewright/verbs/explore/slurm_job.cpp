#include "verbs/explore/slurm_job.hpp"

#include <fmt/format.h>

namespace tilewright::cli {
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
