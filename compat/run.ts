/**
 * Runs an official library of another language, unchanged from its registry, an application, or the tests of a client in
 * `clients`, against a new service: `npm run compat:python` and others. Skips with exit code 0 if the language is not installed.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { providers } from "../src/providers/registry.ts";
import { mainFile, runCommand, ServiceProcess } from "../src/testing/service-process.ts";
import { applicationRuns } from "./apps/applications.ts";
import { openDocker, type Docker } from "./docker-daemon.ts";
import { pythonPackages, type Language } from "./language.ts";
import { recordSdks } from "./sdks/record.ts";

const here = import.meta.dirname;
const clients = join(here, "..", "clients");
const pythonSteps =
  (program: string, ...packages: readonly string[]): Language["steps"] =>
  (folder) => [...pythonPackages(folder, packages), [join(folder, "bin", "python"), join(here, "python", program)]];
const python = pythonSteps("scenarios.py", "mailosaur");
const pythonClient: Language["steps"] = (folder) => {
  const project = join(clients, "python");
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  const python = join(folder, "bin", "python");
  const own = ["-p", "no:cacheprovider", `--restante-bundles=${join(folder, "bundles")}`];
  return [
    ["python3", "-m", "venv", folder],
    [python, ...pip, `${project}[testcontainers]`, "pytest-xdist", "pytest-html", "mypy"],
    [
      python,
      "-m",
      "mypy",
      "--no-incremental",
      `--config-file=${join(project, "pyproject.toml")}`,
      join(project, "src"),
    ],
    [python, "-B", "-m", "pytest", "--quiet", ...own, `--rootdir=${project}`, project],
  ];
};
const javaSteps =
  (project: string, program: string): Language["steps"] =>
  (folder) => {
    const copy = ["dependency:copy-dependencies", `-DoutputDirectory=${folder}`];
    return [
      ["mvn", "-q", "-B", "-f", join(here, "java", project), ...copy],
      ["java", "-cp", join(folder, "*"), join(here, "java", program)],
    ];
  };
/** Runs a program of Java in `$2` with the jars in `$1`, through the proxy of `restante env --proxy`. */
const throughProxy = [
  `trust="$1/trust.p12"`,
  `keytool -importcert -noprompt -alias restante -file "$RESTANTE_CA" -keystore "$trust" -storepass changeit 2>/dev/null`,
  `proxy="\${HTTPS_PROXY#http://}"`,
  `exec java -Dhttps.proxyHost="\${proxy%:*}" -Dhttps.proxyPort="\${proxy#*:}" -Djavax.net.ssl.trustStore="$trust" -Djavax.net.ssl.trustStorePassword=changeit -cp "$1/*" "$2"`,
].join("\n");
/** The first step uses the registry, so that the last one finds everything. */
const goClient: Language["steps"] = () => {
  const folder = join(clients, "go");
  const tests = "go vet ./... && go test -count=1 ./...";
  return [
    ["go", "-C", join(folder, "testcontainers"), "mod", "download"],
    ["sh", "-c", `cd '${folder}' && ${tests} && cd testcontainers && ${tests}`],
  ];
};
/** Options of the runs of SDKs, some of which reach the service only through the proxy. */
function ofSdks(language: string): Pick<Language, "flags" | "serviceFlags" | "sdksOf"> {
  const names = providers.map(({ name }) => name).join(",");
  return { flags: ["--proxy", "--providers"], serviceFlags: [`--intercept=${names}`], sdksOf: language };
}
const languages: Readonly<Record<string, Language>> = {
  python: { needs: ["python3"], flags: [], steps: python },
  "python-proxy": { needs: ["python3"], flags: ["--proxy"], steps: python },
  // The SDK of AWS and its command line tool, which send mail and SMS.
  "python-aws": { needs: ["python3"], flags: [], steps: pythonSteps("aws.py", "boto3", "awscli") },
  "python-sdks": {
    needs: ["python3"],
    ...ofSdks("Python"),
    steps: pythonSteps(
      "sdks.py",
      "azure-communication-email",
      "azure-communication-sms",
      "boto3",
      "brevo-python",
      "google-api-python-client",
      "mailchimp-transactional",
      "mailersend",
      "mailgun",
      "mailjet-rest",
      "mailtrap",
      "msgraph-sdk",
      "postmarker",
      "resend",
      "sendgrid",
      "sparkpost",
      "twilio",
      "vonage",
    ),
  },
  // Webhook views of django-anymail, which receive the events and the inbound mail of providers.
  "python-anymail": {
    needs: ["python3"],
    flags: [],
    steps: pythonSteps("anymail_checks.py", "django", "django-anymail[amazon-ses,resend]", "cryptography"),
  },
  // Clients of Mailpit, for the listener for its API.
  "python-mailpit": {
    needs: ["python3"],
    flags: [],
    serviceFlags: ["--mailpit-port=0"],
    steps: (folder) => {
      const python = join(folder, "bin", "python");
      const checks = join(here, "python", "mailpit_checks.py");
      return [
        ...pythonSteps("", "pytest-mailpit", "mailpit-api-client")(folder).slice(0, -1),
        [python, "-B", "-m", "pytest", "--quiet", "-p", "no:cacheprovider", checks],
      ];
    },
  },
  // The live test of imapclient; imaptest is in no registry.
  "python-imap": {
    needs: ["python3"],
    flags: [],
    serviceFlags: ["--imap-port=0"],
    steps: pythonSteps("imapclient_checks.py", "imapclient"),
  },
  // Schemathesis, over every operation of our own document.
  "python-openapi": {
    needs: ["python3"],
    flags: [],
    // The examples of the document name the server; nothing listens at the relay.
    serviceFlags: [
      "--limit-wrong-key-count-per-minute=1000000",
      "--servers=abcd1234:Default",
      "--verified=@corp.example",
      "--relay-url=smtp://127.0.0.1:9",
      "--link-check=yes",
    ],
    steps: pythonSteps("openapi_checks.py", "schemathesis"),
  },
  ...applicationRuns(),
  "python-client": { needs: ["python3"], flags: [], steps: pythonClient },
  java: { needs: ["mvn"], flags: [], steps: javaSteps("pom.xml", "Scenarios.java") },
  // Version 2 of the SDK of AWS, which drops the path of an endpoint for some services.
  "java-aws": { needs: ["mvn"], flags: [], steps: javaSteps("aws.pom.xml", "Aws.java") },
  "java-sdks": {
    needs: ["mvn"],
    ...ofSdks("Java"),
    steps: (folder) => [
      ...javaSteps("sdks.pom.xml", "Sdks.java")(folder).slice(0, 1),
      // The JVM reads neither HTTPS_PROXY nor a file of certificates.
      ["sh", "-c", throughProxy, "java", folder, join(here, "java", "Sdks.java")],
    ],
  },
  // The bridges of Symfony, from Debian: php-cli php-curl php-symfony-{mailgun,mailjet,postmark,sendgrid,sendinblue,amazon}-mailer
  // php-symfony-{twilio,vonage,amazon-sns}-notifier. The SDKs of the providers are in Packagist.
  "php-sdks": {
    needs: ["php"],
    ...ofSdks("PHP"),
    // ext-curl does not read SSL_CERT_FILE.
    steps: () => [
      [
        "sh",
        "-c",
        `exec php -d curl.cainfo="$RESTANTE_CA" -d openssl.cafile="$RESTANTE_CA" "$1"`,
        "php",
        join(here, "php", "sdks.php"),
      ],
    ],
  },
  // From Debian: ruby-postmark. Other gems of providers are in RubyGems.
  "ruby-sdks": { needs: ["ruby"], ...ofSdks("Ruby"), steps: () => [["ruby", join(here, "ruby", "sdks.rb")]] },
  // The host of the library is fixed to mailosaur.com; the program replays its requests with Go's standard library.
  "java-client": {
    needs: ["mvn"],
    flags: [],
    steps: () => [["mvn", "-q", "-B", "-f", join(clients, "java"), "verify"]],
  },
  "go-sdks": {
    needs: ["go"],
    ...ofSdks("Go"),
    steps: (folder) => [
      ["go", "-C", join(here, "go", "sdks"), "build", "-o", join(folder, "sdks"), "."],
      [join(folder, "sdks")],
    ],
  },
  "go-client": { needs: ["go"], flags: [], steps: goClient },
  go: { needs: ["go"], flags: ["--proxy"], steps: () => [["go", "run", join(here, "go", "main.go")]] },
};

