/** Event webhooks: requests with one event each, signatures, what events say when nothing else is known, and test addresses. */
import { createHmac } from "node:crypto";
import type { CallbackRequest, CallbackSigning, EventDetails, EventWebhooks, MailEvent } from "../callbacks.ts";
import type { CallbackSecrets, CallbackSetting, MailEventType, WebhookCredentials } from "../callbacks.ts";
import {
  alterEncoded,
  basicAuthHeaders,
  basicAuthSetting,
  givenBasicAuth,
  givenSecret,
  givenSecretHeader,
  jsonBody,
  newSecret,
  secretHeaderSetting,
} from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";

/** Returns the rendering of a provider whose requests have one event each. */
export function oneByOne(
  render: (event: MailEvent, signing: CallbackSigning) => CallbackRequest,
): Pick<EventWebhooks, "batchCountMax" | "render"> {
  return {
    batchCountMax: 1,
    render: ([event], signing) => {
      if (event === undefined) throw new RangeError("No event to render");
      return render(event, signing);
    },
  };
}

/** As {@link oneByOne}, for events that are JSON; `headers` returns the header fields of a request, its signature among them. */
export function jsonOneByOne({
  wire,
  headers,
}: {
  readonly wire: (event: MailEvent, signing: CallbackSigning) => JsonObject;
  readonly headers: (signing: CallbackSigning, event: MailEvent, body: Uint8Array) => CallbackRequest["headers"];
}): Pick<EventWebhooks, "batchCountMax" | "render"> {
  return oneByOne((event, signing) => {
    const body = jsonBody(wire(event, signing));
    return { headers: headers(signing, event, body), contentType: "application/json", body };
  });
}

/** User agent of a reader of whom nothing is known, where events describe the browser. */
export const usualBrowser = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

/** Returns the client that opened or clicked, from the documentation network (RFC 5737) by default. */
export function readerOf(
  { ip = "192.0.2.1", userAgent, url = "https://example.com/" }: EventDetails,
  browser = "Mozilla/5.0",
): Required<Pick<EventDetails, "ip" | "userAgent" | "url">> {
  return { ip, userAgent: userAgent ?? browser, url };
}

/** Secret setting of a target. */
interface SecretSetting extends Pick<CallbackSetting, "name" | "description"> {
  /** Returns the value that the user gave; undefined without one. Throws `invalid_request`. */
  readonly read: (given: CallbackSecrets) => string | undefined;
  /** Makes the value of a new target where the user gives none; absent: it has none. */
  readonly make?: () => string;
}

/** User and password of Basic authentication. */
export const basicAuth: SecretSetting = { ...basicAuthSetting, read: (given) => givenBasicAuth(given)["basicAuth"] };

/** Header field with a secret value. */
export const headerSecret: SecretSetting = { ...secretHeaderSetting, read: givenSecretHeader };

/** Returns a setting with a secret, which is made where the user gives none. */
export function madeSecret(name: string, description: string, make: () => string = newSecret): SecretSetting {
  return { name, description, read: (given) => givenSecret(given, name), make };
}

/** Returns the secret settings of a target, and the function that makes its secrets, of which the first one is shown. */
export function secretsOf(
  ...settings: readonly [SecretSetting, ...SecretSetting[]]
): Pick<WebhookCredentials, "settings" | "createSecrets"> {
  return {
    settings: settings.map(({ name, description }) => ({ name, description, isSecret: true })),
    createSecrets: (given) => {
      const secrets = settings.flatMap(({ name, read, make }) => {
        const value = read(given) ?? make?.();
        return value === undefined ? [] : [[name, value] as const];
      });
      return { secrets: Object.fromEntries(secrets), publicKey: null, secret: secrets[0]?.[1] ?? null };
    },
  };
}

/** Signature of a whole body in one header field. */
interface BodySignature {
  readonly credentials: WebhookCredentials;
  /** Returns the signed request of a body. */
  readonly sign: (
    body: Uint8Array,
    signing: Pick<CallbackSigning, "url" | "secrets">,
    contentType?: string,
  ) => CallbackRequest;
}

/** Returns the signature in a header field, HMAC-SHA256 in hexadecimal, with a secret that the user gives or the service makes. */
export function bodySignature(field: string): BodySignature {
  return {
    credentials: {
      ...secretsOf(madeSecret("secret", "Signing secret; made here by default"), basicAuth),
      verification: `HMAC-SHA256 over the raw body with the signing secret, in hexadecimal in \`${field}\`.`,
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

/** Events of a local part, in order. */
type TestAddressOutcomes = Readonly<
  Record<string, readonly { readonly type: MailEventType; readonly details?: EventDetails }[]>
>;

/**
 * Returns the events of a test address of a domain, whose local part may have a label (`bounced+order-1@resend.dev`);
 * undefined for other recipients. Letter case does not matter.
 */
export function outcomeOfTestAddress(
  recipient: string,
  domain: string,
  outcomes: TestAddressOutcomes,
): ReturnType<NonNullable<EventWebhooks["outcomeOf"]>> {
  const address = recipient.toLowerCase();
  if (!address.endsWith(`@${domain}`)) return undefined;
  const name = address.slice(0, -domain.length - 1).split("+")[0] ?? "";
  if (!Object.hasOwn(outcomes, name)) return undefined;
  return outcomes[name]?.map(({ type, details = {} }) => ({ type, details }));
}
