/** Client of an OpenID provider. The only file that uses openid-client, which is loaded on first use. */
import type * as Client from "openid-client";
import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/errors.ts";
import { createIssuerFetch, issuerPauseMs, issuerRequestMsMax } from "./issuer-fetch.ts";
import type { IssuerIdentity, IssuerSettings, SignInSecrets } from "../../core/issuer.ts";
import { type Claims, lacksClaims, readIdentity } from "./read-identity.ts";
import { clockToleranceSeconds, createTokenVerifier, type TokenVerifier } from "./verify-token.ts";

/** Tokens of a session at an issuer, null for those that it did not issue. */
export interface IssuerTokens {
  readonly idToken: string | null;
  readonly refreshToken: string | null;
}

/** Session of a user at an issuer. */
export interface IssuerSession {
  readonly identity: IssuerIdentity;
  /** Claim `sid`, which a logout token names; null without one. */
  readonly sid: string | null;
  readonly tokens: IssuerTokens;
}

/** Session after a refresh. */
export interface RefreshedSession {
  /** Null when the issuer returned no claims. */
  readonly identity: IssuerIdentity | null;
  readonly tokens: IssuerTokens;
}

/** An OpenID provider. Methods reject with `unavailable` when it does not answer. */
export interface Issuer extends TokenVerifier {
  readonly settings: IssuerSettings;
  /** Returns the URL at the issuer at which a browser signs in, and the secrets that its response is checked with. */
  readonly begin: (redirectUri: string) => Promise<{ readonly url: string; readonly secrets: SignInSecrets }>;
  /**
   * Exchanges the code of a response, whose URL is the redirect URI with the parameters that the browser sent. Rejects with
   * `unauthenticated` for a response that is not valid, and with `forbidden` when the issuer or a rule refuses the user.
   */
  readonly complete: (response: URL, secrets: SignInSecrets) => Promise<IssuerSession>;
  /** Refreshes a session; undefined when the issuer has ended it. Rejects with `forbidden` when a rule refuses the user. */
  readonly refresh: (refreshToken: string, subject: string) => Promise<RefreshedSession | undefined>;
  /** Returns the URL at the issuer that signs a browser out there; null when it has none. */
  readonly endSessionUrl: (idToken: string | null, returnTo: string) => Promise<string | null>;
  /** Requests the metadata again if the last request failed. */
  readonly recover: () => Promise<void>;
}

/** Dependencies of {@link openIssuer}. */
export interface IssuerDependencies {
  readonly clock: Pick<Clock, "now" | "monotonicMs">;
  /** Receives the outcome of each discovery. */
  readonly task: Pick<BackgroundTask, "succeeded" | "failed">;
}

/** Age at which metadata is requested again, in milliseconds. */
const metadataMsMax = 3_600_000;

type Library = typeof Client;

