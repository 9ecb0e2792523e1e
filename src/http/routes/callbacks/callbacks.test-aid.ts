/** Support for tests of callbacks: processing of changes, and the requests of deliveries. */
import { createChangeProcessor } from "../../../operations/callbacks/process-changes.ts";
import type { HttpTestServer, Reply, TestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { ShownDelivery, ShownDeliveryDetail } from "../../../operations/callbacks/delivery-schema.ts";

/** URL of the application that the policy of the test server allows. */
export const applicationUrl = "http://app.test/hooks";

/** Request of a delivery. */
export type TestRequest = NonNullable<ShownDeliveryDetail["request"]>;

/** Deliveries of a server. */
export class TestDeliveries {
  readonly #api: HttpTestServer;
  readonly #server: TestServer;

  constructor(api: HttpTestServer, server: TestServer) {
    this.#api = api;
    this.#server = server;
  }

  /** Turns the changes of all servers into deliveries. */
  async process(): Promise<void> {
    const processor = createChangeProcessor(this.#api.context);
    for (const one of await this.#api.context.store.callbacks.listLaggingServers(100)) await processor.process(one);
  }

  /** Lists deliveries, oldest first. */
  async list(query = ""): Promise<readonly ShownDelivery[]> {
    const reply = await this.#api.ask(`GET /api/servers/${this.#server.id}/deliveries${query}`);
    return reply.json<ShownDelivery[]>().toReversed();
  }

  /** Returns the request of a delivery. */
  async request(id: string): Promise<TestRequest> {
    const reply = await this.#api.ask(`GET /api/servers/${this.#server.id}/deliveries/${id}`);
    const { request } = reply.json<ShownDeliveryDetail>();
    if (request === null) throw new Error("the delivery has no request");
    return request;
  }

  /** Returns the requests of all deliveries, oldest first. */
  async requests(): Promise<readonly TestRequest[]> {
    return await Promise.all((await this.list()).map(async ({ id }) => this.request(id)));
  }
}

/** Path parameters of callbacks of a server, by name. */
export type CallbackIds = Readonly<Record<"webhook" | "provider" | "route" | "delivery", string>>;

/** Adds a target of each kind, and a delivery. */
export async function addCallbacks(api: HttpTestServer, { id }: Pick<TestServer, "id">): Promise<CallbackIds> {
  const url = applicationUrl;
  const path = `/api/servers/${id}`;
  const idOf = (reply: Reply): string => reply.json<{ id: string }>().id;
  const webhook = idOf(await api.ask(`POST ${path}/webhooks`, { body: { url } }));
  await api.ask(`PUT ${path}/event-webhooks/sendgrid`, { body: { url } });
  const body = { pattern: "a@app.example", shape: "raw", url };
  const route = idOf(await api.ask(`POST ${path}/inbound-routes`, { body }));
  const delivery = idOf(await api.ask(`POST ${path}/webhooks/${webhook}/ping`));
  return { webhook, provider: "sendgrid", route, delivery };
}

/** Replaces the parameters of callbacks in a path. */
export function withCallbackIds(path: string, ids: CallbackIds): string {
  return Object.entries(ids).reduce((text, [name, id]) => text.replace(`:${name}`, id), path);
}

/** Sends a mail through the API of SendGrid and returns the id of its message. */
export async function sendBySendGrid(api: HttpTestServer, server: TestServer, to: readonly string[]): Promise<string> {
  const reply: Reply = await api.ask("POST /providers/sendgrid/v3/mail/send", {
    key: null,
    headers: { authorization: `Bearer ${server.key}` },
    body: {
      personalizations: [{ to: to.map((email) => ({ email })) }],
      from: { email: "shop@app.example" },
      subject: "Order 1",
      content: [{ type: "text/plain", value: "Thank you" }],
      custom_args: { order: "1" },
      headers: { "X-Order": "Größe 1" },
    },
  });
  if (reply.statusCode !== 202) throw new Error(reply.body);
  const [message] = (await api.ask(`GET /api/messages?server=${server.id}&itemsPerPage=1`)).json<{ id: string }[]>();
  return message?.id ?? "";
}
