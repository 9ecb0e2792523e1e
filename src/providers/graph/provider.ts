import type { IncomingHttpHeaders } from "node:http";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import { endpoints, openEndpoints, type RowSettings } from "../kit/endpoints.ts";
import type { Provider } from "../provider.ts";
import { graphErrors } from "./errors.ts";
import { uuidOfGraphId } from "./ids.ts";

const api = "Microsoft Graph";
const mail: RowSettings = { body: "mail" };
const mailCreated: RowSettings = { ...mail, success: 201 };
const changed: RowSettings = { ...mail, success: 200 };
const sent: RowSettings = { ...mail, isSend: true, success: 202 };

/** Paths of a mailbox, for each way in which paths name it. */
const base = ["/v1.0/me", "/v1.0/users/:user"];
/** Lists of messages: of all, and of a folder. */
const lists = base.flatMap((user) => [`${user}/messages`, `${user}/mailFolders/:folder/messages`]);
const messageList = base.map((user) => `${user}/messages`);
const message = messageList.map((list) => `${list}/:id`);

const messages = endpoints({ load: async () => import("./messages.ts"), base: lists }, [
  ["GET ", "listMessages", `List messages of ${api}.`, 200],
  ["GET /:id", "getMessage", `Return a message, \`delta\` or \`$count\` of ${api}.`, 200],
  ["PATCH /:id", "updateMessage", `Change the marks of a message or a draft of ${api}.`, changed],
  ["DELETE /:id", "deleteMessage", `Delete a message of ${api}.`, 204],
  ["POST /:id/move", "moveMessage", `Move a message of ${api} to a folder.`, 201],
]);

const actions = endpoints({ load: async () => import("./messages.ts"), base: message }, [
  ["GET /$value", "getMessageSource", `Return the source of a message of ${api}.`, 200],
  ["POST /copy", "copyMessage", `Copy a message of ${api} to a folder.`, 201],
  ["POST /permanentDelete", "deleteMessage", `Delete a message of ${api} for good.`, 204],
]);

const drafts = endpoints({ load: async () => import("./drafts.ts"), base: messageList }, [
  ["POST ", "createDraft", `Create a draft of ${api}.`, mailCreated],
]);

const replies = endpoints({ load: async () => import("./send.ts"), base: message }, [
  ["POST /createReply", "createReply", `Create the draft of a reply of ${api}.`, mailCreated],
  ["POST /createReplyAll", "createReplyAll", `Create the draft of a reply to all of ${api}.`, mailCreated],
  ["POST /createForward", "createForward", `Create the draft of a forward of ${api}.`, mailCreated],
  ["POST /reply", "reply", `Reply to a message of ${api}.`, sent],
  ["POST /replyAll", "replyAll", `Reply to all recipients of a message of ${api}.`, sent],
  ["POST /forward", "forward", `Forward a message of ${api}.`, sent],
]);

const sending = endpoints({ load: async () => import("./send.ts"), base }, [
  ["POST /messages/:id/send", "sendDraft", `Send a draft of ${api}.`, { isSend: true, success: 202 }],
  ["POST /sendMail", "sendMail", `Send a mail through ${api}.`, { ...mail, success: [202, "Accepted."] }],
]);

const file = "/attachments/:attachment";
const attachments = endpoints({ load: async () => import("./attachments.ts"), base: message }, [
  ["GET /attachments", "listAttachments", `List attachments of ${api}.`, 200],
  ["POST /attachments", "addAttachment", `Attach a file to a draft of ${api}.`, mailCreated],
  ["POST /attachments/createUploadSession", "createUploadSession", `Open an upload of a large file to ${api}.`, 201],
  [`GET ${file}`, "getAttachment", `Return an attachment of ${api}.`, 200],
  [`GET ${file}/$value`, "getAttachmentContent", `Return the content of an attachment of ${api}.`, 200],
  [`DELETE ${file}`, "removeAttachment", `Remove a file of a draft of ${api}.`, 204],
]);

const range: RowSettings = { ...changed, also: [201, "The last range."] };
const uploads = endpoints({ load: async () => import("./attachments.ts"), base: "/v1.0/uploads/:upload" }, [
  ["GET ", "getUpload", `Return the missing ranges of an upload to ${api}.`, 200],
  ["PUT ", "uploadRange", `Receive a range of an upload to ${api}.`, range],
  ["DELETE ", "cancelUpload", `Cancel an upload to ${api}.`, 204],
]);

