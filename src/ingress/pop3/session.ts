/** POP3 listener and its sessions (RFC 1939). */
import { trim } from "../../core/trim.ts";
import { Problem } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";
import type { MailboxAccess, MailboxCredentials } from "../../operations/mailboxes/access-mailbox.ts";
import type { LineConnection, LineEnd } from "../lines/line-connection.ts";
import { type MailAccessOptions, MailAccessSession, startMailAccess } from "../lines/line-listener.ts";
import type { OpenListener } from "../lines/session-listener.ts";
import { authorizationCommands } from "./authorization-commands.ts";
import { Maildrop, type MaildropLock, type MaildropLocks } from "./maildrop.ts";
import { transactionCommands } from "./transaction-commands.ts";

/** Mail that is read in chunks. */
interface Pop3Mail {
  readonly sizeBytes: number;
  /** Yields the bytes in order. Throws `not_found` when the message is deleted meanwhile. */
  read(): AsyncIterable<Uint8Array>;
}

/** Operations that the POP3 listener depends on. */
export interface Pop3Operations {
  /** Returns the server of credentials; undefined for wrong ones. Rejects with `too_many_requests` after too many. */
  access(credentials: MailboxCredentials): Promise<MailboxAccess | undefined>;
  /** Returns the received messages that the reader sees and that were stored last, at most `countMax`, in the order in which they were stored. */
  list(access: MailboxAccess, countMax: number): Promise<readonly MessageId[]>;
  /** Returns the sizes of mails in bytes; 0 for those that no longer exist. */
  measure(access: MailboxAccess, ids: readonly MessageId[]): Promise<readonly number[]>;
  /** Opens a mail; undefined when it no longer exists. */
  open(access: MailboxAccess, id: MessageId): Promise<Pop3Mail | undefined>;
  /** Returns whether the server lets clients delete messages now. */
  mayDelete(access: MailboxAccess): Promise<boolean>;
  /** Deletes messages, or hides them from the reader; calls `onFailure` for each that cannot be deleted. Rejects as `deleteMails` does. */
  remove(access: MailboxAccess, ids: readonly MessageId[], onFailure: (error: unknown) => void): Promise<void>;
  /** Returns whether the credentials are still valid. */
  isOpen(access: MailboxAccess): Promise<boolean>;
}

/** Options of a POP3 listener. */
type Pop3ServerOptions = MailAccessOptions<Pop3Operations>;

/** Idle time of an authenticated session; at least 10 minutes (RFC 1939 section 3). */
const authenticatedIdleMsMax = 600_000;

/** Consecutive wrong commands after which a session is closed. */
const errorCountMax = 20;

/** Dependencies that all sessions of a listener share. */
interface Pop3Context extends Pick<
  Pop3ServerOptions,
  "clock" | "hostname" | "implicitTls" | "log" | "metrics" | "operations" | "secureContext" | "allowsClearText"
> {
  readonly locks: MaildropLocks;
}

/** Outcome of a command. `close`: the session ends. `isError`: counts towards {@link errorCountMax}. */
export interface Pop3Outcome {
  readonly isError?: boolean;
  readonly closes?: boolean;
}

/** Command: takes its argument, and writes its response. */
export type Pop3Command = (session: Pop3Session, argument: string) => Promise<Pop3Outcome>;

const endings: Readonly<Record<Exclude<LineEnd, "closed">, string>> = {
  anonymous: "-ERR [SYS/TEMP] Closing: nobody signed in for too long\r\n",
  idle: "-ERR [SYS/TEMP] Closing: idle for too long\r\n",
  shutdown: "-ERR [SYS/TEMP] Closing: the service stops\r\n",
};

/** Opens a POP3 listener; rejects when the address cannot be bound. `locks` are shared by all listeners of a service. */
export async function startPop3Server(options: Pop3ServerOptions, locks: MaildropLocks): Promise<OpenListener> {
  const context: Pop3Context = { ...options, locks };
  return await startMailAccess(options, {
    protocol: "POP3",
    lineBytesMax: options.limits.commandLineBytesMax,
    authenticatedIdleMsMax,
    refusal: "-ERR [SYS/TEMP] Too many sessions\r\n",
    runSession: async (connection) => runPop3Session(connection, context),
  });
}

