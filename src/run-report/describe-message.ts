/** Messages of a run as the service shows them: picture, text, checks and time line. */
import { defined } from "../client/bounds.ts";
import type { RestanteClient } from "../client/client.ts";
import type { Contact, Message, CallbackDelivery, Scan, Transcript } from "../client/generated/types.ts";
import { codesOf, linksOf } from "../client/message-content.ts";
import type { RequestOptions } from "../client/options.ts";
import type { ReceivedMessage } from "../client/received-message.ts";
import { judgeMail } from "./judge-mail.ts";
import { cut, cutAll, type MessageRecord, reasonOf, textLengthMax, type EventRecord } from "./record-schema.ts";
import { NotFoundError } from "../client/errors.ts";

/** Email client of the pictures: the most common one, with a pixel for each CSS pixel. */
const emailClient = "web-gmail-lightmode";
/** Largest picture of a report. */
const pictureBytesMax = 2 * 2 ** 20;
const pictureMsMax = 20_000;
const listCountMax = 50;

/** Messages that the service judges at the same time. */
const describedAtOnce = 4;

/** Described messages, in the order of their ids, and the reasons why others are missing. */
interface Described {
  readonly messages: readonly MessageRecord[];
  readonly problems: readonly string[];
}

/** Options of {@link MessageDescriber}. */
interface DescriberOptions {
  readonly client: RestanteClient;
  /** Stores a picture, a PNG, and returns the name of its file. */
  readonly savePicture: (png: Uint8Array) => Promise<string>;
  /** Ends all requests. */
  readonly signal?: AbortSignal | undefined;
}

/** Describes messages for a record. */
export class MessageDescriber {
  readonly #options: DescriberOptions;
  #hasBrowser: Promise<boolean> | undefined;

  constructor(options: DescriberOptions) {
    this.#options = options;
  }

