/** Faults at the stages of a session: one function applies the rules, and every verb calls it. */
import type {
  FaultDecision,
  FaultOccurrence,
  FaultOutcome,
  FaultReply,
  FaultStage,
  FaultTlsFailure,
} from "../../core/fault.ts";
import { closing, reply, tooManySessions, type Reply } from "./reply.ts";
import type { Session } from "./session.ts";

/** Closes the connection without a reply; what the client sent before is not answered either. */
export const connectionReset: Reply = { code: 0, wire: "", end: "reset", refusal: null };
/** Closes the connection without a reply, after the replies to earlier commands. */
export const replyLost: Reply = { ...connectionReset, end: "close" };

/** Facts of an occurrence that the session does not know by itself. */
export interface FaultFacts extends Partial<
  Pick<FaultOccurrence, "server" | "sender" | "recipients" | "userName" | "isTlsHandshake">
> {
  readonly stage: FaultStage;
}

/** Continuations of a stage, which return a reply or, where the caller goes on by itself, null. */
export interface FaultSteps<Result extends Reply | null> {
  /** Continues as without a fault; gets the outcome of the rule, null without one. */
  readonly proceed: (then: FaultOutcome | null) => Result;
  /** Returns the reply after the stage was refused with the reply of a rule; by default that reply. */
  readonly refuse?: (refusal: Reply) => Reply;
}

/**
 * Applies the rules to one stage: waits for the delay, then closes the connection, refuses, or proceeds. Without rules it
 * proceeds at once, and returns no promise.
 */
export function applyFault<Result extends Reply | null>(
  session: Session,
  facts: FaultFacts,
  steps: FaultSteps<Result>,
): Result | Promise<Result | Reply> {
  const pending = decideFault(session, facts);
  if (pending === null) return steps.proceed(null);
  return pending.then((decision) =>
    decision === null ? steps.proceed(null) : apply(session, facts.stage, { decision, steps }),
  );
}

/** Returns the faults of one stage; null when there cannot be any. */
export function decideFault(session: Session, facts: FaultFacts): Promise<FaultDecision | null> | null {
  return session.context.operations.decideFault({
    clientAddress: session.clientAddress,
    server: session.authenticatedAs,
    sender: null,
    recipients: [],
    provider: null,
    userName: session.auth?.user ?? null,
    ...facts,
  });
}

/** Returns the reply of a rule. */
export function replyOfFault({ code, enhanced, text }: FaultReply): Reply {
  const status = enhanced ?? (code >= 500 ? "5.0.0" : "4.0.0");
  return reply(`${code} ${status}`, text ?? "Error: injected fault", { refusal: "fault" });
}

async function apply<Result extends Reply | null>(
  session: Session,
  stage: FaultStage,
  { decision, steps }: { readonly decision: FaultDecision; readonly steps: FaultSteps<Result> },
): Promise<Result | Reply> {
  const { then } = decision;
  if (then !== null) await session.delay(then.delayMs ?? 0);
  if (session.isEvicted) return tooManySessions;
  if (then?.drop === true) return connectionReset;
  const { proceed, refuse = (refusal) => refusal } = steps;
  const answer = then?.reply === undefined ? proceed(then) : refuse(replyOfFault(then.reply));
  // Afterwards, because MAIL begins the transaction that lists the fault.
  session.noteFaults(stage, decision);
  return then?.loseReply === true ? replyLost : answer;
}

/** Returns the greeting (RFC 5321 §3.1), with implicit TLS after the handshake; null when that fails. */
export async function greet(session: Session, implicitTls: boolean): Promise<Reply | null> {
  let tlsFault: FaultTlsFailure | null = null;
  const answer = await applyFault<Reply>(
    session,
    { stage: "connect", isTlsHandshake: implicitTls },
    {
      proceed: (then) => {
        if (then?.tls === "refuse") return replyLost;
        tlsFault = then?.tls ?? null;
        return reply("220", `${session.context.hostname} ${session.isLmtp ? "LMTP" : "ESMTP"}`);
      },
      refuse: closing,
    },
  );
  if (!implicitTls || answer.wire === "" || session.isEvicted) return answer;
  return (await session.startTls(tlsFault)) ? answer : null;
}
