package restante.junit;

/** Link of a message. */
public final class Link {
    private String href;
    private String text;

    private Link() {}

    /**
     * Returns the target.
     *
     * @return the URL
     */
    public String href() {
        return href;
    }

    /**
     * Returns what a reader sees of the link.
     *
     * @return the visible text; empty when there is none
     */
    public String text() {
        return text == null ? "" : text;
    }

    /** Returns the text and the target. */
    @Override
    public String toString() {
        return "\"" + text() + "\" " + href;
    }
}
