package restante.junit;

/** Too few messages matched within the time of a wait. The message says which criteria the nearest messages fail. */
public final class NoMatchError extends AssertionError {
    private static final long serialVersionUID = 1L;

    private final int matched;
    private final String explanation;

    NoMatchError(String search, int matched, int expected, String explanation) {
        super(
            (expected == 1 ? "No message" : matched + " of " + expected + " messages")
                + " matched " + search + (explanation.isEmpty() ? "" : "\n" + explanation));
        this.matched = matched;
        this.explanation = explanation;
    }

    /**
     * Returns the number of messages that matched.
     *
     * @return the number of messages
     */
    public int matched() {
        return matched;
    }

    /**
     * Returns why no more messages matched.
     *
     * @return a few lines; empty when the service does not explain it
     */
    public String explanation() {
        return explanation;
    }
}
