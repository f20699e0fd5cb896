// Maps the layers of AlexNet on Eyeriss; prints what each costs, and whether that is the least.
#include <iostream>

#include <tilewright/tilewright.hpp>

using namespace tilewright;

int main() try {
    const Machine eyeriss = Machine::named("eyeriss");
    const Network network = zoo_network("alexnet");
    const NetworkProblem problem = network_problem(network, eyeriss);

    MapOptions options;  // the least energy-delay product, proven where that is quick
    options.objective = {.kind = ObjectiveKind::energy};
    AnswerCache cache;  // in memory; {.directory = ...} keeps proofs on disk
    const NetworkAnswer answer = map_network(problem, options, {.cache = &cache});

    for (std::size_t i = 0; i < problem.shapes.size(); ++i) {
        const LayerAnswer& layer = answer.layers[i];
        std::cout << problem.shapes[i].names.front() << ": ";
        if (!layer.mapping) {
            std::cout << layer.failures.front() << '\n';
            continue;
        }
        const char* const worth = layer.search->proven ? ", proven" : "";
        std::cout << layer.evaluation->energy_pj << " pJ" << worth << '\n';
    }
    const std::optional<NetworkTotals> sum = totals(problem, answer);
    if (!sum) return 1;
    std::cout << "all: " << sum->energy_pj << " pJ in " << sum->cycles << " cycles\n";
    return 0;
} catch (const InputError& error) {
    std::cerr << error.what() << '\n';
    return 2;
}
