import { parseMessageId, type MessageId } from "../core/ids.ts";
import { findEmailClient, type EmailClient } from "./email-client.ts";

/** What a preview is of. */
export interface PreviewSubject {
  readonly message: MessageId;
  readonly client: EmailClient;
}

const messageIdLength = 36;

/**
 * The id of a preview: the message's, a hyphen, the program's label. It says everything that making the preview takes, so
 * whoever holds the message can make it, and nothing has to be kept.
 */
export function encodePreviewId({ message, client }: PreviewSubject): string {
  return `${message}-${client.label}`;
}

/** Reads a preview's id, in any letter case; undefined when it is malformed or names no program. */
export function parsePreviewId(text: string): PreviewSubject | undefined {
  const message = parseMessageId(text.slice(0, messageIdLength));
  const client = findEmailClient(text.slice(messageIdLength + 1));
  if (message === undefined || client === undefined || text[messageIdLength] !== "-") return undefined;
  return { message, client };
}
