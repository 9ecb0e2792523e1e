import { createHash } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { parseServerId, type ServerId } from "../../core/ids.ts";
import type { Context } from "../context.ts";
import { findCaller } from "../services/security/authenticate.ts";
import { covers, narrowTo } from "../services/security/access.ts";
import { sameSecret } from "../services/security/secret-box.ts";
import { openServerPassword } from "../services/security/stored-secrets.ts";
import { judge, subjectsOf } from "../services/security/throttle.ts";

/** Credentials of a client that reads mail by POP3 or IMAP. */
export interface MailboxCredentials {
  /** `<serverId>`, or `<serverId>@<any domain>`. */
  readonly user: string;
  /** SMTP password of the server, or an API key or token of a user that may read it. */
  readonly password: string;
  readonly clientAddress: string;
}

/** Server that a client has opened. */
export interface MailboxAccess {
  readonly server: ServerId;
  /** Restricted to the server. */
  readonly principal: Principal;
  /** Whether messages may be changed and deleted. */
  readonly mayWrite: boolean;
  /** Returns whether the key or token still gives the access; null for the password of the server. */
  readonly isOpen: (() => Promise<boolean>) | null;
  readonly clientAddress: string;
}

/**
 * Returns the server of credentials; undefined for wrong ones, for a key that may not read, and for one that is used from an
 * address outside its networks. Compares in constant time. Counts wrong credentials by address and by server; rejects with
 * `too_many_requests` after too many of them, and past the rate limit of the key.
 */
export async function accessMailbox(
  context: Context,
  { user, password, clientAddress }: MailboxCredentials,
): Promise<MailboxAccess | undefined> {
  const id = parseServerId(user.split("@", 1)[0] ?? "");
  const hash = createHash("sha256")
    .update(`mailbox\n${id ?? ""}\n${password}`, "utf8")
    .digest("hex");
  const attempt = { subjects: subjectsOf(clientAddress, id), hash };
  return await judge(context.wrongSecrets, attempt, async () => {
    if (id === undefined) return undefined;
    const stored = await context.store.getServerPassword(id);
    if (stored === undefined) return undefined;
    const own = openServerPassword(context.secrets, id, stored);
    if (own !== undefined && sameSecret(own, password)) {
      const principal = { keyId: `password of ${id}`, server: id };
      return { server: id, principal, mayWrite: true, isOpen: null, clientAddress };
    }
    return await accessByKey(context, { server: id, password, clientAddress });
  });
}

async function accessByKey(
  context: Context,
  { server, password, clientAddress }: { server: ServerId; password: string; clientAddress: string },
): Promise<MailboxAccess | undefined> {
  const found = await findCaller(context, { key: password, clientAddress });
  if (found === undefined) return undefined;
  const principal = narrowTo(found.principal, server);
  if (principal === undefined) return undefined;
  const { scope = "full" } = principal;
  if (!covers(scope, "read")) return undefined;
  found.admit();
  const isOpen = async (): Promise<boolean> => found.isOpen(principal);
  return { server, principal, mayWrite: covers(scope, "manage"), isOpen, clientAddress };
}

/** Returns whether the server still exists, and the key or token is still valid. */
export async function isStillOpen(context: Context, { server, isOpen }: MailboxAccess): Promise<boolean> {
  return (await context.store.hasServer(server)) && (isOpen === null || (await isOpen()));
}
