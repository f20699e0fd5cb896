// Reasons for not mapping non-contractions.
#include "onnx/graph/graph.hpp"
#include "onnx/graph/messages.hpp"
#include "onnx/operators/lower.hpp"
#include "onnx/operators/microsoft.hpp"

namespace tilewright::onnx {
namespace {

struct Family {
    const char* reason;
    bool computes;  ///< on the elements of its inputs
    WordSet operators;
};

const std::vector<Family>& families() {
    static const std::vector<Family> kFamilies{
        {"works element by element", true,
         WordSet("Abs Acos Acosh Add And Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor "
                 "Cast CastLike Ceil Celu Clip Cos Cosh Div Elu Equal Erf Exp Floor Gelu Greater GreaterOrEqual "
                 "HardSigmoid HardSwish IsInf IsNaN LeakyRelu Less LessOrEqual Log Max Mean Min Mish Mod Mul Neg Not "
                 "Or PRelu Pow Reciprocal Relu RotaryEmbedding Round Selu Shrink Sigmoid Sign Sin Sinh Softplus "
                 "Softsign Sqrt Sub Sum "
                 "Swish Tan Tanh ThresholdedRelu Where Xor")},
        {"only moves data", false,
         WordSet("CenterCropPad Col2Im Compress Concat DepthToSpace Expand Flatten Gather GatherElements GatherND "
                 "Identity Pad Reshape Resize ReverseSequence Scatter ScatterElements ScatterND Slice SpaceToDepth "
                 "Split Squeeze Tile Transpose Trilu Unsqueeze Upsample")},
        {"normalises", true,
         WordSet("BatchNormalization GroupNormalization Hardmax InstanceNormalization LRN LayerNormalization "
                 "LogSoftmax LpNormalization MeanVarianceNormalization RMSNormalization Softmax")},
        {"pools or reduces", true,
         WordSet("ArgMax ArgMin AveragePool CumSum GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool "
                 "MaxRoiPool MaxUnpool ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
                 "ReduceProd ReduceSum ReduceSumSquare RoiAlign TopK")},
        {"is a constant or computes a shape", false,
         WordSet("Constant ConstantOfShape EyeLike OneHot Range Shape Size")},
        {"changes the number format", false, WordSet("DequantizeLinear DynamicQuantizeLinear QuantizeLinear")},
        {"does nothing at inference", false, WordSet("Dropout")},
        {"is control flow: how often its body runs is not known", false, WordSet("If Loop Scan SequenceMap")},
        {"is a fused operator with products inside; export the model with it decomposed", false,
         WordSet("DeformConv DFT STFT")},
    };
    return kFamilies;
}

/// Of ONNX Runtime's domain com.microsoft.
const std::vector<Family>& families_of_microsoft() {
    static const std::vector<Family> kFamilies{
        {"works element by element", true,
         WordSet("BiasAdd BiasGelu BiasSplitGelu BiasSoftmax FastGelu Gelu QLinearAdd QLinearLeakyRelu QLinearMul "
                 "QLinearSigmoid QuickGelu RotaryEmbedding")},
        {"normalises", true,
         WordSet("EmbedLayerNormalization GroupNorm LayerNormalization QLinearSoftmax SimplifiedLayerNormalization "
                 "SkipGroupNorm SkipLayerNormalization SkipSimplifiedLayerNormalization")},
        {"pools or reduces", true,
         WordSet("NhwcMaxPool QLinearAveragePool QLinearGlobalAveragePool QLinearReduceMean")},
        {"only moves data", false, WordSet("GatherBlockQuantized QLinearConcat QLinearWhere")},
        {"changes the number format", false, WordSet("DequantizeLinear QuantizeLinear")},
        {"is a fused operator with products inside; export the model with it decomposed", false,
         WordSet("DecoderMaskedMultiHeadAttention DecoderMaskedSelfAttention DecoderAttention LongformerAttention MoE "
                 "NhwcFusedConv PackedAttention PackedMultiHeadAttention PagedAttention QMoE QOrderedAttention "
                 "QOrderedMatMul SparseAttention")},
    };
    return kFamilies;
}

const Family* family_of(const pb::NodeProto& node) {
    if (!is_standard_domain(node.domain()) && !is_microsoft(node)) return nullptr;
    for (const Family& family : is_microsoft(node) ? families_of_microsoft() : families())
        if (family.operators.contains(node.op_type())) return &family;
    return nullptr;
}

}  // namespace

std::string reason_not_mapped(const pb::NodeProto& node) {
    if (const Family* family = family_of(node)) return family->reason;
    if (is_quantiser_domain(node.domain()) && keeps_shape(node)) return "changes the number format";
    if (!is_standard_domain(node.domain()))
        return "belongs to domain " + in_quotes(node.domain()) + ", which Tilewright does not know" +
               (is_microsoft(node) ? " all of" : "");
    return "is not a contraction that Tilewright knows";
}

bool computes_elements(const pb::NodeProto& node) {
    const Family* family = family_of(node);
    return family != nullptr && family->computes;
}

}  // namespace tilewright::onnx
