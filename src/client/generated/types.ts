/** Generated from the OpenAPI document by `npm run generate`. Do not edit. */

/** `ApprovedPhrases` of the API. */
export interface ApprovedPhrases {
  /** Phrases, one of which an SMS reply must equal. */
  phrases: string[];
}
/** `Attachment` of the API. */
export interface Attachment {
  /** Id of the attachment, for `GET /api/files/attachments/{id}`. */
  id: string;
  /** Media type, such as `application/pdf`. */
  contentType: string;
  /** File name of the disposition, else of the content type, else the Content-ID. */
  fileName: string;
  /** Content-ID without angle brackets; null when the part has none. */
  contentId: string | null;
  /** Length in bytes, decoded. */
  length: number;
  /** URL of the decoded content. */
  url: string;
}
/** `AuditEntry` of the API. */
export interface AuditEntry {
  /** Id of the entry. */
  id: string;
  /** Time of the action. */
  at: string;
  /**
   * `session`: a browser session of the key or the user; `operator`: the key with the token of the data folder; `command`: a command that worked on the store itself; `service`: a rule of the service.
   */
  by: "key" | "session" | "operator" | "command" | "service";
  /** Id of the key; null for commands and sessions of users. */
  key: string | null;
  /** Name of the key at that time; for commands, the operating system's user. */
  name: string | null;
  /** Address of the client; null for commands. */
  clientAddress: string | null;
  /** Id of the user that signed in or owns the key; null for others. */
  user: string | null;
  /** E-mail address of that user at that time; null for others. */
  email: string | null;
  /** Action. */
  action:
    | "key.create"
    | "key.rotate"
    | "key.revoke"
    | "user.create"
    | "user.update"
    | "user.delete"
    | "team.create"
    | "team.update"
    | "team.delete"
    | "membership.put"
    | "membership.remove"
    | "server.create"
    | "server.update"
    | "server.delete"
    | "server.empty"
    | "server.reset_password"
    | "server.read_password"
    | "message.delete"
    | "message.delete_matching"
    | "message.delete_by_reader"
    | "message.unsubscribe"
    | "dns_zone.put"
    | "dns_zone.delete"
    | "device.create"
    | "device.delete"
    | "verified_address.add"
    | "verified_address.verify"
    | "verified_address.remove"
    | "phone_number.add"
    | "phone_number.update"
    | "phone_number.remove"
    | "approved_phrases.set"
    | "webhook.create"
    | "webhook.update"
    | "webhook.delete"
    | "webhook.rotate"
    | "event_webhook.put"
    | "event_webhook.delete"
    | "event_webhook.rotate"
    | "inbound_route.create"
    | "inbound_route.update"
    | "inbound_route.delete"
    | "inbound_route.rotate"
    | "delivery.replay"
    | "delivery.erase"
    | "quarantine.retry"
    | "faults.replace"
    | "faults.clear"
    | "tagging.set"
    | "tag.rename"
    | "tag.remove"
    | "provider_object.change"
    | "saved_search.put"
    | "saved_search.delete"
    | "scanner.set"
    | "scanner.remove"
    | "session.open"
    | "session.close"
    | "store.export"
    | "store.import"
    | "store.backup"
    | "store.restore"
    | "store.drill"
    | "store.repair";
  /** Id of the object that was created, changed or removed. */
  target: string | null;
  /** Id of the server; null for the account. */
  server: string | null;
  /** Counts, ids and names of settings. */
  details: {
    [k: string]: unknown;
  };
}
/** `BackgroundTask` of the API. */
export interface BackgroundTask {
  /** Name of the task; label of its metrics. */
  task: string;
  /** `idle`: no round has ended yet. */
  state: "idle" | "ok" | "failing";
  /** End of the last round that succeeded; null before the first. */
  lastSuccess: string | null;
  /** Last round that failed; null when none has. */
  lastFailure: {
    /** When the round failed, UTC. */
    at: string;
    /** Reason of the failure. */
    reason: string;
    /** Milliseconds from the failure to the next attempt; null when none is planned. */
    retryInMs: number | null;
  } | null;
  /** Failed rounds since the start. */
  failures: number;
  /** Number of waiting items. */
  backlog: number | null;
  /** Age of the oldest waiting item, in milliseconds; null when unknown. */
  oldestWaitingMs: number | null;
  /** Effect on users while the task fails; null while it does not, or when users notice nothing. */
  degrades: string | null;
}
/** `BudgetReport` of the API. */
export interface BudgetReport {
  /** Whether the mail meets all limits. */
  isMet: boolean;
  /** Verdicts in the order of the members above. */
  verdicts: BudgetVerdict[];
}
/** `BudgetVerdict` of the API. */
export interface BudgetVerdict {
  /** Member of the budget; of an email client, `support` and its name. */
  rule: string;
  /** Limit in words. */
  limit: string;
  /** Value of the mail in words. */
  actual: string;
  /** Whether the mail meets the limit. */
  isMet: boolean;
  /** Reasons, at most 20; none for a limit that is met. */
  findings: {
    /** Reason in words. */
    message: string;
    /** Part of the mail, at most 200 characters. */
    subject: string | null;
    /** Line of the part in the HTML, from 1; null outside of it. */
    line: number | null;
  }[];
}
/** `CallbackAttempt` of the API. */
export interface CallbackAttempt {
  /** Number of the attempt, over all replays. */
  number: number;
  /** When it started. */
  startedAt: string;
  /** Duration in milliseconds. */
  durationMs: number;
  /** URL that was called. */
  url: string;
  /** Header fields of the request; credentials are masked. */
  headers: {
    [k: string]: string;
  };
  /** Status of the response; null without one. */
  responseStatus: number | null;
  /** Why it failed; null for a success. */
  error: string | null;
}
/** `CallbackDelivery` of the API. */
export interface CallbackDelivery {
  /** Id of the delivery. */
  id: string;
  /** Id of its server. */
  server: string;
  /** Id of the webhook, event webhook or inbound route; null without one. */
  target: string | null;
  /** Message that it is about; null without one. */
  message: string | null;
  /** Type of the event, such as `message.received` or `bounced`. */
  type: string;
  /**
   * `Cancelled`: its content was erased. `Quarantined`: its attempts ended the service; it is retried by hand only.
   */
  status: "Pending" | "Delivered" | "Failed" | "Cancelled" | "Quarantined";
  /** Attempts that were started. */
  attemptCount: number;
  /** When it was created, UTC. */
  createdAt: string;
  /** Null unless it is pending. */
  nextAttemptAt: string | null;
  /** Last finished attempt; null before the first. */
  lastAttempt: CallbackAttempt | null;
}
/** `CallbackDeliveryDetail` of the API. */
export interface CallbackDeliveryDetail {
  /** Id of the delivery. */
  id: string;
  /** Id of its server. */
  server: string;
  /** Id of the webhook, event webhook or inbound route; null without one. */
  target: string | null;
  /** Message that it is about; null without one. */
  message: string | null;
  /** Type of the event, such as `message.received` or `bounced`. */
  type: string;
  /**
   * `Cancelled`: its content was erased. `Quarantined`: its attempts ended the service; it is retried by hand only.
   */
  status: "Pending" | "Delivered" | "Failed" | "Cancelled" | "Quarantined";
  /** Attempts that were started. */
  attemptCount: number;
  /** When it was created, UTC. */
  createdAt: string;
  /** Null unless it is pending. */
  nextAttemptAt: string | null;
  /** Last finished attempt; null before the first. */
  lastAttempt: CallbackAttempt | null;
  /** Request as an attempt sends it now; null when it was erased or its message deleted. */
  request: {
    /** URL of the application. */
    url: string;
    /** Header fields; credentials are masked. */
    headers: {
      [k: string]: string;
    };
    /** Body; the first mebibyte of a larger one. */
    body: string;
    /** Encoding of `body`. */
    encoding: "text" | "base64";
    /** Size of the whole body in bytes. */
    bodyBytes: number;
  } | null;
  /** Finished attempts, oldest first. */
  attempts: CallbackAttempt[];
}
/** `CallbackFormat` of the API. */
export interface CallbackFormat {
  /** Name of the provider or format. */
  name: string;
  /** Name as the provider writes it. */
  label: string;
  /** Types of events; empty for inbound mail. */
  events: (
    | "processed"
    | "dropped"
    | "deferred"
    | "delivered"
    | "bounced"
    | "opened"
    | "clicked"
    | "complained"
    | "unsubscribed"
  )[];
  /** Settings that a target may have. */
  settings: {
    /** Name of the setting. */
    name: string;
    /** Meaning of the setting. */
    description: string;
    /** Whether it is never shown again. */
    isSecret: boolean;
    /** Values that are permitted, the default first. */
    values?: string[];
    /** Regular expression that the whole text matches. */
    pattern?: string;
  }[];
  /** How a receiver verifies requests. */
  verification: string;
}
/** `CallbackFormats` of the API. */
export interface CallbackFormats {
  /** Providers with event webhooks. */
  events: CallbackFormat[];
  /** Formats of inbound mail. */
  inbound: CallbackFormat[];
}
/** `Code` of the API. */
export interface Code {
  /** Code as a person would type it. */
  value: string;
}
/** `Contact` of the API. */
export interface Contact {
  /** Empty when absent. */
  name: string;
  /** null for a phone. */
  email: string | null;
  /** null for an e-mail address. */
  phone: string | null;
}
/** `DeletionResult` of the API. */
export interface DeletionResult {
  /** Number of deleted messages. */
  deleted: number;
  /** Whether more messages match: repeat the request. */
  hasMore: boolean;
}
/** `DeliverabilityReport` of the API. */
export interface DeliverabilityReport {
  spf: Verdict;
  /** DKIM (RFC 6376), one verdict for each signature. */
  dkim: Verdict[];
  dmarc: Verdict;
  arc: Verdict;
  bimi: Verdict;
  /** DNS block lists that were queried for the sender's address. */
  blockLists: {
    /** Zone of the block list. */
    id: string;
    /** Name of the block list. */
    name: string;
    /** Outcome of the check. */
    result: "Pass" | "Warning" | "Fail" | "Timeout";
  }[];
  /** Properties of the content that filters look at. */
  content: {
    /** Whether the HTML has an `embed` element. */
    embed: boolean;
    /** Whether the HTML has an `iframe` element. */
    iframe: boolean;
    /** Whether the HTML has an `object` element. */
    object: boolean;
    /** Whether the HTML has a `script` element. */
    script: boolean;
    /** Whether a link goes to a URL shortener. */
    shortUrls: boolean;
    /** Whether an image lacks an alternative text. */
    missingAlt: boolean;
    /** Whether the header field List-Unsubscribe is missing. */
    missingListUnsubscribe: boolean;
    /** Size of the visible text, in bytes. */
    textSize: number;
    /** Size of the message, in bytes. */
    totalSize: number;
  };
  /** DNS records of the sender's domain. */
  dnsRecords: {
    /** A records. */
    a: string[];
    /** MX records. */
    mx: string[];
    /** PTR records of the client's address. */
    ptr: string[];
  };
  /** Spam analysis, rounded. */
  spamAssassin: {
    /** Sum of the scores, rounded. */
    score: number;
    /** Outcome of the check. */
    result: "Pass" | "Warning" | "Fail" | "Timeout";
    /** Matched rules. */
    rules: SpamRule[];
    /** `SpamAssassin`, or `restante` for the service's own rules. */
    engine: string;
    /** Reason why the configured filter did not respond. */
    engineProblem: string | null;
  };
  /** Source of DNS answers: none, the system's resolver, named servers, or a zone file. */
  dns: "off" | "system" | "servers" | "fixtures";
}
/** `Verdict` of the API. */
export interface Verdict {
  /** Outcome of the check. */
  result: "Pass" | "Warning" | "Fail" | "Timeout";
  /** Reason for the outcome. */
  description: string;
  /** DNS record that decided; empty when there is none. */
  rawValue: string;
  /** Tags of the DNS record, name to value. */
  tags: {
    [k: string]: string;
  };
}
/** `SpamRule` of the API. */
export interface SpamRule {
  /** Always with a decimal point. */
  score: number;
  /** Name of the rule. */
  rule: string;
  /** Meaning of the rule. */
  description: string;
}
/** `Delivery` of the API. */
export interface Delivery {
  /** State of the delivery. */
  status: "Queued" | "Sent" | "Failed";
  /** Attempts started. */
  attempts: number;
  /** Last error; null when there was none. */
  lastError: string | null;
  /** When the state last changed, UTC. */
  updated: string;
}
/** `DeliveryReport` of the API. */
export interface DeliveryReport {
  /** `dsn` for RFC 3464; the forms of qmail and older Exim are texts. */
  form: "dsn" | "qmail" | "exim";
  /** Mail server that reports. */
  reportingMta: string | null;
  /** Mail server that it had the mail from. */
  receivedFrom: string | null;
  /** ENVID that the sender gave (RFC 3461). */
  envelopeId: string | null;
  /** Arrival of the mail at this server. */
  arrived: string | null;
  /** The first 1,000 recipients. */
  recipients: ReportedRecipient[];
}
/** `ReportedRecipient` of the API. */
export interface ReportedRecipient {
  /** Address that the reporting server used. */
  recipient: string | null;
  /** Address that the sender used. */
  originalRecipient: string | null;
  /** `failed`, `delayed`, `delivered`, `relayed` or `expanded`. */
  action: string | null;
  /** Enhanced status (RFC 3463), such as `5.1.1`. */
  status: string | null;
  /** Reply of the server that was tried, or another reason. */
  diagnostic: string | null;
  /** Mail server that was tried. */
  remoteMta: string | null;
  /** Last attempt to deliver. */
  lastAttempt: string | null;
  /** End of the attempts; of delayed mail. */
  retriedUntil: string | null;
}
/** `Device` of the API. */
export interface Device {
  /** Id of the device. */
  id: string;
  /** Name of the device. */
  name: string;
}
/** `DispositionReport` of the API. */
export interface DispositionReport {
  /** Program that reports. */
  reportingAgent: string | null;
  /** Address of the recipient. */
  recipient: string | null;
  /** Address that the sender used. */
  originalRecipient: string | null;
  /** `displayed`, `deleted`, `dispatched`, `processed` or another one. */
  disposition: string | null;
  /** Modifiers of the disposition, such as `error`. */
  modifiers: string[];
  /** How it was triggered and sent: `manual-action/MDN-sent-manually`. */
  mode: string | null;
  /** Values of Error, Failure and Warning. */
  errors: string[];
}
/** `DmarcRecord` of the API. */
export interface DmarcRecord {
  /** Address of the client. */
  sourceIp: string | null;
  /** Messages. */
  count: number;
  /** Action of the receiver: `none`, `quarantine`, `reject` or `pass`. */
  disposition: string | null;
  /** Result of DKIM with alignment. */
  dkim: string | null;
  /** Result of SPF with alignment. */
  spf: string | null;
  /** Reasons to deviate from the policy. */
  reasons: {
    /** Type, such as `forwarded`. */
    type: string | null;
    /** Reason in words. */
    comment: string | null;
  }[];
  /** Domain of the From field. */
  headerFrom: string | null;
  /** Domain of the envelope sender. */
  envelopeFrom: string | null;
  /** Domain of the recipient. */
  envelopeTo: string | null;
  /** Signatures, without alignment. */
  dkimResults: {
    /** Domain of the signature or the envelope sender. */
    domain: string | null;
    /** Selector of the signature. */
    selector: string | null;
    /** Identity that SPF checked: `mfrom` or `helo`. */
    scope: string | null;
    /** Result, such as `pass`. */
    result: string | null;
    /** Result in words. */
    explanation: string | null;
  }[];
  /** Results of SPF, without alignment. */
  spfResults: {
    /** Domain of the signature or the envelope sender. */
    domain: string | null;
    /** Selector of the signature. */
    selector: string | null;
    /** Identity that SPF checked: `mfrom` or `helo`. */
    scope: string | null;
    /** Result, such as `pass`. */
    result: string | null;
    /** Result in words. */
    explanation: string | null;
  }[];
}
/** `DmarcReport` of the API. */
export interface DmarcReport {
  /** Name of the attachment that the report is from. */
  file: string | null;
  /** XML namespace: `urn:ietf:params:xml:ns:dmarc-2.0` for reports of RFC 9990. */
  namespace: string | null;
  /** Version of the format. */
  version: string | null;
  /** Receiver that reports. */
  organization: string | null;
  /** Address of the receiver for questions. */
  email: string | null;
  /** Further contact. */
  contact: string | null;
  /** Program that wrote the report. */
  generator: string | null;
  /** Id that the receiver gave to the report. */
  reportId: string | null;
  /** Begin of the period. */
  begin: string | null;
  /** End of the period. */
  end: string | null;
  /** Errors of the receiver, such as two policies of one domain. */
  errors: string[];
  /** Policy that the domain publishes. */
  policy: {
    /** Domain of the policy. */
    domain: string | null;
    /** Policy. */
    p: string | null;
    /** Policy of subdomains. */
    sp: string | null;
    /** Policy of subdomains that do not exist. */
    np: string | null;
    /** Alignment of DKIM: `r` or `s`. */
    adkim: string | null;
    /** Alignment of SPF: `r` or `s`. */
    aspf: string | null;
    /** Percentage of messages to which the policy applies. */
    pct: string | null;
    /** Failures to report. */
    fo: string | null;
    /** Whether the policy is in test: `y` or `n`. */
    testing: string | null;
    /** How the policy was found: `psl` or `treewalk`. */
    discoveryMethod: string | null;
  };
  /** Records of the report, and messages by result, over all records. */
  counts: {
    /** Records. */
    records: number;
    /** Messages. */
    messages: number;
    /** Messages that pass DKIM or SPF with alignment. */
    passed: number;
    /** Messages that were quarantined. */
    quarantined: number;
    /** Messages that were rejected. */
    rejected: number;
  };
  /** The first 1,000 records. */
  records: DmarcRecord[];
}
/** `DnsZone` of the API. */
export interface DnsZone {
  /** Zone file (RFC 1035 §5), as it was set. */
  zone: string;
  /** Number of records. */
  records: number;
}
/** `DuplicateDifference` of the API. */
export interface DuplicateDifference {
  /** Field in which the messages differ. */
  field: "messageId" | "date" | "from" | "subject" | "code" | "link" | "attachment" | "text";
  /** Value of each message, in the order of `messages`, shortened to 200 characters. */
  values: (string | null)[];
}
/** `DuplicateGroup` of the API. */
export interface DuplicateGroup {
  /** E-mail or SMS. */
  type: "Email" | "SMS";
  /** Subject of the newest message. */
  subject: string;
  /** Addresses or phone numbers that received all messages of the group, in lower case. */
  recipients: string[];
  /** Number of messages, including those that are not listed. */
  count: number;
  /** The newest 20, newest first. */
  messages: DuplicateMessage[];
  /** At most 50. */
  differences: DuplicateDifference[];
}
/** `DuplicateMessage` of the API. */
export interface DuplicateMessage {
  /** Id of the message. */
  id: string;
  /** Instant of receipt, UTC, with milliseconds. */
  received: string;
  /** Message-ID with its angle brackets. */
  messageId: string | null;
  /** Milliseconds since the message of the group before; null for the oldest. */
  delayMs: number | null;
}
/** `EmailClient` of the API. */
export interface EmailClient {
  /** Name of the email client in requests for previews. */
  label: string;
  /** Name of the e-mail client. */
  name: string;
  /** Kind of e-mail client. */
  group: "Desktop" | "Mobile" | "Web";
  /** Operating system or browser. */
  platform: string;
  /** Size of the viewport, in CSS pixels. */
  viewport: {
    /** Width. */
    width: number;
    /** Height. */
    height: number;
  };
  /** Pixels of the image for one CSS pixel. */
  pixelRatio: number;
  /** Whether the mail sees a dark colour scheme, and whether colours are inverted. */
  dark: "no" | "asked" | "forced";
  /** Whether the client loads images. */
  images: "shown" | "blocked";
  /** Features of the email client that a preview emulates. */
  emulates: string;
  /** Whether this service has a browser to make previews with. */
  available: boolean;
}
/** `ErrorBody` of the API. */
export interface ErrorBody {
  /** Kind of error, such as `ValidationError`. */
  type: string;
  /** Status of the response. */
  status: number;
  /** Error in words; may change. */
  message: string;
  /** At least one for status 400, none for others. */
  errors: {
    /** Path in the body, or name of the query parameter. */
    field: string;
    /**
     * Errors of the field.
     *
     * @minItems 1
     */
    detail: {
      /** Error in words; may change. */
      description: string;
      /** Stable code, for programs. */
      code: string;
    }[];
  }[];
}
/** `EventWebhook` of the API. */
export interface EventWebhook {
  /** Id of the target. */
  id: string;
  /** Id of its server. */
  server: string;
  /** http or https URL of the application. */
  url: string;
  /** `paused`: deliveries wait. `disabled`: the receiver responded 410; nothing is delivered. */
  state: "active" | "paused" | "disabled";
  /** Why it is disabled; null unless it is. */
  stateReason: string | null;
  /** When it was created, UTC. */
  createdAt: string;
  /** Signing secret; null except in the response that made it. */
  secret: string | null;
  /** Settings of the provider, without secret ones. */
  settings: {
    [k: string]: string;
  };
  /** Key by which the application verifies requests; null for none. */
  publicKey: string | null;
  /** Name of the provider. */
  provider: string;
  /** Types of events, which are delivered without a request; all of the provider by default. */
  events: (
    | "processed"
    | "dropped"
    | "deferred"
    | "delivered"
    | "bounced"
    | "opened"
    | "clicked"
    | "complained"
    | "unsubscribed"
  )[];
  /** Whether the receiver has confirmed; null where none is asked to. */
  confirmed: boolean | null;
}
/** Response to a search with `explain=true`. */
export interface ExplainedSearch {
  /** Summaries of the messages that match. */
  items: Summary[];
  /** Why too few messages matched; null when enough did, and with `absent`. */
  explanation: SearchExplanation | null;
  /** Terms of `q` as they were understood; null without `q`. */
  query: UnderstoodQuery | null;
}
/** `Summary` of the API. */
export interface Summary {
  /** Id of the message. */
  id: string;
  /** Kind of message. */
  type: "Email" | "SMS";
  /** The server that holds the message. */
  server: string;
  /** Subject, decoded; empty when the message has none. */
  subject: string;
  /** Senders, as the header field From names them; for an SMS its sender. */
  from: Contact[];
  /** Recipients, as the header field To names them; for an SMS its recipient. */
  to: Contact[];
  /** Recipients, as the header field Cc names them. */
  cc: Contact[];
  /** Recipients, as the header field Bcc names them, and envelope recipients that no header field names. */
  bcc: Contact[];
  /** Instant of receipt, UTC, with milliseconds. */
  received: string;
  /** First 200 or so characters of visible text. */
  summary: string;
  /** Number of attachments. */
  attachments: number;
}
/** `SearchExplanation` of the API. */
export interface SearchExplanation {
  /** The explanation in a few lines, for the output of a test. */
  text: string;
  /** Instant after which arrivals were compared, UTC. */
  since: string;
  /** Instant until which arrivals were compared, UTC. */
  until: string;
  /** Messages that arrived between these instants, at most 100. */
  arrived: number;
  /** Whether more messages arrived, which were not compared. */
  hasMore: boolean;
  /** The nearest messages, at most five. */
  nearest: NearMiss[];
}
/** `NearMiss` of the API. */
export interface NearMiss {
  /** Id of the message. */
  id: string;
  /** The server that holds the message. */
  server: string;
  /** Received or sent. */
  direction: "Received" | "Sent";
  /** Instant of receipt, UTC, with milliseconds. */
  received: string;
  /** Senders, as the header field From names them; for an SMS its sender. */
  from: Contact[];
  /** Recipients, as the header field To names them; for an SMS its recipient. */
  to: Contact[];
  /** Subject, decoded; empty when the message has none. */
  subject: string;
  /** Criteria that the message does not meet, or the parameter that excludes it. */
  failed: FailedCriterion[];
}
/** `FailedCriterion` of the API. */
export interface FailedCriterion {
  /** Name of the criterion or of the query parameter. */
  criterion: string;
  /** Value that was searched for, shortened. */
  expected: string;
  /** Values of the message, shortened. */
  actual: string[];
  /** Difference in words; null when the values have little in common. */
  hint: string | null;
}
/** `UnderstoodQuery` of the API. */
export interface UnderstoodQuery {
  /** The query as it was given. */
  q: string;
  /** Its terms, in order. */
  terms: QueryTerm[];
}
/** `QueryTerm` of the API. */
export interface QueryTerm {
  /** The term without quotes and negation. */
  text: string;
  /** Place in the query, in UTF-16 code units. */
  start: number;
  /** The place after its end. */
  end: number;
  /** Name of the operator; null for text. */
  operator: string | null;
  /** Value of the operator, or the text. */
  value: string;
  /** Whether the term excludes what it finds. */
  isNegated: boolean;
  /** Condition on a message in words, without the negation. */
  meaning: string;
}
/** `Fault` of the API. */
export interface Fault {
  /** Name, unique in the list. */
  name: string;
  /** Occurrences that the rule applies to: those that agree with every member. */
  match: {
    /**
     * Stage or stages: `data` is the command before the content, `after-data` the end of the content, `request` a call of a provider's API.
     */
    stage:
      | ("connect" | "ehlo" | "starttls" | "auth" | "mail" | "rcpt" | "data" | "after-data" | "request")
      | ("connect" | "ehlo" | "starttls" | "auth" | "mail" | "rcpt" | "data" | "after-data" | "request")[];
    /** Envelope sender: an address, in which `*` stands for any characters. */
    sender?: string;
    /** One of the recipients: an address, in which `*` stands for any characters, or a phone number. */
    recipient?: string;
    /** Address of the client, or a network. */
    clientAddress?: string;
    /** Name of a provider. */
    provider?:
      | "acs"
      | "brevo"
      | "gmail"
      | "mailersend"
      | "graph"
      | "mailgun"
      | "mailjet"
      | "mandrill"
      | "mailtrap"
      | "postmark"
      | "resend"
      | "sendgrid"
      | "ses"
      | "sns"
      | "sparkpost"
      | "twilio"
      | "vonage";
    /** User name of SMTP AUTH. */
    userName?: string;
  };
  /** Which of the occurrences that match; exactly one member, besides `seed`. All when absent. */
  when?: {
    /** The first ones. */
    first?: number;
    /** All but the first ones. */
    after?: number;
    /** Every nth. */
    every?: number;
    /** Those above a number in a window, which starts with the first occurrence after the last one. */
    above?: {
      /** Number of occurrences in a window. */
      count: number;
      /** Length of the window in milliseconds. */
      perMs: number;
    };
    /** Share of the occurrences. */
    probability?: number;
    /** Determines with `probability` which ones; 0 by default. */
    seed?: number;
  };
  /**
   * Effect: at most one of `reply`, `error`, `drop`, `loseReply`, `tls`, `greylist`, and any of the others.
   */
  then: {
    /** SMTP reply. Not at the stage `request`. */
    reply?: {
      /** SMTP code; 421 closes the connection. */
      code: number;
      /** Enhanced status code, such as `4.7.1`. */
      enhanced?: string;
      /** Text in printable ASCII. */
      text?: string;
    };
    /** Error in the format of the provider, by name or HTTP status. Only at the stage `request`. */
    error?:
      | ("rateLimited" | "unavailable" | "internal" | "unauthorized" | "invalidRecipient" | "tooLarge" | "timeout")
      | {
          /** HTTP status. */
          status: number;
        };
    /** Closes the connection without a reply; nothing is stored. */
    drop?: true;
    /** Stores the mail and closes the connection without a reply. */
    loseReply?: true;
    /** Failure of the TLS handshake. */
    tls?: "refuse" | "handshake" | "expired" | "wrong-name" | "untrusted";
    /** Defers a triple of client network, sender and recipient. Only at the stage `rcpt`. */
    greylist?: {
      /** Time after the first attempt, in milliseconds. */
      delayMs: number;
    };
    /** Time before the reply in milliseconds. */
    delayMs?: number;
    /** Bytes per second. Only at the stages `data` and `request`. */
    throttle?: number;
    /** Time in milliseconds after which the accepted mail becomes visible. */
    deliverAfterMs?: number;
  };
  /** Ends the rule with the first condition that is met; it stays in the list. Never when absent. */
  until?: {
    /** Instant. */
    time?: string;
    /** Milliseconds after the rule was stored. */
    afterMs?: number;
    /** Number of hits. */
    hits?: number;
  };
  /** Whether the rule applies to nothing and counts nothing. False when absent. */
  paused?: boolean;
  /** `ended`: by `until`, whether it was paused or not. */
  state: "active" | "paused" | "ended";
  /** Number of occurrences that matched. */
  seen: number;
  /** Number of occurrences to which the rule applied. */
  hits: number;
  /** Number of mails for several servers that matched, to which the rule did not apply. */
  skipped: number;
  /**
   * The last hits, newest first.
   *
   * @maxItems 20
   */
  lastHits: {
    /** Instant, UTC, with milliseconds. */
    received: string;
    /** Stage at which the rule applied. */
    stage: "connect" | "ehlo" | "starttls" | "auth" | "mail" | "rcpt" | "data" | "after-data" | "request";
    /** Address of the client. */
    clientAddress: string;
    /** Envelope sender; null before MAIL. */
    sender: string | null;
    /** Recipient that matched; null before RCPT. */
    recipient: string | null;
    /** Name of the provider; null for SMTP. */
    provider: string | null;
    /** Main effect. */
    action: "drop" | "lose-reply" | "tls" | "greylist" | "reply" | "error" | "deliver-later" | "throttle" | "delay";
  }[];
}
/** `FeedbackReport` of the API. */
export interface FeedbackReport {
  /** `abuse`, `fraud`, `virus`, `auth-failure`, `not-spam` or another one. */
  type: string | null;
  /** Program that wrote the report. */
  userAgent: string | null;
  /** Address of the client that sent the mail. */
  sourceIp: string | null;
  /** Arrival of the mail. */
  arrived: string | null;
  /** Complaints that the report stands for. */
  incidents: number;
  /** Envelope sender of the mail; null for the empty one. */
  mailFrom: string | null;
  /** Envelope recipients of the mail. */
  recipients: string[];
  /** Mail server that reports. */
  reportingMta: string | null;
  /** Domains that the report names (`Reported-Domain`). */
  domains: string[];
  /** URIs that the report names (`Reported-URI`). */
  uris: string[];
  /** `dkim`, `spf`, `dmarc` or another one (RFC 6591). */
  authenticationFailure: string | null;
  /** Authentication-Results of the mail. */
  authenticationResults: string[];
  /** What the receiver did with the mail. */
  deliveryResult: string | null;
  /** Further fields, at most 50. */
  others: {
    /** Name in lower case. */
    field: string;
    /** Value of the field. */
    value: string;
  }[];
}
/** `FormerEmailClient` of the API. */
export interface FormerEmailClient {
  /** Id of the e-mail client. */
  id: string;
  /** Name of the e-mail client. */
  name: string;
  /** Name that requests for previews use. */
  emailClient: string;
  /** Kind of e-mail client. */
  platformGroup: string;
  /** Operating system or browser. */
  platformType: string;
  /** Always empty. */
  platformVersion: string;
  /** Always true. */
  canDisableImages: boolean;
  /** Whether the service has a browser to make previews with. */
  status: "Available" | "Unavailable";
}
/** `HeaderField` of the API. */
export interface HeaderField {
  /** Name of the field, as written. */
  field: string;
  /** Value, unfolded and decoded. */
  value: string;
}
/** `HeldMessage` of the API. */
export interface HeldMessage {
  /** Id of its submission; as a message it gets another one. */
  id: string;
  /** Kind of message. */
  type: "Email" | "SMS";
  /** Instant of acceptance, UTC. */
  accepted: string;
  /** Instant at which it becomes visible, UTC; at the latest when its links are scanned before. */
  visibleAt: string;
  /** Earliest start of the scan of its links, after which it becomes visible, UTC; null without one. */
  scanAt: string | null;
  /** Envelope sender, or number. */
  from: string;
  /**
   * Envelope recipients.
   *
   * @maxItems 20
   */
  to: string[];
  /** Number of all recipients. */
  recipients: number;
  /** Size of the raw mail; 0 for SMS. */
  sizeBytes: number;
  /** Name of the provider; null for SMTP. */
  provider: string | null;
  /** Names of the fault rules that applied to it. */
  faults: string[];
  /**
   * Reason for which it does not become visible until it is retried by hand; null unless it is quarantined.
   */
  error: string | null;
}
/** `HtmlContent` of the API. */
export interface HtmlContent {
  /** Links, in document order. */
  links: Link[];
  /** One-time codes in the visible text, in document order, each once. */
  codes: Code[];
  /** Images, in document order. */
  images: Image[];
  /** null when the message has no such part. */
  body: string | null;
}
/** `Link` of the API. */
export interface Link {
  /** Target, decoded but not normalised. */
  href: string;
  /** null when the anchor has no visible text. */
  text: string | null;
}
/** `Image` of the API. */
export interface Image {
  /** Source as written; `cid:` URLs refer to attachments. */
  src: string;
  /** Alternative text; empty when missing. */
  alt: string;
}
/** `InboundRoute` of the API. */
export interface InboundRoute {
  /** Id of the target. */
  id: string;
  /** Id of its server. */
  server: string;
  /** http or https URL of the application. */
  url: string;
  /** `paused`: deliveries wait. `disabled`: the receiver responded 410; nothing is delivered. */
  state: "active" | "paused" | "disabled";
  /** Why it is disabled; null unless it is. */
  stateReason: string | null;
  /** When it was created, UTC. */
  createdAt: string;
  /** Signing secret; null except in the response that made it. */
  secret: string | null;
  /** Settings of the provider, without secret ones. */
  settings: {
    [k: string]: string;
  };
  /** Key by which the application verifies requests; null for none. */
  publicKey: string | null;
  /** `support@app.example`, or `*@app.example` for all addresses of a domain. */
  pattern: string;
  /** Name of the format in which mail is handed over. */
  shape: string;
  /** Whether the receiver has confirmed; null where none is asked to. */
  confirmed: boolean | null;
}
/** `JourneyFailure` of the API. */
export interface JourneyFailure {
  /** Position of the step, from 0. */
  step: number;
  /** Name of the step; null without one. */
  name: string | null;
  /** Whether messages are missing, or arrived though none should. */
  reason: "missing" | "unexpected";
  /** Number of messages that the step expects. */
  expected: number;
  /** The unexpected messages, or matches that came too early or belong to other steps; at most five. */
  messages: Summary[];
  /** The reason in a sentence. */
  text: string;
  /** Why nothing matched; null for unexpected messages and after the third missing step. */
  explanation: SearchExplanation | null;
}
/** `JourneyResult` of the API. */
export interface JourneyResult {
  /** Whether every step was met. */
  complete: boolean;
  /** Position up to which all messages were considered, for `after`. */
  cursor: number;
  /** Messages of each step. */
  steps: JourneyStepResult[];
  /** Empty when the journey is complete. */
  failures: JourneyFailure[];
}
/** Messages of one step, oldest first. */
export interface JourneyStepResult {
  /** Name of the step; null without one. */
  name: string | null;
  /** Messages of the step, oldest first. */
  messages: Summary[];
}
/** `Key` of the API. */
export interface Key {
  /** Id of the key in this API; not the key itself. */
  id: string;
  /** Name of the key. */
  name: string;
  /** The only server that the key gives access to; null for all. */
  server: string | null;
  /** When it was created, UTC. */
  createdAt: string;
  /**
   * `read`: list, search, wait and fetch. `send`: create messages, send, reply and forward. `scim`: provision users and groups by SCIM. `full`: everything.
   */
  scope: "full" | "read" | "send" | "scim";
  /** When the key expires; null for never. */
  expires: string | null;
  /** Largest number of requests per minute and node. */
  requestsPerMinute: number | null;
  /** Addresses and networks (`192.0.2.0/24`) from which alone the key is valid; empty for all. */
  networks: string[];
  /** Time of last use, at most a minute behind; null before the first use. */
  lastUsed: string | null;
  /** Id of the user that owns the key; null for none. */
  user: string | null;
  /** Id of the team that owns the key; null for none. */
  team: string | null;
  /** Until when the secret from before the last rotation is valid too. */
  formerUntil: string | null;
}
/** `LintFinding` of the API. */
export interface LintFinding {
  /** See the reference page of lint. */
  rule: string;
  /** Severity of the finding. */
  severity: "error" | "warning" | "info";
  /** Category of the rule. */
  category: "headers" | "structure" | "accessibility" | "links" | "compatibility";
  /** Finding in words. */
  message: string;
  /** Part of the mail that the finding concerns, at most 200 characters. */
  subject: string | null;
}
/** `LintReport` of the API. */
export interface LintReport {
  /** Findings, most severe first; at most 50 of each rule. */
  findings: LintFinding[];
  /** Number of all findings by severity. */
  counts: {
    /** Number of errors. */
    error: number;
    /** Number of warnings. */
    warning: number;
    /** Number of notes. */
    info: number;
  };
  /** Engine of the accessibility checks. */
  accessibility: {
    /** `axe-core` and its version, or `restante` for the service's own rules. */
    engine: string;
    /** Reason why axe-core did not respond. */
    engineProblem: string | null;
  };
  /** Rules that have findings, each once. */
  rules: LintRequirement[];
  profile?: ProfileVerdict;
}
/** `LintRequirement` of the API. */
export interface LintRequirement {
  /** Id of the rule. */
  rule: string;
  /** Requirement in words. */
  meaning: string;
  /** Page that explains the rule or the standard that it is from. */
  url: string | null;
}
/** `ProfileVerdict` of the API. */
export interface ProfileVerdict {
  /** Id of the profile. */
  id: "bulk-sender";
  /** `fail` when a requirement fails. */
  verdict: "pass" | "fail";
  /** Requirements in the order of the reference page. */
  requirements: {
    /** Id of the requirement. */
    id: string;
    /** Receivers that demand it. */
    receivers: string;
    /** Requirement in words. */
    meaning: string;
    /** Result of the requirement. */
    result: "pass" | "fail" | "not_judged";
    /** Reason of the result. */
    reason: string | null;
  }[];
}
/** `LocalisationFinding` of the API. */
export interface LocalisationFinding {
  /** Rule. */
  rule: "missing-translation" | "direction" | "date" | "plural" | "overflow";
  /** Fault in words. */
  message: string;
  /** Text that has the fault, at most 200 characters. */
  subject: string;
}
/** `LocalisationReport` of the API. */
export interface LocalisationReport {
  /** Whether no mail has a fault. */
  isMet: boolean;
  /** Locale that the others are compared with. */
  default: string;
  /** Mails in the order of the request. */
  locales: {
    /** Language tag. */
    locale: string;
    /** Id of the mail. */
    id: string;
    /** Subject. */
    subject: string;
    /** Direction of the language. */
    direction: "ltr" | "rtl";
    /** Faults, at most 100. */
    findings: LocalisationFinding[];
  }[];
  /** Why overflowing text was not measured; null when it was. */
  overflowProblem: string | null;
}
/** `MadeDeliveries` of the API. */
export interface MadeDeliveries {
  /** The deliveries, in order. */
  deliveries: CallbackDelivery[];
}
/** `MailReports` of the API. */
export interface MailReports {
  /** DMARC aggregate reports. */
  dmarc: DmarcReport[];
  /** TLS reports. */
  tls: TlsReport[];
  /** Complaints and authentication failures. */
  feedback: FeedbackReport[];
  /** Delivery status notifications. */
  delivery: DeliveryReport[];
  /** Message disposition notifications. */
  disposition: DispositionReport[];
  /** Mail that the reports are about; null for DMARC and TLS. */
  original: ReportedMail | null;
  /** Reports that could not be read, or only in part, with the reason. */
  problems: {
    /** Name of the attachment that the report is from. */
    file: string | null;
    /** Reason in words. */
    problem: string;
  }[];
}
/** `TlsReport` of the API. */
export interface TlsReport {
  /** Name of the attachment that the report is from. */
  file: string | null;
  /** Receiver that reports. */
  organization: string | null;
  /** Contact of the receiver. */
  contact: string | null;
  /** Id that the receiver gave to the report. */
  reportId: string | null;
  /** Begin of the period. */
  begin: string | null;
  /** End of the period. */
  end: string | null;
  /** Policies, and sessions over all of them. */
  counts: {
    /** Policies. */
    policies: number;
    /** Sessions that succeeded. */
    successful: number;
    /** Sessions that failed. */
    failed: number;
  };
  /** The first 100 policies. */
  policies: {
    /** Type of the policy: `sts`, `tlsa` or `no-policy-found`. */
    type: string | null;
    /** Domain of the policy. */
    domain: string | null;
    /** Lines of the policy. */
    lines: string[];
    /** Hosts that the policy allows. */
    mxHosts: string[];
    /** Sessions that succeeded. */
    successful: number;
    /** Sessions that failed. */
    failed: number;
    /** The first 100 kinds of failures of the policy. */
    failures: {
      /** Type of the failure, such as `certificate-expired`. */
      result: string | null;
      /** Sessions that failed so. */
      count: number;
      /** Address of the sender. */
      sendingIp: string | null;
      /** MX host of the domain. */
      receivingHost: string | null;
      /** Name in the greeting of the host. */
      receivingHelo: string | null;
      /** Address of the host. */
      receivingIp: string | null;
      /** Code of the reason. */
      reason: string | null;
      /** Further information, or its URL. */
      additional: string | null;
    }[];
  }[];
}
/** `ReportedMail` of the API. */
export interface ReportedMail {
  /** Message-ID with its angle brackets. */
  messageId: string | null;
  /** Subject. */
  subject: string | null;
  /** Address of the author. */
  from: string | null;
  /** Addresses of the recipients, at most 50. */
  to: string[];
  /** Date of the mail. */
  date: string | null;
  /** Ids of the messages on this server with this Message-ID, at most 10. */
  ids: string[];
}
/** `MarkResult` of the API. */
export interface MarkResult {
  /** Number of messages whose flags or tags have changed. */
  changed: number;
}
/** `MarkedMessage` of the API. */
export interface MarkedMessage {
  /** Id of the message. */
  id: string;
  /** Flags, as those of IMAP. */
  flags: ("seen" | "answered" | "flagged" | "deleted" | "draft")[];
  /**
   * Tags, by name; no two differ in letter case only.
   *
   * @maxItems 64
   */
  tags: string[];
  /** Number of the last change of its marks. */
  sequence: number;
}
/** `Marks` of the API. */
export interface Marks {
  /** Flags, as those of IMAP. */
  flags: ("seen" | "answered" | "flagged" | "deleted" | "draft")[];
  /**
   * Tags, by name; no two differ in letter case only.
   *
   * @maxItems 64
   */
  tags: string[];
}
/** `Member` of the API. */
export interface Member {
  /** Id of the user. */
  user: string;
  /** Id of the team. */
  team: string;
  /**
   * `viewer`: reads. `tester`: everything with messages, not the settings of servers. `manager`: also settings, servers, keys and members of the team.
   */
  role: "viewer" | "tester" | "manager";
  /** Origin: an administrator, SCIM, or the groups of a sign-in. */
  source: "manual" | "scim" | "oidc";
}
/** `Message` of the API. */
export interface Message {
  /** Id of the message. */
  id: string;
  /** Kind of message. */
  type: "Email" | "SMS";
  /** Senders, as the header field From names them; for an SMS its sender. */
  from: Contact[];
  /** Recipients, as the header field To names them; for an SMS its recipient. */
  to: Contact[];
  /** Recipients, as the header field Cc names them. */
  cc: Contact[];
  /** Recipients, as the header field Bcc names them, and envelope recipients that no header field names. */
  bcc: Contact[];
  /** Instant of receipt, UTC, with milliseconds. */
  received: string;
  /** Subject, decoded; empty when the message has none. */
  subject: string;
  html: HtmlContent;
  text: TextContent;
  /** Attached files. */
  attachments: Attachment[];
  metadata: Metadata;
  /** The server that holds the message. */
  server: string;
  /** Defects of the received bytes that were tolerated. */
  defects: string[];
  delivery?: Delivery;
  sms?: SmsSegmentation;
  /** Facts of the provider's API that the message was submitted through; null for other messages. */
  provider?: ProviderOrigin | null;
}
/** `TextContent` of the API. */
export interface TextContent {
  /** Links, in document order. */
  links: Link[];
  /** One-time codes in the visible text, in document order, each once. */
  codes: Code[];
  /** null when the message has no such part. */
  body: string | null;
}
/** `Metadata` of the API. */
export interface Metadata {
  /** All header fields, in order, repeated ones included. */
  headers: HeaderField[];
  /** Name that the SMTP client gave with EHLO or HELO; null without a session. */
  ehlo: string | null;
  /** User and mechanism of SMTP AUTH; absent without AUTH. Never the password. */
  auth?: {
    /** User name of SMTP AUTH. */
    user: string;
    /** SASL mechanism. */
    mechanism: "PLAIN" | "LOGIN" | "CRAM-MD5" | "XOAUTH2" | "OAUTHBEARER";
  };
  /** Reverse-path of the envelope; empty for the null reverse-path, null without an envelope. */
  mailFrom: string | null;
  /** Recipients of the envelope. */
  rcptTo: Contact[];
  /** Instant at which a message was accepted that became visible later, at `received`; absent for others. */
  accepted?: string;
  /** Fault rules that applied before the message was accepted; absent without one. */
  faults?: {
    /** Name of the rule. */
    rule: string;
    /** Stage at which the rule applied. */
    stage: "connect" | "ehlo" | "starttls" | "auth" | "mail" | "rcpt" | "data" | "after-data" | "request";
    /** Main effect of the rule. */
    action: "drop" | "lose-reply" | "tls" | "greylist" | "reply" | "error" | "deliver-later" | "throttle" | "delay";
  }[];
}
/** `SmsSegmentation` of the API. */
export interface SmsSegmentation {
  /** Character encoding on the air interface. */
  encoding: "GSM-7" | "UCS-2";
  /** Number of segments that the SMS takes. */
  segments: number;
}
/** `ProviderOrigin` of the API. */
export interface ProviderOrigin {
  /** Name of the provider in lower case. */
  name: string;
  /** Id of the message in the response of the provider's API. */
  id: string;
  /** Tags, categories or message types. */
  tags: string[];
  /** Metadata, custom arguments or variables. */
  metadata: {
    [k: string]: string;
  };
  /** Template that the message was submitted with; null without one. */
  template: {
    /** Id or name of the template. */
    id: string;
    /** Data that the template was sent with. */
    data: {
      [k: string]: unknown;
    };
  } | null;
  /** null unless the message was scheduled. */
  scheduledAt: string | null;
}
/** `NewKey` of the API. */
export interface NewKey {
  /** Id of the key in this API; not the key itself. */
  id: string;
  /** Name of the key. */
  name: string;
  /** The only server that the key gives access to; null for all. */
  server: string | null;
  /** When it was created, UTC. */
  createdAt: string;
  /**
   * `read`: list, search, wait and fetch. `send`: create messages, send, reply and forward. `scim`: provision users and groups by SCIM. `full`: everything.
   */
  scope: "full" | "read" | "send" | "scim";
  /** When the key expires; null for never. */
  expires: string | null;
  /** Largest number of requests per minute and node. */
  requestsPerMinute: number | null;
  /** Addresses and networks (`192.0.2.0/24`) from which alone the key is valid; empty for all. */
  networks: string[];
  /** Time of last use, at most a minute behind; null before the first use. */
  lastUsed: string | null;
  /** Id of the user that owns the key; null for none. */
  user: string | null;
  /** Id of the team that owns the key; null for none. */
  team: string | null;
  /** Until when the secret from before the last rotation is valid too. */
  formerUntil: string | null;
  /** The key itself, shown only here. */
  key: string;
}
/** `NewServer` of the API. */
export interface NewServer {
  /** Id of the server, and first label of its addresses. */
  id: string;
  /** Name of the server. */
  name: string;
  /** Ids of users; stored as given, without effect. */
  users: string[];
  /** Number of messages in the server. */
  messages: number;
  retention: Retention;
  quota: ServerQuota;
  usage: ServerUsage;
  /**
   * Effect of deletions by POP3 and IMAP: `delete` deletes the message from the server, `hide` hides it from the credentials of the reader only, `refuse` answers the command with an error.
   */
  readerDeletion: "delete" | "hide" | "refuse";
  /** Id of the team that owns the server; null for none. */
  team: string | null;
  /** Number of messages that retention has deleted. */
  retired: number;
  /** When it was created, UTC. */
  createdAt: string;
  /** When the server is deleted automatically; null for never. */
  expiresAt: string | null;
  /** Whether the server stays although the rule for idle servers would remove it. */
  isProtected: boolean;
  /** A key of this server alone, if `withKey` requested it. */
  key?: string;
}
/** Retention rules; null disables a rule. */
export interface Retention {
  /** Messages older than this many seconds are deleted; null for no limit. */
  ageSecondsMax: number | null;
  /** The oldest messages beyond this number are deleted; null for no limit. */
  messageCountMax: number | null;
}
/** Storage quota; null for the default of all servers. */
export interface ServerQuota {
  /** Most messages that the server may hold; null for the default of all servers. */
  messages: number | null;
  /** Most bytes that the server may hold; null for the default of all servers. */
  bytes: number | null;
}
/** Storage that counts against the quota. */
export interface ServerUsage {
  /** Messages that the server holds, sent ones included. */
  messages: number;
  /** Bytes of raw messages and details, before compression. */
  bytes: number;
}
/** `OneTimePassword` of the API. */
export interface OneTimePassword {
  /** Current one-time password. */
  code: string;
  /** When the next code replaces this one. */
  expires: string;
}
/** `Password` of the API. */
export interface Password {
  /** Password of the server for SMTP AUTH; the user name is the server's id. */
  value: string;
}
/** `PhoneNumber` of the API. */
export interface PhoneNumber {
  /** Id of the entry. */
  id: string;
  /** Phone number in E.164 format. */
  number: string;
  /** Id of the server that receives SMS for the number. */
  server: string;
  /** SMS provider whose signatures and requests are used. */
  provider: "twilio" | "vonage";
  /** Webhook that receives replies; null for none. */
  webhook: string | null;
  /** Whether SMS are signed. */
  signed: boolean;
  /** Whether the provider can send replies. */
  sends: boolean;
  /** When it was created, UTC. */
  createdAt: string;
}
/** `Preview` of the API. */
export interface Preview {
  /** Id of the preview, for `GET /api/files/screenshots/{id}`. */
  id: string;
  /** Label of the email client. */
  emailClient: string;
  /** Whether images are not shown. */
  disableImages: boolean;
}
/** `QuarantinedWork` of the API. */
export interface QuarantinedWork {
  /**
   * `outbox`: outbound mail and SMS; `deliveries`: callbacks; `scans`: links of mails; `scheduled`: scheduled and held messages; `reparses`: mails that could not be parsed.
   */
  queue: "outbox" | "deliveries" | "scans" | "scheduled" | "reparses";
  /** Id of the work within its queue. */
  id: string;
  /** Message that it is about. */
  message: string | null;
  /** Id of the message's server. */
  server: string | null;
  /** Attempts that were started. */
  attempts: number;
  /** Reason of the quarantine. */
  reason: string;
  /** Instant of the quarantine. */
  quarantined: string;
}
/** `Replayed` of the API. */
export interface Replayed {
  /** Number of deliveries. */
  replayed: number;
}
/** `SavedSearch` of the API. */
export interface SavedSearch {
  /** Name; those of a server differ in more than letter case. */
  name: string;
  /** Query of words and operators. */
  q: string;
}
/** `Scan` of the API. */
export interface Scan {
  /** Gateway whose behaviour is simulated. */
  profile: "safelinks" | "barracuda" | "gmail-image-proxy" | "custom";
  /** Whether the mail was scanned before or after it became visible. */
  when: "before" | "after";
  /**
   * `partial`: a limit ended the scan, such as 100 URLs, 500 requests, or a minute; `skipped`: too many mails waited for their scan; `quarantined`: its attempts ended the service, and it is retried by hand only.
   */
  result: "complete" | "partial" | "skipped" | "quarantined";
  /** Start of the scan, UTC. */
  started: string;
  /** End of the scan, UTC. */
  finished: string;
  /** Different URLs of the mail. */
  urlCount: number;
  /** URLs that were not requested because of a limit. */
  skippedCount: number;
  /** Requests that are not listed, because the list would be too long. */
  omittedCount: number;
  /** Requests, in the order in which they ended. */
  requests: ScanRequest[];
}
/** `ScanRequest` of the API. */
export interface ScanRequest {
  /** Method of the request. */
  method: string;
  /**
   * Kind of resource that a rendered page requested, such as `document` or `fetch`; null for requests of the scanner itself.
   */
  resource: string | null;
  /** URL, cut at 1024 characters. */
  url: string;
  /** Status of the response; null without one. */
  status: number | null;
  /** Milliseconds to the end of the response. */
  durationMs: number;
  /** URL to which the response redirects; null without a redirect. */
  redirect: string | null;
  /** Reason for which the request failed or its redirect was not followed; else null. */
  error: string | null;
}
/** `Scanner` of the API. */
export interface Scanner {
  /** Gateway whose behaviour is simulated. */
  profile: "safelinks" | "barracuda" | "gmail-image-proxy" | "custom";
  /** URLs that are opened: links of both bodies, or images of the HTML body. */
  targets: "links" | "images";
  /**
   * Methods with which each URL is requested, in their order.
   *
   * @minItems 1
   * @maxItems 2
   */
  methods: ("HEAD" | "GET")[];
  /** User agent, in printable ASCII. */
  userAgent: string;
  /** Whether GET opens links in a browser, which runs the scripts of the pages. */
  renders: boolean;
  /** Whether a mail is scanned before or after it becomes visible. */
  when: "before" | "after";
  /** Milliseconds from the arrival of a mail to the first request. */
  delayMs: number;
}
/** `ScreenshotReport` of the API. */
export interface ScreenshotReport {
  /** Whether the mail looks like the baseline. */
  isMatch: boolean;
  /** Label of the email client, with `-dark` for a dark mode that has no label of its own. */
  client: string;
  /** Width of the screenshot in pixels. */
  width: number;
  /** Height of the screenshot in pixels. */
  height: number;
  /** Pixels that differ, without those of anti-aliasing. */
  changedPixels: number;
  /** Share of the pixels that differ, from 0 to 1. */
  changedRatio: number;
  /** Parts that differ, from the top; at most 20. */
  regions: {
    /** Pixels from the left. */
    x: number;
    /** Pixels from the top. */
    y: number;
    /** Width in pixels. */
    width: number;
    /** Height in pixels. */
    height: number;
    /** Text of the mail there, or the nearest one, at most 100 characters. */
    text: string | null;
  }[];
  /** Differences in words; null for a match. */
  reason: string | null;
  /** Screenshot, a PNG; null for a match. */
  picture: string | null;
  /** Screenshot in pale colours with the changed pixels in red, a PNG; null for a match. */
  difference: string | null;
  /** Whether characters were drawn with fonts of the machine, because those of the service lack them. */
  usesMachineFonts: boolean;
}
/** `SearchSuggestion` of the API. */
export interface SearchSuggestion {
  /**
   * Difference from the requested search: the other direction, all servers, one term replaced, or one left out.
   */
  kind: "direction" | "servers" | "replace" | "without";
  /** Query to search for. */
  q: string;
  /** Id of the server to search; null for all servers of the key. */
  server: string | null;
  /** Direction to search. */
  dir: "Received" | "Sent";
  /** Term of the requested query that is replaced or left out; null where there is none. */
  term: string | null;
  /** Replacement of `term`; null where there is none. */
  replacement: string | null;
  /** Number of messages that match, at most 100. */
  count: number;
  /** Whether no more messages match than `count`. */
  isExact: boolean;
}
/** `Server` of the API. */
export interface Server {
  /** Id of the server, and first label of its addresses. */
  id: string;
  /** Name of the server. */
  name: string;
  /** Ids of users; stored as given, without effect. */
  users: string[];
  /** Number of messages in the server. */
  messages: number;
  retention: Retention;
  quota: ServerQuota;
  usage: ServerUsage;
  /**
   * Effect of deletions by POP3 and IMAP: `delete` deletes the message from the server, `hide` hides it from the credentials of the reader only, `refuse` answers the command with an error.
   */
  readerDeletion: "delete" | "hide" | "refuse";
  /** Id of the team that owns the server; null for none. */
  team: string | null;
  /** Number of messages that retention has deleted. */
  retired: number;
  /** When it was created, UTC. */
  createdAt: string;
  /** When the server is deleted automatically; null for never. */
  expiresAt: string | null;
  /** Whether the server stays although the rule for idle servers would remove it. */
  isProtected: boolean;
}
/** `ServerUsageReport` of the API. */
export interface ServerUsageReport {
  /** Id of the server. */
  server: string;
  /** Name of the server. */
  name: string;
  /** Id of the team that owns the server; null for none. */
  team: string | null;
  /** Name of the team; null for none. */
  teamName: string | null;
  /** E-mail addresses of the managers of the team. */
  managers: string[];
  /** Mails stored in the month, once per server; deleting them does not lower the count. */
  email: number;
  /** SMS stored in the month. */
  sms: number;
  /** Bytes of the messages that were stored in the month, before compression. */
  bytes: number;
  /** Outbound deliveries of the month, one per recipient. */
  outbound: number;
  /** Messages that are stored at present. */
  messages: number;
  /** Bytes that count against the quota at present. */
  storedBytes: number;
  /** Instant of the newest message, deleted ones included, or of the creation. */
  lastTrafficAt: string;
  /** Whole days since then. */
  idleDays: number;
  /** Whether the setting of the server keeps the rule for idle servers from removing it. */
  isProtected: boolean;
  /** Whether the rule never removes it: as catch-all server, or because it is configured. */
  isKept: boolean;
  /** When the rule removes the server without further traffic. */
  removedAt: string | null;
}
/** `ServiceStatus` of the API. */
export interface ServiceStatus {
  /** `degraded` while a failing task has an effect on users. */
  status: "ok" | "degraded";
  /** All background tasks. */
  tasks: BackgroundTask[];
}
/** `SpamAnalysis` of the API. */
export interface SpamAnalysis {
  /** Matched rules by filter. */
  spamFilterResults: {
    /** Matched rules, in the form of SpamAssassin. */
    spamAssassin: SpamRule[];
  };
  /** Sum of the scores; from 5 on, most filters treat a message as spam. */
  score: number;
  /** `SpamAssassin`, or `restante` for the service's own rules. */
  engine: string;
  /** Reason why the configured filter did not respond. */
  engineProblem: string | null;
}
/** `Tag` of the API. */
export interface Tag {
  /** The tag, as it was first written. */
  tag: string;
  /** Number of messages with the tag. */
  count: number;
}
/** `TagRule` of the API. */
export interface TagRule {
  /** Query that a message has to match, as in searches, without `after:` and `before:`. */
  q: string;
  /** Tags of messages that match. */
  tags: string[];
}
/** `Tagging` of the API. */
export interface Tagging {
  /** Whether `user+tag@domain` as sender or recipient adds the tag. */
  plusAddresses: boolean;
  /** Rules, all of which apply. */
  rules: TagRule[];
}
/** `Team` of the API. */
export interface Team {
  /** Id of the team. */
  id: string;
  /** Name of the team. */
  name: string;
  /** Id or name of the group in the directory. */
  externalId: string | null;
  /** Role of members that a directory or the groups of a sign-in add. */
  role: "viewer" | "tester" | "manager";
  /** When it was created, UTC. */
  createdAt: string;
}
/** `TeamLimitState` of the API. */
export interface TeamLimitState {
  limits: TeamLimits;
  use: TeamUse;
}
/** Limits of a team, over all of its servers; null for none. */
export interface TeamLimits {
  /** Most messages that the servers of the team may hold together; null for no limit. */
  messagesMax: number | null;
  /** Most bytes that the servers of the team may hold together; null for no limit. */
  bytesMax: number | null;
  /**
   * Messages older than this many seconds are deleted, also where a server keeps them longer; null for no limit.
   */
  ageSecondsMax: number | null;
  /** Mails stored per day (UTC), counted once per server; null for no limit. */
  emailsPerDayMax: number | null;
  /** SMS stored per day (UTC); null for no limit. */
  smsPerDayMax: number | null;
  /** Outbound deliveries per hour, one per recipient; null for no limit. */
  outboundPerHourMax: number | null;
}
/** `TeamUse` of the API. */
export interface TeamUse {
  /** Messages that the servers of the team hold, with those that are held back. */
  messages: number;
  /** Bytes that they hold. */
  bytes: number;
  /** Mails stored today (UTC); counted while the team has any limit. */
  emailsToday: number;
  /** SMS stored today (UTC); counted while the team has any limit. */
  smsToday: number;
  /** Outbound deliveries of this hour; counted while the team has any limit. */
  outboundThisHour: number;
}
/** `TeamMember` of the API. */
export interface TeamMember {
  /** Id of the user. */
  user: string;
  /** Id of the team. */
  team: string;
  /**
   * `viewer`: reads. `tester`: everything with messages, not the settings of servers. `manager`: also settings, servers, keys and members of the team.
   */
  role: "viewer" | "tester" | "manager";
  /** Origin: an administrator, SCIM, or the groups of a sign-in. */
  source: "manual" | "scim" | "oidc";
  /** E-mail address of the user. */
  email: string;
  /** Name of the user; may be empty. */
  name: string;
}
/** `TeamUsage` of the API. */
export interface TeamUsage {
  /** Id of the team that owned the servers at that time; null for servers without one. */
  team: string | null;
  /** Name of the team; null for servers without one, and for a team that was removed. */
  name: string | null;
  /** Mails stored in the month, once per server; deleting them does not lower the count. */
  email: number;
  /** SMS stored in the month. */
  sms: number;
  /** Bytes of the messages that were stored in the month, before compression. */
  bytes: number;
  /** Outbound deliveries of the month, one per recipient. */
  outbound: number;
  /** Servers that belong to the team at present. */
  servers: number;
  /** Messages that are stored at present. */
  messages: number;
  /** Bytes that count against the quota at present. */
  storedBytes: number;
  limits: TeamLimits;
}
/** `Transcript` of the API. */
export interface Transcript {
  /** Id of the message. */
  message: string;
  /**
   * Protocol as in trace fields, such as `ESMTPSA` (RFC 3848), or the version of HTTP, such as `HTTP/1.1`.
   */
  protocol: string;
  /** IP address of the client. */
  clientAddress: string;
  /** TLS protocol and cipher, or `TLS` for HTTP; null without TLS. */
  tls: string | null;
  /** Start of the session, UTC. */
  startedAt: string;
  /** Commands and replies, in order. */
  entries: TranscriptEntry[];
}
/** `TranscriptEntry` of the API. */
export interface TranscriptEntry {
  /** Milliseconds since the start of the session. */
  at: number;
  /** Speaker; `service` for notes about what is not on the wire, or left out. */
  from: "client" | "server" | "service";
  /** Line without its line end; secrets are masked. */
  text: string;
  /** Whether the command arrived before the reply to the previous one. */
  pipelined: boolean;
}
/** `UnsubscribeCheck` of the API. */
export interface UnsubscribeCheck {
  /** Name of the check. */
  name:
    | "list-unsubscribe"
    | "https"
    | "list-unsubscribe-post"
    | "dkim"
    | "target"
    | "response"
    | "confirmation"
    | "duration";
  /** Result of the check. */
  result: "pass" | "fail" | "skipped";
  /** Result in words. */
  text: string;
}
/** `UnsubscribeReport` of the API. */
export interface UnsubscribeReport {
  /** Whether the request was sent and no check failed. */
  ok: boolean;
  /** URL of the request; null when the mail names none. */
  url: string | null;
  /** `mailto:` addresses, to which nothing is sent. */
  mailto: string[];
  /** Whether a valid DKIM signature covers both header fields. */
  dkim: "pass" | "none" | "fail" | "unverified";
  /** Checks of the mail and the response. */
  checks: UnsubscribeCheck[];
  /** Null when the request was not sent or not answered. */
  response: {
    /** Status of the response. */
    status: number;
    /** Milliseconds until the end of the response. */
    durationMs: number;
  } | null;
}
/** `UsageLimit` of the API. */
export interface UsageLimit {
  /** Largest allowed number. */
  limit: number;
  /** Number in use now. */
  current: number;
}
/** `UsageLimits` of the API. */
export interface UsageLimits {
  servers: UsageLimit;
  users: UsageLimit;
  email: UsageLimit;
  sms: UsageLimit;
}
/** `UsageTransaction` of the API. */
export interface UsageTransaction {
  /** Start of the day, UTC. */
  timestamp: string;
  /** E-mails stored on that day. */
  email: number;
  /** SMS stored on that day. */
  sms: number;
}
/** `User` of the API. */
export interface User {
  /** Id of the user. */
  id: string;
  /** E-mail address. */
  email: string;
  /** Name of the user in its directory. */
  userName: string;
  /** Name to show; may be empty. */
  name: string;
  /** Issuer of the identity with which the user signs in; null before the first sign-in. */
  issuer: string | null;
  /** Id in the directory that provisions the user by SCIM. */
  externalId: string | null;
  /** Whether the user owns the account, and may do what a full account key may. */
  isOwner: boolean;
  /** Inactive users and their keys have no access. */
  isActive: boolean;
  /** When it was created, UTC. */
  createdAt: string;
  /** Last sign-in; null before the first. */
  lastSeen: string | null;
}
/** `VerifiedAddress` of the API. */
export interface VerifiedAddress {
  /** Id of the entry. */
  id: string;
  /** E-mail address. */
  address: string;
  /** `Verified` addresses may be written to; `Pending` ones wait for their owner's confirmation. */
  status: "Pending" | "Verified";
  /** When it was created, UTC. */
  createdAt: string;
}
/** `Webhook` of the API. */
export interface Webhook {
  /** Id of the target. */
  id: string;
  /** Id of its server. */
  server: string;
  /** http or https URL of the application. */
  url: string;
  /** `paused`: deliveries wait. `disabled`: the receiver responded 410; nothing is delivered. */
  state: "active" | "paused" | "disabled";
  /** Why it is disabled; null unless it is. */
  stateReason: string | null;
  /** When it was created, UTC. */
  createdAt: string;
  /** Signing secret; null except in the response that made it. */
  secret: string | null;
  /** Text that lists show. */
  description: string;
  /**
   * Types of events; all by default.
   *
   * @minItems 1
   */
  events: ("message.received" | "message.sent" | "message.deleted" | "message.delivery")[];
  /** Kind of message. */
  type: ("Email" | "SMS") | null;
  /** Only messages of this direction; null for both. */
  direction: ("Received" | "Sent") | null;
  /** Only messages that a search for these finds; null for all. */
  criteria: {
    /** Whole e-mail address or phone number of the sender. */
    sentFrom?: string;
    /** Whole e-mail address or phone number of a recipient. */
    sentTo?: string;
    /** Part of the subject. */
    subject?: string;
    /** Part of the text or of the HTML, source or visible. */
    body?: string;
    /** Whole id of the message in the response of a provider's API. */
    providerId?: string;
    /** Whole tag that the message was given through a provider's API. */
    tag?: string;
    /** Name of the provider whose API the message was submitted through. */
    provider?: string;
    /** Whether all criteria must match, or any one. */
    match?: "ALL" | "ANY";
  } | null;
}
/** Query of `listMessages`: List the messages of a server, newest first, or those that match a query. */
export interface ListMessagesQuery {
  /** Id of the server. */
  server: string;
  /**
   * Only messages received strictly after this instant: ISO 8601 (UTC without an offset), RFC 5322 or epoch milliseconds.
   */
  receivedAfter?: string | number;
  /** Page number, from 0. */
  page?: number;
  /** Number of items on a page. */
  itemsPerPage?: number;
  /** Received or sent messages. */
  dir?: "Received" | "Sent";
  /** Only messages committed after the response that carried this value in `X-Cursor`. */
  after?: number;
  /** Only messages older than the one with this id, which may have been deleted. */
  before?: string;
  /** Only the message with this id in the response of a provider's API. */
  providerId?: string;
  /** Only messages with this tag, from a provider's API or added later. */
  tag?: string;
  /** Only messages that were submitted through the API of this provider. */
  provider?: string;
  /**
   * Query of words and operators, such as `from:alice -subject:test after:2h`; see the guide to searching.
   */
  q?: string;
  /** Time zone of the dates in `q`, such as `Europe/Berlin`; UTC by default. */
  timeZone?: string;
}
/** Query of `createEmail`: Create a mail in a server, and optionally send it. */
export interface CreateEmailQuery {
  /** Id of the server. */
  server: string;
}
/** Body of `createEmail`: Create a mail in a server, and optionally send it. */
export interface CreateEmailRequest {
  /** One address; required where `send` is true. */
  to?: string | null;
  /** One address. */
  cc?: string | null;
  /** An address of the server; a generated one when absent. */
  from?: string | null;
  /** Subject. */
  subject?: string | null;
  /** Plain text. */
  text?: string | null;
  /** HTML, unchanged. */
  html?: string | null;
  /** Whether to send the mail. */
  send?: boolean | null;
  /** Attached files. */
  attachments?:
    | {
        /** Name of the file. */
        fileName?: string | null;
        /** Media type, such as `application/pdf`. */
        contentType?: string | null;
        /** Base64. */
        content?: string | null;
        /** Content-ID by which the HTML refers to the file, as `cid:`. */
        contentId?: string | null;
      }[]
    | null;
}
/** Query of `emptyServer`: Delete all messages of a server with their attachments. */
export interface EmptyServerQuery {
  /** Id of the server. */
  server: string;
}
/**
 * Query of `searchMessages`: Search the messages of a server, newest first, and optionally wait for a match.
 */
