import type { ProviderEndpoint } from "../provider.ts";

/** Endpoint of Amazon SNS, whose actions are form bodies; its modules are loaded on first use. */
export const snsEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "POST",
    path: "/",
    summary: "Call an action of the Amazon SNS API.",
    successes: [{ status: 200, description: "Response of the action." }],
    handle: async (request, services) => (await import("./actions.ts")).respondToAction(request, services),
  },
];
