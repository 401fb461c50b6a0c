package rootdk.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rootdk.training.Cases.assertMessage;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import rootdk.stats.Draws;

class TaskTest {
    /** Keys are different, each query is one of them with a blank, and its label is the key's value. */
    @Test
    void recallAsksForTheValueOfAKey() {
        Task task = Task.recall(9, 4, 5, 3);
        int[] tokens = new int[16];
        int[] labels = new int[3];
        int[] keys = new int[9];
        int[] values = new int[4];
        Draws draws = Draws.of(1);
        for (int n = 0; n < 9000; n++) {
            task.draw(draws, tokens, labels);
            Set<Integer> seen = new HashSet<>();
            for (int j = 0; j < 5; j++) {
                assertTrue(tokens[2 * j] < 9 && tokens[2 * j + 1] >= 9 && tokens[2 * j + 1] < 13);
                assertTrue(seen.add(tokens[2 * j]), "each key once");
                keys[tokens[2 * j]]++;
                values[tokens[2 * j + 1] - 9]++;
            }
            for (int i = 0; i < 3; i++) {
                int key = tokens[2 * (5 + i)];
                assertEquals(13, tokens[2 * (5 + i) + 1], "the blank");
                for (int j = 0; j < 5; j++) {
                    if (tokens[2 * j] == key) {
                        assertEquals(tokens[2 * j + 1] - 9, labels[i]);
                    }
                }
                assertTrue(seen.contains(key));
            }
        }
        for (int count : keys) {
            assertEquals(5000, count, 4 * Math.sqrt(9000 * 5 / 9.0 * 4 / 9), "a key is in 5 of 9 sequences, within 4 standard errors");
        }
        for (int count : values) {
            assertEquals(45000 / 4.0, count, 4 * Math.sqrt(45000 * 0.25 * 0.75));
        }
    }

    @Test
    void majorityHasAClearWinner() {
        Task task = Task.majority(2, 3, 4);
        int[] tokens = new int[20];
        int[] labels = new int[2];
        int[] wins = new int[3];
        Draws draws = Draws.of(2);
        for (int n = 0; n < 3000; n++) {
            task.draw(draws, tokens, labels);
            for (int i = 0; i < 2; i++) {
                int[] votes = new int[3];
                for (int j = 0; j < 8; j++) {
                    votes[tokens[2 * j + 1] - 2] += tokens[2 * j] == tokens[16 + 2 * i] ? 1 : 0;
                }
                assertEquals(4, votes[0] + votes[1] + votes[2]);
                for (int value = 0; value < 3; value++) {
                    assertTrue(value == labels[i] || votes[value] < votes[labels[i]], "no other value has as many votes");
                }
                assertEquals(5, tokens[17 + 2 * i], "the blank");
                wins[labels[i]]++;
            }
        }
        for (int count : wins) {
            assertEquals(2000, count, 4 * Math.sqrt(6000 * 2 / 9.0));
        }
    }

    @Test
    void sizes() {
        Task recall = Task.recall(9, 4, 5, 3);
        Task majority = Task.majority(2, 3, 4);
        assertArrayEquals(new int[] {5, 3, 14, 4}, new int[] {recall.nK(), recall.nQ(), recall.symbols(), recall.classes()});
        assertArrayEquals(new int[] {8, 2, 6, 3}, new int[] {majority.nK(), majority.nQ(), majority.symbols(), majority.classes()});
        assertEquals("2 sequences of majority (2 keys, 3 values, 4 votes each)", new Batch(majority, 2).toString());
    }

    @Test
    void batchesDependOnTheStreamAlone() {
        Task task = Task.recall(9, 4, 5, 3);
        Batch one = new Batch(task, 4).draw(Draws.of(7));
        Batch other = new Batch(task, 4).draw(Draws.of(6)).draw(Draws.of(7));
        assertArrayEquals(one.keyTokens, other.keyTokens);
        assertArrayEquals(one.queryTokens, other.queryTokens);
        assertArrayEquals(one.labels, other.labels);
    }

    /** A task of one's own that answers a class it does not have. */
    @Test
    void badInput() {
        assertMessage("keys is 3, nK is 4: a sequence holds nK different keys, so keys must be at least nK",
                () -> Task.recall(3, 2, 4, 1));
        assertMessage("values is 1: it must be at least 2", () -> Task.recall(3, 1, 3, 1));
        assertMessage("nQ is 0: it must be at least 1", () -> Task.recall(3, 2, 3, 0));
        assertMessage("nK is 0: it must be at least 1", () -> Task.recall(3, 2, 0, 1));
        assertMessage("votes is 0: it must be at least 1", () -> Task.majority(3, 2, 0));
        assertMessage("keys is 0: it must be at least 1", () -> Task.majority(0, 2, 1));
        assertMessage("values is 1: it must be at least 2", () -> Task.majority(1, 1, 1));
        assertMessage("task is null", () -> new Batch(null, 1));
        assertMessage("size is 0: it must be at least 1", () -> new Batch(Task.majority(1, 2, 1), 0));
        Task wrong = new Cases.Sizes(1, 1, 2, 2, 2);
        assertMessage("the task drew class 2: it says it has 2, from 0 to 1", () -> new Batch(wrong, 1).draw(Draws.of(1)));
    }
}
