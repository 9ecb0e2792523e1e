/** IDLE (RFC 9051 section 6.3.13): changes are reported as they happen, whichever node stored them. */
import { Problem } from "../../core/errors.ts";
import { bad, type ImapReply, ok, type RunCommand } from "./command.ts";
import type { AuthenticatedSession, ImapSession } from "./session.ts";

/** Time between two checks of whether the credentials are still valid. */
const checkMs = 15_000;
/** Checks between two lines that keep connections through address translators open. */
const checkCountPerLine = 8;

/** IDLE. */
export const idle: RunCommand<AuthenticatedSession> = async (session) => {
  const waiting = new IdleWait(session);
  try {
    await session.send("+ idling\r\n");
    return await waiting.run();
  } finally {
    waiting.close();
  }
};

class IdleWait {
  readonly #session: ImapSession;
  readonly #unsubscribe: () => void;
  #cancelCheck: () => void = () => undefined;
  #checkCount = 0;
  #isChanged = true;
  #isDue = false;
  #mustRetry = false;
  #reply: ImapReply | null = null;
  #wake: () => void = () => undefined;

  constructor(session: ImapSession) {
    this.#session = session;
    this.#unsubscribe =
      session.selected?.index.subscribe(() => {
        this.#isChanged = true;
        this.#wake();
      }) ?? (() => undefined);
    this.#planCheck();
  }

  close(): void {
    this.#unsubscribe();
    this.#cancelCheck();
  }

  async run(): Promise<ImapReply> {
    void this.#readEnd();
    for (;;) {
      if (this.#reply !== null) return this.#reply;
      if (this.#session.connection.isClosed) return { status: "BAD", text: "", closes: true };
      if (this.#isChanged) await this.#report();
      else if (this.#isDue) await this.#check();
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  /** Waits for the line that ends the command. */
  async #readEnd(): Promise<void> {
    const line = await this.#session.connection.readLine();
    if (line.kind === "end") {
      // The end is read again by the session, which says goodbye.
      this.#reply = { status: "BAD", text: "" };
    } else {
      const isDone = line.kind === "line" && line.text.toUpperCase() === "DONE";
      this.#reply = isDone ? ok("IDLE completed") : bad("IDLE ends with DONE");
    }
    this.#wake();
  }

  async #report(): Promise<void> {
    this.#isChanged = false;
    const { selected } = this.#session;
    await this.#retryLater(async () => {
      await selected?.update(this.#session, { mayExpunge: true });
    });
    if (selected?.index.isReplaced === true) this.#reply = { status: "BAD", text: "", closes: true };
  }

  async #check(): Promise<void> {
    this.#isDue = false;
    this.#checkCount += 1;
    let isOpen = true;
    await this.#retryLater(async () => {
      isOpen = await this.#session.isOpen();
    });
    if (!isOpen) {
      await this.#session.send("* BYE The credentials are no longer valid\r\n");
      this.#reply = { status: "BAD", text: "", closes: true };
      return;
    }
    if (this.#checkCount % checkCountPerLine === 0) await this.#session.send("* OK Still here\r\n");
    this.#planCheck();
  }

  /** Repeats an action that the store cannot execute now with the next check: the client may end IDLE at any time. */
  async #retryLater(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#session.context.log.debug({ err: error }, "IDLE could not read the changes of a mailbox");
      this.#mustRetry = true;
    }
  }

  #planCheck(): void {
    this.#cancelCheck = this.#session.context.clock.after(checkMs, () => {
      this.#isDue = true;
      this.#isChanged ||= this.#mustRetry;
      this.#mustRetry = false;
      this.#wake();
    });
  }
}
