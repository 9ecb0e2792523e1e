package restante.junit;

/** A message lacks the requested code, link or attachment. The message of the error says what it has instead. */
public final class ContentError extends AssertionError {
    private static final long serialVersionUID = 1L;

    ContentError(String message) {
        super(message);
    }
}
