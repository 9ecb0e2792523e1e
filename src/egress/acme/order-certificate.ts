/** Order of a certificate from an authority (ACME, RFC 8555 §7.4) with the challenge HTTP-01 (§8.3) or TLS-ALPN-01 (RFC 8737). */
import type { Clock } from "../../core/clock.ts";
import { AcmeConnection, AcmeFailure, problemText, type AcmeAccount, type AcmeAnswer } from "./acme-connection.ts";

/** Way in which control of a name is proved. */
export type ChallengeType = "http-01" | "tls-alpn-01";

/** Key authorizations of open challenges, by their token (HTTP-01) or host name (TLS-ALPN-01). */
export interface ChallengeAnswers {
  set(id: string, keyAuthorization: string): unknown;
  delete(id: string): unknown;
}

/** Order. */
export interface CertificateOrder {
  /** DNS names. */
  readonly names: readonly string[];
  /** PKCS #10 request for exactly these names, in DER. */
  readonly request: Buffer;
  readonly challenge: ChallengeType;
}

/** Dependencies of {@link orderCertificate}. */
export interface OrderDependencies {
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  /** Aborts the order. */
  readonly signal: AbortSignal;
  readonly answers: ChallengeAnswers;
  /** Milliseconds after which every listener has an answer that was set; 0 by default. */
  readonly settleMs?: number;
}

/** Time for one order; authorities validate within seconds. */
export const orderMsMax = 300_000;
/** First and longest pause before an undecided order or authorization is read again, unless the authority gives a time. */
const pollMs = { min: 2000, max: 20_000 } as const;
/** Authorizations and challenges that are read. */
const listLengthMax = 100;

/**
 * Orders a certificate, proves control of its names one by one, and returns the chain in PEM. Rejects with {@link AcmeFailure} that
 * says what the authority refuses, or with the error of the connection. Certificates are not checked.
 */
export async function orderCertificate(
  account: AcmeAccount,
  { names, request, challenge: type }: CertificateOrder,
  { clock, signal, answers, settleMs = 0 }: OrderDependencies,
): Promise<string> {
  const connection = await AcmeConnection.open(account, { clock, signal });
  const poll = createPoll(connection, { clock, signal });
  const settle = async (): Promise<void> => pause(clock, settleMs, signal);
  const identifiers = names.map((value) => ({ type: "dns", value }));
  const order = await connection.post(connection.newOrder, { identifiers });
  for (const url of listOf(order.json["authorizations"]))
    await authorize(connection, { url, type, answers, settle, poll });
  await connection.post(order.json["finalize"], { csr: request.toString("base64url") });
  const { certificate } = (await poll(order.location, "the order")).json;
  return (await connection.post(certificate, null)).text;
}

type Poll = (url: unknown, subject: string) => Promise<AcmeAnswer>;

/** Authorization to prove. */
interface Authorization {
  readonly url: unknown;
  readonly type: ChallengeType;
  readonly answers: ChallengeAnswers;
  readonly settle: () => Promise<void>;
  readonly poll: Poll;
}

/** Proves control of a name. */
async function authorize(
  connection: AcmeConnection,
  { url, type, answers, settle, poll }: Authorization,
): Promise<void> {
  const { json } = await connection.post(url, null);
  if (json["status"] === "valid") return;
  const name = String((json["identifier"] as { readonly value?: unknown } | undefined)?.value).slice(0, 253);
  const challenge = challengesOf(json).find((one) => one["type"] === type);
  const token = challenge?.["token"];
  if (challenge === undefined || typeof token !== "string" || !/^[\w-]{1,512}$/.test(token))
    throw new AcmeFailure(`the authority offers no ${type.toUpperCase()} challenge for ${name}`);
  const id = type === "http-01" ? token : name;
  try {
    await answers.set(id, await connection.keyAuthorization(token));
    await settle();
    await connection.post(challenge["url"], {});
    await poll(url, name);
  } finally {
    await answers.delete(id);
  }
}

/** Returns a function that reads a resource until it is valid, within the time of the order. */
function createPoll(connection: AcmeConnection, { clock, signal }: Pick<OrderDependencies, "clock" | "signal">): Poll {
  const end = clock.monotonicMs() + orderMsMax;
  return async (url, subject) => {
    for (let usualMs: number = pollMs.min; ; usualMs = Math.min(pollMs.max, usualMs * 2)) {
      const answer = await connection.post(url, null);
      const { status } = answer.json;
      if (status === "valid") return answer;
      if (status === "invalid") throw new AcmeFailure(`${subject} was refused: ${reasonOf(answer)}`);
      const pauseMs = answer.retryAfterSeconds === null ? usualMs : answer.retryAfterSeconds * 1000;
      if (clock.monotonicMs() + pauseMs > end) throw new AcmeFailure(`${subject} was not decided in time`);
      await pause(clock, pauseMs, signal);
    }
  };
}

/** Resolves after a time; rejects when the signal aborts before. */
async function pause(clock: OrderDependencies["clock"], ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (!signal.aborted) await promise;
  cancel();
  signal.throwIfAborted();
}

/** Returns the problem of an order, or of the challenge that failed. */
function reasonOf({ json }: AcmeAnswer): string {
  return problemText(challengesOf(json).find((one) => one["error"] !== undefined)?.["error"] ?? json["error"]);
}

function challengesOf(json: AcmeAnswer["json"]): readonly Readonly<Record<string, unknown>>[] {
  return listOf(json["challenges"]).filter((one) => typeof one === "object" && one !== null) as readonly Readonly<
    Record<string, unknown>
  >[];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, listLengthMax) : [];
}
