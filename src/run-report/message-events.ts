/** Time line of a message: request, arrival, link scan, and events that were reported to the application. */
import { defined } from "../client/bounds.ts";
import type { RestanteClient } from "../client/client.ts";
import { NotFoundError } from "../client/errors.ts";
import type { CallbackDelivery, Message, Scan, Transcript } from "../client/generated/types.ts";
import type { RequestOptions } from "../client/options.ts";
import { cut, type EventRecord } from "./record-schema.ts";

const deliveryCountMax = 100;
const shownRequestCount = 5;

/** Returns the events of a message by time. Rejects as the client does. */
export async function eventsOf(
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
