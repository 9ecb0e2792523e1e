/** Users and teams that own keys. */
import { useTeams, useUsers } from "../api/people.ts";
import { usePermissions } from "../api/permissions.ts";
import { useSession } from "../api/session.ts";
import { pageStrings } from "../page-strings.ts";
import type { Key } from "../wire.ts";

const labels = pageStrings.keys;

/** Returns whether the session may create, rotate and revoke the keys that it sees on this page: users have keys of their own. */
export function useMayChangeKeys(): boolean {
  const { isAccount, canAdminister, canManage } = usePermissions();
  const { data: session } = useSession();
  return isAccount ? canManage : canAdminister || session?.user?.isWhole === true;
}

/** Returns a function that returns the name of the owner of a key; null when none of the keys has one. */
export function useKeyOwners(keys: readonly Key[]): ((key: Key) => string) | null {
  const { data: session } = useSession();
  const { canAdminister } = usePermissions();
  const ownUser = session?.user?.id;
  const { data: users = [] } = useUsers(canAdminister && keys.some(({ user }) => user != null && user !== ownUser));
  const { data: teams = [] } = useTeams(keys.some(({ team }) => team != null));
  if (!keys.some(({ user, team }) => user != null || team != null)) return null;
  return ({ user, team }) => {
    if (team != null) return labels.teamOwned(teams.find(({ id }) => id === team)?.name ?? team);
    if (user == null) return "";
    return user === ownUser ? labels.userOwned : (users.find(({ id }) => id === user)?.email ?? user);
  };
}
