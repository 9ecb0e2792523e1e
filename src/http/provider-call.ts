import type { IncomingMessage } from "node:http";
import type { ByteHold } from "../core/byte-budget.ts";
import { readBody } from "./read-body.ts";
import type { Call, ProviderCall } from "./route.ts";

/** Returns a request in the format of a provider, whose body is read when the route asks for it. */
export function toProviderCall(
  call: Call,
  {
    request,
    hold,
    identify,
  }: { readonly request: IncomingMessage; readonly hold: ByteHold } & Pick<ProviderCall, "identify">,
): ProviderCall {
  return {
    ...call,
    url: call.context.settings.publicUrl() + (request.url ?? "/"),
    identify,
    readBody: async (bytesMax) => readBody(request, { bytesMax, hold }),
  };
}
