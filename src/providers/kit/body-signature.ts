/** Signature of webhooks over their whole body: HMAC-SHA256, in hexadecimal in a header field. */
import { createHmac } from "node:crypto";
import type { CallbackRequest, CallbackSigning, WebhookCredentials } from "../callbacks.ts";
import {
  alterEncoded,
  basicAuthHeaders,
  basicAuthSetting,
  givenBasicAuth,
  givenSecret,
  newSecret,
} from "../formats/callback-values.ts";

/** Signature in one header field. */
export interface BodySignature {
  readonly credentials: WebhookCredentials;
  /** Returns the signed request of a body. */
  readonly sign: (
    body: Uint8Array,
    signing: Pick<CallbackSigning, "url" | "secrets">,
    contentType?: string,
  ) => CallbackRequest;
}

/** Returns the signature in a header field, with a secret that the user gives or the service makes. */
export function bodySignature(field: string): BodySignature {
  return {
    credentials: {
      settings: [
        { name: "secret", description: "Signing secret; made here by default", isSecret: true },
        basicAuthSetting,
      ],
      verification: `HMAC-SHA256 over the raw body with the signing secret, in hexadecimal in \`${field}\`.`,
      createSecrets: (given) => {
        const secret = givenSecret(given, "secret") ?? newSecret();
        return { secrets: { secret, ...givenBasicAuth(given) }, publicKey: null, secret };
      },
      forge: (request) => ({
        ...request,
        headers: { ...request.headers, [field]: alterEncoded(request.headers[field] ?? "") },
      }),
    },
    sign: (body, signing, contentType = "application/json") => {
      const hmac = createHmac("sha256", signing.secrets["secret"] ?? "").update(body);
      return { headers: { ...basicAuthHeaders(signing), [field]: hmac.digest("hex") }, contentType, body };
    },
  };
}
