import { build } from "../../../core/schema.ts";
import { teamLimitMembers } from "../../../core/team-limits.ts";
import {
  checkTeamLimits,
  getTeamLimits,
  teamLimitStateSchema,
  updateTeamLimits,
} from "../../../operations/people/team-limits.ts";
import { auditedAct } from "../../audit.ts";
import type { KeyRoute } from "../../route.ts";
import { accountRoute } from "../rows.ts";

/** Routes of the limits of a team. */
export const teamLimitRoutes: readonly KeyRoute[] = [
  accountRoute("getTeamLimits", "GET /api/teams/:id/limits", {
    summary: "Retrieve the limits of a team and what counts against them; also for its members.",
    returns: ["The limits.", teamLimitStateSchema],
    run: async ({ context, principal, id }) => getTeamLimits(context, principal, id),
  }),
  accountRoute("updateTeamLimits", "PUT /api/teams/:id/limits", {
    summary: "Change the limits of a team; absent members stay, null removes a limit.",
    body: build.partial(teamLimitMembers),
    check: checkTeamLimits,
    audit: (call, _response, body) =>
      auditedAct("team.update", {
        target: call.id,
        details: { fields: Object.keys(body).map((name) => `limits.${name}`) },
      }),
    returns: ["The limits as they are now.", teamLimitStateSchema],
    run: async ({ context, principal, id }, change) => updateTeamLimits(context, principal, { id, change }),
  }),
];
