/** Version 1: dispatch of actions. */
import { accessKeyOf, regionOf } from "../formats/aws-access-key.ts";
import { textAt } from "../formats/aws-members.ts";
import { readQuery, type QueryAction } from "../formats/aws-query.ts";
import { queryResponse } from "../formats/aws-xml.ts";
import type { Need, OpenCall, OpenHandler } from "../kit/endpoints.ts";
import type { ProviderResponse } from "../provider.ts";
import { throwAsRejection, type Caller, type QueryCall } from "./call.ts";
import { rejection } from "./errors.ts";
import { accountActions } from "./query-account.ts";
import { sendingActions } from "./query-sending.ts";
import { templateActions } from "./query-templates.ts";
import { newRequestId, queryNamespace } from "./response.ts";

/** Largest body: a mail of 10 MB in base64, with its characters percent-encoded. */
const bodyBytesMax = 20 * 1024 * 1024;

const actions: ReadonlyMap<string, QueryAction<QueryCall>> = new Map(
  Object.entries<QueryAction<QueryCall>>({ ...sendingActions, ...templateActions, ...accountActions }),
);

/** Names of all actions of version 1. */
export const queryActionNames: readonly string[] = [...actions.keys()];

/** Responds to an action: `POST /`. */
export const respondToQuery: OpenHandler = async (call) => respond(call).catch(throwAsRejection);

async function respond(call: OpenCall): Promise<ProviderResponse> {
  const { body } = call.request;
  if (body.byteLength > bodyBytesMax) throw rejection("invalid", "Message length is more than 10485760 bytes long.");
  const request = await readQuery(body);
  if (request === undefined) throw rejection("malformed");
  const name = textAt(request, "Action") ?? "";
  const action = actions.get(name);
  const caller = await authenticate(call, action?.need ?? "read");
  if (action === undefined) {
    const version = textAt(request, "Version") ?? "2010-12-01";
    throw rejection("unknownOperation", `Could not find operation ${name} for version ${version}`);
  }
  const result = await action.act({ ...caller, request });
  return queryResponse({ namespace: queryNamespace, requestId: newRequestId() }, name, result);
}

async function authenticate({ request, services }: OpenCall, need: Need): Promise<Caller> {
  const key = accessKeyOf(request);
  if (key === null) throw rejection("missingToken");
  return { session: await services.authenticate(key, need), services, region: regionOf(request) };
}
