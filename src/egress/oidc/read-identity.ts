/** Claims of users (OpenID Connect Core 1.0 §5.1). */
import { Problem } from "../../core/errors.ts";
import type { IssuerIdentity, IssuerSettings } from "../../core/issuer.ts";

/** Claims of an ID token or of the UserInfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

/** Most groups of a user that are read. */
export const groupCountMax = 1000;
const textLengthMax = 320;

/**
 * Returns the identity that claims describe. An address is verified when `email_verified` says so or, without that claim, when its
 * domain is one of those that the operator lists for the issuer. Throws `forbidden` for an address of another domain, and for
 * a subject that is longer than identities may be, which several users would share when it is cut.
 */
export function readIdentity(settings: IssuerSettings, claims: Claims): IssuerIdentity {
  const { issuer, groupsClaim, accountGroups } = settings;
  const subject = textOf(claims["sub"]);
  if (subject === null) throw new Problem("forbidden", { text: "The provider names no subject of this account" });
  const groups = groupsClaim === null ? undefined : groupsOf(claims, groupsClaim);
  return {
    issuer,
    subject,
    ...readAddress(settings, claims),
    name: textOf(claims["name"]) ?? textOf(claims["preferred_username"]) ?? "",
    ...(groups && { groups }),
    ...(groups && accountGroups.length > 0 && { isOwner: groups.some((group) => accountGroups.includes(group)) }),
  };
}

function readAddress({ domains }: IssuerSettings, claims: Claims): Pick<IssuerIdentity, "email" | "isEmailVerified"> {
  const email = textOf(claims["email"]);
  const domain = email?.slice(email.lastIndexOf("@") + 1).toLowerCase() ?? "";
  const isListed = domains.includes(domain);
  const verified = claims["email_verified"];
  const isConfirmed = verified === undefined ? isListed : verified === true || verified === "true";
  const isEmailVerified = email !== null && isConfirmed;
  if (domains.length === 0 || (isListed && isEmailVerified)) return { email, isEmailVerified };
  const reason = isListed ? "its e-mail address is not verified" : `the domain ${domain} may not sign in`;
  throw new Problem("forbidden", {
    text: `This account may not sign in: ${email === null ? "it has no e-mail address" : reason}`,
  });
}

/** Returns whether claims lack what the issuer may say elsewhere: at its UserInfo endpoint. */
export function lacksClaims({ groupsClaim }: IssuerSettings, claims: Claims): boolean {
  return claims["email"] === undefined || (groupsClaim !== null && claimAt(claims, groupsClaim) === undefined);
}

/**
 * Returns the groups of a user: none without the claim, since issuers leave it out then; undefined where the claim is too long for a
 * token and is at an address of its own (OpenID Connect Core 1.0 §5.6.2), as Entra ID does beyond 200 groups.
 */
function groupsOf(claims: Claims, name: string): readonly string[] | undefined {
  const elsewhere = claims["_claim_names"];
  const value = claimAt(claims, name);
  if (value === undefined && isRecord(elsewhere) && Object.hasOwn(elsewhere, name)) return undefined;
  const all = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return all.flatMap((group) => textOf(group) ?? []).slice(0, groupCountMax);
}

/** Returns the claim of this name, or at this path: names of claims may be URLs, which contain dots. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split(".")
    .reduce<unknown>(
      (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      claims,
    );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" && value.length <= textLengthMax ? value : null;
}
