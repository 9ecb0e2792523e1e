/**
 * Entry point of the package. It uses only old syntax, so that an old Node can load it and reports its version instead of a
 * syntax error.
 */
import { unsupportedNode } from "../core/supported-node.ts";
import type { Restante, RestanteOptions } from "./restante-options.ts";

/** Types of the options and of the service. */
export type { Restante, RestanteOptions, RestanteSmtp } from "./restante-options.ts";

const problem = unsupportedNode();
if (problem !== undefined) {
  const error = new Error(problem);
  // Node would print the stack before the message.
  error.stack = `Error: ${problem}`;
  throw error;
}

/**
 * Returns access to a service on loopback; resolves when it is ready for mail. The workers of a test run share one service, in
 * which each call has its own server, key and SMTP port; with `shared: false` and with options that need a service of their
 * own, it starts one in this process. Without `dataDir`, commits are not synced to disk. Rejects with an `Error` that names
 * an invalid option.
 *
 * ```ts
 * import { startRestante } from "restante";
 *
 * await using restante = await startRestante();
 * const to = restante.emailAddress("sign-up");
 * await signUp({ to, smtpUrl: `smtp://${restante.smtp.host}:${restante.smtp.port}` });
 * const found = await fetch(`${restante.url}/api/messages/search?server=${restante.serverId}&timeout=5000`, {
 *   method: "POST",
 *   headers: { authorization: `Bearer ${restante.apiKey}`, "content-type": "application/json" },
 *   body: JSON.stringify({ sentTo: to }),
 * });
 * ```
 */
export async function startRestante(options: RestanteOptions = {}): Promise<Restante> {
  // Loaded late, so that the check above comes first. No top-level await: `require` of this module would refuse it.
  const { isShareable } = await import("./restante-options.ts");
  if (isShareable(options)) return (await import("./shared/attach.ts")).attachToSharedService(options);
  return (await import("./start-restante.ts")).startRestante(options);
}
