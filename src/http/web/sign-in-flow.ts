/** Sign-in at an OpenID provider while the browser is there: a sealed cookie, which binds the response to that browser. */
import type { IncomingHttpHeaders } from "node:http";
import type { SignInSecrets } from "../../core/issuer.ts";
import type { Context } from "../../operations/context.ts";
import type { CookieScope } from "./sessions.ts";

/** Sign-in that a browser has begun. */
export interface SignInFlow {
  /** Name of the issuer. */
  readonly issuer: string;
  readonly secrets: SignInSecrets;
  /** Path of the web UI to open afterwards, without the path of the service. */
  readonly to: string;
}

/** Time that a user has to sign in at the issuer, in milliseconds. */
export const flowMsMax = 600_000;
const toLengthMax = 1000;
const purpose = "sign-in at an issuer";

/** Cookie in a request, and where it is valid. */
interface FlowCookie {
  readonly host: string | undefined;
  readonly scope: CookieScope;
}

type FlowContext = Pick<Context, "secrets" | "clock">;

/** Returns the path of the web UI that a text names; `/` for anything that leads elsewhere or names no path. */
export function pathOfUi(text: string | undefined): string {
  return text !== undefined && text.length <= toLengthMax && /^\/(?![/\\])[!-"$-[\]-~]*$/.test(text) ? text : "/";
}

/** Returns the `Set-Cookie` value that keeps a flow, or ends it for null. It is sent with the navigation that returns from the issuer. */
export function flowCookie(context: FlowContext, { host, scope }: FlowCookie, flow: SignInFlow | null): string {
  const until = context.clock.now() + flowMsMax;
  const value =
    flow === null
      ? ""
      : Buffer.from(context.secrets.seal(JSON.stringify({ ...flow, until }), purpose)).toString("base64url");
  const seconds = flow === null ? 0 : flowMsMax / 1000;
  const secure = scope.isSecure ? "; Secure" : "";
  return `${nameOf({ host, scope })}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** Returns the flow of the browser that sent a request; undefined without one, and after {@link flowMsMax}. */
export function readFlow(
  { secrets, clock }: FlowContext,
  headers: IncomingHttpHeaders,
  scope: CookieScope,
): SignInFlow | undefined {
  const start = `${nameOf({ host: headers.host, scope })}=`;
  const pair = (headers.cookie ?? "").split(";").find((one) => one.trim().startsWith(start));
  if (pair === undefined) return undefined;
  const text = secrets.open(Buffer.from(pair.trim().slice(start.length), "base64url"), purpose);
  if (text === undefined) return undefined;
  const { until, ...flow } = JSON.parse(text) as SignInFlow & { readonly until: number };
  return clock.now() < until ? flow : undefined;
}

/** Returns the name of the cookie. With TLS, browsers accept it from this host only (`__Host-`, RFC 6265bis §4.1.3.2); it contains the port, since cookies ignore ports. */
function nameOf({ host, scope }: FlowCookie): string {
  const port = /:(\d+)$/.exec(host ?? "")?.[1] ?? "default";
  return `${scope.isSecure ? "__Host-" : ""}restante-sign-in-${port}`;
}
