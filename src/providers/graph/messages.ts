/** Messages of a mailbox: lists, changes since a cursor, and changes of one message. */
import type { MessageId } from "../../core/ids.ts";
import type { MarkChange } from "../../core/marks.ts";
import { and, type SearchExpression } from "../../core/search/search-expression.ts";
import { fieldOf, naturalOf } from "../formats/form.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { Members } from "../kit/members.ts";
import type { MailboxFilter, MailboxMessage, ProviderMailbox } from "../mailbox.ts";
import { noContent, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import { deltaOf } from "./delta.ts";
import { draftsOf, draftView, openDraft, removeDraft, updateDraft } from "./drafts.ts";
import { rejection, requestIds } from "./errors.ts";
import { folderFilter, folderTagPrefix, wellKnownFolders } from "./folder-tags.ts";
import { openFolderName } from "./folders.ts";
import { graphIdOf, messageIdOf, openMailbox } from "./ids.ts";
import { messageResource } from "./message.ts";
import { resourcesOf } from "./resources.ts";
import { readFilter } from "./query.ts";
import { readSearch } from "./search.ts";
import { readCategories, readMembers, objectOf } from "./request.ts";
import { collection, entity, linkOf, representationOf, resource } from "./response.ts";

const topDefault = 10;
const topMax = 1000;
const skipMax = 1_000_000;

/** Returns the condition of a request on the messages of its folder, or of all. */
export async function filterOf(call: Call): Promise<MailboxFilter> {
  const { request, services } = call;
  const { folder } = request.params;
  const own =
    folder === undefined ? { direction: null, expression: and() } : folderFilter(await openFolderName(call, folder));
  const filter = fieldOf(request.fields, "$filter");
  const search = fieldOf(request.fields, "$search");
  const given: SearchExpression[] = [];
  if (filter !== undefined) given.push(readFilter(filter));
  if (search !== undefined) given.push(readSearch(search, services.now()));
  return { ...own, expression: and(own.expression, ...given) };
}

/** Returns the first and the last message of a page, and its order. */
function pageOf({ fields }: Pick<ProviderRequest, "fields">) {
  const natural = (name: string, absent: number, max: number): number =>
    naturalOf(fields, name, {
      absent,
      max,
      invalid: rejection("BadRequest", `Invalid value for the query option ${name}.`),
    });
  const order = /^\s*(?:received|sent|created|lastModified)DateTime(?:\s+(asc|desc))?\s*$/i.exec(
    fieldOf(fields, "$orderby") ?? "receivedDateTime desc",
  );
  if (order === null) throw rejection("BadRequest", "Only the order by receivedDateTime is supported.");
  const first = order[1]?.toLowerCase() === "desc" ? "newest" : "oldest";
  return { top: Math.max(1, natural("$top", topDefault, topMax)), skip: natural("$skip", 0, skipMax), first } as const;
}

/** Lists messages: `GET /messages` and `GET /mailFolders/:folder/messages`. */
export const listMessages: Handler = async (call) => {
  const mailbox = await openMailbox(call);
  const { request } = call;
  const page = pageOf(request);
  const name = request.params["folder"] === undefined ? null : await openFolderName(call, request.params["folder"]);
  if (name === wellKnownFolders.drafts) return listDrafts(call, page);
  const filter = await filterOf(call);
  const { ids, hasMore } = await mailbox.list({ ...filter, ...page });
  const messages = await mailbox.read(ids);
  const count = fieldOf(request.fields, "$count") === "true" ? { "@odata.count": await mailbox.count(filter) } : {};
  return collection(call, await resourcesOf(call, mailbox, messages), {
    ...count,
    ...(hasMore && {
      "@odata.nextLink": linkOf(request, { $skip: String(page.skip + page.top), $top: String(page.top) }),
    }),
  });
};

/** Lists drafts, newest first. */
async function listDrafts(
  call: Call,
  { skip, top }: { readonly skip: number; readonly top: number },
): Promise<ProviderResponse> {
  const drafts = (await draftsOf(call).all()).toReversed();
  const representation = representationOf(call.request);
  const shown = drafts.slice(skip, skip + top).map((draft) => messageResource(draftView(draft), representation));
  const next = { "@odata.nextLink": linkOf(call.request, { $skip: String(skip + top), $top: String(top) }) };
  return collection(call, shown, drafts.length > skip + top ? next : {});
}

/**
 * Returns a message: `GET /messages/:id`; also the functions `delta` and `$count`, which have its place in the path, with
 * parentheses or without.
 */
export const getMessage: Handler = async (call) => {
  const id = call.request.params["id"] ?? "";
  const mailbox = await openMailbox(call);
  if (/^delta(?:\(\))?$/.test(id)) return deltaOf(call, mailbox, await filterOf(call));
  if (id === "$count") {
    const text = String(await mailbox.count(await filterOf(call)));
    return { status: 200, headers: requestIds(call.request), body: { contentType: "text/plain", text } };
  }
  const messageId = messageIdOf(id);
  if (messageId === undefined) return resource(call, 200, draftView(await openDraft(call, id)));
  return respondWith(call, 200, { mailbox, message: await mailbox.get(messageId) });
};

interface Shown {
  readonly mailbox: ProviderMailbox;
  readonly message: MailboxMessage;
}

async function respondWith(call: Call, status: number, { mailbox, message }: Shown): Promise<ProviderResponse> {
  const [shown = {}] = await resourcesOf(call, mailbox, [message]);
  return entity(call, status, shown);
}

/** Returns the source of a message: `GET /messages/:id/$value`. */
export const getMessageSource: Handler = async (call) => {
  const bytes = await (await openMailbox(call)).getRaw(await openId(call));
  return { status: 200, headers: requestIds(call.request), body: { contentType: "text/plain", bytes } };
};

/** Returns the message of the path; rejects for a draft, which has no source before it is sent. */
async function openId(call: Call): Promise<MessageId> {
  const id = messageIdOf(call.request.params["id"] ?? "");
  if (id === undefined) throw rejection("ErrorItemNotFound");
  return id;
}

/** Changes a message: `PATCH /messages/:id`; the read mark, the flag and the categories, of drafts everything. */
export const updateMessage: Handler = async (call) => {
  const id = call.request.params["id"] ?? "";
  if (messageIdOf(id) === undefined) return updateDraft(call, id);
  const mailbox = await openMailbox(call);
  const messageId = await openId(call);
  const present = await mailbox.get(messageId);
  await mailbox.mark([messageId], changeOf(readMembers(call.request), present));
  return respondWith(call, 200, { mailbox, message: await mailbox.get(messageId) });
};

function changeOf(message: Members, { marks }: MailboxMessage): MarkChange {
  const status = objectOf(message, "flag")?.text("flagStatus") ?? null;
  const flags = [
    ["seen", message.flag("isRead")],
    ["flagged", status === null ? null : status === "flagged"],
  ] as const;
  const named = (isSet: boolean) => flags.flatMap(([flag, value]) => (value === isSet ? [flag] : []));
  const categories = message.value("categories") === null ? null : readCategories(message);
  return {
    addFlags: named(true),
    removeFlags: named(false),
    ...(categories !== null && {
      addTags: categories,
      removeTags: marks.tags.filter((tag) => !tag.startsWith(folderTagPrefix)),
    }),
  };
}

/** Deletes a message for good: `DELETE /messages/:id`, and `POST /messages/:id/permanentDelete`. */
export const deleteMessage: Handler = async (call) => {
  const mailbox = await openMailbox(call);
  const id = call.request.params["id"] ?? "";
  if (messageIdOf(id) === undefined) return removeDraft(call, id);
  await mailbox.remove(await openId(call));
  return noContent;
};

/** Moves a message to a folder: `POST /messages/:id/move`. It has another id where the service stores it anew. */
export const moveMessage: Handler = async (call) => transfer(call, true);

/** Copies a message to a folder: `POST /messages/:id/copy`. */
export const copyMessage: Handler = async (call) => transfer(call, false);

async function transfer(call: Call, isMove: boolean): Promise<ProviderResponse> {
  const mailbox = await openMailbox(call);
  const messageId = await openId(call);
  const destination = readMembers(call.request).text("destinationId") ?? "";
  const folder = await openFolderName(call, destination);
  if (folder === wellKnownFolders.drafts) throw rejection("ErrorAccessDenied", "Messages cannot become drafts.");
  const present = await mailbox.get(messageId);
  const direction = folderFilter(folder).direction ?? present.direction;
  const change = changeOfFolder(present, folder);
  if (isMove && direction === present.direction) {
    await mailbox.mark([messageId], change);
    return respondWith(call, 201, { mailbox, message: await mailbox.get(messageId) });
  }
  const raw = await mailbox.getRaw(messageId);
  const placed = await mailbox.place({ raw, direction, marks: present.marks, providerIdOf: graphIdOf });
  await mailbox.mark([placed], change);
  if (isMove) await mailbox.remove(messageId);
  return respondWith(call, 201, { mailbox, message: await mailbox.get(placed) });
}

function changeOfFolder({ marks }: MailboxMessage, folder: string): MarkChange {
  const removeTags = marks.tags.filter((tag) => tag.startsWith(folderTagPrefix));
  const { inbox, sentitems, deleteditems } = wellKnownFolders;
  if (folder === deleteditems) return { addFlags: ["deleted"] };
  const isTagged = folder !== inbox && folder !== sentitems;
  return { removeFlags: ["deleted"], removeTags, ...(isTagged && { addTags: [folderTagPrefix + folder] }) };
}
