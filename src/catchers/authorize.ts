import type { Need } from "../core/api-key.ts";
import { notFound, Problem } from "../core/errors.ts";
import type { ServerId } from "../core/ids.ts";
import { readKey } from "../http/auth.ts";
import { isLocal } from "../http/host-guard.ts";
import type { ProviderCall } from "../http/route.ts";
import { findCatchAll } from "../operations/inbound/resolve-recipient.ts";
import { authenticate } from "../operations/services/security/authenticate.ts";
import { admit, narrowTo, requireScope } from "../operations/services/security/access.ts";
import type { CatcherCall } from "./catcher.ts";

/** Access to a listener with the API of another mail catcher. */
export interface CatcherAccess {
  /** Name of the mail catcher. */
  readonly name: string;
  /** Server that the API shows; null for the catch-all server. */
  readonly server: ServerId | null;
  /** Whether clients on this machine need no key. */
  readonly trustsLoopback: boolean;
}

/** Authorised request. */
type CatcherCaller = Pick<CatcherCall, "server" | "principal" | "isOpen">;

/** Members of a request that are compared. */
type AuthorizedRequest = Pick<ProviderCall, "context" | "headers" | "clientAddress">;

/**
 * Returns the server and the principal of a request. Without a key, only requests of clients on this machine are accepted, and
 * none that a page of another site has caused. Rejects with `unauthenticated`, `forbidden`, `too_many_requests`, and with
 * `not_found` when the server does not exist.
 */
export async function authorizeCatcher(
  request: AuthorizedRequest,
  access: CatcherAccess,
  need: Need,
): Promise<CatcherCaller> {
  const { context, headers, clientAddress } = request;
  if (access.trustsLoopback && isLocal(headers, clientAddress)) {
    requireSameSite(request);
    const server = await openCatcherServer(request, access);
    const keyName = `${access.name} API on loopback`;
    return { server, principal: { keyId: `loopback of ${server}`, keyName, server }, isOpen: async () => true };
  }
  const key = readKey(headers.authorization);
  if (key === undefined) throw new Problem("unauthenticated");
  const { principal: caller, isOpen } = await authenticate(context, { key, clientAddress });
  admit(caller, { need, access: "key" });
  const server = await openCatcherServer(request, access);
  const principal = narrowTo(caller, server);
  if (principal === undefined) {
    throw new Problem("forbidden", { text: "This key may not access the server of this listener" });
  }
  requireScope(principal, need);
  return { server, principal, isOpen: async () => isOpen(principal) };
}

async function openCatcherServer({ context }: AuthorizedRequest, access: CatcherAccess): Promise<ServerId> {
  const server = access.server ?? (await findCatchAll(context));
  if (server === undefined || !(await context.store.hasServer(server))) throw notFound("Server");
  return server;
}

/**
 * Throws `forbidden` for requests that browsers send for pages of other sites, except navigations, whose responses those
 * pages cannot read. Requests with an Origin are rejected before.
 */
function requireSameSite({ headers }: AuthorizedRequest): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "none" || site === "same-origin") return;
  if (headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document") return;
  throw new Problem("forbidden", { text: "Requests of web pages from other origins are not allowed" });
}
