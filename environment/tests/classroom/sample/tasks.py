"""A small assignment for the tests of the grader: two methods and an answer in words."""
from classroom.tasks import Part, block, call, normal, normal_matrix


def tasks(rng):
    wide = normal_matrix(rng, 3, 5)
    return {
        "softmax-check": [
            Part(1, "three scores", call("softmax", [0.0, 1.0, 2.0]), "Divide each exponential by the sum of all."),
            Part(1, "random scores", call("softmax", normal(rng, 7)), "Try other lengths than three.", hidden=True),
            Part(1, "large scores", call("softmax", normal(rng, 6, 1000)), "exp overflows above 709.", hidden=True),
            Part(1, "no scores", block("return softmax(new double[0]);"), "An empty array has no softmax.", throws="IllegalArgumentException"),
        ],
        "logits-check": [
            Part(1, "one query", call("logits", [[1.0, 2.0, 3.0, 4.0]], [[1.0, 0.0, 0.0, 0.0]]), "Divide by the square root of d_k."),
            Part(2, "three queries, two keys", call("logits", wide, normal_matrix(rng, 2, 5)), "Row i belongs to query i.", hidden=True),
        ],
    }
