#!/usr/bin/python3
"""Makes the project's own ONNX files: data/onnx/resnet50.onnx and the small models of tests/data/onnx.

usage: tools/make_onnx.py [REPOSITORY]        (Debian: python3-onnx)

None of them holds weights but zeros.onnx: weights are graph inputs, or tensors that point to files that do not exist.
"""
import pathlib
import sys

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, TensorProto, helper

FLOAT, INT8, UINT8, INT32, INT64, BOOL = (TensorProto.FLOAT, TensorProto.INT8, TensorProto.UINT8, TensorProto.INT32, TensorProto.INT64,
                                          TensorProto.BOOL)


class Graph:
    """A graph under construction; values are names."""

    def __init__(self, name, opset=17, ir=8, domains=()):
        self.name, self.opset, self.ir, self.domains = name, opset, ir, domains
        self.nodes, self.inputs, self.outputs, self.initializers, self.values, self.functions = [], [], [], [], [], []

    def input(self, name, shape, type_=FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, type_, shape))
        return name

    def constant(self, name, values, type_=INT64, shape=None):
        self.initializers.append(helper.make_tensor(name, type_, [len(values)] if shape is None else shape, values))
        return name

    def external(self, name, shape, type_=FLOAT):
        """A weight whose numbers are in another file."""
        tensor = TensorProto(name=name, data_type=type_, dims=shape, data_location=TensorProto.EXTERNAL)
        entry = tensor.external_data.add()
        entry.key, entry.value = "location", "weights.bin"
        self.initializers.append(tensor)
        return name

    def add(self, op, inputs, name=None, outputs=None, domain="", **attributes):
        name = name or f"{op.lower()}{len(self.nodes)}"
        outputs = outputs or [f"{name}_out"]
        self.nodes.append(helper.make_node(op, inputs, outputs, name=name, domain=domain, **attributes))
        return outputs[0]

    def output(self, name, shape=None, type_=FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, type_, shape))

    def value(self, name, shape, type_=FLOAT):
        self.values.append(helper.make_tensor_value_info(name, type_, shape))

    def graph(self):
        return helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.initializers, value_info=self.values)

    def model(self):
        opsets = [helper.make_opsetid("", self.opset)] + [helper.make_opsetid(domain, 1) for domain in self.domains]
        model = helper.make_model(self.graph(), producer_name="tilewright", opset_imports=opsets, functions=self.functions)
        model.ir_version = self.ir
        return model


# ---------------------------------------------------------------------------------------------------------------- ResNet-50

