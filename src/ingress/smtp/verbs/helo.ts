import { reply, unknownCommand } from "../reply.ts";
import type { Verb } from "../session.ts";
import { introduce, nameNeeded } from "./ehlo.ts";

/** HELO (RFC 5321 §4.1.1.1): greeting of clients without extensions. */
export const helo: Verb = (session, argument) => {
  if (session.isLmtp) return unknownCommand;
  if (argument === "") return nameNeeded;
  return introduce(session, argument, () => {
    session.isExtended = false;
    return reply("250", session.context.hostname);
  });
};
