import { unauthenticatedBodyBytesMax } from "../../../core/arrival-rate.ts";
import { notFound, Problem } from "../../../core/errors.ts";
import { providers, smsProviders } from "../../../providers/registry.ts";
import { InjectedFault, RequestFaults } from "../../../operations/providers/request-faults.ts";
import type {
  FaultContext,
  Provider,
  ProviderEndpoint,
  ProviderMethod,
  ProviderRequest,
  ProviderResponse,
  ProviderServices,
  SmsProvider,
} from "../../../providers/provider.ts";
import { FailureWithBody } from "../../error-response.ts";
import type { HttpResponse } from "../../http-response.ts";
import { transcribe } from "../../request-resources.ts";
import { RequestAborted } from "../../read-body.ts";
import { matchesPattern } from "../../router.ts";
import type { ProviderCall, ProviderRoute } from "../../route.ts";
import { applyFaults } from "./apply-faults.ts";
import { ObjectChanges } from "./object-changes.ts";
import { requestWithoutBody, withBody } from "./read-request.ts";
import type { RequestTranscript } from "../../../core/transcript.ts";
import { type OwnedNumber, parsePhoneNumber } from "../../../core/phone-number.ts";
import { openSigningIdentity, openNumberSecrets } from "../../../operations/services/security/stored-secrets.ts";
import { receiveSms } from "../../../operations/sms/receive-sms.ts";
import {
  openProviderObjects,
  openProviderSession,
  openProviderCaller,
  type ProviderCaller,
  requireProviderScope,
} from "../../../operations/providers/provider-session.ts";
import { subscriptionsOf } from "../../../operations/callbacks/shaped-target.ts";

/** Key of all callers with keys that are not stored: they share the memory of one, however many keys they make up. */
const unknownCallers = "unknown";

/** Authenticates the caller of an endpoint, once for each key. */
type OpenCaller = (key: string | null) => Promise<ProviderCaller>;

/**
 * Returns a function that authenticates the caller of a call. API keys authenticate, browser sessions do not. A request that
 * a page of another site makes a browser send needs a stored key, because any page can send forms with credentials in them.
 */
function callerOf(call: ProviderCall, { name: provider }: Pick<Provider, "name">): OpenCaller {
  const { context, clientAddress } = call;
  const isForeignPage = isFromForeignPage(call);
  let known: { readonly key: string | null; readonly caller: ProviderCaller } | undefined;
  return async (key) => {
    if (known?.key === key) return known.caller;
    const caller = await openProviderCaller(context, { key, isForeignPage, clientAddress, provider });
    if (known === undefined) call.identify(caller.isKnown ? caller.principal.keyId : unknownCallers);
    known = { key, caller };
    return caller;
  };
}

function isFromForeignPage({ headers }: ProviderCall): boolean {
  return headers["sec-fetch-site"] === "cross-site";
}

/** Returns whether a key that the caller makes up would be valid. */
function acceptsAnyKey(call: ProviderCall): boolean {
  return call.context.settings.acceptsAnyProviderKey && !isFromForeignPage(call);
}

/** Returns the services for the endpoint of a call. `faults` and `transcript` are those of the call. */
function servicesFor(
  { context, clientAddress }: ProviderCall,
  openCaller: OpenCaller,
  {
    provider,
    faults,
    transcript,
    changes,
  }: Pick<ProviderCaller, "provider" | "faults" | "transcript"> & { readonly changes: ObjectChanges },
): ProviderServices {
  /** Callers share the workers that render templates fairly; clients that invent keys are one caller. */
  let templateCaller = { key: `address:${clientAddress}` };
  return {
    now: () => context.clock.now(),
    authenticate: async (key, need) => {
      const caller = await openCaller(key);
      requireProviderScope(caller, need);
      if (caller.isKnown) templateCaller = { key: caller.principal.keyId };
      faults?.open({ provider, server: caller.principal.server });
      const parts = { ...caller, ...(faults && { faults }), ...(transcript && { transcript }) };
      return changes.watch(openProviderSession(context, parts), caller);
    },
    findKeyOwner: async (key) =>
      openCaller(key).then(
        (caller) => ({ keyId: caller.principal.keyId, objects: openProviderObjects(context, caller) }),
        (error: unknown) => {
          if (error instanceof Problem && error.code === "unauthenticated") return null;
          throw error;
        },
      ),
    signingIdentity: async () => openSigningIdentity(context, provider),
    renderTemplates: async (job) => context.templates.render(job, templateCaller),
    subscriptions: subscriptionsOf(context),
  };
}

