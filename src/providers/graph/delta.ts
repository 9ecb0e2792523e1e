/** Changes of a list since a cursor: https://learn.microsoft.com/graph/delta-query-messages */
import { type MessageId, parseMessageId } from "../../core/ids.ts";
import { and, or } from "../../core/search/search-expression.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Call } from "../kit/endpoints.ts";
import type { MailboxChange, MailboxFilter, MailboxMessage, ProviderMailbox } from "../mailbox.ts";
import type { ProviderRequest, ProviderResponse } from "../provider.ts";
import { rejection } from "./errors.ts";
import { graphIdOf } from "./ids.ts";
import { resourcesOf } from "./resources.ts";
import { collection, linkOf } from "./response.ts";

const pageSizeDefault = 10;
const pageSizeMax = 200;

/** Place of a request in a sync: in the first listing, or behind a change. */
interface Place {
  /** Number of the last change that is known; null for the first request. */
  readonly cursor: number | null;
  /** Last message of the listing so far; null where changes are listed. */
  readonly before: MessageId | null;
}

/** Returns a page of a sync, with the link to the next one or, at its end, to the next changes. */
export async function deltaOf(call: Call, mailbox: ProviderMailbox, filter: MailboxFilter): Promise<ProviderResponse> {
  const place = placeOf(call.request);
  const size = pageSizeOf(call.request);
  const isListing = place.cursor === null || place.before !== null;
  return isListing ? listing(call, mailbox, { filter, place, size }) : changes(call, mailbox, { filter, place, size });
}

interface Sync {
  readonly filter: MailboxFilter;
  readonly place: Place;
  readonly size: number;
}

async function listing(call: Call, mailbox: ProviderMailbox, { filter, place, size }: Sync): Promise<ProviderResponse> {
  const bounds = place.before === null ? {} : { before: place.before };
  const page = await mailbox.list({ ...filter, ...bounds, top: size });
  const cursor = place.cursor ?? page.cursor;
  const last = page.ids.at(-1);
  const value = await resourcesOf(call, mailbox, await mailbox.read(page.ids));
  const next =
    page.hasMore && last !== undefined
      ? nextLink(call.request, `${String(cursor)}.${last}`)
      : deltaLink(call.request, cursor);
  return collection(call, value, next);
}

async function changes(call: Call, mailbox: ProviderMailbox, { filter, place, size }: Sync): Promise<ProviderResponse> {
  const found = await mailbox.changes(place.cursor ?? 0, size);
  if (found === undefined) throw rejection("SyncStateNotFound");
  const value = await changedResources(call, mailbox, { filter, changes: found.changes });
  const token = String(found.cursor);
  return collection(call, value, found.hasMore ? nextLink(call.request, token) : deltaLink(call.request, found.cursor));
}

/** Returns a resource for each message: as it is now, or that it is no longer in the list. */
async function changedResources(
  call: Call,
  mailbox: ProviderMailbox,
  { filter, changes: all }: { readonly filter: MailboxFilter; readonly changes: readonly MailboxChange[] },
): Promise<readonly JsonObject[]> {
  const deleted = new Set(all.flatMap(({ kind, id }) => (kind === "deleted" ? [id] : [])));
  const kept = [...new Set(all.map(({ id }) => id))].filter((id) => !deleted.has(id));
  const messages = await mailbox.read(kept);
  const matching = await matchesOf(mailbox, filter, messages);
  const shown = messages.filter(({ id }) => matching.has(id));
  const others = messages.filter(({ id }) => !matching.has(id));
  const removed = (ids: readonly MessageId[], reason: string): readonly JsonObject[] =>
    ids.map((id) => ({ "@odata.type": "#microsoft.graph.message", id: graphIdOf(id), "@removed": { reason } }));
  return [
    ...(await resourcesOf(call, mailbox, shown)),
    ...removed([...deleted], "deleted"),
    // A message that was never in the list is no news to its reader.
    ...removed(
      others.flatMap(({ id }) => (all.some((one) => one.id === id && one.kind === "marked") ? [id] : [])),
      "changed",
    ),
  ];
}

/** Returns those of the messages that match the condition of the list now. */
async function matchesOf(
  mailbox: ProviderMailbox,
  filter: MailboxFilter,
  messages: readonly MailboxMessage[],
): Promise<ReadonlySet<MessageId>> {
  const instants = new Set(messages.map(({ message }) => Date.parse(message.received)));
  const received = or(...[...instants].map((at) => ({ kind: "received", from: at, before: at + 1 }) as const));
  const { ids } = await mailbox.list({ ...filter, expression: and(filter.expression, received), top: comparedMax });
  return new Set(ids);
}

/** Messages of the instants of a page of changes. */
const comparedMax = 1000;

function pageSizeOf({ headers, fields }: ProviderRequest): number {
  const preferred = /odata\.maxpagesize\s*=\s*(\d{1,4})/i.exec(String(headers["prefer"] ?? ""))?.[1];
  const size = Number(preferred ?? fieldOf(fields, "$top") ?? pageSizeDefault);
  return Number.isInteger(size) ? Math.min(Math.max(size, 1), pageSizeMax) : pageSizeDefault;
}

function placeOf({ fields }: Pick<ProviderRequest, "fields">): Place {
  const token = fieldOf(fields, "$skiptoken") ?? fieldOf(fields, "$deltatoken");
  if (token === undefined) return { cursor: null, before: null };
  const [, cursor, id] = /^(\d{1,15})(?:\.([0-9a-f-]{36}))?$/.exec(token) ?? [];
  const before = id === undefined ? null : parseMessageId(id);
  if (cursor === undefined || before === undefined) throw rejection("SyncStateNotFound");
  return { cursor: Number(cursor), before };
}

function nextLink(request: ProviderRequest, token: string): JsonObject {
  return { "@odata.nextLink": tokenLink(request, "$skiptoken", token) };
}

function deltaLink(request: ProviderRequest, cursor: number): JsonObject {
  return { "@odata.deltaLink": tokenLink(request, "$deltatoken", String(cursor)) };
}

/** Returns the link of a sync; it keeps the condition of the first request. */
function tokenLink(request: ProviderRequest, name: "$skiptoken" | "$deltatoken", token: string): string {
  const fields = request.fields.filter(([own]) => own !== "$skiptoken" && own !== "$deltatoken");
  return linkOf({ ...request, fields }, { [name]: token });
}
