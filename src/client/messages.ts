import { type Bounds, defined, type Instant } from "./bounds.ts";
import { streamChanges } from "./events.ts";
import { NotFoundError } from "./errors.ts";
import type { Methods } from "./generated/methods.ts";
import type {
  CreateEmailRequest,
  DeleteMatchingMessagesQuery,
  JourneyResult,
  ListMessagesQuery,
  Summary,
  UnsubscribeReport,
} from "./generated/types.ts";
import { awaitJourney, expectNoDuplicates } from "./journeys.ts";
import type { DuplicateOptions, JourneyOptions, JourneyStep } from "./journeys.ts";
import type { RequestOptions } from "./options.ts";
import { attachmentsToSend, type AttachmentToSend, sendOnceOnly } from "./outgoing.ts";
import { itemsFrom, type Page } from "./page.ts";
import { type ReceivedMessage, reply, type ReplyFields } from "./received-message.ts";
import { Resource } from "./resource.ts";
import { expectExactly, expectNone, waitForMany } from "./waits.ts";
import type { Criteria, ExpectOptions, WaitOptions } from "./waits.ts";

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
export class Messages extends Resource {
  /** Fetches a page of a server's messages, newest first. */
  readonly list: Methods["listMessages"] = this.method("listMessages");
  /** Finds messages that were sent more than once, in groups. */
  readonly duplicates: Methods["findDuplicates"] = this.method("findDuplicates");
  /** Fetches a message. */
  readonly get: Methods["getMessage"] = this.method("getMessage");
  /** Deletes a message. */
  readonly delete: Methods["deleteMessage"] = this.method("deleteMessage");
  /** Deletes all messages of a server, also those of other tests. */
  readonly deleteAll: Methods["emptyServer"] = this.method("emptyServer");
  /** Forwards a message with its attachments. A retry cannot send it twice. */
  readonly forward: Methods["forwardMessage"] = this.method("forwardMessage", sendOnceOnly);
  /** Answers a mail with a delivery status notification, like a mail server that cannot deliver it. */
  readonly bounce: Methods["bounceMessage"] = this.method("bounceMessage");
  /** Answers a mail with a complaint, like a mail service whose user reports spam. */
  readonly complain: Methods["complainAboutMessage"] = this.method("complainAboutMessage");
  /** Answers a mail with an out-of-office message. */
  readonly autoreply: Methods["autoreplyToMessage"] = this.method("autoreplyToMessage");
  /** Reports events about a mail to the event webhook of its provider: delivered, bounced, opened and others. */
  readonly emitEvents: Methods["emitEvents"] = this.method("emitEvents");
  /** Hands a mail to the application, as a provider of inbound mail would. */
  readonly handInbound: Methods["handInbound"] = this.method("handInbound");
  /** Fetches the commands and replies of the SMTP session that delivered a mail. */
  readonly transcript: Methods["getTranscript"] = this.method("getTranscript");
  /** Fetches the report of the link scanner about a mail, if its server has one. */
  readonly scan: Methods["getScan"] = this.method("getScan");
  /** Fetches everything about a message as a ZIP archive, to attach to a failed test. */
  readonly bundle: Methods["getMessageBundle"] = this.method("getMessageBundle");
  /** Fetches the bytes of a mail as received. */
  readonly raw: Methods["getRawMessage"] = this.method("getRawMessage");
  /** Fetches the decoded content of an attachment by its id. */
  readonly attachment: Methods["getAttachment"] = this.method("getAttachment");

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
    for await (const { kind, id } of streamChanges(this.transport, server, rest)) {
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
    return this.method("searchMessages", () => ({ isRepeatable: true }))(server, criteria, defined(options));
  }

  /**
   * Waits for a message that matches and returns the newest one. Throws a `NoMatchError` after `timeout`, which says which
   * messages arrived instead and which criteria they fail.
   */
  async waitForOne(server: string, criteria: Criteria, options?: WaitOptions): Promise<ReceivedMessage> {
    const [message] = await waitForMany(this.transport, { server, criteria, count: 1 }, options);
    return message as ReceivedMessage;
  }

  /** Waits until `count` messages match, and returns the newest `count` of them, oldest first. */
  async waitForMany(
    server: string,
    criteria: Criteria,
    options: WaitOptions & { readonly count: number },
  ): Promise<readonly ReceivedMessage[]> {
    return waitForMany(this.transport, { server, criteria, count: options.count }, options);
  }

  /** Resolves when nothing matched for `timeout` (2 s); throws an `UnexpectedMessageError` as soon as something does. */
  async expectNone(server: string, criteria: Criteria, options?: WaitOptions): Promise<void> {
    await expectNone(this.transport, { server, criteria }, options);
  }

  /** Waits for exactly `count` messages: as many match, and for `settle` (1 s) no more do. */
  async expectExactly(
    server: string,
    criteria: Criteria,
    options: ExpectOptions & { readonly count: number },
  ): Promise<readonly ReceivedMessage[]> {
    return expectExactly(this.transport, { server, criteria, count: options.count }, options);
  }

  /** Waits for several messages and quiet times, in order; throws a `JourneyError` with the reason of each failed step. */
  async journey(server: string, steps: readonly JourneyStep[], options?: JourneyOptions): Promise<JourneyResult> {
    return awaitJourney(this.transport, { server, steps }, options);
  }

  /** Throws a `DuplicatesError` when messages were sent more than once. */
  async expectNoDuplicates(server: string, options?: DuplicateOptions): Promise<void> {
    expectNoDuplicates(await this.duplicates(server, options));
  }

  /** Deletes the messages that match a query of words and operators; returns their number. */
  async deleteMatching(server: string, q: string, options?: DeletionOptions): Promise<number> {
    let count = 0;
    for (;;) {
      const { deleted, hasMore } = await this.method("deleteMatchingMessages")(server, { q, ...options });
      count += deleted;
      if (!hasMore || deleted === 0) return count;
    }
  }

  /** Creates an email in a server; with `send`, sends it. A retry cannot send it twice. */
  async create(server: string, fields: EmailFields = {}, options?: RequestOptions): Promise<ReceivedMessage> {
    const { attachments, ...rest } = fields;
    const body = { ...rest, ...attachmentsToSend(attachments) };
    return this.method("createEmail", sendOnceOnly)(server, body, options);
  }

  /** Replies to a message as its recipient. A string is the text. A retry cannot send it twice. */
  async reply(id: string, fields: string | ReplyFields, options?: RequestOptions): Promise<ReceivedMessage> {
    return reply(this.transport, { message: id, fields }, options);
  }

  /** Sends a mail as it was received to verified addresses. A retry cannot send it twice. */
  async release(id: string, to: readonly string[], options?: RequestOptions): Promise<ReceivedMessage> {
    return this.method("releaseMessage", sendOnceOnly)(id, { to: [...to] }, options);
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
    return this.method("unsubscribeMessage")(id, { requireDkim }, rest);
  }
}