export interface SearchMessagesQuery {
  /** Id of the server. */
  server: string;
  /**
   * Only messages received strictly after this instant: ISO 8601 (UTC without an offset), RFC 5322 or epoch milliseconds.
   */
  receivedAfter?: string | number;
  /** Page number, from 0. */
  page?: number;
  /** Number of items on a page. */
  itemsPerPage?: number;
  /** Received or sent messages. */
  dir?: "Received" | "Sent";
  /** Only messages committed after the response that carried this value in `X-Cursor`. */
  after?: number;
  /** Only messages older than the one with this id, which may have been deleted. */
  before?: string;
  /**
   * Query of words and operators, such as `from:alice -subject:test after:2h`; see the guide to searching.
   */
  q?: string;
  /** Time zone of the dates in `q`, such as `Europe/Berlin`; UTC by default. */
  timeZone?: string;
  /** Milliseconds to wait for a match; the response comes with the first one. */
  timeout?: number;
  /** Number of messages that must match before a waiting search responds. */
  count?: number;
  /** Asserts that nothing matches: a match within `timeout` causes status 409. */
  absent?: boolean;
  /**
   * Asserts that exactly this many messages match: fewer at the end of `timeout`, or more, cause status 409.
   */
  expect?: number;
  /** With `expect`: milliseconds for which no further message may match; with `timeout` at most 60000. */
  settle?: number;
  /**
   * Whether the response is an `ExplainedSearch` instead of an array: it explains why too few messages matched.
   */
  explain?: boolean;
  /** Whether to return full messages instead of summaries; at most 100 on a page. */
  full?: boolean;
}
/**
 * Body of `searchMessages`: Search the messages of a server, newest first, and optionally wait for a match.
 */
