package restante.junit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Reports each snapshot that no test has compared, in a line on the error stream, after a run of all tests of a folder of
 * classes that passed; removes it when snapshots are updated. JUnit loads this listener by itself.
 */
public final class ObsoleteSnapshots implements TestExecutionListener {
    private static final LauncherConfig NO_LISTENERS = LauncherConfig.builder()
        .enableTestExecutionListenerAutoRegistration(false)
        .enableLauncherDiscoveryListenerAutoRegistration(false)
        .enableLauncherSessionListenerAutoRegistration(false)
        .enablePostDiscoveryFilterAutoRegistration(false)
        .build();

    private final Set<String> passed = ConcurrentHashMap.newKeySet();
    private volatile boolean isPartial;

    /** Creates a listener of one launcher. */
    public ObsoleteSnapshots() {}

    /** Notes a test that does not run. */
    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        isPartial = true;
    }

    /** Notes whether a test, or a container of tests, has passed. */
    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        passed.add(test.getUniqueId());
        isPartial = isPartial || result.getStatus() != TestExecutionResult.Status.SUCCESSFUL;
    }

    /** Reports the obsolete snapshots when all tests that there are have passed. */
    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        List<Path> unused = MailSnapshot.unused();
        if (unused.isEmpty() || isPartial || !hasRunAll(plan)) {
            return;
        }
        for (Path file : unused) {
            System.err.println(MailSnapshot.isUpdating()
                ? "restante: removed " + file + ", which no test compares"
                : "restante: " + file + " is obsolete: no test compares it; -Drestante.updateSnapshots=true removes it");
            try {
                if (MailSnapshot.isUpdating()) {
                    Files.delete(file);
                }
            } catch (IOException error) {
                throw new RestanteException("The snapshot " + file + " cannot be removed: " + error, error);
            }
        }
    }

    /** Returns whether the run had all tests below the folders of its classes: build tools pass a part of them without saying so. */
    private boolean hasRunAll(TestPlan plan) {
        Set<Path> roots = new HashSet<>();
        identifiers(plan).forEach(test -> test.getSource().ifPresent(source -> {
            if (source instanceof ClassSource) {
                rootOf(((ClassSource) source).getJavaClass(), roots);
            }
        }));
        LauncherDiscoveryRequest all = LauncherDiscoveryRequestBuilder.request().selectors(selectClasspathRoots(roots)).build();
        return !roots.isEmpty()
            && identifiers(LauncherFactory.create(NO_LISTENERS).discover(all)).allMatch(test -> passed.contains(test.getUniqueId()));
    }

    private static Stream<TestIdentifier> identifiers(TestPlan plan) {
        return plan.getRoots().stream().flatMap(root -> plan.getDescendants(root).stream());
    }

    private static void rootOf(Class<?> testClass, Set<Path> roots) {
        CodeSource source = testClass.getProtectionDomain().getCodeSource();
        if (source != null && "file".equals(source.getLocation().getProtocol())) {
            Path root = Path.of(URI.create(source.getLocation().toString()));
            if (Files.isDirectory(root)) {
                roots.add(root);
            }
        }
    }
}
