import { useRoute } from "../navigation/location.tsx";
import type { Session } from "../wire.ts";
import { useTeamOfServer } from "./servers.ts";
import { useSession } from "./session.ts";

/** Actions that a session allows; pages leave out the others. */
export interface Permissions {
  /** Whether the session has access to the account and to all servers. */
  readonly isAccount: boolean;
  /** Whether it may create and send messages. */
  readonly canSend: boolean;
  /** Whether it may change and delete, and see passwords. */
  readonly canManage: boolean;
  /** Whether it may change the settings of servers. */
  readonly canConfigure: boolean;
  /** Whether it may create and delete servers, and their keys: those of the account and of teams that its user manages. */
  readonly canAdminister: boolean;
}

const none: Permissions = {
  isAccount: false,
  canSend: false,
  canManage: false,
  canConfigure: false,
  canAdminister: false,
};

/** Returns what the open session allows on the server of the present page, or on other pages somewhere; nothing while signed out. */
export function usePermissions(): Permissions {
  const { data } = useSession();
  const route = useRoute();
  const server = "server" in route ? route.server : null;
  const team = useTeamOfServer(server);
  return data === undefined || data === null ? none : permissionsOf(data, server === null ? "any" : { team });
}

/**
 * Returns what a session allows on a server, or on any of its servers. Only users have different roles on theirs: they may read
 * a server until its team is known (undefined).
 */
export function permissionsOf(
  session: Session,
  place: "any" | { readonly team: string | null | undefined } = "any",
): Permissions {
  const { isAccount, user, server } = session;
  const teams = isAccount || server !== null ? undefined : user?.teams;
  const access =
    teams && place !== "any" ? (teams.find(({ id }) => id === place.team)?.access ?? "read") : session.scope;
  return {
    isAccount,
    canSend: access !== "read",
    canManage: access === "full" || access === "test",
    canConfigure: access === "full",
    canAdminister: access === "full" && (isAccount || teams !== undefined),
  };
}
