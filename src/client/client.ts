import { Audit, Devices, Keys, Service, Sms, VerifiedAddresses, Teams, Users } from "./account.ts";
import { Deliveries, EventWebhooks, InboundRoutes, Webhooks } from "./callbacks.ts";
import { Events } from "./events.ts";
import { Messages } from "./messages.ts";
import { readClientOptions, type RestanteClientOptions } from "./options.ts";
import { Analysis, Bundles, MessageMarks, Previews } from "./reports.ts";
import { Faults, Servers } from "./servers.ts";
import { createTransport } from "./transport.ts";

/**
 * Client of the whole API, without dependencies, for Node 20 or newer and for browsers. Every method takes
 * {@link RequestOptions} as its last argument and throws errors of the entry `restante/client`.
 *
 * ```ts
 * import { RestanteClient } from "restante/client";
 *
 * const restante = new RestanteClient({ url: "http://127.0.0.1:8025", apiKey: "…" });
 * const message = await restante.messages.waitForOne("abcd1234", { sentTo: "ada@abcd1234.restante.example.com" });
 * message.code();
 * ```
 */
export class RestanteClient {
  /** Base URL of the service, without trailing slash. */
  readonly url: string;
  /** Messages: lists, searches, waits, replies. */
  readonly messages: Messages;
  /** Flags and tags of messages. */
  readonly marks: MessageMarks;
  /** Servers: containers of messages. */
  readonly servers: Servers;
  /** Changes of servers as they happen. */
  readonly events: Events;
  /** SMS, phone numbers, approved phrases. */
  readonly sms: Sms;
  /** Rules by which the service misbehaves on purpose. */
  readonly faults: Faults;
  /** Webhooks of servers. */
  readonly webhooks: Webhooks;
  /** Events in the format of mail providers. */
  readonly eventWebhooks: EventWebhooks;
  /** Mail that is handed to the application. */
  readonly inboundRoutes: InboundRoutes;
  /** Requests to the application, with their attempts. */
  readonly deliveries: Deliveries;
  /** Archives to attach to failed tests. */
  readonly bundles: Bundles;
  /** Spam, deliverability and lint. */
  readonly analysis: Analysis;
  /** Pictures of mails in email clients. */
  readonly previews: Previews;
  /** Virtual authenticators. */
  readonly devices: Devices;
  /** API keys. */
  readonly keys: Keys;
  /** Users. */
  readonly users: Users;
  /** Teams and their members. */
  readonly teams: Teams;
  /** Addresses that mail may be sent to. */
  readonly verifiedAddresses: VerifiedAddresses;
  /** Audit log. */
  readonly audit: Audit;
  /** State of the service, and usage. */
  readonly service: Service;

  /** Sends nothing. Throws a `TypeError` that names a missing or wrong option. */
  constructor(options: RestanteClientOptions = {}) {
    const settings = readClientOptions(options);
    const transport = createTransport(settings);
    this.url = settings.url;
    this.messages = new Messages(transport);
    this.marks = new MessageMarks(transport);
    this.servers = new Servers(transport);
    this.events = new Events(transport);
    this.sms = new Sms(transport);
    this.faults = new Faults(transport);
    this.webhooks = new Webhooks(transport);
    this.eventWebhooks = new EventWebhooks(transport);
    this.inboundRoutes = new InboundRoutes(transport);
    this.deliveries = new Deliveries(transport);
    this.bundles = new Bundles(transport);
    this.analysis = new Analysis(transport);
    this.previews = new Previews(transport);
    this.devices = new Devices(transport);
    this.keys = new Keys(transport);
    this.users = new Users(transport);
    this.teams = new Teams(transport);
    this.verifiedAddresses = new VerifiedAddresses(transport);
    this.audit = new Audit(transport);
    this.service = new Service(transport);
  }
}
