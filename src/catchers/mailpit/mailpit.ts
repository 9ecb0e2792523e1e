/** API version 1 of Mailpit (https://mailpit.axllent.org). */
import { textResponse, type HttpResponse } from "../../http/http-response.ts";
import type { Problem } from "../../core/errors.ts";
import {
  type Catcher,
  type UnmatchedRequest,
  catcherRoutes,
  type OpenCatcherRoute,
  type CatcherRoute,
  type CatcherCall,
} from "../catcher.ts";
import { plainResponse, emptyResponse } from "../responses.ts";
import { changeRoutes, listRoutes, tagRoutes } from "./messages.ts";
import { checkRoutes } from "./checks.ts";
import { streamEvents } from "./events.ts";
import { messageRoutes, viewRoutes } from "./message.ts";
import { partRoutes } from "./read-parts.ts";
import { sendRoutes } from "./send.ts";
import { residentBytes } from "../../core/process-resources.ts";
import { openServer } from "../../operations/services/security/access.ts";
import { countMessages } from "../mailbox.ts";
import { json } from "./shapes.ts";
import type { FaultRule, FaultStage } from "../../core/fault.ts";
import { readOwnFaults, replaceOwnFaults } from "../change-mailbox.ts";
import { build, type ValueOf } from "../../core/schema.ts";
import { badRequest, readBody } from "../read-json.ts";

const notFoundText = "404 page not found";

function respondUnmatched({ method, path, allowed }: UnmatchedRequest): HttpResponse {
  if (method === "OPTIONS" && path.startsWith("/api/v1/")) return textResponse("", "text/plain");
  return allowed.length > 0 ? plainResponse(405, "Method Not Allowed\n") : plainResponse(404, notFoundText);
}

function textOf({ code, message }: Problem, detail: string): string {
  if (code === "not_found") return message === "Server not found" ? message : notFoundText;
  return code === "unauthenticated" ? "Unauthorized.\n" : detail;
}

/** Versions, counts and features. Counters of the process of Mailpit that the service does not have are 0. */
const applicationRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
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
const probeRoutes: readonly OpenCatcherRoute[] = [
  { method: "GET", path: "/livez", permission: "none", respond: () => healthy },
  {
    method: "GET",
    path: "/readyz",
    permission: "none",
    respond: async ({ service }) => ((await service.ready()) ? healthy : plainResponse(503, "Service Unavailable\n")),
  },
];

/** Fault rule that a trigger of Mailpit becomes: a share of commands is answered with an error. */
interface TriggerRule {
  readonly rule: string;
  /** The stage at which a rule of one server can apply: the sender's own stage does not know the server yet. */
  readonly stage: FaultStage;
  readonly usualCode: number;
}

const triggerRules: Readonly<Record<string, TriggerRule>> = {
  Sender: { rule: "mailpit-sender", stage: "data", usualCode: 451 },
  Recipient: { rule: "mailpit-recipient", stage: "rcpt", usualCode: 451 },
  Authentication: { rule: "mailpit-authentication", stage: "auth", usualCode: 535 },
};
const triggers = Object.entries(triggerRules);
const triggerSchema = build.object({
  ErrorCode: build.optional(build.integer()),
  Probability: build.optional(build.integer()),
});
type Trigger = ValueOf<typeof triggerSchema>;
const chaosBody = build.object(Object.fromEntries(triggers.map(([name]) => [name, build.optional(triggerSchema)])));
const ruleNames = triggers.map(([, { rule }]) => rule);

/** Routes of `/api/v1/chaos`: triggers are fault rules of the server, beside its other ones. */
const chaosRoutes: readonly CatcherRoute[] = [
  ...catcherRoutes("read", { "GET /api/v1/chaos": async (call) => json(await readTriggers(call)) }),
  ...catcherRoutes("manage", {
    "PUT /api/v1/chaos": async (call) => {
      const body: Readonly<Record<string, Trigger | undefined>> = await readBody(call, chaosBody);
      const rules = triggers.flatMap(([name, trigger]) => ruleOf(name, trigger, body[name]));
      await replaceOwnFaults(call, ruleNames, rules);
      return json(await readTriggers(call));
    },
  }),
];

/** Returns the rule of a trigger; none without a probability. Throws a 400 for values that Mailpit does not take. */
function ruleOf(
  name: string,
  { rule, stage, usualCode }: TriggerRule,
  { ErrorCode: given = 0, Probability: percent = 0 }: Trigger = {},
): readonly FaultRule[] {
  const code = given || usualCode;
  if (code < 400 || code > 599) throw badRequest("error code must be between 400 and 599");
  if (percent < 0 || percent > 100) throw badRequest("probability must be between 0 and 100");
  if (percent === 0) return [];
  const reply = { code, text: `Chaos trigger ${name}` };
  return [{ name: rule, match: { stage }, when: { probability: percent / 100 }, then: { reply } }];
}

/** Returns the error code and the percentage of each trigger. */
async function readTriggers(call: CatcherCall): Promise<unknown> {
  const active = (await readOwnFaults(call, ruleNames)).filter(({ state }) => state === "active");
  const shown = triggers.map(([name, { rule, usualCode }]) => {
    const { then, when } = active.find((one) => one.name === rule) ?? {};
    const percent = Math.round((when?.probability ?? 0) * 100);
    return [name, { ErrorCode: then?.reply?.code ?? usualCode, Probability: percent }];
  });
  return Object.fromEntries(shown);
}

/** Mailpit. */
export const mailpit: Catcher = {
  name: "mailpit",
  routes: [
    ...applicationRoutes,
    ...probeRoutes,
    ...listRoutes,
    ...changeRoutes,
    ...messageRoutes,
    ...partRoutes,
    ...checkRoutes,
    ...tagRoutes,
    ...chaosRoutes,
    ...sendRoutes,
    ...viewRoutes,
  ],
  socket: { path: "/api/events", permission: "read", open: streamEvents },
  pages: ["/search"],
  respondUnmatched,
  toErrorBody: (problem, detail) => plainResponse(problem.row.status, textOf(problem, detail)),
};
