import { createHash, timingSafeEqual } from "node:crypto";
import { parseServerId, type ServerId } from "../../core/ids.ts";
import type { Context } from "../context.ts";
import { openServerPassword } from "../services/security/server-passwords.ts";
import { judge, subjectOf } from "../services/security/throttle.ts";

/** What SMTP AUTH said. */
export interface SessionCredentials {
  /** `<serverId>`, or `<serverId>@<any domain>`. */
  readonly user: string;
  readonly password: string;
  readonly clientAddress: string;
}

/** Treatment of user names that no server has: `any` accepts them, `known` and `required` do not. */
export type SmtpAuthMode = "any" | "known" | "required";

/**
 * Returns the server that the credentials open; null for a user name that no server has, where `mode` is `any`; undefined
 * when they are wrong. A server's own name with a wrong password is wrong in every mode, and so is a password that was sealed with
 * another secret key. Compared in constant time. Wrong
 * ones are counted by address and by server; rejects as {@link judge} does after too many of them.
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
