/** Test data with generated defaults. */
import { createHash, randomUUID } from "node:crypto";
import { freshKey, type ApiKey } from "../../core/api-key.ts";
import { labelRoles, type LabelKeys, type Page } from "../../core/criteria.ts";
import { foldAddress, foldText } from "../../core/fold.ts";
import { encodeMessageId, newServerId, type ServerId } from "../../core/ids.ts";
import type { WorkClaim } from "../leased-queue.ts";
import type { Marks } from "../../core/marks.ts";
import type { Direction } from "../../core/message.ts";
import { SearchBody, type SearchFields } from "../../core/search/search-fields.ts";
import type { NewOutboxEntry } from "../outbox-store.ts";
import type { NewServer } from "../server-store.ts";
import type { NewMessage } from "../store.ts";

/** Instant that tests count from. */
export const epochMs: number = Date.UTC(2026, 10, 20, 10, 42, 7, 975);

/** Fields of a message that a test sets; the others are generated. Texts and addresses are folded here. */
export interface Draft {
  readonly at?: number;
  readonly direction?: Direction;
  readonly random?: number;
  readonly from?: readonly string[];
  readonly to?: readonly string[];
  readonly provider?: readonly string[];
  readonly tag?: readonly string[];
  readonly providerId?: readonly string[];
  readonly subject?: string;
  readonly body?: string;
  readonly raw?: string | Uint8Array;
  readonly detail?: string | Uint8Array;
  readonly note?: string;
  readonly fields?: SearchFields;
  readonly marks?: Marks;
}

const blank = { direction: "Received" as Direction, random: 0, note: "", subject: "", body: "", from: [], to: [] };
let drafted = 0;

/** Returns a message for a server; each is a millisecond newer than the one before it, unless `at` is given. */
export function draft(server: ServerId, fields: Draft = {}): NewMessage {
  drafted += 1;
  const { direction, at, random, note, subject, body, from, to } = { ...blank, at: epochMs + drafted, ...fields };
  const id = encodeMessageId({ server, direction, receivedAt: at, random });
  return {
    id,
    summaryJson: Buffer.from(JSON.stringify({ id, note })),
    detailJson: Buffer.from(fields.detail ?? `{"detailOf":"${id}"}`),
    raw: Buffer.from(fields.raw ?? `Subject: ${subject}\r\n\r\n${body}\r\n`),
    keys: {
      from: [...new Set(from.map(foldAddress))],
      to: [...new Set(to.map(foldAddress))],
      subject: foldText(subject),
      body: new SearchBody([foldText(body)]),
      ...labelsOf(fields),
      fields: fields.fields ?? {},
    },
    ...(fields.marks && { marks: fields.marks }),
  };
}

function labelsOf(fields: Draft): LabelKeys {
  return Object.fromEntries(labelRoles.flatMap((role) => (fields[role] === undefined ? [] : [[role, fields[role]]])));
}

/** Returns a new server with an id of its own. */
export function aServer(fields: Partial<NewServer> = {}): NewServer {
  return { id: newServerId(), name: "Test", password: "secret", createdAt: epochMs, expiresAt: null, ...fields };
}

let keyed = 0;

/** Returns a new key. */
export function aKey(fields: Partial<ApiKey> = {}): ApiKey {
  keyed += 1;
  const hash = createHash("sha256").update(`key ${keyed}`).digest("hex");
  return { ...freshKey, id: `key${keyed}`, name: "Key", hash, server: null, createdAt: epochMs + keyed, ...fields };
}

/** Returns a page of the first 50 received messages by default. */
export function page(fields: Partial<Page> = {}): Page {
  return { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null, ...fields };
}

/** Returns a new outbox entry for the relay, due at {@link epochMs}; without a message unless given. */
export function anEntry(fields: Partial<NewOutboxEntry> = {}): NewOutboxEntry {
  return {
    id: randomUUID(),
    message: null,
    route: "relay",
    mailFrom: "from@x.test",
    rcptTo: ["to@y.test"],
    content: null,
    status: "Queued",
    lastError: null,
    at: epochMs,
    ...fields,
  };
}

/** Returns the keys of a claim of so much work of a queue without keys. */
export function unkeyed(limit: number): WorkClaim["keys"] {
  return [{ key: "", limit }];
}
