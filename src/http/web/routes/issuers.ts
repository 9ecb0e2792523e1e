/** Sign-in at OpenID providers: the pages of the web UI lead to them, and they send browsers and logout tokens back. */
import { createHash } from "node:crypto";
import { unauthenticatedBodyBytesMax } from "../../../core/arrival-rate.ts";
import { notFound, Problem } from "../../../core/errors.ts";
import { readForm } from "../../../core/read-form.ts";
import type { Context } from "../../../operations/context.ts";
import { endSessionsByToken, signInAtIssuer } from "../../../operations/people/issuer-sessions.ts";
import { actorOf } from "../../../operations/services/security/access.ts";
import { judge, subjectOf } from "../../../operations/services/security/throttle.ts";
import { auditedAct } from "../../audit.ts";
import { type HttpResponse, jsonResponse } from "../../http-response.ts";
import type { Call, OpenRoute, ProviderRoute, Route } from "../../route.ts";
import type { WireIssuer } from "../../wire/web-schema.ts";
import { pageHeaders } from "../page-response.ts";
import { sessionCookie } from "../sessions.ts";
import { flowCookie, pathOfUi, readFlow } from "../sign-in-flow.ts";
import { cookieScopeOf, webOf } from "./session.ts";

/** OpenID provider. */
type Issuer = Context["issuers"]["all"][number];

const open = { operationId: null, access: "open", problems: ["not_found"] } as const;

const listIssuersRoute: OpenRoute = {
  ...open,
  method: "GET",
  path: "/web/issuers",
  summary: "List the OpenID providers that the sign-in page shows.",
  successes: [{ status: 200, description: "Names and labels, in the order of the settings." }],
  respond: ({ context }) => {
    const shown: readonly WireIssuer[] = context.issuers.all.map(({ settings: { name, label } }) => ({ name, label }));
    return jsonResponse(shown);
  },
};

const signInRoute: OpenRoute = {
  ...open,
  method: "GET",
  path: "/web/oidc/:id/sign-in",
  summary: "Lead a browser to an OpenID provider.",
  successes: [{ status: 302, description: "The page of the provider." }],
  respond: async (call) => {
    const issuer = issuerOf(call);
    const { context, headers, query } = call;
    const to = pathOfUi(query.get("to"));
    const base = new URL(baseOf(call));
    // The response comes to the public URL, where this browser must have its cookie; a proxy may have replaced Host.
    if (headers.host !== base.host && !query.has("host")) {
      return redirect(
        302,
        `${baseOf(call)}/web/oidc/${issuer.settings.name}/sign-in?host=public&to=${encodeURIComponent(to)}`,
      );
    }
    return shownOnPage(call, async () => {
      const { url, secrets } = await issuer.begin(redirectUriOf(call, issuer));
      const flow = { issuer: issuer.settings.name, secrets, to };
      return { ...redirect(302, url), cookies: [flowCookie(context, cookieOf(call), flow)] };
    });
  },
};

const callbackRoute: OpenRoute = {
  ...open,
  method: "GET",
  path: "/web/oidc/:id/callback",
  summary: "Sign a browser in that returns from an OpenID provider.",
  successes: [{ status: 303, description: "The web UI; its fragment has half of the session, the cookie the other." }],
  respond: async (call) => {
    const issuer = issuerOf(call);
    const { context, headers, clientAddress } = call;
    const ended = flowCookie(context, cookieOf(call), null);
    const response = await shownOnPage(call, async () => {
      const flow = readFlow(context, headers, cookieScopeOf(call));
      if (flow?.issuer !== issuer.settings.name) {
        throw new Problem("unauthenticated", { text: "The sign-in took too long, or began in another browser" });
      }
      const url = new URL(redirectUriOf(call, issuer));
      url.search = new URL(call.target, url).search;
      const { user, atIssuer } = await counted(call, async () =>
        signInAtIssuer(context, issuer, { response: url, secrets: flow.secrets }),
      );
      const { sessions } = webOf(call);
      const session = await sessions.openForUser(user.id, atIssuer);
      const principal = await sessions.principalOf(session);
      if (principal === undefined) throw new Problem("unauthenticated");
      await context.audit.record(actorOf(principal, "session", clientAddress), auditedAct("session.open"));
      const { headers: location } = redirect(303, `${baseOf(call)}${flow.to}#session=${session.page}`);
      const cookie = sessionCookie(headers.host, session.cookie, cookieScopeOf(call));
      return { status: 303, headers: { ...location, "set-cookie": cookie }, body: null };
    });
    return { ...response, cookies: [ended] };
  },
};

