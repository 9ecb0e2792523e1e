import { openProviderCaller } from "../../../operations/providers/provider-caller.ts";
import { openProviderSession } from "../../../operations/providers/provider-session.ts";
import { renderTemplates } from "../../../operations/providers/render-templates.ts";
import type { Provider, ProviderServices } from "../../../providers/provider.ts";
import type { ProviderCall } from "../../route.ts";

/** Returns the services for the endpoint of a call. API keys authenticate, browser sessions do not. */
export function servicesFor(
  { context, clientAddress }: ProviderCall,
  { name: provider }: Pick<Provider, "name">,
): ProviderServices {
  return {
    now: () => context.clock.now(),
    authenticate: async (key, need) =>
      openProviderSession(context, await openProviderCaller(context, { key, clientAddress, provider, need })),
    renderTemplates,
  };
}
