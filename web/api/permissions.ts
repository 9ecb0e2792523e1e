import type { Session } from "../wire.ts";
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
}

const none: Permissions = { isAccount: false, canSend: false, canManage: false, canConfigure: false };

/** Returns what the open session allows; nothing while signed out. */
export function usePermissions(): Permissions {
  const { data } = useSession();
  return data === undefined || data === null ? none : permissionsOf(data);
}

/** Returns what a session allows. */
export function permissionsOf({ isAccount, scope }: Session): Permissions {
  return {
    isAccount,
    canSend: scope !== "read",
    canManage: scope === "full" || scope === "test",
    canConfigure: scope === "full",
  };
}
