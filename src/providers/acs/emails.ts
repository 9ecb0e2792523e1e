/** Mails, each sent by an operation with a status. */
import { fieldOf } from "../formats/form.ts";
import { urlOfCaller } from "../formats/request-url.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { isUuid } from "../formats/uuid.ts";
import { emailOf, submitBatch } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { retryAfterSeconds } from "../kit/errors.ts";
import { collectionOf } from "../kit/objects.ts";
import { onProblem, Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import { errors } from "./errors.ts";
import { operationFact, readAcsBody, readMail, readRequestIds, repeatabilityId } from "./request.ts";

/** Time in which an operation is found by an id that the caller chose. */
const operationMs = 3_600_000;

/** Value of an operation whose mail is not stored yet. */
const runningOperation = "";

/** Hosts of resources, and one for requests of which only the provider is known. */
const resourceHosts = {
  isOwnHost: /\.communication\.azure\.com(?::443)?$/i,
  ownHost: "resource.communication.azure.com",
};

/** Sends a mail: `POST /emails:send`. It has arrived when the response is sent, and the operation has succeeded. */
export const sendEmail: Handler = async (call) => {
  const body = readAcsBody(call.request.body);
  const { operation, repeatability } = readRequestIds(call.request);
  const send = async (): Promise<ProviderResponse> => submit(call, body, operation);
  if (operation === null && repeatability === null) return send();
  const once = call.session.once(`${operation ?? ""} ${repeatability ?? ""}`, body, send);
  const response = await onProblem("conflict", once, () =>
    errors.reusedId(operation === null ? repeatabilityId : operationFact),
  );
  const result = repeatability === null ? {} : { "repeatability-result": "accepted" };
  return { ...response, headers: { ...response.headers, ...result } };
};

async function submit(call: Call, body: JsonObject, operation: string | null): Promise<ProviderResponse> {
  const { draft, facts } = readMail(body);
  const metadata = operation === null ? facts : { ...facts, [operationFact]: operation };
  const email = emailOf(draft, { metadata, identify: (uuid) => ({ providerId: uuid, messageId: null }) });
  const store = async (): Promise<string> => {
    const refused = errors.noServer();
    const [outcome = refused] = await submitBatch(call.session, [email], refused);
    if (outcome instanceof Rejection) throw outcome;
    return outcome.uuid;
  };
  const id = operation ?? (await store());
  if (operation !== null) await remember(call, operation, store);
  return {
    ...jsonResponse(202, { id, status: "Running", error: null }),
    headers: { "operation-location": operationUrl(call.request, id), "retry-after": String(retryAfterSeconds) },
  };
}

/** Stores a mail under the id of its operation, which is stored first, so that an error never leaves a mail behind. */
async function remember(call: Call, id: string, store: () => Promise<string>): Promise<void> {
  const operations = operationsOf(call);
  const lifetime = { expiresAt: call.services.now() + operationMs };
  if (!(await operations.create(id, runningOperation, lifetime))) throw errors.reusedId(operationFact);
  try {
    const uuid = await store();
    await operations.change(id, () => uuid, lifetime);
  } catch (error) {
    await operations.remove(id);
    throw error;
  }
}

/** Operations by the id that the caller chose: the UUID of the mail, or {@link runningOperation}. */
const operationsOf = collectionOf<string>("operation");

function operationUrl(request: ProviderRequest, id: string): string {
  const version = encodeURIComponent(fieldOf(request.fields, "api-version") ?? "2023-03-31");
  return `${urlOfCaller(request, resourceHosts)}/emails/operations/${id}?api-version=${version}`;
}

/** Returns the status of an operation: `GET /emails/operations/:id`. */
export const getOperation: Handler = async ({ session, request: { params } }) => {
  const id = (params["id"] ?? "").toLowerCase();
  if (!isUuid(id)) throw errors.unknownOperation(params["id"] ?? "");
  const uuid = await operationsOf({ session }).find(id);
  if (uuid === runningOperation) return jsonResponse(200, { id, status: "Running", error: null });
  await onProblem("not_found", session.getEmail(uuid ?? id), () => errors.unknownOperation(id));
  return jsonResponse(200, { id, status: "Succeeded", error: null });
};
