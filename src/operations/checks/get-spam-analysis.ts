import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import { decodeMessageId } from "../../core/ids.ts";
import type { SpamVerdict } from "../../core/spam.ts";
import type { WorkerCaller } from "../../workers/worker-rpc.ts";
import { openMessageId } from "../services/security/access.ts";
import { callerOf, type CallerPresence } from "../services/security/caller-of.ts";
import type { Context } from "../context.ts";
import { getRawMessage } from "../messages/get-raw-message.ts";
import type { LoadRaw } from "../services/inspection/inspector.ts";

/** Spam verdict and the engine that gave it. */
export interface SpamAnalysis extends SpamVerdict {
  /** `SpamAssassin`, or `restante` for the service's own rules. */
  readonly engine: string;
  /** Error of the configured filter; null without one. */
  readonly engineProblem: string | null;
}

type Dependencies = Pick<Context, "store" | "spamFilter" | "inspector">;

/** Returns the spam analysis of a mail. Rejects with `not_found`, also for SMS. */
export async function getSpamAnalysis(
  context: Dependencies & CallerPresence,
  principal: Principal,
  idText: string,
): Promise<SpamAnalysis> {
  const { receivedAt } = decodeMessageId(openMessageId(principal, idText));
  const load = async (): Promise<Uint8Array> => getRawMessage(context, principal, idText);
  return judgeMail(context, { load, receivedAt, caller: callerOf(principal, context) });
}

/** Mail to analyse, and the caller. */
export interface JudgedMail {
  readonly load: LoadRaw;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  readonly caller: WorkerCaller;
}

/**
 * Returns the verdict of the configured filter, else of the built-in rules, with its engine. Rejects as `load` and the
 * inspector do.
 */
export async function judgeMail(
  { spamFilter, inspector }: Pick<Dependencies, "spamFilter" | "inspector">,
  { load, receivedAt, caller }: JudgedMail,
): Promise<SpamAnalysis> {
  let engineProblem: string | null = null;
  if (spamFilter !== null) {
    try {
      return { ...(await spamFilter.judge(load, caller)), engine: spamFilter.name, engineProblem };
    } catch (error) {
      if (error instanceof Problem) throw error;
      engineProblem = error instanceof Error ? error.message : String(error);
    }
  }
  return {
    ...(await inspector.inspect(load, { kind: "spam", receivedAt }, caller)),
    engine: "restante",
    engineProblem,
  };
}
