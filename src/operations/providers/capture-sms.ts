/** SMS that an application under test sends through a provider's API. */
import { summariesOf } from "../services/reading/stored-detail.ts";
import type { Criteria } from "../../core/criteria.ts";
import { criteriaExpression } from "../../core/search/build-expression.ts";
import type { PlainPrincipal } from "../../core/api-key.ts";
import { foldAddress } from "../../core/fold.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import { smsMediaBytesMax } from "../../core/limits.ts";
import type { Attachment, ProviderOrigin } from "../../core/message.ts";
import { statusDeliveries } from "../../egress/sms/sms-deliveries.ts";
import type { SmsMedia, Submission, SubmissionRefusal, SubmittedSms } from "../../providers/sms.ts";
import type { NewDelivery } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import type { ProviderCaller } from "./provider-session.ts";
import type { MessageFaults } from "./request-faults.ts";
import { type HeldContent, holdMessage } from "../inbound/held-messages.ts";
import type { HeldSms } from "../inbound/arriving-records.ts";
import type { FetchedMedia, SmsContent } from "../services/reading/sms-record.ts";
import { decodeSms, receiveSms, resolveNumber } from "../sms/receive-sms.ts";

// Media of an MMS: attachments where the service may fetch them, else URLs among the facts of its provider.

/** Names of facts of the media at a position: its URL, and why it was not fetched. */
const urlFact = (at: number): string => `MediaUrl${String(at)}`;
const refusalFact = (at: number): string => `MediaError${String(at)}`;

/**
 * Fetches media one after the other, at most `smsMediaBytesMax` bytes of all. Never rejects for media that cannot be fetched:
 * facts have every URL, and the reason for each that is not among `media`.
 */
async function fetchMedia(
  context: Context,
  urls: readonly string[],
): Promise<{ readonly media: readonly FetchedMedia[]; readonly facts: Readonly<Record<string, string>> }> {
  const media: FetchedMedia[] = [];
  const facts: Record<string, string> = {};
  let bytesMax = smsMediaBytesMax;
  for (const [at, url] of urls.entries()) {
    facts[urlFact(at)] = url;
    const fetched = await context.fetchMedia(url, bytesMax);
    if ("refusal" in fetched) facts[refusalFact(at)] = fetched.refusal;
    else {
      bytesMax -= fetched.bytes.byteLength;
      const { contentType, bytes } = fetched;
      media.push({ contentType, fileName: fileNameOf(url, at), base64: Buffer.from(bytes).toString("base64") });
    }
  }
  return { media, facts };
}

/** Returns the media that the facts of an SMS name, with its attachments, which are in the order of the fetched ones. */
export function mediaOf(
  metadata: Readonly<Record<string, string>>,
  attachments: readonly Pick<Attachment, "id" | "contentType">[],
): readonly SmsMedia[] {
  const media: SmsMedia[] = [];
  let fetchedCount = 0;
  for (let at = 0; ; at += 1) {
    const url = metadata[urlFact(at)];
    if (url === undefined) return media;
    const attachment = metadata[refusalFact(at)] === undefined ? (attachments[fetchedCount++] ?? null) : null;
    media.push({ url, attachment });
  }
}

function fileNameOf(url: string, at: number): string {
  const last = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || `media${String(at)}`;
  } catch {
    // Invalid percent-encoding.
    return last;
  }
}

/** Opt-out keywords, after which a number receives no more SMS from the sender, and opt-in keywords. */
const stopWords = new Set(["stop", "stopall", "unsubscribe", "cancel", "end", "quit"]);
const startWords = new Set(["start", "yes", "unstop"]);
const answersReadMax = 20;

/**
 * Stores an SMS in the server of a restricted key, else in the number's server, else in the catch-all. Checks the callback
 * before anything is stored, and adds its deliveries in the same transaction. Rejects with a 400 that names the field, and
 * with `InjectedFault` when a fault rule applies. Holds the SMS when a rule delivers it later.
 */
export async function captureSms(context: Context, caller: ProviderCaller, sms: SubmittedSms): Promise<Submission> {
  const { callback, providerIdOf = String, metadata = {}, mediaUrls = [], template = null, ...text } = sms;
  const { principal, provider } = caller;
  const server = principal.server ?? (await resolveNumber(context, text.to));
  if (server === undefined) return { refusal: "no_server" };
  const { hits, late } = await decideFaults(caller, server, text);
  const refusal = await refusalOf(context, server, { ...text, callback });
  if (refusal !== null) return { refusal };
  const { media, facts } = await fetchMedia(context, mediaUrls);
  const deliveries = (id: MessageId): readonly NewDelivery[] => reportsOf(context, callback, id);
  const origin = (id: MessageId): ProviderOrigin => ({
    name: provider,
    id: providerIdOf(id),
    tags: [],
    metadata: { ...metadata, ...facts },
    template,
    scheduledAt: null,
  });
  const transcript = caller.transcript?.encode({ count: 1, isOwn: true, hits });
  const delayMs = late.get(server);
  if (delayMs !== undefined) {
    const content = { ...decodeSms(context, { ...text, receivedAt: null }), media };
    const held = { content, callback, origin, faults: hits, transcript };
    return { id: await holdSms(context, { server, delayMs, held }) };
  }
  const source = { deliveries, origin, faults: hits, transcript };
  const id = await receiveSms(context, { ...text, media, server, receivedAt: null, ...source });
  if (callback !== null) context.wakeCallbacks();
  return { id };
}

