/** Servers that a program opens in a running service, each with a key and an SMTP listener of its own. */
import type { ServerId } from "../core/ids.ts";
import { startSmtpServer } from "../ingress/smtp/server.ts";
import { resolveRecipient } from "../operations/inbound/resolve-recipient.ts";
import { createServer, deleteServer } from "../operations/servers/servers.ts";
import type { SecureContextSource } from "../tls/secure-context-source.ts";
import { operator } from "./account.ts";
import type { Assembly } from "./assemble.ts";
import { openPort } from "./listeners/open-port.ts";
import { createTlsFailureLog } from "./listeners/tls-failure-log.ts";
import { startTlsRule } from "./loopback.ts";
import type { Config } from "./settings/config.ts";
import type { Choices } from "./settings/table.ts";

/** Options of {@link OwnServers.open}. */
export interface OwnServerOptions {
  readonly name: string;
  /** SMTP port; 0 for any free one. */
  readonly smtpPort: number;
  readonly smtpStarttls: Choices["smtpStarttls"];
  /** Whether mail that names no server goes to this one; it is rejected otherwise. */
  readonly isCatchAll: boolean;
}

/** Server with a key and an SMTP listener of its own. */
export interface OwnServer {
  readonly server: ServerId;
  /** Key that is restricted to the server. */
  readonly apiKey: string;
  readonly smtpPort: number;
  /** Closes the listener and deletes the server with its messages. Safe to call twice. */
  close(): Promise<void>;
}

/** Servers of programs that share a service. */
export interface OwnServers {
  /** Rejects with {@link SettingsError} when the port cannot be opened. */
  open(options: OwnServerOptions): Promise<OwnServer>;
  /** Returns the ports of the open listeners. */
  ports(): readonly number[];
  /** Closes all listeners; servers stay stored. */
  close(): Promise<void>;
}

/** Returns the servers of programs that share a service; none is open yet. */
export function createOwnServers(assembly: Assembly, config: Config, tls: SecureContextSource): OwnServers {
  const { context, smtpOptions } = assembly;
  const report = createTlsFailureLog(smtpOptions.log, smtpOptions.clock, {
    caFile: tls.caFile,
    isPublic: config.mx !== null,
  });
  const listeners = new Set<{ readonly port: number; close(): Promise<void> }>();
  const listen = async (server: ServerId, options: OwnServerOptions): ReturnType<typeof startSmtpServer> => {
    const catchAll = options.isCatchAll ? server : "off";
    const own = { ...context, settings: { ...context.settings, catchAll } } as const;
    const operations: typeof smtpOptions.operations = {
      ...smtpOptions.operations,
      resolveRecipient: (address, authenticatedAs) => resolveRecipient(own, address, authenticatedAs),
    };
    const startTlsFor = startTlsRule(options.smtpStarttls);
    const shared = { ...smtpOptions, operations, startTlsFor, implicitTls: false, onTlsFailure: report("smtp") };
    const open = (port: number): ReturnType<typeof startSmtpServer> => startSmtpServer({ ...shared, port });
    const listener = await openPort({ ...config, smtpPort: options.smtpPort }, "smtpPort", open);
    if (listener === null) throw new Error("an SMTP listener of its own cannot be off");
    listeners.add(listener);
    return listener;
  };
  return {
    open: async (options) => {
      const { server, secret } = await createServer(context, operator, { name: options.name, withKey: true });
      const remove = (): Promise<void> => deleteServer(context, operator, server.id);
      try {
        const listener = await listen(server.id, options);
        let closed: Promise<void> | undefined;
        const close = async (): Promise<void> => {
          listeners.delete(listener);
          await listener.close();
          await remove();
        };
        return {
          server: server.id,
          apiKey: secret ?? "",
          smtpPort: listener.port,
          close: () => (closed ??= close()),
        };
      } catch (error) {
        await remove();
        throw error;
      }
    },
    ports: () => Array.from(listeners, ({ port }) => port),
    close: async () => void (await Promise.all(Array.from(listeners, (listener) => listener.close()))),
  };
}
