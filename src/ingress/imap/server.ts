import type { ByteBudget } from "../../core/byte-budget.ts";
import { imapLineBytesMax, signInMsMax } from "../../core/arrival-rate.ts";
import type { Mailboxes } from "../../operations/mailboxes/mailboxes.ts";
import { sessionBounds, startLineListener } from "../lines/line-listener.ts";
import type { OpenListener } from "../lines/session-listener.ts";
import type { MailAccessOptions } from "../lines/sasl.ts";
import { type ImapContext, runImapSession } from "./session.ts";

/** Idle time of an authenticated session; at least 30 minutes (RFC 9051 section 5.4). */
const authenticatedIdleMsMax = 1_860_000;

/** Opens an IMAP listener; rejects when the address cannot be bound. `budget` is the memory for mails that clients store. */
export async function startImapServer(options: ImapServerOptions, budget: ByteBudget): Promise<OpenListener> {
  const { limits } = options;
  const context: ImapContext = { ...options, budget };
  return await startLineListener({
    ...options,
    protocol: "IMAP",
    lineBytesMax: imapLineBytesMax,
    idleMsMax: limits.smtpIdleMsMax,
    signInMsMax,
    authenticatedIdleMsMax,
    writeMsMax: limits.writeMsMax,
    ...sessionBounds(limits),
    refusal: "* BYE [UNAVAILABLE] Too many sessions\r\n",
    runSession: async (connection) => {
      await runImapSession(connection, context);
    },
  });
}

/** Options of an IMAP listener. */
export type ImapServerOptions = MailAccessOptions<Mailboxes>;
