/** Opens and closes the listeners of a service. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createHttpApp, type HttpApp } from "../http/app.ts";
import { startSmtpServer } from "../ingress/smtp/server.ts";
import type { SecureContextSource } from "../tls/secure-context-source.ts";
import type { Assembly } from "./assemble.ts";
import { SettingsRefused, type Config } from "./config.ts";
import { hostAndPort, reachableAddress } from "./loopback.ts";

/** Ports as bound; null for listeners that are off. */
export interface Ports {
  readonly http: number | null;
  readonly https: number | null;
  readonly smtp: number | null;
  readonly smtps: number | null;
}

/** The listeners of a service. */
export interface Doors {
  readonly ports: Ports;
  /** Stops accepting and lets what is under way end; resolves when nothing is left. */
  readonly close: () => Promise<void>;
}

/** What stands behind the doors. */
export interface House {
  readonly assembly: Assembly;
  readonly config: Config;
  readonly tls: SecureContextSource;
  /** Host names and addresses that are our own. */
  readonly hostNames: readonly string[];
}

/**
 * Opens all listeners that the settings ask for. Rejects with {@link SettingsRefused}, none left open, when a port cannot
 * be had.
 */
export async function openDoors(house: House): Promise<Doors> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => void (await Promise.all(closers.map(async (closeOne) => closeOne())));
  const opening = {
    web: openWeb(house, closers),
    smtp: openSmtp(house, "smtpPort", closers),
    smtps: openSmtp(house, "smtpsPort", closers),
  };
  const outcomes = await Promise.allSettled(Object.values(opening));
  const refusals = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }): unknown => reason);
  if (refusals.length > 0) {
    await close();
    throw refusals[0];
  }
  return { ports: { ...(await opening.web), smtp: await opening.smtp, smtps: await opening.smtps }, close };
}

type Closers = (() => Promise<void>)[];

async function openSmtp(
  { assembly, config }: House,
  name: "smtpPort" | "smtpsPort",
  closers: Closers,
): Promise<number | null> {
  return openAt(config, name, async (port) => {
    const server = await startSmtpServer({ ...assembly.smtpOptions, port, implicitTls: name === "smtpsPort" });
    closers.push(async () => server.close());
    return server.port;
  });
}

/** HTTPS first, so that the tunnel from HTTP has an end. */
async function openWeb(house: House, closers: Closers): Promise<Pick<Ports, "http" | "https">> {
  const { assembly, config } = house;
  if (config.httpPort === null && config.httpsPort === null) return { http: null, https: null };
  const app = await createHttpApp(assembly.httpOptions);
  closers.push(app.close);
  const secure = createSecureListener(app, house.tls);
  const https = await openAt(config, "httpsPort", async (port) => listen(secure, config.bind, port));
  const tunnel =
    https === null
      ? undefined
      : {
          to: { host: reachableAddress(config.bind), port: https },
          targets: tunnelTargets(house.hostNames, https),
        };
  const http = await openAt(config, "httpPort", async (port) => listen(app.createListener(tunnel), config.bind, port));
  return { http, https };
}

/** New connections get the certificate that is in force when they come. */
function createSecureListener(app: HttpApp, tls: SecureContextSource): HttpsServer {
  const server = app.createSecureListener(tls.credentials());
  tls.onChange(() => {
    server.setSecureContext(tls.credentials());
  });
  return server;
}

/** What CONNECT may ask for: the host that clients cannot be kept from asking for, and our own HTTPS listener. */
function tunnelTargets(hostNames: readonly string[], httpsPort: number): readonly string[] {
  const own = hostNames.filter((name) => !name.startsWith("*.") && name !== hostedName);
  return [`${hostedName}:443`, ...own.map((name) => hostAndPort(name, httpsPort))];
}

const hostedName = "mailosaur.com";

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const portSettings = {
  httpPort: "RESTANTE_HTTP_PORT",
  httpsPort: "RESTANTE_HTTPS_PORT",
  smtpPort: "RESTANTE_SMTP_PORT",
  smtpsPort: "RESTANTE_SMTPS_PORT",
} as const;

async function openAt(
  config: Config,
  name: keyof typeof portSettings,
  open: (port: number) => Promise<number>,
): Promise<number | null> {
  const port = config[name];
  if (port === null) return null;
  try {
    return await open(port);
  } catch (error) {
    const reason = portProblems[(error as NodeJS.ErrnoException).code ?? ""];
    if (reason === undefined) throw error;
    const place = `port ${port} of ${config.bind}`;
    throw new SettingsRefused([`${portSettings[name]}: ${place} ${reason}`], { cause: error });
  }
}

const portProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use by another program; choose another port, or 0 for any free one",
  EACCES: "may not be opened by this user; choose a port above 1023",
  EADDRNOTAVAIL: "cannot be opened, because this machine does not have the address (RESTANTE_BIND)",
};
