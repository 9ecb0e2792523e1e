/** Credentials of SparkPost's requests, which events and inbound mail share: https://support.sparkpost.com/docs/tech-resources/webhook-authentication */
import type { CallbackSigning, WebhookCredentials } from "../callbacks.ts";
import {
  basicAuthHeaders,
  basicAuthSetting,
  givenBasicAuth,
  givenSecret,
  newSecret,
  withWrongCredentials,
} from "../formats/callback-values.ts";

const tokenHeader = "x-messagesystems-webhook-token";

/** Token in a header field of its own, and credentials of Basic authentication or a bearer token. */
export const sparkPostCredentials: WebhookCredentials = {
  settings: [
    { name: "token", description: "Value of `X-MessageSystems-Webhook-Token`; a new one by default", isSecret: true },
    basicAuthSetting,
    { name: "accessToken", description: "Bearer token of OAuth 2.0; none by default", isSecret: true },
  ],
  verification: "Compare `X-MessageSystems-Webhook-Token`, or the Authorization header field. Nothing is signed.",
  createSecrets: (given) => {
    const token = givenSecret(given, "token") ?? newSecret();
    const accessToken = givenSecret(given, "accessToken");
    const secrets = { token, ...givenBasicAuth(given), ...(accessToken !== undefined && { accessToken }) };
    return { secrets, publicKey: null, secret: token };
  },
  forge: (request) => {
    const forged = request.headers["authorization"] === undefined ? request : withWrongCredentials(request);
    return { ...forged, headers: { ...forged.headers, [tokenHeader]: newSecret() } };
  },
};

/** Returns the header fields with the credentials of a target. */
export function credentialHeaders(signing: CallbackSigning): Readonly<Record<string, string>> {
  const { token = "", accessToken } = signing.secrets;
  const bearer = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
  return { ...basicAuthHeaders(signing), ...bearer, [tokenHeader]: token };
}

/** Header fields whose values nothing shows. */
export const secretHeaders: readonly string[] = [tokenHeader];