async function main(name: string): Promise<number> {
  const language = languages[name];
  if (language === undefined) throw new Error(`give one of: ${Object.keys(languages).join(", ")}`);
  const missing = language.needs.find((need) => !isInstalled(need));
  if (missing !== undefined) {
    process.stderr.write(`SKIPPED: ${name} needs ${missing}, which is not installed here\n`);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), "restante-compat-"));
  const dataDir = join(folder, "data");
  const service = await ServiceProcess.start([`--data-dir=${dataDir}`, ...(language.serviceFlags ?? [])]);
  await using docker = await openDocker();
  try {
    const { out } = await runCommand(["env", "--json", ...language.flags, `--data-dir=${dataDir}`]);
    const environment = JSON.parse(out) as Record<string, string>;
    const report = join(folder, "report.jsonl");
    const variables = {
      ...environment,
      ...clientVariables(docker),
      SDK_REPORT: report,
      RESTANTE_CA: join(dataDir, "tls", "ca.pem"),
      IMAP_ADDRESS: service.shown("IMAP"),
      MAILPIT_URL: service.shown("Mailpit"),
      MAILPIT_SMTP_HOST: "127.0.0.1",
      MAILPIT_SMTP_PORT: String(service.smtpPort),
    };
    const code = await runSteps(language.steps(join(folder, "work")), variables);
    return code === 0 && language.sdksOf !== undefined ? await record(language.sdksOf, report, environment) : code;
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}

