import type { Principal } from "../core/api-key.ts";
import { decodeMessageId } from "../core/ids.ts";
import type { SpamVerdict } from "../core/spam.ts";
import type { WorkerCaller } from "../workers/worker-rpc.ts";
import { openMessageId } from "./access.ts";
import { callerOf, type CallerPresence } from "./caller-of.ts";
import type { Context } from "./context.ts";
import { getRawMessage } from "./get-raw-message.ts";

/** A verdict and who gave it. */
export interface SpamAnalysis extends SpamVerdict {
  /** `SpamAssassin`, or `restante` for the service's own rules. */
  readonly engine: string;
  /** Why the filter that the operator named did not speak; null where it did, or where none is named. */
  readonly engineProblem: string | null;
}

type Needs = Pick<Context, "store" | "spamFilter" | "inspector">;

/** Whether a mail looks like spam; rejects with `not_found`, also for messages that are no mail. */
export async function getSpamAnalysis(
  context: Needs & CallerPresence,
  principal: Principal,
  idText: string,
): Promise<SpamAnalysis> {
  const raw = await getRawMessage(context, principal, idText);
  const { receivedAt } = decodeMessageId(openMessageId(principal, idText));
  return judgeMail(context, { raw, receivedAt, caller: callerOf(principal, context) });
}

/** A mail to be judged, and for whom. */
export interface JudgedMail {
  readonly raw: Uint8Array;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  readonly caller: WorkerCaller;
}

/** The verdict of the filter that the operator named, else of the service's own rules; the answer says which. */
export async function judgeMail(
  { spamFilter, inspector }: Pick<Needs, "spamFilter" | "inspector">,
  { raw, receivedAt, caller }: JudgedMail,
): Promise<SpamAnalysis> {
  let engineProblem: string | null = null;
  if (spamFilter !== null) {
    try {
      return { ...(await spamFilter.judge(raw)), engine: spamFilter.name, engineProblem };
    } catch (error) {
      engineProblem = error instanceof Error ? error.message : String(error);
    }
  }
  return { ...(await inspector.inspect(raw, { kind: "spam", receivedAt }, caller)), engine: "restante", engineProblem };
}