class ResNet(Graph):
    def weight(self, name, shape):
        return self.input(name, shape)

    def conv(self, name, x, channels, out, kernel, stride=1, relu=True):
        y = self.add("Conv", [x, self.weight(f"{name}.weight", [out, channels, kernel, kernel])], name=name, kernel_shape=[kernel] * 2,
                     strides=[stride] * 2, pads=[kernel // 2] * 4)
        statistics = [self.weight(f"{name}.{what}", [out]) for what in ("scale", "bias", "mean", "variance")]
        y = self.add("BatchNormalization", [y] + statistics, name=f"{name}.norm")
        return self.add("Relu", [y], name=f"{name}.relu") if relu else y

    def bottleneck(self, name, x, channels, width, stride):
        y = self.conv(f"{name}.conv1", x, channels, width, 1)
        y = self.conv(f"{name}.conv2", y, width, width, 3, stride)
        y = self.conv(f"{name}.conv3", y, width, 4 * width, 1, relu=False)
        if stride != 1 or channels != 4 * width:
            x = self.conv(f"{name}.downsample", x, channels, 4 * width, 1, stride, relu=False)
        return self.add("Relu", [self.add("Add", [y, x], name=f"{name}.add")], name=f"{name}.relu")


def resnet50():
    g = ResNet("resnet50")
    x = g.input("image", ["batch_size", 3, 224, 224])
    x = g.conv("conv1", x, 3, 64, 7, 2)
    x = g.add("MaxPool", [x], name="maxpool", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for stage, blocks in enumerate([3, 4, 6, 3]):
        width = 64 << stage
        for block in range(blocks):
            x = g.bottleneck(f"layer{stage + 1}.{block}", x, channels, width, 2 if stage > 0 and block == 0 else 1)
            channels = 4 * width
    x = g.add("Flatten", [g.add("GlobalAveragePool", [x], name="avgpool")], name="flatten")
    g.add("Gemm", [x, g.weight("fc.weight", [1000, 2048]), g.weight("fc.bias", [1000])], name="fc", outputs=["scores"], transB=1)
    g.output("scores", ["batch_size", 1000])
    return g.model()


# ---------------------------------------------------------------------------------------------------------------- operators

def convolutions():
    """One of each kind, each on its own input."""
    g = Graph("convolutions")

    def conv(name, x, w, op="Conv", **attributes):
        g.add(op, [g.input(f"{name}_x", x), g.input(f"{name}_w", w)], name=name, **attributes)

    conv("one_dimension", [2, 8, 100], [16, 8, 5], strides=[2], pads=[2, 2])
    conv("two_dimensions", [1, 3, 32, 48], [8, 3, 3, 5], strides=[2, 1], pads=[1, 2, 1, 2])
    conv("three_dimensions", [1, 4, 10, 20, 30], [6, 4, 2, 3, 5], strides=[2, 1, 1])
    conv("groups", [1, 12, 14, 14], [24, 3, 3, 3], group=4, pads=[1, 1, 1, 1])
    conv("depthwise", [1, 32, 16, 16], [64, 1, 3, 3], group=32, pads=[1, 1, 1, 1])
    conv("dilation", [1, 4, 20, 20], [4, 4, 3, 3], dilations=[2, 4])
    conv("same", [1, 4, 15, 15], [4, 4, 4, 4], strides=[2, 2], auto_pad="SAME_UPPER")
    conv("valid", [1, 4, 15, 15], [4, 4, 4, 4], strides=[2, 2], auto_pad="VALID")
    conv("four_dimensions", [1, 1, 4, 4, 4, 4], [1, 1, 2, 2, 2, 2])
    conv("transposed", [1, 16, 8, 10], [16, 6, 4, 4], op="ConvTranspose", strides=[2, 2], pads=[1, 1, 1, 1])
    conv("transposed_groups", [1, 16, 8], [16, 3, 4], op="ConvTranspose", group=2, strides=[2], dilations=[3])
    return g.model()


def quantised():
    g = Graph("quantised")
    x, w = g.input("x", [1, 3, 8, 8], UINT8), g.input("w", [4, 3, 3, 3], UINT8)
    a, b = g.input("a", [5, 6], UINT8), g.input("b", [6, 7], UINT8)
    scale, zero = g.input("scale", [], FLOAT), g.input("zero", [], UINT8)
    g.add("ConvInteger", [x, w], name="conv_integer")
    y = g.add("QLinearConv", [x, scale, zero, w, scale, zero, scale, zero], name="qlinear_conv")
    g.add("MatMulInteger", [a, b], name="matmul_integer")
    g.add("QLinearMatMul", [a, scale, zero, b, scale, zero, scale, zero], name="qlinear_matmul")
    g.add("DequantizeLinear", [y, scale, zero], name="dequantize")
    return g.model()


def zeros():
    """Weights as they are stored, some of which are zero; what a layer's name says is not zero."""
    g = Graph("zeros")
    x = g.input("x", [1, 4, 8, 8])
    g.add("Conv", [x, g.constant("third", [i % 3 - 1 if i != 1 else -0.0 for i in range(144)], FLOAT, [4, 4, 3, 3])],
          name="two_thirds", pads=[1] * 4)
    g.initializers.append(helper.make_tensor("raw", TensorProto.FLOAT16, [4, 4, 1, 1],
                                             b"".join(bytes([0, 0x80 if i % 4 else 0x3c]) for i in range(16)), raw=True))
    g.add("Conv", [x, g.add("Cast", [g.add("Identity", ["raw"], name="same")], name="floats", to=FLOAT)], name="computed")
    g.add("Conv", [g.input("halves", [1, 4, 8, 8], TensorProto.FLOAT16), "raw"], name="a_quarter")
    scale, zero = g.constant("scale", [0.5], FLOAT, []), g.constant("three", [3], INT8, [])
    stored = g.constant("stored", [3 if i % 2 else i % 5 - 20 for i in range(60)], INT8, [10, 6])
    columns = g.add("Transpose", [g.add("DequantizeLinear", [stored, scale, zero], name="dequantize")], name="columns", perm=[1, 0])
    g.add("MatMul", [g.input("rows", [5, 6]), columns], name="half_at_three")
    by_column = g.constant("by_column", list(range(7)), UINT8)
    scales = g.constant("scales", [0.5] * 7, FLOAT)
    b = g.constant("b", [column if row < 4 else 9 for row in range(6) for column in range(7)], UINT8, [6, 7])
    u8 = g.constant("u8", [0], UINT8, [])
    g.add("QLinearMatMul", [g.input("a", [5, 6], UINT8), scale, u8, b, scales, by_column, scale, u8], name="a_third_by_column")
    g.add("MatMul", [g.input("p", [5, 6]), g.input("q", [6, 7])], name="no_weights")
    g.add("MatMul", ["p", g.external("elsewhere", [6, 7])], name="not_there")
    return g.model()


def dequantised():
    """Layers on floats between integers: DequantizeLinear before every operand, QuantizeLinear behind the result."""
    g = Graph("dequantised")
    scale, signed, unsigned = g.input("scale", []), g.constant("signed", [0], INT8, []), g.constant("unsigned", [0], UINT8, [])

    def quantised(name, value, zero):
        return g.add("QuantizeLinear", [value, scale, zero], name=f"{name}_quantize")

    def floats(name, value, zero):
        return g.add("DequantizeLinear", [value, scale, zero], name=f"{name}_dequantize")

    def weights(name, shape):
        return floats(name, g.external(name, shape, INT8), signed)

    x = floats("x", quantised("x", g.input("x", [1, 3, 8, 8]), unsigned), unsigned)
    first = g.add("Conv", [x, weights("w1", [4, 3, 3, 3])], name="applied")
    bias = g.external("bias", [1, 4, 1, 1])
    first = g.add("Relu", [g.add("Add", [first, bias], name="biased")], name="positive")
    first = floats("first", quantised("first", first, unsigned), unsigned)
    second = g.add("Conv", [first, weights("w2", [4, 4, 3, 3])], name="read_twice")
    quantised("second", second, signed)
    g.add("Softmax", [second], name="on_floats")
    rows = g.add("Flatten", [first], name="rows")
    columns = g.add("Transpose", [weights("w3", [10, 144])], name="columns", perm=[1, 0])
    g.add("MatMul", [rows, columns], name="result", outputs=["logits"])
    g.add("Conv", [g.input("floats", [1, 3, 8, 8]), weights("w4", [4, 3, 3, 3])], name="weights_only")
    g.output("logits", [1, 10])
    return g.model()


def products():
    g = Graph("products")

    def product(name, a, b, op="MatMul", **attributes):
        g.add(op, [g.input(f"{name}_a", a), g.input(f"{name}_b", b)], name=name, **attributes)

    product("plain", [4, 5], [5, 6])
    product("vector_left", [5], [5, 6])
    product("vector_right", [4, 5], [5])
    product("vectors", [5], [5])
    product("rows_batched", [2, 3, 4, 5], [5, 6])
    product("columns_batched", [4, 5], [3, 5, 6])
    product("batched", [2, 3, 4, 5], [2, 3, 5, 6])
    product("broadcast", [2, 1, 4, 5], [3, 5, 6])
    product("vector_batched", [3, 4, 5], [5])
    product("gemm", [4, 5], [5, 6], op="Gemm")
    product("gemm_transposed", [5, 4], [6, 5], op="Gemm", transA=1, transB=1, alpha=0.5)
    g.add("MatMul", [g.external("weights", [6, 5]), g.input("activations", [5, 7])], name="weights_first")
    return g.model()


def einsums():
    g = Graph("einsums")

    def einsum(name, equation, *shapes):
        g.add("Einsum", [g.input(f"{name}_{i}", shape) for i, shape in enumerate(shapes)], name=name, equation=equation)

    einsum("matmul", "ij,jk->ik", [4, 5], [5, 6])
    einsum("scores", "bhqd,bhkd->bhqk", [2, 3, 7, 5], [2, 3, 8, 5])
    einsum("implied", "ij,jk", [4, 5], [5, 6])
    einsum("dots", "...ij,jk->...ik", [2, 3, 4, 5], [5, 6])
    einsum("three", "ia,ja,ka->ijk", [4, 2], [5, 2], [6, 2])
    einsum("summed_alone", "ij,jk->k", [4, 5], [5, 6])
    einsum("dots_summed_alone", "...ij,jk->...k", [2, 4, 5], [5, 6])
    einsum("outer", "i,j->ij", [4], [5])
    einsum("transpose", "ij->ji", [4, 5])
    einsum("diagonal", "ii,ij->j", [4, 4], [4, 5])
    return g.model()


def attention():
    """Self-attention as exporters write it: reshapes computed from Shape, MatMuls, a softmax, a residual and LayerNormalization."""
    g = Graph("attention")
    x = g.input("tokens", ["batch_size", "sequence", 64])

    def heads(name, perm):
        y = g.add("MatMul", [x, g.external(f"{name}.weight", [64, 64])], name=name)
        y = g.add("Add", [y, g.external(f"{name}.bias", [64])], name=f"{name}.add")
        y = g.add("Reshape", [y, split_shape], name=f"{name}.split")
        return g.add("Transpose", [y], name=f"{name}.transpose", perm=perm)

    shape = g.add("Shape", [x], name="shape")
    pieces = [g.add("Unsqueeze", [g.add("Gather", [shape, g.constant(f"axis{i}", [i], shape=[])], name=f"extent{i}"), g.constant(f"zero{i}", [0])],
                    name=f"extent{i}.list") for i in range(2)]
    split_shape = g.add("Concat", pieces + [g.constant("heads", [4, 16])], name="split_shape", axis=0)
    joined_shape = g.add("Concat", pieces + [g.constant("width", [64])], name="joined_shape", axis=0)
    query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
    scores = g.add("Softmax", [g.add("MatMul", [query, key], name="scores")], name="softmax", axis=-1)
    mixed = g.add("Transpose", [g.add("MatMul", [scores, value], name="mix")], name="join.transpose", perm=[0, 2, 1, 3])
    mixed = g.add("Reshape", [mixed, joined_shape], name="join")
    y = g.add("MatMul", [mixed, g.external("output.weight", [64, 64])], name="output")
    y = g.add("Add", [y, x], name="residual")
    y = g.add("LayerNormalization", [y, g.external("norm.scale", [64]), g.external("norm.bias", [64])], name="norm", axis=-1)
    g.add("MatMul", [y, g.external("head.weight", [64, 10])], name="head")
    return g.model()


def newer():
    """Opset 21: reductions with axes as an input, and operators that older libraries do not know."""
    g = Graph("newer", opset=21, ir=10)
    x = g.input("x", ["N", 8, 16, 16])
    x = g.add("Conv", [x, g.external("w", [32, 8, 3, 3])], name="conv", pads=[1, 1, 1, 1])
    x = g.add("GroupNormalization", [x, g.external("scale", [32]), g.external("bias", [32])], name="norm", num_groups=4)
    x = g.add("Gelu", [x], name="gelu")
    x = g.add("ReduceMean", [x, g.constant("axes", [2, 3])], name="mean", keepdims=0)
    g.add("Gemm", [x, g.external("fc", [32, 10])], name="fc")
    return g.model()


def branches():
    """Operators inside If and Loop: listed, not mapped; the shapes behind the If are known."""
    g = Graph("branches")
    x, w, flag = g.input("x", [1, 4, 8, 8]), g.input("w", [4, 4, 3, 3]), g.input("flag", [], BOOL)
    y = g.add("Conv", [x, w], name="before", pads=[1] * 4)

    def branch(name, node):
        return helper.make_graph([node], name, [], [helper.make_tensor_value_info(node.output[0], FLOAT, None)])

    y = g.add("If", [flag], name="choice",
              then_branch=branch("then", helper.make_node("Conv", [y, w], ["then_out"], name="inner", pads=[1] * 4)),
              else_branch=branch("else", helper.make_node("Relu", [y], ["else_out"], name="relu")))
    y = g.add("Conv", [y, w], name="after")
    body = helper.make_graph([helper.make_node("MatMul", ["carried", "carried"], ["next"], name="step"),
                              helper.make_node("Identity", ["condition"], ["again"], name="again")], "body",
                             [helper.make_tensor_value_info("i", INT64, []), helper.make_tensor_value_info("condition", BOOL, []),
                              helper.make_tensor_value_info("carried", FLOAT, [6, 6])],
                             [helper.make_tensor_value_info("again", BOOL, []), helper.make_tensor_value_info("next", FLOAT, [6, 6])])
    g.add("Loop", [g.constant("trips", [3], shape=[]), "", y], name="loop", body=body)
    return g.model()


def reference(attribute, function_attribute, type_):
    return AttributeProto(name=attribute, ref_attr_name=function_attribute, type=type_)


def local_functions():
    """A function with an attribute, called twice, inside another function."""
    g = Graph("functions", domains=("own",))
    conv = helper.make_node("Conv", ["x", "w"], ["y"], name="conv", pads=[1] * 4)
    conv.attribute.append(reference("strides", "strides", AttributeProto.INTS))
    block = helper.make_function("own", "Block", ["x", "w"], ["z"], [conv, helper.make_node("Relu", ["y"], ["z"], name="relu")],
                                 [helper.make_opsetid("", 17)], ["strides"])
    pair = helper.make_function("own", "Pair", ["x", "w"], ["z"],
                                [helper.make_node("Block", ["x", "w"], ["y"], name="first", domain="own", strides=[2, 2]),
                                 helper.make_node("Block", ["y", "w"], ["z"], name="second", domain="own")],
                                [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)])
    g.functions = [block, pair]
    x, w = g.input("x", [1, 8, 32, 32]), g.input("w", [8, 8, 3, 3])
    g.add("Block", [g.add("Pair", [x, w], name="pair", domain="own"), w], name="last", domain="own", strides=[1, 1])
    return g.model()


def unsorted():
    g = Graph("unsorted")
    x = g.input("x", [1, 8])
    g.add("MatMul", ["first_out", g.input("w2", [16, 4])], name="second")
    g.add("MatMul", [x, g.input("w1", [8, 16])], name="first")
    return g.model()


def recurrent():
    """An LSTM in both directions, then a product over its last states."""
    g = Graph("recurrent")
    weights = [g.external("w", [2, 80, 16]), g.external("r", [2, 80, 20])]
    g.add("LSTM", [g.input("x", [7, 3, 16])] + weights, name="lstm", outputs=["all", "last"], hidden_size=20, direction="bidirectional")
    g.add("MatMul", ["last", g.external("head", [20, 5])], name="head")
    return g.model()


def cells():
    """A GRU with the batch first and a plain RNN."""
    g = Graph("cells")
    y = g.add("GRU", [g.input("x", [3, 7, 16]), g.external("w", [1, 60, 16]), g.external("r", [1, 60, 20])], name="gru",
              outputs=["all"], hidden_size=20, layout=1)
    g.add("MatMul", [y, g.external("head", [20, 5])], name="head")
    g.add("RNN", [g.input("z", [4, 2, 6]), g.external("v", [1, 8, 6]), g.external("s", [1, 8, 8])], name="rnn", outputs=["states"],
          hidden_size=8)
    return g.model()


def fused():
    """Attention of opset 23: four axes with past keys, and three axes where two heads share keys."""
    g = Graph("fused", opset=23)
    g.add("Attention", [g.input("q", [2, 4, 5, 16]), g.input("k", [2, 4, 3, 16]), g.input("v", [2, 4, 3, 8]), "",
                        g.input("past_k", [2, 4, 9, 16]), g.input("past_v", [2, 4, 9, 8])], name="cached")
    y = g.add("Attention", [g.input("a", [1, 6, 32]), g.input("b", [1, 7, 16]), g.input("c", [1, 7, 24])], name="shared", q_num_heads=4,
              kv_num_heads=2)
    g.add("MatMul", [y, g.external("w", [48, 10])], name="head")
    return g.model()


def padded():
    """Pads as PyTorch's F.pad exports them: [left, right, top, bottom] and zeros as pairs, backwards, transposed, flat."""
    g = Graph("padded", opset=16)
    image, w = g.input("image", [1, 3, 16, 20]), g.external("w", [4, 3, 3, 3])
    zeros = g.add("ConstantOfShape", [g.constant("more", [4])], value=helper.make_tensor("zero", INT64, [1], [0]))
    pairs = g.add("Reshape", [g.add("Concat", [g.constant("given", [1, 2, 3, 4]), zeros], axis=0), g.constant("two", [-1, 2])])
    backwards = g.add("Slice", [pairs, g.constant("last", [-1]), g.constant("first", [-(2 ** 63 - 1)]), g.constant("rows", [0]),
                                g.constant("step", [-1])])
    flat = g.add("Reshape", [g.add("Transpose", [backwards], perm=[1, 0]), g.constant("flat", [-1])])
    g.add("Conv", [g.add("Pad", [image, g.add("Cast", [flat], to=INT64)], mode="reflect"), w], name="conv")
    halves = g.add("Split", [g.add("Shape", [image])], outputs=["front", "back"])
    rows = g.add("Reshape", [image, g.add("Concat", [g.add("ReduceProd", [halves], keepdims=1), g.add("ReduceProd", ["back"], keepdims=1)],
                                          axis=0)])
    g.add("MatMul", [rows, g.external("v", [320, 5])], name="behind_split")
    return g.model()


def microsoft():
    """ONNX Runtime's own operators, of com.microsoft."""
    g = Graph("microsoft", domains=("com.microsoft", "onnx.brevitas"))

    def add(op, inputs, name, **attributes):
        return g.add(op, inputs, name=name, domain="com.microsoft", **attributes)

    x = g.input("x", [2, 5, 64])
    add("MatMulNBits", [x, g.external("w4", [48, 2, 16], UINT8), g.external("w4_scales", [96])], "four_bits", K=64, N=48, bits=4, block_size=32)
    add("MatMulNBits", [x, g.external("w2", [40, 4, 4], UINT8), g.external("w2_scales", [160])], "two_bits", K=64, N=40, bits=2, block_size=16)
    normal = g.add("SkipLayerNormalization", [x, x, g.external("gamma", [64])], name="skip", domain="com.microsoft",
                   outputs=["skip_out", "", "", "skip_sum"])
    turned = add("RotaryEmbedding", [normal, g.input("places", [2, 5], INT64), g.external("cos", [9, 4]), g.external("sin", [9, 4])], "rotary")
    y = add("Attention", [turned, g.external("qkv", [64, 160]), g.external("qkv_bias", [160]), "", g.input("past", [2, 2, 4, 7, 16])],
            "attention", num_heads=4, qkv_hidden_sizes=[64, 64, 32])
    g.add("MatMul", [y, g.external("after_attention", [32, 6])], name="after_attention")
    g.add("MatMul", ["skip_sum", g.external("after_skip", [64, 6])], name="after_skip")

    g.nodes.append(helper.make_node("MultiHeadAttention", [x, g.input("k", [2, 9, 64]), g.input("v", [2, 9, 32]), "", "", "",
                                                           g.input("past_k", [2, 4, 3, 16]), g.input("past_v", [2, 4, 3, 8])],
                                    ["mha", "mha_k", "mha_v"], name="apart", domain="com.microsoft", num_heads=4))
    g.add("MatMul", ["mha", g.external("after_apart", [32, 6])], name="after_apart")
    add("MultiHeadAttention", [g.input("packed", [2, 5, 4, 3, 16])], "packed_qkv", num_heads=4)
    add("MultiHeadAttention", [x, g.input("packed_kv", [2, 9, 4, 2, 16])], "packed_kv", num_heads=4)
    add("MultiHeadAttention", [x, g.input("cached_k", [2, 4, 11, 16]), g.input("cached_v", [2, 4, 11, 8])], "cross", num_heads=4)

    cache = [g.input("cache_k", [2, 2, 20, 8]), g.input("cache_v", [2, 2, 20, 8])]
    lengths = g.input("lengths", [2], INT32)
    q, k, v = x, g.input("gqa_k", [2, 5, 16]), g.input("gqa_v", [2, 5, 16])
    group = {"num_heads": 8, "kv_num_heads": 2}
    add("GroupQueryAttention", [q, k, v, *cache, lengths, g.constant("total", [12], INT32, [])], "grouped", **group)
    add("GroupQueryAttention", [q, k, v, *cache, lengths, g.input("unknown_total", [], INT32)], "grouped_unknown", kv_cache_bit_width=8, **group)
    z = add("GroupQueryAttention", [g.input("packed_gqa", [1, 5, 96]), "", "", "", "", lengths, "unknown_total"], "grouped_packed", **group)
    g.add("MatMul", [z, g.external("after_grouped", [64, 6])], name="after_grouped")
    empty = [g.input("none_k", [1, 2, 0, 8]), g.input("none_v", [1, 2, 0, 8])]
    add("GroupQueryAttention", ["packed_gqa", "", "", *empty, lengths, "unknown_total"], "first_tokens", **group)

    a = g.input("a", [3, 6, 5])
    add("FusedMatMul", [a, g.input("b", [3, 7, 6])], "fused", transA=1, transB=1, alpha=0.5)
    add("FusedConv", [g.input("image", [1, 3, 8, 8]), g.external("kernel", [4, 3, 3, 3])], "fused_conv", activation="Relu")
    add("DynamicQuantizeMatMul", [x, g.external("w8", [64, 9], INT8), g.external("w8_scale", [1])], "dynamic")
    quant = [g.constant("quant_scale", [0.1], FLOAT, []), g.constant("quant_zero", [0.0], FLOAT, []), g.constant("quant_bits", [4.0], FLOAT, [])]
    w = g.add("Quant", [g.external("quant_w", [64, 3]), *quant], name="quant", domain="onnx.brevitas", narrow=0, signed=1, rounding_mode="ROUND")
    g.add("MatMul", [x, w], name="behind_quant")
    return g.model()


def folded():
    """Shapes that are computed: Slice of Shape in front of Reshape, an If on a rank, a Loop and a Scan of known length."""
    g = Graph("folded", opset=13)
    x, w, v = g.input("x", [2, 3, 4, 8]), g.external("w", [8, 6]), g.external("v", [4, 4])
    shape = g.add("Shape", [x])
    rows = g.add("Slice", [shape, g.constant("from", [0]), g.constant("to", [2]), g.constant("axes", [0])])
    flat = g.add("Reshape", [x, g.add("Concat", [g.add("ReduceProd", [rows], keepdims=1), g.constant("rest", [-1, 8])], axis=0)])
    g.add("MatMul", [flat, w], name="flat")
    rank = g.add("Size", [shape])
    is_four = g.add("Equal", [rank, g.constant("four", [4], shape=[])])

    def branch(name, node):
        return helper.make_graph([node], name, [], [helper.make_tensor_value_info(node.output[0], FLOAT, None)])

    y = g.add("If", [is_four], name="choice", then_branch=branch("then", helper.make_node("MatMul", [x, "w"], ["then_out"], name="taken")),
              else_branch=branch("else", helper.make_node("MatMul", ["x", "x"], ["else_out"], name="left")))
    g.add("MatMul", [y, g.external("u", [6, 5])], name="behind")
    trips = g.add("Add", [rank, g.constant("one", [1], shape=[])])
    body = helper.make_graph([helper.make_node("MatMul", ["carried", "v"], ["next"], name="step"),
                              helper.make_node("Identity", ["go"], ["again"], name="again")], "body",
                             [helper.make_tensor_value_info("i", INT64, []), helper.make_tensor_value_info("go", BOOL, []),
                              helper.make_tensor_value_info("carried", FLOAT, [4, 4])],
                             [helper.make_tensor_value_info("again", BOOL, []), helper.make_tensor_value_info("next", FLOAT, [4, 4])])
    g.add("Loop", [trips, "", g.input("state", [4, 4])], name="loop", body=body)
    scan = helper.make_graph([helper.make_node("MatMul", ["h", "v"], ["h_out"], name="step"),
                              helper.make_node("Add", ["h", "part"], ["out"], name="add")], "scan",
                             [helper.make_tensor_value_info("h", FLOAT, [4, 4]), helper.make_tensor_value_info("part", FLOAT, [4, 4])],
                             [helper.make_tensor_value_info("h_out", FLOAT, [4, 4]), helper.make_tensor_value_info("out", FLOAT, [4, 4])])
    g.add("Scan", [v, g.input("parts", [9, 4, 4])], name="scan", outputs=["last", "all"], num_scan_inputs=1, body=scan)
    return g.model()


def no_layer():
    """Nothing that multiplies."""
    g = Graph("no_layer")
    g.add("Relu", [g.add("Add", [g.input("x", [1, 8]), g.constant("one", [1.0], FLOAT)], name="add")], name="relu")
    return g.model()


def vector_input():
    """The batch leads a matrix and a vector; the extent of another vector has to be given."""
    g = Graph("vector_input")
    g.add("MatMul", [g.input("x", ["batch", 8]), g.external("w", [8, 4])], name="product")
    g.add("Add", [g.input("labels", ["batch"], INT64), g.constant("one", [1])], name="labels_plus_one")
    g.add("Identity", [g.input("words", ["words"])], name="words")
    return g.model()


def stated():
    """A vendor's operator in the way: the model states the shape behind it."""
    g = Graph("stated", domains=("vendor",))
    y = g.add("Mystery", [g.input("x", [1, 8])], name="mystery", domain="vendor")
    g.value(y, [1, 32])
    g.add("MatMul", [y, g.input("w", [32, 4])], name="product")
    return g.model()


# ---------------------------------------------------------------------------------------------------------------- mistakes

def bad_conv(x, w, **attributes):
    g = Graph("bad")
    g.add("Conv", [g.input("x", x), g.input("w", w)], name="conv", **attributes)
    return g.model()


def bad_graph(*nodes, shape=(1, 8)):
    g = Graph("bad")
    g.input("x", list(shape))
    for op, inputs, name in nodes:
        g.add(op, inputs, name=name)
    return g.model()


def recursive_function():
    g = Graph("bad", domains=("own",))
    g.functions = [helper.make_function("own", "F", ["x"], ["y"], [helper.make_node("F", ["x"], ["y"], domain="own")],
                                        [helper.make_opsetid("own", 1)])]
    g.add("F", [g.input("x", [1])], name="call", domain="own")
    return g.model()


def exploding_functions():
    """Each function calls the one before twice: 2^40 nodes from a small file."""
    g = Graph("bad", domains=("own",))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    g.functions = [helper.make_function("own", "F0", ["x"], ["y"], [helper.make_node("Relu", ["x"], ["y"])], opsets)]
    for level in range(1, 41):
        calls = [helper.make_node(f"F{level - 1}", ["x"], ["h"], domain="own"), helper.make_node(f"F{level - 1}", ["h"], ["y"], domain="own")]
        g.functions.append(helper.make_function("own", f"F{level}", ["x"], ["y"], calls, opsets))
    g.add("F40", [g.input("x", [1])], name="call", domain="own")
    return g.model()


def growing(op, **attributes):
    """A value combined with itself again and again doubles each time."""
    g = Graph("bad")
    y = g.input("x", [2, 2], INT64)
    y = g.add("Shape", [y])
    for _ in range(70):
        y = g.add(op, [y, y], **attributes)
    g.add("MatMul", [g.add("Reshape", ["x", y]), "x"], name="product")
    return g.model()


def growing_rank():
    g = Graph("bad")
    y = g.input("x", [1, 1, 1], INT64)
    for _ in range(70):
        y = g.add("Gather", [y, y])
    return g.model()


def endless_past():
    g = Graph("bad", opset=23)
    g.add("Attention", [g.input("q", [2, 4, 5, 16]), g.input("k", [2, 4, 3, 16]), g.input("v", [2, 4, 3, 8]), "",
                        g.input("past_k", [2, 4, 2**63 - 1, 16])], name="cached")
    return g.model()


def sum_with_nothing():
    """The shape of no axes, plus one: neither is a shape to follow."""
    g = Graph("bad")
    g.input("x", [2, 3])
    none = g.add("Slice", [g.add("Shape", ["x"]), g.constant("from", [0]), g.constant("to", [0])])
    g.add("MatMul", [g.add("Reshape", ["x", g.add("Add", [none, g.constant("one", [1])])]), g.input("w", [3, 4])], name="product")
    return g.model()


def endless_shape():
    g = Graph("bad")
    g.add("MatMul", [g.add("Expand", [g.input("x", [2, 3]), g.input("list", [2**31 - 1], INT64)], name="expand"), "x"], name="product")
    return g.model()


def eye_of_unknown():
    g = Graph("bad", domains=("vendor",))
    unknown = g.add("Mystery", [g.input("x", [4, 4])], name="mystery", domain="vendor")
    g.add("MatMul", [g.add("EyeLike", [unknown], name="eye", dtype=FLOAT), "x"], name="product")
    return g.model()


def symbolic(shape):
    g = Graph("bad")
    g.add("MatMul", [g.input("x", shape), g.input("w", [8, 4])], name="product")
    return g.model()


def bad_microsoft(op, *shapes, **attributes):
    g = Graph("bad", domains=("com.microsoft",))
    g.add(op, [g.input(f"in{i}", shape) if shape is not None else "" for i, shape in enumerate(shapes)], name="node", domain="com.microsoft", **attributes)
    return g.model()


BAD = {
    "microsoft_block": lambda: bad_microsoft("MatMulNBits", [2, 16], [4, 1, 10], [4], K=16, N=4, bits=4, block_size=20),
    "microsoft_cache": lambda: bad_microsoft("GroupQueryAttention", [1, 5, 64], [1, 5, 16], [1, 5, 16], [1, 4, 9, 8], [1, 4, 9, 8], num_heads=8,
                                             kv_num_heads=2),
    "microsoft_heads": lambda: bad_microsoft("MultiHeadAttention", [1, 5, 64], [1, 5, 64], [1, 5, 64], num_heads=7),
    "microsoft_keys": lambda: bad_microsoft("GroupQueryAttention", [1, 5, 64], [1, 5, 32], [1, 5, 16], num_heads=8, kv_num_heads=2),
    "microsoft_no_heads": lambda: bad_microsoft("GroupQueryAttention", [1, 5, 64], [1, 5, 16], [1, 5, 16]),
    "microsoft_past": lambda: bad_microsoft("Attention", [1, 5, 64], [64, 192], [192], None, [1, 4, 7, 16], num_heads=4),
    "microsoft_scalar": lambda: bad_microsoft("MultiHeadAttention", [], [1, 5, 64], [1, 5, 64], num_heads=4),
    "microsoft_thirds": lambda: bad_microsoft("Attention", [1, 5, 64], [64, 100], num_heads=4),
    "microsoft_values": lambda: bad_microsoft("MultiHeadAttention", [1, 5, 64], [1, 6, 64], [1, 7, 64], num_heads=4),
    "microsoft_weights": lambda: bad_microsoft("MatMulNBits", [2, 16], [4, 1, 8], [4], K=16, N=4, bits=4, block_size=32),
    "attribute_type": lambda: bad_conv([1, 4, 8, 8], [4, 4, 3, 3], strides=2),
    "channels": lambda: bad_conv([1, 4, 8, 8], [4, 5, 3, 3]),
    "cycle": lambda: bad_graph(("Relu", ["x"], "start"), ("Add", ["start_out", "c_out"], "a"), ("Relu", ["a_out"], "b"),
                               ("Relu", ["b_out"], "c")),
    "endless_past": endless_past,
    "endless_shape": endless_shape,
    "exploding_functions": exploding_functions,
    "eye_of_unknown": eye_of_unknown,
    "group": lambda: bad_conv([1, 6, 8, 8], [4, 1, 3, 3], group=4),
    "growing_data": lambda: growing("Concat", axis=0),
    "growing_rank": growing_rank,
    "huge": lambda: bad_conv([1, 1, 1 << 40, 1 << 40], [1, 1, 1, 1]),
    "kernel_shape": lambda: bad_conv([1, 4, 8, 8], [4, 4, 3, 3], kernel_shape=[3, 5]),
    "kernel_too_large": lambda: bad_conv([1, 4, 8, 8], [4, 4, 9, 9]),
    "made_twice": lambda: bad_graph(("Relu", ["x"], "a"), ("Identity", ["a_out"], "x"), ("Relu", ["x"], "a")),
    "misspelled_attribute": lambda: bad_conv([1, 4, 8, 8], [4, 4, 3, 3], stride=[2, 2]),
    "missing_input": lambda: bad_graph(("MatMul", ["x", "weights"], "product")),
    "negative_extent": lambda: bad_conv([1, 4, -8, 8], [4, 4, 3, 3]),
    "no_nodes": lambda: bad_graph(),
    "pads": lambda: bad_conv([1, 4, 8, 8], [4, 4, 3, 3], pads=[1, 1]),
    "product": lambda: bad_graph(("MatMul", ["x", "x"], "product"), shape=(4, 5)),
    "recursive_function": recursive_function,
    "stride": lambda: bad_conv([1, 4, 8, 8], [4, 4, 3, 3], strides=[0, 1]),
    "sum_with_nothing": sum_with_nothing,
    "symbolic": lambda: symbolic(["batch_size", "sequence", 8]),
    "symbolic_position": lambda: symbolic([None, None, 8]),
    "unknown_shape": lambda: bad_graph(("NonZero", ["x"], "nonzero"), ("Cast", ["nonzero_out"], "product0"),
                                       ("MatMul", ["nonzero_out", "x"], "product")),
    "zero_extent": lambda: bad_conv([1, 0, 8, 8], [4, 0, 3, 3]),
}

GOOD = {
    "attention": attention, "branches": branches, "cells": cells, "convolutions": convolutions, "dequantised": dequantised, "einsums": einsums, "folded": folded,
    "functions": local_functions, "fused": fused, "microsoft": microsoft, "padded": padded, "newer": newer, "no_layer": no_layer, "products": products, "quantised": quantised, "recurrent": recurrent, "stated": stated, "unsorted": unsorted, "vector_input": vector_input, "zeros": zeros,
}


def write(path, model):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString(deterministic=True))


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    write(root / "data/onnx/resnet50.onnx", resnet50())
    for name, make in GOOD.items():
        write(root / f"tests/data/onnx/{name}.onnx", make())
    for name, make in BAD.items():
        write(root / f"tests/data/onnx/bad/{name}.onnx", make())


if __name__ == "__main__":
    main()
