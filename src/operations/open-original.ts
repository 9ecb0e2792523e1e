import { readVisibleText } from "../analysis/visible-reader.ts";
import type { Principal } from "../core/api-key.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../core/ids.ts";
import type { Message } from "../core/message.ts";
import type { SmsProvider } from "../core/owned-number.ts";
import { parseSingleAddress } from "../egress/policy.ts";
import { readOriginal, type Original } from "../mime/compose/original.ts";
import { parseMail } from "../mime/parse-mail.ts";
import { openMessageId, orNotFound } from "./access.ts";
import { domainOf, freshAddress } from "./compose-stamp.ts";
import type { Context } from "./context.ts";
import { decodeDetail, type StoredDetail } from "./stored-detail.ts";

/** A stored message that something is done about. */
export interface OpenedMessage {
  readonly id: MessageId;
  readonly server: ServerId;
  readonly message: StoredDetail["message"];
  readonly session: StoredDetail["session"];
  /** The provider whose web hook brought a text; null for all else. */
  readonly via: SmsProvider | null;
}

type Needs = Pick<Context, "store" | "limits" | "settings">;

/** The message; rejects with `not_found`. */
export async function openMessage(context: Needs, principal: Principal, idText: string): Promise<OpenedMessage> {
  const id = openMessageId(principal, idText);
  const { message, session, via = null } = decodeDetail(orNotFound(await context.store.getDetail(id), "Message"));
  return { id, server: decodeMessageId(id).server, message, session, via };
}

/** The mail that a message is, to be answered or passed on; one without a text body is quoted by its visible text. */
export async function readOpened(
  context: Needs,
  { id }: OpenedMessage,
): Promise<{ readonly original: Original; readonly raw: Uint8Array }> {
  const raw = orNotFound(await context.store.getRaw(id), "Message");
  const original = readOriginal(raw, parseMail(raw, context.limits), decodeMessageId(id).receivedAt);
  if (original.text !== null || original.html === null) return { original, raw };
  return { original: { ...original, text: readVisibleText(original.html) }, raw };
}

/** The address of the server that the mail was for (that it was from, where the server sent it), else a fresh one. */
export function ownAddressOf(context: Needs, { server, message, id }: OpenedMessage): string {
  const ending = `@${domainOf(context, server)}`;
  const { from, to, cc, metadata }: Pick<Message, "from" | "to" | "cc" | "metadata"> = message;
  const candidates = decodeMessageId(id).direction === "Sent" ? from : [...metadata.rcptTo, ...to, ...cc];
  const own = candidates
    .map(({ email }) => parseSingleAddress(email ?? "").address)
    .find((address) => address?.endsWith(ending) === true);
  return own ?? freshAddress(context, server);
}
