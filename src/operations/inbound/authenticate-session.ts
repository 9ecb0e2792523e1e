import { createHash, timingSafeEqual } from "node:crypto";
import { parseServerId, type ServerId } from "../../core/ids.ts";
import type { Context } from "../context.ts";
import { openServerPassword } from "../services/security/server-passwords.ts";
import { judge, subjectOf } from "../services/security/throttle.ts";

/** Credentials of SMTP AUTH. */
export interface SessionCredentials {
  /** `<serverId>`, or `<serverId>@<any domain>`. */
  readonly user: string;
  readonly password: string;
  readonly clientAddress: string;
}

/** Treatment of unknown user names: `any` accepts them, `known` and `required` do not. */
export type SmtpAuthMode = "any" | "known" | "required";

/**
 * Returns the authenticated server; null for an unknown user name in mode `any`; undefined for wrong credentials. A known
 * server with a wrong password, or with a password sealed with another secret key, is wrong in every mode. Compares in
 * constant time. Counts wrong credentials by address and by server; rejects as {@link judge} does after too many.
 */
export async function authenticateSession(
  context: Pick<Context, "store" | "secrets" | "wrongSecrets">,
  { user, password, clientAddress }: SessionCredentials,
  mode: SmtpAuthMode,
): Promise<ServerId | null | undefined> {
  const id = parseServerId(user.split("@", 1)[0] ?? "");
  const hash = createHash("sha256")
    .update(`${id ?? ""}\n${password}`, "utf8")
    .digest("hex");
  const address = subjectOf(clientAddress);
  const subjects = id === undefined ? ([address] as const) : ([address, `server ${id}`] as const);
  return judge(context.wrongSecrets, { subjects: [...subjects], hash }, async () => {
    const stored = id === undefined ? undefined : await context.store.getServerPassword(id);
    if (id === undefined || stored === undefined) return mode === "any" ? null : undefined;
    const own = openServerPassword(context.secrets, id, stored);
    return own !== undefined && isSame(own, password) ? id : undefined;
  });
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(one), digest(other));
}
