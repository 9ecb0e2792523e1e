/** Endpoints whose answer is the same for every server: its settings, streams, and lists that are always empty. */
import { endpoints, type Handler, type Row } from "../kit/endpoints.ts";
import { jsonResponse, type ProviderEndpoint } from "../provider.ts";
import { rejection, texts } from "./errors.ts";

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
export function isStream(id: string): boolean {
  return streams.some(({ ID }) => ID === id);
}

const handlers = {
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

const statistics = "Return statistics of bounces, which are zero, in Postmark's format.";
const noBounce = "Respond that there is no bounce, as Postmark does.";
const empty = (list: string): string => `Return an empty list of ${list} in Postmark's format.`;
const rows: readonly Row<typeof handlers>[] = [
  ["GET /server", "getServer", "Return the server in Postmark's format."],
  ["GET /deliverystats", "getStatistics", statistics],
  ["GET /deliveryStats", "getStatistics", statistics],
  ["GET /bounces", "listBounces", empty("bounces")],
  ["GET /bounces/:id", "getBounce", noBounce],
  ["GET /bounces/:id/dump", "getBounce", noBounce],
  ["GET /messages/outbound/opens", "listOpens", empty("opens")],
  ["GET /messages/outbound/opens/:id", "listOpens", empty("opens")],
  ["GET /messages/outbound/clicks", "listClicks", empty("clicks")],
  ["GET /messages/outbound/clicks/:id", "listClicks", empty("clicks")],
  ["GET /message-streams", "listStreams", "List the message streams in Postmark's format."],
  ["GET /message-streams/:id", "getStream", "Return a message stream in Postmark's format."],
];

/** Endpoints with fixed responses to callers with a valid token. */
export const accountEndpoints: readonly ProviderEndpoint[] = endpoints({ load: () => handlers }, rows);
