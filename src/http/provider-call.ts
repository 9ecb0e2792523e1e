import type { IncomingMessage } from "node:http";
import { readBody } from "./read-body.ts";
import type { RequestResources } from "./request-resources.ts";
import type { Call, ProviderCall } from "./route.ts";

/** Returns a request in the format of a provider, whose body is read when the route asks for it. */
export function toProviderCall(
  call: Call,
  request: IncomingMessage,
  { identify, body: hold, admitBody: admit, endConnection }: RequestResources,
): ProviderCall {
  const { clock, settings } = call.context;
  return {
    ...call,
    url: settings.publicUrl() + (request.url ?? "/"),
    identify,
    readBody: async (bytesMax) => readBody(request, { bytesMax, hold, admit, clock, endConnection }),
    releaseBody: () => {
      hold.release();
    },
  };
}
