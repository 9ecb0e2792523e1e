/** Credentials of SparkPost's requests, which events and inbound mail share: https://support.sparkpost.com/docs/tech-resources/webhook-authentication */
import type { CallbackRequest, CallbackSigning, WebhookCredentials } from "../callbacks.ts";
import {
  basicAuthHeaders,
  basicAuthSetting,
  givenBasicAuth,
  givenSecret,
  givenSecretHeader,
  newSecret,
  secretHeader,
  secretHeaderSetting,
  withWrongCredentials,
} from "../formats/callback-values.ts";

const tokenHeader = "x-messagesystems-webhook-token";

/** Token in a header field of its own, and credentials of Basic authentication or a bearer token. */
export const sparkPostCredentials: WebhookCredentials = {
  settings: [
    { name: "token", description: "Value of `X-MessageSystems-Webhook-Token`; a new one by default", isSecret: true },
    basicAuthSetting,
    { name: "accessToken", description: "Bearer token of OAuth 2.0; none by default", isSecret: true },
    secretHeaderSetting,
  ],
  verification: "Compare `X-MessageSystems-Webhook-Token`, or the Authorization header field. Nothing is signed.",
  createSecrets: (given) => {
    const token = givenSecret(given, "token") ?? newSecret();
    const accessToken = givenSecret(given, "accessToken");
    const header = givenSecretHeader(given);
    const own = { ...(accessToken !== undefined && { accessToken }), ...(header !== undefined && { header }) };
    return { secrets: { token, ...givenBasicAuth(given), ...own }, publicKey: null, secret: token };
  },
  forge: (request) => {
    const forged = request.headers["authorization"] === undefined ? request : withWrongCredentials(request);
    return { ...forged, headers: { ...forged.headers, [tokenHeader]: newSecret() } };
  },
};

/** Returns the header fields of a request, and the names of those whose values nothing shows. */
export function credentialHeaders(
  signing: Pick<CallbackSigning, "url" | "secrets">,
  batch: string,
): Required<Pick<CallbackRequest, "headers" | "secretHeaders">> {
  const { token = "", accessToken } = signing.secrets;
  const bearer = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
  const own = secretHeader(signing.secrets);
  const credentials = { ...basicAuthHeaders(signing), ...bearer, [tokenHeader]: token };
  return {
    headers: { ...own.headers, ...credentials, "x-messagesystems-batch-id": batch },
    secretHeaders: [tokenHeader, ...own.secretHeaders],
  };
}