/** Runs a session from the greeting to its end. */
async function runPop3Session(connection: LineConnection, context: Pop3Context): Promise<void> {
  const session = new Pop3Session(connection, context);
  try {
    await connection.write(`+OK ${context.hostname} restante POP3 server ready\r\n`);
    await session.run();
  } finally {
    session.release();
  }
}

/** State of a POP3 session, which the commands read and change. */
export class Pop3Session extends MailAccessSession<MailboxAccess, Pop3Context> {
  /** Name of USER, for the next PASS. */
  user: string | null = null;
  maildrop: Maildrop | null = null;
  #lock: MaildropLock | undefined;

  /** Reads and executes commands until the session ends. */
  async run(): Promise<void> {
    for (let errorCount = 0; errorCount < errorCountMax;) {
      const line = await this.connection.readLine();
      if (line.kind === "end") {
        if (line.reason !== "closed") await this.connection.write(endings[line.reason]);
        return;
      }
      const outcome =
        line.kind === "overlong" ? await this.fail("The line is too long") : await this.#execute(line.text);
      errorCount = outcome.isError === true ? errorCount + 1 : 0;
      if (outcome.closes === true || this.connection.isClosed) return;
    }
    this.context.metrics.refused("too_many_errors");
    await this.connection.write("-ERR Closing: too many errors\r\n");
  }

  /** Opens the maildrop of a server; responds with an error while another session uses it. */
  async open(access: MailboxAccess): Promise<Pop3Outcome> {
    const lock = this.context.locks.acquire(access.server, () => {
      this.connection.destroy();
    });
    if (lock === undefined) return await this.fail("[IN-USE] Another session uses the maildrop");
    if (!this.connection.markAuthenticated()) {
      lock.release();
      this.context.metrics.refused("too_many_sessions");
      return await this.fail("[SYS/TEMP] Too many sessions are signed in; try again later");
    }
    this.#lock = lock;
    this.maildrop = await Maildrop.open(this.context.operations, access);
    this.noteChecked();
    const { messages, sizeBytes } = this.maildrop;
    return await this.respond(`${messages.length} messages (${sizeBytes} octets)`);
  }

  /** Releases the lock of the maildrop. */
  release(): void {
    this.#lock?.release();
  }

  /** Writes a positive response. */
  async respond(text: string): Promise<Pop3Outcome> {
    await this.connection.write(`+OK ${text}\r\n`);
    return {};
  }

  /** Writes a negative response. */
  async fail(text: string): Promise<Pop3Outcome> {
    await this.connection.write(`-ERR ${text}\r\n`);
    return { isError: true };
  }

  async #execute(line: string): Promise<Pop3Outcome> {
    const nameEnd = line.indexOf(" ");
    const name = nameEnd === -1 ? line : line.slice(0, nameEnd);
    const argument = nameEnd === -1 ? "" : trim(line.slice(nameEnd), " ");
    this.#lock?.touch();
    const commands = this.maildrop === null ? authorizationCommands : transactionCommands;
    const command = commands.get(name.toUpperCase());
    if (command === undefined) {
      const isKnown = authorizationCommands.has(name.toUpperCase()) || transactionCommands.has(name.toUpperCase());
      return await this.fail(isKnown ? "The command is not valid in this state" : "Unknown command");
    }
    try {
      if (this.maildrop !== null && !(await this.isStillValid(this.maildrop.access))) {
        await this.fail("[AUTH] The credentials are no longer valid");
        return { closes: true };
      }
      return await command(this, argument);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.context.log.debug({ err: error }, "A POP3 command failed");
      return await this.fail(`[SYS/TEMP] ${error.message}`);
    }
  }
}