export interface SearchMessagesRequest {
  /** Whole e-mail address or phone number of the sender. */
  sentFrom?: string | null;
  /** Whole e-mail address or phone number of a recipient. */
  sentTo?: string | null;
  /** Part of the subject. */
  subject?: string | null;
  /** Part of the text or of the HTML, source or visible. */
  body?: string | null;
  /** Whole id of the message in the response of a provider's API. */
  providerId?: string | null;
  /** Whole tag that the message was given through a provider's API. */
  tag?: string | null;
  /** Name of the provider whose API the message was submitted through. */
  provider?: string | null;
  /** Whether all criteria must match, or any one. */
  match?: ("ALL" | "ANY") | null;
  /**
   * Query of words and operators, such as `from:alice -subject:test after:2h`; see the guide to searching.
   */
  q?: string | null;
}
/**
 * Query of `deleteMatchingMessages`: Delete the messages of a server that match a query, newest first, at most 10,000 at a time.
 */
export interface DeleteMatchingMessagesQuery {
  /** Id of the server. */
  server: string;
  /** Received or sent messages. */
  dir?: "Received" | "Sent";
  /**
   * Query of words and operators, such as `from:alice -subject:test after:2h`; see the guide to searching.
   */
  q: string;
  /** Time zone of the dates in `q`, such as `Europe/Berlin`; UTC by default. */
  timeZone?: string;
}
/**
 * Query of `awaitJourney`: Wait for several messages in the given or any order, and for quiet; 409 says which are missing.
 */
