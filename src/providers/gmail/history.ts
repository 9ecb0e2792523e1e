/** Changes of a mailbox since a point of its history: https://developers.google.com/workspace/gmail/api/guides/sync */
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { digitsOfUuid } from "../formats/uuid.ts";
import type { Handler } from "../kit/endpoints.ts";
import type { MailboxChange } from "../mailbox.ts";
import { invalidArgument, notFoundEntity } from "./errors.ts";
import { systemLabels } from "./labels.ts";
import { idsOf, type MailIds, pageSizeOf, valuesOf } from "./mails.ts";
import { forUser, type User } from "./user.ts";

/** `GET /history` */
export const listHistory: Handler = forUser(async (user) => {
  const { fields } = user.request;
  const start = fieldOf(fields, "pageToken") ?? fieldOf(fields, "startHistoryId") ?? "";
  if (!/^\d{1,15}$/.test(start)) throw invalidArgument("Invalid startHistoryId");
  const found = await user.mailbox.changes(Number(start), pageSizeOf(fields));
  if (found === undefined) throw notFoundEntity();
  const types = valuesOf(fields, "historyTypes");
  const history: JsonObject[] = [];
  for (const change of found.changes) {
    const { ids, items } = await recordOf(user, change, fieldOf(fields, "labelId"));
    const shown = Object.entries(items).filter(([name]) => types.length === 0 || types.includes(typeOf(name)));
    if (shown.length > 0) history.push({ id: String(change.sequence), messages: [ids], ...Object.fromEntries(shown) });
  }
  const { cursor } = await user.mailbox.list({ expression: { kind: "always" }, direction: null, top: 1 });
  return {
    ...(history.length > 0 && { history }),
    ...(found.hasMore && { nextPageToken: String(found.cursor) }),
    historyId: String(Math.max(cursor, found.cursor)),
  };
});

/** Returns the value of `historyTypes` for a member of a record: `messageAdded` for `messagesAdded`. */
function typeOf(name: string): string {
  return name.replace(/^(message|label)s/, "$1");
}

/** Labels that the marks of a mail cannot change. */
const fixedLabels: readonly string[] = ["SENT", "DRAFT", "CHAT"];

/**
 * Returns the ids of the mail of a change, and the members of its record by their names; none for a mail that exists no longer,
 * or without the label. Changes of labels say which ones the mail has and lacks now, because the journal has no earlier ones.
 */
async function recordOf(
  user: User,
  { kind, id }: MailboxChange,
  label: string | undefined,
): Promise<{ readonly ids: MailIds; readonly items: Readonly<Record<string, readonly JsonObject[]>> }> {
  const own = { id: digitsOfUuid(id), threadId: digitsOfUuid(id) };
  if (kind === "deleted")
    return { ids: own, items: label === undefined ? { messagesDeleted: [{ message: own }] } : {} };
  const [mail] = await user.mailbox.readHeads([id]);
  if (mail === undefined) return { ids: own, items: {} };
  const present = user.labels.idsOf(mail);
  const ids = await idsOf(user, mail);
  const message = { ...ids, labelIds: present };
  if (kind === "added") {
    return { ids, items: label === undefined || present.includes(label) ? { messagesAdded: [{ message }] } : {} };
  }
  const all = [...systemLabels, ...user.labels.user.map((one) => one.id)];
  const changed = all.filter((one) => !fixedLabels.includes(one) && one === (label ?? one));
  const groups = Map.groupBy(changed, (one) => (present.includes(one) ? "labelsAdded" : "labelsRemoved"));
  return { ids, items: Object.fromEntries([...groups].map(([name, labelIds]) => [name, [{ message, labelIds }]])) };
}
