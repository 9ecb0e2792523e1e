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
/** Endpoints of a message, also within its folder. */
const paths = mailboxes.flatMap((user) => ["/messages", "/mailFolders/:folder/messages"].map((list) => user + list));
/** Endpoints that only the list of all messages has. */
const messagePaths = mailboxes.map((user) => `${user}/messages`);

const messages = below(paths, { load: async () => import("./messages.ts") }, [
  ["GET", "", "listMessages", "List messages in the format of Microsoft Graph.", 200],
  ["GET", "/:id", "getMessage", "Return a message, `delta` or `$count`, as Microsoft Graph does.", 200],
  [
    "PATCH",
    "/:id",
    "updateMessage",
    "Change the marks of a message or a draft, as Microsoft Graph does.",
    { ...mail, success: 200 },
  ],
  ["DELETE", "/:id", "deleteMessage", "Delete a message, as Microsoft Graph does.", 204],
  ["POST", "/:id/move", "moveMessage", "Move a message to a folder, as Microsoft Graph does.", 201],
]);

const actions = below(messagePaths, { load: async () => import("./messages.ts") }, [
  ["GET", "/:id/$value", "getMessageSource", "Return the source of a message, as Microsoft Graph does.", 200],
  ["POST", "/:id/copy", "copyMessage", "Copy a message to a folder, as Microsoft Graph does.", 201],
  ["POST", "/:id/permanentDelete", "deleteMessage", "Delete a message for good, as Microsoft Graph does.", 204],
]);

const drafts = below(messagePaths, { load: async () => import("./drafts.ts") }, [
  ["POST", "", "createDraft", "Create a draft in the format of Microsoft Graph.", { ...mail, success: 201 }],
  ["POST", "/:id/send", "sendDraft", "Send a draft, as Microsoft Graph does.", { isSend: true, success: 202 }],
]);

const reply: RowSettings = { ...mail, isSend: true, success: 202 };
const replies = below(messagePaths, { load: async () => import("./send.ts") }, [
  [
    "POST",
    "/:id/createReply",
    "createReply",
    "Create the draft of a reply, as Microsoft Graph does.",
    { ...mail, success: 201 },
  ],
  [
    "POST",
    "/:id/createReplyAll",
    "createReplyAll",
    "Create the draft of a reply to all, as Microsoft Graph does.",
    { ...mail, success: 201 },
  ],
  [
    "POST",
    "/:id/createForward",
    "createForward",
    "Create the draft of a forward, as Microsoft Graph does.",
    { ...mail, success: 201 },
  ],
  ["POST", "/:id/reply", "reply", "Reply to a message, as Microsoft Graph does.", reply],
  ["POST", "/:id/replyAll", "replyAll", "Reply to all, as Microsoft Graph does.", reply],
  ["POST", "/:id/forward", "forward", "Forward a message, as Microsoft Graph does.", reply],
]);

const sending = below(mailboxes, { load: async () => import("./send.ts") }, [
  [
    "POST",
    "/sendMail",
    "sendMail",
    "Send a mail through the API of Microsoft Graph.",
    { ...mail, success: [202, "Accepted."] },
  ],
]);

const file = "/:id/attachments/:attachment";
const attachments = below(messagePaths, { load: async () => import("./attachments.ts") }, [
  ["GET", "/:id/attachments", "listAttachments", "List attachments in the format of Microsoft Graph.", 200],
  [
    "POST",
    "/:id/attachments",
    "addAttachment",
    "Attach a file to a draft, as Microsoft Graph does.",
    { ...mail, success: 201 },
  ],
  [
    "POST",
    "/:id/attachments/createUploadSession",
    "createUploadSession",
    "Open an upload of a large file, as Microsoft Graph does.",
    201,
  ],
  ["GET", file, "getAttachment", "Return an attachment in the format of Microsoft Graph.", 200],
  [
    "GET",
    `${file}/$value`,
    "getAttachmentContent",
    "Return the content of an attachment, as Microsoft Graph does.",
    200,
  ],
  ["DELETE", file, "removeAttachment", "Remove a file of a draft, as Microsoft Graph does.", 204],
]);

