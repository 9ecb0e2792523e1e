/** Encoding of a store as lines of an export. */
import type { MessageId, ServerId } from "../core/ids.ts";
import { decodeMessageId } from "../core/ids.ts";
import type { Server } from "../core/server.ts";
import { noTeamLimits } from "../core/team-limits.ts";
import type { StoredProviderObject } from "../store/provider-object-store.ts";
import type { StoreSource } from "../store/store-source.ts";
import type { WholeMessage } from "../store/store.ts";
import type { BodyLine, EndedDelivery, HeaderLine } from "./export-lines.ts";

/** Approximate bytes of messages per query. */
const readBytesMax = 1024 * 1024;
/** Objects of providers per query; each has at most 1 MB. */
const objectsPerRead = 10;

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

/** Encodes a line without its line feed. */
export function encodeLine(line: HeaderLine | Exclude<BodyLine, { readonly kind: "message" }>): Buffer {
  return Buffer.from(JSON.stringify(line), "utf8");
}

/**
 * Returns the servers to export, sorted by id as messages are. Throws an `Error` for the operator that names a requested
 * server that does not exist.
 */
export async function chooseServers(
  source: Pick<StoreSource, "listServers">,
  requested: readonly ServerId[] | null,
): Promise<readonly Server[]> {
  const servers = await source.listServers();
  const missing = requested?.find((id) => !servers.some((server) => server.id === id));
  if (missing !== undefined) throw new Error(`There is no server ${missing}`);
  return servers.filter(({ id }) => requested?.includes(id) ?? true).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Yields the lines of the servers without their messages, and with a whole export those of the account. */
export async function* accountLines(
  source: StoreSource,
  servers: readonly Server[],
  isWhole: boolean,
): AsyncGenerator<Buffer> {
  const ids: ReadonlySet<ServerId | null> = new Set(servers.map(({ id }) => id));
  if (isWhole) yield* peopleLines(source);
  for (const { team, ...server } of servers) yield await serverLine(source, isWhole ? { ...server, team } : server);
  for (const { owner, ...key } of await source.listKeys()) {
    if (isWhole) yield encodeLine({ kind: "key", owner, ...key });
    // A key must not outlive its owner's access.
    else if (owner === null && ids.has(key.server)) yield encodeLine({ kind: "key", ...key });
  }
  for (const { sealedSecrets, ...number } of await source.phoneNumbers.listPhoneNumbers()) {
    const sealed = sealedSecrets === null ? null : base64(sealedSecrets);
    if (ids.has(number.server)) yield encodeLine({ kind: "number", ...number, sealedSecrets: sealed });
  }
  yield* objectLines(source, (server) => ids.has(server) || (isWhole && server === null));
  if (isWhole) yield* ownLines(source);
}

async function serverLine(
  source: StoreSource,
  {
    messages: _messages,
    bytes: _bytes,
    trafficAt: _trafficAt,
    ...server
  }: Omit<Server, "team"> & Partial<Pick<Server, "team">>,
): Promise<Buffer> {
  const password = (await source.getServerPassword(server.id)) ?? "";
  const zone = (await source.getZone(server.id)) ?? null;
  const scanner = await source.scanners.findScanner(server.id);
  return encodeLine({ kind: "server", ...server, password, zone, ...(scanner === null ? {} : { scanner }) });
}

/** Yields the lines of users, teams and memberships. */
async function* peopleLines({ people, teamLimits }: StoreSource): AsyncGenerator<Buffer> {
  for (const user of await people.listUsers()) yield encodeLine({ kind: "user", ...user });
  const limits = await teamLimits.listTeamLimits();
  for (const team of await people.listTeams()) {
    yield encodeLine({ kind: "team", ...team, limits: limits.get(team.id) ?? noTeamLimits });
  }
  for (const membership of await people.listMemberships()) yield encodeLine({ kind: "membership", ...membership });
}

/** Yields the lines of objects of providers that belong to wanted servers, or to the account (null). */
async function* objectLines(
  source: StoreSource,
  isWanted: (server: ServerId | null) => boolean,
): AsyncGenerator<Buffer> {
  for (let last: StoredProviderObject | null = null; ;) {
    const objects: readonly StoredProviderObject[] = await source.providerObjects.walkObjects(last, objectsPerRead);
    for (const { provider, server, kind: objectKind, id, json, createdAt } of objects) {
      if (isWanted(server)) yield encodeLine({ kind: "object", provider, server, objectKind, id, json, createdAt });
    }
    last = objects.at(-1) ?? null;
    if (last === null) return;
  }
}

/** Yields the lines of the account. */
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

/** Encodes the usage by day and team. */
export async function usageLine(source: StoreSource): Promise<Buffer> {
  return encodeLine({ kind: "usage", days: await source.listTeamUsage(0) });
}

/** Yields all messages of servers in order of their ids, starting after `after`. */
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

/** Encodes a message; the id comes first, where {@link messageOfLine} finds it. */
export function encodeMessage(message: WholeMessage, delivery: EndedDelivery | undefined): Buffer {
  const { annotations, marks } = message;
  const end = [
    delivery === undefined ? "" : `,"delivery":${JSON.stringify(delivery)}`,
    annotations === undefined ? "" : `,"annotations":${JSON.stringify(annotations)}`,
    marks === undefined ? "" : `,"marks":${JSON.stringify(marks)}`,
  ].join("");
  return Buffer.concat([
    Buffer.from(`${messagePrefix}${message.id}","raw":"${base64(message.raw)}","summary":`, "latin1"),
    message.summaryJson,
    Buffer.from(',"detail":', "latin1"),
    message.detailJson,
    Buffer.from(`${end}}`, "utf8"),
  ]);
}

const messagePrefix = '{"kind":"message","id":"';

/** Returns the message id of a line written by {@link encodeMessage}; undefined for any other line. */
export function messageOfLine(line: Buffer): MessageId | undefined {
  const start = line.toString("latin1", 0, messagePrefix.length);
  const end = messagePrefix.length + 36;
  return start === messagePrefix ? (line.toString("latin1", messagePrefix.length, end) as MessageId) : undefined;
}
