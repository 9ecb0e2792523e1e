/** Endpoints that read messages, and those of scheduled ones: https://mailchimp.com/developer/transactional/api/messages/ */
import type { EmailFilter, StoredEmail } from "../email.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { digitsOfUuid, uuidOfDigits } from "../formats/uuid.ts";
import { newestEmails, ScheduledEmails, type ScheduledItem } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { Members } from "../kit/members.ts";
import { onProblem } from "../kit/rejection.ts";
import { errors } from "./errors.ts";
import { handler, instantText, readSendAt, requiredText, type MandrillCall } from "./request.ts";
import type { ScheduledShown } from "./send.ts";

/** Returns a message: `messages/info`. */
export const getMessage: Handler = handler(async (call) => {
  const email = await openMessage(call);
  const sent = { ts: seconds(email.createdAt), type: "sent", diag: "250 2.0.0 OK" };
  return { ...messageJson(email), smtp_events: [sent] };
});

/** Returns a message with its bodies and files: `messages/content`. */
export const getContent: Handler = handler(async (call) => {
  const email = await openMessage(call);
  const { from, to, subject, text, html, attachments, metadata } = email.message;
  const files: JsonObject[] = [];
  for (const { id, fileName, contentType } of attachments) {
    const content = Buffer.from(await call.session.getMedia(id)).toString("base64");
    files.push({ name: fileName, type: contentType, content });
  }
  return {
    ts: seconds(email.createdAt),
    _id: email.providerId,
    from_email: from[0]?.email ?? "",
    from_name: from[0]?.name ?? "",
    subject,
    to: { email: to[0]?.email ?? "", name: to[0]?.name ?? "" },
    tags: email.facts.tags,
    headers: Object.fromEntries(metadata.headers.map(({ field, value }) => [field, value])),
    text: text.body,
    html: html.body,
    attachments: files,
  };
});

async function openMessage({ members, session }: MandrillCall): Promise<StoredEmail> {
  const id = requiredText(members, "id");
  const email = await onProblem("not_found", session.getEmail(uuidOfDigits(id)), () => null);
  if (email === null || email.id === null) throw errors.unknownMessage(id);
  return email;
}

const searchBounds = { countMax: 1000, pageSize: 100 };
const dayMs = 24 * 3_600_000;

/** Searches the newest messages, the newest first: `messages/search`. */
export const searchMessages: Handler = handler(async ({ members, session }) => {
  const limit = members.checked("limit", Number.isInteger as (value: unknown) => value is number) ?? 100;
  const isWanted = searchOf(members);
  const found: JsonObject[] = [];
  for await (const email of newestEmails(session, datesOf(members), searchBounds)) {
    if (found.length >= Math.min(limit, searchBounds.countMax)) break;
    if (isWanted(email)) found.push(messageJson(email));
  }
  return found;
});

/** Reads the first and the last day of a search. */
function datesOf(members: Members): Pick<EmailFilter, "since" | "before"> {
  const instant = (name: string): number | null => readIsoInstant(members.text(name) ?? "") ?? null;
  const end = instant("date_to");
  return { since: instant("date_from"), before: end === null ? null : end + dayMs };
}

/** Words of a query have to be in the subject or an address, or in the field that they name, such as `subject:order`. */
function searchOf(members: Members): (email: StoredEmail) => boolean {
  const words = (members.text("query") ?? "").toLowerCase().split(/\s+/).slice(0, 100);
  const terms = words.filter((word) => word !== "" && word !== "*" && word !== "and");
  const [tags, senders] = [members.list("tags"), members.list("senders")];
  return ({ message, facts }) => {
    const sender = message.from[0]?.email ?? "";
    const fields = {
      subject: message.subject,
      sender,
      email: addressesOf(message).join(" "),
      tags: facts.tags.join(" "),
    };
    const lower = new Map(Object.entries(fields).map(([name, text]) => [name, text.toLowerCase()]));
    const all = [...lower.values()].join(" ");
    return (
      (tags.length === 0 || tags.some((tag) => facts.tags.includes(String(tag)))) &&
      (senders.length === 0 || senders.includes(sender)) &&
      terms.every((term) => {
        const [, name = "", text = ""] = /^(\w+):(.+)$/.exec(term) ?? [];
        return lower.get(name)?.includes(text) ?? all.includes(term);
      })
    );
  };
}

function addressesOf({ to, cc, bcc }: StoredEmail["message"]): readonly string[] {
  return [...to, ...cc, ...bcc].flatMap(({ email }) => email ?? []);
}

function messageJson({ providerId, createdAt, facts, message }: StoredEmail): JsonObject {
  return {
    ts: seconds(createdAt),
    _id: providerId,
    sender: message.from[0]?.email ?? "",
    template: facts.template?.id ?? null,
    subject: message.subject,
    email: addressesOf(message)[0] ?? "",
    tags: facts.tags,
    opens: 0,
    opens_detail: [],
    clicks: 0,
    clicks_detail: [],
    state: "sent",
    metadata: facts.metadata,
  };
}

function seconds(instant: number): number {
  return Math.floor(instant / 1000);
}

/** Lists scheduled messages, all or those to an address: `messages/list-scheduled`. */
export const listScheduled: Handler = handler(async ({ members, session }) => {
  const to = members.text("to") ?? "";
  const all = await openScheduled(session).all();
  return all.filter(({ shown }) => to === "" || shown.to === to).map(scheduledJson);
});

/** Cancels a scheduled message: `messages/cancel-scheduled`. */
export const cancelScheduled: Handler = handler(async (call) =>
  changeScheduled(call, async (scheduled, item) => {
    await scheduled.cancel(item.uuid);
    return item;
  }),
);

/** Changes the time of a scheduled message: `messages/reschedule`. */
export const reschedule: Handler = handler(async (call) => {
  requiredText(call.members, "send_at");
  const now = call.services.now();
  const sendAt = readSendAt(call.members, now) ?? now;
  return changeScheduled(call, async (scheduled, item) => {
    await scheduled.reschedule(item.uuid, sendAt);
    return { ...item, sendAt };
  });
});

type Item = ScheduledItem<ScheduledShown>;

function openScheduled(session: Call["session"]): ScheduledEmails<ScheduledShown> {
  return new ScheduledEmails(session);
}

async function changeScheduled(
  { members, session }: MandrillCall,
  change: (scheduled: ScheduledEmails<ScheduledShown>, item: Item) => Promise<Item>,
): Promise<JsonObject> {
  const id = requiredText(members, "id");
  const unknown = (): never => {
    throw errors.unknownMessage(id);
  };
  const scheduled = openScheduled(session);
  const item = (await scheduled.find(uuidOfDigits(id))) ?? unknown();
  return scheduledJson(await onProblem(["not_found", "conflict"], change(scheduled, item), unknown));
}

function scheduledJson({ uuid, sendAt, shown: { createdAt, ...shown } }: Item): JsonObject {
  const times = { created_at: instantText(createdAt), send_at: instantText(sendAt) };
  return { _id: digitsOfUuid(uuid), ...times, ...shown };
}
