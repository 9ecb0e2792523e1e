import { createHash, createHmac } from "node:crypto";
import { parseServerId, type ServerId } from "../../core/ids.ts";
import type { SaslProof } from "../../core/smtp-session.ts";
import type { Context } from "../context.ts";
import { sameSecret } from "../services/security/secret-box.ts";
import { openServerPassword } from "../services/security/server-passwords.ts";
import { judge, subjectOf } from "../services/security/throttle.ts";

/** Credentials of SMTP AUTH. */
interface SessionCredentials {
  /** `<serverId>`, or `<serverId>@<any domain>`. */
  readonly user: string;
  readonly proof: SaslProof;
  readonly clientAddress: string;
}

/** Treatment of unknown user names: `any` accepts them, `known` and `required` do not. */
type SmtpAuthMode = "any" | "known" | "required";

/** Rules of SMTP AUTH. */
interface SessionRules {
  readonly mode: SmtpAuthMode;
  /** The only valid bearer token, for any user name and in every mode; null: a server's password is its token. */
  readonly token: string | null;
}

/**
 * Returns the authenticated server; null for an unknown user name in mode `any` or with the token of the rules; undefined
 * for wrong credentials. A known server with a wrong password, or with a password sealed with another secret key, is wrong
 * in every mode. Compares in constant time. Counts wrong credentials by address and by server; rejects as {@link judge}
 * does after too many.
 */
export async function authenticateSession(
  context: Pick<Context, "store" | "secrets" | "wrongSecrets">,
  { user, proof, clientAddress }: SessionCredentials,
  { mode, token }: SessionRules,
): Promise<ServerId | null | undefined> {
  const id = parseServerId(user.split("@", 1)[0] ?? "");
  const hash = createHash("sha256")
    .update(`${id ?? ""}\n${JSON.stringify(proof)}`, "utf8")
    .digest("hex");
  const address = subjectOf(clientAddress);
  const subjects = id === undefined ? ([address] as const) : ([address, `server ${id}`] as const);
  return judge(context.wrongSecrets, { subjects: [...subjects], hash }, async () => {
    const stored = id === undefined ? undefined : await context.store.getServerPassword(id);
    const server = stored === undefined ? undefined : id;
    if (proof.kind === "token" && token !== null) return sameSecret(token, proof.token) ? (server ?? null) : undefined;
    if (server === undefined || stored === undefined) return mode === "any" ? null : undefined;
    const own = openServerPassword(context.secrets, server, stored);
    return own !== undefined && proves(proof, own) ? server : undefined;
  });
}

function proves(proof: SaslProof, password: string): boolean {
  if (proof.kind === "password") return sameSecret(password, proof.password);
  if (proof.kind === "token") return sameSecret(password, proof.token);
  return sameSecret(createHmac("md5", password).update(proof.challenge, "utf8").digest("hex"), proof.digest);
}

/**
 * Returns the server that receives mail for an address: the authenticated one, else the one named by the first label of
 * the domain, else the catch-all; undefined without one (550 5.1.1). Without a promise where the store knows the server, so that
 * pipelined recipients are answered together.
 */
export function resolveRecipient(
  context: Pick<Context, "store" | "settings">,
  address: string,
  authenticatedAs: ServerId | null,
): Promise<ServerId | undefined> | ServerId | undefined {
  if (authenticatedAs !== null) return authenticatedAs;
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const named = parseServerId(domain.split(".", 1)[0] ?? "");
  if (named === undefined) return findCatchAll(context);
  const found = context.store.hasServer(named);
  if (found instanceof Promise) return found.then((exists) => (exists ? named : findCatchAll(context)));
  return found ? named : findCatchAll(context);
}

/** Returns the catch-all server; undefined when it is off. */
export async function findCatchAll(context: Pick<Context, "store" | "settings">): Promise<ServerId | undefined> {
  const { catchAll } = context.settings;
  if (catchAll === "off") return undefined;
  if (catchAll !== "first") return (await context.store.hasServer(catchAll)) ? catchAll : undefined;
  return (await context.store.findOldestServer())?.id;
}
