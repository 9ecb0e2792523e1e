import { mailDomainDefault } from "../../core/mail-addresses.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hostsOfProviders, notesOfProviders } from "../../app/host-names.ts";
import type { ServiceAddress } from "../../app/service-file.ts";
import { type Call, configOf, exitCodes, UsageError } from "../command.ts";
import { type Language, languages, urlPlace } from "./probe-programs.ts";
import { runningService } from "./client-environment.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Sentence about a language, and whether a request of it arrives. */
interface Finding {
  readonly arrives: boolean;
  readonly text: string;
}

/** Time that a program may take to compile and run, in milliseconds; crates of Rust are compiled first. */
const programMsMax = 15 * 60_000;

/**
 * Runs `restante check --language`: sends one request from the runtime of a language with the variables of this shell, and
 * prints whether it arrives at the service. The request is for a host that is reserved and exists nowhere (RFC 6761), so
 * it reaches nobody when the runtime ignores the variables.
 */
export async function checkLanguage(call: Call, name: string): Promise<number> {
  const language = languages[name];
  if (language === undefined) {
    throw new UsageError(`--language: "${name}" is not one of ${Object.keys(languages).join(", ")}`);
  }
  const { environment } = call.terminal;
  const address = runningService(configOf(call));
  const problem = await problemOf(address, environment);
  const finding = problem === null ? await send(language, environment) : { arrives: false, text: problem };
  const notes = [...language.notes, ...(await notesOfProviders(name, address.intercepted))];
  const lines = [`${language.label}: ${finding.text}`, ...(finding.arrives ? notes : [])];
  for (const line of lines) call.terminal.out(`${line}\n`);
  return finding.arrives ? exitCodes.done : exitCodes.failed;
}

/** Returns why no program of the shell sends requests here; null when the variables are those of this service. */
async function problemOf(address: ServiceAddress, environment: Environment): Promise<string | null> {
  const { url, intercepted } = address;
  if (environment["RESTANTE_REDIRECT_URL"] !== undefined) return null;
  const proxies = [environment["HTTPS_PROXY"], environment["https_proxy"]];
  if (url === null || proxies.some((one) => one !== url)) {
    return 'requests do not arrive here: run eval "$(restante env --proxy --providers)" in this shell first.';
  }
  const hosts = await hostsOfProviders(intercepted);
  const excluded = hosts.find((host) => isExcluded(host, environment));
  return excluded === undefined ? null : `requests to ${excluded} do not arrive here: NO_PROXY excludes it.`;
}

/** Returns whether an entry of `NO_PROXY` is a host or a parent domain of it. */
function isExcluded(host: string, environment: Environment): boolean {
  const entries = [environment["NO_PROXY"], environment["no_proxy"]].flatMap((one) => (one ?? "").split(/[\s,]+/));
  const domains = entries.map((one) =>
    one
      .toLowerCase()
      .replace(/^\*?\./, "")
      .replace(/:\d+$/, ""),
  );
  return domains.some((domain) => domain !== "" && (domain === "*" || host === domain || host.endsWith(`.${domain}`)));
}

async function send(language: Language, environment: Environment): Promise<Finding> {
  const folder = mkdtempSync(join(tmpdir(), "restante-check-"));
  try {
    for (const [name, text] of Object.entries(language.files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return await run(language, { folder, host: mailDomainDefault, environment: withProbe(environment) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the variables with which the redirect module treats the host of the request as one of a provider. */
function withProbe(environment: Environment): Environment {
  const { RESTANTE_REDIRECT_PROVIDERS: providers } = environment;
  if (providers === undefined) return environment;
  const [, provider = ""] = /=(\w+)/.exec(providers) ?? [];
  return { ...environment, RESTANTE_REDIRECT_PROVIDERS: `${providers},${mailDomainDefault}=${provider}` };
}

interface Attempt {
  readonly folder: string;
  readonly host: string;
  readonly environment: Environment;
}

async function run(language: Language, attempt: Attempt): Promise<Finding> {
  const [first = []] = language.commands;
  for (const command of language.commands) {
    const ending = await runProgram(command, attempt);
    if (ending !== null) return findingOf(ending, attempt.host);
  }
  return { arrives: false, text: `${first[0] ?? ""} is not installed.` };
}

interface Ending {
  readonly out: string;
  readonly error: string;
}

/** Runs a program to its end; resolves with null when its command does not exist. */
async function runProgram(command: readonly string[], attempt: Attempt): Promise<Ending | null> {
  const { folder, host, environment } = attempt;
  const [file = "", ...argv] = command.map((part) => (part === urlPlace ? `https://${host}/healthz` : part));
  const signal = AbortSignal.timeout(programMsMax);
  const child = spawn(file, argv, { cwd: folder, env: { ...environment }, stdio: ["ignore", "pipe", "pipe"], signal });
  const ended = once(child, "close");
  try {
    const [out, error] = await Promise.all([child.stdout.toArray(), child.stderr.toArray(), ended]);
    return { out: Buffer.concat(out as Buffer[]).toString(), error: Buffer.concat(error as Buffer[]).toString() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    return { out: "", error: (error as Error).message };
  }
}

/** Errors of runtimes that looked the host up themselves. */
const ownLookUp =
  /resol|ENOTFOUND|EAI_AGAIN|getaddrinfo|no such host|not known|dns error|UnknownHost|failed to lookup/i;

function findingOf({ out, error }: Ending, host: string): Finding {
  const [status] = /^\d{3}$/m.exec(out) ?? [];
  if (status !== undefined) return { arrives: true, text: "a request arrives here, before it can reach a provider." };
  const [reason = "the program printed nothing"] =
    error.match(/^.*(?:error|exception|certificate|resol|host).*$/im) ?? error.match(/\S.*/) ?? [];
  if (!ownLookUp.test(error)) return { arrives: false, text: `a request does not arrive here: ${reason.trim()}` };
  const text = `a request does not arrive here: the runtime looks ${host} up itself, and would call the real provider.`;
  return { arrives: false, text };
}
