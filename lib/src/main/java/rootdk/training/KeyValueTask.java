package rootdk.training;

/**
 * A task whose tokens are pairs of a key and a value. Symbols: the keys, then the values, then the blank that stands in a query for the
 * value. The values are the classes.
 */
interface KeyValueTask extends Task {
    int keys();

    int values();

    @Override
    default int symbols() {
        return keys() + values() + 1;
    }

    @Override
    default int classes() {
        return values();
    }
}
