#include "native/answered.hpp"

#include "native/problem_json.hpp"

namespace tilewright::native {
namespace {

using certificate::Answer;

Json json_of(const Answer& answer, const LayerProblem& plain) {
    return {{"energy_pj", answer.cost.energy_pj},
            {"cycles", answer.cost.cycles},
            {"mapping", native::json_of(answer.mapping, plain.einsum, plain.architecture)}};
}

Answer answer_of(const yaml::Node& node, const LayerProblem& plain) {
    Answer answer;
    Reader::read(node.at("energy_pj"), answer.cost.energy_pj);
    Reader::read(node.at("cycles"), answer.cost.cycles);
    answer.mapping = native::mapping_of(node.at("mapping"), plain.einsum, plain.architecture);
    return answer;
}

void numbers(yaml::Archive& archive, Answered& answered) {
    archive("evaluations", answered.evaluations);
    archive("valid", answered.valid);
    archive("sampled", answered.sampled);
    archive("stopped_by", answered.stopped_by);
    archive("space", answered.space);
    archive("lower_bound", answered.lower_bound);
    archive("claim", answered.claim);
}

}  // namespace

std::string write_answered(const Answered& answered, const LayerProblem& problem) {
    const LayerProblem plain = without_names(problem);
    Answered written = answered;
    Json json = Writer::listed([&](yaml::Archive& archive) { numbers(archive, written); });
    json["best"] = json_of(answered.best, plain);
    json["front"] = Json::array();
    for (const Answer& answer : answered.front) json["front"].push_back(json_of(answer, plain));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Answered read_answered(const std::string& text, const LayerProblem& problem) {
    const LayerProblem plain = without_names(problem);
    const yaml::Node root = yaml::parse_text(text);
    Answered answered;
    Reader::listed(root, [&](yaml::Archive& archive) { numbers(archive, answered); });
    answered.best = answer_of(root.at("best"), plain);
    for (const yaml::Node& item : list_of(root.at("front"))) answered.front.push_back(answer_of(item, plain));
    return answered;
}

}  // namespace tilewright::native
