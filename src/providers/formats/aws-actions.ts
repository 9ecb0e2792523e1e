/**
 * Actions of AWS APIs, and their calls by the Query protocol: forms whose names are paths
 * (`Destination.ToAddresses.member.1`).
 */
import { formFieldCountMax } from "../../core/arrival-rate.ts";
import { decodeFormText, inTurns, type Steps } from "../../core/read-form.ts";
import type { Call, Need, OpenCall, OpenHandler } from "../kit/endpoints.ts";
import type { Rejection } from "../kit/rejection.ts";
import { accessKeyOf, regionOf } from "./aws-access-key.ts";
import { textAt } from "./aws-members.ts";
import { queryResponse, type XmlObject } from "./aws-xml.ts";
import type { JsonObject } from "./json-body.ts";

/** Call of an action. */
export interface AwsCall extends Pick<Call, "session" | "services"> {
  /** Members of the request; those in the path and the query string of a REST API too. */
  readonly request: JsonObject;
  /** Region that the caller names. */
  readonly region: string;
}

/** Action of an API. */
export interface AwsAction<ActionCall = AwsCall> {
  readonly need: Need;
  /** Returns the members of the result; null for a result without any in the Query protocol. */
  readonly act: (call: ActionCall) => Promise<XmlObject | null>;
}

/** Actions by name. */
export type AwsActions<ActionCall = AwsCall> = Readonly<Record<string, AwsAction<ActionCall>>>;

/** Returns an action that changes nothing. */
export function reads<ActionCall>(act: AwsAction<ActionCall>["act"]): AwsAction<ActionCall> {
  return { need: "read", act };
}

/** Returns an action that changes objects or sends. */
export function sends<ActionCall>(act: AwsAction<ActionCall>["act"]): AwsAction<ActionCall> {
  return { need: "send", act };
}

/** API of the Query protocol. */
export interface QueryApi {
  readonly namespace: string;
  readonly version: string;
  readonly actions: AwsActions;
  /** Actions that need no key. */
  readonly openActions?: Readonly<Record<string, (request: JsonObject, call: OpenCall) => Promise<XmlObject>>>;
  readonly errors: {
    readonly rejection: (kind: "malformed" | "missingToken" | "unknownOperation", message?: string) => Rejection;
    readonly throwAsRejection: (error: unknown) => never;
  };
}

/** Returns the handler of all actions of an API. */
export function queryHandler({ namespace, version, errors, ...api }: QueryApi): OpenHandler {
  const actions = new Map(Object.entries(api.actions));
  const openActions = new Map(Object.entries(api.openActions ?? {}));
  const respond: OpenHandler = async (call) => {
    const { services } = call;
    const request = await readQuery(call.request.body);
    const name = request === undefined ? "" : (textAt(request, "Action") ?? "");
    const open = openActions.get(name);
    if (request !== undefined && open !== undefined) return queryResponse(namespace, name, await open(request, call));
    const key = accessKeyOf(call.request);
    if (key === null) throw errors.rejection("missingToken");
    if (request === undefined) throw errors.rejection("malformed");
    const action = actions.get(name);
    const session = await services.authenticate(key, action?.need ?? "read");
    if (action === undefined) {
      const shown = textAt(request, "Version") ?? version;
      throw errors.rejection("unknownOperation", `Could not find operation ${name} for version ${shown}`);
    }
    const result = await action.act({ request, session, services, region: regionOf(call.request) });
    return queryResponse(namespace, name, result);
  };
  return async (call) => respond(call).catch(errors.throwAsRejection);
}

const pathLengthMax = 500;
const segmentCountMax = 12;

const ampersand = 0x26;
const equals = 0x3d;

/** Object while it is being filled; it has no prototype, so that any name is safe. */
interface Branch {
  [name: string]: string | Branch;
}

/**
 * Returns the parameters of a body as a nested object, in which `X.member.N` and `X.entry.N` are arrays, in the order of N;
 * undefined for more than {@link formFieldCountMax} fields. The first of equal names wins. Takes linear time, also for
 * bodies with large values, which are decoded once, and leaves turns of the event loop to others.
 */
export async function readQuery(body: Uint8Array): Promise<JsonObject | undefined> {
  return inTurns(readParameters(body));
}

function* readParameters(body: Uint8Array): Steps<JsonObject | undefined> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const root = newBranch();
  let fieldCount = 0;
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(ampersand, start);
    const end = found === -1 ? bytes.length : found;
    fieldCount += 1;
    if (fieldCount > formFieldCountMax) return undefined;
    if (end > start) yield* addField(root, bytes.subarray(start, end));
    start = end + 1;
    yield;
  }
  return toLists(root) as JsonObject;
}

function newBranch(): Branch {
  return Object.create(null) as Branch;
}

function* addField(root: Branch, field: Buffer): Steps<void> {
  const found = field.indexOf(equals);
  const nameEnd = found === -1 ? field.length : found;
  if (nameEnd > pathLengthMax) return;
  const segments = (yield* decodeFormText(field.subarray(0, nameEnd))).split(".");
  if (segments.length > segmentCountMax) return;
  const last = segments.pop() ?? "";
  let branch = root;
  for (const segment of segments) {
    const next = (branch[segment] ??= newBranch());
    if (typeof next === "string") return;
    branch = next;
  }
  branch[last] ??= yield* decodeFormText(field.subarray(nameEnd + 1));
}

/** Replaces each branch that has only the member `member` or `entry`, with numbers below, by an array. */
function toLists(node: string | Branch): unknown {
  if (typeof node === "string") return node;
  const names = Object.keys(node);
  const list = names.length === 1 ? (node["member"] ?? node["entry"]) : undefined;
  if (typeof list === "object" && Object.keys(list).every((name) => /^\d{1,9}$/.test(name))) {
    // Numeric names are in ascending order, unless they have leading zeros.
    return Object.keys(list)
      .toSorted((a, b) => Number(a) - Number(b))
      .map((name) => toLists(list[name] ?? ""));
  }
  const object = Object.create(null) as Record<string, unknown>;
  for (const name of names) object[name] = toLists(node[name] ?? "");
  return object;
}
