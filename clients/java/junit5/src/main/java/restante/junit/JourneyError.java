package restante.junit;

import java.util.List;

/** A journey is not complete. The message has the reason of each step that was not met. */
public final class JourneyError extends AssertionError {
    private static final long serialVersionUID = 1L;

    JourneyError(List<String> reasons) {
        super("The journey is not complete:\n- " + String.join("\n- ", reasons));
    }
}
