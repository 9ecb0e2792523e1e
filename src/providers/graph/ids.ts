/** Ids of messages, drafts and conversations, and the mailbox of a request. */
import { parseMessageId, type MessageId } from "../../core/ids.ts";
import { uuidOfBase64url, uuidToBase64url } from "../formats/uuid.ts";
import type { Call } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import type { ProviderMailbox } from "../mailbox.ts";
import { rejection } from "./errors.ts";

const prefix = "AAMk";

/** Returns the id of a message or of a draft, by its UUID. */
export function graphIdOf(uuid: string): string {
  return prefix + uuidToBase64url(uuid);
}

/** Returns the UUID in an id; "" for anything else. */
export function uuidOfGraphId(id: string): string {
  return id.startsWith(prefix) ? uuidOfBase64url(id.slice(prefix.length)) : "";
}

/** Returns the message with an id; undefined for that of a draft. Throws for anything else. */
export function messageIdOf(id: string): MessageId | undefined {
  const uuid = uuidOfGraphId(id);
  if (uuid === "") throw rejection("ErrorInvalidIdMalformed");
  return parseMessageId(uuid);
}

/** Returns the mailbox of a user, null for that of the key; by default the user of the path. */
export async function openMailbox(
  { session, request }: Pick<Call, "session" | "request">,
  user: string | null = request.params["user"] ?? null,
): Promise<ProviderMailbox> {
  return onProblem("not_found", session.openMailbox(user), () =>
    rejection("ErrorInvalidUser", `The requested user '${user ?? "me"}' is invalid.`),
  );
}

/** Returns the id of a conversation: that of the first mail of its thread, by Message-ID. */
export function conversationIdOf(rootMessageId: string): string {
  return `AAQk${Buffer.from(rootMessageId).toString("base64url")}`;
}

/** Returns the Message-ID in the id of a conversation; "" for anything else. */
export function rootOfConversation(id: string): string {
  return id.startsWith("AAQk") ? Buffer.from(id.slice(4), "base64url").toString("utf8") : "";
}
