import { webRoute } from "../../routes/rows.ts";
import type { Principal } from "../../../core/api-key.ts";
import { invalidField, Problem } from "../../../core/errors.ts";
import { excerptMessages, findPassages, type PassagesRequest } from "../../../operations/messages/excerpt-messages.ts";
import { describeCaller } from "../../../operations/people/users.ts";
import { actorOf, onlyServer, requireAccount, requireScope } from "../../../operations/services/security/access.ts";
import { authenticate } from "../../../operations/services/security/authenticate.ts";
import { providers, smsProviders } from "../../../providers/registry.ts";
import { auditedAct } from "../../audit.ts";
import { readKey } from "../../auth.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { type Call, type KeyRoute, type OpenRoute, withSignal } from "../../route.ts";
import { build, schemaOf } from "../../../core/schema.ts";
import type { WireDisk, WireSession, WireSessionToken, WireSmsProvider, WireTicket } from "../../wire/web-schema.ts";
import { type CookieScope, readSession, sessionCookie } from "../sessions.ts";
import type { WebUi } from "../assets.ts";

const path = "/web/session";

const shownProviders: readonly WireSmsProvider[] = smsProviders.map(({ name, label, sms }) => {
  const { signing, accountId, accountKey, accountSecret } = sms.credentials;
  return { name, label, signingSecret: signing, account: { id: accountId, key: accountKey, secret: accountSecret } };
});

const providerLabels: Readonly<Record<string, string>> = Object.fromEntries(
  providers.map(({ name, label }) => [name, label]),
);

/** `POST /web/session`: opens a session with the key or one-time token of the Authorization field. */
export const openSessionRoute: OpenRoute = {
  method: "POST",
  path,
  operationId: null,
  summary: "Sign a browser in.",
  access: "open",
  successes: [
    { status: 200, description: "Signed in: half of the session is the cookie, half the token in the body." },
  ],
  problems: ["not_found", "unauthenticated", "forbidden", "too_many_requests"],
  respond: async (call) => {
    const { sessions } = webOf(call);
    const secret = readKey(call.headers.authorization);
    if (secret === undefined) throw new Problem("unauthenticated");
    const keyHash = (await sessions.redeemToken(secret)) ?? (await hashOfKey(call, secret));
    const session = await sessions.open(keyHash);
    await recordSignIn(call, await sessions.principalOf(session));
    const token: WireSessionToken = { pageToken: session.page };
    const response = jsonResponse(token);
    const setCookie = sessionCookie(call.headers.host, session.cookie, cookieScopeOf(call));
    return { ...response, headers: { ...response.headers, "set-cookie": setCookie } };
  },
};

/** `POST /web/sign-in-links`: a link that signs one browser in as the key, once. */
export const signInLinkRoute: OpenRoute = {
  method: "POST",
  path: "/web/sign-in-links",
  operationId: null,
  summary: "Issue a link that signs one browser in.",
  access: "open",
  successes: [{ status: 200, description: "The link." }],
  problems: ["not_found", "unauthenticated", "forbidden", "too_many_requests"],
  respond: async (call) => {
    const { sessions, addresses } = webOf(call);
    const key = readKey(call.headers.authorization);
    if (key === undefined) throw new Problem("unauthenticated");
    const token = await sessions.issueToken(await hashOfKey(call, key));
    const link: WireTicket = { url: `${addresses().url}/#token=${token}` };
    return jsonResponse(link);
  },
};

/** `GET /web/session`: the key of the session, and the addresses of the service. */
export const getSessionRoute: KeyRoute = webRoute(`GET ${path}`, {
  summary: "Fetch the key of the session and the addresses of the service.",
  permission: "any",
  returns: [{ status: 200, description: "The session." }],
  problems: ["not_found"],
  run: async (call) => {
    const { addresses, version } = webOf(call);
    const session: WireSession = {
      ...addresses(),
      version,
      server: onlyServer(call.principal),
      isAccount: call.principal.server === null,
      ...(await describeCaller(call.context, call.principal)),
      scope: scopeOf(call.principal),
      verified: call.principal.server === null ? call.context.settings.verified : [],
      smsProviders: shownProviders,
      providerLabels,
    };
    return session;
  },
});

/** Returns the widest scope that the principal has on a server. */
function scopeOf({ server, scope = "full" }: Principal): WireSession["scope"] {
  const widest = server === null || typeof server === "string" ? [scope] : [...server.servers.values()];
  return (["full", "test", "read", "send"] as const).find((one) => widest.includes(one)) ?? "read";
}

