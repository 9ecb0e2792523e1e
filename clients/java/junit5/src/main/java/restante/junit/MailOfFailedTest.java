package restante.junit;

/** Mail of a failed test. It is a suppressed exception of the failure, because every report shows those. */
public final class MailOfFailedTest extends Exception {
    private static final long serialVersionUID = 1L;

    MailOfFailedTest(String message) {
        super(message, null, false, false);
    }
}
