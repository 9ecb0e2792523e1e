/** Actions of AWS APIs, and their calls by the Query protocol. */
import type { Call, Need, OpenCall, OpenHandler } from "../kit/endpoints.ts";
import type { Rejection } from "../kit/rejection.ts";
import { accessKeyOf, regionOf } from "./aws-access-key.ts";
import { textAt } from "./aws-members.ts";
import { readQuery } from "./aws-query.ts";
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
