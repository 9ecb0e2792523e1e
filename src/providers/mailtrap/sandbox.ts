/** Sandboxes (inboxes), each of which is a server of this service: https://docs.mailtrap.io/developers/email-sandbox */
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { and, not } from "../../core/search/search-expression.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { changeEach } from "../kit/mailbox-pages.ts";
import { onProblem } from "../kit/rejection.ts";
import type { MailboxFilter, ProviderMailbox, ReadableServer } from "../mailbox.ts";
import { jsonResponse } from "../provider.ts";
import { errors } from "./errors.ts";
import { numberOfServer, readNumber } from "./numeric-ids.ts";

const account = { id: 1, name: "restante", access_levels: [1000] };
/** The one project, which has all sandboxes. */
const projectId = 1;
const permissions = { can_read: true, can_update: true, can_destroy: true, can_leave: false };
const received: MailboxFilter = { expression: and(), direction: "Received" };
const unread: MailboxFilter = { expression: not({ kind: "flag", flag: "seen" }), direction: "Received" };

/** Sandbox of a request. */
export interface Sandbox {
  readonly server: ReadableServer;
  readonly mailbox: ProviderMailbox;
}

/** Returns the sandbox of the path; throws the error of one that the caller may not read. */
export async function openSandbox(call: Call): Promise<Sandbox> {
  const number = readNumber(call.request.params["inbox"]);
  const server = (await call.session.listServers()).find(({ id }) => numberOfServer(id) === number);
  if (server === undefined) throw errors.notFound();
  return openServer(call, server);
}

async function openServer({ session }: Call, server: ReadableServer): Promise<Sandbox> {
  // The first label of a domain names the server.
  const mailbox = await onProblem(
    "not_found",
    session.openMailbox(`sandbox@${server.id}.mailtrap.invalid`),
    errors.notFound,
  );
  return { server, mailbox };
}

/** Lists accounts: `GET /api/accounts`. */
export const listAccounts: Handler = async () => jsonResponse(200, [account]);

/** Lists sandboxes: `GET /api/accounts/:account/inboxes`. */
export const listInboxes: Handler = async (call) => jsonResponse(200, await readInboxes(call));

/** Lists projects: `GET /api/accounts/:account/projects`. */
export const listProjects: Handler = async (call) => jsonResponse(200, [await readProject(call)]);

/** Returns a project: `GET /api/accounts/:account/projects/:id`. */
export const getProject: Handler = async (call) => {
  if (call.request.params["id"] !== String(projectId)) throw errors.notFound();
  return jsonResponse(200, await readProject(call));
};

async function readProject(call: Call): Promise<JsonObject> {
  const inboxes = await readInboxes(call);
  return { id: projectId, name: account.name, share_links: { admin: "", viewer: "" }, inboxes, permissions };
}

async function readInboxes(call: Call): Promise<readonly JsonObject[]> {
  const inboxes: JsonObject[] = [];
  for (const server of await call.session.listServers()) inboxes.push(await inboxOf(await openServer(call, server)));
  return inboxes;
}

/** Returns a sandbox: `GET /api/accounts/:account/inboxes/:inbox`. */
export const getInbox: Handler = async (call) => jsonResponse(200, await inboxOf(await openSandbox(call)));

/** Deletes all mails of a sandbox: `PATCH /api/accounts/:account/inboxes/:inbox/clean`. */
export const cleanInbox: Handler = async (call) => {
  const sandbox = await openSandbox(call);
  await changeEach(sandbox.mailbox, received, async (ids) => sandbox.mailbox.removeEach(ids));
  return jsonResponse(200, await inboxOf(sandbox));
};

/** Marks all mails of a sandbox as read: `PATCH /api/accounts/:account/inboxes/:inbox/all_read`. */
export const readAll: Handler = async (call) => {
  const sandbox = await openSandbox(call);
  await changeEach(sandbox.mailbox, unread, async (ids) => sandbox.mailbox.mark(ids, { addFlags: ["seen"] }));
  return jsonResponse(200, await inboxOf(sandbox));
};

async function inboxOf({ server, mailbox }: Sandbox): Promise<JsonObject> {
  const [total, unreadCount, newest] = await Promise.all([
    mailbox.count(received),
    mailbox.count(unread),
    mailbox.list({ ...received, top: 1 }),
  ]);
  const [last] = newest.ids;
  return {
    id: numberOfServer(server.id),
    name: server.name,
    username: server.id,
    password: null,
    status: "active",
    email_username: server.id,
    email_username_enabled: true,
    used: total > 0,
    forward_from_email_address: "",
    project_id: projectId,
    domain: "127.0.0.1",
    pop3_domain: "127.0.0.1",
    email_domain: mailbox.address.slice(mailbox.address.lastIndexOf("@") + 1),
    api_domain: "sandbox.api.mailtrap.io",
    smtp_ports: [1025],
    pop3_ports: [],
    sent_messages_count: total,
    forwarded_messages_count: 0,
    emails_count: total,
    emails_unread_count: unreadCount,
    last_message_sent_at: last === undefined ? null : instantOf(last),
    max_size: 0,
    max_message_size: 0,
    permissions,
  };
}

/** Returns the instant of the receipt of a mail. */
export function instantOf(id: MessageId): string {
  return new Date(decodeMessageId(id).receivedAt).toISOString();
}
