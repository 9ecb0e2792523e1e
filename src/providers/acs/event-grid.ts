/**
 * Requests of Azure Event Grid to webhooks: https://learn.microsoft.com/azure/event-grid/event-schema,
 * https://learn.microsoft.com/azure/event-grid/cloud-event-schema, and the handshakes in
 * https://learn.microsoft.com/azure/event-grid/end-point-validation-event-grid-events-schema.
 */
import type { CallbackAnswer, CallbackRequest, CallbackSetting, CallbackSigning } from "../callbacks.ts";
import { jsonBody, secretHeader } from "../formats/callback-values.ts";
import { fieldOf } from "../formats/form.ts";
import { readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { uuidOfHash } from "../formats/uuid.ts";
import type { OpenHandler } from "../kit/endpoints.ts";
import { errors } from "./errors.ts";

/** Event, apart from the schema in which it is sent. */
export interface GridEvent {
  /** UUID, the same on every attempt. */
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly data: JsonObject;
}

/** Settings of an event subscription that are no secrets. */
export const gridSettings: readonly CallbackSetting[] = [
  {
    name: "schema",
    description: "`EventGridSchema` sends an array of one event, `CloudEventSchemaV1_0` a CloudEvent",
    isSecret: false,
    values: ["EventGridSchema", "CloudEventSchemaV1_0"],
  },
  {
    name: "validation",
    description: "`required` sends the handshake of the schema first and waits for its answer; `none` does not",
    isSecret: false,
    values: ["required", "none"],
  },
  {
    name: "topic",
    description: "resource id of the Communication Services resource; one of the resource `restante` by default",
    isSecret: false,
    pattern: /\/[\x21-\x7e]{1,400}/,
  },
];

const origin = "eventgrid.azure.net";
const topicDefault =
  "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/restante" +
  "/providers/Microsoft.Communication/CommunicationServices/restante";

function isCloudEvents({ schema }: CallbackSigning["options"]): boolean {
  return schema === "CloudEventSchemaV1_0";
}

function topicOf({ topic = "" }: CallbackSigning["options"]): string {
  return topic === "" ? topicDefault : topic;
}

/** Returns an instant as Azure writes it, with seven decimals: `2026-11-20T10:42:07.9750000Z`. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "0000Z");
}

/** Returns the request with an event. */
export function eventRequest(event: GridEvent, signing: CallbackSigning): CallbackRequest {
  const request = isCloudEvents(signing.options) ? cloudRequest(event, signing) : gridRequest(event, signing, "1.0");
  const headers = { ...aegHeaders("Notification"), "aeg-data-version": "1.0", "aeg-delivery-count": "0" };
  return { ...request, headers: { ...headers, ...request.headers } };
}

function cloudRequest({ at, ...event }: GridEvent, { options, secrets }: CallbackSigning): CallbackRequest {
  const { headers, secretHeaders } = secretHeader(secrets);
  const body = jsonBody({ ...event, source: topicOf(options), specversion: "1.0", time: instantText(at) });
  const contentType = "application/cloudevents+json; charset=utf-8";
  return { headers: { "webhook-request-origin": origin, ...headers }, contentType, body, secretHeaders };
}

function gridRequest(
  { at, type: eventType, ...event }: GridEvent,
  { options, secrets }: CallbackSigning,
  dataVersion: string,
): CallbackRequest {
  const versions = { dataVersion, metadataVersion: "1" };
  const body = jsonBody([{ ...event, eventType, topic: topicOf(options), eventTime: instantText(at), ...versions }]);
  return { ...secretHeader(secrets), contentType: "application/json; charset=utf-8", body };
}

/**
 * Returns the request by which Event Grid validates a new webhook: OPTIONS of CloudEvents, or an event with a code. Both have
 * a URL at which the owner of the webhook may validate it instead.
 */
export function validationRequest(token: string, signing: CallbackSigning): CallbackRequest {
  const { options, secrets, serviceUrl, now: at } = signing;
  const validationCode = codeOf(token);
  const validationUrl = `${serviceUrl}/providers/acs/eventsubscriptions/restante/validate?id=${validationCode}&token=${token}`;
  if (isCloudEvents(options)) {
    const { headers: own, secretHeaders } = secretHeader(secrets);
    const asking = { "webhook-request-origin": origin, "webhook-request-callback": validationUrl };
    const headers = { ...asking, "webhook-request-rate": "120", ...own };
    return { method: "OPTIONS", headers, contentType: "", body: new Uint8Array(), secretHeaders };
  }
  const id = uuidOfHash(`validation ${token}`);
  const type = "Microsoft.EventGrid.SubscriptionValidationEvent";
  const request = gridRequest({ id, type, subject: "", at, data: { validationCode, validationUrl } }, signing, "2");
  return { ...request, headers: { ...aegHeaders("SubscriptionValidation"), ...request.headers } };
}

/** Returns whether a webhook answered the handshake of one of the schemas: with the code, or by allowing the origin. */
export function isValidated({ status, headers, body }: CallbackAnswer, token: string): boolean {
  const allowed = headers["webhook-allowed-origin"];
  if (allowed === "*" || (typeof allowed === "string" && allowed.toLowerCase() === origin)) return true;
  return status === 200 && readJsonObject(body)?.["validationResponse"] === codeOf(token);
}

function codeOf(token: string): string {
  return uuidOfHash(token).toUpperCase();
}

function aegHeaders(type: string): Readonly<Record<string, string>> {
  return { "aeg-event-type": type, "aeg-subscription-name": "RESTANTE", "aeg-metadata-version": "1" };
}

/** Validates a webhook by the URL that it was sent: `GET` or `POST /eventsubscriptions/:name/validate`. */
export const validateWebhook: OpenHandler = async ({ request, services }) => {
  const confirmed = await services.subscriptions.confirm(fieldOf(request.fields, "token") ?? "");
  if (confirmed === null) throw errors.invalid("token", "The validation URL is not valid.");
  const text = "Webhook successfully validated as a subscription endpoint";
  return { status: 200, body: { contentType: "text/plain; charset=utf-8", text } };
};
