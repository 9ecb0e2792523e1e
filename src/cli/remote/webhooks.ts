/** Commands that manage the webhooks of a server over the API. */
import type { WireWebhook } from "../../http/wire/callback-schema.ts";
import type { WireCallbackDelivery, WireReplayed } from "../../http/wire/delivery-schema.ts";
import { exitCodes, type Action, type Call } from "../command.ts";
import { printLine } from "./print-line.ts";
import { openServiceClient, type ServiceClient } from "./service-client.ts";

/** Runs `restante webhooks list`: prints one webhook per line, with fields separated by tabs. */
export const listWebhooksCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  for (const webhook of await client.list<WireWebhook>("GET", pathOf(server))) {
    const { id, state, url, events, description } = webhook;
    printLine(call, [id, state, url, events.join(","), description]);
  }
  return exitCodes.done;
};

/** Runs `restante webhooks add`: prints the id and the secret, separated by a tab. */
export const addWebhookCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  const { flags } = call;
  const filters = ["type", "direction", "description"].flatMap((name) => {
    const value = flags.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const events = flags.get("events")?.split(",");
  const body = { url: call.operands[0], ...Object.fromEntries(filters), ...(events !== undefined && { events }) };
  const { id, secret } = await client.send<WireWebhook>("POST", pathOf(server), body);
  printLine(call, [id, secret ?? ""]);
  return exitCodes.done;
};

/** Runs `restante webhooks remove`. */
export const removeWebhookCommand: Action = async (call) => {
  const { client, path } = openWebhook(call);
  await client.send("DELETE", path);
  return exitCodes.done;
};

/** Runs `restante webhooks rotate`: prints the new secret alone on its line. */
export const rotateWebhookCommand: Action = async (call) => {
  const { client, path } = openWebhook(call);
  const { secret } = await client.send<WireWebhook>("POST", `${path}/secret`, {});
  printLine(call, [secret ?? ""]);
  return exitCodes.done;
};

/** Runs `restante webhooks ping`: prints the id of the delivery. */
export const pingWebhookCommand: Action = async (call) => {
  const { client, path } = openWebhook(call);
  const { id } = await client.send<WireCallbackDelivery>("POST", `${path}/ping`);
  printLine(call, [id]);
  return exitCodes.done;
};

/** Runs `restante webhooks deliveries`: prints one delivery per line, newest first. */
export const listDeliveriesCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  const query = new URLSearchParams(filterOf(call));
  const path = `/api/servers/${encodeURIComponent(server)}/deliveries?${query.toString()}`;
  for (const delivery of await client.list<WireCallbackDelivery>("GET", path)) {
    const { id, createdAt, type, status, attemptCount, lastAttempt } = delivery;
    const outcome = lastAttempt?.responseStatus ?? lastAttempt?.error ?? "";
    printLine(call, [id, createdAt, type, status, String(attemptCount), String(outcome)]);
  }
  return exitCodes.done;
};

/** Runs `restante webhooks replay`: prints the number of deliveries. */
export const replayDeliveriesCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  const path = `/api/servers/${encodeURIComponent(server)}/deliveries/replay`;
  const { replayed } = await client.send<WireReplayed>("POST", path, filterOf(call));
  printLine(call, [String(replayed)]);
  return exitCodes.done;
};

function openWebhook(call: Call): Pick<ServiceClient, "client"> & { readonly path: string } {
  const { client, server } = openServiceClient(call);
  return { client, path: `${pathOf(server)}/${encodeURIComponent(call.operands[0] ?? "")}` };
}

function pathOf(server: string): string {
  return `/api/servers/${encodeURIComponent(server)}/webhooks`;
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