/** `GET /web/disk`: free bytes of the disk with the data. */
export const diskRoute: KeyRoute = webRoute("GET /web/disk", {
  summary: "Fetch the free bytes of the disk with the data; null for a database elsewhere.",
  returns: [{ status: 200, description: "The number." }],
  problems: ["not_found"],
  run: async (call) => {
    requireAccount(call.principal);
    const disk: WireDisk = { freeBytes: await webOf(call).freeBytes() };
    return disk;
  },
});

/** `DELETE /web/session`: closes the session of the cookie. */
export const closeSessionRoute: KeyRoute = webRoute(`DELETE ${path}`, {
  summary: "Sign a browser out.",
  permission: "any",
  audit: () => auditedAct("session.close"),
  returns: [
    { status: 204, description: "Signed out." },
    { status: 200, description: "Signed out; the URL signs the browser out at its OpenID provider, too." },
  ],
  problems: ["not_found"],
  respond: async (call) => {
    const { sessions, addresses } = webOf(call);
    const session = readSession(call.headers);
    const url = session === undefined ? null : await sessions.findEndSessionUrl(session, `${addresses().url}/`);
    if (session !== undefined) await sessions.close(session);
    const ended = { "set-cookie": sessionCookie(call.headers.host, null, cookieScopeOf(call)) };
    if (url === null) return { ...noContent, headers: ended };
    const link: WireTicket = { url };
    const response = jsonResponse(link);
    return { ...response, headers: { ...response.headers, ...ended } };
  },
});

async function recordSignIn({ context, clientAddress }: Call, principal: Principal | undefined): Promise<void> {
  if (principal === undefined) return;
  await context.audit.record(actorOf(principal, "key", clientAddress), auditedAct("session.open"));
}

async function hashOfKey(call: Call, key: string): Promise<string> {
  const { keyHash, principal } = await authenticate(call.context, { key, clientAddress: call.clientAddress });
  requireScope(principal, "any");
  if (keyHash !== null) return keyHash;
  throw new Problem("forbidden", { text: "A token opens no session; sign in at its OpenID provider" });
}

/** Returns where the cookies of a call's browser are valid. */
export function cookieScopeOf(call: Call): CookieScope {
  const { cookie } = webOf(call);
  return { ...cookie, isSecure: cookie.isSecure || call.isEncrypted };
}

/** Returns the web UI. Throws `not_found` when there is none. */
export function webOf(call: Call): WebUi {
  if (call.web === null) throw new Problem("not_found");
  return call.web;
}

// Routes for the rows of lists.

/** Largest number of messages of a request: a screen has fewer rows. */
const idCountMax = 100;
/** Most terms of a request. */
const termCountMax = 20;
const termLengthMax = 1000;

const requestSchema = schemaOf<PassagesRequest>()(
  build.object({
    ids: build.array(build.string()),
    terms: build.array(build.string()),
  }),
);

/** `POST /web/passages`: the part of the text of several messages that a search found, for the rows of a list. */
export const passagesRoute: KeyRoute = webRoute("POST /web/passages", {
  summary: "Fetch the part of the text of several messages that contains a term.",
  permission: "read",
  body: requestSchema,
  returns: [{ status: 200, description: "The passages of the messages that have one." }],
  problems: ["not_found", "unavailable"],
  run: async (call, request) => {
    if (request.ids.length > idCountMax) throw invalidField("ids", `At most ${String(idCountMax)} ids`);
    if (request.terms.length > termCountMax || request.terms.some((term) => term.length > termLengthMax)) {
      throw invalidField("terms", `At most ${String(termCountMax)} terms of ${String(termLengthMax)} characters each`);
    }
    return findPassages(withSignal(call), call.principal, request);
  },
});

/** `GET /web/glances?ids=`: codes, sizes, inline parts, file names, flags and tags of up to 100 messages, for the rows of a list. */
export const excerptsRoute: KeyRoute = webRoute("GET /web/glances", {
  summary: "Fetch codes, sizes, flags and tags of several messages.",
  returns: [{ status: 200, description: "The excerpts." }],
  problems: ["invalid_request", "not_found"],
  run: async (call) => {
    const ids = (call.query.get("ids") ?? "").split(",").filter((id) => id !== "");
    if (ids.length > idCountMax) throw invalidField("ids", `At most ${String(idCountMax)} ids`);
    return excerptMessages(withSignal(call), call.principal, ids);
  },
});
