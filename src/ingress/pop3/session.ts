import { trim } from "../../core/trim.ts";
import { Problem } from "../../core/errors.ts";
import type { MailboxAccess } from "../../operations/mailboxes/access-mailbox.ts";
import type { LineConnection } from "../lines/line-connection.ts";
import type { LineEnd } from "../lines/line-read.ts";
import { authorizationCommands } from "./authorization-commands.ts";
import { Maildrop } from "./maildrop.ts";
import type { MaildropLock, MaildropLocks } from "./locks.ts";
import type { Pop3ServerOptions } from "./server.ts";
import { transactionCommands } from "./transaction-commands.ts";

/** Consecutive wrong commands after which a session is closed. */
const errorCountMax = 20;
/** Time between two checks of whether the credentials are still valid. */
const accessCheckMs = 15_000;

/** Dependencies that all sessions of a listener share. */
export interface Pop3Context extends Pick<
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

/** Runs a POP3 session (RFC 1939) from the greeting to its end. */
export async function runPop3Session(connection: LineConnection, context: Pop3Context): Promise<void> {
  const session = new Pop3Session(connection, context);
  try {
    await connection.write(`+OK ${context.hostname} restante POP3 server ready\r\n`);
    await session.run();
  } finally {
    session.release();
  }
}

/** State of a POP3 session, which the commands read and change. */
export class Pop3Session {
  readonly connection: LineConnection;
  readonly context: Pop3Context;
  /** Name of USER, for the next PASS. */
  user: string | null = null;
  maildrop: Maildrop | null = null;
  #lock: MaildropLock | undefined;
  #checkedAt = 0;

  constructor(connection: LineConnection, context: Pop3Context) {
    this.connection = connection;
    this.context = context;
  }

  /** Whether credentials may be sent. */
  get acceptsCredentials(): boolean {
    return this.connection.isSecure || this.context.allowsClearText(this.connection.clientAddress);
  }

  /** Whether STLS succeeds. */
  get offersTls(): boolean {
    return !this.connection.isSecure && !this.context.implicitTls && this.context.secureContext() !== undefined;
  }

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
    this.#checkedAt = this.context.clock.monotonicMs();
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
      if (!(await this.#isOpen())) {
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

  /** Whether the credentials of the session are still valid; asks again after {@link accessCheckMs}. */
  async #isOpen(): Promise<boolean> {
    if (this.maildrop === null) return true;
    const now = this.context.clock.monotonicMs();
    if (now - this.#checkedAt < accessCheckMs) return true;
    this.#checkedAt = now;
    return await this.context.operations.isOpen(this.maildrop.access);
  }
}
