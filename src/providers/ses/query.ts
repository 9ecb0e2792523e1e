/** Version 1: dispatch of actions. */
import { readQuery } from "../formats/aws-query.ts";
import { queryResponse } from "../formats/aws-xml.ts";
import type { ProviderRequest, ProviderResponse, ProviderServices } from "../provider.ts";
import { authenticateCaller, withErrors } from "./call.ts";
import { SesError } from "./errors.ts";
import { textAt } from "../formats/aws-members.ts";
import { accountActions } from "./query-account.ts";
import type { QueryAction, QueryActions } from "./query-call.ts";
import { sendingActions } from "./query-sending.ts";
import { templateActions } from "./query-templates.ts";
import { newRequestId, queryNamespace } from "./response.ts";

/** Largest body: a mail of 10 MB in base64, with its characters percent-encoded. */
const bodyBytesMax = 20 * 1024 * 1024;

const actions: ReadonlyMap<string, QueryAction> = new Map(
  Object.entries<QueryAction>({ ...sendingActions, ...templateActions, ...accountActions } satisfies QueryActions),
);

/** Names of all actions of version 1. */
export const queryActionNames: readonly string[] = [...actions.keys()];

/** Responds to an action: `POST /`. */
export async function respondToQuery(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  return withErrors(request, async () => {
    if (request.body.byteLength > bodyBytesMax) {
      throw new SesError("invalid", "Message length is more than 10485760 bytes long.");
    }
    const parameters = readQuery(request.body);
    if (parameters === undefined) throw new SesError("malformed");
    const name = textAt(parameters, "Action") ?? "";
    const action = actions.get(name);
    if (action === undefined) {
      const version = textAt(parameters, "Version") ?? "2010-12-01";
      await authenticateCaller(request, services, "read");
      throw new SesError("unknownOperation", `Could not find operation ${name} for version ${version}`);
    }
    const caller = await authenticateCaller(request, services, action.need);
    const result = await action.act({ ...caller, request: parameters });
    return queryResponse({ namespace: queryNamespace, requestId: newRequestId() }, name, result);
  });
}
