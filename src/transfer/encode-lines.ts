/** A store → the lines of an export. */
import type { MessageId, ServerId } from "../core/ids.ts";
import { decodeMessageId } from "../core/ids.ts";
import type { Server } from "../core/server.ts";
import type { StoreSource, WholeMessage } from "../store/store.ts";
import type { BodyLine, EndedDelivery, HeaderLine } from "./export-lines.ts";

/** Bytes of messages that one question to the store brings, roughly. */
const readBytesMax = 1024 * 1024;

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

/** A line as it is written, without the line feed behind it. */
export function encodeLine(line: HeaderLine | Exclude<BodyLine, { readonly kind: "message" }>): Buffer {
  return Buffer.from(JSON.stringify(line), "utf8");
}

/**
 * The servers to export, by id, as messages are sorted. Throws an `Error` for the operator that names a wanted server
 * which is not there.
 */
export async function chooseServers(
  source: Pick<StoreSource, "listServers">,
  wanted: readonly ServerId[] | null,
): Promise<readonly Server[]> {
  const servers = await source.listServers();
  const missing = wanted?.find((id) => !servers.some((server) => server.id === id));
  if (missing !== undefined) throw new Error(`There is no server ${missing}`);
  return servers.filter(({ id }) => wanted?.includes(id) ?? true).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Everything but messages and counts: of the servers, and where all are exported, of the account. */
export async function* accountLines(
  source: StoreSource,
  servers: readonly Server[],
  isWhole: boolean,
): AsyncGenerator<Buffer> {
  const ids: ReadonlySet<ServerId | null> = new Set(servers.map(({ id }) => id));
  for (const { messages: _messages, bytes: _bytes, ...server } of servers) {
    const password = (await source.getServerPassword(server.id)) ?? "";
    yield encodeLine({ kind: "server", ...server, password, zone: (await source.getZone(server.id)) ?? null });
  }
  for (const key of await source.listKeys()) {
    if (ids.has(key.server) || (isWhole && key.server === null)) yield encodeLine({ kind: "key", ...key });
  }
  for (const { sealedSecrets, ...number } of await source.phoneNumbers.listPhoneNumbers()) {
    const sealed = sealedSecrets === null ? null : base64(sealedSecrets);
    if (ids.has(number.server)) yield encodeLine({ kind: "number", ...number, sealedSecrets: sealed });
  }
  if (isWhole) yield* ownLines(source);
}

/** What belongs to no server. */
async function* ownLines(source: StoreSource): AsyncGenerator<Buffer> {
  for (const { sealedSecret, ...device } of await source.listDevices()) {
    yield encodeLine({ kind: "device", ...device, sealedSecret: base64(sealedSecret) });
  }
  for (const address of await source.verifiedAddresses.listVerifiedAddresses()) {
    yield encodeLine({ kind: "address", ...address });
  }
  const phrases = await source.phrases.getPhrases();
  if (phrases !== null) yield encodeLine({ kind: "phrases", phrases });
}

/** What was stored by day. */
export async function usageLine(source: StoreSource): Promise<Buffer> {
  return encodeLine({ kind: "usage", days: await source.listUsage(0) });
}

/** All messages of servers by their ids, behind `after`. */
export async function* walkMessages(
  source: Pick<StoreSource, "readMessages">,
  servers: readonly ServerId[],
  after: MessageId | null,
): AsyncGenerator<WholeMessage> {
  const from = after === null ? null : decodeMessageId(after).server;
  for (const server of servers) {
    if (from !== null && server < from) continue;
    for (let last = server === from ? after : null; ;) {
      const messages = await source.readMessages(server, last, readBytesMax);
      yield* messages;
      const end = messages.at(-1);
      if (end === undefined) break;
      last = end.id;
    }
  }
}

/** A message as its line; the id stands in front, where {@link messageOfLine} finds it. */
export function encodeMessage(message: WholeMessage, delivery: EndedDelivery | undefined): Buffer {
  const end = delivery === undefined ? "" : `,"delivery":${JSON.stringify(delivery)}`;
  return Buffer.concat([
    Buffer.from(`${messagePrefix}${message.id}","raw":"${base64(message.raw)}","summary":`, "latin1"),
    message.summaryJson,
    Buffer.from(',"detail":', "latin1"),
    message.detailJson,
    Buffer.from(`${end}}`, "utf8"),
  ]);
}

const messagePrefix = '{"kind":"message","id":"';

/** The id of a message's line out of {@link encodeMessage}; undefined for any other line. */
export function messageOfLine(line: Buffer): MessageId | undefined {
  const start = line.toString("latin1", 0, messagePrefix.length);
  const end = messagePrefix.length + 36;
  return start === messagePrefix ? (line.toString("latin1", messagePrefix.length, end) as MessageId) : undefined;
}
