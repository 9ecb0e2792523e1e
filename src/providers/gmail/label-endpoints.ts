/** Labels of a mailbox. Those of the user are tags of its mails. */
import { type MarkChange, readTag } from "../../core/marks.ts";
import type { Direction } from "../../core/message.ts";
import { and } from "../../core/search/search-expression.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Handler } from "../kit/endpoints.ts";
import { changeEach } from "../kit/mailbox-pages.ts";
import { invalidArgument, labelConflict, notFoundEntity } from "./errors.ts";
import { archiveTag, type LabelSettings, systemLabels, type UserLabel } from "./labels.ts";
import { readBody } from "./request.ts";
import { forUser, pathId, type User } from "./user.ts";

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
export const listLabels: Handler = forUser(async ({ labels }) => {
  return { labels: [...systemLabels.map(systemLabel), ...labels.user.map(userLabel)] };
});

/** Returns the label of the user in the path; throws for system labels, which requests cannot change. */
function openLabel(user: User): UserLabel {
  const id = pathId(user);
  if (systemLabels.includes(id)) throw invalidArgument("Invalid update request");
  const found = user.labels.user.find((one) => one.id === id);
  if (found === undefined) throw notFoundEntity();
  return found;
}

/** `GET /labels/:id`, with the numbers of its mails; each counts as a thread. */
export const getLabel: Handler = forUser(async (user) => {
  const id = pathId(user);
  const resource = systemLabels.includes(id) ? systemLabel(id) : userLabel(openLabel(user));
  const [total, unread] = [await count(user, id), await count(user, id, "UNREAD")];
  return { ...resource, messagesTotal: total, messagesUnread: unread, threadsTotal: total, threadsUnread: unread };
});

async function count({ mailbox, labels }: User, ...ids: readonly string[]): Promise<number> {
  const of = async (direction: Direction): Promise<number> =>
    mailbox.count({ direction, expression: and(...ids.map((id) => labels.condition(id, direction))) });
  return (await of("Received")) + (await of("Sent"));
}

/** `POST /labels` */
export const createLabel: Handler = forUser(async (user) => {
  const id = `Label_${String(user.services.now())}${crypto.randomUUID().slice(0, 8)}`;
  return store(user, id, readSettings(user));
});

/** `PUT /labels/:id` */
export const updateLabel: Handler = forUser(async (user) => changeLabel(user, {}));
/** `PATCH /labels/:id`, which keeps absent members. */
export const patchLabel: Handler = forUser(async (user) => changeLabel(user, openLabel(user)));

async function changeLabel(user: User, defaults: Partial<LabelSettings>): Promise<JsonObject> {
  const { id, name } = openLabel(user);
  const settings = readSettings(user, defaults);
  const resource = await store(user, id, settings);
  if (settings.name !== name) await markAll(user, name, { addTags: [settings.name], removeTags: [name] });
  return resource;
}

async function store({ labels }: User, id: string, settings: LabelSettings): Promise<JsonObject> {
  const { name } = settings;
  const other = labels.find(name);
  if ([...systemLabels, archiveTag].includes(name.toUpperCase())) throw invalidArgument("Invalid label name");
  if (other !== undefined && other.id !== id) throw labelConflict();
  await labels.collection.put(id, settings);
  return userLabel({ id, ...settings });
}

/** `DELETE /labels/:id`, also from all mails. */
export const deleteLabel: Handler = forUser(async (user) => {
  const { id, name } = openLabel(user);
  await markAll(user, name, { removeTags: [name] });
  await user.labels.collection.remove(id);
});

/** Changes the marks of all mails with a tag. */
async function markAll({ mailbox }: User, tag: string, change: MarkChange): Promise<void> {
  const all = { expression: { kind: "tag", tag: foldPart(tag) }, direction: null } as const;
  await changeEach(mailbox, all, async (ids) => mailbox.mark(ids, change));
}

function readSettings({ request }: User, defaults: Partial<LabelSettings> = {}): LabelSettings {
  const members = readBody(request.body);
  const name = readTag(members.text("name") ?? defaults.name ?? "");
  if (name === undefined) throw invalidArgument("Invalid label name");
  const others = {
    messageListVisibility: members.text("messageListVisibility") ?? defaults.messageListVisibility,
    labelListVisibility: members.text("labelListVisibility") ?? defaults.labelListVisibility,
    color: members.object("color") ?? defaults.color,
  };
  return { name, ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)) };
}
