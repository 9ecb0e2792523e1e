import { boundsOf, type Bounds, type Instant } from "./bounds.ts";
import { streamChanges } from "./events.ts";
import { NotFoundError } from "./errors.ts";
import type {
  AutoreplyToMessageRequest,
  BounceMessageRequest,
  ComplainAboutMessageRequest,
  CreateEmailRequest,
  DeleteMatchingMessagesQuery,
  DuplicateGroup,
  EmitEventsRequest,
  ForwardMessageRequest,
  HandInboundRequest,
  JourneyResult,
  ListMessagesQuery,
  MadeDeliveries,
  Scan,
  Summary,
  Transcript,
  UnsubscribeReport,
} from "./generated/types.ts";
import {
  awaitJourney,
  expectNoDuplicates,
  findDuplicates,
  type DuplicateOptions,
  type JourneyOptions,
  type JourneyStep,
} from "./journeys.ts";
import type { RequestOptions } from "./options.ts";
import { attachmentsToSend, sendOnceOnly, type AttachmentToSend } from "./outgoing.ts";
import { fetchPage, itemsFrom, type Page } from "./page.ts";
import { forward, reply, withMethods, type ReceivedMessage, type ReplyFields } from "./received-message.ts";
import type { Transport } from "./transport.ts";
import { expectExactly, expectNone, waitForMany, type ExpectOptions, type WaitOptions } from "./waits.ts";
import type { Criteria } from "./wait-errors.ts";

/** Options of lists of messages. */
export type ListOptions = RequestOptions &
  Omit<ListMessagesQuery, "server" | "receivedAfter"> & { readonly receivedAfter?: Instant | undefined };

/** Options of searches that do not wait. */
export type SearchOptions = RequestOptions &
  Bounds & {
    /** Page number, from 0. */
    readonly page?: number;
    /** Number of items on a page. */
    readonly itemsPerPage?: number;
    /** Only messages older than the one with this id. */
    readonly before?: string;
  };

type DeletionOptions = RequestOptions & Omit<DeleteMatchingMessagesQuery, "server" | "q">;

/** New email. */
export interface EmailFields extends Omit<CreateEmailRequest, "attachments"> {
  readonly attachments?: readonly AttachmentToSend[] | undefined;
}

/** Options of `follow`. */
export interface FollowOptions extends RequestOptions {
  /** Only messages after this cursor. Default: messages from now on. */
  readonly after?: number | undefined;
  /** Received messages (default), or those that the service sent. */
  readonly dir?: "Received" | "Sent" | undefined;
}

/** Messages of servers, e-mail and SMS alike: lists, searches, waits, and what one does with a message. */
export class Messages {
  readonly #transport: Transport;