export interface AwaitJourneyQuery {
  /** Id of the server. */
  server: string;
  /**
   * Only messages received strictly after this instant: ISO 8601 (UTC without an offset), RFC 5322 or epoch milliseconds.
   */
  receivedAfter?: string | number;
  /** Only messages committed after the response that carried this value in `X-Cursor`. */
  after?: number;
  /** Milliseconds to wait for messages; the quiet times are added to it, together at most 60000. */
  timeout?: number;
}
/**
 * Body of `awaitJourney`: Wait for several messages in the given or any order, and for quiet; 409 says which are missing.
 */
export interface AwaitJourneyRequest {
  /** Whether the messages of a step come after those of the step before, or in any order. */
  order?: ("given" | "any") | null;
  /**
   * Steps of the journey.
   *
   * @minItems 1
   * @maxItems 10
   */
  steps: {
    /** Name for the response. */
    name?: string | null;
    /** Whole e-mail address or phone number of the sender. */
    sentFrom?: string | null;
    /** Whole e-mail address or phone number of a recipient. */
    sentTo?: string | null;
    /** Part of the subject. */
    subject?: string | null;
    /** Part of the text or of the HTML, source or visible. */
    body?: string | null;
    /** Whole id of the message in the response of a provider's API. */
    providerId?: string | null;
    /** Whole tag that the message was given through a provider's API. */
    tag?: string | null;
    /** Name of the provider whose API the message was submitted through. */
    provider?: string | null;
    /** Whether all criteria must match, or any one. */
    match?: ("ALL" | "ANY") | null;
    /** Received or sent messages. */
    dir?: ("Received" | "Sent") | null;
    /** Number of messages that the step expects; 0 only with `quiet`. */
    count?: number | null;
    /**
     * Instead of `count`: milliseconds after the step before for which no message may match; any, without criteria.
     */
    quiet?: number | null;
  }[];
}
/** Query of `findDuplicates`: Find messages that were sent more than once. */
export interface FindDuplicatesQuery {
  /** Id of the server. */
  server: string;
  /**
   * Only messages received strictly after this instant: ISO 8601 (UTC without an offset), RFC 5322 or epoch milliseconds.
   */
  receivedAfter?: string | number;
  /** Received or sent messages. */
  dir?: "Received" | "Sent";
  /** Only messages committed after the response that carried this value in `X-Cursor`. */
  after?: number;
  /** Only messages older than the one with this id, which may have been deleted. */
  before?: string;
  /** Only messages with this sender: whole address or number. */
  sentFrom?: string;
  /** Only messages to this recipient: whole address or number. */
  sentTo?: string;
  /** Only messages with this text in the subject. */
  subject?: string;
  /** Only messages with this text in the body. */
  body?: string;
  /** Only the message with this id in the response of a provider's API. */
  providerId?: string;
  /** Only messages with this tag, from a provider's API or added later. */
  tag?: string;
  /** Only messages that were submitted through the API of this provider. */
  provider?: string;
  /** Number of messages to compare, the newest ones. */
  messages?: number;
  /** Longest delay in milliseconds between two messages of a group that follow each other. Default: any. */
  within?: number;
}
/** Body of `forwardMessage`: Forward a mail with its attachments. */
export interface ForwardMessageRequest {
  /** One address; required. */
  to: string;
  /** One address. */
  cc?: string | null;
  /** Plain text. */
  text?: string | null;
  /** HTML, unchanged. */
  html?: string | null;
}
/** Body of `releaseMessage`: Send a mail as it was received to verified recipients. */
export interface ReleaseMessageRequest {
  /**
   * One to 20 plain addresses.
   *
   * @minItems 1
   * @maxItems 20
   */
  to: string[];
}
/** Body of `replyToMessage`: Reply to a message. */
export interface ReplyToMessageRequest {
  /** One address. */
  cc?: string | null;
  /** Plain text. */
  text?: string | null;
  /** HTML, unchanged. */
  html?: string | null;
  /** Attached files. */
  attachments?:
    | {
        /** Name of the file. */
        fileName?: string | null;
        /** Media type, such as `application/pdf`. */
        contentType?: string | null;
        /** Base64. */
        content?: string | null;
        /** Content-ID by which the HTML refers to the file, as `cid:`. */
        contentId?: string | null;
      }[]
    | null;
}
/**
 * Body of `unsubscribeMessage`: Unsubscribe with one click as mailbox providers do, and judge the response.
 */
