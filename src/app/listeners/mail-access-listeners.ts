/** Listeners for reading mail. Their modules are loaded when a setting asks for them. */
import { decodeMessageId } from "../../core/ids.ts";
import type { Pop3Operations } from "../../ingress/pop3/options.ts";
import type { LineListener } from "../../ingress/lines/line-listener.ts";
import { accessMailbox, isStillOpen } from "../../operations/mailboxes/access-mailbox.ts";
import { listMailbox } from "../../operations/mailboxes/list-mailbox.ts";
import { measureMails, openMail } from "../../operations/mailboxes/open-mail.ts";
import { deleteMail } from "../../operations/mailboxes/delete-mail.ts";
import type { Context } from "../../operations/context.ts";
import { isLoopback } from "../loopback.ts";
import type { ListenerDependencies } from "./listeners.ts";
import { openPort } from "./open-port.ts";
import type { TlsFailureLog } from "./tls-failure-log.ts";

/** Bound ports; null for listeners that are off. */
export interface MailAccessPorts {
  readonly pop3: number | null;
  readonly pop3s: number | null;
}

/** Opens the listeners of the settings, each of which `opened` receives. Rejects as `openPort` does. */
export async function openMailAccess(
  { assembly, config, tls }: ListenerDependencies,
  report: TlsFailureLog,
  opened: (listener: LineListener) => void,
): Promise<MailAccessPorts> {
  if (config.pop3Port === null && config.pop3sPort === null) return { pop3: null, pop3s: null };
  const [{ startPop3Server }, { MaildropLocks }] = await Promise.all([
    import("../../ingress/pop3/server.ts"),
    import("../../ingress/pop3/locks.ts"),
  ]);
  const { context, metrics, smtpOptions } = assembly;
  const { clock } = context;
  const locks = new MaildropLocks(clock);
  const options = {
    host: config.bind,
    hostname: config.mailDomain,
    secureContext: tls.current,
    allowsClearText: isLoopback,
    onTlsFailure: report("pop3"),
    limits: config.limits,
    clock,
    operations: pop3Operations(context),
    log: smtpOptions.log,
    metrics: metrics.mailAccess("pop3"),
  };
  const open = async (name: "pop3Port" | "pop3sPort"): Promise<number | null> => {
    const implicitTls = name === "pop3sPort";
    const listener = await openPort(config, name, async (port) =>
      startPop3Server({ ...options, port, implicitTls }, locks),
    );
    if (listener !== null) opened(listener);
    return listener?.port ?? null;
  };
  return { pop3: await open("pop3Port"), pop3s: await open("pop3sPort") };
}

function pop3Operations(context: Context): Pop3Operations {
  return {
    access: async (credentials) => accessMailbox(context, credentials),
    list: async ({ server }, countMax) => {
      const { mails } = await listMailbox(context, { server, direction: "Received" }, countMax);
      return mails.map(({ id }) => id);
    },
    measure: async ({ server }, ids) => measureMails(context, server, ids),
    open: async ({ server }, id) => {
      if (decodeMessageId(id).server !== server) throw new Error("a message of another server was requested");
      return await openMail(context, id);
    },
    remove: async (access, id) => {
      await deleteMail(context, access, id);
    },
    isOpen: async (access) => isStillOpen(context, access),
  };
}
