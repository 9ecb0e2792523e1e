/** Commands on the messages of a maildrop (RFC 1939 sections 5 to 7). */
import { Problem } from "../../core/errors.ts";
import { deletionRefused } from "../../operations/mailboxes/delete-mails.ts";
import { capa } from "./authorization-commands.ts";
import type { Maildrop, MaildropMessage } from "./maildrop.ts";
import type { Pop3Command, Pop3Outcome, Pop3Session } from "./session.ts";

const missing = "No such message";

/** Returns a command on the maildrop, which the session has opened. */
function onMaildrop(
  run: (session: Pop3Session, maildrop: Maildrop, argument: string) => Promise<Pop3Outcome>,
): Pop3Command {
  return async (session, argument) => {
    const { maildrop } = session;
    if (maildrop === null) throw new Error("a command on the maildrop ran before it was opened");
    return await run(session, maildrop, argument);
  };
}

/** Returns a command that lists a value of each message, or that of one. */
function listing(title: (maildrop: Maildrop) => string, valueOf: (message: MaildropMessage) => string): Pop3Command {
  return onMaildrop(async (session, maildrop, argument) => {
    if (argument !== "") {
      const message = maildrop.find(argument);
      if (message === undefined) return await session.fail(missing);
      return await session.respond(`${message.number} ${valueOf(message)}`);
    }
    await session.respond(title(maildrop));
    const lines = maildrop.messages.map((message) => `${message.number} ${valueOf(message)}\r\n`);
    await session.connection.write(`${lines.join("")}.\r\n`);
    return {};
  });
}

const stat = onMaildrop(async (session, maildrop) =>
  session.respond(`${maildrop.messages.length} ${maildrop.sizeBytes}`),
);

const retr = onMaildrop(async (session, maildrop, argument) => {
  const message = maildrop.find(argument);
  return message === undefined ? await session.fail(missing) : await sendMail(session, maildrop, { message });
});

const top = onMaildrop(async (session, maildrop, argument) => {
  const [number = "", count = "", ...rest] = argument.split(/ +/);
  const message = maildrop.find(number);
  if (rest.length > 0 || !/^\d{1,9}$/.test(count))
    return await session.fail("TOP needs a message and a number of lines");
  if (message === undefined) return await session.fail(missing);
  return await sendMail(session, maildrop, { message, bodyLineCount: Number(count) });
});

async function sendMail(
  session: Pop3Session,
  { access }: Maildrop,
  { message, bodyLineCount }: { readonly message: MaildropMessage; readonly bodyLineCount?: number },
): Promise<Pop3Outcome> {
  const mail = await session.context.operations.open(access, message.id);
  if (mail === undefined) return await session.fail("The message was deleted meanwhile");
  await session.respond(`${mail.sizeBytes} octets`);
  try {
    for await (const chunk of dotStuffed(mail.read(), bodyLineCount)) {
      await session.connection.write(chunk);
      if (session.connection.isClosed) return { closes: true };
    }
  } catch (error) {
    // The response has begun: only the end of the connection tells the client that the mail is incomplete.
    session.context.log.debug({ err: error }, "A mail could not be read to its end");
    session.connection.destroy();
    return { closes: true };
  }
  await session.connection.write(".\r\n");
  return {};
}

const dele = onMaildrop(async (session, maildrop, argument) => {
  const message = maildrop.find(argument);
  if (message === undefined) return await session.fail(missing);
  if (!maildrop.access.mayWrite) return await session.fail("[SYS/PERM] This key may only read");
  if (!maildrop.mayDelete) return await session.fail(`[SYS/PERM] ${deletionRefused}`);
  maildrop.markDeleted(message);
  return await session.respond(`Message ${message.number} will be deleted`);
});

const rset = onMaildrop(async (session, maildrop) => {
  maildrop.reset();
  return await session.respond("No message will be deleted");
});