const uploads = endpoints({ load: async () => import("./attachments.ts") }, [
  ["GET /v1.0/uploads/:upload", "getUpload", "Return the missing ranges of an upload to Microsoft Graph.", 200],
  [
    "PUT /v1.0/uploads/:upload",
    "uploadRange",
    "Receive a range of an upload to Microsoft Graph.",
    { ...mail, success: 200, also: [201, "The last range."] },
  ],
  ["DELETE /v1.0/uploads/:upload", "cancelUpload", "Cancel an upload to Microsoft Graph.", 204],
]);

const folders = below(mailboxes, { load: async () => import("./folders.ts") }, [
  ["GET", "/mailFolders", "listFolders", "List mail folders in the format of Microsoft Graph.", 200],
  ["POST", "/mailFolders", "createFolder", "Create a mail folder, as Microsoft Graph does.", 201],
  ["GET", "/mailFolders/:folder", "getFolder", "Return a mail folder in the format of Microsoft Graph.", 200],
  ["DELETE", "/mailFolders/:folder", "deleteFolder", "Remove a mail folder, as Microsoft Graph does.", 204],
]);

const users = below(mailboxes, { load: async () => import("./users.ts") }, [
  ["GET", "", "getUser", "Return a user in the format of Microsoft Graph.", 200],
]);

const identity = openEndpoints({ load: async () => import("./identity.ts"), access: "own", success: 200 }, [
  [
    "POST /:tenant/oauth2/v2.0/token",
    "getToken",
    "Return an access token, as the identity platform of Microsoft does.",
  ],
  [
    "GET /:tenant/v2.0/.well-known/openid-configuration",
    "getConfiguration",
    "Return the OpenID configuration of a tenant.",
  ],
  ["GET /:tenant/discovery/v2.0/keys", "getKeys", "Return the signing keys of a tenant."],
  ["GET /common/discovery/instance", "getInstance", "Return the metadata of the identity platform."],
]);

/** Messages as notifications name them. */
const noticed = below(["/v1.0/Users/:user/Messages"], { load: async () => import("./messages.ts") }, [
  ["GET", "/:id", "getMessage", "Return the message of a notification of Microsoft Graph.", 200],
  [
    "PATCH",
    "/:id",
    "updateMessage",
    "Change the message of a notification of Microsoft Graph.",
    { ...mail, success: 200 },
  ],
  ["DELETE", "/:id", "deleteMessage", "Delete the message of a notification of Microsoft Graph.", 204],
  ["GET", "/:id/$value", "getMessageSource", "Return the source of the message of a notification.", 200],
]);

const one = "/v1.0/subscriptions/:id";
const subscriptions = endpoints({ load: async () => import("./subscriptions.ts") }, [
  ["GET /v1.0/subscriptions", "listSubscriptions", "List subscriptions in the format of Microsoft Graph.", 200],
  ["POST /v1.0/subscriptions", "createSubscription", "Subscribe to messages, as Microsoft Graph does.", 201],
  [`GET ${one}`, "getSubscription", "Return a subscription in the format of Microsoft Graph.", 200],
  [`PATCH ${one}`, "updateSubscription", "Renew a subscription, as Microsoft Graph does.", 200],
  [`DELETE ${one}`, "deleteSubscription", "End a subscription, as Microsoft Graph does.", 204],
  [`POST ${one}/reauthorize`, "reauthorize", "Authorise a subscription again, as Microsoft Graph does.", 204],
  [`POST ${one}/lifecycleEvents`, "reportLifecycleEvent", "Send a lifecycle notification of Microsoft Graph.", 202],
]);

/** Endpoints that a batch may call. */
const own = [
  ...messages,
  ...actions,
  ...drafts,
  ...replies,
  ...sending,
  ...attachments,
  ...folders,
  ...users,
  ...noticed,
  ...subscriptions,
];

const batches = openEndpoints(
  { load: async () => ({ batch: (await import("./batch.ts")).batchOf({ ...graphErrors, endpoints: own }) }) },
  [
    [
      "POST /v1.0/$batch",
      "batch",
      "Answer several requests at once, as Microsoft Graph does.",
      { ...mail, isSend: true, success: 200 },
    ],
  ],
);

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
