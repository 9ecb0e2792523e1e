import type { MessageId } from "../../core/ids.ts";
import type { Limits } from "../../core/limits.ts";
import { headBytes } from "../../mime/structure/header-lines.ts";
import type { RawContent } from "../../store/raw-content.ts";
import type { Context } from "../context.ts";
import { openMail } from "./open-mail.ts";

/** Bytes in which nearly every header section ends. */
const firstBytes = 16 * 1024;

/**
 * Returns the header section of a mail with the empty line that ends it, without reading the body of a large mail; at most
 * `headerBytesMax` bytes and some of the body when the section is larger or has no end. Undefined when the message no longer
 * exists.
 */
export async function readMailHead(
  context: Pick<Context, "store" | "limits">,
  id: MessageId,
): Promise<Uint8Array | undefined> {
  const mail = await openMail(context, id);
  return mail === undefined ? undefined : await readHead(mail, context.limits);
}

async function readHead(mail: RawContent, limits: Limits): Promise<Uint8Array> {
  const first = await readBytes(mail, firstBytes);
  const count = headBytes(first, limits);
  if (count !== null) return first.subarray(0, count);
  if (first.length === mail.sizeBytes) return first;
  const all = await readBytes(mail, limits.headerBytesMax);
  return all.subarray(0, headBytes(all, limits) ?? all.length);
}

async function readBytes(mail: RawContent, countMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of mail.read({ first: 0, last: Math.min(countMax, mail.sizeBytes) - 1 })) chunks.push(chunk);
  return chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
}
