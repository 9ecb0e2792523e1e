/** Flags and tags of messages. */
import type { Principal } from "../../core/api-key.ts";
import { invalidField, Problem } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import { decodeMessageId, parseMessageId } from "../../core/ids.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import { markedMessageCountMax, markTagCountMax, markTagLengthMax } from "../../core/limits.ts";
import { messageFlags, noMarks, readTag, type MarkChange, type Marks } from "../../core/marks.ts";
import { build, type ValueOf } from "../../core/schema.ts";
import type { MarkedMessage } from "../../store/mark-store.ts";
import type { Context } from "../context.ts";
import { openMessageId, openServer, orNotFound } from "../services/security/access.ts";

/** Request to change the marks of messages of one server. */
export interface MarkRequest {
  readonly server: string;
  readonly ids: readonly string[];
  readonly change: MarkChange;
}

/** Returns the marks of a message. Rejects with `not_found`. */
export async function getMarks({ store }: Context, principal: Principal, idText: string): Promise<Marks> {
  const id = openMessageId(principal, idText);
  const [marked] = await store.marks.readMarks(decodeMessageId(id).server, [id]);
  if (marked === undefined) orNotFound(await store.getDetail(id), "Message");
  return marked?.marks ?? noMarks;
}

/** Replaces the marks of a message; returns them. Rejects with `invalid_request` and `not_found`. */
export async function putMarks(
  context: Context,
  principal: Principal,
  { id: idText, marks }: { readonly id: string; readonly marks: Marks },
): Promise<Marks> {
  const id = openMessageId(principal, idText);
  const change = checkChange({ addFlags: marks.flags, addTags: marks.tags }, "tags");
  orNotFound(await context.store.getDetail(id), "Message");
  const replacing: MarkChange = { ...change, removeFlags: messageFlags, removeTags: "all" };
  await applyChange(context, { server: decodeMessageId(id).server, ids: [id], change: replacing });
  return await getMarks(context, principal, idText);
}

/**
 * Changes the marks of messages of a server, up to `markedMessageCountMax` as one change; returns the number of those that
 * have changed. Ids of no message of the server are ignored. Rejects with `not_found` (of the server) and `invalid_request`,
 * also when a message would have more than `markTagCountMax` tags.
 */
export async function markMessages(context: Context, principal: Principal, request: MarkRequest): Promise<number> {
  const server = await openServer(context, principal, request.server);
  if (request.ids.length > markedMessageCountMax) {
    throw invalidField("ids", `Must have at most ${markedMessageCountMax} elements`);
  }
  const change = checkChange(request.change, "addTags");
  const ids = request.ids.flatMap((id) => parseMessageId(id) ?? []);
  return await applyChange(context, { server: server.id, ids, change });
}

/** Schema of a tag of a server. */
export const tagSchema = build.object(
  {
    tag: build.string("The tag, as it was first written."),
    count: build.integer("Number of messages with the tag."),
  },
  { $id: "Tag" },
);

/**
 * Returns the messages whose marks changed after `sequence`, by their last change: `limit`, and all further ones of the last
 * change. Rejects with `not_found`.
 */
export async function listMarks(
  context: Context,
  principal: Principal,
  { server, sequence, limit }: { readonly server: string; readonly sequence: number; readonly limit: number },
): Promise<readonly MarkedMessage[]> {
  return await context.store.marks.listMarks((await openServer(context, principal, server)).id, sequence, limit);
}

/** Returns the tags of the messages of a server, by name, at most `serverTagCountMax`. Rejects with `not_found`. */
export async function listTags(
  context: Context,
  principal: Principal,
  server: string,
): Promise<readonly ValueOf<typeof tagSchema>[]> {
  const tags = await context.store.marks.listTags((await openServer(context, principal, server)).id);
  return tags.map(({ tag, messageCount }) => ({ tag, count: messageCount }));
}

/** Returns the number of received messages of a server without the flag `seen`. Rejects with `not_found`. */
export async function countUnread(context: Context, principal: Principal, server: string): Promise<number> {
  return await context.store.marks.countUnseen((await openServer(context, principal, server)).id, "Received");
}

/** Changes marks of messages, and publishes the change; returns the number of messages that have changed. */
async function applyChange(
  { store, events }: Context,
  { server, ids, change }: { server: ServerId; ids: readonly MessageId[]; change: MarkChange },
): Promise<number> {
  const { sequence, changed } = await store.marks.changeMarks(server, ids, change).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== "limit_reached") throw error;
    throw invalidField("addTags", `A message would have more than ${markTagCountMax} tags`);
  });
  if (sequence === undefined) return 0;
  const id = changed.length === 1 ? (changed[0] ?? null) : null;
  events.publish({ server, change: { sequence, kind: "marked", id }, message: null });
  return changed.length;
}

/** Returns a change with its added tags in their stored form; throws a 400 that names every wrong one. */
function checkChange(change: MarkChange, field: string): MarkChange {
  const { addTags = [] } = change;
  if (addTags.length > markTagCountMax) throw invalidField(field, `Must have at most ${markTagCountMax} elements`);
  const errors = new FieldCollector();
  const tags = addTags.map((tag, index) =>
    errors.collect(() => {
      const read = readTag(tag);
      if (read !== undefined) return read;
      const rule = `Must have 1 to ${markTagLengthMax} characters, without commas and control characters`;
      throw invalidField(`${field}[${index}]`, rule);
    }),
  );
  errors.finish();
  return { ...change, addTags: tags.filter((tag) => tag !== undefined) };
}