  /** Describes messages, some at the same time. Never rejects: a message that cannot be read is one of the problems. */
  async describeAll(ids: readonly string[]): Promise<Described> {
    const messages: MessageRecord[] = [];
    const problems: string[] = [];
    for (let at = 0; at < ids.length; at += describedAtOnce) {
      const some = ids.slice(at, at + describedAtOnce);
      const settled = await Promise.allSettled(some.map(async (id) => this.#describe(id)));
      for (const [number, one] of settled.entries()) {
        if (one.status === "fulfilled") messages.push(one.value);
        else problems.push(`message ${some[number] ?? ""}: ${reasonOf(one.reason)}`);
      }
    }
    return { messages, problems };
  }

  /** Fetches and judges a message. Rejects when it cannot be read; what else is unavailable is one of `problems`. */
  async #describe(id: string): Promise<MessageRecord> {
    const { client, signal } = this.#options;
    const request = { signal };
    const message = await client.messages.get(id, request);
    const problems: string[] = [];
    const attempt = async <Value>(what: string, make: () => Promise<Value>): Promise<Value | undefined> => {
      try {
        return await make();
      } catch (error) {
        problems.push(`${what}: ${reasonOf(error)}`);
        return undefined;
      }
    };
    const isMail = message.type === "Email";
    const [picture, text, checks, events] = await Promise.all([
      attempt("picture", async () => this.#picture(message, request)),
      attempt("text", async () => (isMail ? message.snapshot(request) : (message.text.body ?? ""))),
      isMail ? judgeMail(client, id, request) : [],
      attempt("time line", async () => eventsOf(client, message, request)),
    ]);
    return {
      ...contentOf(message),
      ...defined({ picture: picture ?? undefined, text: cut(text ?? "", textLengthMax) }),
      checks,
      events: events ?? [{ at: message.received, name: "Arrived" }],
      problems: cutAll(problems),
    };
  }

  async #picture(message: ReceivedMessage, request: RequestOptions): Promise<string | null> {
    const { client, savePicture } = this.#options;
    if (message.type !== "Email" || message.html.body === null) return null;
    this.#hasBrowser ??= client.previews
      .clients(request)
      .then((clients) => clients.some(({ label, available }) => label === emailClient && available));
    if (!(await this.#hasBrowser)) throw new Error("the service has no browser (RESTANTE_CHROMIUM)");
    const png = await client.previews.render(message.id, emailClient, { ...request, timeout: pictureMsMax });
    if (png.byteLength > pictureBytesMax) throw new Error(`it has more than ${String(pictureBytesMax / 2 ** 20)} MiB`);
    return savePicture(png);
  }
}

type Content = Omit<MessageRecord, "picture" | "text" | "checks" | "events" | "problems">;

function contentOf(message: Message): Content {
  const { id, type, subject, from, to, cc, received } = message;
  const links = linksOf(message).flatMap(({ text, href }) => {
    const url = cut(href);
    return url === undefined ? [] : [{ ...defined({ text: cut(text?.trim() ?? "") }), url }];
  });
  const attachments = message.attachments.map(({ fileName, contentType, length }) => {
    return { ...defined({ name: cut(fileName) }), type: cut(contentType) ?? "no type", bytes: length };
  });
  return {
    id,
    type,
    ...defined({ subject: cut(subject) }),
    from: cutAll(from.map(nameOf)),
    to: cutAll([...to, ...cc].map(nameOf)),
    received,
    codes: cutAll(codesOf(message)).slice(0, listCountMax),
    links: links.slice(0, listCountMax),
    attachments: attachments.slice(0, listCountMax),
  };
}

/** Returns the address of a contact with its name. */
function nameOf({ name, email, phone }: Contact): string {
  const address = email ?? phone ?? "";
  return name === "" ? address : `${name} <${address}>`;
}

const deliveryCountMax = 100;
const shownRequestCount = 5;

/** Returns the events of a message by time. Rejects as the client does. */
async function eventsOf(
  { messages, deliveries }: RestanteClient,
  message: Message,
  options: RequestOptions,
): Promise<readonly EventRecord[]> {
  const { id, server } = message;
  const [transcript, scan, { items }] = await Promise.all([
    orNull(messages.transcript(id, options)),
    orNull(messages.scan(id, options)),
    deliveries.list(server, { message: id, itemsPerPage: deliveryCountMax, ...options }),
  ]);
  const events = [
    ...(transcript === null ? [] : [requestOf(transcript)]),
    ...arrivalOf(message),
    ...(scan === null ? [] : [scanOf(scan)]),
    ...items.map(reportOf).toReversed(),
  ];
  return events
    .map(({ at, name, detail = "" }) => ({ at, name, ...defined({ detail: cut(detail) }) }))
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

interface Event {
  readonly at: string;
  readonly name: string;
  readonly detail?: string;
}

/** Null for what the message does not have. */
async function orNull<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

function requestOf({ startedAt, protocol, clientAddress, tls }: Transcript): Event {
  const detail = `${protocol} from ${clientAddress}${tls === null ? "" : ` over ${tls}`}`;
  return { at: startedAt, name: "Request", detail };
}

function arrivalOf({ received, metadata: { accepted, faults = [] } }: Message): readonly Event[] {
  const rules = faults.map(({ rule, action }) => `${rule} (${action})`).join(", ");
  const arrival = { at: received, name: "Arrived", ...(rules !== "" && { detail: `fault rules: ${rules}` }) };
  if (accepted === undefined) return [arrival];
  return [{ at: accepted, name: "Accepted", detail: "not visible yet" }, arrival];
}

function scanOf({ started, profile, requests, omittedCount }: Scan): Event {
  const shown = requests.slice(0, shownRequestCount).map(({ method, url, status }) => {
    return `${method} ${url} ${status === null ? "failed" : String(status)}`;
  });
  const more = requests.length - shown.length + omittedCount;
  const list = [...shown, ...(more > 0 ? [`${String(more)} more`] : [])].join(", ");
  return { at: started, name: "Opened by a link scanner", detail: `${profile}: ${list === "" ? "no requests" : list}` };
}

/** `message.received` is the event of a webhook, `opened` that of a provider. */
function reportOf({ createdAt, type, status, lastAttempt }: CallbackDelivery): Event {
  const words = type.replaceAll(/[._]/g, " ");
  const name = words.charAt(0).toUpperCase() + words.slice(1);
  const { responseStatus = null, error = null } = lastAttempt ?? {};
  const why = error ?? (responseStatus === null ? "" : `status ${String(responseStatus)}`);
  const detail = `report to the application: ${status.toLowerCase()}${why === "" ? "" : ` (${why})`}`;
  return { at: createdAt, name, detail };
}
