/** Changes of a mailbox since a point of its history: https://developers.google.com/workspace/gmail/api/guides/sync */
import { digitsOfUuid } from "../formats/uuid.ts";
import { fieldOf, naturalOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Handler } from "../kit/endpoints.ts";
import type { MailboxChange, MailboxMessage } from "../mailbox.ts";
import { jsonResponse } from "../provider.ts";
import { invalidArgument, notFoundEntity } from "./errors.ts";
import { systemLabels } from "./labels.ts";
import { idsOf, openUser, type User } from "./user.ts";

/** `GET /history` */
export const listHistory: Handler = async (call) => {
  const { fields } = call.request;
  const invalid = invalidArgument("Invalid startHistoryId");
  const start = fieldOf(fields, "pageToken") ?? fieldOf(fields, "startHistoryId");
  if (start === undefined || !/^\d{1,15}$/.test(start)) throw invalid;
  const limit = naturalOf(fields, "maxResults", {
    absent: 100,
    max: 2 ** 32,
    invalid: invalidArgument("Invalid maxResults"),
  });
  const user = await openUser(call);
  const found = await user.mailbox.changes(Number(start), Math.min(limit || 100, 500));
  if (found === undefined) throw notFoundEntity();
  const types = new Set(fields.filter(([name]) => name === "historyTypes").map(([, type]) => type));
  const label = fieldOf(fields, "labelId");
  const history: JsonObject[] = [];
  for (const change of found.changes) {
    const record = await recordOf(user, change, label);
    const entries = Object.entries(record).filter(([name]) => types.size === 0 || types.has(typeOf[name] ?? ""));
    if (entries.length === 0) continue;
    const messages = [
      ...new Map(entries.flatMap(([, items]) => items.map(({ message }) => [message.id, message]))).values(),
    ];
    const short = messages.map(({ id, threadId }) => ({ id, threadId }));
    history.push({ id: String(change.sequence), messages: short, ...Object.fromEntries(entries) });
  }
  const { cursor } = await user.mailbox.list({ expression: { kind: "always" }, direction: null, top: 1 });
  return jsonResponse(200, {
    ...(history.length > 0 && { history }),
    ...(found.hasMore && { nextPageToken: String(found.cursor) }),
    historyId: String(Math.max(cursor, found.cursor)),
  });
};

interface HistoryItem {
  readonly message: { readonly id: string; readonly threadId: string; readonly labelIds?: readonly string[] };
  readonly labelIds?: readonly string[];
}

/** Values of `historyTypes` by the members of a record. */
const typeOf: Readonly<Record<string, string>> = {
  messagesAdded: "messageAdded",
  messagesDeleted: "messageDeleted",
  labelsAdded: "labelAdded",
  labelsRemoved: "labelRemoved",
};

/** Labels that the marks of a mail cannot change. */
const fixedLabels: ReadonlySet<string> = new Set(["SENT", "DRAFT", "CHAT"]);

/**
 * Returns the record of a change; nothing for a mail that exists no longer, or without the label. Changes of labels say which
 * ones the mail has and lacks now, because the journal has no earlier ones.
 */
async function recordOf(
  user: User,
  { kind, id }: MailboxChange,
  label: string | undefined,
): Promise<Readonly<Record<string, readonly HistoryItem[]>>> {
  if (kind === "deleted") {
    const message = { id: digitsOfUuid(id), threadId: digitsOfUuid(id) };
    return label === undefined ? { messagesDeleted: [{ message }] } : {};
  }
  const [mail] = await user.mailbox.readHeads([id]);
  if (mail === undefined) return {};
  const labelIds = user.labels.idsOf(mail);
  const message = { ...(await idsOf(user, mail)), labelIds };
  if (kind === "added") return label === undefined || labelIds.includes(label) ? { messagesAdded: [{ message }] } : {};
  return labelRecord(user, mail, { message, label });
}

function labelRecord(
  { labels }: User,
  mail: MailboxMessage,
  { message, label }: { readonly message: HistoryItem["message"]; readonly label: string | undefined },
): Readonly<Record<string, readonly HistoryItem[]>> {
  const present = new Set(labels.idsOf(mail));
  const all = [...systemLabels, ...labels.user.map(({ id }) => id)].filter((id) => !fixedLabels.has(id));
  const wanted = label === undefined ? all : all.filter((id) => id === label);
  const [added, removed] = [wanted.filter((id) => present.has(id)), wanted.filter((id) => !present.has(id))];
  return {
    ...(added.length > 0 && { labelsAdded: [{ message, labelIds: added }] }),
    ...(removed.length > 0 && { labelsRemoved: [{ message, labelIds: removed }] }),
  };
}
