/** What a failed delivery means for the mail: try again, or give up. */

/** At which point of a delivery it failed. Everything up to `login` says nothing about the mail. */
export type DeliveryStage = "connect" | "tls" | "login" | "mail" | "recipient" | "data" | "unknown";

/** What is known of a failure. */
export interface FailureEvidence {
  readonly stage: DeliveryStage;
  /** Code of the SMTP reply (RFC 5321 §4.2); null when none came. */
  readonly replyCode: number | null;
  /** The mail was refused on our side, before the relay saw it. */
  readonly isOurRefusal: boolean;
}

/** Whether to try again. */
export type Verdict = "retry" | "fail";

/** Commands out of order, authentication wanted or refused: the session's trouble, which the operator can end. */
const sessionReplyCodes = new Set([503, 530, 534, 535, 538]);

/**
 * A mail fails for good when its sender, a recipient or its content met a 5yz reply, or when it can not be sent as it is.
 * All else may pass: 4yz replies, a relay that is down, silent, without TLS or with a bad certificate, a login
 * that is refused. A lost answer to DATA is tried again too: a mail twice is better than none (RFC 1047).
 */
export function classifyFailure(evidence: FailureEvidence): Verdict {
  const { stage, replyCode, isOurRefusal } = evidence;
  if (isOurRefusal) return "fail";
  const concernsMail = stage === "mail" || stage === "recipient" || stage === "data";
  if (!concernsMail || replyCode === null || sessionReplyCodes.has(replyCode)) return "retry";
  return replyCode >= 500 && replyCode <= 599 ? "fail" : "retry";
}

/** Thrown by a relay for every mail that it could not hand on. */
export class DeliveryFailure extends Error implements FailureEvidence {
  override readonly name: string = "DeliveryFailure";
  readonly verdict: Verdict;
  readonly stage: DeliveryStage;
  readonly replyCode: number | null;
  readonly isOurRefusal: boolean;

  /** `text` is for the owner of the mail: one line, at most 500 characters are kept, no credentials in it. */
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
    this.isOurRefusal = evidence.isOurRefusal;
    this.verdict = classifyFailure(evidence);
  }
}
