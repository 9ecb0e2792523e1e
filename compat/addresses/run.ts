/**
 * Shows which mail domains the address validators of ten stacks accept, from their registries, as the table of decision 111:
 * `npm run compat:addresses`. Fails when one rejects the default. Stacks that are not installed are skipped with a reason.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mailDomainDefault } from "../../src/core/mail-addresses.ts";

/** Results by name of the validator, then by address. */
type Results = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

type Command = readonly [command: string, ...argv: string[]];

/** Program that prints {@link Results} for the addresses in its arguments, and the commands that install what it needs. */
interface Stack {
  readonly name: string;
  /** Command that succeeds where the language, and packages that no registry of it serves here, are installed. */
  readonly check: Command;
  readonly install: (folder: string) => readonly Command[];
  readonly program: (folder: string) => Command;
}

const here = import.meta.dirname;
const file = (name: string): string => join(here, name);
const stacks: readonly Stack[] = [
  {
    name: "Node",
    check: ["node", "--version"],
    install: () => [],
    program: () => [process.execPath, file("addresses.ts")],
  },
  {
    name: "Python",
    check: ["python3", "--version"],
    install: (folder) => [
      ["python3", "-m", "venv", folder],
      [join(folder, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "pydantic[email]", "django"],
    ],
    program: (folder) => [join(folder, "bin", "python"), file("addresses.py")],
  },
  {
    name: "Java",
    check: ["mvn", "--version"],
    install: (folder) => [
      ["mvn", "-q", "-B", "-f", here, "dependency:copy-dependencies", `-DoutputDirectory=${join(folder, "jars")}`],
    ],
    program: (folder) => ["java", "-cp", join(folder, "jars", "*"), file("Addresses.java")],
  },
  { name: "Go", check: ["go", "version"], install: () => [], program: () => ["go", "run", file("main.go")] },
  // Debian: php-cli php-mbstring php-intl php-email-validator php-symfony-validator php-illuminate-validation
  {
    name: "PHP",
    check: ["php", "-r", "require '/usr/share/php/Illuminate/Validation/autoload.php';"],
    install: () => [],
    program: () => ["php", file("addresses.php")],
  },
  // Debian: ruby ruby-activemodel ruby-devise ruby-email-validator
  {
    name: "Ruby",
    check: ["ruby", "-e", "require 'active_model'; require 'devise'; require 'email_validator'"],
    install: () => [],
    program: () => ["ruby", file("addresses.rb")],
  },
];
const domains = [
  mailDomainDefault,
  "restante.test",
  "localhost",
  "mail.example",
  "mail.invalid",
  "mail.internal",
  "home.arpa",
  "127.0.0.1",
];
const addressAt = (domain: string): string => `ada.lovelace-7f3a@abcd1234.${domain}`;

function resultsOf({ name, check, install, program }: Stack, folder: string): Results {
  const [checker, ...checked] = check;
  if (spawnSync(checker, checked).status !== 0) {
    process.stderr.write(`SKIPPED: ${name} or its packages are not installed here: ${check.join(" ")}\n`);
    return {};
  }
  for (const [command, ...argv] of install(folder)) execFileSync(command, argv, { stdio: "inherit" });
  const [command, ...argv] = program(folder);
  const output = execFileSync(command, [...argv, ...domains.map(addressAt)], { encoding: "utf8" });
  return JSON.parse(output) as Results;
}

function tableOf(results: Results): string {
  const header = `| validator | ${domains.map((domain) => `\`${domain}\``).join(" | ")} |\n|---|${"---|".repeat(domains.length)}\n`;
  const rows = Object.entries(results).map(([name, accepted]) => {
    const cells = domains.map((domain) => (accepted[addressAt(domain)] === true ? "yes" : "–"));
    return `| ${name} | ${cells.join(" | ")} |\n`;
  });
  return header + rows.join("");
}

const folder = mkdtempSync(join(tmpdir(), "restante-addresses-"));
const results = Object.assign({}, ...stacks.map((stack) => resultsOf(stack, join(folder, stack.name)))) as Results;
rmSync(folder, { recursive: true });
process.stdout.write(tableOf(results));
const rejecting = Object.keys(results).filter((name) => results[name]?.[addressAt(mailDomainDefault)] !== true);
if (rejecting.length > 0) {
  process.stderr.write(`${mailDomainDefault} is rejected by ${rejecting.join(", ")}\n`);
  process.exitCode = 1;
}
