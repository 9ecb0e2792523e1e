/** restante in a test process. */
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

/** Options of `startRestante`; all have defaults for tests. */
export interface RestanteOptions {
  /** Data folder. Default: a new temporary folder, which is removed at the end. */
  readonly dataDir?: string;
  /** Servers to create: an id of eight letters or digits, and a name without commas. Default: one with a random id. */
  readonly servers?: readonly { readonly id: string; readonly name: string }[];
  /** Account key, 8 to 256 visible ASCII characters without a colon. Default: a random one, or that of `dataDir`. */
  readonly apiKey?: string;
  /** Absent or 0: any free port. */
  readonly smtpPort?: number;
  /** Absent or 0: any free port. */
  readonly httpPort?: number;
  /** Absent or 0: any free port. */
  readonly httpsPort?: number;
  /** Clients that are offered STARTTLS: those on other machines (`auto`, the default), all or none. */
  readonly smtpStarttls?: "auto" | "always" | "never";
  /** Service mail domain: addresses are `<anything>@<serverId>.<mailDomain>`. Default: `restante.test`. */
  readonly mailDomain?: string;
  /** Server of mail whose recipient names no server: `first` (default), `off` (rejected) or a server id. */
  readonly catchAll?: string;
  /** Browser for previews: `off` (default), `auto`, or the absolute path of a Chromium. */
  readonly chromium?: string;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<Limits>;
  /** Log level. Default: `silent`. */
  readonly log?: LogLevel;
}

/** SMTP settings in the form of nodemailer's `createTransport`. */
export interface RestanteSmtp {
  readonly host: string;
  readonly port: number;
  /** No implicit TLS. */
  readonly secure: false;
  /** Local CA in PEM, for STARTTLS. */
  readonly tls: { readonly ca: string };
}

/** Service in the test process. */
export interface Restante extends AsyncDisposable {
  /** Account key, for HTTP Basic (as user name) or as bearer token. */
  readonly apiKey: string;
  /** Id of the first server. */
  readonly serverId: string;
  /** Mail domain of that server, `<serverId>.<mailDomain>`. */
  readonly serverDomain: string;
  /** SMTP settings of the service. */
  readonly smtp: RestanteSmtp;
  /** Base URL of the API over HTTP, without trailing slash. */
  readonly url: string;
  /** Base URL of the API over HTTPS, without trailing slash. */
  readonly httpsUrl: string;
  /** PEM file of the CA behind HTTPS and STARTTLS. */
  readonly caFile: string | null;
  /** Returns an address of the first server, with this local part or a unique one. */
  emailAddress(localPart?: string): string;
  /** Stops the service and removes its temporary folder. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a service in this process. The entry of the package checks the version of Node and then calls this function.
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
    throw new Error(`apiKey: the key of the data folder ${dataDir} is not in a file; set apiKey`);
  } catch (error) {
    removeTraces();
    throw error;
  }
}

/** Converts options to flags, so that they are checked by the rules of the settings. */
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
