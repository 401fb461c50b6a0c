package rootdk.chart;

/**
 * A figure: a picture, the sentence that says what it shows, and a digest of the plotted data.
 *
 * <p>The four methods may be called any number of times; equal figures give equal results, on every machine, locale and
 * supported Java. The picture is drawn when {@link #svg()} or {@link #png()} is called: until then neither
 * AWT's toolkit nor a font is loaded. Then, where {@code java.awt.headless} is not set, it is set to true.
 */
public interface Figure {

    /**
     * The picture as an SVG document: white ground, a {@code viewBox}, width and height in px, text as outlines (no font is
     * needed to show it), at most some 40 KB for the figures of a chapter.
     *
     * @return the document, without an XML declaration, so that it can stand in HTML
     * @throws IllegalStateException if the figure has nothing to draw, or this Java cannot load fonts
     */
    String svg();

    /**
     * The same picture as a PNG at one pixel per px, for viewers without HTML.
     *
     * @return the bytes of a PNG file
     * @throws IllegalStateException as for {@link #svg()}
     */
    byte[] png();

    /**
     * What the figure shows in plain words: kind, title, axes with their ranges, each series with where it starts and ends,
     * its extreme or its values. It serves as alternative text: no markup, about 600 characters at most.
     *
     * @return one paragraph
     * @throws IllegalStateException if the figure has nothing to draw
     */
    String description();

    /**
     * A short hash of labels, plotted data, and scales, ranges and size where set, the numbers rounded to 6 significant
     * digits: equal for figures that differ by rounding errors only.
     *
     * @return the first 12 hexadecimal digits of a SHA-256
     * @throws IllegalStateException if the figure has nothing to draw
     */
    String digest();
}