/**
 * Stores the SMS of a provider's inbound webhook. Rejects with the same `unauthenticated` for unknown numbers, for unsigned
 * and for wrongly signed requests, so that nothing can be learnt without the secret.
 */
async function receiveFromProvider(
  call: ProviderCall,
  { name, sms: { inbound } }: SmsProvider,
  { request, transcript }: { readonly request: ProviderRequest; readonly transcript: RequestTranscript },
): Promise<void> {
  if (call.isHead) throw unsigned();
  const number = await findNumber(call, request);
  if (number?.provider !== name) throw unsigned();
  const secret = openNumberSecrets(call.context.secrets, number)?.signing ?? null;
  if (secret === null || !inbound.isSigned(request, secret, call.context.clock.now())) throw unsigned();
  const { from, to, text, providerId } = inbound.read(request);
  const webhook = { number, providerId };
  const source = { webhook, transcript: transcript.encode({ count: 1, isOwn: true, hits: [] }) };
  await receiveSms(call.context, { from, to, text, server: number.server, receivedAt: null, ...source });
}

function unsigned(): Problem {
  return new Problem("unauthenticated", { text: "The request is not signed with the secret of its number" });
}

async function findNumber({ context }: ProviderCall, { fields }: ProviderRequest): Promise<OwnedNumber | undefined> {
  const given = fields.find(([name]) => name.toLowerCase() === "to")?.[1] ?? "";
  const number = parsePhoneNumber(given.startsWith("+") ? given : `+${given}`);
  return number === undefined ? undefined : context.store.phoneNumbers.findPhoneNumber(number);
}

const shared = { operationId: null, access: "provider", problems: [] } as const;
const methods: readonly ProviderMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Endpoints and inbound webhooks of all providers. */
export const providerRoutes: readonly ProviderRoute[] = [
  ...smsProviders.flatMap(inboundRoutes),
  ...providers.flatMap((provider) => [
    ...provider.endpoints.flatMap((endpoint) => endpointRoutes(provider, endpoint)),
    ...methods.map((method) => unknownRoute(provider, method)),
  ]),
];

function prefixOf({ name }: Provider): string {
  return `/providers/${name}`;
}

function endpointRoutes(provider: Provider, endpoint: ProviderEndpoint): readonly ProviderRoute[] {
  const prefixes = endpoint.isAtRoot === true ? ["", prefixOf(provider)] : [prefixOf(provider)];
  const { method, path, summary, successes } = endpoint;
  return prefixes.map((prefix) => ({
    ...shared,
    method,
    summary,
    successes,
    path: prefix + path,
    respond: async (call) => {
      const faults = new RequestFaults(call.context.faults, call.clientAddress, endpoint.isSend);
      const request = requestWithoutBody(call, { provider, method, prefix });
      const now = call.context.clock.now();
      return applyFaults(call, faults, async () =>
        respond(provider, { ...request, now }, async () => {
          const openCaller = callerOf(call, provider);
          // Nothing of a stranger is read, except where the credentials are in the body, which is small then.
          const needsKey = hasToAuthenticate(endpoint, request) && provider.isPublicKey?.(request.key) !== true;
          if (needsKey) await openCaller(request.key);
          else if (endpoint.body === "mail" && acceptsAnyKey(call)) call.identify(unknownCallers);
          const whole = await withBody(request, call, bodyBytesMax(provider, endpoint, call));
          const transcript = transcribe(call, { ...whole, target: call.target, status: successes[0]?.status ?? 200 });
          const changes = new ObjectChanges();
          const services = servicesFor(call, openCaller, { provider: provider.name, faults, transcript, changes });
          const response = await recorded(endpoint.handle(whole, services), async () =>
            changes.record(call, `${method} ${path}`),
          );
          if (response.status < 400) await faults.decideCall();
          return response;
        }),
      );
    },
  }));
}

