/** Services for tests of endpoints: they keep everything in memory and compose no mail. */
import { notFound, Problem } from "../../core/errors.ts";
import { createIdSource, type MessageId, newServerId, type ServerId } from "../../core/ids.ts";
import type { DraftMailbox, EmailFilter, EmailSession, ProviderObject, StoredEmail, SubmittedEmail } from "../email.ts";
import { type KeptWebhooks, memoryWebhooks } from "./memory-webhooks.test-aid.ts";
import { createSigningIdentity, type SigningIdentity } from "../formats/signing-identity.ts";
import type { ProviderServices } from "../provider.ts";
import type { TemplateJob } from "../template-job.ts";
import type { SubmissionRefusal, SubmittedSms } from "../sms.ts";
import { emptySubscriptions, type KeptSubscriptions, memorySubscriptions } from "./memory-subscriptions.test-aid.ts";
import { memoryMail, memoryMailbox, type MemoryMails } from "./memory-mailbox.test-aid.ts";

/** Submitted mail with its ids. */
export interface KeptEmail extends SubmittedEmail {
  readonly uuid: string;
  readonly providerId: string;
  readonly messageId: string | null;
  readonly isScheduled: boolean;
}

/** Services and what was submitted through them. */
export interface MemoryServices {
  readonly services: ProviderServices;
  readonly sms: SubmittedSms[];
  readonly emails: KeptEmail[];
  readonly templateJobs: TemplateJob[];
  /** The only server. */
  readonly server: ServerId;
  readonly subscriptions: KeptSubscriptions;
  readonly webhooks: KeptWebhooks;
  /** The only mailbox, whose mails tests add. */
  readonly mailbox: MemoryMails;
  /** Milliseconds since the Unix epoch; tests may change it. */
  now: number;
}

/** Key of all services: making one takes 100 ms. */
let identity: SigningIdentity | undefined;

/** The key that {@link memoryServices} accepts. */
export const validKey = "a-valid-key";
/** Instant at which the services start. */
export const startInstant: number = Date.UTC(2026, 10, 20, 10, 42, 7);

/** Returns services of an empty account. Templates render to `<source>|<JSON of the data>`. */
export function memoryServices(options: { readonly refusal?: SubmissionRefusal | null } = {}): MemoryServices {
  const { refusal = null } = options;
  const server = newServerId();
  const mailbox = { mails: [], changes: [] };
  const subscriptions = emptySubscriptions();
  const webhooks = { events: [], inbound: [], attempts: [] };
  const kept = { sms: [], emails: [], templateJobs: [], subscriptions, webhooks, mailbox };
  const state = { now: startInstant, server, ...kept } as Omit<MemoryServices, "services"> & { now: number };
  const ids = createIdSource(() => state.now);
  const email = emailSession(state, () => ids.next(server, "Received").id, refusal);
  const services: ProviderServices = {
    now: () => state.now,
    authenticate: async (given) => {
      if (given !== validKey) throw new Problem("unauthenticated");
      return {
        ...email,
        keyId: "valid",
        submitSms: async ({ providerIdOf: _providerIdOf, ...one }) => {
          if (refusal !== null) return { refusal };
          state.sms.push(one);
          return { id: ids.next(server, "Received").id };
        },
        hasOptedOut: async () => refusal === "unsubscribed",
        getSms: async () => Promise.reject(notFound("Message")),
        getMedia: async () => Promise.reject(notFound("Attachment")),
        listSms: async () => ({ messages: [], hasMore: false }),
        subscriptions: memorySubscriptions(state),
        webhooks: memoryWebhooks(state.webhooks, () => state.now),
        listServers: async () => [{ id: server, name: "Server" }],
        openMailbox: async () => memoryMailbox(state.mailbox, (direction) => ids.next(server, direction).id),
      };
    },
    findKeyOwner: async (given) => (given === validKey ? { keyId: "valid", objects: email.objects } : null),
    signingIdentity: async () => (identity ??= await createSigningIdentity("test")),
    renderTemplates: async (job) => {
      state.templateJobs.push(job);
      const data = JSON.stringify(job.data);
      return Object.fromEntries(Object.entries(job.sources).map(([name, source]) => [name, `${source}|${data}`]));
    },
    subscriptions: { publicKeyOf: async () => null, confirm: async () => null, unsubscribe: async () => false },
  };
  return Object.assign(state, { services });
}

type State = Omit<MemoryServices, "services">;

