import { residentBytes } from "../../core/memory-observer.ts";
import { openServer } from "../../operations/services/security/access.ts";
import { countMessages } from "../mailbox.ts";
import { catcherRoutes, type OpenCatcherRoute, type CatcherRoute } from "../catcher.ts";
import { emptyResponse, plainResponse } from "../responses.ts";
import { json } from "./shapes.ts";

/** Versions, counts and features. Counters of the process of Mailpit that the service does not have are 0. */
export const applicationRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  "GET /api/v1/info": async (call) => {
    const { context, principal, server, version } = call;
    const { bytes } = await openServer(context, principal, server);
    const { total, unread } = await countMessages(call);
    const tags = await context.store.marks.listTags(server);
    return json({
      Version: `restante ${version}`,
      LatestVersion: "disabled",
      // Mailpit names its file; the store is not one of this server alone.
      Database: server,
      DatabaseSize: bytes,
      Messages: total,
      Unread: unread,
      Tags: Object.fromEntries(tags.map(({ tag, messageCount }) => [tag, messageCount])),
      RuntimeStats: {
        Uptime: Math.floor(process.uptime()),
        Memory: residentBytes(),
        MessagesDeleted: 0,
        SMTPAccepted: 0,
        SMTPAcceptedSize: 0,
        SMTPRejected: 0,
        SMTPIgnored: 0,
      },
    });
  },
  "GET /api/v1/webui": ({ context }) =>
    json({
      Label: "",
      MessageRelay: {
        Enabled: context.settings.hasRelay,
        SMTPServer: "",
        ReturnPath: "",
        AllowedRecipients: "",
        BlockedRecipients: "",
        OverrideFrom: "",
        PreserveMessageIDs: true,
        RecipientAllowlist: "",
      },
      SpamAssassin: context.spamFilter !== null,
      ChaosEnabled: true,
      DuplicatesIgnored: false,
      HideDeleteAllButton: false,
    }),
});

const healthy = emptyResponse(200);

/** Probes. */
export const probeRoutes: readonly OpenCatcherRoute[] = [
  { method: "GET", path: "/livez", permission: "none", respond: () => healthy },
  {
    method: "GET",
    path: "/readyz",
    permission: "none",
    respond: async ({ service }) => ((await service.ready()) ? healthy : plainResponse(503, "Service Unavailable\n")),
  },
];
