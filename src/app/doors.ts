/** Opens and closes the listeners of a service. */
import { startSmtpServer } from "../ingress/smtp/server.ts";
import type { Assembly } from "./assemble.ts";
import { SettingsRefused, type Config } from "./config.ts";
import { openHttpDoor } from "./http-door.ts";

/** A listener as bound. */
interface Door {
  readonly port: number;
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
  await using stack = new AsyncDisposableStack();
  const opened = async (name: PortName, open: (port: number) => Promise<Door>): Promise<Door | null> => {
    const door = await openAt(config, name, open);
    if (door !== null) stack.defer(() => door.close());
    return door;
  };
  const openSmtp = (port: number, implicitTls: boolean): Promise<Door> =>
    startSmtpServer({ ...assembly.smtpOptions, port, implicitTls });

  const smtp = await opened("smtpPort", (port) => openSmtp(port, false));
  const smtps = await opened("smtpsPort", (port) => openSmtp(port, true));
  const http = await opened("httpPort", (port) => openHttpDoor(assembly.httpOptions, config.bind, port));
  stack.move();
  return { http, smtp, smtps };
}

/** Closes all of them at once. */
export async function closeDoors(doors: Doors): Promise<void> {
  await Promise.all([doors.http?.close(), doors.smtp?.close(), doors.smtps?.close()]);
}

const portSettings = {
  httpPort: "RESTANTE_HTTP_PORT",
  smtpPort: "RESTANTE_SMTP_PORT",
  smtpsPort: "RESTANTE_SMTPS_PORT",
} as const;
type PortName = keyof typeof portSettings;

async function openAt(config: Config, name: PortName, open: (port: number) => Promise<Door>): Promise<Door | null> {
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