function isInstalled(need: string): boolean {
  return need.startsWith("/") ? existsSync(need) : spawnSync(need, ["version"]).error === undefined;
}

/** Records what SDKs sent, unless a program found none, and returns the exit code: 1 if a message differs from what was sent. */
async function record(language: string, report: string, environment: Record<string, string>): Promise<number> {
  if (!existsSync(report)) {
    process.stderr.write(`SKIPPED: the libraries of providers for ${language} are not installed here\n`);
    return 0;
  }
  const { RESTANTE_URL: url = "", RESTANTE_API_KEY: key = "", RESTANTE_SERVER: server = "" } = environment;
  const failed = await recordSdks(language, readFileSync(report, "utf8"), { url, key, server });
  for (const result of failed) process.stderr.write(`FAILED: ${JSON.stringify(result)}\n`);
  return failed.length === 0 ? 0 : 1;
}

/** Returns variables by which the tests of clients start services and containers of their own. */
function clientVariables(docker: Docker): Record<string, string> {
  return {
    RESTANTE_COMMAND: `${process.execPath} ${mainFile}`,
    DOCKER_HOST: docker.address,
    TESTCONTAINERS_HOST_OVERRIDE: "127.0.0.1",
    TESTCONTAINERS_CONNECTION_MODE: "docker_host",
    // The container that cleans up would need the socket of a real daemon.
    TESTCONTAINERS_RYUK_DISABLED: "true",
  };
}

/** Runs the steps; only the last one gets the variables, because the others use registries. */
async function runSteps(
  steps: readonly (readonly [string, ...string[]])[],
  variables: Record<string, string>,
): Promise<number> {
  for (const [at, [command, ...argv]] of steps.entries()) {
    const env = at === steps.length - 1 ? { ...process.env, ...variables } : process.env;
    const child = spawn(command, argv, { stdio: "inherit", env });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) return code ?? 1;
  }
  return 0;
}

const [, , given = ""] = process.argv;
for (const name of given === "apps" ? Object.keys(applicationRuns()) : [given]) {
  const code = await main(name);
  if (code === 0) continue;
  process.stderr.write(`FAILED: ${name}\n`);
  process.exitCode = code;
}
