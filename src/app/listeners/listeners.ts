/** SMTP and HTTP listeners of a service. */
import { startSmtpServer } from "../../ingress/smtp/server.ts";
import type { SecureContextSource } from "../../tls/secure-context-source.ts";
import type { Assembly } from "../assemble.ts";
import type { Config } from "../settings/config.ts";
import { openPort } from "./open-port.ts";
import { createTlsFailureLog } from "./tls-failure-log.ts";
import { openHttpListeners } from "./http-listeners.ts";
import { openMailAccess, type MailAccessPorts } from "./mail-access-listeners.ts";
import type { CatcherPorts } from "./catcher-listeners.ts";
import { catcherNames } from "../settings/listener-settings.ts";

/** Bound ports; null for listeners that are off. */
export interface Ports extends MailAccessPorts {
  readonly http: number | null;
  readonly https: number | null;
  readonly smtp: number | null;
  readonly smtps: number | null;
  readonly lmtp: number | null;
  /** Listeners with the APIs of other mail catchers. */
  readonly catchers: CatcherPorts;
}

/** Returns the numbers of all bound ports. */
export function portNumbers(ports: Ports): readonly number[] {
  const bound: readonly Ports[keyof Ports][] = Object.values(ports);
  return bound.flatMap((port) => (typeof port === "number" ? [port] : Object.values(port ?? {})));
}

/** Open listeners of a service. */
export interface Listeners {
  readonly ports: Ports;
  /** Closes all listeners concurrently: stops accepting, waits for running sessions and requests, then resolves. */
  readonly close: () => Promise<void>;
}

/** Dependencies of {@link openListeners}. */
export interface ListenerDependencies {
  readonly assembly: Assembly;
  readonly config: Config;
  readonly tls: SecureContextSource;
  /** Host names and addresses of the service. */
  readonly hostNames: readonly string[];
}

/**
 * Opens the listeners of the settings, SMTP first. Rejects with {@link SettingsError}, with none left open, when a port
 * cannot be opened.
 */
export async function openListeners(dependencies: ListenerDependencies): Promise<Listeners> {
  const { assembly, config, tls, hostNames } = dependencies;
  await using stack = new AsyncDisposableStack();
  const { log, clock } = assembly.smtpOptions;
  const report = createTlsFailureLog(log, clock, tls.caFile);
  const mail: { readonly close: () => Promise<void> }[] = [];
  const add = (listener: { readonly close: () => Promise<void> }): void => {
    mail.push(listener);
    stack.defer(() => listener.close());
  };
  const openSmtp = async (name: "smtpPort" | "smtpsPort" | "lmtpPort"): Promise<number | null> => {
    const kind = { implicitTls: name === "smtpsPort", isLmtp: name === "lmtpPort" };
    const open = (port: number) =>
      startSmtpServer({ ...assembly.smtpOptions, ...kind, port, onTlsFailure: report("smtp") });
    const listener = await openPort(config, name, open);
    if (listener !== null) add(listener);
    return listener?.port ?? null;
  };
  const smtp = await openSmtp("smtpPort");
  const smtps = await openSmtp("smtpsPort");
  const lmtp = await openSmtp("lmtpPort");
  const mailAccessPorts = await openMailAccess(dependencies, report, add);
  const catcherPorts = catcherNames.map((name) => config[`${name}Port`]);
  const hasWeb = [config.httpPort, config.httpsPort, ...catcherPorts].some((port) => port !== null);
  const web = hasWeb
    ? await openHttpListeners({
        config,
        httpOptions: assembly.httpOptions,
        tls,
        hostNames,
        onTlsFailure: report("https"),
        log,
      })
    : null;
  stack.move();
  return {
    ports: {
      http: web?.http ?? null,
      https: web?.https ?? null,
      smtp,
      smtps,
      lmtp,
      ...mailAccessPorts,
      catchers: web?.catchers ?? {},
    },
    close: async () => void (await Promise.all([web?.close(), ...mail.map((one) => one.close())])),
  };
}
