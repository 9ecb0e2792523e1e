/** Signed requests to the directory of a certificate authority (ACME, RFC 8555 §6). The only importer of `jose` for ACME. */
import type { KeyObject } from "node:crypto";
import { calculateJwkThumbprint, exportJWK, FlattenedSign, type JWK } from "jose";
import type { Clock } from "../../core/clock.ts";
import { readJson } from "../../core/read-json.ts";
import { requestWithin, type LimitedRequest, type LimitedResponse } from "../limited-request.ts";

/** Directory, and the account at it. */
export interface AcmeAccount {
  /** URL of the directory. */
  readonly directory: string;
  /** ECDSA P-256 key of the account. */
  readonly key: KeyObject;
  /** Address for mail about the account; null: none. */
  readonly contact: string | null;
  /** Trusted certificates in PEM, which replace the public roots; null: the public roots. */
  readonly ca: string | null;
}

/** Dependencies of {@link AcmeConnection}. */
export interface AcmeDependencies {
  readonly clock: Pick<Clock, "after">;
  /** Aborts requests. */
  readonly signal: AbortSignal;
}

/** Answer of the authority: an object of JSON, or text where it is none. */
export interface AcmeAnswer {
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** URL in `Location`; "" without one. */
  readonly location: string;
  /** Seconds of `Retry-After`, from 1 to 60; null without them. */
  readonly retryAfterSeconds: number | null;
}

/** Failure that the authority has reported, or that its answer cannot be used. */
export class AcmeFailure extends Error {
  override readonly name: string = "AcmeFailure";
}

/** Bounds of one request. */
const bounds = { msMax: 30_000, bytesMax: 1024 * 1024 } as const;
/** Requests that are signed again with a newer nonce (RFC 8555 §6.5). */
const nonceAttemptMax = 10;
const errorLengthMax = 500;

/** Connection with an account. */
export class AcmeConnection {
  readonly #account: AcmeAccount;
  readonly #dependencies: AcmeDependencies;
  readonly #jwk: JWK;
  readonly #urls: Readonly<Record<string, unknown>>;
  #nonce: string | null = null;
  #accountUrl: string | null = null;

  private constructor(
    account: AcmeAccount,
    dependencies: AcmeDependencies,
    { jwk, urls }: { readonly jwk: JWK; readonly urls: Readonly<Record<string, unknown>> },
  ) {
    this.#account = account;
    this.#dependencies = dependencies;
    this.#jwk = jwk;
    this.#urls = urls;
  }

  /** Reads the directory, and creates the account unless it exists, with consent to the terms of service. */
  static async open(account: AcmeAccount, dependencies: AcmeDependencies): Promise<AcmeConnection> {
    const jwk = await exportJWK(account.key);
    const { kty, crv, x, y } = jwk as Readonly<Record<"kty" | "crv" | "x" | "y", string>>;
    const directory = urlOf(account.directory, account.directory);
    const response = await send(directory, { method: "GET" }, { account, dependencies });
    const { json } = answerOf(response);
    if (response.status !== 200) throw failureOf(directory, response.status, json);
    const connection = new AcmeConnection(account, dependencies, { jwk: { kty, crv, x, y }, urls: json });
    const contact = account.contact === null ? {} : { contact: [`mailto:${account.contact}`] };
    const { location } = await connection.post(json["newAccount"], { termsOfServiceAgreed: true, ...contact });
    connection.#accountUrl = location;
    return connection;
  }

  /** URL for new orders. */
  get newOrder(): unknown {
    return this.#urls["newOrder"];
  }

  /** Returns the value that proves control of a name (RFC 8555 §8.1). */
  async keyAuthorization(token: string): Promise<string> {
    return `${token}.${await calculateJwkThumbprint(this.#jwk)}`;
  }