async function refusalOf(
  context: Context,
  server: ServerId,
  { callback, ...text }: Pick<SubmittedSms, "from" | "to" | "text" | "callback">,
): Promise<SubmissionRefusal | null> {
  if (callback !== null && !(await mayCallBack(context, server, callback.url))) return "callback";
  return (await isUnsubscribed(context, server, text)) ? "unsubscribed" : null;
}

function reportsOf({ clock }: Context, callback: SubmittedSms["callback"], message: MessageId): readonly NewDelivery[] {
  if (callback === null) return [];
  return statusDeliveries({ message, url: callback.url, now: clock.now() }, callback.calls(message));
}

/** SMS that arrives later. */
interface LateSms {
  readonly server: ServerId;
  readonly delayMs: number;
  readonly held: Omit<HeldSms, keyof SmsContent | "origin" | "callback"> & {
    readonly content: SmsContent;
    readonly origin: (id: MessageId) => ProviderOrigin;
    readonly callback: SubmittedSms["callback"];
  };
}

async function holdSms(context: Context, { server, delayMs, held }: LateSms): Promise<MessageId> {
  const { content, callback, origin, faults, transcript } = held;
  const compose = (uuid: MessageId): HeldContent => {
    const calls = callback === null ? null : { url: callback.url, calls: callback.calls(uuid) };
    const sms = { ...content, origin: origin(uuid), callback: calls, faults, transcript };
    return { content: { sms }, raw: new Uint8Array() };
  };
  return context.quotas.spend("sms", 1, () => holdMessage(context, { server, delayMs, compose }));
}

async function decideFaults(
  { faults, provider, principal }: ProviderCaller,
  server: ServerId,
  { from, to }: Pick<SubmittedSms, "from" | "to">,
): Promise<MessageFaults> {
  const message = { sender: from, recipients: [{ address: to, server }] };
  const [decided] = (await faults?.decide({ provider, server: principal.server }, [message])) ?? [];
  return decided ?? { hits: [], late: new Map() };
}

/** Returns whether the operator allows the origin, or a phone number in the server has a webhook there. */
async function mayCallBack(context: Context, server: ServerId, url: string): Promise<boolean> {
  const numbers = await context.store.phoneNumbers.listPhoneNumbers();
  const webhooks = numbers.flatMap((one) => (one.server === server && one.webhook !== null ? [one.webhook] : []));
  const allowed = [...context.settings.callbackOrigins, ...webhooks].map((one) => URL.parse(one)?.origin);
  const wanted = URL.parse(url);
  return wanted !== null && wanted.username === "" && wanted.password === "" && allowed.includes(wanted.origin);
}

/**
 * Returns whether the last opt-out or opt-in keyword that a number replied to any sender was an opt-out; false for a number
 * without a server.
 */
export async function hasOptedOut(context: Context, principal: PlainPrincipal, number: string): Promise<boolean> {
  const server = principal.server ?? (await resolveNumber(context, number));
  return server !== undefined && isOptOutLast(context, server, { sentFrom: foldAddress(number), match: "ALL" });
}

/** Returns whether the last opt-out or opt-in keyword from the number to this sender was an opt-out. */
async function isUnsubscribed(context: Context, server: ServerId, { from, to }: SmsContent): Promise<boolean> {
  return isOptOutLast(context, server, { sentFrom: foldAddress(to), sentTo: foldAddress(from), match: "ALL" });
}

async function isOptOutLast(context: Context, server: ServerId, criteria: Criteria): Promise<boolean> {
  const page = {
    page: 0,
    itemsPerPage: answersReadMax,
    receivedAfter: null,
    direction: "Sent",
    afterSequence: null,
  } as const;
  const answers = await context.store.searchMessages(server, criteriaExpression(criteria), page);
  const summaries = summariesOf(answers);
  const words = summaries.map(({ summary }) => summary.trim().toLowerCase());
  const last = words.find((word) => stopWords.has(word) || startWords.has(word));
  return last !== undefined && stopWords.has(last);
}
