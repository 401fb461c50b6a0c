package rootdk.notebook;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The claims of the course, read from the copy of {@code notebooks/claims.csv} in this JAR. */
final class Ledger {

    /** What a check tells about its claim; {@code article} is empty where the article agrees. */
    record Entry(String id, String claim, String article) {
    }

    private static final String RESOURCE = "claims.csv";

    private final Map<String, Entry> entries;

    private Ledger(Map<String, Entry> entries) {
        this.entries = entries;
    }

    /** The course's own ledger, read at the first claim. */
    static Ledger course() {
        return Course.LEDGER;
    }

    private static final class Course {
        static final Ledger LEDGER = load();

        private static Ledger load() {
            try (InputStream in = Ledger.class.getResourceAsStream(RESOURCE)) {
                if (in == null) {
                    throw new IllegalStateException("the ledger rootdk/notebook/" + RESOURCE
                            + " is not in the JAR: build it again beside notebooks/" + RESOURCE);
                }
                return read(new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Reads a ledger with at least the columns id, part, claim and article. */
    static Ledger read(Reader csv) throws IOException {
        List<List<String>> records = records(csv);
        if (records.isEmpty()) {
            throw new IllegalArgumentException("the ledger is empty: it needs a header");
        }
        List<String> header = records.get(0);
        int id = index(header, "id");
        int part = index(header, "part");
        int claim = index(header, "claim");
        int article = index(header, "article");
        Map<String, Entry> entries = new LinkedHashMap<>();
        for (List<String> r : records.subList(1, records.size())) {
            if (r.size() != header.size()) {
                throw new IllegalArgumentException("the ledger's row " + r.get(0) + " has " + r.size()
                        + " fields, its header " + header.size());
            }
            String key = r.get(id) + r.get(part);
            if (entries.put(key, new Entry(key, r.get(claim), r.get(article))) != null) {
                throw new IllegalArgumentException("the ledger has two rows " + key);
            }
        }
        return new Ledger(entries);
    }

    private static int index(List<String> header, String column) {
        int index = header.indexOf(column);
        if (index < 0) {
            throw new IllegalArgumentException("the ledger has no column " + column);
        }
        return index;
    }

    Entry get(String id) {
        Entry entry = entries.get(id);
        if (entry == null) {
            String parts = entries.keySet().stream()
                    .filter(k -> k.startsWith(id) && k.substring(id.length()).matches("[a-z]"))
                    .collect(Collectors.joining(", "));
            throw new ClaimFailure(id, "the ledger has no such row"
                    + (parts.isEmpty() ? "; see notebooks/claims.csv" : ", but " + parts));
        }
        return entry;
    }

    /** CSV as RFC 4180 defines it: a quoted field may hold commas, line breaks, and quotes written twice. */
    static List<List<String>> records(Reader csv) throws IOException {
        List<List<String>> records = new ArrayList<>();
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        boolean open = false; // whether a record has begun that is not yet stored
        for (int c = csv.read(); c >= 0; ) {
            int next = csv.read();
            if (quoted) {
                if (c != '"') {
                    field.append((char) c);
                } else if (next == '"') {
                    field.append('"');
                    next = csv.read();
                } else {
                    quoted = false;
                }
            } else if (c == '"' && field.length() == 0) {
                quoted = true;
                open = true;
            } else if (c == ',') {
                fields.add(field.toString());
                field.setLength(0);
                open = true;
            } else if (c == '\n' || c == '\r' && next == '\n') {
                if (c == '\r') {
                    next = csv.read();
                }
                if (open) {
                    fields.add(field.toString());
                    records.add(fields);
                }
                fields = new ArrayList<>();
                field.setLength(0);
                open = false;
            } else {
                field.append((char) c);
                open = true;
            }
            c = next;
        }
        if (quoted) {
            throw new IllegalArgumentException("the ledger ends inside a quoted field");
        }
        if (open) {
            fields.add(field.toString());
            records.add(fields);
        }
        return records;
    }
}
