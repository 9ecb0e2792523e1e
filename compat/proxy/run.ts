/**
 * Runs libraries of providers and HTTP clients of Java, PHP, Ruby and Go, unchanged, with the variables of
 * `restante env --proxy --providers`: `npm run compat:proxy`. It does so in a network namespace in which the hosts of the
 * providers are an address of their own, whose listener notices what ignores the variables. Languages that are not installed
 * are skipped with a reason.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, ServiceProcess } from "../../src/testing/service-process.ts";

type Command = readonly [command: string, ...argv: string[]];

/** Program of a language, and what it needs. */
interface Language {
  readonly name: string;
  /** Command that succeeds where everything is installed that the registry of the language does not serve here. */
  readonly check: Command;
  /** Command that needs the registry of the language. */
  readonly install: (folder: string) => Command | null;
  readonly program: (folder: string) => Command;
  /** Subjects of the mails that the program sends. */
  readonly subjects: readonly string[];
}

const here = import.meta.dirname;
const server = "prxy1234";
const to = `ada@${server}.restante.example.com`;
const hosts = ["api.resend.com", "api.sendgrid.com", "api.postmarkapp.com"];
/** TEST-NET-3 (RFC 5737), which exists in the namespace only. */
const trapAddress = "203.0.113.7";
const languages: readonly Language[] = [
  {
    name: "Java",
    check: ["mvn", "--version"],
    install: (folder) => {
      const output = `-DoutputDirectory=${join(folder, "jars")}`;
      return ["mvn", "-q", "-B", "-f", here, "dependency:copy-dependencies", output];
    },
    program: (folder) => ["java", "-cp", join(folder, "jars", "*"), join(here, "Client.java")],
    subjects: ["Java SDK", "Java HTTP client", "Java URLConnection"],
  },
  {
    // Debian: php-cli php-curl php-symfony-http-client php-symfony-mailer php-symfony-sendgrid-mailer
    name: "PHP",
    check: ["php", "-r", "require '/usr/share/php/Symfony/Component/Mailer/Bridge/Sendgrid/autoload.php';"],
    install: () => null,
    program: () => ["php", join(here, "client.php")],
    subjects: ["PHP SDK", "PHP HTTP client"],
  },
  {
    // Debian: ruby ruby-postmark
    name: "Ruby",
    check: ["ruby", "-e", "require 'postmark'"],
    install: () => null,
    program: () => ["ruby", join(here, "client.rb")],
    subjects: ["Ruby SDK", "Ruby HTTP client"],
  },
  {
    name: "Go",
    check: ["go", "version"],
    install: (folder) => ["go", "-C", join(here, "go"), "build", "-o", join(folder, "go-client"), "."],
    program: (folder) => [join(folder, "go-client")],
    subjects: ["Go SDK", "Go HTTP client"],
  },
];

function isInstalled({ name, check: [command, ...argv] }: Language): boolean {
  const isHere = spawnSync(command, argv).status === 0;
  if (!isHere) process.stderr.write(`SKIPPED: ${name} or its packages are not installed here\n`);
  return isHere;
}

/** Installs what the programs need, and runs this file in a namespace. */
function runOutside(): number {
  const folder = mkdtempSync(join(tmpdir(), "restante-proxy-"));
  try {
    const installed = languages.filter(isInstalled);
    for (const { install } of installed) {
      const [command, ...argv] = install(folder) ?? ["true"];
      execFileSync(command, argv, { stdio: "inherit" });
    }
    const names = installed.map(({ name }) => name).join(",");
    const inside = [process.execPath, import.meta.filename, folder, names];
    const { status, error } = spawnSync("unshare", ["--map-root-user", "--net", "--mount", ...inside], {
      stdio: "inherit",
    });
    if (error !== undefined) throw error;
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runInside(folder: string, names: readonly string[]): Promise<number> {
  const hostsFile = join(folder, "hosts");
  writeFileSync(hostsFile, `127.0.0.1 localhost\n${trapAddress} ${hosts.join(" ")}\n`);
  execFileSync("ip", ["link", "set", "lo", "up"]);
  execFileSync("ip", ["address", "add", `${trapAddress}/32`, "dev", "lo"]);
  execFileSync("mount", ["--bind", hostsFile, "/etc/hosts"]);
  let noticed = 0;
  const trap = createServer((socket) => {
    noticed += 1;
    socket.destroy();
  }).listen(443, trapAddress);
  await once(trap, "listening");
  const dataDir = join(folder, "data");
  const flags = [`--servers=${server}:Proxy`, "--intercept=resend,sendgrid,postmark"];
  await using service = await ServiceProcess.start([`--data-dir=${dataDir}`, ...flags]);
  const { out } = await runCommand(["env", "--json", "--proxy", "--providers", `--data-dir=${dataDir}`]);
  const variables = JSON.parse(out) as Record<string, string>;
  for (const language of languages.filter(({ name }) => names.includes(name))) {
    const [command, ...argv] = language.program(folder);
    const child = spawn(command, [...argv, to], { stdio: "inherit", env: { ...process.env, ...variables } });
    await once(child, "exit");
  }
  trap.close();
  const received = await service.subjects(server, variables["RESTANTE_API_KEY"] ?? "");
  const expected = languages.flatMap(({ name, subjects }) => (names.includes(name) ? subjects : []));
  const missing = expected.filter((subject) => !received.includes(subject));
  process.stdout.write(`received: ${expected.filter((one) => received.includes(one)).join(", ")}\n`);
  if (missing.length > 0) process.stderr.write(`missing: ${missing.join(", ")}\n`);
  if (noticed > 0) process.stderr.write(`${String(noticed)} connections to the hosts of the providers\n`);
  return missing.length > 0 || noticed > 0 ? 1 : 0;
}

const [folder, names] = process.argv.slice(2);
process.exitCode = folder === undefined ? runOutside() : await runInside(folder, (names ?? "").split(","));
