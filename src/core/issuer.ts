/** OpenID providers that users sign in at, as the operator configures them. */

/** Settings of one OpenID provider (issuer). */
export interface IssuerSettings {
  /** Name in paths: the redirect URI is `<public URL>/web/oidc/<name>/callback`. */
  readonly name: string;
  /** Name that the sign-in page shows. */
  readonly label: string;
  /** Issuer identifier (OpenID Connect Discovery 1.0 §3), as in the claim `iss`. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client, which only PKCE protects. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  /** Values of `aud` of which bearer tokens must have one; none accepts no bearer tokens. */
  readonly audiences: readonly string[];
  /** Name of the claim of groups, or its path with dots; null leaves teams to administrators and SCIM. */
  readonly groupsClaim: string | null;
  /** Groups whose members own the account. */
  readonly accountGroups: readonly string[];
  /** Domains that may sign in, in lower case; none allows all. Their addresses count as verified when the issuer says nothing. */
  readonly domains: readonly string[];
  /** Whether an unknown user that signs in is added. */
  readonly mayCreate: boolean;
}

/** Identity of a user that an issuer has confirmed. */
export interface IssuerIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** Whether the issuer says that the user reads mail to the address. */
  readonly isEmailVerified: boolean;
  /** Empty when unknown. */
  readonly name: string;
  /** Names or external ids of groups; absent when the issuer names none, which leaves memberships as they are. */
  readonly groups?: readonly string[];
  /** Absent, which leaves it as it is, when no groups own the account or the issuer says nothing about groups. */
  readonly isOwner?: boolean;
}

/** Secrets that bind the response of an issuer to the browser that began to sign in (RFC 7636; OpenID Connect Core 1.0 §3.1.2.1). */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}
