package restante.junit;

import java.util.List;

/** Messages matched that should not exist. */
public final class UnexpectedMessageError extends AssertionError {
    private static final long serialVersionUID = 1L;

    UnexpectedMessageError(String search, int expected, List<String> matched) {
        super(
            "Expected " + (expected == 0 ? "none" : expected) + ", and " + matched.size() + " matched " + search + ":\n- "
                + String.join("\n- ", matched));
    }
}
