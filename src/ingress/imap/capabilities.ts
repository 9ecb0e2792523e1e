import type { ImapSession } from "./session.ts";

/** Extensions that are available in every state. */
const extensions = [
  "IMAP4rev1",
  "IMAP4rev2",
  "LITERAL+",
  "SASL-IR",
  "ID",
  "ENABLE",
  "IDLE",
  "NAMESPACE",
  "UNSELECT",
  "UIDPLUS",
  "MOVE",
  "CHILDREN",
  "LIST-EXTENDED",
  "LIST-STATUS",
  "SPECIAL-USE",
  "STATUS=SIZE",
  "ESEARCH",
  "SEARCHRES",
  "SORT",
  "THREAD=ORDEREDSUBJECT",
  "THREAD=REFERENCES",
  "CONDSTORE",
  "BINARY",
] as const;

/** Returns the capabilities in the present state of a session. */
export function capabilities(session: ImapSession): readonly string[] {
  const { context } = session;
  if (session.access !== null) return [...extensions, `APPENDLIMIT=${context.limits.messageBytesMax}`];
  return [
    ...extensions,
    ...(session.offersTls ? ["STARTTLS"] : []),
    ...(session.acceptsCredentials ? ["AUTH=PLAIN"] : ["LOGINDISABLED"]),
  ];
}
