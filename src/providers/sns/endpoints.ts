import type { ProviderEndpoint } from "../provider.ts";

/** Endpoints of Amazon SNS, whose actions are form bodies; their modules are loaded on first use. */
export const snsEndpoints: readonly ProviderEndpoint[] = [
  {
    method: "POST",
    path: "/",
    access: "own",
    summary: "Call an action of the Amazon SNS API.",
    successes: [{ status: 200, description: "Response of the action." }],
    handle: async (request, services) => (await import("./actions.ts")).respondToAction(request, services),
  },
  {
    method: "GET",
    path: "/",
    access: "own",
    summary: "Confirm or cancel a subscription by the URL in a notification.",
    successes: [{ status: 200, description: "Response of the action." }],
    handle: async (request, services) => (await import("./public-actions.ts")).respondToLink(request, services),
  },
  {
    method: "GET",
    path: "/:file",
    access: "own",
    summary: "Return the certificate of the signatures of notifications.",
    successes: [{ status: 200, description: "The certificate in PEM." }],
    handle: async (request, services) => (await import("./public-actions.ts")).getCertificate(request, services),
  },
];
