/**
 * Notifications about changes of messages, and about subscriptions: https://learn.microsoft.com/graph/change-notifications-overview
 * and https://learn.microsoft.com/graph/change-notifications-lifecycle-events
 */
import type { MailboxChange, MailboxMessage } from "../mailbox.ts";
import type {
  MailboxNotification,
  MailboxNotifications,
  MailboxSubscription,
  NotificationParts,
} from "../mailbox-subscriptions.ts";
import { derivedHex, jsonBody } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { uuidOfHash } from "../formats/uuid.ts";
import { graphIdOf } from "./ids.ts";
import { messageResource, selectionOf, viewOf } from "./message.ts";
import { encryptedContent, validationToken } from "./rich-notifications.ts";

/** Changes by the types that subscriptions name. */
export const changeTypes: Readonly<Record<string, MailboxChange["kind"]>> = {
  created: "added",
  updated: "marked",
  deleted: "deleted",
};

/** Facts about subscriptions by the events that notifications name. */
export const lifecycleEvents = {
  reauthorizationRequired: "expiring",
  missed: "missed",
  subscriptionRemoved: "removed",
} as const;

/** Notifications of Graph. */
export const graphNotifications: MailboxNotifications = {
  batchCountMax: 50,
  receiverOf: async (kind, { options }) => {
    const isChange = nameOf(changeTypes, kind) !== undefined;
    if (!isChange && nameOf(lifecycleEvents, kind) === undefined) return null;
    const url = options[isChange ? "notificationUrl" : "lifecycleNotificationUrl"];
    return url === undefined ? null : { url, name: "" };
  },
  showsMail: ({ options }) => options["certificate"] !== undefined,
  render: async (notifications, subscription, parts) => {
    const value = notifications.map((one) => ({ ...wireOf(one, subscription), ...dataOf(parts.mail, subscription) }));
    const tokens = await tokensOf(notifications, subscription, parts);
    const body = jsonBody({ value, ...tokens });
    return { headers: {}, contentType: "application/json; charset=utf-8", body };
  },
};

/** Returns the token of notifications with resource data; none for other ones. */
async function tokensOf(
  [first]: readonly MailboxNotification[],
  { options, server }: MailboxSubscription,
  { now, signingIdentity }: NotificationParts,
): Promise<JsonObject> {
  if (options["certificate"] === undefined || first?.message === null) return {};
  const application = options["notificationUrlAppId"] ?? options["application"] ?? "";
  const audience = { application, tenant: tenantOf({ options, server }), now: now() };
  return { validationTokens: [await validationToken(audience, await signingIdentity())] };
}

function tenantOf({ options, server }: Pick<MailboxSubscription, "options" | "server">): string {
  return options["tenant"] ?? uuidOfHash(server);
}

/** Returns the encrypted resource of a mail; nothing without one. */
function dataOf(mail: MailboxMessage | null, { options }: MailboxSubscription): JsonObject {
  const { certificate = "", certificateId = "" } = options;
  if (mail === null) return {};
  const representation = { select: selectionOf(options["select"]), prefersText: false };
  const resource = { "@odata.type": "#Microsoft.Graph.Message", ...messageResource(viewOf(mail), representation) };
  return encryptedContent(resource, { certificate, certificateId });
}

function nameOf(table: Readonly<Record<string, string>>, kind: MailboxNotification["kind"]): string | undefined {
  return Object.keys(table).find((name) => table[name] === kind);
}

function wireOf({ kind, message, sequence }: MailboxNotification, subscribed: MailboxSubscription): JsonObject {
  const { id, address, secrets, expiresAt } = subscribed;
  const subscription = {
    subscriptionId: id,
    subscriptionExpirationDateTime: new Date(expiresAt).toISOString(),
    clientState: secrets["clientState"] ?? null,
    tenantId: tenantOf(subscribed),
  };
  if (message === null) return { ...subscription, lifecycleEvent: nameOf(lifecycleEvents, kind) };
  const own = graphIdOf(message);
  const resource = `Users/${address}/Messages/${own}`;
  return {
    ...subscription,
    changeType: nameOf(changeTypes, kind),
    resource,
    resourceData: {
      "@odata.type": "#Microsoft.Graph.Message",
      "@odata.id": resource,
      "@odata.etag": `W/"${derivedHex(32, message, sequence)}"`,
      id: own,
    },
  };
}