  /** Use `client.messages`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Fetches a page of a server's messages, newest first. */
  async list(server: string, options: ListOptions = {}): Promise<Page<Summary>> {
    const { signal, requestTimeout, receivedAfter, ...rest } = options;
    const query = { server, ...rest, ...boundsOf({ receivedAfter }) };
    return fetchPage(this.#transport, {
      id: "listMessages",
      parameters: { query },
      options: { signal, requestTimeout },
    });
  }

  /** Iterates over all messages of a server, newest first. Fetches page after page. */
  all(server: string, options: ListOptions = {}): AsyncGenerator<Summary, void, undefined> {
    return itemsFrom(this.list(server, options));
  }

  /** Returns the cursor of now: given as `after`, lists and waits show only what comes later. */
  async cursor(server: string, options: RequestOptions = {}): Promise<number> {
    const { cursor } = await this.list(server, { ...options, itemsPerPage: 1 });
    return cursor ?? 0;
  }

  /** Follows a server: yields each message that arrives, until the signal aborts. Resumes after lost connections. */
  async *follow(server: string, options: FollowOptions = {}): AsyncGenerator<ReceivedMessage, void, undefined> {
    const { dir = "Received", ...rest } = options;
    for await (const { kind, id } of streamChanges(this.#transport, server, rest)) {
      if (id === null || kind !== dir.toLowerCase()) continue;
      try {
        yield await this.get(id, { signal: options.signal });
      } catch (error) {
        // Deleted since.
        if (!(error instanceof NotFoundError)) throw error;
      }
    }
  }

  /** Fetches a page of the messages that match, newest first, without waiting. */
  async search(server: string, criteria: Criteria, options: SearchOptions = {}): Promise<Page<Summary>> {
    const { signal, requestTimeout, receivedAfter, after, dir, ...rest } = options;
    const query = { server, ...rest, ...boundsOf({ receivedAfter, after, dir }) };
    return fetchPage(this.#transport, {
      id: "searchMessages",
      parameters: { query, body: criteria },
      options: { signal, requestTimeout, isRepeatable: true },
    });
  }

  /**
   * Waits for a message that matches and returns the newest one. Throws a `NoMatchError` after `timeout`, which says which
   * messages arrived instead and which criteria they fail.
   */
  async waitForOne(server: string, criteria: Criteria, options?: WaitOptions): Promise<ReceivedMessage> {
    const [message] = await waitForMany(this.#transport, { server, criteria, count: 1 }, options);
    return message as ReceivedMessage;
  }

  /** Waits until `count` messages match, and returns the newest `count` of them, oldest first. */
  async waitForMany(
    server: string,
    criteria: Criteria,
    options: WaitOptions & { readonly count: number },
  ): Promise<readonly ReceivedMessage[]> {
    return waitForMany(this.#transport, { server, criteria, count: options.count }, options);
  }

  /** Resolves when nothing matched for `timeout` (2 s); throws an `UnexpectedMessageError` as soon as something does. */
  async expectNone(server: string, criteria: Criteria, options?: WaitOptions): Promise<void> {
    await expectNone(this.#transport, { server, criteria }, options);
  }

  /** Waits for exactly `count` messages: as many match, and for `settle` (1 s) no more do. */
  async expectExactly(
    server: string,
    criteria: Criteria,
    options: ExpectOptions & { readonly count: number },
  ): Promise<readonly ReceivedMessage[]> {
    return expectExactly(this.#transport, { server, criteria, count: options.count }, options);
  }

  /** Waits for several messages and quiet times, in order; throws a `JourneyError` with the reason of each failed step. */
  async journey(server: string, steps: readonly JourneyStep[], options?: JourneyOptions): Promise<JourneyResult> {
    return awaitJourney(this.#transport, { server, steps }, options);
  }

  /** Finds messages that were sent more than once, in groups. */
  async duplicates(server: string, options?: DuplicateOptions): Promise<readonly DuplicateGroup[]> {
    return findDuplicates(this.#transport, server, options);
  }

  /** Throws a `DuplicatesError` when messages were sent more than once. */
  async expectNoDuplicates(server: string, options?: DuplicateOptions): Promise<void> {
    await expectNoDuplicates(this.#transport, server, options);
  }

  /** Fetches a message. */
  async get(id: string, options?: RequestOptions): Promise<ReceivedMessage> {
    return withMethods(this.#transport, await this.#transport.call("getMessage", { path: { id } }, options));
  }

  /** Deletes a message. */
  async delete(id: string, options?: RequestOptions): Promise<void> {
    await this.#transport.call("deleteMessage", { path: { id } }, options);
  }

  /** Deletes all messages of a server, also those of other tests. */
  async deleteAll(server: string, options?: RequestOptions): Promise<void> {
    await this.#transport.call("emptyServer", { query: { server } }, options);
  }

  /** Deletes the messages that match a query of words and operators; returns their number. */
  async deleteMatching(server: string, q: string, options: DeletionOptions = {}): Promise<number> {
    const { signal, requestTimeout, ...rest } = options;
    let count = 0;
    for (;;) {
      const query = { server, q, ...rest };
      const result = await this.#transport.call("deleteMatchingMessages", { query }, { signal, requestTimeout });
      count += result.deleted;
      if (!result.hasMore || result.deleted === 0) return count;
    }
  }

  /** Creates an email in a server; with `send`, sends it. A retry cannot send it twice. */
  async create(server: string, fields: EmailFields = {}, options?: RequestOptions): Promise<ReceivedMessage> {
    const { attachments, ...rest } = fields;
    const body = { ...rest, ...attachmentsToSend(attachments) };
    const created = await this.#transport.call("createEmail", { query: { server }, body }, sendOnceOnly(options));
    return withMethods(this.#transport, created);
  }

  /** Replies to a message as its recipient. A string is the text. A retry cannot send it twice. */
  async reply(id: string, fields: string | ReplyFields, options?: RequestOptions): Promise<ReceivedMessage> {
    return reply(this.#transport, { message: id, fields }, options);
  }

  /** Forwards a message with its attachments. A retry cannot send it twice. */
  async forward(id: string, fields: ForwardMessageRequest, options?: RequestOptions): Promise<ReceivedMessage> {
    return forward(this.#transport, { message: id, fields }, options);
  }

  /** Sends a mail as it was received to verified addresses. A retry cannot send it twice. */
  async release(id: string, to: readonly string[], options?: RequestOptions): Promise<ReceivedMessage> {
    const parameters = { path: { id }, body: { to: [...to] } };
    return withMethods(
      this.#transport,
      await this.#transport.call("releaseMessage", parameters, sendOnceOnly(options)),
    );
  }

  /** Answers a mail with a delivery status notification, like a mail server that cannot deliver it. */
  async bounce(id: string, fields: BounceMessageRequest = {}, options?: RequestOptions): Promise<ReceivedMessage> {
    const sent = await this.#transport.call("bounceMessage", { path: { id }, body: fields }, options);
    return withMethods(this.#transport, sent);
  }

  /** Answers a mail with a complaint, like a mail service whose user reports spam. */
  async complain(
    id: string,
    fields: ComplainAboutMessageRequest = {},
    options?: RequestOptions,
  ): Promise<ReceivedMessage> {
    const sent = await this.#transport.call("complainAboutMessage", { path: { id }, body: fields }, options);
    return withMethods(this.#transport, sent);
  }

  /** Answers a mail with an out-of-office message. */
  async autoreply(
    id: string,
    fields: AutoreplyToMessageRequest = {},
    options?: RequestOptions,
  ): Promise<ReceivedMessage> {
    const sent = await this.#transport.call("autoreplyToMessage", { path: { id }, body: fields }, options);
    return withMethods(this.#transport, sent);
  }

  /** Unsubscribes with one click as mailbox providers do, and judges the mail and the response. */
  async unsubscribe(
    id: string,
    options: RequestOptions & {
      /** Whether a DKIM signature must cover the header fields. */
      readonly requireDkim?: boolean;
    } = {},
  ): Promise<UnsubscribeReport> {
    const { requireDkim = false, ...rest } = options;
    return this.#transport.call("unsubscribeMessage", { path: { id }, body: { requireDkim } }, rest);
  }

  /** Reports events about a mail to the event webhook of its provider: delivered, bounced, opened and others. */
  async emitEvents(id: string, fields: EmitEventsRequest, options?: RequestOptions): Promise<MadeDeliveries> {
    return this.#transport.call("emitEvents", { path: { id }, body: fields }, options);
  }

  /** Hands a mail to the application, as a provider of inbound mail would. */
  async handInbound(id: string, fields: HandInboundRequest, options?: RequestOptions): Promise<MadeDeliveries> {
    return this.#transport.call("handInbound", { path: { id }, body: fields }, options);
  }

  /** Fetches the commands and replies of the SMTP session that delivered a mail. */
  async transcript(id: string, options?: RequestOptions): Promise<Transcript> {
    return this.#transport.call("getTranscript", { path: { id } }, options);
  }

  /** Fetches the report of the link scanner about a mail, if its server has one. */
  async scan(id: string, options?: RequestOptions): Promise<Scan> {
    return this.#transport.call("getScan", { path: { id } }, options);
  }

  /** Fetches everything about a message as a ZIP archive, to attach to a failed test. */
  async bundle(id: string, options?: RequestOptions): Promise<Uint8Array> {
    return this.#transport.call("getMessageBundle", { path: { id } }, options);
  }

  /** Fetches the bytes of a mail as received. */
  async raw(id: string, options?: RequestOptions): Promise<Uint8Array> {
    return this.#transport.call("getRawMessage", { path: { id } }, options);
  }

  /** Fetches the decoded content of an attachment by its id. */
  async attachment(id: string, options?: RequestOptions): Promise<Uint8Array> {
    return this.#transport.call("getAttachment", { path: { id } }, options);
  }
}
