/** Labels of a mailbox. Those of the user are tags of its mails. */
import type { MessageId } from "../../core/ids.ts";
import { markedMessageCountMax } from "../../core/limits.ts";
import { type MarkChange, readTag } from "../../core/marks.ts";
import type { Direction } from "../../core/message.ts";
import { and } from "../../core/search/search-expression.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Handler } from "../kit/endpoints.ts";
import type { Members } from "../kit/members.ts";
import { jsonResponse, noContent } from "../provider.ts";
import { invalidArgument, labelConflict, notFoundEntity } from "./errors.ts";
import { archiveTag, type LabelSettings, systemLabels, type UserLabel } from "./labels.ts";
import { readBody } from "./request.ts";
import { openUser, type User } from "./user.ts";

function systemLabel(id: string): JsonObject {
  const isHidden = id.startsWith("CATEGORY_")
    ? { messageListVisibility: "hide", labelListVisibility: "labelHide" }
    : {};
  return { id, name: id, ...isHidden, type: "system" };
}

function userLabel(label: UserLabel): JsonObject {
  return { ...label, type: "user" };
}

/** `GET /labels` */
export const listLabels: Handler = async (call) => {
  const { labels } = await openUser(call);
  return jsonResponse(200, { labels: [...systemLabels.map(systemLabel), ...labels.user.map(userLabel)] });
};

/** Returns the label of the user with an id; throws for system labels when the request changes one. */
function openLabel({ labels }: User, id: string): UserLabel {
  if (systemLabels.includes(id)) throw invalidArgument("Invalid update request");
  const found = labels.user.find((one) => one.id === id);
  if (found === undefined) throw notFoundEntity();
  return found;
}

/** `GET /labels/:id`, with the numbers of its mails; each counts as a thread. */
export const getLabel: Handler = async (call) => {
  const user = await openUser(call);
  const { id = "" } = call.request.params;
  const resource = systemLabels.includes(id) ? systemLabel(id) : userLabel(openLabel(user, id));
  const [total, unread] = [await count(user, id), await count(user, id, "UNREAD")];
  const counts = { messagesTotal: total, messagesUnread: unread, threadsTotal: total, threadsUnread: unread };
  return jsonResponse(200, { ...resource, ...counts });
};

async function count({ mailbox, labels }: User, ...ids: readonly string[]): Promise<number> {
  const of = async (direction: Direction): Promise<number> =>
    mailbox.count({ direction, expression: and(...ids.map((id) => labels.condition(id, direction))) });
  return (await of("Received")) + (await of("Sent"));
}

/** `POST /labels` */
export const createLabel: Handler = async (call) => {
  const user = await openUser(call);
  const settings = readSettings(readBody(call.request.body));
  checkFree(user, settings.name, null);
  const id = `Label_${String(call.services.now())}${crypto.randomUUID().slice(0, 8)}`;
  await user.labels.collection.put(id, settings);
  return jsonResponse(200, userLabel({ id, ...settings }));
};

/** `PUT /labels/:id` */
export const updateLabel: Handler = async (call) => changeLabel(call, {});
/** `PATCH /labels/:id`, which keeps absent members. */
export const patchLabel: Handler = async (call) => {
  const { id: _id, ...settings } = openLabel(await openUser(call), call.request.params["id"] ?? "");
  return changeLabel(call, settings);
};

async function changeLabel(call: Parameters<Handler>[0], defaults: Partial<LabelSettings>): ReturnType<Handler> {
  const user = await openUser(call);
  const before = openLabel(user, call.request.params["id"] ?? "");
  const settings = readSettings(readBody(call.request.body), defaults);
  checkFree(user, settings.name, before.id);
  await user.labels.collection.put(before.id, settings);
  if (settings.name !== before.name) {
    await markAll(user, before.name, { addTags: [settings.name], removeTags: [before.name] });
  }
  return jsonResponse(200, userLabel({ id: before.id, ...settings }));
}

/** `DELETE /labels/:id`, also from all mails. */
export const deleteLabel: Handler = async (call) => {
  const user = await openUser(call);
  const { id, name } = openLabel(user, call.request.params["id"] ?? "");
  await markAll(user, name, { removeTags: [name] });
  await user.labels.collection.remove(id);
  return noContent;
};

/** Changes the marks of all mails with a tag. */
async function markAll({ mailbox }: User, tag: string, change: MarkChange): Promise<void> {
  const all = { expression: { kind: "tag", tag: foldPart(tag) }, direction: null, top: markedMessageCountMax } as const;
  let before: MessageId | undefined;
  for (;;) {
    const { ids, hasMore } = await mailbox.list({ ...all, ...(before !== undefined && { before }) });
    if (ids.length > 0) await mailbox.mark(ids, change);
    before = ids.at(-1);
    if (!hasMore || before === undefined) return;
  }
}

function readSettings(members: Members, defaults: Partial<LabelSettings> = {}): LabelSettings {
  const name = readTag(members.text("name") ?? defaults.name ?? "");
  if (name === undefined) throw invalidArgument("Invalid label name");
  const visibility = (member: "messageListVisibility" | "labelListVisibility") => {
    const value = members.text(member) ?? defaults[member];
    return value === undefined ? {} : { [member]: value };
  };
  const color = members.object("color") ?? defaults.color;
  return {
    name,
    ...visibility("messageListVisibility"),
    ...visibility("labelListVisibility"),
    ...(color !== undefined && { color }),
  };
}

/** Throws when a system label or another label has the name. */
function checkFree({ labels }: User, name: string, id: string | null): void {
  if ([...systemLabels, archiveTag].includes(name.toUpperCase())) throw invalidArgument("Invalid label name");
  const other = labels.find(name);
  if (other !== undefined && other.id !== id) throw labelConflict();
}
