/** Opens and closes the listeners of a service. */
import { startSmtpServer } from "../../ingress/smtp/server.ts";
import type { SmtpServer } from "../../ingress/smtp/options.ts";
import type { SecureContextSource } from "../../tls/secure-context-source.ts";
import type { Assembly } from "../assemble.ts";
import type { Config } from "../settings/config.ts";
import { openPort } from "./open-port.ts";
import { createTlsFailureLog } from "./tls-failure-log.ts";
import { openHttpListeners } from "./http-listeners.ts";

/** Ports as bound; null for listeners that are off. */
export interface Ports {
  readonly http: number | null;
  readonly https: number | null;
  readonly smtp: number | null;
  readonly smtps: number | null;
}

/** The listeners of a service. */
export interface Listeners {
  readonly ports: Ports;
  /** Closes all of them at once: stops accepting and lets what is under way end; resolves when nothing is left. */
  readonly close: () => Promise<void>;
}

/** What stands behind the doors. */
export interface ListenerDependencies {
  readonly assembly: Assembly;
  readonly config: Config;
  readonly tls: SecureContextSource;
  /** Host names and addresses that are our own. */
  readonly hostNames: readonly string[];
}

/**
 * Opens all listeners that the settings ask for, those for mail first. Rejects with {@link SettingsError}, none left
 * open, when a port cannot be had.
 */
export async function openListeners({ assembly, config, tls, hostNames }: ListenerDependencies): Promise<Listeners> {
  await using stack = new AsyncDisposableStack();
  const { log, clock } = assembly.smtpOptions;
  const report = createTlsFailureLog(log, clock, tls.caFile);
  const openSmtp = async (name: "smtpPort" | "smtpsPort"): Promise<SmtpServer | null> => {
    const implicitTls = name === "smtpsPort";
    const open = (port: number) =>
      startSmtpServer({ ...assembly.smtpOptions, port, implicitTls, onTlsFailure: report("smtp") });
    const door = await openPort(config, name, open);
    if (door !== null) stack.defer(() => door.close());
    return door;
  };
  const smtp = await openSmtp("smtpPort");
  const smtps = await openSmtp("smtpsPort");
  const hasWeb = config.httpPort !== null || config.httpsPort !== null;
  const web = hasWeb
    ? await openHttpListeners({
        config,
        httpOptions: assembly.httpOptions,
        tls,
        hostNames,
        onTlsFailure: report("https"),
      })
    : null;
  stack.move();
  return {
    ports: {
      http: web?.http ?? null,
      https: web?.https ?? null,
      smtp: smtp?.port ?? null,
      smtps: smtps?.port ?? null,
    },
    close: async () => void (await Promise.all([web?.close(), smtp?.close(), smtps?.close()])),
  };
}
