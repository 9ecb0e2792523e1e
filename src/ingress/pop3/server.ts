import { signInMsMax } from "../../core/arrival-rate.ts";
import { startLineListener, type LineListener, sessionBounds } from "../lines/line-listener.ts";
import type { MaildropLocks } from "./locks.ts";
import type { Pop3ServerOptions } from "./options.ts";
import { runPop3Session, type Pop3Context } from "./session.ts";

/** Idle time of an authenticated session; at least 10 minutes (RFC 1939 section 3). */
const authenticatedIdleMsMax = 600_000;

/** Opens a POP3 listener; rejects when the address cannot be bound. `locks` are shared by all listeners of a service. */
export async function startPop3Server(options: Pop3ServerOptions, locks: MaildropLocks): Promise<LineListener> {
  const { limits } = options;
  const context: Pop3Context = { ...options, locks };
  return await startLineListener({
    ...options,
    protocol: "POP3",
    lineBytesMax: limits.commandLineBytesMax,
    idleMsMax: limits.smtpIdleMsMax,
    signInMsMax,
    authenticatedIdleMsMax,
    writeMsMax: limits.writeMsMax,
    ...sessionBounds(limits),
    refusal: "-ERR [SYS/TEMP] Too many sessions\r\n",
    runSession: async (connection) => {
      await runPop3Session(connection, context);
    },
  });
}
