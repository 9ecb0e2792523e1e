/** Entry of `restante/client`: the client, its errors and its types. */
export * from "./errors.ts";
/** Types of requests and responses, made from the OpenAPI document. */
export type * from "./generated/types.ts";
export { RestanteClient } from "./client.ts";
/** Options of the client and of all methods. */
export type { RequestOptions, RestanteClientOptions } from "./options.ts";
/** Page of a list. */
export type { Page } from "./page.ts";
/** Bounds of lists, searches and waits. */
export type { Bounds, Instant } from "./bounds.ts";
/** Messages with methods for tests. */
export type { MessageMethods, ReceivedMessage, ReplyFields } from "./received-message.ts";
/** Attachments of new messages. */
export type { AttachmentToSend } from "./outgoing.ts";
/** Type of `client.analysis`. */
export type { Analysis } from "./analysis.ts";
/** Type of `client.audit`. */
export type { Audit } from "./audit.ts";
/** Type of `client.bundles`. */
export type { Bundles } from "./bundles.ts";
/** Type of `client.deliveries`. */
export type { Deliveries, DeliveryId, DeliveryListOptions } from "./deliveries.ts";
/** Type of `client.devices`. */
export type { Devices } from "./devices.ts";
/** Type of `client.eventWebhooks`. */
export type { EventWebhookId, EventWebhooks } from "./event-webhooks.ts";
/** Type, options and changes of `client.events`. */
export type { Change, Events, StreamOptions } from "./events.ts";
/** Type of `client.faults`. */
export type { Faults } from "./faults.ts";
/** Type of `client.inboundRoutes`. */
export type { InboundRouteId, InboundRoutes } from "./inbound-routes.ts";
/** Journeys and duplicates. */
export type { DuplicateOptions, JourneyOptions, JourneyStep } from "./journeys.ts";
/** Type of `client.keys`. */
export type { Keys } from "./keys.ts";
/** Type and options of `client.messages`. */
export type { EmailFields, FollowOptions, ListOptions, Messages, SearchOptions } from "./messages.ts";
/** Type of `client.marks`. */
export type { MessageMarks } from "./marks.ts";
/** Type of `client.previews`. */
export type { Previews } from "./previews.ts";
/** Type and options of `client.servers`. */
export type { Servers, ServersSearchOptions, SuggestionOptions } from "./servers.ts";
/** Type of `client.service`. */
export type { Service } from "./service.ts";
/** Type of `client.sms`. */
export type { Sms } from "./sms.ts";
/** Type of `client.verifiedAddresses`. */
export type { VerifiedAddresses } from "./verified-addresses.ts";
/** Criteria of searches and waits. */
export type { Criteria } from "./wait-errors.ts";
/** Options of waits. */
export type { ExpectOptions, WaitOptions } from "./waits.ts";
/** Type of `client.webhooks`. */
export type { WebhookId, Webhooks } from "./webhooks.ts";
export { attachmentOf, codeOf, codesOf, linkOf, linksOf } from "./message-content.ts";
/** Options of the functions for codes and links. */
export type { CodeOptions, MessageBodies } from "./message-content.ts";
