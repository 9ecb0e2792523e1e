/** Failures of deliveries, and whether they are retried. */

/** Stage of a delivery that failed. Failures up to `login` are independent of the mail. */
export type DeliveryStage = "connect" | "tls" | "login" | "mail" | "recipient" | "data" | "unknown";

/** Facts of a failure. */
export interface FailureEvidence {
  readonly stage: DeliveryStage;
  /** Code of the SMTP reply (RFC 5321 §4.2); null without one. */
  readonly replyCode: number | null;
  /** True when the service itself refused the delivery permanently. */
  readonly isLocalRefusal: boolean;
}

/** Consequence of a failure: another attempt, or a permanent failure. */
export type Verdict = "retry" | "fail";

/** Codes for command sequence and authentication: failures of the session, which the operator can correct. */
const sessionReplyCodes = new Set([503, 530, 534, 535, 538]);

/**
 * Returns `fail` when the sender, a recipient or the content got a 5yz reply, and for local refusals. Everything else is
 * retried: 4yz replies, a relay that is down, silent, without TLS or with an invalid certificate, a rejected login. A lost
 * reply to DATA is retried too: a duplicate is better than a lost mail (RFC 1047).
 */
export function classifyFailure(evidence: FailureEvidence): Verdict {
  const { stage, replyCode, isLocalRefusal } = evidence;
  if (isLocalRefusal) return "fail";
  const concernsMail = stage === "mail" || stage === "recipient" || stage === "data";
  if (!concernsMail || replyCode === null || sessionReplyCodes.has(replyCode)) return "retry";
  return replyCode >= 500 && replyCode <= 599 ? "fail" : "retry";
}

/** Error of a failed delivery. */
export class DeliveryFailure extends Error implements FailureEvidence {
  override readonly name: string = "DeliveryFailure";
  readonly verdict: Verdict;
  readonly stage: DeliveryStage;
  readonly replyCode: number | null;
  readonly isLocalRefusal: boolean;

  /** `text` is shown to the owner of the message: one line, cut at 500 characters, without credentials. */
  constructor(text: string, evidence: FailureEvidence, cause?: unknown) {
    super(
      text
        .replaceAll(/[\p{Cc}\s]+/gu, " ")
        .trim()
        .slice(0, 500),
      { cause },
    );
    this.stage = evidence.stage;
    this.replyCode = evidence.replyCode;
    this.isLocalRefusal = evidence.isLocalRefusal;
    this.verdict = classifyFailure(evidence);
  }
}

/** Returns the failure of a request to a target, permanent or temporary. */
export function requestFailure(text: string, isFinal: boolean, cause?: unknown): DeliveryFailure {
  return new DeliveryFailure(text, { stage: "connect", replyCode: null, isLocalRefusal: isFinal }, cause);
}

/** Returns the permanent failure of a delivery that the service itself refuses. */
export function localRefusal(text: string): DeliveryFailure {
  return new DeliveryFailure(text, { stage: "unknown", replyCode: null, isLocalRefusal: true });
}

/** Returns an error as a failure. Unexpected errors are independent of the message, so they are retried. */
export function toFailure(error: unknown): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const evidence = { stage: "unknown", replyCode: null, isLocalRefusal: false } as const;
  return new DeliveryFailure("Internal error", evidence, error);
}
