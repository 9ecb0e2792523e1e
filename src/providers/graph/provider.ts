import type { IncomingHttpHeaders } from "node:http";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import { endpoints, openEndpoints, type Row, type RowSettings, type Table } from "../kit/endpoints.ts";
import type { Provider, ProviderEndpoint, ProviderMethod } from "../provider.ts";
import { graphErrors } from "./errors.ts";
import { uuidOfGraphId } from "./ids.ts";

/** Path without the mailbox, for each way in which paths name it. */
const mailboxes = ["/v1.0/me", "/v1.0/users/:user"];

/** Row whose path is below each of several paths. */
type Below<Module> =
  Row<Module> extends readonly [string, ...infer Rest]
    ? readonly [method: ProviderMethod, path: string, ...rest: Rest]
    : never;

function below<Module>(
  parents: readonly string[],
  table: Table<Module>,
  rows: readonly Below<Module>[],
): readonly ProviderEndpoint[] {
  return parents.flatMap((parent) =>
    endpoints(
      table,
      rows.map(([method, path, ...rest]): Row<Module> => [`${method} ${parent}${path}`, ...rest]),
    ),
  );
}

const mail: RowSettings = { body: "mail" };
const mailCreated: RowSettings = { ...mail, success: 201 };
const sent: RowSettings = { ...mail, isSend: true, success: 202 };
const api = "Microsoft Graph";
/** Endpoints of a message, also within its folder. */
const paths = mailboxes.flatMap((user) => ["/messages", "/mailFolders/:folder/messages"].map((list) => user + list));
/** Endpoints that only the list of all messages has. */
const messagePaths = mailboxes.map((user) => `${user}/messages`);
const changed: RowSettings = { ...mail, success: 200 };

const messages = below(paths, { load: async () => import("./messages.ts") }, [
  ["GET", "", "listMessages", `List messages of ${api}.`, 200],
  ["GET", "/:id", "getMessage", `Return a message, \`delta\` or \`$count\` of ${api}.`, 200],
  ["PATCH", "/:id", "updateMessage", `Change the marks of a message or a draft of ${api}.`, changed],
  ["DELETE", "/:id", "deleteMessage", `Delete a message of ${api}.`, 204],
  ["POST", "/:id/move", "moveMessage", `Move a message of ${api} to a folder.`, 201],
]);

const actions = below(messagePaths, { load: async () => import("./messages.ts") }, [
  ["GET", "/:id/$value", "getMessageSource", `Return the source of a message of ${api}.`, 200],
  ["POST", "/:id/copy", "copyMessage", `Copy a message of ${api} to a folder.`, 201],
  ["POST", "/:id/permanentDelete", "deleteMessage", `Delete a message of ${api} for good.`, 204],
]);

const drafts = below(messagePaths, { load: async () => import("./drafts.ts") }, [
  ["POST", "", "createDraft", `Create a draft of ${api}.`, mailCreated],
  ["POST", "/:id/send", "sendDraft", `Send a draft of ${api}.`, { isSend: true, success: 202 }],
]);

const replies = below(messagePaths, { load: async () => import("./send.ts") }, [
  ["POST", "/:id/createReply", "createReply", `Create the draft of a reply of ${api}.`, mailCreated],
  ["POST", "/:id/createReplyAll", "createReplyAll", `Create the draft of a reply to all of ${api}.`, mailCreated],
  ["POST", "/:id/createForward", "createForward", `Create the draft of a forward of ${api}.`, mailCreated],
  ["POST", "/:id/reply", "reply", `Reply to a message of ${api}.`, sent],
  ["POST", "/:id/replyAll", "replyAll", `Reply to all recipients of a message of ${api}.`, sent],
  ["POST", "/:id/forward", "forward", `Forward a message of ${api}.`, sent],
]);

const sending = below(mailboxes, { load: async () => import("./send.ts") }, [
  ["POST", "/sendMail", "sendMail", `Send a mail through ${api}.`, { ...mail, success: [202, "Accepted."] }],
]);

const [files, file] = ["/:id/attachments", "/:id/attachments/:attachment"] as const;
const attachments = below(messagePaths, { load: async () => import("./attachments.ts") }, [
  ["GET", files, "listAttachments", `List attachments of ${api}.`, 200],
  ["POST", files, "addAttachment", `Attach a file to a draft of ${api}.`, mailCreated],
  ["POST", `${files}/createUploadSession`, "createUploadSession", `Open an upload of a large file to ${api}.`, 201],
  ["GET", file, "getAttachment", `Return an attachment of ${api}.`, 200],
  ["GET", `${file}/$value`, "getAttachmentContent", `Return the content of an attachment of ${api}.`, 200],
  ["DELETE", file, "removeAttachment", `Remove a file of a draft of ${api}.`, 204],
]);

const range: RowSettings = { ...changed, also: [201, "The last range."] };
const uploads = endpoints({ load: async () => import("./attachments.ts"), base: "/v1.0/uploads" }, [
  ["GET /:upload", "getUpload", `Return the missing ranges of an upload to ${api}.`, 200],
  ["PUT /:upload", "uploadRange", `Receive a range of an upload to ${api}.`, range],
  ["DELETE /:upload", "cancelUpload", `Cancel an upload to ${api}.`, 204],
]);

const folders = below(mailboxes, { load: async () => import("./folders.ts") }, [
  ["GET", "/mailFolders", "listFolders", `List mail folders of ${api}.`, 200],
  ["POST", "/mailFolders", "createFolder", `Create a mail folder of ${api}.`, 201],
  ["GET", "/mailFolders/:folder", "getFolder", `Return a mail folder of ${api}.`, 200],
  ["DELETE", "/mailFolders/:folder", "deleteFolder", `Remove a mail folder of ${api}.`, 204],
]);

const users = below(mailboxes, { load: async () => import("./users.ts") }, [
  ["GET", "", "getUser", `Return a user of ${api}.`, 200],
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
const noticed = below(["/v1.0/Users/:user/Messages"], { load: async () => import("./messages.ts") }, [
  ["GET", "/:id", "getMessage", `Return the message of a notification of ${api}.`, 200],
  ["PATCH", "/:id", "updateMessage", `Change the message of a notification of ${api}.`, changed],
  ["DELETE", "/:id", "deleteMessage", `Delete the message of a notification of ${api}.`, 204],
  ["GET", "/:id/$value", "getMessageSource", `Return the source of the message of a notification of ${api}.`, 200],
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
const own = [messages, actions, drafts, replies, sending, attachments, folders, users, noticed, subscriptions].flat();

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
