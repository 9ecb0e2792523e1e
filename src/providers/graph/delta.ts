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
import { collection, linkOf, resourcesOf } from "./response.ts";

const pageSizeDefault = 10;
const pageSizeMax = 200;
/** Messages of the instants of a page of changes. */
const comparedMax = 1000;

/** Returns a page of a sync, with the link to the next one or, at its end, to the next changes. */
export async function deltaOf(call: Call, mailbox: ProviderMailbox, filter: MailboxFilter): Promise<ProviderResponse> {
  const { request } = call;
  const { cursor, before } = placeOf(request);
  const top = pageSizeOf(request);
  if (cursor === null || before !== null) {
    const page = await mailbox.list({ ...filter, ...(before !== null && { before }), top });
    const value = await resourcesOf(call, mailbox, await mailbox.read(page.ids));
    const from = String(cursor ?? page.cursor);
    const last = page.hasMore ? page.ids.at(-1) : undefined;
    return collection(
      call,
      value,
      last === undefined ? deltaLink(request, from) : nextLink(request, `${from}.${last}`),
    );
  }
  const found = await mailbox.changes(cursor, top);
  if (found === undefined) throw rejection("SyncStateNotFound");
  const value = await changedResources(call, mailbox, { filter, changes: found.changes });
  return collection(call, value, (found.hasMore ? nextLink : deltaLink)(request, String(found.cursor)));
}

/** Returns a resource for each message: as it is now, or that it is no longer in the list. */
async function changedResources(
  call: Call,
  mailbox: ProviderMailbox,
  { filter, changes }: { readonly filter: MailboxFilter; readonly changes: readonly MailboxChange[] },
): Promise<readonly JsonObject[]> {
  const idsOf = (kind: MailboxChange["kind"]): ReadonlySet<MessageId> =>
    new Set(changes.flatMap((one) => (one.kind === kind ? [one.id] : [])));
  const deleted = idsOf("deleted");
  const marked = idsOf("marked");
  const messages = await mailbox.read([...new Set(changes.map(({ id }) => id)).difference(deleted)]);
  const matching = await matchesOf(mailbox, filter, messages);
  const removed = (ids: Iterable<MessageId>, reason: string): readonly JsonObject[] =>
    [...ids].map((id) => ({ "@odata.type": "#microsoft.graph.message", id: graphIdOf(id), "@removed": { reason } }));
  const [shown, others] = [
    messages.filter(({ id }) => matching.has(id)),
    messages.filter(({ id }) => !matching.has(id)),
  ];
  // A message that was never in the list is no news to its reader.
  const changed = others.map(({ id }) => id).filter((id) => marked.has(id));
  return [...(await resourcesOf(call, mailbox, shown)), ...removed(deleted, "deleted"), ...removed(changed, "changed")];
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

function pageSizeOf({ headers, fields }: ProviderRequest): number {
  const preferred = /odata\.maxpagesize\s*=\s*(\d{1,4})/i.exec(String(headers["prefer"] ?? ""))?.[1];
  const size = Number(preferred ?? fieldOf(fields, "$top") ?? pageSizeDefault);
  return Number.isInteger(size) ? Math.min(Math.max(size, 1), pageSizeMax) : pageSizeDefault;
}

/**
 * Returns the place of a request in a sync: the number of the last change that is known, null for the first request, and the
 * last message of the listing so far, null where changes are listed.
 */
function placeOf({ fields }: ProviderRequest): { readonly cursor: number | null; readonly before: MessageId | null } {
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

function deltaLink(request: ProviderRequest, token: string): JsonObject {
  return { "@odata.deltaLink": tokenLink(request, "$deltatoken", token) };
}

/** Returns the link of a sync; it keeps the condition of the first request. */
function tokenLink(request: ProviderRequest, name: "$skiptoken" | "$deltatoken", token: string): string {
  const fields = request.fields.filter(([own]) => own !== "$skiptoken" && own !== "$deltatoken");
  return linkOf({ ...request, fields }, { [name]: token });
}
