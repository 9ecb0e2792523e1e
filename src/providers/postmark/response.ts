import type { PostmarkMessage } from "./request.ts";

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the UUID in a MessageID, which is the UUID itself; "" for anything else. */
export function uuidOfMessageId(id: string): string {
  const text = id.toLowerCase();
  return uuidPattern.test(text) ? text : "";
}

/** Returns the Message-ID field of a mail with this UUID. */
export function messageIdField(uuid: string): string {
  return `<${uuid}@mtasv.net>`;
}

/** Returns an instant as the API writes it: `2026-11-20T10:42:07.0000000Z` with seven decimals. */
export function instantText(instant: number): string {
  return new Date(instant).toISOString().replace("Z", "0000Z");
}

/** Outcome of an accepted message. */
export interface Acceptance {
  readonly messageId: string;
  readonly message: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Returns the JSON of an accepted message. */
export function acceptedBody(
  { echo }: PostmarkMessage,
  { messageId, message, now }: Acceptance,
): Readonly<Record<string, unknown>> {
  const { To, Cc, Bcc } = echo;
  return {
    ...(To !== null && { To }),
    ...(Cc !== null && { Cc }),
    ...(Bcc !== null && { Bcc }),
    SubmittedAt: instantText(now),
    MessageID: messageId,
    ErrorCode: 0,
    Message: message,
  };
}