export interface UnsubscribeMessageRequest {
  /** Whether the request is only sent when a valid DKIM signature covers both header fields. */
  requireDkim?: boolean | null;
}
/** Body of `bounceMessage`: Reply to a mail with a delivery status notification. */
export interface BounceMessageRequest {
  /** `failed` for a permanent failure, `delayed` for a temporary one. */
  action?: ("failed" | "delayed") | null;
  /** Enhanced status code, such as 5.2.2 (RFC 3463). */
  status?: string | null;
  /** SMTP reply with the reason. */
  diagnostic?: string | null;
  /** Part of the mail that the bounce contains. */
  returns?: ("full" | "headers") | null;
}
/** Body of `complainAboutMessage`: Reply to a mail with a complaint of its recipient. */
export interface ComplainAboutMessageRequest {
  /** Feedback-Type of the report (RFC 5965). */
  feedbackType?: ("abuse" | "fraud" | "virus" | "not-spam" | "other") | null;
}
/** Body of `autoreplyToMessage`: Reply to a mail with an out-of-office message. */
export interface AutoreplyToMessageRequest {
  /** Text of the reply. */
  text?: string | null;
}
/** Query of `markMessages`: Add and remove flags and tags of messages of a server. */
export interface MarkMessagesQuery {
  /** Id of the server. */
  server: string;
}
/** Body of `markMessages`: Add and remove flags and tags of messages of a server. */
export interface MarkMessagesRequest {
  /** Ids of messages of the server; others are ignored. */
  ids?: string[] | null;
  /** Flags to add. */
  addFlags?: ("seen" | "answered" | "flagged" | "deleted" | "draft")[] | null;
  /** Flags to remove. */
  removeFlags?: ("seen" | "answered" | "flagged" | "deleted" | "draft")[] | null;
  /** Tags to add; those that differ in letter case only are the same. */
  addTags?: string[] | null;
  /** Compared without case; removed before tags are added. */
  removeTags?: string[] | null;
}
/** Body of `putMarks`: Replace the flags and tags of a message. */
export interface PutMarksRequest {
  /** Flags, as those of IMAP. */
  flags?: ("seen" | "answered" | "flagged" | "deleted" | "draft")[] | null;
  /** Tags, by name; no two differ in letter case only. */
  tags?: string[] | null;
}
/**
 * Query of `listMarks`: List the flags and tags of the messages of a server that changed after a point, by their last change.
 */
export interface ListMarksQuery {
  /** Only changes after this number, that of the last element of the page before. */
  after?: number;
  /**
   * Number of messages; further ones of the last change follow, so that the next page can start after it.
   */
  limit?: number;
}
/** Body of `putTagRules`: Replace the settings of a server for tags of messages that arrive. */
export interface PutTagRulesRequest {
  /** Whether `user+tag@domain` as sender or recipient adds the tag. */
  plusAddresses?: boolean | null;
  /** Rules; none by default. */
  rules?:
    | {
        /** Query that a message has to match, as in searches, without `after:` and `before:`. */
        q: string;
        /**
         * Tags of messages that match.
         *
         * @minItems 1
         * @maxItems 64
         */
        tags: string[];
      }[]
    | null;
}
/** Body of `putSavedSearch`: Save a search under a name, or replace the one with this name. */
export interface PutSavedSearchRequest {
  /** Query of words and operators. */
  q: string;
}
/** Query of `searchServers`: Search the messages of all servers of the key, newest first. */
export interface SearchServersQuery {
  /**
   * Query of words and operators, such as `from:alice -subject:test after:2h`; see the guide to searching.
   */
  q?: string;
  /** Time zone of the dates in `q`, such as `Europe/Berlin`; UTC by default. */
  timeZone?: string;
  /**
   * Only messages received strictly after this instant: ISO 8601 (UTC without an offset), RFC 5322 or epoch milliseconds.
   */
  receivedAfter?: string | number;
  /** Page number, from 0; pages reach 1000 messages, and `before` the others. */
  page?: number;
  /** Number of items on a page. */
  itemsPerPage?: number;
  /** Received or sent messages. */
  dir?: "Received" | "Sent";
  /** Only messages older than the one with this id, which may have been deleted. */
  before?: string;
}
/**
 * Query of `suggestSearches`: Suggest searches that differ in one respect from a query and find messages, with their numbers.
 */
export interface SuggestSearchesQuery {
  /** Id of the server; all servers of the key without it. */
  server?: string;
  /**
   * Query of words and operators, such as `from:alice -subject:test after:2h`; see the guide to searching.
   */
  q?: string;
  /** Time zone of the dates in `q`, such as `Europe/Berlin`; UTC by default. */
  timeZone?: string;
  /**
   * Only messages received strictly after this instant: ISO 8601 (UTC without an offset), RFC 5322 or epoch milliseconds.
   */
  receivedAfter?: string | number;
  /** Received or sent messages. */
  dir?: "Received" | "Sent";
}
/**
 * Query of `streamEvents`: Follow the changes of a server as Server-Sent Events, without gaps or repetitions.
 */
export interface StreamEventsQuery {
  /** Id of the server. */
  server: string;
  /**
   * Only changes after this one (`X-Cursor`, or an event's id); the header `Last-Event-ID` takes precedence.
   */
  after?: number;
}
/** Body of `createServer`: Create a server. */
export interface CreateServerRequest {
  /** Required. */
  name: string;
  /** Seconds after which the server is deleted automatically. */
  ttlSeconds?: number | null;
  /** Whether to create a key of this server alone. */
  withKey?: boolean | null;
  /** Storage quota; absent members leave the default of all servers. */
  quota?: {
    /** Most messages; null for the default. */
    messages?: number | null;
    /** Most bytes; null for the default. */
    bytes?: number | null;
  } | null;
  /**
   * Effect of deletions by POP3 and IMAP: `delete` deletes the message from the server, `hide` hides it from the credentials of the reader only, `refuse` answers the command with an error.
   */
  readerDeletion?: ("delete" | "hide" | "refuse") | null;
  /** Id of the team that owns the server; null for none. */
  team?: string | null;
}
/**
 * Body of `updateServer`: Change a server's name, users, team, retention, quota, protection or the effect of deletions by POP3 and IMAP; absent members stay.
 */
export interface UpdateServerRequest {
  /** New name. */
  name?: string | null;
  /** New ids of users. */
  users?: string[] | null;
  /** New rules of retention; absent rules stay. */
  retention?: {
    /** Largest age in seconds; null for no limit. */
    ageSecondsMax?: number | null;
    /** Largest number of messages; null for no limit. */
    messageCountMax?: number | null;
  } | null;
  /** New storage quota; absent members stay. Requires an account key. */
  quota?: {
    /** Most messages; null for the default. */
    messages?: number | null;
    /** Most bytes; null for the default. */
    bytes?: number | null;
  } | null;
  /**
   * Effect of deletions by POP3 and IMAP: `delete` deletes the message from the server, `hide` hides it from the credentials of the reader only, `refuse` answers the command with an error.
   */
  readerDeletion?: ("delete" | "hide" | "refuse") | null;
  /** Id of the team that owns the server; null for none. */
  team?: string | null;
  /** Whether the server stays although the rule for idle servers would remove it. */
  isProtected?: boolean | null;
}
/** Body of `putDnsZone`: Set a zone that replaces DNS in checks of the server's mail. */
export interface PutDnsZoneRequest {
  /** Zone file (RFC 1035 §5). */
  zone: string;
}
/** Query of `getServerBundle`: Download the newest messages of a server as a ZIP archive, at most 200. */
export interface GetServerBundleQuery {
  /**
   * Only messages received strictly after this instant: ISO 8601 (UTC without an offset), RFC 5322 or epoch milliseconds.
   */
  since?: string | number;
}
/**
 * Query of `listHeld`: List the messages of a server that are accepted and not visible yet, the next one first.
 */
