/** Sessions of users at OpenID providers: sign-in, refresh, and the end of sessions here with those there. */
import { Problem } from "../../core/errors.ts";
import type { IssuerIdentity, SignInSecrets } from "../../core/issuer.ts";
import type { Membership, User } from "../../core/people.ts";
import type { Issuer, IssuerTokens, RefreshedSession } from "../../egress/oidc/open-issuer.ts";
import { clockToleranceSeconds } from "../../egress/oidc/verify-token.ts";
import type { IssuerSession, IssuerSignIn } from "../../store/key-store.ts";
import type { AccountContext, Context } from "../context.ts";
import { changeMemberships } from "./teams.ts";
import { addUser, changeUser, readUserAddress } from "./users.ts";

/** Pause between two refreshes of a session, in milliseconds. */
export const refreshMs: number = 15 * 60_000;
/** Sessions that are refreshed at the same time. */
const batchCount = 10;
/** Longest tokens that are kept, in characters as JSON; longer ones are dropped, and the session then lives without them. */
const tokensLengthMax = 32_768;

type RefreshContext = AccountContext & Pick<Context, "issuers">;

/** Session at an issuer that a new session here comes from. */
export interface OpenedAtIssuer extends Omit<IssuerSignIn, "tokens"> {
  readonly tokens: IssuerTokens;
}

/**
 * Completes a sign-in. Rejects with `unauthenticated` for a response that is not valid, `forbidden` with the reason for a user that
 * may not sign in, and `unavailable` when the issuer does not answer.
 */
export async function signInAtIssuer(
  context: RefreshContext,
  issuer: Issuer,
  { response, secrets }: { readonly response: URL; readonly secrets: SignInSecrets },
): Promise<{ readonly user: User; readonly atIssuer: OpenedAtIssuer }> {
  const { identity, sid, tokens } = await issuer.complete(response, secrets);
  const { name, mayCreate, domains } = issuer.settings;
  const mayLink = domains.length > 0 || context.issuers.all.length === 1;
  const user = await signInUser(context, identity, { mayCreate, mayLink });
  const refreshAt = tokens.refreshToken === null ? null : context.clock.now() + refreshMs;
  return { user, atIssuer: { issuer: name, sid, tokens, refreshAt } };
}

/** Returns the tokens of a session in the form in which they are stored; null for those that are too long. `name` is that of the sign-in. */
export function sealTokens(
  { secrets }: Pick<AccountContext, "secrets">,
  name: string,
  tokens: IssuerTokens,
): string | null {
  const text = JSON.stringify(tokens);
  return text.length > tokensLengthMax ? null : Buffer.from(secrets.seal(text, ownerOf(name))).toString("base64url");
}

function openTokens({ secrets }: AccountContext, { name, tokens }: IssuerSession): IssuerTokens | undefined {
  const text = tokens === null ? undefined : secrets.open(Buffer.from(tokens, "base64url"), ownerOf(name));
  return text === undefined ? undefined : (JSON.parse(text) as IssuerTokens);
}

function ownerOf(name: string): string {
  return `tokens of ${name}`;
}

/**
 * Refreshes the sessions that are due, on one node each: groups are read again, and sessions end whose user the issuer has ended or a
 * rule refuses. Rejects when an issuer does not answer; its sessions are tried again after {@link refreshMs}.
 */
export async function refreshIssuerSessions(context: RefreshContext): Promise<void> {
  const { signIns } = context.store;
  const failures: unknown[] = [];
  for (let isMore = true; isMore;) {
    const now = context.clock.now();
    const due = await signIns.takeRefreshes({ now, next: now + refreshMs, countMax: batchCount });
    const outcomes = await Promise.allSettled(due.map((session) => refreshSession(context, session)));
    failures.push(...outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : [])));
    isMore = due.length === batchCount;
  }
  if (failures.length > 0) throw failures[0];
}

async function refreshSession(context: RefreshContext, session: IssuerSession): Promise<void> {
  const tokens = openTokens(context, session);
  const refreshed = tokens && (await refreshTokens(context, session, tokens));
  if (refreshed === undefined) {
    await endSession(context, session.name);
    return;
  }
  const { idToken, refreshToken } = refreshed.tokens;
  const kept = sealTokens(context, session.name, { idToken: idToken ?? tokens?.idToken ?? null, refreshToken });
  if (kept !== null) await context.store.signIns.storeTokens(session.name, kept);
  const { identity } = refreshed;
  if (identity === null) return;
  const user = await unlessRefused(async () => signInUser(context, identity, { mayCreate: false, mayLink: false }));
  if (user === undefined) await endSession(context, session.name);
}

/** Returns undefined when the issuer is not configured any more, and when it or a rule refuses the user. */
async function refreshTokens(
  context: RefreshContext,
  session: IssuerSession,
  { refreshToken }: IssuerTokens,
): Promise<RefreshedSession | undefined> {
  const issuer = context.issuers.find(session.issuer);
  const subject = (await context.store.people.getUser(session.user))?.subject ?? null;
  if (issuer === undefined || subject === null || refreshToken === null) return undefined;
  return unlessRefused(async () => issuer.refresh(refreshToken, subject));
}

/** Returns the result of an action; undefined when it rejects with `forbidden`. */
async function unlessRefused<Result>(action: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "forbidden") throw error;
    return undefined;
  }
}

