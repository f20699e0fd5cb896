#include <algorithm>

#include "base/numbers/checked.hpp"
#include "schedule/validation/validate.hpp"

namespace tilewright::schedule {
namespace {

// The judge of staying tensors; shares no code with their selection.
class StayingJudge {
   public:
    StayingJudge(const MultiNpu& machine, const std::vector<NetworkStep>& steps,
                 const std::vector<StayingTensor>& tensors)
        : machine_(machine), steps_(steps), tensors_(tensors) {}

    std::vector<Finding> run() {
        for (std::size_t s = 0; s < steps_.size(); ++s)
            if (!problem_with(steps_[s].layer).empty())
                report(Fault::bad_problem, step_at(s), problem_with(steps_[s].layer));
        for (std::size_t t = 0; t < tensors_.size(); ++t) check_steps(t);
        if (!findings_.empty()) return std::move(findings_);
        for (std::size_t t = 0; t < tensors_.size(); ++t) check_tensor(t);
        for (std::size_t s = 0; s < steps_.size(); ++s) check_step(s);
        return std::move(findings_);
    }

   private:
    static std::string tensor_at(std::size_t index) { return "staying[" + std::to_string(index) + "]"; }
    static std::string step_at(std::size_t index) { return "order[" + std::to_string(index) + "]"; }
    void report(Fault fault, std::string place, std::string message) {
        findings_.push_back({fault, std::move(place), std::move(message)});
    }
    const NetworkStep& maker(const StayingTensor& tensor) const { return steps_[tensor.step]; }

    void check_steps(std::size_t t) {
        const StayingTensor& one = tensors_[t];
        const auto count = static_cast<int>(steps_.size());
        if (one.step < 0 || one.step >= count)
            return report(Fault::unknown_step, tensor_at(t), "no such layer makes it");
        if (one.readers.empty()) return report(Fault::unknown_step, tensor_at(t), "no operation reads it");
        for (const int reader : one.readers)
            if (reader <= one.step || reader >= count)
                return report(Fault::unknown_step, tensor_at(t), "it is read by a layer that does not come after it");
    }

    void check_tensor(std::size_t t) {
        const StayingTensor& one = tensors_[t];
        const ConvLayer& l = maker(one).layer;
        std::int64_t bits = bits_of(l.bits.output, machine_.element_bytes.output);
        for (const std::int64_t factor : {l.out_w, l.out_h, l.out_c, maker(one).groups})
            bits = checked_mul(bits, factor);
        const std::int64_t bytes = checked_add(bits, 7) / 8;
        if (one.bytes != bytes)
            report(Fault::wrong_tensor, tensor_at(t), "the output has " + std::to_string(bytes) + " bytes");
        for (const int reader : one.readers)
            if (bits_of(steps_[reader].layer.bits.input, machine_.element_bytes.input) !=
                bits_of(l.bits.output, machine_.element_bytes.output))
                return report(Fault::wrong_tensor, tensor_at(t), "outputs and inputs differ in bytes per element");
        if (one.address < 0 || one.bytes > machine_.scratchpad_bytes ||
            one.address > machine_.scratchpad_bytes - one.bytes)
            return report(Fault::no_room, tensor_at(t), "it does not lie in the scratchpad");
        for (std::size_t other = 0; other < t; ++other)
            if (together(one, tensors_[other]) && one.address < tensors_[other].address + tensors_[other].bytes &&
                tensors_[other].address < one.address + one.bytes)
                report(Fault::overlapping_tensors, tensor_at(t), "it overlaps " + tensor_at(other));
    }

    static std::int64_t bits_of(std::int64_t own, std::int64_t bytes) { return own > 0 ? own : 8 * bytes; }
    static int last(const StayingTensor& one) { return *std::max_element(one.readers.begin(), one.readers.end()); }
    static bool together(const StayingTensor& a, const StayingTensor& b) {
        return a.step <= last(b) && b.step <= last(a);
    }

    void check_step(std::size_t s) {
        const NetworkStep& step = steps_[s];
        const auto index = static_cast<int>(s);
        bool made = false;
        std::int64_t channels = 0;
        for (std::size_t t = 0; t < tensors_.size(); ++t) {
            const StayingTensor& one = tensors_[t];
            made = made || one.step == index;
            if (std::find(one.readers.begin(), one.readers.end(), index) != one.readers.end()) {
                channels = checked_add(channels, checked_mul(maker(one).layer.out_c, maker(one).groups));
                check_read(s, one);
            }
            if (one.step > index || last(one) < index) continue;
            const std::int64_t own_end = machine_.scratchpad_bytes - step.layer.kept.above_bytes;
            if (one.address < own_end && one.address + one.bytes > step.layer.kept.below_bytes)
                report(Fault::no_room, step_at(s), tensor_at(t) + " lies where the tiles of this layer are");
        }
        if (made != step.layer.kept.output)
            report(Fault::undeclared, step_at(s),
                   made ? "its output stays, and it stores it" : "no tensor is its output");
        if ((channels > 0) != step.layer.kept.input)
            report(Fault::undeclared, step_at(s),
                   channels > 0 ? "it loads an input that stays" : "no tensor that stays is its input");
        else if (channels > 0 && channels != checked_mul(step.layer.in_c, step.groups))
            report(Fault::not_what_is_read, step_at(s),
                   "what it reads has " + std::to_string(channels) + " channels, its input " +
                       std::to_string(checked_mul(step.layer.in_c, step.groups)));
    }

    void check_read(std::size_t s, const StayingTensor& one) {
        const ConvLayer& l = steps_[s].layer;
        const ConvLayer& from = maker(one).layer;
        const bool whole = fits_along(from.out_w, l.out_w, l.stride_w, (l.kernel_w - 1) * l.dilation_w) &&
                           fits_along(from.out_h, l.out_h, l.stride_h, (l.kernel_h - 1) * l.dilation_h) &&
                           maker(one).images == steps_[s].images && maker(one).repeats == steps_[s].repeats;
        if (!whole)
            report(Fault::not_what_is_read, step_at(s),
                   "its input has another size than what " + step_at(static_cast<std::size_t>(one.step)) + " leaves");
    }

    // Whether an axis of `made` points, padded by up to `reach`, serves this many positions.
    static bool fits_along(std::int64_t made, std::int64_t positions, std::int64_t stride, std::int64_t reach) {
        const std::int64_t without_halo = (positions - 1) * stride + 1;
        return made >= without_halo && made - reach < without_halo + stride;
    }

    const MultiNpu& machine_;
    const std::vector<NetworkStep>& steps_;
    const std::vector<StayingTensor>& tensors_;
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> validate_staying(const MultiNpu& machine, const std::vector<NetworkStep>& steps,
                                      const std::vector<StayingTensor>& tensors) {
    return StayingJudge(machine, steps, tensors).run();
}

}  // namespace tilewright::schedule
