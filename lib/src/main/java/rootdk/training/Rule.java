package rootdk.training;

import rootdk.backend.Backend;

/** How an optimiser changes one parameter: the state that it keeps for it. */
interface Rule {
    /** One step: reads the parameter's gradient and changes its value. */
    void step(double rate);

    /** v ← μ v + g; w ← w − η v. */
    final class Sgd implements Rule {
        private final Parameter w;
        private final double momentum;
        private final double[] v;

        Sgd(Parameter w, double momentum) {
            this.w = w;
            this.momentum = momentum;
            this.v = new double[w.value.length];
        }

        @Override
        public void step(double rate) {
            for (int i = 0; i < v.length; i++) {
                v[i] = momentum * v[i] + w.gradient[i];
                w.value[i] -= rate * v[i];
            }
        }
    }

    /** m ← β1 m + (1 − β1) g; v ← β2 v + (1 − β2) g²; w ← w − η m̂ / (√v̂ + ε), with m̂ = m / (1 − β1^t), v̂ = v / (1 − β2^t). */
    final class Adam implements Rule {
        /** Stands in for ε = 0: makes 0 / 0 of an entry that never had a gradient 0; changes no bit where g² does not underflow. */
        private static final double TINY = 1e-154;
        private final Parameter w;
        private final double beta1;
        private final double beta2;
        private final double epsilon;
        private final double[] m;
        private final double[] v;
        private int t;

        Adam(Parameter w, double beta1, double beta2, double epsilon) {
            this.w = w;
            this.beta1 = beta1;
            this.beta2 = beta2;
            this.epsilon = epsilon;
            this.m = new double[w.value.length];
            this.v = new double[w.value.length];
        }

        @Override
        public void step(double rate) {
            t++;
            double scaled = rate / (1 - StrictMath.pow(beta1, t));
            double unbias = 1 / (1 - StrictMath.pow(beta2, t));
            double least = Math.max(epsilon, TINY);
            double[] value = w.value;
            double[] gradient = w.gradient;
            for (int i = 0; i < m.length; i++) {
                double g = gradient[i];
                double first = beta1 * m[i] + (1 - beta1) * g;
                double second = beta2 * v[i] + (1 - beta2) * g * g;
                m[i] = first;
                v[i] = second;
                value[i] -= scaled * first / (Math.sqrt(second * unbias) + least);
            }
        }
    }

    /** Matrices by the sums of their rows and columns, vectors entry by entry; see {@link Optimizer#adafactor}. */
    final class Adafactor implements Rule {
        private static final double EPSILON_1 = 1e-30;
        private static final double EPSILON_2 = 1e-3;
        private final Parameter w;
        private final double[] rowSums; // R; for a vector, V itself
        private final double[] columnSums; // C; unused for a vector
        private final double[] update;
        private int t;

        Adafactor(Parameter w) {
            this.w = w;
            this.rowSums = new double[w.rows == 1 ? w.columns : w.rows];
            this.columnSums = new double[w.columns];
            this.update = new double[w.value.length];
        }

        @Override
        public void step(double rate) {
            t++;
            double decay = 1 - StrictMath.pow(t, -0.8);
            if (w.rows == 1) {
                vector(decay);
            } else {
                matrix(decay);
            }
            double step = Math.max(EPSILON_2, rootMeanSquare(w.value)) * Math.min(rate, 1 / Math.sqrt(t));
            double clip = Math.max(1, rootMeanSquare(update)); // its threshold d is 1
            for (int i = 0; i < update.length; i++) {
                w.value[i] -= step * update[i] / clip;
            }
        }

        private void vector(double decay) {
            for (int i = 0; i < update.length; i++) {
                double g = w.gradient[i];
                rowSums[i] = decay * rowSums[i] + (1 - decay) * (g * g + EPSILON_1);
                update[i] = g / Math.sqrt(rowSums[i]);
            }
        }

        private void matrix(double decay) {
            for (int i = 0; i < rowSums.length; i++) {
                rowSums[i] *= decay;
            }
            for (int j = 0; j < columnSums.length; j++) {
                columnSums[j] *= decay;
            }
            for (int i = 0; i < w.rows; i++) {
                for (int j = 0; j < w.columns; j++) {
                    double g = w.gradient[i * w.columns + j];
                    double square = (1 - decay) * (g * g + EPSILON_1);
                    rowSums[i] += square;
                    columnSums[j] += square;
                }
            }
            double sum = 0;
            for (double row : rowSums) {
                sum += row;
            }
            for (int i = 0; i < w.rows; i++) {
                for (int j = 0; j < w.columns; j++) {
                    int at = i * w.columns + j;
                    update[at] = w.gradient[at] / Math.sqrt(rowSums[i] / sum * columnSums[j]);
                }
            }
        }

        private static double rootMeanSquare(double[] x) {
            return Math.sqrt(Parameter.squares(x) / x.length);
        }
    }

    /** M ← μ M + G; U = NewtonSchulz(G + μ M); W ← W − η · 0.2 √max(rows, columns) · U. */
    final class Muon implements Rule {
        private static final double MOMENTUM = 0.95;
        private final Parameter w;
        private final NewtonSchulz iteration;
        private final double[] momentum;
        private final double[] update;

        Muon(Parameter w, Backend backend) {
            this.w = w;
            this.iteration = new NewtonSchulz(w.rows, w.columns, backend);
            this.momentum = new double[w.value.length];
            this.update = new double[w.value.length];
        }

        @Override
        public void step(double rate) {
            for (int i = 0; i < momentum.length; i++) {
                momentum[i] = MOMENTUM * momentum[i] + w.gradient[i];
                update[i] = w.gradient[i] + MOMENTUM * momentum[i]; // Nesterov's
            }
            iteration.orthogonalize(update, NewtonSchulz.STEPS);
            double scaled = rate * 0.2 * Math.sqrt(Math.max(w.rows, w.columns));
            for (int i = 0; i < update.length; i++) {
                w.value[i] -= scaled * update[i];
            }
        }
    }
}
