/** Opens and closes the listeners of a service. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createHttpApp } from "../http/app.ts";
import { startSmtpServer } from "../ingress/smtp/server.ts";
import type { Assembly } from "./assemble.ts";
import { SettingsRefused, type Config } from "./config.ts";

/** A listener as bound. */
export interface Door {
  readonly port: number;
  /** Stops accepting and lets what is under way end; resolves when nothing is left. */
  readonly close: () => Promise<void>;
}

/** The listeners; null where one is off. */
export interface Doors {
  readonly http: Door | null;
  readonly smtp: Door | null;
  readonly smtps: Door | null;
}

/**
 * Opens all listeners that the settings ask for. Rejects with {@link SettingsRefused}, none left open, when a port cannot
 * be had.
 */
export async function openDoors(assembly: Assembly, config: Config): Promise<Doors> {
  const opening = {
    http: openAt(config, "httpPort", (port) => openHttp(assembly, config.bind, port)),
    smtp: openAt(config, "smtpPort", (port) => startSmtpServer({ ...assembly.smtpOptions, port, implicitTls: false })),
    smtps: openAt(config, "smtpsPort", (port) => startSmtpServer({ ...assembly.smtpOptions, port, implicitTls: true })),
  };
  const outcomes = await Promise.allSettled(Object.values(opening));
  const refusals = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }): unknown => reason);
  if (refusals.length > 0) {
    const opened = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? (outcome.value ?? []) : []));
    await Promise.all(opened.map(async (door) => door.close()));
    throw refusals[0];
  }
  return { http: await opening.http, smtp: await opening.smtp, smtps: await opening.smtps };
}

/** Closes all of them at once. */
export async function closeDoors(doors: Doors): Promise<void> {
  await Promise.all([doors.http?.close(), doors.smtp?.close(), doors.smtps?.close()]);
}

async function openHttp(assembly: Assembly, host: string, port: number): Promise<Door> {
  const app = await createHttpApp(assembly.httpOptions);
  const server = app.createListener();
  try {
    return { port: await listen(server, host, port), close: app.close };
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const portSettings = {
  httpPort: "RESTANTE_HTTP_PORT",
  smtpPort: "RESTANTE_SMTP_PORT",
  smtpsPort: "RESTANTE_SMTPS_PORT",
} as const;

async function openAt(
  config: Config,
  name: keyof typeof portSettings,
  open: (port: number) => Promise<Door>,
): Promise<Door | null> {
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