export interface ListHeldQuery {
  /** Page number, from 0. */
  page?: number;
  /** Number of items on a page. */
  itemsPerPage?: number;
}
/** Absent members are those of the profile. */
export interface PutScannerRequest {
  /** Gateway whose behaviour is simulated. */
  profile: "safelinks" | "barracuda" | "gmail-image-proxy" | "custom";
  /** URLs that are opened: links of both bodies, or images of the HTML body. */
  targets?: ("links" | "images") | null;
  /** Methods with which each URL is requested, in their order. */
  methods?: ("HEAD" | "GET")[] | null;
  /** User agent, in printable ASCII. */
  userAgent?: string | null;
  /** Whether GET opens links in a browser, which runs the scripts of the pages. */
  renders?: boolean | null;
  /** Whether a mail is scanned before or after it becomes visible. */
  when?: ("before" | "after") | null;
  /** Milliseconds from the arrival of a mail to the first request. */
  delayMs?: number | null;
}
/** Query of `lintMessage`: Lint a mail: headers, structure, accessibility, links, compatibility. */
export interface LintMessageQuery {
  /** `live` requests every web link; `syntax` (default) makes no connection. */
  links?: "syntax" | "live";
  /** Also judges the requirements of receivers: `bulk-sender` those of Gmail and Yahoo for bulk senders. */
  profile?: "bulk-sender";
}
/**
 * Body of `judgeBudget`: Judge a mail by limits of its size, content, support by email clients and spam score.
 */
export interface JudgeBudgetRequest {
  /** Most kilobytes (1,024 bytes) of HTML. Gmail clips a mail after 102. */
  maxHtmlKb?: number | null;
  /** Most images of the HTML. */
  maxImages?: number | null;
  /** Most links. */
  maxLinks?: number | null;
  /** Most kilobytes of all attachments, decoded. */
  maxAttachmentsKb?: number | null;
  /** Contrast of texts, by WCAG 2.2. */
  contrast?: "AA" | null;
  /** Shares of the used features that email clients support; partial support counts half. */
  support?:
    | {
        /** Email client of caniemail.com, or the beginning of the name of several: `outlook`. */
        client: string;
        /** Least share of the used features. */
        percentMin: number;
      }[]
    | null;
  /** Most points of the spam filter. */
  spamScore?: number | null;
  /**
   * `valid`: no finding of lint about links; `reachable`: every web link also responds, where the operator allows it.
   */
  links?: ("valid" | "reachable") | null;
  /** No finding of lint with this severity or a higher one. */
  lint?: ("error" | "warning") | null;
}
/**
 * Body of `snapshotMessage`: Describe a message as a text that is equal for two sendings of the same message.
 */
export interface SnapshotMessageRequest {
  /** Values that differ from one sending to the next, besides those that the service recognises. */
  mask?:
    | {
        /** Name that stands for the value: `{order}` for `order`. */
        name: string;
        /** Text, also within URLs, in any letter case. */
        value: string;
      }[]
    | null;
  /** Further header fields to show. */
  headers?: string[] | null;
}
/**
 * Body of `matchScreenshot`: Render a mail in an email client, and compare the picture with a baseline.
 */
export interface MatchScreenshotRequest {
  /** Email client: `outlook-2021`, `gmail` or the label of another client of previews. Default: `gmail`. */
  client?: string | null;
  /** Renders the dark mode of the client. */
  dark?: boolean | null;
  /** Values that differ from one sending to the next, besides those that the service recognises. */
  mask?:
    | {
        /** Name that stands for the value: `{order}` for `order`. */
        name: string;
        /** Text, also within URLs, in any letter case. */
        value: string;
      }[]
    | null;
  /** Picture to compare with: a PNG that this endpoint returned. */
  baseline?: string | null;
  /** Difference of a colour up to which two pixels are the same. Default: 0.1. */
  threshold?: number | null;
  /** Most pixels that may differ, besides those of anti-aliasing. Default: 0. */
  maxChangedPixels?: number | null;
}
/**
 * Body of `compareLocalisations`: Compare a mail with its translations: missing ones, direction, dates, plurals, overflowing text.
 */
export interface CompareLocalisationsRequest {
  /**
   * The mail in each locale.
   *
   * @minItems 1
   * @maxItems 30
   */
  messages: {
    /** Id of the mail. */
    id: string;
    /** Language tag (BCP 47). Default: `Content-Language` of the mail, else `lang` of its HTML. */
    locale?: string | null;
  }[];
  /** Locale that the others are compared with. Default: that of the first mail. */
  default?: string | null;
  /** Texts that are equal in all languages, besides names, numbers, codes and URLs. */
  keep?: string[] | null;
}
/** Body of `generatePreviews`: Generate previews of a mail in several email clients. */
export interface GeneratePreviewsRequest {
  /**
   * Labels, 1 to 50.
   *
   * @minItems 1
   * @maxItems 50
   */
  emailClients: string[];
  /** Whether to show no images. */
  disableImages?: boolean | null;
}
/** Body of `createDevice`: Create a virtual authenticator from its shared secret. */
export interface CreateDeviceRequest {
  /** Name; the label of the `otpauth://` URI when absent. */
  name?: string | null;
  /** Base32, or an `otpauth://totp/` URI. */
  sharedSecret: string;
}
/** Body of `computePassword`: Compute the one-time password of a secret, without storing it. */
export interface ComputePasswordRequest {
  /** Base32, or an `otpauth://totp/` URI. */
  sharedSecret: string;
}
/** Query of `listTeamUsage`: Read the usage of each team in a month; managers read that of their teams. */
export interface ListTeamUsageQuery {
  /** Month (UTC), such as `2026-11`; the current one by default. */
  month?: string;
}
/** Query of `downloadTeamUsage`: Download the usage of each team in a month as CSV. */
export interface DownloadTeamUsageQuery {
  /** Month (UTC), such as `2026-11`; the current one by default. */
  month?: string;
}
/**
 * Query of `listServerUsage`: Read the usage of each server in a month, its owners and its last traffic; managers read that of their teams.
 */
export interface ListServerUsageQuery {
  /** Month (UTC), such as `2026-11`; the current one by default. */
  month?: string;
  /** Only servers without traffic for this many days, those that are idle longest first. */
  idleDays?: number;
}
/**
 * Query of `downloadServerUsage`: Download the usage of each server in a month, its owners and its last traffic as CSV.
 */
export interface DownloadServerUsageQuery {
  /** Month (UTC), such as `2026-11`; the current one by default. */
  month?: string;
  /** Only servers without traffic for this many days, those that are idle longest first. */
  idleDays?: number;
}
/** Body of `createKey`: Create a key of the account or of one server. */
export interface CreateKeyRequest {
  /** Name of the key. */
  name?: string | null;
  /** Id of the only server that the key gives access to. */
  server?: string | null;
  /**
   * `read`: list, search, wait and fetch. `send`: create messages, send, reply and forward. `scim`: provision users and groups by SCIM. `full`: everything.
   */
  scope?: ("full" | "read" | "send" | "scim") | null;
  /** ISO 8601 instant in the future. */
  expires?: string | null;
  /** Requests per minute that a node answers; no limit when absent. */
  requestsPerMinute?: number | null;
  /** Addresses and networks (`192.0.2.0/24`) from which alone the key is valid; empty for all. */
  networks?: string[] | null;
  /**
   * Id of the user that owns the key and whose access it cannot exceed; the user of the request by default. Account keys create keys of the account by default, and for a server, keys of the server.
   */
  user?: string | null;
  /** Id of the team that owns the key and whose access it cannot exceed. */
  team?: string | null;
}
/** Body of `rotateKey`: Replace the secret of a key; the current one stays valid for a grace period. */
export interface RotateKeyRequest {
  /** Seconds for which the current secret stays valid; a day when absent, 0 revokes it at once. */
  graceSeconds?: number | null;
}
/** Body of `createUser`: Add a user, who has access once it is a member of a team. */
export interface CreateUserRequest {
  /** One plain address. */
  email: string;
  /** Name of the user in its directory. */
  userName?: string | null;
  /** Name to show; may be empty. */
  name?: string | null;
  /** Whether the user owns the account, and may do what a full account key may. */
  isOwner?: boolean | null;
}
/**
 * Body of `updateUser`: Change a user; absent members stay. A user that becomes inactive loses access at once.
 */
export interface UpdateUserRequest {
  /** One plain address. */
  email?: string | null;
  /** Name of the user in its directory. */
  userName?: string | null;
  /** Name to show; may be empty. */
  name?: string | null;
  /** Whether the user owns the account, and may do what a full account key may. */
  isOwner?: boolean | null;
  /** Inactive users and their keys have no access. */
  isActive?: boolean | null;
}
/** Body of `createTeam`: Add a team, to which servers, users and keys can belong. */
export interface CreateTeamRequest {
  /** Name of the team. */
  name: string;
  /** Id or name of the group in the directory. */
  externalId?: string | null;
  /** Role of members that a directory or the groups of a sign-in add. */
  role?: ("viewer" | "tester" | "manager") | null;
}
/** Body of `updateTeam`: Change a team; absent members stay. */
export interface UpdateTeamRequest {
  /** Name of the team. */
  name?: string | null;
  /** Id or name of the group in the directory. */
  externalId?: string | null;
  /** Role of members that a directory or the groups of a sign-in add. */
  role?: ("viewer" | "tester" | "manager") | null;
}
/** Body of `putMember`: Put a user into a team, or change its role there. */
export interface PutMemberRequest {
  /**
   * `viewer`: reads. `tester`: everything with messages, not the settings of servers. `manager`: also settings, servers, keys and members of the team.
   */
  role: "viewer" | "tester" | "manager";
}
/** Body of `updateTeamLimits`: Change the limits of a team; absent members stay, null removes a limit. */
export interface UpdateTeamLimitsRequest {
  /** Most messages that the servers of the team may hold together; null for no limit. */
  messagesMax?: number | null;
  /** Most bytes that the servers of the team may hold together; null for no limit. */
  bytesMax?: number | null;
  /**
   * Messages older than this many seconds are deleted, also where a server keeps them longer; null for no limit.
   */
  ageSecondsMax?: number | null;
  /** Mails stored per day (UTC), counted once per server; null for no limit. */
  emailsPerDayMax?: number | null;
  /** SMS stored per day (UTC); null for no limit. */
  smsPerDayMax?: number | null;
  /** Outbound deliveries per hour, one per recipient; null for no limit. */
  outboundPerHourMax?: number | null;
}
/** Query of `listAudit`: Read the audit log, newest first. */
export interface ListAuditQuery {
  /** Page number, from 0. */
  page?: number;
  /** Number of items on a page. */
  itemsPerPage?: number;
  /** Id of a user: only what it did. */
  user?: string;
}
/** Body of `addVerifiedAddress`: Add an address and send its owner a verification mail. */
export interface AddVerifiedAddressRequest {
  /** One plain address; required. */
  address: string;
  /** Token from `service.json` in the data folder; verifies the address at once. */
  operatorToken?: string | null;
}
/** Body of `verifyAddress`: Verify an address by the token that was mailed to it. */
export interface VerifyAddressRequest {
  /** Token from the verification mail; required. */
  token: string;
}
/** Body of `addPhoneNumber`: Add a phone number to a server. */
export interface AddPhoneNumberRequest {
  /** In international form; required. */
  number: string;
  /** Id of its server; required. */
  server: string;
  /** SMS provider of the number; `twilio` when absent. */
  provider?: ("twilio" | "vonage") | null;
  /** What the provider signs with; never shown again. */
  secret?: string | null;
  /** The application's inbound webhook. */
  webhook?: string | null;
  /** Account with the provider, for replies to real phones. */
  account?: {
    /** Twilio: account SID; Vonage: API key; required. */
    id: string;
    /** Twilio: SID of an API key, where the secret is that key's. */
    key?: string | null;
    /** Twilio: auth token, or the API key's secret; Vonage: API secret; required, never shown again. */
    secret: string;
    /** Base URL instead of the provider's own. */
    apiUrl?: string | null;
  } | null;
}
/** Body of `updatePhoneNumber`: Change a phone number, named in international form or by its id. */
export interface UpdatePhoneNumberRequest {
  /** Id of the server that the number moves to. */
  server?: string | null;
  /** New SMS provider of the number. */
  provider?: ("twilio" | "vonage") | null;
  /** New signing secret; null for unsigned SMS. */
  secret?: string | null;
  /** New inbound webhook; null for none. */
  webhook?: string | null;
  /** New account with the provider; null for none. */
  account?: {
    /** Twilio: account SID; Vonage: API key; required. */
    id: string;
    /** Twilio: SID of an API key, where the secret is that key's. */
    key?: string | null;
    /** Twilio: auth token, or the API key's secret; Vonage: API secret; required, never shown again. */
    secret: string;
    /** Base URL instead of the provider's own. */
    apiUrl?: string | null;
  } | null;
}
/** Body of `receiveSms`: Receive an SMS in the server of its number. */
export interface ReceiveSmsRequest {
  /** Number, short code or name of the sender; required. */
  from: string;
  /** Number in international form; required. */
  to: string;
  /** Text of the SMS; required. */
  text?: string | null;
  /** Time of receipt; now when absent. */
  received?: string | null;
}
/** Body of `setApprovedPhrases`: Replace the phrases that SMS replies may consist of. */
export interface SetApprovedPhrasesRequest {
  /**
   * Phrases that replace the current ones; required.
   *
   * @maxItems 1000
   */
  phrases: string[];
}
/**
 * Body of `createWebhook`: Create a webhook, by which the application is called about messages of a server.
 */
export interface CreateWebhookRequest {
  /** http or https URL of the application. */
  url: string;
  /** Text that lists show. */
  description?: string | null;
  /** Types of events; all by default. */
  events?: ("message.received" | "message.sent" | "message.deleted" | "message.delivery")[] | null;
  /** Kind of message. */
  type?: ("Email" | "SMS") | null;
  /** Only messages of this direction; null for both. */
  direction?: ("Received" | "Sent") | null;
  /** Only messages that a search for these finds; null for all. */
  criteria?: {
    /** Whole e-mail address or phone number of the sender. */
    sentFrom?: string | null;
    /** Whole e-mail address or phone number of a recipient. */
    sentTo?: string | null;
    /** Part of the subject. */
    subject?: string | null;
    /** Part of the text or of the HTML, source or visible. */
    body?: string | null;
    /** Whole id of the message in the response of a provider's API. */
    providerId?: string | null;
    /** Whole tag that the message was given through a provider's API. */
    tag?: string | null;
    /** Name of the provider whose API the message was submitted through. */
    provider?: string | null;
    /** Whether all criteria must match, or any one. */
    match?: ("ALL" | "ANY") | null;
  } | null;
  /** `paused`: deliveries wait. */
  state?: ("active" | "paused") | null;
  /** `whsec_` and 24 to 64 bytes in Base64; random by default. */
  secret?: string | null;
}
/** Body of `updateWebhook`: Change a webhook: the members that are given. */
export interface UpdateWebhookRequest {
  /** http or https URL of the application. */
  url?: string | null;
  /** Text that lists show. */
  description?: string | null;
  /** Types of events; all by default. */
  events?: ("message.received" | "message.sent" | "message.deleted" | "message.delivery")[] | null;
  /** Kind of message. */
  type?: ("Email" | "SMS") | null;
  /** Only messages of this direction; null for both. */
  direction?: ("Received" | "Sent") | null;
  /** Only messages that a search for these finds; null for all. */
  criteria?: {
    /** Whole e-mail address or phone number of the sender. */
    sentFrom?: string | null;
    /** Whole e-mail address or phone number of a recipient. */
    sentTo?: string | null;
    /** Part of the subject. */
    subject?: string | null;
    /** Part of the text or of the HTML, source or visible. */
    body?: string | null;
    /** Whole id of the message in the response of a provider's API. */
    providerId?: string | null;
    /** Whole tag that the message was given through a provider's API. */
    tag?: string | null;
    /** Name of the provider whose API the message was submitted through. */
    provider?: string | null;
    /** Whether all criteria must match, or any one. */
    match?: ("ALL" | "ANY") | null;
  } | null;
  /** `paused`: deliveries wait. */
  state?: ("active" | "paused") | null;
}
/** Body of `rotateWebhookSecret`: Replace the secret of a webhook; the old one signs too for 24 hours. */
export interface RotateWebhookSecretRequest {
  /** `whsec_` and 24 to 64 bytes in Base64; random by default. */
  secret?: string | null;
}
/**
 * Body of `putEventWebhook`: Create or change the event webhook, to which the events of a provider are delivered.
 */
export interface PutEventWebhookRequest {
  /** http or https URL of the application. */
  url?: string | null;
  /** Types of events, which are delivered without a request; all of the provider by default. */
  events?:
    | (
        | "processed"
        | "dropped"
        | "deferred"
        | "delivered"
        | "bounced"
        | "opened"
        | "clicked"
        | "complained"
        | "unsubscribed"
      )[]
    | null;
  /** Settings of the format, by name. */
  settings?: {
    [k: string]: string | null;
  } | null;
  /** `paused`: deliveries wait. */
  state?: ("active" | "paused") | null;
}
/** Body of `rotateEventWebhookSecret`: Replace the secrets and keys of an event webhook. */
export interface RotateEventWebhookSecretRequest {
  /** Secret settings of the provider; random by default. */
  settings?: {
    [k: string]: string | null;
  } | null;
}
/**
 * Body of `createInboundRoute`: Create a route, by which mail to an address is handed to the application.
 */