const quit = onMaildrop(async (session, maildrop) => {
  try {
    const failureCount = await maildrop.update(session.context.operations, (error) => {
      session.context.log.error({ err: error }, "A message could not be deleted by POP3");
    });
    if (failureCount === 0) await session.respond("Bye");
    else await session.fail(`[SYS/TEMP] ${failureCount} messages could not be deleted`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    session.context.log.debug({ err: error }, "Messages could not be deleted by POP3");
    await session.fail(`[${error.code === "forbidden" ? "SYS/PERM" : "SYS/TEMP"}] ${error.message}`);
  }
  return { closes: true };
});

const noop: Pop3Command = async (session) => session.respond("Ready");

/** Commands by name. */
export const transactionCommands: ReadonlyMap<string, Pop3Command> = new Map([
  ["STAT", stat],
  [
    "LIST",
    listing(
      ({ messages, sizeBytes }) => `${messages.length} messages (${sizeBytes} octets)`,
      ({ sizeBytes }) => `${sizeBytes}`,
    ),
  ],
  [
    "UIDL",
    listing(
      () => "Unique ids follow",
      ({ id }) => id,
    ),
  ],
  ["RETR", retr],
  ["TOP", top],
  ["DELE", dele],
  ["RSET", rset],
  ["NOOP", noop],
  ["CAPA", capa],
  ["QUIT", quit],
]);

const lf = 0x0a;
const cr = 0x0d;
const dot = 0x2e;
const oneDot = Buffer.from(".");
const crlf = Buffer.from("\r\n");

/**
 * Yields a mail as the body of a multi-line response (RFC 1939 section 3): a dot is doubled at the beginning of a line, and
 * the last line ends with CRLF. With `bodyLineCount`, only the header section, the empty line and so many lines of the body
 * (TOP). The line with the final dot is left to the caller.
 */
export async function* dotStuffed(
  chunks: AsyncIterable<Uint8Array>,
  bodyLineCount: number = Infinity,
): AsyncGenerator<Uint8Array, void> {
  const lines = new LineScanner(bodyLineCount);
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    yield lines.scan(bytes);
    if (lines.isDone) break;
  }
  if (!lines.isAtLineStart) yield crlf;
}

/** Position in a mail that is read in chunks. */
class LineScanner {
  #isAtLineStart = true;
  /** Whether the current line has no byte but CR so far. */
  #isEmptyLine = true;
  #isInBody = false;
  #linesLeft: number;

  constructor(bodyLineCount: number) {
    this.#linesLeft = bodyLineCount;
  }

  get isAtLineStart(): boolean {
    return this.#isAtLineStart;
  }

  get isDone(): boolean {
    return this.#isInBody && this.#linesLeft <= 0;
  }

  /** Returns the stuffed form of the bytes that are still wanted. */
  scan(chunk: Buffer): Buffer {
    const pieces: Buffer[] = [];
    let from = 0;
    let at = 0;
    while (at < chunk.length && !this.isDone) {
      if (this.#isAtLineStart && chunk[at] === dot) {
        pieces.push(chunk.subarray(from, at), oneDot);
        from = at;
      }
      at = this.#passLine(chunk, at);
    }
    pieces.push(chunk.subarray(from, at));
    return Buffer.concat(pieces);
  }

  /** Passes the rest of a line; returns the position after it, or after the chunk. */
  #passLine(chunk: Buffer, at: number): number {
    const lineEnd = chunk.indexOf(lf, at);
    const end = lineEnd === -1 ? chunk.length : lineEnd;
    const isBlank = end === at || (end - at === 1 && chunk[at] === cr);
    if (!isBlank) this.#isEmptyLine = false;
    this.#isAtLineStart = lineEnd !== -1;
    if (lineEnd === -1) return end;
    this.#endLine();
    return end + 1;
  }

  #endLine(): void {
    if (this.#isInBody) this.#linesLeft -= 1;
    else if (this.#isEmptyLine) this.#isInBody = true;
    this.#isEmptyLine = true;
  }
}