/** Discovered configuration, and the library that uses it. */
interface Discovered {
  readonly library: Library;
  readonly configuration: Client.Configuration;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** Opens an issuer without a request: its metadata is requested on first use, and again after an hour or a failure. */
export function openIssuer(settings: IssuerSettings, { clock, task }: IssuerDependencies): Issuer {
  const fetch = createIssuerFetch(clock);
  let known: Discovered | undefined;
  let pending: Promise<Discovered> | undefined;
  let hasFailed = false;
  const request = async (): Promise<Discovered> => {
    try {
      known = { ...(await discover(settings, fetch)), at: clock.monotonicMs() };
      hasFailed = false;
      task.succeeded();
      return known;
    } catch (error) {
      hasFailed = true;
      const cause = causeOf(error);
      task.failed(cause, issuerPauseMs);
      // Metadata that was valid an hour ago is better than none.
      if (known !== undefined) return known;
      throw new Problem("unavailable", { text: `${settings.label} is not available; try again later`, cause });
    }
  };
  const open = async (): Promise<Discovered> => {
    if (known !== undefined && clock.monotonicMs() - known.at < metadataMsMax) return known;
    pending ??= request().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const metadata = async () => {
    const { issuer, jwks_uri: keysUrl } = (await open()).configuration.serverMetadata();
    if (keysUrl === undefined) throw new Problem("unavailable", { text: `${settings.label} publishes no keys` });
    return { issuer, keysUrl };
  };
  return {
    settings,
    ...createTokenVerifier(settings, { fetch, clock, metadata }),
    begin: async (redirectUri) => begin(settings, await open(), redirectUri),
    complete: async (response, secrets) => {
      const opened = await open();
      return reporting(task, async () => complete(settings, opened, { response, secrets }));
    },
    refresh: async (refreshToken, subject) => {
      const opened = await open();
      return reporting(task, async () => refresh(settings, opened, { refreshToken, subject }));
    },
    endSessionUrl: async (idToken, returnTo) => {
      const { library, configuration } = await open();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
      const hint = idToken === null ? {} : { id_token_hint: idToken };
      return library.buildEndSessionUrl(configuration, { ...hint, post_logout_redirect_uri: returnTo }).href;
    },
    recover: async () => {
      // The failure is reported to the task.
      if (hasFailed) await open().catch(() => undefined);
    },
  };
}

/** Reports a request that the issuer did not answer, and one that it did. */
async function reporting<Result>(task: IssuerDependencies["task"], request: () => Promise<Result>): Promise<Result> {
  try {
    const result = await request();
    task.succeeded();
    return result;
  } catch (error) {
    if (error instanceof Problem && error.code === "unavailable") task.failed(error.cause ?? error);
    throw error;
  }
}

async function discover(
  { issuer, clientId, clientSecret }: IssuerSettings,
  fetch: ReturnType<typeof createIssuerFetch>,
): Promise<Omit<Discovered, "at">> {
  const library = await import("openid-client");
  const url = new URL(issuer);
  const client = { [library.clockTolerance]: clockToleranceSeconds };
  const configuration = await library.discovery(url, clientId, client, authenticationOf(library, clientSecret), {
    [library.customFetch]: async (at, { body, ...options }) =>
      fetch(at, { ...options, body: (body ?? null) as NonNullable<RequestInit["body"]> | null }),
    timeout: issuerRequestMsMax / 1000,
    // oxlint-disable-next-line typescript/no-deprecated -- Deprecated to stand out; the setting allows http on this machine only.
    execute: [library.enableNonRepudiationChecks, ...(url.protocol === "http:" ? [library.allowInsecureRequests] : [])],
  });
  return { library, configuration };
}

/** Returns the authentication of the client: `client_secret_basic`, the default, unless the issuer only knows `client_secret_post`. */
function authenticationOf(library: Library, secret: string | null): Client.ClientAuth {
  if (secret === null) return library.None();
  const [basic, post] = [library.ClientSecretBasic(secret), library.ClientSecretPost(secret)];
  return (...request) => {
    const [{ token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] }] = request;
    (methods.includes("client_secret_basic") ? basic : post)(...request);
  };
}

async function begin(
  { scopes }: IssuerSettings,
  { library, configuration }: Discovered,
  redirectUri: string,
): ReturnType<Issuer["begin"]> {
  const verifier = library.randomPKCECodeVerifier();
  const secrets = { state: library.randomState(), nonce: library.randomNonce(), verifier };
  const { href: url } = library.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: scopes.join(" "),
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: await library.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  return { url, secrets };
}

async function complete(
  settings: IssuerSettings,
  opened: Discovered,
  { response, secrets }: { readonly response: URL; readonly secrets: SignInSecrets },
): Promise<IssuerSession> {
  const { library, configuration } = opened;
  const { state: expectedState, nonce: expectedNonce, verifier: pkceCodeVerifier } = secrets;
  const checks = { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true };
  const tokens = await library
    .authorizationCodeGrant(configuration, response, checks)
    .catch((error: unknown) => refuse(settings, library, error));
  const claims = tokens.claims();
  if (claims === undefined) throw new Problem("unauthenticated");
  const all = await withUserInfo(settings, opened, { claims, accessToken: tokens.access_token });
  const sid = typeof claims["sid"] === "string" ? claims["sid"] : null;
  return { identity: readIdentity(settings, all), sid, tokens: tokensOf(tokens) };
}

async function refresh(
  settings: IssuerSettings,
  opened: Discovered,
  { refreshToken, subject }: { readonly refreshToken: string; readonly subject: string },
): Promise<RefreshedSession | undefined> {
  const { library, configuration } = opened;
  try {
    const tokens = await library.refreshTokenGrant(configuration, refreshToken);
    const claims = tokens.claims() ?? { sub: subject };
    if (claims.sub !== subject) return undefined;
    const all = await withUserInfo(settings, opened, { claims, accessToken: tokens.access_token });
    const { idToken, refreshToken: next } = tokensOf(tokens);
    const identity = Object.keys(all).length > 1 ? readIdentity(settings, all) : null;
    return { identity, tokens: { idToken, refreshToken: next ?? refreshToken } };
  } catch (error) {
    if (error instanceof Problem) throw error;
    // The issuer has refused: the session or the user has ended (RFC 6749 §5.2), or it was withdrawn between both requests.
    if (error instanceof library.ResponseBodyError || error instanceof library.WWWAuthenticateChallengeError)
      return error.status < 500 ? undefined : outage(settings, error);
    return outage(settings, error);
  }
}

/** Returns the claims with those of the UserInfo endpoint where the ID token lacks some; the ID token takes precedence. */
async function withUserInfo(
  settings: IssuerSettings,
  { library, configuration }: Discovered,
  { claims, accessToken }: { readonly claims: Claims & { readonly sub: string }; readonly accessToken: string },
): Promise<Claims> {
  const hasEndpoint = configuration.serverMetadata().userinfo_endpoint !== undefined;
  if (!hasEndpoint || !lacksClaims(settings, claims)) return claims;
  return { ...(await library.fetchUserInfo(configuration, accessToken, claims.sub)), ...claims };
}

function tokensOf({
  id_token: idToken,
  refresh_token: refreshToken,
}: Partial<Record<"id_token" | "refresh_token", string>>): IssuerTokens {
  return { idToken: idToken ?? null, refreshToken: refreshToken ?? null };
}

/** Throws the problem of a sign-in that failed, in words. */
function refuse({ label }: IssuerSettings, library: Library, error: unknown): never {
  if (error instanceof library.AuthorizationResponseError || error instanceof library.ResponseBodyError) {
    const { error: code, error_description: description } = error;
    if (error instanceof library.ResponseBodyError && error.status >= 500) return outage({ label }, error);
    const text = `${label} refused the sign-in: ${description === undefined ? code : `${code} (${description.slice(0, 200)})`}`;
    throw new Problem(code === "access_denied" ? "forbidden" : "unauthenticated", { text, cause: error });
  }
  if (!(error instanceof library.ClientError) || error.code === "OAUTH_TIMEOUT") return outage({ label }, error);
  throw new Problem("unauthenticated", {
    text: `The response of ${label} is not valid: ${error.message}`,
    cause: error,
  });
}

function outage({ label }: Pick<IssuerSettings, "label">, error: unknown): never {
  throw new Problem("unavailable", { text: `${label} is not available; try again later`, cause: causeOf(error) });
}

/** Returns the error of a request, which the library wraps. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}
