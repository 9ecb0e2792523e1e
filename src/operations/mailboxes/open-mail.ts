import { mainTurns } from "../../core/shared-turns.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Mailbox } from "../../mime/compose/address-field.ts";
import { composeMail } from "../../mime/compose/compose.ts";
import { inMemoryContent, type RawContent } from "../../store/raw-content.ts";
import type { Context } from "../context.ts";
import { decodeDetail } from "../services/reading/stored-detail.ts";

/** Dependencies of the operations on mails of a mailbox. */
type Dependencies = Pick<Context, "store">;

/** Number of messages that are measured at once. */
const measuredCountMax = 200;

/**
 * Opens a message as a mail: its raw bytes, or for an SMS a mail made of its text, always the same bytes. Undefined when the
 * message no longer exists.
 */
export async function openMail({ store }: Dependencies, id: MessageId): Promise<RawContent | undefined> {
  await mainTurns.next();
  const raw = await store.openRaw(id);
  if (raw === undefined || raw.sizeBytes > 0) return raw;
  const sms = await smsAsMail({ store }, id);
  return sms === undefined ? undefined : inMemoryContent(sms);
}

/** Returns the sizes of mails in bytes, as {@link openMail} opens them, in the order of the ids; 0 for missing ones. */
export async function measureMails(
  { store }: Dependencies,
  server: ServerId,
  ids: readonly MessageId[],
): Promise<readonly number[]> {
  const sizes: number[] = [];
  for (let from = 0; from < ids.length; from += measuredCountMax) {
    await mainTurns.next();
    const some = ids.slice(from, from + measuredCountMax);
    for (const [index, size] of (await store.measureRaw(server, some)).entries()) {
      const id = some[index];
      if (size === 0) await mainTurns.next();
      sizes.push(size > 0 || id === undefined ? size : ((await smsAsMail({ store }, id))?.length ?? 0));
    }
  }
  return sizes;
}

/** Returns an SMS as a mail; undefined when the message no longer exists. */
async function smsAsMail({ store }: Dependencies, id: MessageId): Promise<Uint8Array | undefined> {
  const detail = await store.getDetail(id);
  if (detail === undefined) return undefined;
  const { from, to, subject, text } = decodeDetail(detail).message;
  const mailboxOf = ({ name, phone }: { readonly name: string; readonly phone: string | null }): Mailbox => ({
    name: name === "" ? (phone ?? "") : name,
    address: `${(phone ?? "").replaceAll(/[^0-9A-Za-z]/g, "") || "unknown"}@sms.invalid`,
  });
  const [sender = { name: "", phone: null }] = from;
  return await composeMail({
    messageId: `<${id}@sms.invalid>`,
    date: decodeMessageId(id).receivedAt,
    boundarySeed: id,
    from: mailboxOf(sender),
    to: to.map(mailboxOf),
    subject,
    text: text?.body ?? "",
    html: null,
    allows8bit: true,
  });
}
