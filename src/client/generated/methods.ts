/** Generated from the OpenAPI document by `npm run generate`. Do not edit. */
import type { Instant } from "../bounds.ts";
import type { RequestOptions } from "../options.ts";
import type { Page } from "../page.ts";
import type { ReceivedMessage } from "../received-message.ts";
import type {
  AddPhoneNumberRequest,
  AddVerifiedAddressRequest,
  ApprovedPhrases,
  AuditEntry,
  AutoreplyToMessageRequest,
  AwaitJourneyQuery,
  AwaitJourneyRequest,
  BounceMessageRequest,
  BudgetReport,
  CallbackDelivery,
  CallbackDeliveryDetail,
  CallbackFormats,
  CompareLocalisationsRequest,
  ComplainAboutMessageRequest,
  ComputePasswordRequest,
  CreateDeviceRequest,
  CreateEmailRequest,
  CreateInboundRouteRequest,
  CreateKeyRequest,
  CreateServerRequest,
  CreateTeamRequest,
  CreateUserRequest,
  CreateWebhookRequest,
  DeleteMatchingMessagesQuery,
  DeletionResult,
  DeliverabilityReport,
  Device,
  DnsZone,
  DownloadServerUsageQuery,
  DownloadTeamUsageQuery,
  DuplicateGroup,
  EmailClient,
  EmitEventsRequest,
  EventWebhook,
  Fault,
  FindDuplicatesQuery,
  ForwardMessageRequest,
  GeneratePreviewsRequest,
  GetServerBundleQuery,
  HandInboundRequest,
  HeldMessage,
  InboundRoute,
  JourneyResult,
  JudgeBudgetRequest,
  Key,
  LintMessageQuery,
  LintReport,
  ListAuditQuery,
  ListDeliveriesQuery,
  ListHeldQuery,
  ListMarksQuery,
  ListMessagesQuery,
  ListServerUsageQuery,
  ListTeamUsageQuery,
  LocalisationReport,
  MadeDeliveries,
  MailReports,
  MarkMessagesRequest,
  MarkResult,
  MarkedMessage,
  Marks,
  MatchScreenshotRequest,
  Member,
  NewKey,
  NewServer,
  OneTimePassword,
  Password,
  PhoneNumber,
  Preview,
  PutDnsZoneRequest,
  PutEventWebhookRequest,
  PutFaultsQuery,
  PutFaultsRequest,
  PutMarksRequest,
  PutMemberRequest,
  PutSavedSearchRequest,
  PutScannerRequest,
  PutServiceFaultsQuery,
  PutServiceFaultsRequest,
  PutTagRulesRequest,
  QuarantinedWork,
  ReceiveSmsRequest,
  ReleaseMessageRequest,
  ReplayDeliveriesRequest,
  Replayed,
  ReplyToMessageRequest,
  RetryQuarantineRequest,
  RotateEventWebhookSecretRequest,
  RotateInboundRouteSecretRequest,
  RotateKeyRequest,
  RotateWebhookSecretRequest,
  SavedSearch,
  Scan,
  Scanner,
  ScreenshotReport,
  SearchMessagesQuery,
  SearchMessagesRequest,
  SearchServersQuery,
  SearchSuggestion,
  Server,
  ServerUsageReport,
  ServiceStatus,
  SetApprovedPhrasesRequest,
  SnapshotMessageRequest,
  SpamAnalysis,
  StreamEventsQuery,
  SuggestSearchesQuery,
  Summary,
  Tag,
  Tagging,
  Team,
  TeamLimitState,
  TeamMember,
  TeamUsage,
  Transcript,
  UnsubscribeMessageRequest,
  UnsubscribeReport,
  UpdateInboundRouteRequest,
  UpdatePhoneNumberRequest,
  UpdateServerRequest,
  UpdateTeamLimitsRequest,
  UpdateTeamRequest,
  UpdateUserRequest,
  UpdateWebhookRequest,
  UsageLimits,
  UsageTransaction,
  User,
  VerifiedAddress,
  VerifyAddressRequest,
  Webhook,
} from "./types.ts";

