/** IMAP listener and its sessions (RFC 9051, RFC 3501). */
import { imapLineBytesMax } from "../../core/arrival-rate.ts";
import type { ByteBudget } from "../../core/byte-budget.ts";
import { Problem } from "../../core/errors.ts";
import type { MailboxAccess } from "../../operations/mailboxes/access-mailbox.ts";
import type { Mailboxes } from "../../operations/mailboxes/mailboxes.ts";
import type { LineConnection, LineEnd } from "../lines/line-connection.ts";
import { type MailAccessOptions, MailAccessSession, startMailAccess } from "../lines/line-listener.ts";
import type { OpenListener } from "../lines/session-listener.ts";
import { capabilities } from "./connection-commands.ts";
import { type ImapCommandLine, readCommand } from "./command-reader.ts";
import { commands } from "./command-table.ts";
import { bad, type ImapReply, no } from "./command.ts";
import { UnknownEncoding } from "./mail-reader.ts";
import type { SelectedMailbox } from "./selected-mailbox.ts";
import { ImapSyntaxError } from "./tokenise.ts";

/** Consecutive wrong commands after which a session is closed. */
const errorCountMax = 20;
/** Idle time of an authenticated session; at least 30 minutes (RFC 9051 section 5.4). */
const authenticatedIdleMsMax = 1_860_000;

/** Options of an IMAP listener. */
type ImapServerOptions = MailAccessOptions<Mailboxes>;

/** Dependencies that all sessions of a listener share. */
interface ImapContext extends Pick<
  ImapServerOptions,
  | "clock"
  | "hostname"
  | "implicitTls"
  | "limits"
  | "log"
  | "metrics"
  | "operations"
  | "secureContext"
  | "allowsClearText"
> {
  /** Memory for mails that clients store. */
  readonly budget: ByteBudget;
}

const endings: Readonly<Record<Exclude<LineEnd, "closed">, string>> = {
  anonymous: "* BYE [UNAVAILABLE] Nobody signed in for too long\r\n",
  idle: "* BYE [UNAVAILABLE] Idle for too long\r\n",
  shutdown: "* BYE [UNAVAILABLE] The service stops\r\n",
};

/** Opens an IMAP listener; rejects when the address cannot be bound. `budget` is the memory for mails that clients store. */
export async function startImapServer(options: ImapServerOptions, budget: ByteBudget): Promise<OpenListener> {
  const context: ImapContext = { ...options, budget };
  return await startMailAccess(options, {
    protocol: "IMAP",
    lineBytesMax: imapLineBytesMax,
    authenticatedIdleMsMax,
    refusal: "* BYE [UNAVAILABLE] Too many sessions\r\n",
    runSession: async (connection) => runImapSession(connection, context),
  });
}

/** Runs a session from the greeting to its end. */
async function runImapSession(connection: LineConnection, context: ImapContext): Promise<void> {
  const session = new ImapSession(connection, context);
  try {
    await session.send(`* OK [CAPABILITY ${capabilities(session).join(" ")}] ${context.hostname} restante ready\r\n`);
    await session.run();
  } finally {
    session.unselect();
  }
}

/** Session of a client that has signed in. */
export type AuthenticatedSession = ImapSession & { readonly access: MailboxAccess };

/** Session with a selected mailbox. */
export type SelectedSession = AuthenticatedSession & { readonly selected: SelectedMailbox };

/** State of an IMAP session, which the commands read and change. */
export class ImapSession extends MailAccessSession<MailboxAccess, ImapContext> {
  access: MailboxAccess | null = null;
  selected: SelectedMailbox | null = null;
  /** Whether the client has enabled IMAP4rev2. */
  isRev2 = false;
  /** Whether FETCH responses about changed flags have MODSEQ (RFC 7162 section 3.1). */
  reportsModSeq = false;

  /** Writes text as UTF-8; resolves when the client has read enough to take more. */
  async send(text: string): Promise<void> {
    if (text !== "") await this.connection.write(Buffer.from(text, "utf8"));
  }

