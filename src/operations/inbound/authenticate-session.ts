import { createHash, createHmac } from "node:crypto";
import { parseServerId, type ServerId } from "../../core/ids.ts";
import type { SaslProof } from "../../core/smtp-session.ts";
import type { Context } from "../context.ts";
import { covers, narrowTo } from "../services/security/access.ts";
import { findTokenCaller } from "../services/security/authenticate.ts";
import { sameSecret } from "../services/security/secret-box.ts";
import { openServerPassword } from "../services/security/stored-secrets.ts";
import { judge, subjectsOf } from "../services/security/throttle.ts";

/** Credentials of SMTP AUTH. */
export interface SessionCredentials {
  /** `<serverId>`, or `<serverId>@<any domain>`. */
  readonly user: string;
  readonly proof: SaslProof;
  /** Address of the client, by which wrong credentials are throttled. */
  readonly clientAddress: string;
}

/** Treatment of unknown user names: `any` accepts them, `known` and `required` do not. */
type SmtpAuthMode = "any" | "known" | "required";

/** Rules of SMTP AUTH. */
interface SessionRules {
  readonly mode: SmtpAuthMode;
  /**
   * The only valid bearer token beside those of users, for any user name and in every mode; null: a server's password is its
   * token.
   */
  readonly token: string | null;
}

/**
 * Returns the authenticated server, also for a bearer token of a user that may send to it; null for an unknown user name in mode `any` or with the token of the rules; undefined
 * for wrong credentials. A known server with a wrong password, or with a password sealed with another secret key, is wrong
 * in every mode. Compares in constant time. Counts wrong credentials by address and by server; rejects as {@link judge}
 * does after too many.
 */
export async function authenticateSession(
  context: Context,
  { user, proof, clientAddress }: SessionCredentials,
  { mode, token }: SessionRules,
): Promise<ServerId | null | undefined> {
  const id = parseServerId(user.split("@", 1)[0] ?? "");
  const hash = createHash("sha256")
    .update(`${id ?? ""}\n${JSON.stringify(proof)}`, "utf8")
    .digest("hex");
  const attempt = { subjects: subjectsOf(clientAddress, id), hash };
  return judge(context.wrongSecrets, attempt, async () => {
    const stored = id === undefined ? undefined : await context.store.getServerPassword(id);
    const server = stored === undefined ? undefined : id;
    if (await maySendByToken(context, { server, proof })) return server;
    if (proof.kind === "token" && token !== null) return sameSecret(token, proof.token) ? (server ?? null) : undefined;
    if (server === undefined || stored === undefined) return mode === "any" ? null : undefined;
    return proves(proof, openServerPassword(context.secrets, server, stored)) ? server : undefined;
  });
}

/** Returns whether a bearer token is one of a user that may send to the server. */
async function maySendByToken(
  context: Context,
  { server, proof }: { readonly server: ServerId | undefined; readonly proof: SaslProof },
): Promise<boolean> {
  if (server === undefined || proof.kind !== "token") return false;
  const found = await findTokenCaller(context, proof.token);
  const principal = found && narrowTo(found.principal, server);
  return principal !== undefined && covers(principal.scope ?? "full", "send");
}

function proves(proof: SaslProof, password: string | undefined): boolean {
  if (password === undefined) return false;
  if (proof.kind === "password") return sameSecret(password, proof.password);
  if (proof.kind === "token") return sameSecret(password, proof.token);
  return sameSecret(createHmac("md5", password).update(proof.challenge, "utf8").digest("hex"), proof.digest);
}
