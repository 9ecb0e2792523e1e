/** restante inside a test process. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readKeyFile } from "../app/account.ts";
import { readSettings, type Config } from "../app/settings/config.ts";
import { startService, type RunningService } from "../app/service.ts";
import { hostAndPort } from "../app/loopback.ts";
import type { LogLevel } from "../app/settings/table.ts";
import type { Limits } from "../core/limits.ts";
import { newSecret } from "../operations/keys/create-key.ts";

/** What a test may choose; everything has a default that fits a test. */
export interface RestanteOptions {
  /** Folder to keep everything in. Absent: a new one below the system's temporary folder, removed at the end. */
  readonly dataDir?: string;
  /** Servers that must exist: eight letters or digits, and a name without commas. Absent: one, its id made up. */
  readonly servers?: readonly { readonly id: string; readonly name: string }[];
  /** Account key, 8 to 256 visible ASCII characters without a colon. Absent: a random one, or that of `dataDir`. */
  readonly apiKey?: string;
  /** Absent or 0: any free port. */
  readonly smtpPort?: number;
  /** Absent or 0: any free port. */
  readonly httpPort?: number;
  /** Absent or 0: any free port. */
  readonly httpsPort?: number;
  /** Who is offered STARTTLS: nobody on this machine (`auto`, when absent), everybody or nobody. */
  readonly smtpStarttls?: "auto" | "always" | "never";
  /** Domain behind the server's id in addresses; `restante.test` when absent. */
  readonly mailDomain?: string;
  /** Takes mail that names no server: `first` (when absent), `off` (it is refused) or a server's id. */
  readonly catchAll?: string;
  /** Renders previews: `off` (when absent), `auto`, or the absolute path of a Chromium. */
  readonly chromium?: string;
  /** Bounds other than the usual ones. */
  readonly limits?: Partial<Limits>;
  /** What goes to standard error; `silent` when absent. */
  readonly log?: LogLevel;
}

/** Where to send mail, in the form that nodemailer's `createTransport` takes. */
export interface RestanteSmtp {
  readonly host: string;
  readonly port: number;
  /** TLS does not begin with the first byte. */
  readonly secure: false;
  /** For STARTTLS: the local CA as PEM. */
  readonly tls: { readonly ca: string };
}

/** A service of the test's own. */
export interface Restante extends AsyncDisposable {
  /** Account key, for HTTP Basic (as user name) or as bearer token. */
  readonly apiKey: string;
  /** The first server. */
  readonly serverId: string;
  /** Mail domain of that server, `<serverId>.<mailDomain>`: everything `@` it arrives there. */
  readonly serverDomain: string;
  /** Where to send mail. */
  readonly smtp: RestanteSmtp;
  /** Base URL of the API, without a slash at its end. */
  readonly url: string;
  /** The same over TLS. */
  readonly httpsUrl: string;
  /** PEM file of the CA behind HTTPS and STARTTLS. */
  readonly caFile: string | null;
  /** An address of the first server: with this local part, or with one that no other call has given. */
  emailAddress(localPart?: string): string;
  /** Ends the service and removes what it kept in a temporary folder. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a service as `startRestante` of the package does, whose entry checks the version of Node first and then calls
 * this function.
 */
export async function startRestante(options: RestanteOptions = {}): Promise<Restante> {
  const isThrowAway = options.dataDir === undefined;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "restante-"));
  const removeTraces = (): void => {
    if (isThrowAway) rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const service = await startService(configOf(options, dataDir), { durable: !isThrowAway });
    const apiKey = knownKey(service);
    if (apiKey !== undefined) return toRestante(service, apiKey, removeTraces);
    await service.stop();
    throw new Error(`apiKey: the folder ${dataDir} has a key that only you know; give it`);
  } catch (error) {
    removeTraces();
    throw error;
  }
}

/** Options are checked by the very rules of the settings, so they are read as if they had been given as flags. */
function configOf(options: RestanteOptions, dataDir: string): Config {
  const given: Record<string, string | number | undefined> = {
    "data-dir": dataDir,
    "api-key": options.apiKey ?? (options.dataDir === undefined ? newSecret() : undefined),
    servers: options.servers?.map(({ id, name }) => `${id}:${name}`).join(","),
    "smtp-port": options.smtpPort ?? 0,
    "smtp-starttls": options.smtpStarttls,
    "http-port": options.httpPort ?? 0,
    "https-port": options.httpsPort ?? 0,
    "mail-domain": options.mailDomain,
    "catch-all": options.catchAll,
    chromium: options.chromium ?? "off",
    log: options.log ?? "silent",
  };
  const flags = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
  const { config } = readSettings({}, flags);
  return Object.freeze({ ...config, limits: Object.freeze({ ...config.limits, ...options.limits }) });
}

function knownKey({ config, accountKey }: RunningService): string | undefined {
  return accountKey.kind === "generated" ? accountKey.secret : (config.apiKey ?? readKeyFile(config.dataDir));
}

function toRestante(service: RunningService, apiKey: string, removeTraces: () => void): Restante {
  const { config, host, url, servers, caFile } = service;
  const serverId = servers[0].id;
  const serverDomain = `${serverId}.${config.mailDomain}`;
  const ca = caFile === null ? "" : readFileSync(caFile, "utf8");
  const stop = async (): Promise<void> => {
    await service.stop();
    removeTraces();
  };
  return {
    apiKey,
    serverId,
    serverDomain,
    smtp: { host, port: service.ports.smtp ?? 0, secure: false, tls: { ca } },
    url,
    httpsUrl: `https://${hostAndPort(host, service.ports.https ?? 0)}`,
    caFile,
    emailAddress: (localPart = randomBytes(6).toString("hex")) => `${localPart}@${serverDomain}`,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