const logoutRoute: ProviderRoute = {
  operationId: null,
  access: "provider",
  method: "POST",
  path: "/web/oidc/:id/logout",
  summary: "End the sessions that the logout token of an OpenID provider names.",
  successes: [{ status: 200, description: "The sessions have ended." }],
  problems: ["not_found", "invalid_request", "body_too_large", "unavailable"],
  respond: async (call) => {
    const issuer = issuerOf(call);
    const fields = readForm(await call.readBody(unauthenticatedBodyBytesMax));
    const [, token = ""] = fields.find(([name]) => name === "logout_token") ?? [];
    const isValid = await endSessionsByToken(call.context, issuer, token);
    if (!isValid) throw new Problem("invalid_request", { text: "The logout token is not valid" });
    return { status: 200, headers: {}, body: [] };
  },
};

/** Routes of sign-in at OpenID providers. */
export const issuerRoutes: readonly Route[] = [listIssuersRoute, signInRoute, callbackRoute, logoutRoute];

function issuerOf({ context, id, web }: Pick<Call, "context" | "id" | "web">): Issuer {
  const issuer = web === null ? undefined : context.issuers.find(id);
  if (issuer === undefined) throw notFound("Path");
  return issuer;
}

function redirectUriOf(call: Call, issuer: Issuer): string {
  return `${baseOf(call)}/web/oidc/${issuer.settings.name}/callback`;
}

function baseOf(call: Call): string {
  return webOf(call).addresses().url;
}

function cookieOf(call: Call): { readonly host: string | undefined; readonly scope: ReturnType<typeof cookieScopeOf> } {
  return { host: call.headers.host, scope: cookieScopeOf(call) };
}

function redirect(status: 302 | 303, location: string): HttpResponse {
  return { status, headers: { location, "referrer-policy": "no-referrer" }, body: null };
}

/** Counts responses that are not valid as wrong keys of the address; rejects as {@link judge} does after too many of them. */
async function counted<Result>(
  { context, clientAddress, target }: Call,
  action: () => Promise<Result>,
): Promise<Result> {
  let refusal: Problem | undefined;
  const hash = createHash("sha256").update(target, "utf8").digest("hex");
  const result = await judge(context.wrongSecrets, { subjects: [subjectOf(clientAddress)], hash }, async () =>
    action().catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== "unauthenticated") throw error;
      refusal = error;
      return undefined;
    }),
  );
  if (result === undefined) throw refusal ?? new Problem("unauthenticated");
  return result;
}

/** Returns the response of an action, or a page that says why a problem has ended it. */
async function shownOnPage(call: Call, action: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Problem) || error.code === "internal") throw error;
    const page = failurePage(error.message, `${new URL(baseOf(call)).pathname.replace(/\/$/, "")}/`);
    const headers = { ...pageHeaders, "content-type": "text/html; charset=utf-8" };
    return { status: error.row.status, headers, body: [Buffer.from(page, "utf8")] };
  }
}

function failurePage(text: string, home: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Sign-in failed – restante</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <h1>Sign-in failed</h1>
    <p>${escaped(text)}</p>
    <p><a href="${escaped(home)}">Sign in again</a></p>
  </body>
</html>
`;
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "");
}