async function endSession({ store, revocations }: AccountContext, name: string): Promise<void> {
  if (await store.signIns.removeSignIn(name)) revocations.publish(null);
}

/**
 * Ends the sessions that a logout token names (OpenID Connect Back-Channel Logout 1.0): one, or all of its user that were opened
 * before it was issued, so that a token that is sent again ends no later session. Returns false for a token that is not valid.
 */
export async function endSessionsByToken(context: AccountContext, issuer: Issuer, token: string): Promise<boolean> {
  const { people, signIns } = context.store;
  const claims = await issuer.verifyLogout(token);
  if (claims === undefined) return false;
  const { name, issuer: url } = issuer.settings;
  const { sid, subject, issuedAt } = claims;
  let count = 0;
  if (sid !== null) count = await signIns.removeIssuerSessions({ issuer: name, sid });
  else if (subject !== null) {
    const user = await people.findUser({ issuer: url, subject });
    const openedBefore = issuedAt + clockToleranceSeconds * 1000;
    if (user !== undefined) count = await signIns.removeIssuerSessions({ issuer: name, user: user.id, openedBefore });
  }
  if (count > 0) context.revocations.publish(null);
  return true;
}

/** Returns the URL that signs a browser out at the issuer of a session; null for others, and when the issuer does not answer. */
export async function findEndSessionUrl(
  context: RefreshContext,
  name: string,
  returnTo: string,
): Promise<string | null> {
  const session = await context.store.signIns.findIssuerSession(name);
  const issuer = session && context.issuers.find(session.issuer);
  if (session === undefined || issuer === undefined) return null;
  const idToken = openTokens(context, session)?.idToken ?? null;
  return issuer.endSessionUrl(idToken, returnTo).catch((error: unknown) => {
    // The session here ends in any case.
    if (error instanceof Problem) return null;
    throw error;
  });
}

/** Rules of an issuer for identities that no user has yet. */
export interface SignInRules {
  /** Whether they add users. */
  readonly mayCreate: boolean;
  /** Whether they take over users with their verified address, which an issuer of strangers must not. */
  readonly mayLink: boolean;
}

/**
 * Returns the active user of an identity: the linked one, else the one with its verified e-mail address that has no identity
 * yet, else a new one if `mayCreate`. Rejects with `forbidden` and the reason.
 */
export async function signInUser(
  context: AccountContext,
  identity: IssuerIdentity,
  { mayCreate, mayLink }: SignInRules,
): Promise<User> {
  const { issuer, subject } = identity;
  const known =
    (await context.store.people.findUser({ issuer, subject })) ?? (await findUnlinked(context, identity, mayLink));
  if (known === undefined && !mayCreate) throw refused("This account is not known here; ask an owner to add it");
  if (known?.isActive === false) throw refused("This account is deactivated");
  const seen = {
    issuer,
    subject,
    lastSeenAt: context.clock.now(),
    ...(identity.name !== "" && { name: identity.name.toWellFormed().slice(0, 200) }),
    ...(identity.isOwner !== undefined && { isOwner: identity.isOwner }),
  };
  const user =
    known === undefined
      ? await addUser(context, { ...seen, email: verifiedAddress(identity) })
      : await changeUser(context, known.id, seen);
  if (identity.groups !== undefined) await joinTeams(context, user.id, identity.groups);
  return user;
}

/**
 * Returns the user with the verified address of the identity. Rejects with `forbidden` when another identity has it, and when the
 * identity may not take it over.
 */
async function findUnlinked(
  { store }: AccountContext,
  identity: IssuerIdentity,
  mayLink: boolean,
): Promise<User | undefined> {
  if (identity.email === null || !identity.isEmailVerified) return undefined;
  const user = await store.people.findUser({ email: verifiedAddress(identity) });
  if (user !== undefined && user.subject !== null) {
    throw refused("The e-mail address of this account belongs to another identity");
  }
  if (user !== undefined && !mayLink) {
    throw refused("The e-mail address of this account belongs to a user, and the provider has no list of domains");
  }
  return user;
}

function verifiedAddress({ email, isEmailVerified }: IssuerIdentity): string {
  if (email === null || !isEmailVerified) throw refused("The provider confirms no e-mail address of this account");
  return readUserAddress(email);
}

/** Puts a user into the teams of its groups, and removes it from others that groups brought it into. */
async function joinTeams(context: AccountContext, user: string, groups: readonly string[]): Promise<void> {
  const { people } = context.store;
  const wanted = new Set(groups);
  const teams = (await people.listTeams()).filter(
    // Users who create groups in the directory choose their names; a team that has the id of a group goes by it alone.
    ({ name, externalId }) => wanted.has(externalId ?? name),
  );
  const own = await people.listMemberships({ user });
  const isWanted = (team: string): boolean => teams.some(({ id }) => id === team);
  const remove = own.filter(({ team, source }) => source === "oidc" && !isWanted(team));
  const put = teams.flatMap(({ id: team, role }): readonly Membership[] =>
    own.some((one) => one.team === team) ? [] : [{ user, team, role, source: "oidc" }],
  );
  if (remove.length + put.length > 0) await changeMemberships(context, { put, remove });
}

function refused(text: string): Problem {
  return new Problem("forbidden", { text });
}
