package restante.junit;

import java.net.URI;
import java.util.Map;

/** Addresses and key of a service. */
public final class Connection {
    private static final int DEFAULT_SMTP_PORT = 1025;

    private final String url;
    private final String apiKey;
    private final String smtpHost;
    private final int smtpPort;
    private final String mailDomain;

    /**
     * Describes a service with the default mail domain.
     *
     * @param url base URL of the API
     * @param apiKey account key, or key of one server
     * @param smtpHost host to which the application under test sends its mail
     * @param smtpPort port to which the application under test sends its mail
     */
    public Connection(String url, String apiKey, String smtpHost, int smtpPort) {
        this(url, apiKey, smtpHost, smtpPort, Restante.DEFAULT_MAIL_DOMAIN);
    }

    private Connection(String url, String apiKey, String smtpHost, int smtpPort, String mailDomain) {
        this.url = url;
        this.apiKey = apiKey;
        this.smtpHost = smtpHost;
        this.smtpPort = smtpPort;
        this.mailDomain = mailDomain;
    }

    /** Returns the service that the variables name. */
    static Connection fromEnvironment(Map<String, String> environment) {
        String url = environment.get("RESTANTE_URL");
        String key = environment.getOrDefault("RESTANTE_API_KEY", "");
        if (key.isEmpty()) {
            throw new RestanteException("RESTANTE_API_KEY is missing: set it to a key of the service at RESTANTE_URL", null);
        }
        // `restante env` sets those of the official libraries, because RESTANTE_SMTP_PORT is also a setting of the service.
        String host = first(environment, "RESTANTE_SMTP_HOST", "MAILOSAUR_SMTP_HOST", URI.create(url).getHost());
        String port = first(environment, "RESTANTE_SMTP_PORT", "MAILOSAUR_SMTP_PORT", String.valueOf(DEFAULT_SMTP_PORT));
        return new Connection(url, key, host, portOf(port)).withMailDomain(environment);
    }

    Connection withMailDomain(Map<String, String> environment) {
        String domain = environment.getOrDefault("RESTANTE_MAIL_DOMAIN", Restante.DEFAULT_MAIL_DOMAIN);
        return new Connection(url, apiKey, smtpHost, smtpPort, domain);
    }

    /**
     * Returns the base URL.
     *
     * @return base URL of the API
     */
    public String url() {
        return url;
    }

    /**
     * Returns the key.
     *
     * @return account key, or key of one server
     */
    public String apiKey() {
        return apiKey;
    }

    /**
     * Returns the SMTP host.
     *
     * @return host to which the application under test sends its mail
     */
    public String smtpHost() {
        return smtpHost;
    }

    /**
     * Returns the SMTP port.
     *
     * @return port to which the application under test sends its mail
     */
    public int smtpPort() {
        return smtpPort;
    }

    /**
     * Returns the mail domain.
     *
     * @return mail domain of the service
     */
    public String mailDomain() {
        return mailDomain;
    }

    private static int portOf(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException error) {
            throw new RestanteException("RESTANTE_SMTP_PORT must be a port, not " + text, error);
        }
    }

    private static String first(Map<String, String> environment, String name, String otherName, String otherwise) {
        return environment.getOrDefault(name, environment.getOrDefault(otherName, otherwise));
    }
}