function emailSession(state: State, nextId: () => string, refusal: SubmissionRefusal | null): EmailSession {
  const find = (uuid: string): KeptEmail => {
    const found = state.emails.find((one) => one.uuid === uuid);
    if (found === undefined) throw notFound("Message");
    return found;
  };
  const scheduled = (uuid: string): KeptEmail => {
    const found = find(uuid);
    if (!found.isScheduled) throw new Problem("conflict");
    return found;
  };
  return {
    submitEmails: async (emails) =>
      emails.map((one) => {
        if (refusal !== null) return { refusal: "no_server" } as const;
        const uuid = nextId();
        const isScheduled = one.sendAt !== null && one.sendAt > state.now;
        const kept = { ...one, ...one.identify(uuid), uuid, isScheduled };
        state.emails.push(kept);
        if (!isScheduled) addToMailbox(state, kept);
        return { uuid, providerId: kept.providerId };
      }),
    getEmail: async (uuid) => storedEmail(find(uuid), state.now),
    getRaw: async (uuid) => {
      const { content, isScheduled } = find(uuid);
      if (isScheduled) throw notFound("Message");
      return content instanceof Uint8Array ? content : Buffer.from(`Subject: ${content.subject}\r\n\r\n`);
    },
    listEmails: async (filter) => {
      const matching = state.emails.filter((one) => !one.isScheduled && matches(one, filter)).toReversed();
      const start = filter.page * filter.itemsPerPage;
      const page = matching.slice(start, start + filter.itemsPerPage);
      return { emails: page.map((one) => storedEmail(one, state.now)), hasMore: matching.length > start + page.length };
    },
    rescheduleEmail: async (uuid, sendAt) => {
      state.emails[state.emails.indexOf(scheduled(uuid))] = { ...find(uuid), sendAt };
    },
    cancelEmail: async (uuid) => {
      state.emails.splice(state.emails.indexOf(scheduled(uuid)), 1);
    },
    objects: memoryObjects(state),
    once: memoryOnce(),
  };
}

/** Adds a mail to the mailbox, in which it arrives. */
function addToMailbox({ mailbox }: State, { uuid, content, facts, providerId }: KeptEmail): void {
  const id = uuid as MessageId;
  const isWhole = content instanceof Uint8Array;
  const whole = memoryMail(id, isWhole ? content : Buffer.from(`Subject: ${content.subject}\r\n\r\n`));
  const mail = isWhole ? whole : { ...whole, message: { ...whole.message, ...messageOf(content) } };
  const provider = { name: "", id: providerId, scheduledAt: null, ...facts };
  mailbox.mails.push({ ...mail, message: { ...mail.message, provider } });
  mailbox.changes.push({ sequence: mailbox.changes.length + 1, kind: "added", id });
}

function matches({ facts, recipients, mailFrom }: KeptEmail, { tag, to, from }: EmailFilter): boolean {
  return (
    (tag === null || facts.tags.includes(tag)) &&
    (to === null || recipients.includes(to)) &&
    (from === null || mailFrom === from)
  );
}

function storedEmail({ uuid, providerId, isScheduled, facts, sendAt, content }: KeptEmail, now: number): StoredEmail {
  return {
    providerId,
    id: isScheduled ? null : (uuid as StoredEmail["id"]),
    status: isScheduled ? "scheduled" : "delivered",
    createdAt: now,
    sendAt,
    facts,
    message: messageOf(content),
  };
}

function messageOf(content: SubmittedEmail["content"]): StoredEmail["message"] {
  const { from, to, cc, bcc, subject, text, html } = content instanceof Uint8Array ? noDraft : content;
  const contacts = (list: readonly DraftMailbox[]) =>
    list.map(({ name, address }) => ({ name, email: address, phone: null }));
  const body = { links: [], codes: [] };
  return {
    from: contacts([from]),
    to: contacts(to),
    cc: contacts(cc),
    bcc: contacts(bcc),
    subject,
    html: { ...body, images: [], body: html },
    text: { ...body, body: text },
    attachments: [],
    metadata: { headers: [], ehlo: null, mailFrom: null, rcptTo: [] },
  };
}

const noDraft = { from: { name: "", address: "" }, to: [], cc: [], bcc: [], subject: "", text: null, html: null };

function memoryObjects(state: Pick<State, "now">): EmailSession["objects"] {
  const objects = new Map<string, ProviderObject & { readonly expiresAt: number | null }>();
  const open = (kind: string, id: string): ProviderObject | undefined => {
    const found = objects.get(`${kind} ${id}`);
    return found === undefined || (found.expiresAt !== null && found.expiresAt <= state.now) ? undefined : found;
  };
  return {
    get: async (kind, id) => open(kind, id),
    list: async (kind, offset = 0) =>
      [...objects.values()].filter((one) => one.kind === kind && open(kind, one.id) !== undefined).slice(offset),
    put: async (kind, id, { value, version, expiresAt = null }) => {
      const present = open(kind, id);
      if (version !== undefined && version !== (present?.version ?? 0)) return false;
      const { createdAt = state.now, version: last = 0 } = present ?? {};
      // As JSON, so that tests notice values that a real store would change.
      const stored: unknown = JSON.parse(JSON.stringify(value));
      objects.set(`${kind} ${id}`, { kind, id, value: stored, version: last + 1, createdAt, expiresAt });
      return true;
    },
    remove: async (kind, id) => objects.delete(`${kind} ${id}`),
  };
}

function memoryOnce(): EmailSession["once"] {
  const kept = new Map<string, { readonly content: string; readonly response: unknown }>();
  return async <Response>(key: string, content: unknown, respond: () => Promise<Response>): Promise<Response> => {
    const first = kept.get(key);
    if (first !== undefined && first.content !== JSON.stringify(content)) throw new Problem("conflict");
    const response = first === undefined ? await respond() : (first.response as Response);
    kept.set(key, { content: JSON.stringify(content), response });
    return response;
  };
}