export interface CreateInboundRouteRequest {
  /** `support@app.example` or `*@app.example`; required. */
  pattern: string;
  /** Name of a format; required. */
  shape: "sendgrid" | "mailersend" | "mailgun" | "postmark" | "ses" | "mandrill" | "sparkpost" | "raw";
  /** http or https URL of the application. */
  url: string;
  /** Settings of the format, by name. */
  settings?: {
    [k: string]: string | null;
  } | null;
  /** `paused`: deliveries wait. */
  state?: ("active" | "paused") | null;
}
/** Body of `updateInboundRoute`: Change an inbound route: the members that are given. */
export interface UpdateInboundRouteRequest {
  /** `support@app.example` or `*@app.example`. */
  pattern?: string | null;
  /** http or https URL of the application. */
  url?: string | null;
  /** Settings of the format, by name. */
  settings?: {
    [k: string]: string | null;
  } | null;
  /** `paused`: deliveries wait. */
  state?: ("active" | "paused") | null;
}
/** Body of `rotateInboundRouteSecret`: Replace the secrets and keys of an inbound route. */
export interface RotateInboundRouteSecretRequest {
  /** Secret settings of the provider; random by default. */
  settings?: {
    [k: string]: string | null;
  } | null;
}
/** Query of `listDeliveries`: List the deliveries of a server's callbacks, newest first. */
export interface ListDeliveriesQuery {
  /** Only those of this webhook, event webhook or inbound route. */
  target?: string;
  /** Only those about this message. */
  message?: string;
  /** Only those with this status. */
  status?: "Pending" | "Delivered" | "Failed" | "Cancelled" | "Quarantined";
  /** Only those of this type. */
  type?: string;
  /** Only those created then or later. */
  since?: string;
  /** Only those created before. */
  before?: string;
  /** Page number, from 0. */
  page?: number;
  /** Number of items on a page. */
  itemsPerPage?: number;
}
/** Body of `replayDeliveries`: Deliver again what matches; by default what has failed. */
export interface ReplayDeliveriesRequest {
  /** Id of the target. */
  target?: string | null;
  /** Id of the message. */
  message?: string | null;
  /** `Failed` by default. */
  status?: ("Pending" | "Delivered" | "Failed" | "Cancelled" | "Quarantined") | null;
  /** Type of the event. */
  type?: string | null;
  /** Created then or later. */
  since?: string | null;
  /** Created before. */
  before?: string | null;
}
/** Body of `emitEvents`: Report events about a mail to the application, as the provider would. */
export interface EmitEventsRequest {
  /** Type of the event. */
  type?:
    | (
        | "processed"
        | "dropped"
        | "deferred"
        | "delivered"
        | "bounced"
        | "opened"
        | "clicked"
        | "complained"
        | "unsubscribed"
      )
    | null;
  /** Types of several events, in order. */
  types?:
    | (
        | "processed"
        | "dropped"
        | "deferred"
        | "delivered"
        | "bounced"
        | "opened"
        | "clicked"
        | "complained"
        | "unsubscribed"
      )[]
    | null;
  /** Name of the provider; by default that of the message. */
  provider?: string | null;
  /** Recipient of the message; the first by default. */
  recipient?: string | null;
  /** Reply of the receiving host. */
  reason?: string | null;
  /** SMTP reply code of the reason. */
  code?: number | null;
  /** Enhanced status code (RFC 3463). */
  status?: string | null;
  /** Kind of a bounce; `hard` by default. */
  bounce?: ("hard" | "soft" | "blocked") | null;
  /** Link that was clicked. */
  url?: string | null;
  /** IP address of the reader. */
  ip?: string | null;
  /** Email client or browser of the reader. */
  userAgent?: string | null;
  /** Instant of the last event; now by default. */
  at?: string | null;
  /** Variants by which handlers are tested. */
  variants?: ("duplicate" | "out_of_order" | "late" | "stale_timestamp" | "wrong_signature" | "cut_off")[] | null;
  /** Delay of `late`; a minute by default. */
  delayMs?: number | null;
}
/** Body of `handInbound`: Hand a mail to the application, as a provider of inbound mail would. */
export interface HandInboundRequest {
  /** Id of an inbound route. */
  route?: string | null;
  /** Name of a format, without a route. */
  shape?: ("sendgrid" | "mailersend" | "mailgun" | "postmark" | "ses" | "mandrill" | "sparkpost" | "raw") | null;
  /** URL of the application, without a route. */
  url?: string | null;
  /** Settings of the format. */
  settings?: {
    [k: string]: string | null;
  } | null;
  /** Recipient of the message; the first by default. */
  recipient?: string | null;
  /** Variants by which handlers are tested. */
  variants?: ("duplicate" | "late" | "stale_timestamp" | "wrong_signature" | "cut_off")[] | null;
  /** Delay of `late`; a minute by default. */
  delayMs?: number | null;
}
/**
 * Query of `putFaults`: Replace the fault rules of a server; their counts start at 0 unless they are kept.
 */
export interface PutFaultsQuery {
  /**
   * `keep`: rules with the name and the members of a former one, apart from `paused`, keep its counts, last hits and age. `reset` (default): all start at 0.
   */
  counts?: "keep" | "reset";
}
/**
 * Body of `putFaults`: Replace the fault rules of a server; their counts start at 0 unless they are kept.
 */
export interface PutFaultsRequest {
  /**
   * Rules, in their order: the first one that triggers applies. Unknown members are errors.
   *
   * @maxItems 100
   */
  items: {
    /** Name, unique in the list. */
    name: string;
    /** Occurrences that the rule applies to: those that agree with every member. */
    match: {
      /**
       * Stage or stages: `data` is the command before the content, `after-data` the end of the content, `request` a call of a provider's API.
       */
      stage:
        | ("connect" | "ehlo" | "starttls" | "auth" | "mail" | "rcpt" | "data" | "after-data" | "request")
        | ("connect" | "ehlo" | "starttls" | "auth" | "mail" | "rcpt" | "data" | "after-data" | "request")[];
      /** Envelope sender: an address, in which `*` stands for any characters. */
      sender?: string | null;
      /** One of the recipients: an address, in which `*` stands for any characters, or a phone number. */
      recipient?: string | null;
      /** Address of the client, or a network. */
      clientAddress?: string | null;
      /** Name of a provider. */
      provider?:
        | (
            | "acs"
            | "brevo"
            | "gmail"
            | "mailersend"
            | "graph"
            | "mailgun"
            | "mailjet"
            | "mandrill"
            | "mailtrap"
            | "postmark"
            | "resend"
            | "sendgrid"
            | "ses"
            | "sns"
            | "sparkpost"
            | "twilio"
            | "vonage"
          )
        | null;
      /** User name of SMTP AUTH. */
      userName?: string | null;
      /** Same as `clientAddress`. */
      client?: string | null;
    };
    /** Which of the occurrences that match; exactly one member, besides `seed`. All when absent. */
    when?: {
      /** The first ones. */
      first?: number | null;
      /** All but the first ones. */
      after?: number | null;
      /** Every nth. */
      every?: number | null;
      /** Those above a number in a window, which starts with the first occurrence after the last one. */
      above?:
        | {
            /** Number of occurrences in a window. */
            count: number;
            /** Length of the window in milliseconds. */
            perMs: number;
          }
        | number
        | null;
      /** Share of the occurrences. */
      probability?: number | null;
      /** Determines with `probability` which ones; 0 by default. */
      seed?: number | null;
      /** Same as `above`. */
      aboveAMinute?:
        | {
            /** Number of occurrences in a window. */
            count: number;
            /** Length of the window in milliseconds. */
            perMs: number;
          }
        | number
        | null;
    } | null;
    /**
     * Effect: at most one of `reply`, `error`, `drop`, `loseReply`, `tls`, `greylist`, and any of the others.
     */
    then: {
      /** SMTP reply. Not at the stage `request`. */
      reply?: {
        /** SMTP code; 421 closes the connection. */
        code: number;
        /** Enhanced status code, such as `4.7.1`. */
        enhanced?: string | null;
        /** Text in printable ASCII. */
        text?: string | null;
        /** Same as `enhanced`. */
        enhancedStatus?: string | null;
      } | null;
      /** Error in the format of the provider, by name or HTTP status. Only at the stage `request`. */
      error?:
        | ("rateLimited" | "unavailable" | "internal" | "unauthorized" | "invalidRecipient" | "tooLarge" | "timeout")
        | {
            /** HTTP status. */
            status: number;
          }
        | null;
      /** Closes the connection without a reply; nothing is stored. */
      drop?: true | null;
      /** Stores the mail and closes the connection without a reply. */
      loseReply?: true | null;
      /** Failure of the TLS handshake. */
      tls?: ("refuse" | "handshake" | "expired" | "wrong-name" | "untrusted") | null;
      /** Defers a triple of client network, sender and recipient. Only at the stage `rcpt`. */
      greylist?:
        | {
            /** Time after the first attempt, in milliseconds. */
            delayMs: number;
          }
        | number
        | null;
      /** Time before the reply in milliseconds. */
      delayMs?: number | null;
      /** Bytes per second. Only at the stages `data` and `request`. */
      throttle?: number | null;
      /** Time in milliseconds after which the accepted mail becomes visible. */
      deliverAfterMs?: number | null;
      /** Same as `throttle`. */
      bytesPerSecond?: number | null;
      /** Same as `greylist`. */
      greylistMs?:
        | {
            /** Time after the first attempt, in milliseconds. */
            delayMs: number;
          }
        | number
        | null;
    };
    /** Ends the rule with the first condition that is met; it stays in the list. Never when absent. */
    until?: {
      /** Instant. */
      time?: string | null;
      /** Milliseconds after the rule was stored. */
      afterMs?: number | null;
      /** Number of hits. */
      hits?: number | null;
      /** Same as `time`. */
      at?: string | null;
    } | null;
    /** Whether the rule applies to nothing and counts nothing. False when absent. */
    paused?: boolean | null;
  }[];
}
/**
 * Query of `putServiceFaults`: Replace the fault rules of the service; their counts start at 0 unless they are kept.
 */
export interface PutServiceFaultsQuery {
  /**
   * `keep`: rules with the name and the members of a former one, apart from `paused`, keep its counts, last hits and age. `reset` (default): all start at 0.
   */
  counts?: "keep" | "reset";
}
/**
 * Body of `putServiceFaults`: Replace the fault rules of the service; their counts start at 0 unless they are kept.
 */
export interface PutServiceFaultsRequest {
  /**
   * Rules, in their order: the first one that triggers applies. Unknown members are errors.
   *
   * @maxItems 100
   */
  items: {
    /** Name, unique in the list. */
    name: string;
    /** Occurrences that the rule applies to: those that agree with every member. */
    match: {
      /**
       * Stage or stages: `data` is the command before the content, `after-data` the end of the content, `request` a call of a provider's API.
       */
      stage:
        | ("connect" | "ehlo" | "starttls" | "auth" | "mail" | "rcpt" | "data" | "after-data" | "request")
        | ("connect" | "ehlo" | "starttls" | "auth" | "mail" | "rcpt" | "data" | "after-data" | "request")[];
      /** Envelope sender: an address, in which `*` stands for any characters. */
      sender?: string | null;
      /** One of the recipients: an address, in which `*` stands for any characters, or a phone number. */
      recipient?: string | null;
      /** Address of the client, or a network. */
      clientAddress?: string | null;
      /** Name of a provider. */
      provider?:
        | (
            | "acs"
            | "brevo"
            | "gmail"
            | "mailersend"
            | "graph"
            | "mailgun"
            | "mailjet"
            | "mandrill"
            | "mailtrap"
            | "postmark"
            | "resend"
            | "sendgrid"
            | "ses"
            | "sns"
            | "sparkpost"
            | "twilio"
            | "vonage"
          )
        | null;
      /** User name of SMTP AUTH. */
      userName?: string | null;
      /** Same as `clientAddress`. */
      client?: string | null;
    };
    /** Which of the occurrences that match; exactly one member, besides `seed`. All when absent. */
    when?: {
      /** The first ones. */
      first?: number | null;
      /** All but the first ones. */
      after?: number | null;
      /** Every nth. */
      every?: number | null;
      /** Those above a number in a window, which starts with the first occurrence after the last one. */
      above?:
        | {
            /** Number of occurrences in a window. */
            count: number;
            /** Length of the window in milliseconds. */
            perMs: number;
          }
        | number
        | null;
      /** Share of the occurrences. */
      probability?: number | null;
      /** Determines with `probability` which ones; 0 by default. */
      seed?: number | null;
      /** Same as `above`. */
      aboveAMinute?:
        | {
            /** Number of occurrences in a window. */
            count: number;
            /** Length of the window in milliseconds. */
            perMs: number;
          }
        | number
        | null;
    } | null;
    /**
     * Effect: at most one of `reply`, `error`, `drop`, `loseReply`, `tls`, `greylist`, and any of the others.
     */
    then: {
      /** SMTP reply. Not at the stage `request`. */
      reply?: {
        /** SMTP code; 421 closes the connection. */
        code: number;
        /** Enhanced status code, such as `4.7.1`. */
        enhanced?: string | null;
        /** Text in printable ASCII. */
        text?: string | null;
        /** Same as `enhanced`. */
        enhancedStatus?: string | null;
      } | null;
      /** Error in the format of the provider, by name or HTTP status. Only at the stage `request`. */
      error?:
        | ("rateLimited" | "unavailable" | "internal" | "unauthorized" | "invalidRecipient" | "tooLarge" | "timeout")
        | {
            /** HTTP status. */
            status: number;
          }
        | null;
      /** Closes the connection without a reply; nothing is stored. */
      drop?: true | null;
      /** Stores the mail and closes the connection without a reply. */
      loseReply?: true | null;
      /** Failure of the TLS handshake. */
      tls?: ("refuse" | "handshake" | "expired" | "wrong-name" | "untrusted") | null;
      /** Defers a triple of client network, sender and recipient. Only at the stage `rcpt`. */
      greylist?:
        | {
            /** Time after the first attempt, in milliseconds. */
            delayMs: number;
          }
        | number
        | null;
      /** Time before the reply in milliseconds. */
      delayMs?: number | null;
      /** Bytes per second. Only at the stages `data` and `request`. */
      throttle?: number | null;
      /** Time in milliseconds after which the accepted mail becomes visible. */
      deliverAfterMs?: number | null;
      /** Same as `throttle`. */
      bytesPerSecond?: number | null;
      /** Same as `greylist`. */
      greylistMs?:
        | {
            /** Time after the first attempt, in milliseconds. */
            delayMs: number;
          }
        | number
        | null;
    };
    /** Ends the rule with the first condition that is met; it stays in the list. Never when absent. */
    until?: {
      /** Instant. */
      time?: string | null;
      /** Milliseconds after the rule was stored. */
      afterMs?: number | null;
      /** Number of hits. */
      hits?: number | null;
      /** Same as `time`. */
      at?: string | null;
    } | null;
    /** Whether the rule applies to nothing and counts nothing. False when absent. */
    paused?: boolean | null;
  }[];
}
/** Body of `retryQuarantine`: Attempt quarantined work again. */
export interface RetryQuarantineRequest {
  /** Only work of this queue; all by default. */
  queue?: ("outbox" | "deliveries" | "scans" | "scheduled" | "reparses") | null;
  /** Only work with this id; all by default. */
  id?: string | null;
}

