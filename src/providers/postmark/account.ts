/**
 * Settings and streams of a server, which are the same for every one, lists that are always empty, and the suppressions of a
 * stream (https://postmarkapp.com/developer/api/suppressions-api).
 */
import { derivedHex } from "../formats/callback-values.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { collectionOf } from "../kit/objects.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { rejection, texts } from "./errors.ts";
import { instantText } from "./messages.ts";
import { readFields } from "./request.ts";

const server = {
  ID: 1,
  Name: "restante",
  ApiTokens: [],
  ServerLink: "",
  Color: "blue",
  SmtpApiActivated: true,
  RawEmailEnabled: false,
  DeliveryType: "Live",
  InboundAddress: "",
  InboundHookUrl: "",
  BounceHookUrl: "",
  OpenHookUrl: "",
  DeliveryHookUrl: "",
  ClickHookUrl: "",
  PostFirstOpenOnly: false,
  InboundDomain: "",
  InboundHash: "",
  InboundSpamThreshold: 0,
  TrackOpens: false,
  TrackLinks: "None",
  IncludeBounceContentInHook: false,
  EnableSmtpApiErrorHooks: false,
} as const;

const streams = (
  [
    ["outbound", "Default Transactional Stream", "Transactional"],
    ["broadcast", "Default Broadcast Stream", "Broadcasts"],
    ["inbound", "Default Inbound Stream", "Inbound"],
  ] as const
).map(([ID, Name, MessageStreamType]) => ({
  ID,
  ServerID: server.ID,
  Name,
  Description: "",
  MessageStreamType,
  CreatedAt: "2026-01-01T00:00:00Z",
  UpdatedAt: null,
  ArchivedAt: null,
  ExpectedPurgeDate: null,
  SubscriptionManagementConfiguration: { UnsubscribeHandlingType: "None" },
}));

/** Returns whether the server has a stream with this id. */
function isStream(id: string): boolean {
  return streams.some(({ ID }) => ID === id);
}

/** Handlers whose answers are the same for every server. */
export const accountHandlers = {
  getServer: async () => jsonResponse(200, server),
  getStatistics: async () => jsonResponse(200, { InactiveMails: 0, Bounces: [{ Name: "All", Count: 0 }] }),
  listBounces: async () => jsonResponse(200, { TotalCount: 0, Bounces: [] }),
  listOpens: async () => jsonResponse(200, { TotalCount: 0, Opens: [] }),
  listClicks: async () => jsonResponse(200, { TotalCount: 0, Clicks: [] }),
  getBounce: async () => {
    throw rejection(1001, "The bounce was not found.");
  },
  listStreams: async () => jsonResponse(200, { MessageStreams: streams, TotalCount: streams.length }),
  getStream: async ({ request: { params } }) => {
    const stream = streams.find(({ ID }) => ID === params["id"]);
    if (stream === undefined) throw rejection(1226, texts.streamMissing);
    return jsonResponse(200, stream);
  },
} as const satisfies Readonly<Record<string, Handler>>;

/** Addresses of one request. */
const addressCountMax = 50;

/** Suppressed address of a stream. */
interface Suppression {
  readonly EmailAddress: string;
  readonly SuppressionReason: string;
  readonly Origin: string;
  readonly CreatedAt: string;
  readonly stream: string;
}

/** Creates suppressions: `POST /message-streams/:id/suppressions`. */
export const createSuppressions: Handler = async (call) =>
  changeAll(call, async ({ stream, address }) => {
    if (!isEmailAddress(address)) return { Status: "Failed", Message: "The email address is not valid." };
    await openSuppressions(call).put(derivedHex(64, stream, address), {
      EmailAddress: address,
      SuppressionReason: "ManualSuppression",
      Origin: "Customer",
      CreatedAt: instantText(call.services.now()),
      stream,
    });
    return { Status: "Suppressed", Message: null };
  });

/** Deletes suppressions: `POST /message-streams/:id/suppressions/delete`. */
export const deleteSuppressions: Handler = async (call) =>
  changeAll(call, async ({ stream, address }) => {
    await openSuppressions(call).remove(derivedHex(64, stream, address));
    return { Status: "Deleted", Message: null };
  });

/** Lists suppressions: `GET /message-streams/:id/suppressions/dump`. */
export const listSuppressions: Handler = async (call) => {
  const { fields, params } = call.request;
  const wanted = fieldOf(fields, "EmailAddress") ?? fieldOf(fields, "emailaddress");
  const own = (await openSuppressions(call).all()).filter(
    ({ stream, EmailAddress }) =>
      stream === params["id"] && (wanted === undefined || EmailAddress === wanted.toLowerCase()),
  );
  return jsonResponse(200, { Suppressions: own.map(({ stream: _stream, ...shown }) => shown) });
};

/** Returns the suppressed addresses by stream, as `stream address`. */
export async function suppressedAddresses(call: Pick<Call, "session">): Promise<ReadonlySet<string>> {
  const all = await openSuppressions(call).all();
  return new Set(all.map(({ stream, EmailAddress }) => `${stream} ${EmailAddress}`));
}

const openSuppressions = collectionOf<Suppression>("suppression");

/** Changes the suppression of each address of a request, in lower case. */
async function changeAll(
  { request }: Call,
  change: (entry: { readonly stream: string; readonly address: string }) => Promise<JsonObject>,
): Promise<ProviderResponse> {
  const stream = request.params["id"] ?? "";
  if (!isStream(stream)) throw rejection(1226, texts.streamMissing);
  const entries = readFields(request).objects("Suppressions");
  const addresses = entries.map((one) => (one.text("EmailAddress") ?? "").toLowerCase());
  if (addresses.length > addressCountMax) {
    throw rejection(403, `A request may have up to ${addressCountMax} suppressions.`);
  }
  const statuses = [];
  for (const address of addresses) statuses.push({ EmailAddress: address, ...(await change({ stream, address })) });
  return jsonResponse(200, { Suppressions: statuses });
}
