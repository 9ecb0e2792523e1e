/** Limits of teams. The store applies them to whatever stores or sends messages. */
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { checkAll } from "../../core/field-collector.ts";
import { build, refer, type ValueOf } from "../../core/schema.ts";
import { teamLimitNames, type TeamLimits, teamLimitsSchema, teamUseSchema } from "../../core/team-limits.ts";
import type { AccountContext } from "../context.ts";
import { orNotFound, requireAccount } from "../services/security/access.ts";
import { getTeam } from "./teams.ts";

/** Schema of the limits of a team with what counts against them. */
export const teamLimitStateSchema = build.object(
  { limits: refer(teamLimitsSchema), use: refer(teamUseSchema) },
  { $id: "TeamLimitState" },
);

/** Limits of a team with what counts against them. */
export type TeamLimitState = ValueOf<typeof teamLimitStateSchema>;

/** Returns the limits of a team of the principal. Rejects with `forbidden` and `not_found`. */
export async function getTeamLimits(
  context: AccountContext,
  principal: Principal,
  id: string,
): Promise<TeamLimitState> {
  await getTeam(context, principal, id);
  return await readState(context, id);
}

/** Throws a 400 that names every wrong field. */
export function checkTeamLimits(change: Partial<TeamLimits>): void {
  const checks = teamLimitNames.map((name) => () => {
    const value = change[name];
    const least = name === "outboundPerHourMax" ? 0 : 1;
    if (value === undefined || value === null || (Number.isSafeInteger(value) && value >= least)) return;
    throw invalidField(name, `A whole number of at least ${least}, or null`);
  });
  checkAll(...checks);
}

/** Changes limits of a team; absent members stay, null removes a limit. Rejects with `forbidden`, `not_found` and a 400. */
export async function updateTeamLimits(
  context: AccountContext,
  principal: Principal,
  { id, change }: { readonly id: string; readonly change: Partial<TeamLimits> },
): Promise<TeamLimitState> {
  requireAccount(principal);
  checkTeamLimits(change);
  const { people, teamLimits } = context.store;
  orNotFound(await people.getTeam(id), "Team");
  await teamLimits.putTeamLimits(id, { ...(await teamLimits.getTeamLimits(id)), ...change });
  return await readState(context, id);
}

async function readState({ store, clock }: AccountContext, id: string): Promise<TeamLimitState> {
  const { teamLimits } = store;
  return { limits: await teamLimits.getTeamLimits(id), use: await teamLimits.getTeamUse(id, clock.now()) };
}
