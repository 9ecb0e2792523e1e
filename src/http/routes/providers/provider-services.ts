import { openProviderCaller } from "../../../operations/providers/provider-caller.ts";
import { openProviderSession } from "../../../operations/providers/provider-session.ts";
import type { Provider, ProviderServices } from "../../../providers/provider.ts";
import type { ProviderCall } from "../../route.ts";

/** Returns the services for the endpoint of a call. API keys authenticate, browser sessions do not. */
export function servicesFor(
  { context, clientAddress }: ProviderCall,
  { name: provider }: Pick<Provider, "name">,
): ProviderServices {
  /** Callers share the threads that render templates fairly. */
  let templateCaller = { key: `address:${clientAddress}` };
  return {
    now: () => context.clock.now(),
    authenticate: async (key, need) => {
      const caller = await openProviderCaller(context, { key, clientAddress, provider, need });
      templateCaller = { key: caller.principal.keyId };
      return openProviderSession(context, caller);
    },
    renderTemplates: async (job) => context.templates.render(job, templateCaller),
  };
}
