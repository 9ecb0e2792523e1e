/** Commands that manage the webhooks of a server over the API. */
import type { WebhookId } from "../../client/callbacks.ts";
import type { CreateWebhookRequest } from "../../client/generated/types.ts";
import { type Action, type Call, exitCodes } from "../command.ts";
import { openServiceClient, printLine } from "./service-client.ts";

/** Runs `restante webhooks list`: prints one webhook per line, with fields separated by tabs. */
export const listWebhooksCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  for (const { id, state, url, events, description } of await client.webhooks.list(server)) {
    printLine(call, [id, state, url, events.join(","), description]);
  }
  return exitCodes.done;
};

/** Runs `restante webhooks add`: prints the id and the secret, separated by a tab. */
export const addWebhookCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  const { flags, operands } = call;
  const given = ["type", "direction", "description"].map((name) => [name, flags.get(name)] as const);
  const events = flags.get("events")?.split(",");
  // The service validates them.
  const fields = { url: operands[0], ...Object.fromEntries(given), events } as unknown as CreateWebhookRequest;
  const { id, secret } = await client.webhooks.create(server, fields);
  printLine(call, [id, secret ?? ""]);
  return exitCodes.done;
};

/** Runs `restante webhooks remove`. */
export const removeWebhookCommand: Action = async (call) => {
  await openServiceClient(call).client.webhooks.delete(webhookOf(call));
  return exitCodes.done;
};

/** Runs `restante webhooks rotate`: prints the new secret alone on its line. */
export const rotateWebhookCommand: Action = async (call) => {
  const { secret } = await openServiceClient(call).client.webhooks.rotateSecret(webhookOf(call));
  printLine(call, [secret ?? ""]);
  return exitCodes.done;
};

/** Runs `restante webhooks ping`: prints the id of the delivery. */
export const pingWebhookCommand: Action = async (call) => {
  printLine(call, [(await openServiceClient(call).client.webhooks.ping(webhookOf(call))).id]);
  return exitCodes.done;
};

/** Runs `restante webhooks deliveries`: prints one delivery per line, newest first. */
export const listDeliveriesCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  for (const delivery of (await client.deliveries.list(server, filterOf(call))).items) {
    const { id, createdAt, type, status, attemptCount, lastAttempt } = delivery;
    const outcome = lastAttempt?.responseStatus ?? lastAttempt?.error ?? "";
    printLine(call, [id, createdAt, type, status, String(attemptCount), String(outcome)]);
  }
  return exitCodes.done;
};

/** Runs `restante webhooks replay`: prints the number of deliveries. */
export const replayDeliveriesCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  printLine(call, [String((await client.deliveries.replayAll(server, filterOf(call))).replayed)]);
  return exitCodes.done;
};

function webhookOf(call: Call): WebhookId {
  return { server: openServiceClient(call).server, webhook: call.operands[0] ?? "" };
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
