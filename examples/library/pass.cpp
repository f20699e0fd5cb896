// A pass of a compiler: 3,000 operations of 40 shapes get mappings, on four threads with one cache, each within a
// budget and all of them until another thread says stop (pass 1000: once 1,000 have theirs). Prints answers a second.
#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <tilewright/tilewright.hpp>

using namespace tilewright;

namespace {

constexpr std::size_t kOperations = 3000;
constexpr std::size_t kShapes = 40;
constexpr int kThreads = 4;

/// What a pass is given: an operation is a product of matrices or a convolution, and most are like others.
std::vector<Einsum> operations() {
    std::vector<Einsum> shapes;
    for (std::int64_t i = 1; i <= static_cast<std::int64_t>(kShapes) / 2; ++i) {
        shapes.push_back(batched_matmul(1, 16 * i, 64, 128));
        shapes.push_back(conv2d(16, 8 * i, 14, 3));
    }
    std::vector<Einsum> all;
    for (std::size_t i = 0; i < kOperations; ++i) all.push_back(shapes[i * 7 % shapes.size()]);
    return all;
}

class Pass {
   public:
    explicit Pass(std::size_t enough) : operations_(operations()), answers_(operations_.size()), enough_(enough) {
        options_.threads = 1;                      // the pass has threads of its own
        options_.layer_time_limit_seconds = 10.0;  // of each; most take a hundredth of a second
    }

    void run() {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i) threads.emplace_back([this] { work(); });
    }

    std::size_t done() const { return done_; }
    bool stopped() const { return stop_.requested(); }
    std::int64_t known() const { return cache_.found(); }
    double energy_pj() const {
        double sum = 0.0;
        for (const LayerAnswer& answer : answers_)
            if (answer.evaluation) sum += answer.evaluation->energy_pj;
        return sum;
    }

   private:
    void work() {
        for (std::size_t i = next_++; i < operations_.size() && !stop_.requested(); i = next_++) {
            answers_[i] = answer_to(layer_problem(operations_[i], machine_));
            if (answers_[i].mapping) ++done_;
            if (done_ >= enough_) stop_.request();
        }
    }

    LayerAnswer answer_to(const LayerProblem& problem) {
        if (std::optional<LayerAnswer> known = cache_.find(problem, options_)) return *std::move(known);
        LayerAnswer answer = map_layer(problem, options_, {.stop = &stop_});
        cache_.keep(problem, options_, answer, !stop_.requested());
        return answer;
    }

    const Machine machine_ = Machine::named("eyeriss");
    const std::vector<Einsum> operations_;
    std::vector<LayerAnswer> answers_;  ///< by operation
    const std::size_t enough_;
    MapOptions options_;
    AnswerCache cache_;
    StopSource stop_;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::size_t> done_{0};
};

}  // namespace

int main(int count, char** arguments) try {
    const std::size_t enough = count > 1 ? std::stoul(arguments[1]) : kOperations + 1;
    Pass pass(enough);
    const auto begin = std::chrono::steady_clock::now();
    pass.run();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::cout << pass.done() << " of " << kOperations << " operations mapped" << (pass.stopped() ? ", stopped" : "")
              << "; " << pass.known() << " answers were known\n"
              << static_cast<std::size_t>(static_cast<double>(pass.done()) / seconds) << " answers a second\n"
              << pass.energy_pj() * 1e-6 << " uJ\n";
    return pass.done() == kOperations || pass.stopped() ? 0 : 1;
} catch (const InputError& error) {
    std::cerr << error.what() << '\n';
    return 2;
}
