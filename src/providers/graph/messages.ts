/** Messages of a mailbox: lists, changes since a cursor, and changes of one message. */
import { and } from "../../core/search/search-expression.ts";
import { fieldOf, naturalOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { MailboxFilter } from "../mailbox.ts";
import { noContent, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import { deltaOf } from "./delta.ts";
import { draftsOf, openDraft, removeDraft, updateDraft } from "./drafts.ts";
import { rejection, requestIds } from "./errors.ts";
import { folderChange, folderFilter, folderTagPrefix, wellKnownFolders } from "./folder-tags.ts";
import { openFolderName } from "./folders.ts";
import { graphIdOf, messageIdOf, openMailbox } from "./ids.ts";
import { messageResource } from "./message.ts";
import { readFilter, readSearch } from "./query.ts";
import { givenFields, readMembers } from "./request.ts";
import {
  collection,
  linkOf,
  mailResponse,
  type MessagePlace,
  representationOf,
  resource,
  resourcesOf,
} from "./response.ts";

const topDefault = 10;
const topMax = 1000;
const skipMax = 1_000_000;

/** Returns the condition of a request on the messages of its folder, or of all. */
async function filterOf(call: Call, folder: string | null): Promise<MailboxFilter> {
  const { fields } = call.request;
  const own = folder === null ? { direction: null, expression: and() } : folderFilter(folder);
  const [filter, search] = [fieldOf(fields, "$filter"), fieldOf(fields, "$search")];
  const given = [
    ...(filter === undefined ? [] : [readFilter(filter)]),
    ...(search === undefined ? [] : [readSearch(search, call.services.now())]),
  ];
  return { ...own, expression: and(own.expression, ...given) };
}

/** Returns the display name of the folder of the path; null without one. */
async function folderIn(call: Call): Promise<string | null> {
  const { folder } = call.request.params;
  return folder === undefined ? null : openFolderName(call, folder);
}

/** Returns the first message of a page, their number, and their order. */
function pageOf({ fields }: ProviderRequest) {
  const natural = (name: string, absent: number, max: number): number => {
    const invalid = rejection("BadRequest", `Invalid value for the query option ${name}.`);
    return naturalOf(fields, name, { absent, max, invalid });
  };
  const given = fieldOf(fields, "$orderby") ?? "receivedDateTime desc";
  const order = /^\s*(?:received|sent|created|lastModified)DateTime(?:\s+(asc|desc))?\s*$/i.exec(given);
  if (order === null) throw rejection("BadRequest", "Only the order by receivedDateTime is supported.");
  const first = order[1]?.toLowerCase() === "desc" ? "newest" : "oldest";
  return { top: Math.max(1, natural("$top", topDefault, topMax)), skip: natural("$skip", 0, skipMax), first } as const;
}

type Page = ReturnType<typeof pageOf>;

/** Returns the link to the next page. */
function nextLink(request: ProviderRequest, { skip, top }: Page): JsonObject {
  return { "@odata.nextLink": linkOf(request, { $skip: String(skip + top), $top: String(top) }) };
}

/** Lists messages: `GET /messages` and `GET /mailFolders/:folder/messages`. */
export const listMessages: Handler = async (call) => {
  const mailbox = await openMailbox(call);
  const { request } = call;
  const page = pageOf(request);
  const folder = await folderIn(call);
  if (folder === wellKnownFolders.drafts) return listDrafts(call, page);
  const filter = await filterOf(call, folder);
  const { ids, hasMore } = await mailbox.list({ ...filter, ...page });
  const messages = await mailbox.read(ids);
  const count = fieldOf(request.fields, "$count") === "true" ? { "@odata.count": await mailbox.count(filter) } : {};
  const value = await resourcesOf(call, mailbox, messages);
  return collection(call, value, { ...count, ...(hasMore && nextLink(request, page)) });
};

/** Lists drafts, newest first. */
async function listDrafts(call: Call, page: Page): Promise<ProviderResponse> {
  const { skip, top } = page;
  const drafts = (await draftsOf(call).all()).toReversed();
  const representation = representationOf(call.request);
  const shown = drafts.slice(skip, skip + top).map((draft) => messageResource(draft, representation));
  return collection(call, shown, drafts.length > skip + top ? nextLink(call.request, page) : {});
}

/**
 * Returns a message: `GET /messages/:id`; also the functions `delta` and `$count`, which have its place in the path, with
 * parentheses or without.
 */
export const getMessage: Handler = async (call) => {
  const id = idIn(call);
  const mailbox = await openMailbox(call);
  if (/^delta(?:\(\))?$/.test(id)) return deltaOf(call, mailbox, await filterOf(call, await folderIn(call)));
  if (id === "$count") {
    const text = String(await mailbox.count(await filterOf(call, await folderIn(call))));
    return { status: 200, headers: requestIds(call.request), body: { contentType: "text/plain", text } };
  }
  const messageId = messageIdOf(id);
  if (messageId === undefined) return resource(call, 200, await openDraft(call, id));
  return mailResponse(call, { mailbox, id: messageId });
};

function idIn({ request }: Call): string {
  return request.params["id"] ?? "";
}

/** Opens the message of the path; rejects for a draft. */
async function openMessage(call: Call): Promise<MessagePlace> {
  const mailbox = await openMailbox(call);
  const id = messageIdOf(idIn(call));
  if (id === undefined) throw rejection("ErrorItemNotFound");
  return { mailbox, id };
}

/** Returns the source of a message: `GET /messages/:id/$value`. A draft has none before it is sent. */
export const getMessageSource: Handler = async (call) => {
  const { mailbox, id } = await openMessage(call);
  const bytes = await mailbox.getRaw(id);
  return { status: 200, headers: requestIds(call.request), body: { contentType: "text/plain", bytes } };
};

/** Changes a message: `PATCH /messages/:id`; the read mark, the flag and the categories, of drafts everything. */
export const updateMessage: Handler = async (call) => {
  if (messageIdOf(idIn(call)) === undefined) return updateDraft(call, idIn(call));
  const place = await openMessage(call);
  const { marks } = await place.mailbox.get(place.id);
  const given = givenFields(readMembers(call.request), ["isFlagged", "isRead", "categories"]);
  const flags = [["seen", given.isRead] as const, ["flagged", given.isFlagged] as const];
  const named = (isSet: boolean) => flags.flatMap(([flag, value]) => (value === isSet ? [flag] : []));
  await place.mailbox.mark([place.id], {
    addFlags: named(true),
    removeFlags: named(false),
    ...(given.categories !== undefined && {
      addTags: given.categories,
      removeTags: marks.tags.filter((tag) => !tag.startsWith(folderTagPrefix)),
    }),
  });
  return mailResponse(call, place);
};

/** Deletes a message for good: `DELETE /messages/:id`, and `POST /messages/:id/permanentDelete`. */
export const deleteMessage: Handler = async (call) => {
  const mailbox = await openMailbox(call);
  const id = messageIdOf(idIn(call));
  if (id === undefined) return removeDraft(call, idIn(call));
  await mailbox.remove(id);
  return noContent;
};

/** Moves a message to a folder: `POST /messages/:id/move`. It has another id where the service stores it anew. */
export const moveMessage: Handler = async (call) => transfer(call, true);

/** Copies a message to a folder: `POST /messages/:id/copy`. */
export const copyMessage: Handler = async (call) => transfer(call, false);

async function transfer(call: Call, isMove: boolean): Promise<ProviderResponse> {
  const { mailbox, id } = await openMessage(call);
  const folder = await openFolderName(call, readMembers(call.request).text("destinationId") ?? "");
  if (folder === wellKnownFolders.drafts) throw rejection("ErrorAccessDenied", "Messages cannot become drafts.");
  const { marks, direction } = await mailbox.get(id);
  const own = folderFilter(folder).direction ?? direction;
  const change = folderChange(marks, folder);
  if (isMove && own === direction) {
    await mailbox.mark([id], change);
    return mailResponse(call, { mailbox, id }, 201);
  }
  const raw = await mailbox.getRaw(id);
  const placed = await mailbox.place({ raw, direction: own, marks, providerIdOf: graphIdOf });
  await mailbox.mark([placed], change);
  if (isMove) await mailbox.remove(id);
  return mailResponse(call, { mailbox, id: placed }, 201);
}
