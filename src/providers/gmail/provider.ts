import type { IncomingHttpHeaders } from "node:http";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import { uuidOfHex, uuidOfId } from "../formats/uuid.ts";
import { endpoints, openEndpoints } from "../kit/endpoints.ts";
import { tokenEndpoint } from "../kit/oauth.ts";
import { jsonResponse, type Provider } from "../provider.ts";
import { gmailErrors } from "./errors.ts";
import { withFields } from "./fields.ts";

/** Largest mail, in bytes: https://gmail.googleapis.com/$discovery/rest?version=v1 */
export const mailBytesMax: number = 35 * 1024 * 1024;

/** Most recipients of a mail. */
export const recipientCountMax = 500;

const users = "/gmail/v1/users/:user";
const uploads = `/upload${users}` as const;
const shared = { isAtRoot: true, success: 200 } as const;
const mail = { ...shared, body: "mail" } as const;
const sends = { ...mail, isSend: true } as const;

const messages = endpoints({ load: async () => import("./messages.ts"), ...shared }, [
  [`GET ${users}/profile`, "getProfile", "Fetch the profile of a mailbox, as Gmail does."],
  [`GET ${users}/messages`, "listMessages", "List mails by a query, as Gmail does."],
  [`GET ${users}/messages/:id`, "getMessage", "Fetch a mail in Gmail's format."],
  [`GET ${users}/messages/:messageId/attachments/:id`, "getAttachment", "Fetch an attachment, as Gmail does."],
  [`POST ${users}/messages/:id/modify`, "modifyMessage", "Change the labels of a mail, as Gmail does."],
  [`POST ${users}/messages/:id/trash`, "trashMessage", "Move a mail to the trash, as Gmail does."],
  [`POST ${users}/messages/:id/untrash`, "untrashMessage", "Take a mail out of the trash, as Gmail does."],
  [`DELETE ${users}/messages/:id`, "deleteMessage", "Delete a mail, as Gmail does.", 204],
  [`POST ${users}/messages/batchModify`, "batchModify", "Change the labels of mails, as Gmail does.", 204],
  [`POST ${users}/messages/batchDelete`, "batchDelete", "Delete mails, as Gmail does.", 204],
  [`GET ${users}/threads`, "listThreads", "List threads by a query, as Gmail does."],
  [`GET ${users}/threads/:id`, "getThread", "Fetch a thread in Gmail's format."],
  [`POST ${users}/threads/:id/modify`, "modifyThread", "Change the labels of a thread, as Gmail does."],
  [`POST ${users}/threads/:id/trash`, "trashThread", "Move a thread to the trash, as Gmail does."],
  [`POST ${users}/threads/:id/untrash`, "untrashThread", "Take a thread out of the trash, as Gmail does."],
  [`DELETE ${users}/threads/:id`, "deleteThread", "Delete a thread, as Gmail does.", 204],
]);

const sending = endpoints({ load: async () => import("./send.ts"), ...mail }, [
  [`POST ${users}/messages/send`, "sendMessage", "Send a mail through the Gmail API.", sends],
  [`POST ${uploads}/messages/send`, "sendMessage", "Send a mail that is uploaded, as Gmail does.", sends],
  [`PUT ${uploads}/messages/send`, "sendMessage", "Continue the upload of a mail that is sent.", sends],
  [`POST ${users}/messages`, "insertMessage", "Store a mail in a mailbox, as Gmail does."],
  [`POST ${uploads}/messages`, "insertMessage", "Store a mail that is uploaded, as Gmail does."],
  [`PUT ${uploads}/messages`, "insertMessage", "Continue the upload of a mail that is stored."],
  [`POST ${users}/messages/import`, "insertMessage", "Import a mail, as Gmail does."],
  [`POST ${uploads}/messages/import`, "insertMessage", "Import a mail that is uploaded, as Gmail does."],
  [`PUT ${uploads}/messages/import`, "insertMessage", "Continue the upload of a mail that is imported."],
]);

const drafts = endpoints({ load: async () => import("./drafts.ts"), ...shared }, [
  [`POST ${users}/drafts`, "createDraft", "Create a draft, as Gmail does.", mail],
  [`POST ${uploads}/drafts`, "createDraft", "Create a draft that is uploaded, as Gmail does.", mail],
  [`PUT ${uploads}/drafts`, "createDraft", "Continue the upload of a draft.", mail],
  [`GET ${users}/drafts`, "listDrafts", "List drafts, as Gmail does."],
  [`GET ${users}/drafts/:id`, "getDraft", "Fetch a draft in Gmail's format."],
  [`PUT ${users}/drafts/:id`, "updateDraft", "Replace a draft, as Gmail does.", mail],
  [`PUT ${uploads}/drafts/:id`, "updateDraft", "Replace a draft by an upload, as Gmail does.", mail],
  [`DELETE ${users}/drafts/:id`, "deleteDraft", "Delete a draft, as Gmail does.", 204],
  [`POST ${users}/drafts/send`, "sendDraft", "Send a draft, as Gmail does.", sends],
  [`POST ${uploads}/drafts/send`, "sendDraft", "Send a draft that is uploaded, as Gmail does.", sends],
  [`PUT ${uploads}/drafts/send`, "sendDraft", "Continue the upload of a draft that is sent.", sends],
]);

