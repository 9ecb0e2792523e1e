import { readJson, isJsonObject } from "../formats/json-body.ts";
import {
  jsonResponse,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderServices,
  type ProviderSession,
} from "../provider.ts";
import { createBatch, findBatch, listStatuses, setStatus, type BatchStatus } from "./batches.ts";
import { plainError } from "./errors.ts";
import { noContent } from "./response.ts";

type Handler = (request: ProviderRequest, services: ProviderServices) => Promise<ProviderResponse>;

/** Creates a batch id: `POST /v3/mail/batch`. */
export const postBatch: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  return jsonResponse(201, { batch_id: await createBatch(session, services.now()) });
};

/** Validates a batch id: `GET /v3/mail/batch/:id`. */
export const getBatch: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "read");
  const batch_id = idOf(request);
  const batch = await findBatch(session, batch_id);
  return batch === undefined ? plainError(400, "invalid batch id") : jsonResponse(200, { batch_id });
};

/** Pauses or cancels a batch: `POST /v3/user/scheduled_sends`. */
export const postStatus: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  const body = readJson(request.body);
  const { batch_id: id, status } = isJsonObject(body) ? body : {};
  if (typeof id !== "string" || id === "") return plainError(400, "invalid batch id", "batch_id");
  if (!isStatus(status)) return plainError(400, 'status must be "pause" or "cancel"', "status");
  const outcome = await setStatus(session, { id, status, now: services.now() }, (present) => present === null);
  if (outcome === "limit") return plainError(400, "max limit reached");
  if (outcome === "no_batch") return plainError(400, "invalid batch id", "batch_id");
  if (outcome === "conflict") {
    return plainError(400, "a status for this batch id exists, try PATCH to update the status", "batch_id");
  }
  return jsonResponse(201, { batch_id: id, status });
};

/** Lists paused and cancelled batches: `GET /v3/user/scheduled_sends`. */
export const getStatuses: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "read");
  const statuses = await listStatuses(session, services.now());
  return jsonResponse(
    200,
    statuses.map(({ id, status }) => ({ batch_id: id, status })),
  );
};

/** Returns the status of a batch in an array, which is empty without a status: `GET /v3/user/scheduled_sends/:id`. */
export const getStatus: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "read");
  const batch_id = idOf(request);
  const { status = null } = (await findBatch(session, batch_id)) ?? {};
  return jsonResponse(200, status === null ? [] : [{ batch_id, status }]);
};

/** Changes the status of a batch: `PATCH /v3/user/scheduled_sends/:id`. */
export const patchStatus: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  const body = readJson(request.body);
  const { status } = isJsonObject(body) ? body : {};
  if (!isStatus(status)) return plainError(400, 'status must be "pause" or "cancel"', "status");
  return changeStatus(session, request, { status, now: services.now() });
};

/** Removes the status of a batch: `DELETE /v3/user/scheduled_sends/:id`. */
export const deleteStatus: Handler = async (request, services) => {
  const session = await services.authenticate(request.key, "send");
  return changeStatus(session, request, { status: null, now: services.now() });
};

async function changeStatus(
  session: ProviderSession,
  request: ProviderRequest,
  change: { readonly status: BatchStatus | null; readonly now: number },
): Promise<ProviderResponse> {
  const outcome = await setStatus(session, { id: idOf(request), ...change }, (present) => present !== null);
  return outcome === "changed" ? noContent : plainError(404, "batch id not found");
}

function idOf({ params }: ProviderRequest): string {
  return params["id"] ?? "";
}

function isStatus(value: unknown): value is BatchStatus {
  return value === "pause" || value === "cancel";
}
