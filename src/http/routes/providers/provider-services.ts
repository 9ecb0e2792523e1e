import { openProviderCaller, requireProviderScope } from "../../../operations/providers/provider-caller.ts";
import { subscriptionsOf } from "../../../operations/callbacks/subscriptions.ts";
import { openProviderSession } from "../../../operations/providers/provider-session.ts";
import type { ProviderCaller } from "../../../operations/providers/provider-caller.ts";
import type { Provider, ProviderServices } from "../../../providers/provider.ts";
import type { ObjectChanges } from "./object-changes.ts";
import type { ProviderCall } from "../../route.ts";

/** Key of all callers with keys that are not stored: they share the memory of one, however many keys they make up. */
const unknownCallers = "unknown";

/** Authenticates the caller of an endpoint, once for each key. */
export type OpenCaller = (key: string | null) => Promise<ProviderCaller>;

/**
 * Returns a function that authenticates the caller of a call. API keys authenticate, browser sessions do not. A request that
 * a page of another site makes a browser send needs a stored key, because any page can send forms with credentials in them.
 */
export function callerOf(call: ProviderCall, { name: provider }: Pick<Provider, "name">): OpenCaller {
  const { context, clientAddress, headers } = call;
  const isForeignPage = headers["sec-fetch-site"] === "cross-site";
  let known: { readonly key: string | null; readonly caller: ProviderCaller } | undefined;
  return async (key) => {
    if (known?.key === key) return known.caller;
    const caller = await openProviderCaller(context, { key, isForeignPage, clientAddress, provider });
    if (known === undefined) call.identify(caller.isKnown ? caller.principal.keyId : unknownCallers);
    known = { key, caller };
    return caller;
  };
}

/** Returns the services for the endpoint of a call. `faults` and `transcript` are those of the call. */
export function servicesFor(
  { context, clientAddress }: ProviderCall,
  openCaller: OpenCaller,
  { faults, transcript, changes }: Pick<ProviderCaller, "faults" | "transcript"> & { readonly changes: ObjectChanges },
): ProviderServices {
  /** Callers share the workers that render templates fairly; clients that invent keys are one caller. */
  let templateCaller = { key: `address:${clientAddress}` };
  return {
    now: () => context.clock.now(),
    authenticate: async (key, need) => {
      const caller = await openCaller(key);
      requireProviderScope(caller, need);
      const { provider } = caller;
      if (caller.isKnown) templateCaller = { key: caller.principal.keyId };
      faults?.open({ provider, server: caller.principal.server });
      const parts = { ...caller, ...(faults && { faults }), ...(transcript && { transcript }) };
      return changes.watch(openProviderSession(context, parts), caller);
    },
    renderTemplates: async (job) => context.templates.render(job, templateCaller),
    subscriptions: subscriptionsOf(context),
  };
}