const labels = endpoints({ load: async () => import("./label-endpoints.ts"), ...shared }, [
  [`GET ${users}/labels`, "listLabels", "List labels, as Gmail does."],
  [`POST ${users}/labels`, "createLabel", "Create a label, as Gmail does."],
  [`GET ${users}/labels/:id`, "getLabel", "Fetch a label in Gmail's format."],
  [`PUT ${users}/labels/:id`, "updateLabel", "Replace a label, as Gmail does."],
  [`PATCH ${users}/labels/:id`, "patchLabel", "Change a label, as Gmail does."],
  [`DELETE ${users}/labels/:id`, "deleteLabel", "Delete a label, as Gmail does.", 204],
]);

const changes = endpoints({ load: async () => import("./history.ts"), ...shared }, [
  [`GET ${users}/history`, "listHistory", "List changes of a mailbox, as Gmail does."],
]);

const watches = endpoints({ load: async () => import("./pub-sub.ts"), ...shared }, [
  [`POST ${users}/watch`, "watch", "Watch a mailbox, as Gmail does."],
  [`POST ${users}/stop`, "stop", "End the watch of a mailbox, as Gmail does.", 204],
]);

const pushes = "/v1/projects/:project/subscriptions";
const pubSub = endpoints({ load: async () => import("./pub-sub.ts"), success: 200 }, [
  [`GET ${pushes}`, "listPushSubscriptions", "List the push subscriptions of a project, as Pub/Sub does."],
  [`PUT ${pushes}/:subscription`, "createPushSubscription", "Create a push subscription, as Pub/Sub does."],
  [`GET ${pushes}/:subscription`, "getPushSubscription", "Fetch a push subscription, as Pub/Sub does."],
  [`POST ${pushes}/:subscription`, "modifyPushConfig", "Change a push subscription, as Pub/Sub does."],
  [`DELETE ${pushes}/:subscription`, "deletePushSubscription", "Remove a push subscription, as Pub/Sub does."],
]);

const batches = openEndpoints({ load: async () => import("./batch.ts"), ...mail, access: "optional" }, [
  ["POST /batch/gmail/v1", "respondToBatch", "Respond to several requests, as Google's APIs do."],
  ["POST /batch", "respondToBatch", "Respond to several requests, as Google's APIs did before.", { isAtRoot: false }],
]);

const scope = "https://mail.google.com/";
const issueToken = tokenEndpoint({ members: ({ request }) => ({ scope: fieldOf(request.form, "scope") ?? scope }) });
const revokeToken = async () => jsonResponse(200, {});
const tokens = openEndpoints({ load: () => ({ issueToken, revokeToken }), access: "own", success: 200 }, [
  ["POST /token", "issueToken", "Issue an access token, as Google does."],
  ["POST /oauth2/v4/token", "issueToken", "Issue an access token, as Google did before."],
  ["POST /revoke", "revokeToken", "Accept that a token is revoked; keys of the service stay valid."],
]);

/** Returns the access token of a request: that of Bearer, or the parameter `access_token`. */
export function readKey({ authorization = "" }: IncomingHttpHeaders, fields: FormFields): string | null {
  const [, token] = /^bearer +(\S+)\s*$/i.exec(authorization) ?? [];
  return token ?? fieldOf(fields, "access_token") ?? null;
}

/** Gmail API. */
export const gmail: Provider = {
  name: "gmail",
  label: "Gmail",
  apiOrigins: /^https:\/\/(?:gmail|www)\.googleapis\.com$/,
  hosts: ["gmail.googleapis.com", "www.googleapis.com", "oauth2.googleapis.com"],
  endpoints: [
    ...withFields([...messages, ...sending, ...drafts, ...labels, ...changes, ...watches]),
    ...pubSub,
    ...batches,
    ...tokens,
  ],
  readKey,
  ...gmailErrors,
  loadNotifications: async () => (await import("./pub-sub.ts")).gmailNotifications,
  sms: null,
  email: {
    // A mail in base64, and the other members.
    requestBytesMax: Math.ceil((mailBytesMax * 4) / 3) + 64 * 1024,
    recipientCountMax,
    features: ["batch", "attachments", "inline images", "custom headers", "read back"],
    uuidOf: (providerId) => uuidOfId(uuidOfHex(providerId)),
  },
};
