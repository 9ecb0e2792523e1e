/** Commands about the webhooks of a running service. */
import type { CreateWebhookRequest } from "../../client/generated/types.ts";
import type { Call, Command, Flags } from "../command.ts";
import { dataDir, remoteCommand, serverFlag } from "./remote-commands.ts";

const deliveryFilter: Flags = {
  "webhook ID": "Only deliveries of this webhook, event webhook or inbound route",
  "message ID": "Only deliveries about this message",
  "type NAME": "Only deliveries of this type",
  "since TIME": "Only deliveries created then or later, in ISO 8601",
  "before TIME": "Only deliveries created before, in ISO 8601",
};

/** Commands for webhooks, in the order of the help. */
export const callbackCommands: readonly Command[] = [
  remoteCommand("listen", {
    flags: {
      ...serverFlag,
      "forward URL": "Post each event to this URL, signed",
      "events LIST": "Types of events, comma-separated. Default: all",
      "provider NAME": "Events as this provider reports them, about mail that came through its API",
      json: "Print the body of each event as JSON on one line",
      ...dataDir,
    },
    summary: "Print the events of a server, and forward them to a local URL",
    details: [
      "Follows the event stream of the server, so that no port needs to be open to the service. Events are signed as Standard Webhooks, or as the provider signs; the secret is printed at the start. After an interruption it continues where it was: no event is skipped. A request that fails is not repeated.",
    ],
    load: async () => (await import("./listen.ts")).listen,
  }),
  remoteCommand("webhooks list", {
    summary: "List the webhooks of a server: id, state, URL, events, description",
    run: async ({ client, server }) =>
      (await client.webhooks.list(server)).map(({ id, state, url, events, description }) => {
        return [id, state, url, events.join(","), description];
      }),
  }),
  remoteCommand("webhooks add", {
    operands: ["URL"],
    flags: {
      ...serverFlag,
      "events LIST": "Types of events, comma-separated. Default: all",
      "type Email|SMS": "Only messages of this type",
      "direction Received|Sent": "Only messages of this direction",
      "description TEXT": "Description that lists show",
      ...dataDir,
    },
    summary: "Create a webhook and print its id and secret, once",
    run: async ({ client, server }, { flags, operands: [url] }) => {
      const given = ["type", "direction", "description"].map((name) => [name, flags.get(name)] as const);
      const events = flags.get("events")?.split(",");
      // The service validates them.
      const fields = { url, ...Object.fromEntries(given), events } as unknown as CreateWebhookRequest;
      const { id, secret } = await client.webhooks.create(server, fields);
      return [[id, secret ?? ""]];
    },
  }),
  remoteCommand("webhooks remove", {
    operands: ["ID"],
    summary: "Delete a webhook with its deliveries",
    run: async ({ client, server }, { operands: [webhook = ""] }) => client.webhooks.delete({ server, webhook }),
  }),
  remoteCommand("webhooks rotate", {
    operands: ["ID"],
    summary: "Replace the secret of a webhook and print the new one, once",
    details: ["The old secret signs too for 24 hours."],
    run: async ({ client, server }, { operands: [webhook = ""] }) => [
      [(await client.webhooks.rotateSecret({ server, webhook })).secret ?? ""],
    ],
  }),
  remoteCommand("webhooks ping", {
    operands: ["ID"],
    summary: "Send the event `ping` to a webhook and print the id of the delivery",
    run: async ({ client, server }, { operands: [webhook = ""] }) => [
      [(await client.webhooks.ping({ server, webhook })).id],
    ],
  }),
  remoteCommand("webhooks deliveries", {
    flags: {
      ...serverFlag,
      ...deliveryFilter,
      "status NAME": "`Pending`, `Delivered`, `Failed`, `Cancelled` or `Quarantined`",
      ...dataDir,
    },
    summary: "List the last 50 deliveries: id, creation, type, status, attempts, last response",
    run: async ({ client, server }, call) =>
      (await client.deliveries.list(server, filterOf(call))).items.map((delivery) => {
        const { id, createdAt, type, status, attemptCount, lastAttempt } = delivery;
        const outcome = lastAttempt?.responseStatus ?? lastAttempt?.error ?? "";
        return [id, createdAt, type, status, String(attemptCount), String(outcome)];
      }),
  }),
  remoteCommand("webhooks replay", {
    flags: {
      ...serverFlag,
      ...deliveryFilter,
      "status NAME": "`Delivered`, `Failed` or `Quarantined`. Default: `Failed`",
      ...dataDir,
    },
    summary: "Deliver again what matches, and print the number of deliveries",
    run: async ({ client, server }, call) => [
      [String((await client.deliveries.replayAll(server, filterOf(call))).replayed)],
    ],
  }),
];

/** Returns the flags of {@link deliveryFilter} and `--status` with the names of the parameters. */
function filterOf({ flags }: Call): Record<string, string> {
  const given = Array.from(flags).filter(([flag]) => flag !== "server" && flag !== "data-dir");
  return Object.fromEntries(given.map(([flag, value]) => [flag === "webhook" ? "target" : flag, value]));
}