  /** Sends a signed request; a null payload reads the resource. Rejects with {@link AcmeFailure}, or the error of the connection. */
  async post(url: unknown, payload: object | null): Promise<AcmeAnswer> {
    const target = urlOf(url, this.#account.directory);
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#send(target, payload);
      const answer = answerOf(response);
      const isStale = answer.json["type"] === "urn:ietf:params:acme:error:badNonce";
      if (response.status < 400) return answer;
      if (!isStale || attempt === nonceAttemptMax) throw failureOf(target, response.status, answer.json);
    }
  }

  async #send(url: URL, payload: object | null): Promise<LimitedResponse> {
    const nonce = this.#nonce ?? (await this.#newNonce());
    this.#nonce = null;
    const identity = this.#accountUrl === null ? { jwk: this.#jwk } : { kid: this.#accountUrl };
    const signed = await new FlattenedSign(Buffer.from(payload === null ? "" : JSON.stringify(payload)))
      .setProtectedHeader({ alg: "ES256", nonce, url: url.href, ...identity })
      .sign(this.#account.key);
    const response = await this.#request(url, {
      method: "POST",
      headers: { "content-type": "application/jose+json" },
      body: JSON.stringify(signed),
    });
    this.#nonce = nonceOf(response);
    return response;
  }

  async #newNonce(): Promise<string> {
    const url = urlOf(this.#urls["newNonce"], this.#account.directory);
    const nonce = nonceOf(await this.#request(url, { method: "HEAD" }));
    if (nonce === null) throw new AcmeFailure(`${url.host} gave no nonce`);
    return nonce;
  }

  async #request(url: URL, request: UnsignedRequest): Promise<LimitedResponse> {
    return send(url, request, { account: this.#account, dependencies: this.#dependencies });
  }
}

type UnsignedRequest = Pick<LimitedRequest, "method" | "headers" | "body">;

/** Sends a request within the bounds, with the field that RFC 8555 §6.1 requires. */
async function send(
  url: URL,
  request: UnsignedRequest,
  { account, dependencies }: { readonly account: AcmeAccount; readonly dependencies: AcmeDependencies },
): Promise<LimitedResponse> {
  const headers = { ...request.headers, "user-agent": "restante" };
  const { clock, signal } = dependencies;
  return requestWithin(url, { ...request, headers, ca: account.ca, signal, ...bounds }, clock);
}

function nonceOf({ headers }: LimitedResponse): string | null {
  const nonce = headers["replay-nonce"];
  return typeof nonce === "string" && /^[\w-]{1,512}$/.test(nonce) ? nonce : null;
}

/** Returns a URL of the authority, which must have the protocol of the directory. */
function urlOf(given: unknown, directory: string): URL {
  const url = typeof given === "string" ? URL.parse(given) : null;
  if (url === null || url.protocol !== new URL(directory).protocol)
    throw new AcmeFailure(`the directory ${directory} names an unusable URL`);
  return url;
}

function answerOf({ body, headers }: LimitedResponse): AcmeAnswer {
  const isJson = /^application\/(?:problem\+)?json\b/.test(headers["content-type"] ?? "");
  const reading = isJson ? readJson(body) : { value: {} };
  const value = "value" in reading ? reading.value : {};
  const seconds = Number(headers["retry-after"]);
  return {
    json: typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {},
    text: body.toString("utf8"),
    location: headers.location ?? "",
    retryAfterSeconds: seconds >= 1 ? Math.min(60, Math.ceil(seconds)) : null,
  };
}

function failureOf(url: URL, status: number, problem: unknown): AcmeFailure {
  return new AcmeFailure(`${url.host} answered ${String(status)}: ${problemText(problem)}`);
}

/** Returns the text of a problem document (RFC 9457) with those of its parts, on one line of bounded length. */
export function problemText(problem: unknown): string {
  const { type, detail, subproblems } = (problem ?? {}) as Readonly<Record<string, unknown>>;
  const parts = Array.isArray(subproblems) ? subproblems.slice(0, 10).map(problemText) : [];
  const text = [type, detail].filter((part) => typeof part === "string").join(" ");
  return [text === "" ? "no reason" : text, ...parts]
    .join("; ")
    .replaceAll(/[^ -~]+/g, " ")
    .slice(0, errorLengthMax);
}
