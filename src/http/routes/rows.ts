/** Rows of tables of routes: the members in which most routes of a key agree follow from the others. */
import type { ProblemCode } from "../../core/errors.ts";
import type { WireSchema } from "../../core/schema.ts";
import type { Need } from "../../core/api-key.ts";
import type { RecordedAct } from "../audit.ts";
import { type HttpResponse, jsonResponse, noContent } from "../http-response.ts";
import { listResponse } from "../lists/page-response.ts";
import {
  type BodyRule,
  jsonBodyBytesMax,
  type KeyCall,
  type KeyRoute,
  type Method,
  type QueryParameter,
  type Success,
} from "../route.ts";
import { decodeBody } from "../wire/request-decoder.ts";

type JsonSuccess = readonly [description: string, schema?: WireSchema<unknown>, more?: Partial<Success>];

/** Members of rows, except for what they do. */
interface RowMembers<Body> {
  /** One sentence. */
  readonly summary: string;
  /** As in {@link KeyRoute}. */
  readonly permission?: Need;
  readonly query?: readonly QueryParameter[];
  /** Schema of the JSON body, of at most `jsonBodyBytesMax` unless the row says otherwise. */
  readonly body?: WireSchema<Body>;
  /** As in {@link BodyRule}. */
  readonly required?: BodyRule["required"];
  readonly isStrict?: BodyRule["isStrict"];
  readonly bytesMax?: BodyRule["bytesMax"];
  /** Throws a 400 for values that the schema does not exclude; `wrong` are the paths of those that it does. */
  readonly check?: (fields: Partial<NoInfer<Body>>, wrong: ReadonlySet<string>, call: KeyCall) => void;
  /** Returns what the audit log records of a successful call. */
  readonly audit?: (call: KeyCall, response: HttpResponse, body: NoInfer<Body>) => RecordedAct;
  /** Meaning of the response and schema of its JSON, which is a 204 without one; then what differs from a 200. Or all responses. */
  readonly returns: JsonSuccess | readonly Success[];
  /**
   * Problems beside `invalid_request` of what has parameters or a body, `not_found` of what has an id or a server, and
   * `storage_full` of what writes.
   */
  readonly problems?: readonly ProblemCode[];
}

/** Action of a row: returns the value of its JSON; or decodes the body itself and returns the response. */
type RowAction<Body> =
  | { readonly run: (call: KeyCall, body: NoInfer<Body>) => unknown }
  | { readonly respond: (call: KeyCall, decode: () => Body) => HttpResponse | Promise<HttpResponse> };

/** A route of a key. `Body` is its decoded body, undefined where it has none or its operation reads it. */
type Row<Body> = RowMembers<Body> & RowAction<Body>;

/** Returns the route of a row for any key. `target` is its method and path. */
export function keyRoute<Body>(operationId: string, target: `${Method} ${string}`, row: Row<Body>): KeyRoute {
  const [method, path = ""] = target.split(" ") as [Method, string?];
  const { body: schema, required, isStrict, bytesMax = jsonBodyBytesMax, audit, check, returns } = row;
  const { summary, permission, query } = row;
  const decode = (call: KeyCall): Body =>
    schema === undefined || isStrict === true
      ? (undefined as Body)
      : decodeBody(schema, call.body, (fields, wrong) => check?.(fields, wrong, call));
  const successes = successesOf(returns);
  return {
    method,
    path,
    operationId,
    summary,
    access: "key",
    ...(permission && { permission }),
    ...(query && { query }),
    ...(schema && { body: { schema, ...(required && { required }), ...(isStrict && { isStrict }), bytesMax } }),
    ...(audit && { audit: (call, response) => audit(call, response, decode(call)) }),
    successes,
    problems: problemsOf(row, { method, path }),
    respond: async (call) => {
      if ("respond" in row) return row.respond(call, () => decode(call));
      const value = await row.run(call, decode(call));
      const { status = 204, schema: shown } = successes[0] ?? {};
      if (status === 204) return noContent;
      const isList = shown?.type === "array";
      return isList ? listResponse(call, value as readonly unknown[]) : { ...jsonResponse(value), status };
    },
  };
}

/** Returns the route of a row for keys of the whole account, which its operation checks. */
export function accountRoute<Body>(operationId: string, target: `${Method} ${string}`, row: Row<Body>): KeyRoute {
  return { ...keyRoute(operationId, target, row), access: "account" };
}

/** Returns the route of a row for the web UI alone, which the OpenAPI document leaves out. */
export function webRoute<Body>(target: `${Method} ${string}`, row: Row<Body>): KeyRoute {
  return { ...keyRoute("", target, row), operationId: null };
}

function successesOf(returns: JsonSuccess | readonly Success[]): readonly Success[] {
  const [description, schema, more] = returns;
  if (typeof description !== "string") return returns as readonly Success[];
  const shown = schema as WireSchema<unknown> | undefined;
  return [{ status: shown === undefined ? 204 : 200, description, ...(shown && { schema: shown }), ...more }];
}

function problemsOf<Body>(
  { body, query = [], permission, problems = [] }: RowMembers<Body>,
  { method, path }: Pick<KeyRoute, "method" | "path">,
): readonly ProblemCode[] {
  const isFound = path.includes("/:") || query.some(({ name }) => name === "server");
  return [
    ...(body !== undefined || query.length > 0 ? (["invalid_request"] as const) : []),
    ...(isFound ? (["not_found"] as const) : []),
    ...(method === "GET" || permission === "read" ? [] : (["storage_full"] as const)),
    ...problems,
  ];
}
