/** Batches of requests: https://learn.microsoft.com/graph/json-batching */
import type { OpenHandler, OpenCall } from "../kit/endpoints.ts";
import { dispatch, type Dispatched, innerRequest } from "../kit/dispatch.ts";
import { isJsonObject, type JsonObject, readJson } from "../formats/json-body.ts";
import { urlBeforePath } from "../formats/request-url.ts";
import type { Members } from "../kit/members.ts";
import type { ProviderMethod, ProviderResponse } from "../provider.ts";
import { graphError, rejection } from "./errors.ts";
import { readMembers } from "./request.ts";
import { json } from "./response.ts";

const requestCountMax = 20;
const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Returns the handler of `POST /$batch` for the endpoints of a provider. */
export function batchOf(provider: Dispatched): OpenHandler {
  return async (call) => {
    const { request, services } = call;
    await services.authenticate(request.key, "read");
    const requests = readMembers(request)
      .objects("requests")
      .map((one) => readRequest(call, one));
    const ids = requests.map(({ id }) => id);
    const isValid = requests.length > 0 && requests.length <= requestCountMax && new Set(ids).size === ids.length;
    if (!isValid) {
      throw rejection("BadRequest", `A batch has 1 to ${String(requestCountMax)} requests with ids of their own.`);
    }
    const statuses = new Map<string, number>();
    const responses: JsonObject[] = [];
    for (const { id, dependsOn, request: own } of requests) {
      const isReady = dependsOn.every((other) => (statuses.get(other) ?? 424) < 400);
      const response = isReady ? await dispatch(provider, own, services) : failedDependency(call);
      statuses.set(id, response.status);
      responses.push(shown(id, response));
    }
    return json(call, 200, { responses });
  };
}

function failedDependency(call: Pick<OpenCall, "request">): ProviderResponse {
  const { code, message } = graphError("BadRequest", "Failed Dependency");
  return json(call, 424, { error: { code, message } });
}

/** Reads a request of a batch, whose URL is relative to the version of the API, and the ids of those that have to succeed before. */
function readRequest({ request }: Pick<OpenCall, "request">, one: Members) {
  const method = (one.text("method") ?? "").toUpperCase();
  const url = one.text("url") ?? "";
  if (!methods.includes(method) || url === "")
    throw rejection("BadRequest", "A request of the batch has no method or URL.");
  const [path = "", query = ""] = url.split(/\?(.*)/s);
  const prefix = request.path.slice(0, request.path.lastIndexOf("/"));
  const own = `${prefix}/${path.replace(/^\/+/, "").replace(/^v1\.0\//, "")}`;
  const headers = headersOf(one);
  const batched = innerRequest(request, {
    method: method as ProviderMethod,
    path: own,
    query,
    url: `${urlBeforePath(request)}${own}${query === "" ? "" : `?${query}`}`,
    headers: { ...request.headers, "content-type": undefined, prefer: undefined, ...headers },
    body: bodyOf(one.value("body"), headers["content-type"]),
  });
  return { id: one.text("id") ?? "", dependsOn: one.list("dependsOn").map(String), request: batched };
}

function headersOf(one: Members): Readonly<Record<string, string>> {
  const given = Object.entries(one.object("headers") ?? {});
  const fields = given.flatMap(([name, value]) =>
    typeof value === "string" && name.toLowerCase() !== "authorization" ? [[name.toLowerCase(), value] as const] : [],
  );
  return Object.fromEntries(fields);
}

/** Returns a body: JSON as it is, anything else in base64. */
function bodyOf(value: unknown, contentType = "application/json"): Uint8Array {
  if (value === null) return new Uint8Array();
  const isBase64 = typeof value === "string" && !/json/i.test(contentType);
  // A mail in MIME is base64 itself.
  if (isBase64) return /^text\/plain/i.test(contentType) ? Buffer.from(value) : Buffer.from(value, "base64");
  return Buffer.from(JSON.stringify(value));
}

function shown(id: string, { status, headers = {}, body }: ProviderResponse): JsonObject {
  const type = body === null ? {} : { "Content-Type": body.contentType };
  const own = { id, status, headers: { ...headers, ...type } };
  if (body === null) return own;
  if (body.text === undefined) return { ...own, body: Buffer.from(body.bytes).toString("base64") };
  const value = readJson(Buffer.from(body.text));
  return { ...own, body: isJsonObject(value) ? value : body.text };
}
