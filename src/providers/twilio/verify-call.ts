/** Parts of requests to Twilio Verify that all endpoints read. */
import type { ProviderRequest, ProviderResponse } from "../provider.ts";
import { twilioError, twilioErrorResponse } from "./errors.ts";

const unknownAccount = `AC${"0".repeat(32)}`;

/** Returns the account SID that is the user name of the request; one of zeros when it is the SID of an API key. */
export function accountSidOf({ headers }: Pick<ProviderRequest, "headers">): string {
  const credentials = /^basic +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const user = Buffer.from(credentials, "base64").toString("utf8").split(":", 1)[0] ?? "";
  return /^AC[0-9a-f]{32}$/i.test(user) ? user : unknownAccount;
}

/** Returns Twilio's error for a resource that does not exist; its path is shown without the version. */
export function resourceNotFound({ path }: Pick<ProviderRequest, "path">): ProviderResponse {
  return twilioErrorResponse(twilioError(20404, path.replace(/^\/v2/, "")));
}
