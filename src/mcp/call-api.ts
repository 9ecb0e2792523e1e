/** Requests of tools, whose failures become errors for the model. */
import type { ApiRequest, ApiResponse } from "./api.ts";
import { jsonBytesMax } from "./bounds.ts";
import { showHidden } from "./fence.ts";
import type { ToolCall } from "./tool.ts";
import { shorten } from "./view.ts";

/** Members of a {@link ToolError} beside its message. */
interface ToolErrorDetails {
  /** Content of messages that belongs to the error, fenced. */
  readonly fenced?: string | null;
  /** Whether the object of the call does not exist, or the caller cannot access it. */
  readonly isNotFound?: boolean;
}

/** Error of a tool for the model: what is wrong, and what to do next. */
export class ToolError extends Error {
  override readonly name: string = "ToolError";
  readonly fenced: string | null;
  readonly isNotFound: boolean;

  constructor(message: string, { fenced = null, isNotFound = false }: ToolErrorDetails = {}) {
    super(message);
    this.fenced = fenced;
    this.isNotFound = isNotFound;
  }
}

const messageLengthMax = 2000;

/** Caller of the API: a tool, a resource or a prompt. */
export type ApiCaller = Pick<ToolCall, "api" | "signal">;

/** Sends a request; throws a {@link ToolError} for every status but 2xx, and those of `accepted`. */
export async function callApi(
  { api, signal }: ApiCaller,
  request: ApiRequest,
  accepted: readonly number[] = [],
): Promise<ApiResponse> {
  const response = await api(request, signal);
  const { status } = response;
  if ((status >= 200 && status < 300) || accepted.includes(status)) return response;
  throw failureOf(response);
}

/** Sends a request and returns the JSON of its response, with the response. */
export async function callJson<Value>(
  caller: ApiCaller,
  request: Omit<ApiRequest, "bytesMax">,
  accepted: readonly number[] = [],
): Promise<{ readonly value: Value; readonly response: ApiResponse }> {
  const response = await callApi(caller, { ...request, bytesMax: jsonBytesMax }, accepted);
  if (response.isCut) {
    throw new ToolError(
      `The response exceeds ${String(jsonBytesMax / 1024 / 1024)} MiB. For a large message, call get_message with part=raw, which reads it in pieces; for a list, ask for fewer messages.`,
    );
  }
  return { value: parseJson(response.bytes) as Value, response };
}

function parseJson(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
}

/** Returns the error for the model of a response with an error status. */
export function failureOf(response: Pick<ApiResponse, "status" | "headers" | "bytes">): ToolError {
  const { status, headers } = response;
  const message = showHidden(shorten(messageOf(response), messageLengthMax));
  return new ToolError(`${message.replace(/\.$/, "")}. ${nextStep(status, headers)}`, { isNotFound: status === 404 });
}

/** Sentences for the model after an error, by status; {@link nextStep} has those of other statuses. */
const nextSteps: Readonly<Record<number, string>> = {
  401: "The API key is missing, wrong, expired or revoked, or may not be used from this network. Ask the user for a valid key (restante keys create); a repeated call with this one fails too.",
  403: "The key does not allow this. Use a tool that only reads, name a server that list_servers shows, or ask the user for a key with the needed scope.",
  404: "Check the id: list_servers and list_messages show those that this key can access. Messages may have been deleted, and servers with a TTL expire.",
  410: "The message was deleted.",
  413: "Send less content.",
  503: "The service is overloaded or not ready; retry in a few seconds.",
  507: "The storage or quota of the server is exhausted: ask the user to delete messages or to raise the quota.",
};

function nextStep(status: number, headers: Readonly<Record<string, string>>): string {
  if (status === 429) return `Wait ${headers["retry-after"] ?? "1"} seconds before the next call.`;
  const others =
    status >= 500
      ? "This is a fault of the service; its log has details. Retry once, then report it to the user."
      : "Correct the arguments and call the tool again.";
  return nextSteps[status] ?? others;
}

interface ErrorBody {
  readonly message?: unknown;
  readonly errors?: readonly {
    readonly field: string;
    readonly detail: readonly { readonly description: string }[];
  }[];
}

/** Returns the text of an error response, with those of its fields. */
function messageOf({ status, bytes }: Pick<ApiResponse, "status" | "bytes">): string {
  const unknown = `The service responded with status ${String(status)}`;
  try {
    const { message, errors = [] } = parseJson(bytes) as ErrorBody;
    const fields = errors.flatMap(({ field, detail }) => detail.map((one) => `${field}: ${one.description}`));
    return [typeof message === "string" ? message : unknown, ...fields].join("; ");
  } catch {
    // Not an error body of the service, such as that of a proxy: only the status is known.
    return unknown;
  }
}

/** Members of a server that tools show. */
export interface ShownServer {
  readonly id: string;
  readonly name: string;
  readonly messages: number;
  readonly expiresAt: string | null;
}

/** Returns the servers that the key can access. */
export async function listServers(caller: ApiCaller): Promise<readonly ShownServer[]> {
  const { value } = await callJson<Listed<ShownServer>>(caller, { method: "GET", path: "/api/servers" });
  return itemsOf(value);
}

/** A list as either list envelope has it. */
export type Listed<Item> = readonly Item[] | { readonly items: readonly Item[] };

/** Returns the elements of a list. */
export function itemsOf<Item>(list: Listed<Item>): readonly Item[] {
  return "items" in list ? list.items : list;
}

/** Returns the server of a call: the argument, the default, or the only one; throws a {@link ToolError} otherwise. */
export async function serverOf(call: ToolCall): Promise<string> {
  const named = call.args.text("server") ?? call.server;
  if (named !== null) return named;
  const [only, ...others] = await listServers(call);
  if (only !== undefined && others.length === 0) return only.id;
  throw new ToolError(
    only === undefined
      ? "There is no server yet. Call create_server first."
      : `There are ${String(others.length + 1)} servers. Call list_servers, and name one with the argument server.`,
  );
}
