package restante.testcontainers;

import java.security.SecureRandom;
import java.time.Duration;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;
import restante.junit.Connection;

/**
 * restante in a container, with one server and an account key:
 *
 * <pre>{@code
 * static final RestanteContainer CONTAINER = new RestanteContainer();
 *
 * @RegisterExtension
 * static final RestanteExtension RESTANTE = RestanteExtension.using(CONTAINER::startedConnection);
 * }</pre>
 */
public class RestanteContainer extends GenericContainer<RestanteContainer> {
    /** Image of this version, without the registry it is in. */
    public static final String DEFAULT_IMAGE = "restante:0.1.0";

    /** Id of the server that the container creates. */
    public static final String DEFAULT_SERVER_ID = "tests001";

    /** Port of the API within the network of containers. */
    public static final int HTTP_PORT = 8025;

    /** Port of SMTP within the network of containers. */
    public static final int SMTP_PORT = 1025;

    private static final Duration READY_MAX = Duration.ofMinutes(2);

    private String apiKey;
    private String serverId = DEFAULT_SERVER_ID;

    /** Uses the image of the variable {@code RESTANTE_IMAGE}, or {@link #DEFAULT_IMAGE}. */
    public RestanteContainer() {
        this(DockerImageName.parse(System.getenv().getOrDefault("RESTANTE_IMAGE", DEFAULT_IMAGE)));
    }

    /**
     * Uses an image.
     *
     * @param image name of the image
     */
    // Testcontainers sets up containers by methods of GenericContainer; JDK 21 and later warn of them in constructors.
    @SuppressWarnings("this-escape")
    public RestanteContainer(DockerImageName image) {
        super(image);
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        StringBuilder key = new StringBuilder();
        for (byte one : random) {
            key.append(String.format("%02x", one));
        }
        apiKey = key.toString();
        addExposedPorts(HTTP_PORT, SMTP_PORT);
        setWaitStrategy(Wait.forHttp("/readyz").forPort(HTTP_PORT).forStatusCode(200).withStartupTimeout(READY_MAX));
    }

    /**
     * Sets the account key; otherwise it is random.
     *
     * @param key key of at least 16 characters
     * @return this container
     */
    public RestanteContainer withApiKey(String key) {
        apiKey = key;
        return self();
    }

    /**
     * Sets the id of the server.
     *
     * @param id eight letters or digits
     * @return this container
     */
    public RestanteContainer withServerId(String id) {
        serverId = id;
        return self();
    }

    /**
     * Connects the container to a network, in which the application under test reaches it by its alias, with SMTP on port
     * {@link #SMTP_PORT} and HTTP on port {@link #HTTP_PORT}.
     *
     * @param network the network
     * @param alias host name of the container in the network
     * @return this container
     */
    public RestanteContainer withAlias(Network network, String alias) {
        return withNetwork(network).withNetworkAliases(alias);
    }

    /**
     * Returns the base URL for this machine.
     *
     * @return base URL of the API and of the web UI
     */
    public String getUrl() {
        return "http://" + getHost() + ":" + getMappedPort(HTTP_PORT);
    }

    /**
     * Returns the SMTP host for this machine.
     *
     * @return host to which an application on this machine sends its mail
     */
    public String getSmtpHost() {
        return getHost();
    }

    /**
     * Returns the SMTP port for this machine.
     *
     * @return port to which an application on this machine sends its mail
     */
    public int getSmtpPort() {
        return getMappedPort(SMTP_PORT);
    }

    /**
     * Returns the account key.
     *
     * @return the key
     */
    public String getApiKey() {
        return apiKey;
    }

    /**
     * Returns the id of the server.
     *
     * @return the id
     */
    public String getServerId() {
        return serverId;
    }

    /**
     * Starts the container if it is not running, for {@code RestanteExtension.using}. Needs {@code restante-junit5}.
     *
     * @return addresses and key of the service
     */
    public Connection startedConnection() {
        start();
        return new Connection(getUrl(), apiKey, getSmtpHost(), getSmtpPort());
    }

    /** Sets the environment. */
    @Override
    protected void configure() {
        addEnv("RESTANTE_API_KEY", apiKey);
        addEnv("RESTANTE_SERVERS", serverId + ":Tests");
        // Clients come from other addresses than loopback; without this they would have to trust the local CA.
        addEnv("RESTANTE_SMTP_STARTTLS", "never");
    }
}
