/** Endpoints whose answer is the same for every server: its settings, streams, and lists that are always empty. */
import { jsonResponse, type ProviderEndpoint, type ProviderResponse } from "../provider.ts";
import { PostmarkRejection, rejectionResponse, texts } from "./errors.ts";

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

const bounceMissing = rejectionResponse(new PostmarkRejection(1001, "The bounce was not found."));
const streamMissing = rejectionResponse(new PostmarkRejection(1226, texts.streamMissing));

interface FixedEndpoint {
  readonly path: string;
  readonly summary: string;
  readonly respond: (id: string) => ProviderResponse;
}

const deliveryStats = (path: string): FixedEndpoint => ({
  path,
  summary: "Return statistics of bounces, which are zero, in Postmark's format.",
  respond: () => jsonResponse(200, { InactiveMails: 0, Bounces: [{ Name: "All", Count: 0 }] }),
});

const empty = (path: string, list: string): FixedEndpoint => ({
  path,
  summary: `Return an empty list of ${list.toLowerCase()} in Postmark's format.`,
  respond: () => jsonResponse(200, { TotalCount: 0, [list]: [] }),
});

const fixed: readonly FixedEndpoint[] = [
  { path: "/server", summary: "Return the server in Postmark's format.", respond: () => jsonResponse(200, server) },
  deliveryStats("/deliverystats"),
  deliveryStats("/deliveryStats"),
  empty("/bounces", "Bounces"),
  { path: "/bounces/:id", summary: "Respond that there is no bounce, as Postmark does.", respond: () => bounceMissing },
  {
    path: "/bounces/:id/dump",
    summary: "Respond that there is no bounce, as Postmark does.",
    respond: () => bounceMissing,
  },
  empty("/messages/outbound/opens", "Opens"),
  empty("/messages/outbound/opens/:id", "Opens"),
  empty("/messages/outbound/clicks", "Clicks"),
  empty("/messages/outbound/clicks/:id", "Clicks"),
  {
    path: "/message-streams",
    summary: "List the message streams in Postmark's format.",
    respond: () => jsonResponse(200, { MessageStreams: streams, TotalCount: streams.length }),
  },
  {
    path: "/message-streams/:id",
    summary: "Return a message stream in Postmark's format.",
    respond: (id) => {
      const stream = streams.find(({ ID }) => ID === id);
      return stream === undefined ? streamMissing : jsonResponse(200, stream);
    },
  },
];

/** Endpoints with fixed responses to callers with a valid token. */
export const accountEndpoints: readonly ProviderEndpoint[] = fixed.map(({ path, summary, respond }) => ({
  method: "GET",
  path,
  summary,
  successes: [],
  handle: async (request, services) => {
    await services.authenticate(request.key, "read");
    return respond(request.params["id"] ?? "");
  },
}));
