package restante.testcontainers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testcontainers.containers.Network;
import org.testcontainers.utility.DockerImageName;
import restante.junit.Inbox;
import restante.junit.Restante;
import restante.junit.RestanteExtension;

/** The container, on the Docker daemon that DOCKER_HOST names. */
@EnabledIfEnvironmentVariable(named = "DOCKER_HOST", matches = ".+")
class RestanteContainerTest {
    private static final RestanteContainer CONTAINER =
        new RestanteContainer(DockerImageName.parse("restante:other")).withServerId("abcd0001");

    @RegisterExtension
    static final RestanteExtension RESTANTE = RestanteExtension.using(CONTAINER::startedConnection);

    @AfterAll
    static void stop() {
        CONTAINER.stop();
    }

    @Test
    void isTheServiceOfATestClass(Restante restante, Inbox inbox) {
        assertEquals(CONTAINER.getUrl(), restante.url());
        assertEquals(CONTAINER.getSmtpPort(), restante.smtpPort());
        assertEquals(CONTAINER.getApiKey(), restante.apiKey());
        assertEquals(List.of(), inbox.messages());
    }

    @Test
    void hasTheGivenServerAndEnvironment() {
        Restante server = Restante.of(CONTAINER.startedConnection(), CONTAINER.getServerId());
        assertEquals("abcd0001.restante.example.com", server.domain());
        assertEquals(List.of(), server.inbox("x").messages());
        List<String> environment = Arrays.asList(CONTAINER.getContainerInfo().getConfig().getEnv());
        assertTrue(environment.contains("RESTANTE_SMTP_STARTTLS=never"), environment::toString);
        assertEquals("restante:other", CONTAINER.getContainerInfo().getConfig().getImage());
        assertEquals(48, CONTAINER.getApiKey().length());
    }

    @Test
    void isReachedByItsAliasInANetwork() {
        String key = "k".repeat(24);
        try (Network network = Network.newNetwork();
            RestanteContainer container = new RestanteContainer().withAlias(network, "mail").withApiKey(key)) {
            container.start();
            List<List<String>> aliases = container.getContainerInfo().getNetworkSettings().getNetworks().values().stream()
                .map(joined -> joined.getAliases())
                .collect(Collectors.toList());
            assertTrue(aliases.stream().anyMatch(names -> names != null && names.contains("mail")), aliases::toString);
            assertEquals(key, container.getApiKey());
        }
    }
}
