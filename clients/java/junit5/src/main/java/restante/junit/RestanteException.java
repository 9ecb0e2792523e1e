package restante.junit;

/** Failure to use the service: it cannot be reached or started, or it has rejected a request. */
public class RestanteException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RestanteException(String message, Throwable cause) {
        super(message, cause);
    }
}
