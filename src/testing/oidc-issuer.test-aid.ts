/** OpenID provider for tests: `oidc-provider`, which signs everyone in as the user that a test names, without a form. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type JWK, type JWTPayload } from "jose";
import { Provider } from "oidc-provider";

/** User of the provider: its subject, and its claims. */
export type TestUser = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Client of the provider. */
export interface TestClient {
  readonly redirectUris: readonly string[];
  readonly logoutUri?: string;
  readonly returnUris?: readonly string[];
}

/** Client id and secret of every test client. */
export const testClient = { id: "restante", secret: "a client secret of tests" };

/** A running provider. */
export class TestIssuer implements AsyncDisposable {
  readonly #server: Server;
  readonly url: string;
  /** User as whom the next browser is signed in. */
  user: TestUser = { sub: "ann" };
  /** Users by subject, with the claims that they have now; one that is missing has left. */
  readonly users = new Map<string, TestUser>();
  /** Requests by path. */
  readonly requests = new Map<string, number>();
  /** Response to all requests instead of the provider's. */
  outage: ((request: IncomingMessage, response: ServerResponse) => void) | null = null;
  #keys: readonly { readonly kid: string; readonly privateKey: CryptoKey; readonly jwk: JWK }[] = [];
  #provider: Provider | undefined;
  #client: TestClient = { redirectUris: [] };
  readonly #grants: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  }

  /** Starts a provider on a free port; `register` adds the client. */
  static async start(): Promise<TestIssuer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const issuer = new TestIssuer(server);
    await issuer.rotateKeys("first");
    server.on("request", (request, response) => {
      void issuer.#respond(request, response);
    });
    return issuer;
  }

  /** Replaces the client. */
  register(client: TestClient): void {
    this.#client = client;
    this.#open();
  }

  /** Replaces the signing key by a new one. */
  async rotateKeys(kid: string): Promise<void> {
    const { privateKey, publicKey: _publicKey } = await generateKeyPair("RS256", { extractable: true });
    this.#keys = [{ kid, privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: "RS256", use: "sig" } }];
    this.#open();
  }

  /** Signs claims with the key of the provider. */
  async sign(claims: JWTPayload, header: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const [key] = this.#keys;
    if (key === undefined) throw new Error("no key");
    return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: key.kid, ...header }).sign(key.privateKey);
  }

  /** Signs a bearer token of a user for this service that is valid for an hour. */
  async bearer(sub: string, claims: JWTPayload = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return this.sign({ iss: this.url, aud: testClient.id, sub, iat: now, exp: now + 3600, ...claims });
  }

  #open(): void {
    const { redirectUris, logoutUri, returnUris = [] } = this.#client;
    if (redirectUris.length === 0) return;
    this.#provider = new Provider(this.url, {
      clients: [
        {
          client_id: testClient.id,
          client_secret: testClient.secret,
          redirect_uris: redirectUris,
          post_logout_redirect_uris: returnUris,
          grant_types: ["authorization_code", "refresh_token"],
          ...(logoutUri !== undefined && {
            backchannel_logout_uri: logoutUri,
            backchannel_logout_session_required: true,
          }),
        },
      ],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
      // Claims are in the ID token, too, as most providers send them.
      conformIdTokenClaims: false,
      cookies: { keys: ["a key of tests"] },
      features: {
        backchannelLogout: { enabled: true },
        devInteractions: { enabled: false },
        rpInitiatedLogout: {
          enabled: true,
          postLogoutSuccessSource: (context: { body: string }) => {
            context.body = "<!doctype html><title>Signed out</title>";
          },
          logoutSource: (context: { body: string }, form: string) => {
            context.body = `<!doctype html><title>Sign out</title>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`;
          },
        },
      },
      // Its dispatcher does not call this machine.
      fetch: async (
        url: string,
        { dispatcher: _dispatcher, ...options }: RequestInit & { readonly dispatcher?: unknown },
      ) => fetch(url, options),
      findAccount: (_context: unknown, sub: string) => {
        const user = this.users.get(sub);
        return user && { accountId: sub, claims: () => user };
      },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      issueRefreshToken: () => true,
      jwks: { keys: this.#keys.map(({ jwk }) => jwk) },
      loadExistingGrant: async (context: { oidc: { account?: { accountId: string } } }) => {
        const accountId = context.oidc.account?.accountId ?? "";
        const grant = new (this.#opened().Grant)({ clientId: testClient.id, accountId });
        grant.addOIDCScope("openid profile email offline_access");
        this.#grants.push(await grant.save());
        return grant;
      },
      ttl: {
        AccessToken: 3600,
        Grant: 86_400,
        IdToken: 3600,
        Interaction: 3600,
        RefreshToken: 86_400,
        Session: 86_400,
      },
    });
  }

  #opened(): Provider {
    if (this.#provider === undefined) throw new Error("no client is registered");
    return this.#provider;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ""] = (request.url ?? "").split("?");
    this.requests.set(path, (this.requests.get(path) ?? 0) + 1);
    if (this.outage !== null) {
      this.outage(request, response);
      return;
    }
    const provider = this.#opened();
    if (!path.startsWith("/interaction/")) {
      await provider.callback()(request, response);
      return;
    }
    this.users.set(this.user.sub, this.user);
    await provider.interactionFinished(request, response, { login: { accountId: this.user.sub } });
  }

  /** Stops the provider. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Browser without scripts: follows redirects and keeps cookies by host. */
export class CookieBrowser {
  readonly cookies = new Map<string, Map<string, string>>();

  /** Requests a URL, and follows redirects while `until` does not match the next one, whose URL is returned with the last response. */
  async open(
    url: string,
    until: (next: string) => boolean,
  ): Promise<{ readonly next: string; readonly response: Response }> {
    let at = url;
    for (let count = 0; count < 20; count += 1) {
      const response = await this.fetch(at);
      const location = response.headers.get("location");
      if (location === null) throw new Error(`${at} responded ${String(response.status)}: ${await response.text()}`);
      at = new URL(location, at).href;
      if (until(at)) return { next: at, response };
      await response.body?.cancel();
    }
    throw new Error("too many redirects");
  }

  /** Requests a URL with the cookies of its host, and keeps those of the response. */
  async fetch(url: string, options: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url);
    const own = this.cookies.get(host) ?? new Map<string, string>();
    this.cookies.set(host, own);
    const cookie = [...own].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = {
      accept: "text/html",
      ...(options.headers as Record<string, string> | undefined),
      ...(cookie !== "" && { cookie }),
    };
    const response = await fetch(url, { ...options, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const name = pair.slice(0, pair.indexOf("="));
      const value = pair.slice(pair.indexOf("=") + 1);
      if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) own.delete(name);
      else own.set(name, value);
    }
    return response;
  }
}
