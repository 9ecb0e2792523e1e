package restante.junit;

import java.util.List;

/** Messages were sent more than once. */
public final class DuplicatesError extends AssertionError {
    private static final long serialVersionUID = 1L;

    DuplicatesError(String address, List<String> groups) {
        super("Messages to " + address + " were sent more than once:\n- " + String.join("\n- ", groups));
    }
}