/** Parameters and response of each operation, by its id. */
export interface Operations {
  /** List the messages of a server, newest first, or those that match a query. */
  listMessages: { query: ListMessagesQuery; response: Summary[] };
  /** Create a mail in a server, and optionally send it. */
  createEmail: { query: CreateEmailQuery; body: CreateEmailRequest; response: Message };
  /** Delete all messages of a server with their attachments. */
  emptyServer: { query: EmptyServerQuery; response: undefined };
  /** Retrieve a message. */
  getMessage: { path: { id: string }; response: Message };
  /** Delete a message with its attachments. */
  deleteMessage: { path: { id: string }; response: undefined };
  /** Retrieve the transcript of the SMTP session or HTTP request that delivered a message; as text with `Accept: text/plain`. */
  getTranscript: { path: { id: string }; response: Transcript };
  /** Search the messages of a server, newest first, and optionally wait for a match. */
  searchMessages: { query: SearchMessagesQuery; body: SearchMessagesRequest; response: Summary[] };
  /** Delete the messages of a server that match a query, newest first, at most 10,000 at a time. */
  deleteMatchingMessages: { query: DeleteMatchingMessagesQuery; response: DeletionResult };
  /** Wait for several messages in the given or any order, and for quiet; 409 says which are missing. */
  awaitJourney: { query: AwaitJourneyQuery; body: AwaitJourneyRequest; response: JourneyResult };
  /** Find messages that were sent more than once. */
  findDuplicates: { query: FindDuplicatesQuery; response: DuplicateGroup[] };
  /** Download everything about a message as a ZIP archive: mail, transcript, checks, deliveries, picture. */
  getMessageBundle: { path: { id: string }; response: Uint8Array };
  /** Download all attachments of a message as a ZIP archive. */
  getAttachments: { path: { id: string }; response: Uint8Array };
  /** Forward a mail with its attachments. */
  forwardMessage: { path: { id: string }; body: ForwardMessageRequest; response: Message };
  /** Send a mail as it was received to verified recipients. */
  releaseMessage: { path: { id: string }; body: ReleaseMessageRequest; response: Message };
  /** Reply to a message. */
  replyToMessage: { path: { id: string }; body: ReplyToMessageRequest; response: Message };
  /** Unsubscribe with one click as mailbox providers do, and judge the response. */
  unsubscribeMessage: { path: { id: string }; body: UnsubscribeMessageRequest; response: UnsubscribeReport };
  /** Reply to a mail with a delivery status notification. */
  bounceMessage: { path: { id: string }; body: BounceMessageRequest; response: Message };
  /** Reply to a mail with a complaint of its recipient. */
  complainAboutMessage: { path: { id: string }; body: ComplainAboutMessageRequest; response: Message };
  /** Reply to a mail with an out-of-office message. */
  autoreplyToMessage: { path: { id: string }; body: AutoreplyToMessageRequest; response: Message };
  /** Add and remove flags and tags of messages of a server. */
  markMessages: { query: MarkMessagesQuery; body: MarkMessagesRequest; response: MarkResult };
  /** Retrieve the flags and tags of a message. */
  getMarks: { path: { id: string }; response: Marks };
  /** Replace the flags and tags of a message. */
  putMarks: { path: { id: string }; body: PutMarksRequest; response: Marks };
  /** List the flags and tags of the messages of a server that changed after a point, by their last change. */
  listMarks: { path: { id: string }; query?: ListMarksQuery; response: MarkedMessage[] };
  /** List the tags of the messages of a server, by name, at most 1000; without those that a provider gave. */
  listTags: { path: { id: string }; response: Tag[] };
  /** Retrieve the settings of a server for tags of messages that arrive. */
  getTagRules: { path: { id: string }; response: Tagging };
  /** Replace the settings of a server for tags of messages that arrive. */
  putTagRules: { path: { id: string }; body: PutTagRulesRequest; response: Tagging };
  /** List the saved searches of a server, oldest first. */
  listSavedSearches: { path: { id: string }; response: SavedSearch[] };
  /** Save a search under a name, or replace the one with this name. */
  putSavedSearch: { path: { id: string; name: string }; body: PutSavedSearchRequest; response: SavedSearch };
  /** Delete a saved search. */
  deleteSavedSearch: { path: { id: string; name: string }; response: undefined };
  /** Search the messages of all servers of the key, newest first. */
  searchServers: { query?: SearchServersQuery; response: Summary[] };
  /** Suggest searches that differ in one respect from a query and find messages, with their numbers. */
  suggestSearches: { query?: SuggestSearchesQuery; response: SearchSuggestion[] };
  /** Follow the changes of a server as Server-Sent Events, without gaps or repetitions. */
  streamEvents: { query: StreamEventsQuery; response: string };
  /** Fetch an attachment, or a range of it. */
  getAttachment: { path: { id: string }; response: Uint8Array };
  /** Fetch the bytes of a mail as received, or a range of them. */
  getRawMessage: { path: { id: string }; response: Uint8Array };
  /** List the servers that the key has access to, by name. */
  listServers: { response: Server[] };
  /** Create a server. */
  createServer: { body: CreateServerRequest; response: NewServer };
  /** Retrieve a server. */
  getServer: { path: { id: string }; response: Server };
  /** Change a server's name, users, team, retention, quota, protection or the effect of deletions by POP3 and IMAP; absent members stay. */
  updateServer: { path: { id: string }; body: UpdateServerRequest; response: Server };
  /** Delete a server with its messages, attachments and keys. */
  deleteServer: { path: { id: string }; response: undefined };
  /** Retrieve the SMTP password of a server. */
  getServerPassword: { path: { id: string }; response: Password };
  /** Replace the SMTP password of a server by a random one. */
  resetServerPassword: { path: { id: string }; response: Password };
  /** Retrieve the zone that replaces DNS in checks of the server's mail. */
  getDnsZone: { path: { id: string }; response: DnsZone };
  /** Set a zone that replaces DNS in checks of the server's mail. */
  putDnsZone: { path: { id: string }; body: PutDnsZoneRequest; response: DnsZone };
  /** Delete the zone, so that checks use DNS again. */
  deleteDnsZone: { path: { id: string }; response: undefined };
  /** Download the newest messages of a server as a ZIP archive, at most 200. */
  getServerBundle: { path: { id: string }; query?: GetServerBundleQuery; response: Uint8Array };
  /** List the messages of a server that are accepted and not visible yet, the next one first. */
  listHeld: { path: { id: string }; query?: ListHeldQuery; response: HeldMessage[] };
  /** Retrieve the link scanner of a server. */
  getScanner: { path: { id: string }; response: Scanner };
  /** Set the link scanner of a server, which opens the links of mails that arrive from now on. */
  putScanner: { path: { id: string }; body: PutScannerRequest; response: Scanner };
  /** Remove the link scanner of a server, with the scans that wait. */
  deleteScanner: { path: { id: string }; response: undefined };
  /** Retrieve the scan of the links of a mail. */
  getScan: { path: { id: string }; response: Scan };
  /** Analyse a mail with a spam filter. */
  getSpamAnalysis: { path: { id: string }; response: SpamAnalysis };
  /** Check the authentication, the sender and the content of a mail as receivers do. */
  getDeliverability: { path: { id: string }; response: DeliverabilityReport };
  /** Lint a mail: headers, structure, accessibility, links, compatibility. */
  lintMessage: { path: { id: string }; query?: LintMessageQuery; response: LintReport };
  /** Read the reports in a mail: DMARC, TLS, complaints, deliveries, dispositions. */
  getMailReports: { path: { id: string }; response: MailReports };
  /** Judge a mail by limits of its size, content, support by email clients and spam score. */
  judgeBudget: { path: { id: string }; body: JudgeBudgetRequest; response: BudgetReport };
  /** Describe a message as a text that is equal for two sendings of the same message. */
  snapshotMessage: { path: { id: string }; body: SnapshotMessageRequest; response: string };
  /** Render a mail in an email client, and compare the picture with a baseline. */
  matchScreenshot: { path: { id: string }; body: MatchScreenshotRequest; response: ScreenshotReport };
  /** Compare a mail with its translations: missing ones, direction, dates, plurals, overflowing text. */
  compareLocalisations: { body: CompareLocalisationsRequest; response: LocalisationReport };
  /** List the email clients of previews, and the emulated features of each. */
  listEmailClients: { response: EmailClient[] };
  /** Generate previews of a mail in several email clients. */
  generatePreviews: { path: { id: string }; body: GeneratePreviewsRequest; response: Preview[] };
  /** Fetch the image of a preview, which is generated on demand. */
  getPreview: { path: { id: string }; response: Uint8Array };
  /** List the devices, oldest first. */
  listDevices: { response: Device[] };
  /** Create a virtual authenticator from its shared secret. */
  createDevice: { body: CreateDeviceRequest; response: Device };
  /** Delete a device and its secret. */
  deleteDevice: { path: { id: string }; response: undefined };
  /** Retrieve the current one-time password of a device. */
  getDevicePassword: { path: { id: string }; response: OneTimePassword };
  /** Compute the one-time password of a secret, without storing it. */
  computePassword: { body: ComputePasswordRequest; response: OneTimePassword };
  /** Read the limits of the account and their present use. */
  getUsageLimits: { response: UsageLimits };
  /** Read the number of messages stored on each of the last 31 days, today first. */
  listTransactions: { response: UsageTransaction[] };
  /** Read the usage of each team in a month; managers read that of their teams. */
  listTeamUsage: { query?: ListTeamUsageQuery; response: TeamUsage[] };
  /** Download the usage of each team in a month as CSV. */
  downloadTeamUsage: { query?: DownloadTeamUsageQuery; response: string };
  /** Read the usage of each server in a month, its owners and its last traffic; managers read that of their teams. */
  listServerUsage: { query?: ListServerUsageQuery; response: ServerUsageReport[] };
  /** Download the usage of each server in a month, its owners and its last traffic as CSV. */
  downloadServerUsage: { query?: DownloadServerUsageQuery; response: string };
  /** List the keys, oldest first. */
  listKeys: { response: Key[] };
  /** Create a key of the account or of one server. */
  createKey: { body: CreateKeyRequest; response: NewKey };
  /** Replace the secret of a key; the current one stays valid for a grace period. */
  rotateKey: { path: { id: string }; body: RotateKeyRequest; response: NewKey };
  /** Revoke a key; a key cannot revoke itself. */
  revokeKey: { path: { id: string }; response: undefined };
  /** List the users, by e-mail address; also for managers of teams. */
  listUsers: { response: User[] };
  /** Add a user, who has access once it is a member of a team. */
  createUser: { body: CreateUserRequest; response: User };
  /** Retrieve a user; users may retrieve themselves. */
  getUser: { path: { id: string }; response: User };
  /** Change a user; absent members stay. A user that becomes inactive loses access at once. */
  updateUser: { path: { id: string }; body: UpdateUserRequest; response: User };
  /** Remove a user with its memberships, keys and sessions. */
  deleteUser: { path: { id: string }; response: undefined };
  /** List the memberships of a user; users may list their own. */
  listTeamsOfUser: { path: { id: string }; response: Member[] };
  /** List the teams, by name; users list those of which they are members. */
  listTeams: { response: Team[] };
  /** Add a team, to which servers, users and keys can belong. */
  createTeam: { body: CreateTeamRequest; response: Team };
  /** Retrieve a team. */
  getTeam: { path: { id: string }; response: Team };
  /** Change a team; absent members stay. */
  updateTeam: { path: { id: string }; body: UpdateTeamRequest; response: Team };
  /** Remove a team with its keys; its servers then belong to no team. */
  deleteTeam: { path: { id: string }; response: undefined };
  /** List the members of a team, by e-mail address; also for its members. */
  listMembers: { path: { id: string }; response: TeamMember[] };
  /** Put a user into a team, or change its role there. */
  putMember: { path: { id: string; user: string }; body: PutMemberRequest; response: Member };
  /** Remove a user from a team. */
  removeMember: { path: { id: string; user: string }; response: undefined };
  /** Retrieve the limits of a team and what counts against them; also for its members. */
  getTeamLimits: { path: { id: string }; response: TeamLimitState };
  /** Change the limits of a team; absent members stay, null removes a limit. */
  updateTeamLimits: { path: { id: string }; body: UpdateTeamLimitsRequest; response: TeamLimitState };
  /** Read the audit log, newest first. */
  listAudit: { query?: ListAuditQuery; response: AuditEntry[] };
  /** List the verified and pending addresses. */
  listVerifiedAddresses: { response: VerifiedAddress[] };
  /** Add an address and send its owner a verification mail. */
  addVerifiedAddress: { body: AddVerifiedAddressRequest; response: VerifiedAddress };
  /** Verify an address by the token that was mailed to it. */
  verifyAddress: { path: { id: string }; body: VerifyAddressRequest; response: VerifiedAddress };
  /** Remove an address that mail may be sent to. */
  removeVerifiedAddress: { path: { id: string }; response: undefined };
  /** List the phone numbers of all servers. */
  listPhoneNumbers: { response: PhoneNumber[] };
  /** Add a phone number to a server. */
  addPhoneNumber: { body: AddPhoneNumberRequest; response: PhoneNumber };
  /** Change a phone number, named in international form or by its id. */
  updatePhoneNumber: { path: { id: string }; body: UpdatePhoneNumberRequest; response: PhoneNumber };
  /** Remove a phone number. */
  removePhoneNumber: { path: { id: string }; response: undefined };
  /** Receive an SMS in the server of its number. */
  receiveSms: { body: ReceiveSmsRequest; response: Message };
  /** List the phrases that SMS replies may consist of. */
  getApprovedPhrases: { response: ApprovedPhrases };
  /** Replace the phrases that SMS replies may consist of. */
  setApprovedPhrases: { body: SetApprovedPhrasesRequest; response: ApprovedPhrases };
  /** List the webhooks of a server. */
  listWebhooks: { path: { id: string }; response: Webhook[] };
  /** Create a webhook, by which the application is called about messages of a server. */
  createWebhook: { path: { id: string }; body: CreateWebhookRequest; response: Webhook };
  /** Retrieve a webhook. */
  getWebhook: { path: { id: string; webhook: string }; response: Webhook };
  /** Change a webhook: the members that are given. */
  updateWebhook: { path: { id: string; webhook: string }; body: UpdateWebhookRequest; response: Webhook };
  /** Delete a webhook with its deliveries. */
  deleteWebhook: { path: { id: string; webhook: string }; response: undefined };
  /** Replace the secret of a webhook; the old one signs too for 24 hours. */
  rotateWebhookSecret: { path: { id: string; webhook: string }; body: RotateWebhookSecretRequest; response: Webhook };
  /** Send the event `ping` to a webhook. */
  pingWebhook: { path: { id: string; webhook: string }; response: CallbackDelivery };
  /** Retrieve the providers with event webhooks and the formats of inbound mail, with their settings. */
  getCallbackFormats: { response: CallbackFormats };
  /** List the event webhooks of a server. */
  listEventWebhooks: { path: { id: string }; response: EventWebhook[] };
  /** Retrieve the event webhook of a provider. */
  getEventWebhook: { path: { id: string; provider: string }; response: EventWebhook };
  /** Create or change the event webhook, to which the events of a provider are delivered. */
  putEventWebhook: { path: { id: string; provider: string }; body: PutEventWebhookRequest; response: EventWebhook };
  /** Delete the event webhook of a provider with its deliveries. */
  deleteEventWebhook: { path: { id: string; provider: string }; response: undefined };
  /** Replace the secrets and keys of an event webhook. */
  rotateEventWebhookSecret: { path: { id: string; provider: string }; body: RotateEventWebhookSecretRequest; response: EventWebhook };
  /** List the inbound routes of a server. */
  listInboundRoutes: { path: { id: string }; response: InboundRoute[] };
  /** Create a route, by which mail to an address is handed to the application. */
  createInboundRoute: { path: { id: string }; body: CreateInboundRouteRequest; response: InboundRoute };
  /** Retrieve an inbound route. */
  getInboundRoute: { path: { id: string; route: string }; response: InboundRoute };
  /** Change an inbound route: the members that are given. */
  updateInboundRoute: { path: { id: string; route: string }; body: UpdateInboundRouteRequest; response: InboundRoute };
  /** Delete an inbound route with its deliveries. */
  deleteInboundRoute: { path: { id: string; route: string }; response: undefined };
  /** Replace the secrets and keys of an inbound route. */
  rotateInboundRouteSecret: { path: { id: string; route: string }; body: RotateInboundRouteSecretRequest; response: InboundRoute };
  /** List the deliveries of a server's callbacks, newest first. */
  listDeliveries: { path: { id: string }; query?: ListDeliveriesQuery; response: CallbackDelivery[] };
  /** Deliver again what matches; by default what has failed. */
  replayDeliveries: { path: { id: string }; body: ReplayDeliveriesRequest; response: Replayed };
  /** Retrieve a delivery with its request and attempts. */
  getDelivery: { path: { id: string; delivery: string }; response: CallbackDeliveryDetail };
  /** Deliver again. */
  replayDelivery: { path: { id: string; delivery: string }; response: CallbackDelivery };
  /** Erase the content of a delivery, and cancel it when it is pending. */
  eraseDelivery: { path: { id: string; delivery: string }; response: undefined };
  /** Report events about a mail to the application, as the provider would. */
  emitEvents: { path: { id: string }; body: EmitEventsRequest; response: MadeDeliveries };
  /** Hand a mail to the application, as a provider of inbound mail would. */
  handInbound: { path: { id: string }; body: HandInboundRequest; response: MadeDeliveries };
  /** Retrieve the fault rules of a server, with their counts and last hits. */
  getFaults: { path: { id: string }; response: Fault[] };
  /** Replace the fault rules of a server; their counts start at 0 unless they are kept. */
  putFaults: { path: { id: string }; query?: PutFaultsQuery; body: PutFaultsRequest; response: Fault[] };
  /** Remove the fault rules of a server. */
  deleteFaults: { path: { id: string }; response: undefined };
  /** Retrieve the fault rules of the service, with their counts and last hits. */
  getServiceFaults: { response: Fault[] };
  /** Replace the fault rules of the service; their counts start at 0 unless they are kept. */
  putServiceFaults: { query?: PutServiceFaultsQuery; body: PutServiceFaultsRequest; response: Fault[] };
  /** Remove the fault rules of the service. */
  deleteServiceFaults: { response: undefined };
  /** Read the state of every background task. */
  getStatus: { response: ServiceStatus };
  /** List the work that is not attempted again because it ended the process or worker twice. */
  listQuarantine: { response: QuarantinedWork[] };
  /** Attempt quarantined work again. */
  retryQuarantine: { body: RetryQuarantineRequest; response: Replayed };
  /** Check whether the process is alive. */
  getHealth: { response: string };
  /** Check whether the store responds, the listeners are open, and background tasks succeed. */
  getReadiness: { response: string };
  /** Read the metrics in the Prometheus text format. */
  getMetrics: { response: string };
  /** Retrieve the OpenAPI 3.1 document of this API. */
  getOpenApiDocument: { response: unknown };
}