/** Returns whether the key of a request is authenticated before its body is read. */
function hasToAuthenticate({ access = "key" }: ProviderEndpoint, { key }: Pick<ProviderRequest, "key">): boolean {
  return access === "key" || (access === "optional" && key !== null);
}

/** Settles as a response does, once its changes are recorded, also those of a call that fails after them. */
async function recorded(response: Promise<ProviderResponse>, record: () => Promise<void>): Promise<ProviderResponse> {
  try {
    return await response;
  } finally {
    await record();
  }
}

/** Returns the limit of an endpoint's body. A mail in JSON is a third larger than its bytes. */
function bodyBytesMax({ email }: Provider, { body }: ProviderEndpoint, { context }: ProviderCall): number {
  if (body !== "mail" || email === null) return unauthenticatedBodyBytesMax;
  return Math.max(unauthenticatedBodyBytesMax + 1, Math.min(email.requestBytesMax, context.limits.contentBodyBytesMax));
}

/** Returns the route of all paths below the provider's prefix that are no endpoints, with the provider's own error. */
function unknownRoute(provider: Provider, method: ProviderMethod): ProviderRoute {
  const prefix = prefixOf(provider);
  return {
    ...shared,
    method,
    path: `${prefix}/*`,
    summary: `Respond to unknown paths with the error of ${provider.label}.`,
    successes: [],
    respond: async (call) => {
      const request = requestWithoutBody(call, { provider, method, prefix });
      return respond(provider, { ...request, now: call.context.clock.now() }, async ({ path }) => {
        const isKnown = isDecodable(path) && provider.endpoints.some((one) => matchesPattern(one.path, path));
        throw isKnown ? new Problem("method_not_allowed") : notFound("Path");
      });
    },
  };
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    // Invalid percent-encoding, which no endpoint has.
    return false;
  }
}

/** Failures of the service (5xx) are thrown on, so that they are logged; with the provider's own body if it has one. */
async function respond(
  provider: Provider,
  request: ProviderRequest & FaultContext,
  handle: (request: ProviderRequest) => Promise<ProviderResponse>,
): Promise<HttpResponse> {
  try {
    return toHttpResponse(await handle(request));
  } catch (error) {
    if (error instanceof InjectedFault) {
      const { error: fault } = error.outcome;
      if (fault === undefined) throw error;
      return toHttpResponse(provider.faultResponse(fault, request));
    }
    if (error instanceof Problem && error.row.status < 500) {
      return toHttpResponse(provider.errorResponse(error, request));
    }
    if (error instanceof RequestAborted) throw error;
    const problem = error instanceof Problem ? error : new Problem("internal", { cause: error });
    throw new FailureWithBody(error, toHttpResponse(provider.errorResponse(problem, request)));
  }
}

function inboundRoutes(provider: SmsProvider): readonly ProviderRoute[] {
  const { methods: ownMethods, accepted } = provider.sms.inbound;
  return ownMethods.map((method) => ({
    ...shared,
    method,
    path: `/api/sms/${provider.name}`,
    summary: `Receive an SMS from ${provider.label}.`,
    successes: [{ status: accepted.status, description: accepted.description }],
    respond: async (call) => {
      const request = requestWithoutBody(call, { provider, method, prefix: "" });
      const whole = await withBody(request, call, unauthenticatedBodyBytesMax);
      const transcript = transcribe(call, { ...whole, target: call.target, status: accepted.status });
      await receiveFromProvider(call, provider, { request: whole, transcript });
      return toHttpResponse(accepted);
    },
  }));
}

function toHttpResponse({ status, headers = {}, body }: ProviderResponse): HttpResponse {
  if (body === null) return { status, headers, body: null };
  return {
    status,
    headers: { ...headers, "content-type": body.contentType },
    body: [body.text === undefined ? body.bytes : Buffer.from(body.text, "utf8")],
  };
}
