import { parseMessageId, type MessageId } from "../core/ids.ts";
import { findEmailClient, type EmailClient } from "./email-client.ts";

/** Message and email client of a preview. */
export interface PreviewSubject {
  readonly message: MessageId;
  readonly client: EmailClient;
}

const messageIdLength = 36;

/**
 * Returns the id of a preview: the message's, a hyphen, the client's label. It contains everything that is needed to
 * render the preview, so any node with the message can do it and nothing is stored.
 */
export function encodePreviewId({ message, client }: PreviewSubject): string {
  return `${message}-${client.label}`;
}

/** Parses a preview's id, in any letter case; undefined if it is malformed or the client is unknown. */
export function parsePreviewId(text: string): PreviewSubject | undefined {
  const message = parseMessageId(text.slice(0, messageIdLength));
  const client = findEmailClient(text.slice(messageIdLength + 1));
  if (message === undefined || client === undefined || text[messageIdLength] !== "-") return undefined;
  return { message, client };
}
