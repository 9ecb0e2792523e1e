/** Fault rules of a server, and of the service. */
import type { Principal } from "../../core/api-key.ts";
import { invalidField, Problem } from "../../core/errors.ts";
import { faultHitSchema, isFaultEnded, stagesOf, type FaultRule, type FaultState } from "../../core/fault.ts";
import { isSessionStage } from "../../core/fault-engine.ts";
import type { ServerId } from "../../core/ids.ts";
import { faultHitCountMax } from "../../core/limits.ts";
import { build, type ValueOf, type WireSchema } from "../../core/schema.ts";
import type { StoredFault } from "../../store/fault-store.ts";
import type { Context } from "../context.ts";
import { openServer, requireAccount } from "../services/security/access.ts";
import { faultRuleProperties } from "./fault-schema.ts";

const counts = {
  state: build.enum(["active", "paused", "ended"], "`ended`: by `until`, whether it was paused or not."),
  seen: build.integer("Number of occurrences that matched."),
  hits: build.integer("Number of occurrences to which the rule applied."),
  skipped: build.integer("Number of mails for several servers that matched, to which the rule did not apply."),
  lastHits: build.array(faultHitSchema, { maxItems: faultHitCountMax, description: "The last hits, newest first." }),
};

/** Schema of a rule with its counts. */
export const faultSchema = build.object(
  { ...faultRuleProperties, ...counts },
  { $id: "Fault" },
) as WireSchema<ShownFault>;

/** Rule with its counts. */
export type ShownFault = FaultRule & { readonly [Name in keyof typeof counts]: ValueOf<(typeof counts)[Name]> };

/** Rules of a server by its id as given, or of the service: null. */
export type FaultScope = string | null;

/** Returns the rules in their order. Rejects with `not_found`, and with `forbidden` for rules of the service. */
export async function listFaults(
  context: Context,
  principal: Principal,
  scope: FaultScope,
): Promise<readonly ShownFault[]> {
  return show(context, await context.store.faults.listFaults(await openScope(context, principal, scope)));
}

/** Rules that replace all others of a list. */
export interface FaultReplacementRequest {
  readonly rules: readonly FaultRule[];
  /** Whether rules with the same name and members keep their counts. */
  readonly keepsCounts: boolean;
}

/**
 * Replaces the rules by those that `read` returns, which is called for an accessible scope only, and returns them. Rejects
 * as {@link listFaults} and as `read` throws, with `forbidden` for a rule that needs an account key, and with a 400 for one
 * that could affect other servers.
 */
export async function replaceFaults(
  context: Context,
  principal: Principal,
  { scope, read }: { readonly scope: FaultScope; readonly read: () => FaultReplacementRequest },
): Promise<readonly ShownFault[]> {
  const server = await openScope(context, principal, scope);
  const { rules, keepsCounts } = read();
  if (server !== null) checkAddresses(principal, rules);
  const { faults } = context.store;
  await faults.replaceFaults(server, rules, { now: context.clock.now(), keepsCounts });
  return show(context, await faults.listFaults(server));
}

/** Removes the rules. Rejects as {@link listFaults}. */
export async function clearFaults(context: Context, principal: Principal, scope: FaultScope): Promise<void> {
  const server = await openScope(context, principal, scope);
  await context.store.faults.replaceFaults(server, [], { now: context.clock.now() });
}

async function openScope(context: Context, principal: Principal, scope: FaultScope): Promise<ServerId | null> {
  if (scope !== null) return (await openServer(context, principal, scope)).id;
  requireAccount(principal);
  return null;
}

/** Rejects rules that could affect mail of other servers: those for client addresses at stages before RCPT. */
function checkAddresses(principal: Principal, rules: readonly FaultRule[]): void {
  for (const [at, rule] of rules.entries()) {
    const { clientAddress } = rule.match;
    const stage = stagesOf(rule).find(isSessionStage);
    if (clientAddress === undefined || stage === undefined) continue;
    if (principal.server !== null) {
      const text = `A rule for a client address at the stage ${stage} may affect other servers: an account key is required`;
      throw new Problem("forbidden", { text });
    }
    if (!clientAddress.includes("/")) continue;
    const field = `items[${String(at)}].match.clientAddress`;
    throw invalidField(field, `Must be one address at the stage ${stage}: a network may affect other servers`);
  }
}

function stateOf(rule: FaultRule, state: FaultState, now: number): ShownFault["state"] {
  if (isFaultEnded(rule, state, now)) return "ended";
  return rule.paused === true ? "paused" : "active";
}

function show({ clock }: Context, faults: readonly StoredFault[]): readonly ShownFault[] {
  const now = clock.now();
  return faults.map(({ rule, state, lastHits }) => ({
    ...rule,
    state: stateOf(rule, state, now),
    seen: state.seen,
    hits: state.hits,
    skipped: state.skipped,
    lastHits,
  }));
}
