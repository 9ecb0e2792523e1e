/** SMTP and HTTP listeners of a service. */
import { startSmtpServer } from "../../ingress/smtp/server.ts";
import type { Assembly } from "../assemble.ts";
import { openPort } from "./open-port.ts";
import { createTlsFailureLog, type TlsFailureLog } from "./tls-failure-log.ts";
import { type CatcherPorts, type HttpListenerDependencies, openHttpListeners } from "./http-listeners.ts";
import { catcherNames } from "../settings/listener-settings.ts";
import { ByteBudget } from "../../core/byte-budget.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Pop3Operations } from "../../ingress/pop3/session.ts";
import type { OpenListener } from "../../ingress/lines/session-listener.ts";
import { accessMailbox, isStillOpen } from "../../operations/mailboxes/access-mailbox.ts";
import { listMailbox, measureMails, openMail } from "../../operations/mailboxes/open-mail.ts";
import { hiddenPages } from "../../operations/mailboxes/open-mailbox.ts";
import { deleteMails, deletionOf } from "../../operations/mailboxes/delete-mails.ts";
import type { Context } from "../../operations/context.ts";
import { isLoopback } from "../loopback.ts";

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
export interface ListenerDependencies extends Pick<
  HttpListenerDependencies,
  "config" | "tls" | "hostNames" | "challenges"
> {
  readonly assembly: Assembly;
}

/**
 * Opens the listeners of the settings, SMTP first. Rejects with {@link SettingsError}, with none left open, when a port
 * cannot be opened.
 */
export async function openListeners(dependencies: ListenerDependencies): Promise<Listeners> {
  const { assembly, config, tls, hostNames, challenges } = dependencies;
  await using stack = new AsyncDisposableStack();
  const { log, clock } = assembly.smtpOptions;
  const report = createTlsFailureLog(log, clock, { caFile: tls.caFile, isPublic: config.mx !== null });
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
  const hasWeb =
    config.acme !== null || [config.httpPort, config.httpsPort, ...catcherPorts].some((port) => port !== null);
  const web = hasWeb
    ? await openHttpListeners({
        config,
        httpOptions: assembly.httpOptions,
        tls,
        hostNames,
        challenges,
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

/** Bound ports; null for listeners that are off. */
interface MailAccessPorts {
  readonly pop3: number | null;
  readonly pop3s: number | null;
  readonly imap: number | null;
  readonly imaps: number | null;
}

/** Opens one listener; `implicitTls` is that of its port. */
type Open = (options: { readonly port: number; readonly implicitTls: boolean }) => Promise<OpenListener>;

/** Opens the listeners of the settings, each of which `opened` receives. Rejects as `openPort` does. */
async function openMailAccess(
  dependencies: ListenerDependencies,
  report: TlsFailureLog,
  opened: (listener: OpenListener) => void,
): Promise<MailAccessPorts> {
  const { config } = dependencies;
  const open = async (name: MailAccessPortName, start: Open): Promise<number | null> => {
    const implicitTls = name === "pop3sPort" || name === "imapsPort";
    const listener = await openPort(config, name, async (port) => await start({ port, implicitTls }));
    if (listener !== null) opened(listener);
    return listener?.port ?? null;
  };
  const ports = { pop3: null, pop3s: null, imap: null, imaps: null };
  const pop3 = config.pop3Port === null && config.pop3sPort === null ? null : await pop3Listener(dependencies, report);
  const imap = config.imapPort === null && config.imapsPort === null ? null : await imapListener(dependencies, report);
  return {
    ...ports,
    ...(pop3 !== null && { pop3: await open("pop3Port", pop3), pop3s: await open("pop3sPort", pop3) }),
    ...(imap !== null && { imap: await open("imapPort", imap), imaps: await open("imapsPort", imap) }),
  };
}

type MailAccessPortName = "pop3Port" | "pop3sPort" | "imapPort" | "imapsPort";

/** Returns the options that the listeners of a protocol have in common. */
function optionsOf({ assembly, config, tls }: ListenerDependencies, protocol: "pop3" | "imap", report: TlsFailureLog) {
  return {
    hosts: config.bind,
    hostname: config.mailDomain,
    secureContext: tls.current,
    allowsClearText: isLoopback,
    onTlsFailure: report(protocol),
    limits: config.limits,
    clock: assembly.context.clock,
    log: assembly.smtpOptions.log,
    metrics: assembly.metrics.mailAccess(protocol),
  };
}

async function pop3Listener(dependencies: ListenerDependencies, report: TlsFailureLog): Promise<Open> {
  const [{ startPop3Server }, { MaildropLocks }] = await Promise.all([
    import("../../ingress/pop3/session.ts"),
    import("../../ingress/pop3/maildrop.ts"),
  ]);
  const { context } = dependencies.assembly;
  const locks = new MaildropLocks(context.clock);
  const options = { ...optionsOf(dependencies, "pop3", report), operations: pop3Operations(context) };
  return async (own) => await startPop3Server({ ...options, ...own }, locks);
}

async function imapListener(dependencies: ListenerDependencies, report: TlsFailureLog): Promise<Open> {
  const [{ startImapServer }, { createMailboxes }] = await Promise.all([
    import("../../ingress/imap/session.ts"),
    import("../../operations/mailboxes/mailboxes.ts"),
  ]);
  const { context } = dependencies.assembly;
  const budget = new ByteBudget(dependencies.config.limits.smtpBytesInFlightMax);
  const options = { ...optionsOf(dependencies, "imap", report), operations: createMailboxes(context) };
  return async (own) => await startImapServer({ ...options, ...own }, budget);
}

function pop3Operations(context: Context): Pop3Operations {
  return {
    access: async (credentials) => accessMailbox(context, credentials),
    list: async (access, countMax) => {
      const hidden = new Set<MessageId>();
      for await (const page of hiddenPages(context, access)) for (const { id } of page) hidden.add(id);
      const place = { server: access.server, direction: "Received" } as const;
      const { mails } = await listMailbox(context, place, { countMax, hidden });
      return mails.map(({ id }) => id);
    },
    measure: async ({ server }, ids) => measureMails(context, server, ids),
    open: async ({ server }, id) => {
      if (decodeMessageId(id).server !== server) throw new Error("a message of another server was requested");
      return await openMail(context, id);
    },
    mayDelete: async (access) => (await deletionOf(context, access)) !== "refuse",
    remove: async (access, ids, onFailure) => {
      await deleteMails(context, access, { protocol: "POP3", ids, onFailure });
    },
    isOpen: async (access) => isStillOpen(context, access),
  };
}
