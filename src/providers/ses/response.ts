/** Versions and message ids of Amazon SES. */

/** XML namespace of version 1 of the API. */
export const queryNamespace = "http://ses.amazonaws.com/doc/2010-12-01/";

/** Returns whether a path belongs to version 2, a REST API with JSON. */
export function isRestPath(path: string): boolean {
  return path.startsWith("/v2/");
}

/** `0100` and the time in hexadecimal milliseconds, the UUID, and a counter. */
const pattern = /^0100[0-9a-f]{12}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-000000$/;
const timeDigits = 12;

/** Returns the message id of a UUID; `now` in milliseconds since the Unix epoch. */
export function sesMessageId(uuid: string, now: number): string {
  return `0100${Math.max(0, Math.trunc(now)).toString(16).padStart(timeDigits, "0").slice(-timeDigits)}-${uuid}-000000`;
}

/** Returns the UUID in a message id; "" for anything else. */
export function uuidOfMessageId(messageId: string): string {
  return pattern.exec(messageId)?.[1] ?? "";
}

/** Returns the Message-ID field that Amazon SES gives a mail in a region. */
export function messageIdField(messageId: string, region: string): string {
  return `<${messageId}@${region === "us-east-1" ? "email" : region}.amazonses.com>`;
}
