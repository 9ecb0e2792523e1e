/** Commands on the messages of a maildrop (RFC 1939 sections 5 to 7). */
import { Problem } from "../../core/errors.ts";
import { deletionRefused } from "../../operations/mailboxes/delete-mails.ts";
import { capa } from "./capabilities.ts";
import { dotStuffed } from "./dot-stuffing.ts";
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
