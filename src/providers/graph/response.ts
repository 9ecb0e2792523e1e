/** Responses with resources. */
import { type MessageId, parseAttachmentId } from "../../core/ids.ts";
import type { Call } from "../kit/endpoints.ts";
import { fieldOf, writeForm } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { urlOfCaller } from "../formats/request-url.ts";
import type { MailboxMessage, ProviderMailbox } from "../mailbox.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import { rejection, requestIds } from "./errors.ts";
import { uuidOfGraphId } from "./ids.ts";
import {
  attachmentResource,
  type AttachmentView,
  messageResource,
  selectionOf,
  type MessageView,
  type Representation,
  viewOf,
} from "./message.ts";

const hosts = { isOwnHost: /^(?:graph\.microsoft|login\.microsoftonline)\.com$/, ownHost: "graph.microsoft.com" };

/** Returns the URL of the provider as the client addressed it, without a slash at its end. */
export function baseOf(request: ProviderRequest): string {
  return urlOfCaller(request, hosts);
}

type Requested = Pick<Call, "request">;

/** Returns the URL of the API up to its version, without a slash at its end. */
export function apiUrl(request: ProviderRequest): string {
  return `${baseOf(request)}/v1.0`;
}

/** Returns a JSON response with the ids of the request. */
export function json({ request }: Requested, status: number, value: JsonObject): ProviderResponse {
  return { ...jsonResponse(status, value), headers: requestIds(request) };
}

/** Returns a response without a body. */
export function empty({ request }: Requested, status: number): ProviderResponse {
  return { status, headers: requestIds(request), body: null };
}

/** Returns the wishes of a request about resources. */
export function representationOf({ fields, headers }: ProviderRequest): Representation {
  const prefersText = /outlook\.body-content-type\s*=\s*"?text/i.test(String(headers["prefer"] ?? ""));
  return { select: selectionOf(fieldOf(fields, "$select")), prefersText };
}

function entity(call: Requested, status: number, value: JsonObject): ProviderResponse {
  const context = `${apiUrl(call.request)}/$metadata#users('me')/messages/$entity`;
  return json(call, status, { "@odata.context": context, ...value });
}

/** Returns the response with one draft. */
export function resource(call: Requested, status: number, view: MessageView): ProviderResponse {
  return entity(call, status, messageResource(view, representationOf(call.request)));
}

/** Message of a mailbox. */
export interface MessagePlace {
  readonly mailbox: ProviderMailbox;
  readonly id: MessageId;
}

/** Returns the response with one message, as it is stored now; rejects without one. */
export async function mailResponse(
  call: Requested,
  { mailbox, id }: MessagePlace,
  status = 200,
): Promise<ProviderResponse> {
  const [shown = {}] = await resourcesOf(call, mailbox, [await mailbox.get(id)]);
  return entity(call, status, shown);
}

/** Returns the resources of messages, with their attachments where `$expand` names them. */
export async function resourcesOf(
  { request }: Requested,
  mailbox: ProviderMailbox,
  messages: readonly MailboxMessage[],
): Promise<readonly JsonObject[]> {
  const representation = representationOf(request);
  const isExpanded = /\battachments\b/i.test(fieldOf(request.fields, "$expand") ?? "");
  const resources: JsonObject[] = [];
  for (const view of messages.map(viewOf)) {
    const attachments: JsonObject[] = [];
    for (const one of isExpanded ? view.attachments : []) {
      attachments.push(attachmentResource(one, view.modifiedAt, await contentOf(mailbox, one)));
    }
    resources.push({ ...messageResource(view, representation), ...(isExpanded && { attachments }) });
  }
  return resources;
}

/** Returns the content of an attachment of a message. */
export async function contentOf(mailbox: ProviderMailbox, { id }: Pick<AttachmentView, "id">): Promise<Uint8Array> {
  const own = parseAttachmentId(uuidOfGraphId(id));
  if (own === undefined) throw rejection("ErrorItemNotFound");
  return mailbox.getAttachment(own);
}

/** Returns a response with a collection. */
export function collection(call: Requested, value: readonly JsonObject[], members: JsonObject = {}): ProviderResponse {
  const context = `${apiUrl(call.request)}/$metadata#Collection`;
  return json(call, 200, { "@odata.context": context, ...members, value });
}

/** Returns the URL of a GET request with other query options. */
export function linkOf(request: ProviderRequest, options: Readonly<Record<string, string>>): string {
  const kept = request.fields.filter(([name]) => !Object.hasOwn(options, name));
  const query = writeForm([...kept, ...Object.entries(options)]).replaceAll("%24", "$");
  return `${baseOf(request)}${request.path}?${query}`;
}