  /** Begins the authenticated state; returns false while too many sessions are in it. */
  authenticate(access: MailboxAccess): boolean {
    if (!this.connection.markAuthenticated()) return false;
    this.access = access;
    this.noteChecked();
    return true;
  }

  /** Leaves the selected mailbox, if there is one. */
  unselect(): void {
    this.selected?.close();
    this.selected = null;
  }

  /** Returns whether the session may go on: its credentials are still valid, and its mailbox is the one that it selected. */
  async isOpen(): Promise<boolean> {
    if (this.access === null) return true;
    return this.selected?.index.isReplaced !== true && (await this.isStillValid(this.access));
  }

  /** Reads and executes commands until the session ends. */
  async run(): Promise<void> {
    const { budget, limits, metrics } = this.context;
    for (let errorCount = 0; errorCount < errorCountMax;) {
      const isAuthenticated = this.access !== null;
      const read = await readCommand(this.connection, {
        isAuthenticated,
        mailBytesMax: limits.messageBytesMax,
        budget,
      });
      if (read.kind === "end") {
        if (read.reason !== "closed") await this.send(endings[read.reason]);
        return;
      }
      const reply = read.kind === "command" ? await this.#execute(read) : null;
      const isError = read.kind === "rejected" ? read.isError : reply?.status === "BAD";
      errorCount = isError ? errorCount + 1 : 0;
      if (read.kind === "rejected") await this.send(`${read.response}\r\n`);
      if (reply?.closes === true || this.connection.isClosed) return;
    }
    metrics.refused("too_many_errors");
    await this.send("* BYE Too many errors\r\n");
  }

  async #execute(line: ImapCommandLine): Promise<ImapReply> {
    try {
      if (!(await this.isOpen())) {
        await this.send("* BYE The credentials are no longer valid\r\n");
        return { ...no("[AUTHENTICATIONFAILED] The credentials are no longer valid"), closes: true };
      }
      const reply = await this.#run(line);
      if (reply.text !== "") await this.send(`${line.tag} ${reply.status} ${reply.text}\r\n`);
      return reply;
    } finally {
      line.release();
    }
  }

  async #run(line: ImapCommandLine): Promise<ImapReply> {
    const command = commands.get(line.name);
    if (command === undefined) return bad("Unknown command");
    try {
      const reply = await command.run(this, line.arguments, { tag: line.tag, isUid: false });
      if (this.connection.isClosed) return { ...reply, closes: true };
      if (command.updates !== "none") await this.selected?.update(this, { mayExpunge: command.updates === "all" });
      return this.selected?.index.isReplaced === true ? await this.#endReplaced() : reply;
    } catch (error) {
      return this.#replyTo(error);
    }
  }

  /** Returns the response to an error of a command; throws what is none of its errors. */
  #replyTo(error: unknown): ImapReply {
    if (error instanceof ImapSyntaxError) return bad(error.message);
    if (error instanceof UnknownEncoding) return no("[UNKNOWN-CTE] The transfer encoding of the part is not known");
    if (!(error instanceof Problem)) throw error;
    this.context.log.debug({ err: error }, "An IMAP command failed");
    return no(`${responseCodes[error.code] ?? "[UNAVAILABLE]"} ${error.message}`);
  }

  async #endReplaced(): Promise<ImapReply> {
    await this.send("* BYE The server was deleted\r\n");
    return { ...no("The server was deleted"), closes: true };
  }
}

/** Response codes of problems (RFC 5530); `[UNAVAILABLE]` for others. */
const responseCodes: Readonly<Partial<Record<Problem["code"], string>>> = {
  forbidden: "[NOPERM]",
  limit_reached: "[LIMIT]",
  message_too_large: "[TOOBIG]",
  not_found: "[NONEXISTENT]",
  quota_exceeded: "[OVERQUOTA]",
  storage_full: "[OVERQUOTA]",
  too_many_requests: "[LIMIT]",
};
