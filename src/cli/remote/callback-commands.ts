/** Commands about the webhooks of a running service. */
import type { Command, Flag } from "../command.ts";
import { dataDir, remoteCommand, serverFlag } from "./remote-commands.ts";

const deliveryFilter: readonly Flag[] = [
  { name: "webhook", value: "ID", meaning: "Only deliveries of this webhook, event webhook or inbound route" },
  { name: "message", value: "ID", meaning: "Only deliveries about this message" },
  { name: "type", value: "NAME", meaning: "Only deliveries of this type" },
  { name: "since", value: "TIME", meaning: "Only deliveries created then or later, in ISO 8601" },
  { name: "before", value: "TIME", meaning: "Only deliveries created before, in ISO 8601" },
];

/** Commands for webhooks, in the order of the help. */
export const callbackCommands: readonly Command[] = [
  remoteCommand("listen", {
    flags: [
      serverFlag,
      { name: "forward", value: "URL", meaning: "Post each event to this URL, signed" },
      { name: "events", value: "LIST", meaning: "Types of events, comma-separated. Default: all" },
      {
        name: "provider",
        value: "NAME",
        meaning: "Events as this provider reports them, about mail that came through its API",
      },
      { name: "json", value: null, meaning: "Print the body of each event as JSON on one line" },
      dataDir,
    ],
    summary: "Print the events of a server, and forward them to a local URL",
    details: [
      "Follows the event stream of the server, so that no port needs to be open to the service. Events are signed as Standard Webhooks, or as the provider signs; the secret is printed at the start. After an interruption it continues where it was: no event is skipped. A request that fails is not repeated.",
    ],
    load: async () => (await import("./listen.ts")).listen,
  }),
  remoteCommand("webhooks list", {
    summary: "List the webhooks of a server: id, state, URL, events, description",
    load: async () => (await import("./webhooks.ts")).listWebhooksCommand,
  }),
  remoteCommand("webhooks add", {
    operands: ["URL"],
    flags: [
      serverFlag,
      { name: "events", value: "LIST", meaning: "Types of events, comma-separated. Default: all" },
      { name: "type", value: "Email|SMS", meaning: "Only messages of this type" },
      { name: "direction", value: "Received|Sent", meaning: "Only messages of this direction" },
      { name: "description", value: "TEXT", meaning: "Description that lists show" },
      dataDir,
    ],
    summary: "Create a webhook and print its id and secret, once",
    load: async () => (await import("./webhooks.ts")).addWebhookCommand,
  }),
  remoteCommand("webhooks remove", {
    operands: ["ID"],
    summary: "Delete a webhook with its deliveries",
    load: async () => (await import("./webhooks.ts")).removeWebhookCommand,
  }),
  remoteCommand("webhooks rotate", {
    operands: ["ID"],
    summary: "Replace the secret of a webhook and print the new one, once",
    details: ["The old secret signs too for 24 hours."],
    load: async () => (await import("./webhooks.ts")).rotateWebhookCommand,
  }),
  remoteCommand("webhooks ping", {
    operands: ["ID"],
    summary: "Send the event `ping` to a webhook and print the id of the delivery",
    load: async () => (await import("./webhooks.ts")).pingWebhookCommand,
  }),
  remoteCommand("webhooks deliveries", {
    flags: [
      serverFlag,
      ...deliveryFilter,
      { name: "status", value: "NAME", meaning: "`Pending`, `Delivered`, `Failed`, `Cancelled` or `Quarantined`" },
      dataDir,
    ],
    summary: "List the last 50 deliveries: id, creation, type, status, attempts, last response",
    load: async () => (await import("./webhooks.ts")).listDeliveriesCommand,
  }),
  remoteCommand("webhooks replay", {
    flags: [
      serverFlag,
      ...deliveryFilter,
      { name: "status", value: "NAME", meaning: "`Delivered`, `Failed` or `Quarantined`. Default: `Failed`" },
      dataDir,
    ],
    summary: "Deliver again what matches, and print the number of deliveries",
    load: async () => (await import("./webhooks.ts")).replayDeliveriesCommand,
  }),
];
