package restante.junit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * JUnit extension for tests of e-mail and SMS. A test class has a server of its own, a test method an address:
 *
 * <pre>{@code
 * @ExtendWith(RestanteExtension.class)
 * class SignUpTest {
 *     @Test
 *     void sendsACode(Restante restante, Inbox inbox) {
 *         signUp(inbox.address(), restante.smtpHost(), restante.smtpPort());
 *         assertEquals(6, inbox.waitForOne(Search.any().subject("Welcome")).code().length());
 *     }
 * }
 * }</pre>
 *
 * Parameters of test methods and of methods for set-up may be {@link Restante}, {@link Inbox} (one address for each test
 * method) and {@link PhoneInbox}. The service is the one that the variables {@code RESTANTE_URL} and
 * {@code RESTANTE_API_KEY} name; otherwise it is started once for all test classes, by the command in
 * {@code RESTANTE_COMMAND} (default {@code npx restante}). Register the extension with {@code @RegisterExtension} to use
 * another service, such as a container.
 *
 * <p>With a key that is restricted to one server, classes share the server in {@code RESTANTE_SERVER}. After a test its
 * messages are deleted, and no others. The failure of a test has its mail as a suppressed exception. With the property
 * {@code restante.record}, or the variable {@code RESTANTE_RECORD}, each test records its mail for {@code restante report}.
 */
public final class RestanteExtension implements AfterEachCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(RestanteExtension.class);

    private final Supplier<Connection> source;

    /** Uses the service that the environment names, or starts one. */
    public RestanteExtension() {
        this(null);
    }

    private RestanteExtension(Supplier<Connection> source) {
        this.source = source;
    }

    /**
     * Returns an extension that uses another service.
     *
     * @param source returns the service; it is called for each test class, when a test first uses it
     * @return the extension
     */
    public static RestanteExtension using(Supplier<Connection> source) {
        return new RestanteExtension(source);
    }

    /** Records the mail of the test where the run is recorded, and adds it to the failure of the test. */
    @Override
    public void afterEach(ExtensionContext context) {
        Inboxes inboxes = methodStore(context).get(Inboxes.class, Inboxes.class);
        if (inboxes == null || inboxes.list.isEmpty()) {
            return;
        }
        if (!MailRecord.folder().isEmpty()) {
            record(context, inboxes);
        }
        context.getExecutionException().ifPresent(failure -> {
            String report = FailureReport.of(List.copyOf(inboxes.list), bundleFolder(context));
            failure.addSuppressed(new MailOfFailedTest(report));
            context.publishReportEntry("restante", report);
        });
    }

    private static void record(ExtensionContext context, Inboxes inboxes) {
        String testClass = context.getRequiredTestClass().getName();
        boolean hasFailed = context.getExecutionException().isPresent();
        String problem =
            MailRecord.add(inboxes.restante, List.copyOf(inboxes.list), testClass, context.getDisplayName(), hasFailed);
        if (!problem.isEmpty()) {
            context.publishReportEntry("restante", "The mail of the test is not in " + MailRecord.folder() + ": " + problem);
        }
    }

    /** Returns whether the parameter is one of the types of this extension; an inbox is one of a test method. */
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        boolean isInbox = type == Inbox.class || type == PhoneInbox.class;
        return type == Restante.class || (isInbox && context.getTestMethod().isPresent());
    }

    /** Returns the server of the class, or an inbox of the method. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        Restante server = server(context);
        if (context.getTestMethod().isEmpty()) {
            return server;
        }
        String name = nameOf(context);
        Inboxes inboxes = methodStore(context)
            .getOrComputeIfAbsent(Inboxes.class, key -> new Inboxes(server, name), Inboxes.class);
        return type == Restante.class ? inboxes.restante : type == Inbox.class ? inboxes.inbox() : inboxes.phone();
    }

    private Restante server(ExtensionContext context) {
        ExtensionContext owner = classOf(context);
        return owner.getStore(NAMESPACE).getOrComputeIfAbsent(this, key -> open(owner), Restante.class);
    }

    private Restante open(ExtensionContext owner) {
        Map<String, String> environment = System.getenv();
        Connection connection = source != null ? source.get() : connection(owner, environment);
        try {
            return Restante.create(connection, "JUnit " + owner.getDisplayName());
        } catch (ResponseException error) {
            // 403: the key is restricted to one server.
            if (error.status() != 403 || !environment.containsKey("RESTANTE_SERVER")) {
                throw error;
            }
            return Restante.of(connection, environment.get("RESTANTE_SERVER"));
        }
    }

    private static Connection connection(ExtensionContext context, Map<String, String> environment) {
        if (!environment.getOrDefault("RESTANTE_URL", "").isEmpty()) {
            return Connection.fromEnvironment(environment);
        }
        return context.getRoot().getStore(NAMESPACE)
            .getOrComputeIfAbsent(ServiceProcess.class, key -> ServiceProcess.start(ServiceProcess.command()), ServiceProcess.class)
            .connection()
            .withMailDomain(environment);
    }

    /** Returns the context of the outermost test class, so that nested classes share a server. */
    private static ExtensionContext classOf(ExtensionContext context) {
        ExtensionContext owner = context;
        while (owner.getParent().filter(parent -> parent.getTestClass().isPresent()).isPresent()) {
            owner = owner.getParent().get();
        }
        return owner;
    }

    private static Store methodStore(ExtensionContext context) {
        return context.getStore(NAMESPACE);
    }

    private static String nameOf(ExtensionContext context) {
        return context.getTestMethod().map(method -> method.getName()).orElse(context.getDisplayName());
    }

    /** Returns a folder below that of the build tool, or RESTANTE_BUNDLES. */
    private static Path bundleFolder(ExtensionContext context) {
        String given = System.getenv("RESTANTE_BUNDLES");
        Path build = Files.isDirectory(Path.of("target")) ? Path.of("target") : Path.of("build");
        Path root = given == null || given.isEmpty() ? build.resolve("restante-bundles") : Path.of(given);
        return root.resolve(context.getRequiredTestClass().getName()).resolve(nameOf(context));
    }

    /** Inboxes of a test method. The store closes them after the test has been reported. */
    private static final class Inboxes implements AutoCloseable {
        private final List<Inbox> list = Collections.synchronizedList(new ArrayList<>());
        private final Restante restante;
        private final String name;
        private Inbox inbox;
        private PhoneInbox phone;

        Inboxes(Restante server, String name) {
            this.restante = server.observedBy(list::add);
            this.name = name;
        }

        Inbox inbox() {
            if (inbox == null) {
                inbox = restante.inbox(name);
            }
            return inbox;
        }

        PhoneInbox phone() {
            if (phone == null) {
                phone = restante.phone();
            }
            return phone;
        }

        @Override
        public void close() {
            list.forEach(Inbox::close);
        }
    }
}
