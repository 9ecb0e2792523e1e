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
/** Types of the parts of the client, and of their parameters. */
export type { Audit, Devices, Keys, Service, Sms, Teams, Users, VerifiedAddresses } from "./account.ts";
/** Requests to the application. */
export type {
  Deliveries,
  DeliveryId,
  DeliveryListOptions,
  EventWebhookId,
  EventWebhooks,
  InboundRouteId,
  InboundRoutes,
  WebhookId,
  Webhooks,
} from "./callbacks.ts";
/** Changes of servers. */
export type { Change, Events, StreamOptions } from "./events.ts";
/** Journeys and duplicates. */
export type { DuplicateOptions, JourneyOptions, JourneyStep } from "./journeys.ts";
/** Messages, lists and searches. */
export type { EmailFields, FollowOptions, ListOptions, Messages, SearchOptions } from "./messages.ts";
/** Budgets, translations, snapshots and screenshots of mails. */
export type {
  MailBudget,
  MailTranslations,
  Screenshot,
  ScreenshotOptions,
  SnapshotOptions,
  TranslationOptions,
} from "./analyses.ts";
/** Parts of the client about single messages. */
export type { Analysis, Bundles, MessageMarks, Previews } from "./reports.ts";
/** Servers. */
export type { Faults, Servers, ServersSearchOptions, SuggestionOptions } from "./servers.ts";
/** Criteria of searches and waits. */
export type { Criteria } from "./waits.ts";
/** Options of waits. */
export type { ExpectOptions, WaitOptions } from "./waits.ts";
export { attachmentOf, codeOf, codesOf, linkOf, linksOf } from "./message-content.ts";
/** Options of the functions for codes and links. */
export type { CodeOptions, MessageBodies } from "./message-content.ts";
