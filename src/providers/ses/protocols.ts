/** Both versions of the API: handlers of their endpoints, whose actions are the same functions where they do the same. */
import { regionOf } from "../formats/aws-access-key.ts";
import { type AwsActions, type AwsCall, queryHandler } from "../formats/aws-actions.ts";
import { restResponse } from "../formats/aws-errors.ts";
import { fieldOf } from "../formats/form.ts";
import { readJsonObject, type JsonObject } from "../formats/json-body.ts";
import type { Handler, OpenHandler } from "../kit/endpoints.ts";
import type { ProviderRequest } from "../provider.ts";
import { restAccountActions, queryAccountActions } from "./account.ts";
import { rejection, sesErrors, queryNamespace } from "./errors.ts";
import { restSendingActions, querySendingActions } from "./sending-actions.ts";
import { templateActions } from "./templates.ts";

/** Call of an action, in version 2 (`isRest`) or 1. */
export interface SesCall extends AwsCall {
  readonly isRest: boolean;
}

/** Actions by name. */
export type SesActions = AwsActions<SesCall>;

/** Returns the actions as version 1 calls them. */
function queryActions(actions: SesActions): AwsActions {
  const entries = Object.entries(actions).map(([name, { need, act }]) => {
    return [name, { need, act: async (call: AwsCall) => act({ ...call, isRest: false }) }] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the handlers of version 2, which respond with the result of an action as JSON. */
function restHandlers(actions: SesActions): Readonly<Record<string, Handler>> {
  const entries = Object.entries(actions).map(([name, { act }]): readonly [string, Handler] => {
    const respond: Handler = async ({ request, session, services }) => {
      const members = readMembers(request);
      const value = await act({ request: members, session, services, region: regionOf(request), isRest: true });
      return restResponse(200, value ?? {});
    };
    return [name, async (call) => respond(call).catch(sesErrors.throwAsRejection)];
  });
  return Object.fromEntries(entries);
}

/** Returns the members of a request: of the path, the body and, without a body, the page of a list. Throws `malformed`. */
function readMembers({ method, path, params, fields, body }: ProviderRequest): JsonObject {
  if (method === "GET" || method === "DELETE") {
    const [token = null, size] = ["NextToken", "PageSize"].map((name) => fieldOf(fields, name));
    return { NextToken: token, PageSize: size === undefined ? null : Number(size), ...params };
  }
  if (body.byteLength === 0 && path.startsWith("/v2/email/list-")) return {};
  const value = readJsonObject(body);
  if (value === undefined) throw rejection("malformed");
  return { ...value, ...params };
}

/** Handlers of version 2, with the names of actions. */
export const handlers: Readonly<Record<string, Handler>> = restHandlers({
  ...restSendingActions,
  ...restAccountActions,
  ...templateActions,
});

/** Largest body: a mail of 10 MB in base64, with its characters percent-encoded. */
const bodyBytesMax = 20 * 1024 * 1024;

const actions = queryActions({ ...querySendingActions, ...templateActions, ...queryAccountActions });

/** Names of all actions of version 1. */
export const queryActionNames: readonly string[] = Object.keys(actions);

const respond = queryHandler({ namespace: queryNamespace, version: "2010-12-01", actions, errors: sesErrors });

/** Responds to an action: `POST /`. */
export const respondToQuery: OpenHandler = async (call) => {
  if (call.request.body.byteLength > bodyBytesMax) {
    throw rejection("invalid", "Message length is more than 10485760 bytes long.");
  }
  return respond(call);
};