/** Method of the client for each operation. */
export interface Methods {
  /** List the messages of a server, newest first, or those that match a query. */
  listMessages(server: string, options?: RequestOptions & Omit<ListMessagesQuery, "server" | "receivedAfter"> & { readonly receivedAfter?: Instant | undefined }): Promise<Page<Summary>>;
  /** Create a mail in a server, and optionally send it. */
  createEmail(server: string, fields?: CreateEmailRequest, options?: RequestOptions): Promise<ReceivedMessage>;
  /** Delete all messages of a server with their attachments. */
  emptyServer(server: string, options?: RequestOptions): Promise<void>;
  /** Retrieve a message. */
  getMessage(id: string, options?: RequestOptions): Promise<ReceivedMessage>;
  /** Delete a message with its attachments. */
  deleteMessage(id: string, options?: RequestOptions): Promise<void>;
  /** Retrieve the transcript of the SMTP session or HTTP request that delivered a message; as text with `Accept: text/plain`. */
  getTranscript(id: string, options?: RequestOptions): Promise<Transcript>;
  /** Search the messages of a server, newest first, and optionally wait for a match. */
  searchMessages(server: string, fields?: SearchMessagesRequest, options?: RequestOptions & Omit<SearchMessagesQuery, "server" | "receivedAfter"> & { readonly receivedAfter?: Instant | undefined }): Promise<Page<Summary>>;
  /** Delete the messages of a server that match a query, newest first, at most 10,000 at a time. */
  deleteMatchingMessages(server: string, options?: RequestOptions & Omit<DeleteMatchingMessagesQuery, "server">): Promise<DeletionResult>;
  /** Wait for several messages in the given or any order, and for quiet; 409 says which are missing. */
  awaitJourney(server: string, fields: AwaitJourneyRequest, options?: RequestOptions & Omit<AwaitJourneyQuery, "server" | "receivedAfter"> & { readonly receivedAfter?: Instant | undefined }): Promise<JourneyResult>;
  /** Find messages that were sent more than once. */
  findDuplicates(server: string, options?: RequestOptions & Omit<FindDuplicatesQuery, "server" | "receivedAfter"> & { readonly receivedAfter?: Instant | undefined }): Promise<readonly DuplicateGroup[]>;
  /** Download everything about a message as a ZIP archive: mail, transcript, checks, deliveries, picture. */
  getMessageBundle(id: string, options?: RequestOptions): Promise<Uint8Array>;
  /** Download all attachments of a message as a ZIP archive. */
  getAttachments(id: string, options?: RequestOptions): Promise<Uint8Array>;
  /** Forward a mail with its attachments. */
  forwardMessage(id: string, fields: ForwardMessageRequest, options?: RequestOptions): Promise<ReceivedMessage>;
  /** Send a mail as it was received to verified recipients. */
  releaseMessage(id: string, fields: ReleaseMessageRequest, options?: RequestOptions): Promise<ReceivedMessage>;
  /** Reply to a message. */
  replyToMessage(id: string, fields?: ReplyToMessageRequest, options?: RequestOptions): Promise<ReceivedMessage>;
  /** Unsubscribe with one click as mailbox providers do, and judge the response. */
  unsubscribeMessage(id: string, fields?: UnsubscribeMessageRequest, options?: RequestOptions): Promise<UnsubscribeReport>;
  /** Reply to a mail with a delivery status notification. */
  bounceMessage(id: string, fields?: BounceMessageRequest, options?: RequestOptions): Promise<ReceivedMessage>;
  /** Reply to a mail with a complaint of its recipient. */
  complainAboutMessage(id: string, fields?: ComplainAboutMessageRequest, options?: RequestOptions): Promise<ReceivedMessage>;
  /** Reply to a mail with an out-of-office message. */
  autoreplyToMessage(id: string, fields?: AutoreplyToMessageRequest, options?: RequestOptions): Promise<ReceivedMessage>;
  /** Add and remove flags and tags of messages of a server. */
  markMessages(server: string, fields?: MarkMessagesRequest, options?: RequestOptions): Promise<MarkResult>;
  /** Retrieve the flags and tags of a message. */
  getMarks(id: string, options?: RequestOptions): Promise<Marks>;
  /** Replace the flags and tags of a message. */
  putMarks(id: string, fields: PutMarksRequest, options?: RequestOptions): Promise<Marks>;
  /** List the flags and tags of the messages of a server that changed after a point, by their last change. */
  listMarks(server: string, options?: RequestOptions & ListMarksQuery): Promise<readonly MarkedMessage[]>;
  /** List the tags of the messages of a server, by name, at most 1000; without those that a provider gave. */
  listTags(server: string, options?: RequestOptions): Promise<readonly Tag[]>;
  /** Retrieve the settings of a server for tags of messages that arrive. */
  getTagRules(server: string, options?: RequestOptions): Promise<Tagging>;
  /** Replace the settings of a server for tags of messages that arrive. */
  putTagRules(server: string, fields: PutTagRulesRequest, options?: RequestOptions): Promise<Tagging>;
  /** List the saved searches of a server, oldest first. */
  listSavedSearches(server: string, options?: RequestOptions): Promise<readonly SavedSearch[]>;
  /** Save a search under a name, or replace the one with this name. */
  putSavedSearch(id: { readonly server: string; readonly name: string }, fields: PutSavedSearchRequest, options?: RequestOptions): Promise<SavedSearch>;
  /** Delete a saved search. */
  deleteSavedSearch(id: { readonly server: string; readonly name: string }, options?: RequestOptions): Promise<void>;
  /** Search the messages of all servers of the key, newest first. */
  searchServers(options?: RequestOptions & Omit<SearchServersQuery, "receivedAfter"> & { readonly receivedAfter?: Instant | undefined }): Promise<Page<Summary>>;
  /** Suggest searches that differ in one respect from a query and find messages, with their numbers. */
  suggestSearches(options?: RequestOptions & Omit<SuggestSearchesQuery, "server" | "receivedAfter"> & { readonly receivedAfter?: Instant | undefined }): Promise<readonly SearchSuggestion[]>;
  /** Follow the changes of a server as Server-Sent Events, without gaps or repetitions. */
  streamEvents(server: string, options?: RequestOptions & Omit<StreamEventsQuery, "server">): Promise<string>;
  /** Fetch an attachment, or a range of it. */
  getAttachment(id: string, options?: RequestOptions): Promise<Uint8Array>;
  /** Fetch the bytes of a mail as received, or a range of them. */
  getRawMessage(id: string, options?: RequestOptions): Promise<Uint8Array>;
  /** List the servers that the key has access to, by name. */
  listServers(options?: RequestOptions): Promise<readonly Server[]>;
  /** Create a server. */
  createServer(fields: CreateServerRequest, options?: RequestOptions): Promise<NewServer>;
  /** Retrieve a server. */
  getServer(server: string, options?: RequestOptions): Promise<Server>;
  /** Change a server's name, users, team, retention, quota, protection or the effect of deletions by POP3 and IMAP; absent members stay. */
  updateServer(server: string, fields: UpdateServerRequest, options?: RequestOptions): Promise<Server>;
  /** Delete a server with its messages, attachments and keys. */
  deleteServer(server: string, options?: RequestOptions): Promise<void>;
  /** Retrieve the SMTP password of a server. */
  getServerPassword(server: string, options?: RequestOptions): Promise<Password>;
  /** Replace the SMTP password of a server by a random one. */
  resetServerPassword(server: string, options?: RequestOptions): Promise<Password>;
  /** Retrieve the zone that replaces DNS in checks of the server's mail. */
  getDnsZone(server: string, options?: RequestOptions): Promise<DnsZone>;
  /** Set a zone that replaces DNS in checks of the server's mail. */
  putDnsZone(server: string, fields: PutDnsZoneRequest, options?: RequestOptions): Promise<DnsZone>;
  /** Delete the zone, so that checks use DNS again. */
  deleteDnsZone(server: string, options?: RequestOptions): Promise<void>;
  /** Download the newest messages of a server as a ZIP archive, at most 200. */
  getServerBundle(server: string, options?: RequestOptions & GetServerBundleQuery): Promise<Uint8Array>;
  /** List the messages of a server that are accepted and not visible yet, the next one first. */
  listHeld(server: string, options?: RequestOptions & ListHeldQuery): Promise<Page<HeldMessage>>;
  /** Retrieve the link scanner of a server. */
  getScanner(server: string, options?: RequestOptions): Promise<Scanner>;
  /** Set the link scanner of a server, which opens the links of mails that arrive from now on. */
  putScanner(server: string, fields: PutScannerRequest, options?: RequestOptions): Promise<Scanner>;
  /** Remove the link scanner of a server, with the scans that wait. */
  deleteScanner(server: string, options?: RequestOptions): Promise<void>;
  /** Retrieve the scan of the links of a mail. */
  getScan(id: string, options?: RequestOptions): Promise<Scan>;
  /** Analyse a mail with a spam filter. */
  getSpamAnalysis(id: string, options?: RequestOptions): Promise<SpamAnalysis>;
  /** Check the authentication, the sender and the content of a mail as receivers do. */
  getDeliverability(id: string, options?: RequestOptions): Promise<DeliverabilityReport>;
  /** Lint a mail: headers, structure, accessibility, links, compatibility. */
  lintMessage(id: string, options?: RequestOptions & LintMessageQuery): Promise<LintReport>;
  /** Read the reports in a mail: DMARC, TLS, complaints, deliveries, dispositions. */
  getMailReports(id: string, options?: RequestOptions): Promise<MailReports>;
  /** Judge a mail by limits of its size, content, support by email clients and spam score. */
  judgeBudget(id: string, fields: JudgeBudgetRequest, options?: RequestOptions): Promise<BudgetReport>;
  /** Describe a message as a text that is equal for two sendings of the same message. */
  snapshotMessage(id: string, fields: SnapshotMessageRequest, options?: RequestOptions): Promise<string>;
  /** Render a mail in an email client, and compare the picture with a baseline. */
  matchScreenshot(id: string, fields: MatchScreenshotRequest, options?: RequestOptions): Promise<ScreenshotReport>;
  /** Compare a mail with its translations: missing ones, direction, dates, plurals, overflowing text. */
  compareLocalisations(fields: CompareLocalisationsRequest, options?: RequestOptions): Promise<LocalisationReport>;
  /** List the email clients of previews, and the emulated features of each. */
  listEmailClients(options?: RequestOptions): Promise<readonly EmailClient[]>;
  /** Generate previews of a mail in several email clients. */
  generatePreviews(id: string, fields: GeneratePreviewsRequest, options?: RequestOptions): Promise<readonly Preview[]>;
  /** Fetch the image of a preview, which is generated on demand. */
  getPreview(id: string, options?: RequestOptions): Promise<Uint8Array>;
  /** List the devices, oldest first. */
  listDevices(options?: RequestOptions): Promise<readonly Device[]>;
  /** Create a virtual authenticator from its shared secret. */
  createDevice(fields: CreateDeviceRequest, options?: RequestOptions): Promise<Device>;
  /** Delete a device and its secret. */
  deleteDevice(id: string, options?: RequestOptions): Promise<void>;
  /** Retrieve the current one-time password of a device. */
  getDevicePassword(id: string, options?: RequestOptions): Promise<OneTimePassword>;
  /** Compute the one-time password of a secret, without storing it. */
  computePassword(fields: ComputePasswordRequest, options?: RequestOptions): Promise<OneTimePassword>;
  /** Read the limits of the account and their present use. */
  getUsageLimits(options?: RequestOptions): Promise<UsageLimits>;
  /** Read the number of messages stored on each of the last 31 days, today first. */
  listTransactions(options?: RequestOptions): Promise<readonly UsageTransaction[]>;
  /** Read the usage of each team in a month; managers read that of their teams. */
  listTeamUsage(options?: RequestOptions & ListTeamUsageQuery): Promise<readonly TeamUsage[]>;
  /** Download the usage of each team in a month as CSV. */
  downloadTeamUsage(options?: RequestOptions & DownloadTeamUsageQuery): Promise<string>;
  /** Read the usage of each server in a month, its owners and its last traffic; managers read that of their teams. */
  listServerUsage(options?: RequestOptions & ListServerUsageQuery): Promise<readonly ServerUsageReport[]>;
  /** Download the usage of each server in a month, its owners and its last traffic as CSV. */
  downloadServerUsage(options?: RequestOptions & DownloadServerUsageQuery): Promise<string>;
  /** List the keys, oldest first. */
  listKeys(options?: RequestOptions): Promise<readonly Key[]>;
  /** Create a key of the account or of one server. */
  createKey(fields?: CreateKeyRequest, options?: RequestOptions): Promise<NewKey>;
  /** Replace the secret of a key; the current one stays valid for a grace period. */
  rotateKey(id: string, fields?: RotateKeyRequest, options?: RequestOptions): Promise<NewKey>;
  /** Revoke a key; a key cannot revoke itself. */
  revokeKey(id: string, options?: RequestOptions): Promise<void>;
  /** List the users, by e-mail address; also for managers of teams. */
  listUsers(options?: RequestOptions): Promise<readonly User[]>;
  /** Add a user, who has access once it is a member of a team. */
  createUser(fields: CreateUserRequest, options?: RequestOptions): Promise<User>;
  /** Retrieve a user; users may retrieve themselves. */
  getUser(id: string, options?: RequestOptions): Promise<User>;
  /** Change a user; absent members stay. A user that becomes inactive loses access at once. */
  updateUser(id: string, fields: UpdateUserRequest, options?: RequestOptions): Promise<User>;
  /** Remove a user with its memberships, keys and sessions. */
  deleteUser(id: string, options?: RequestOptions): Promise<void>;
  /** List the memberships of a user; users may list their own. */
  listTeamsOfUser(id: string, options?: RequestOptions): Promise<readonly Member[]>;
  /** List the teams, by name; users list those of which they are members. */
  listTeams(options?: RequestOptions): Promise<readonly Team[]>;
  /** Add a team, to which servers, users and keys can belong. */
  createTeam(fields: CreateTeamRequest, options?: RequestOptions): Promise<Team>;
  /** Retrieve a team. */
  getTeam(id: string, options?: RequestOptions): Promise<Team>;
  /** Change a team; absent members stay. */
  updateTeam(id: string, fields: UpdateTeamRequest, options?: RequestOptions): Promise<Team>;
  /** Remove a team with its keys; its servers then belong to no team. */
  deleteTeam(id: string, options?: RequestOptions): Promise<void>;
  /** List the members of a team, by e-mail address; also for its members. */
  listMembers(id: string, options?: RequestOptions): Promise<readonly TeamMember[]>;
  /** Put a user into a team, or change its role there. */
  putMember(id: { readonly team: string; readonly user: string }, fields: PutMemberRequest, options?: RequestOptions): Promise<Member>;
  /** Remove a user from a team. */
  removeMember(id: { readonly team: string; readonly user: string }, options?: RequestOptions): Promise<void>;
  /** Retrieve the limits of a team and what counts against them; also for its members. */
  getTeamLimits(id: string, options?: RequestOptions): Promise<TeamLimitState>;
  /** Change the limits of a team; absent members stay, null removes a limit. */
  updateTeamLimits(id: string, fields: UpdateTeamLimitsRequest, options?: RequestOptions): Promise<TeamLimitState>;
  /** Read the audit log, newest first. */
  listAudit(options?: RequestOptions & ListAuditQuery): Promise<Page<AuditEntry>>;
  /** List the verified and pending addresses. */
  listVerifiedAddresses(options?: RequestOptions): Promise<readonly VerifiedAddress[]>;
  /** Add an address and send its owner a verification mail. */
  addVerifiedAddress(fields: AddVerifiedAddressRequest, options?: RequestOptions): Promise<VerifiedAddress>;
  /** Verify an address by the token that was mailed to it. */
  verifyAddress(id: string, fields: VerifyAddressRequest, options?: RequestOptions): Promise<VerifiedAddress>;
  /** Remove an address that mail may be sent to. */
  removeVerifiedAddress(id: string, options?: RequestOptions): Promise<void>;
  /** List the phone numbers of all servers. */
  listPhoneNumbers(options?: RequestOptions): Promise<readonly PhoneNumber[]>;
  /** Add a phone number to a server. */
  addPhoneNumber(fields: AddPhoneNumberRequest, options?: RequestOptions): Promise<PhoneNumber>;
  /** Change a phone number, named in international form or by its id. */
  updatePhoneNumber(id: string, fields: UpdatePhoneNumberRequest, options?: RequestOptions): Promise<PhoneNumber>;
  /** Remove a phone number. */
  removePhoneNumber(id: string, options?: RequestOptions): Promise<void>;
  /** Receive an SMS in the server of its number. */
  receiveSms(fields: ReceiveSmsRequest, options?: RequestOptions): Promise<ReceivedMessage>;
  /** List the phrases that SMS replies may consist of. */
  getApprovedPhrases(options?: RequestOptions): Promise<ApprovedPhrases>;
  /** Replace the phrases that SMS replies may consist of. */
  setApprovedPhrases(fields: SetApprovedPhrasesRequest, options?: RequestOptions): Promise<ApprovedPhrases>;
  /** List the webhooks of a server. */
  listWebhooks(server: string, options?: RequestOptions): Promise<readonly Webhook[]>;
  /** Create a webhook, by which the application is called about messages of a server. */
  createWebhook(server: string, fields: CreateWebhookRequest, options?: RequestOptions): Promise<Webhook>;
  /** Retrieve a webhook. */
  getWebhook(id: { readonly server: string; readonly webhook: string }, options?: RequestOptions): Promise<Webhook>;
  /** Change a webhook: the members that are given. */
  updateWebhook(id: { readonly server: string; readonly webhook: string }, fields: UpdateWebhookRequest, options?: RequestOptions): Promise<Webhook>;
  /** Delete a webhook with its deliveries. */
  deleteWebhook(id: { readonly server: string; readonly webhook: string }, options?: RequestOptions): Promise<void>;
  /** Replace the secret of a webhook; the old one signs too for 24 hours. */
  rotateWebhookSecret(id: { readonly server: string; readonly webhook: string }, fields?: RotateWebhookSecretRequest, options?: RequestOptions): Promise<Webhook>;
  /** Send the event `ping` to a webhook. */
  pingWebhook(id: { readonly server: string; readonly webhook: string }, options?: RequestOptions): Promise<CallbackDelivery>;
  /** Retrieve the providers with event webhooks and the formats of inbound mail, with their settings. */
  getCallbackFormats(options?: RequestOptions): Promise<CallbackFormats>;
  /** List the event webhooks of a server. */
  listEventWebhooks(server: string, options?: RequestOptions): Promise<readonly EventWebhook[]>;
  /** Retrieve the event webhook of a provider. */
  getEventWebhook(id: { readonly server: string; readonly provider: string }, options?: RequestOptions): Promise<EventWebhook>;
  /** Create or change the event webhook, to which the events of a provider are delivered. */
  putEventWebhook(id: { readonly server: string; readonly provider: string }, fields: PutEventWebhookRequest, options?: RequestOptions): Promise<EventWebhook>;
  /** Delete the event webhook of a provider with its deliveries. */
  deleteEventWebhook(id: { readonly server: string; readonly provider: string }, options?: RequestOptions): Promise<void>;
  /** Replace the secrets and keys of an event webhook. */
  rotateEventWebhookSecret(id: { readonly server: string; readonly provider: string }, fields?: RotateEventWebhookSecretRequest, options?: RequestOptions): Promise<EventWebhook>;
  /** List the inbound routes of a server. */
  listInboundRoutes(server: string, options?: RequestOptions): Promise<readonly InboundRoute[]>;
  /** Create a route, by which mail to an address is handed to the application. */
  createInboundRoute(server: string, fields: CreateInboundRouteRequest, options?: RequestOptions): Promise<InboundRoute>;
  /** Retrieve an inbound route. */
  getInboundRoute(id: { readonly server: string; readonly route: string }, options?: RequestOptions): Promise<InboundRoute>;
  /** Change an inbound route: the members that are given. */
  updateInboundRoute(id: { readonly server: string; readonly route: string }, fields: UpdateInboundRouteRequest, options?: RequestOptions): Promise<InboundRoute>;
  /** Delete an inbound route with its deliveries. */
  deleteInboundRoute(id: { readonly server: string; readonly route: string }, options?: RequestOptions): Promise<void>;
  /** Replace the secrets and keys of an inbound route. */
  rotateInboundRouteSecret(id: { readonly server: string; readonly route: string }, fields?: RotateInboundRouteSecretRequest, options?: RequestOptions): Promise<InboundRoute>;
  /** List the deliveries of a server's callbacks, newest first. */
  listDeliveries(server: string, options?: RequestOptions & ListDeliveriesQuery): Promise<Page<CallbackDelivery>>;
  /** Deliver again what matches; by default what has failed. */
  replayDeliveries(server: string, fields?: ReplayDeliveriesRequest, options?: RequestOptions): Promise<Replayed>;
  /** Retrieve a delivery with its request and attempts. */
  getDelivery(id: { readonly server: string; readonly delivery: string }, options?: RequestOptions): Promise<CallbackDeliveryDetail>;
  /** Deliver again. */
  replayDelivery(id: { readonly server: string; readonly delivery: string }, options?: RequestOptions): Promise<CallbackDelivery>;
  /** Erase the content of a delivery, and cancel it when it is pending. */
  eraseDelivery(id: { readonly server: string; readonly delivery: string }, options?: RequestOptions): Promise<void>;
  /** Report events about a mail to the application, as the provider would. */
  emitEvents(id: string, fields?: EmitEventsRequest, options?: RequestOptions): Promise<MadeDeliveries>;
  /** Hand a mail to the application, as a provider of inbound mail would. */
  handInbound(id: string, fields?: HandInboundRequest, options?: RequestOptions): Promise<MadeDeliveries>;
  /** Retrieve the fault rules of a server, with their counts and last hits. */
  getFaults(server: string, options?: RequestOptions): Promise<readonly Fault[]>;
  /** Replace the fault rules of a server; their counts start at 0 unless they are kept. */
  putFaults(server: string, fields: PutFaultsRequest, options?: RequestOptions & PutFaultsQuery): Promise<readonly Fault[]>;
  /** Remove the fault rules of a server. */
  deleteFaults(server: string, options?: RequestOptions): Promise<void>;
  /** Retrieve the fault rules of the service, with their counts and last hits. */
  getServiceFaults(options?: RequestOptions): Promise<readonly Fault[]>;
  /** Replace the fault rules of the service; their counts start at 0 unless they are kept. */
  putServiceFaults(fields: PutServiceFaultsRequest, options?: RequestOptions & PutServiceFaultsQuery): Promise<readonly Fault[]>;
  /** Remove the fault rules of the service. */
  deleteServiceFaults(options?: RequestOptions): Promise<void>;
  /** Read the state of every background task. */
  getStatus(options?: RequestOptions): Promise<ServiceStatus>;
  /** List the work that is not attempted again because it ended the process or worker twice. */
  listQuarantine(options?: RequestOptions): Promise<readonly QuarantinedWork[]>;
  /** Attempt quarantined work again. */
  retryQuarantine(fields?: RetryQuarantineRequest, options?: RequestOptions): Promise<Replayed>;
  /** Check whether the process is alive. */
  getHealth(options?: RequestOptions): Promise<string>;
  /** Check whether the store responds, the listeners are open, and background tasks succeed. */
  getReadiness(options?: RequestOptions): Promise<string>;
  /** Read the metrics in the Prometheus text format. */
  getMetrics(options?: RequestOptions): Promise<string>;
  /** Retrieve the OpenAPI 3.1 document of this API. */
  getOpenApiDocument(options?: RequestOptions): Promise<unknown>;
}
