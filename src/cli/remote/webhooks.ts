/** Commands that manage the webhooks of a server over the API. */
import type { WebhookId } from "../../client/callbacks.ts";
import type { CreateWebhookRequest } from "../../client/generated/types.ts";
import type { Action, Call } from "../command.ts";
import { printing } from "./service-client.ts";

/** Runs `restante webhooks list`: prints one webhook per line, with fields separated by tabs. */
export const listWebhooksCommand: Action = printing(async ({ client, server }) =>
  (await client.webhooks.list(server)).map(({ id, state, url, events, description }) => {
    return [id, state, url, events.join(","), description];
  }),
);

/** Runs `restante webhooks add`: prints the id and the secret, separated by a tab. */
export const addWebhookCommand: Action = printing(async ({ client, server }, { flags, operands }) => {
  const given = ["type", "direction", "description"].map((name) => [name, flags.get(name)] as const);
  const events = flags.get("events")?.split(",");
  // The service validates them.
  const fields = { url: operands[0], ...Object.fromEntries(given), events } as unknown as CreateWebhookRequest;
  const { id, secret } = await client.webhooks.create(server, fields);
  return [[id, secret ?? ""]];
});

/** Runs `restante webhooks remove`. */
export const removeWebhookCommand: Action = printing(async ({ client, server }, call) =>
  client.webhooks.delete(webhookOf(server, call)),
);

/** Runs `restante webhooks rotate`: prints the new secret alone on its line. */
export const rotateWebhookCommand: Action = printing(async ({ client, server }, call) => [
  [(await client.webhooks.rotateSecret(webhookOf(server, call))).secret ?? ""],
]);

/** Runs `restante webhooks ping`: prints the id of the delivery. */
export const pingWebhookCommand: Action = printing(async ({ client, server }, call) => [
  [(await client.webhooks.ping(webhookOf(server, call))).id],
]);

/** Runs `restante webhooks deliveries`: prints one delivery per line, newest first. */
export const listDeliveriesCommand: Action = printing(async ({ client, server }, call) =>
  (await client.deliveries.list(server, filterOf(call))).items.map((delivery) => {
    const { id, createdAt, type, status, attemptCount, lastAttempt } = delivery;
    const outcome = lastAttempt?.responseStatus ?? lastAttempt?.error ?? "";
    return [id, createdAt, type, status, String(attemptCount), String(outcome)];
  }),
);

/** Runs `restante webhooks replay`: prints the number of deliveries. */
export const replayDeliveriesCommand: Action = printing(async ({ client, server }, call) => [
  [String((await client.deliveries.replayAll(server, filterOf(call))).replayed)],
]);

function webhookOf(server: string, { operands }: Call): WebhookId {
  return { server, webhook: operands[0] ?? "" };
}

/** Flags of deliveries, with the names of the parameters. */
const filterFlags = [
  ["webhook", "target"],
  ["message", "message"],
  ["status", "status"],
  ["type", "type"],
  ["since", "since"],
  ["before", "before"],
] as const;

function filterOf({ flags }: Call): Record<string, string> {
  const given = filterFlags.flatMap(([flag, name]) => {
    const value = flags.get(flag);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}