const folders = endpoints({ load: async () => import("./folders.ts"), base }, [
  ["GET /mailFolders", "listFolders", `List mail folders of ${api}.`, 200],
  ["POST /mailFolders", "createFolder", `Create a mail folder of ${api}.`, 201],
  ["GET /mailFolders/:folder", "getFolder", `Return a mail folder of ${api}.`, 200],
  ["DELETE /mailFolders/:folder", "deleteFolder", `Remove a mail folder of ${api}.`, 204],
  ["GET ", "getUser", `Return a user of ${api}.`, 200],
]);

const configuration = "/.well-known/openid-configuration";
const identity = openEndpoints({ load: async () => import("./identity.ts"), access: "own", success: 200 }, [
  ["POST /:tenant/oauth2/v2.0/token", "getToken", "Return a token, as the identity platform of Microsoft does."],
  [`GET /:tenant/v2.0${configuration}`, "getConfiguration", "Return the OpenID configuration of a tenant."],
  [`GET /:tenant${configuration}`, "getConfiguration", "Return the OpenID configuration of a tenant, version 1.0."],
  ["GET /:tenant/discovery/v2.0/keys", "getKeys", "Return the key that signs tokens of notifications."],
  ["GET /:tenant/discovery/keys", "getKeys", "Return the key that signs tokens of notifications, version 1.0."],
  ["GET /common/discovery/instance", "getInstance", "Return the metadata of the identity platform."],
]);

/** Messages as notifications name them. */
const noticed = endpoints({ load: async () => import("./messages.ts"), base: "/v1.0/Users/:user/Messages/:id" }, [
  ["GET ", "getMessage", `Return the message of a notification of ${api}.`, 200],
  ["PATCH ", "updateMessage", `Change the message of a notification of ${api}.`, changed],
  ["DELETE ", "deleteMessage", `Delete the message of a notification of ${api}.`, 204],
  ["GET /$value", "getMessageSource", `Return the source of the message of a notification of ${api}.`, 200],
]);

const subscriptions = endpoints({ load: async () => import("./subscriptions.ts"), base: "/v1.0/subscriptions" }, [
  ["GET ", "listSubscriptions", `List subscriptions of ${api}.`, 200],
  ["POST ", "createSubscription", `Subscribe to messages of ${api}.`, 201],
  ["GET /:id", "getSubscription", `Return a subscription of ${api}.`, 200],
  ["PATCH /:id", "updateSubscription", `Renew a subscription of ${api}.`, 200],
  ["DELETE /:id", "deleteSubscription", `End a subscription of ${api}.`, 204],
  ["POST /:id/reauthorize", "reauthorize", `Authorise a subscription of ${api} again.`, 204],
  ["POST /:id/lifecycleEvents", "reportLifecycleEvent", `Send a lifecycle notification of ${api}.`, 202],
]);

/** Endpoints that a batch may call. */
const own = [messages, actions, drafts, replies, sending, attachments, folders, noticed, subscriptions].flat();

const loadBatch = async () => ({ batch: (await import("./batch.ts")).batchOf({ ...graphErrors, endpoints: own }) });
const batches = openEndpoints({ load: loadBatch, ...mail, isSend: true, success: 200 }, [
  ["POST /v1.0/$batch", "batch", `Answer several requests to ${api} at once.`],
]);

/** URLs of uploads have the key, because clients send them without header fields of credentials. */
function readKey({ authorization = "" }: IncomingHttpHeaders, fields: FormFields): string | null {
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? fieldOf(fields, "authtoken") ?? null;
}

/** Microsoft Graph's mail API, and the token endpoint of Microsoft's identity platform. */
export const graph: Provider = {
  name: "graph",
  label: "Microsoft Graph",
  apiOrigins: /^https:\/\/graph\.microsoft\.com$/,
  hosts: ["graph.microsoft.com", "login.microsoftonline.com"],
  endpoints: [...own, ...uploads, ...identity, ...batches],
  readKey,
  ...graphErrors,
  loadNotifications: async () => (await import("./change-notifications.ts")).graphNotifications,
  sms: null,
  email: {
    requestBytesMax: 40 * 1024 * 1024,
    recipientCountMax: 500,
    features: ["batch", "attachments", "inline images", "custom headers", "tags", "schedule", "read back"],
    uuidOf: uuidOfGraphId,
  },
};
