/** Parts of the client that concern single messages: marks, analyses, previews, archives. */
import {
  fetchSnapshot,
  judgeBudget,
  type MailBudget,
  matchScreenshot,
  type Screenshot,
  type ScreenshotOptions,
  type SnapshotOptions,
} from "./analyses.ts";
import type { Instant } from "./bounds.ts";
import { RequestTimeoutError } from "./errors.ts";
import type { Methods } from "./generated/methods.ts";
import type { BudgetReport, LintMessageQuery, LintReport } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import { Resource } from "./resource.ts";

/** Time for rendering an image; the service retries a failed one after a minute. */
const renderMs = 60_000;
/** Pause between two requests for an image that the service names none for. */
const pollMs = 1_000;

/** Flags and tags of messages. */
export class MessageMarks extends Resource {
  /** Fetches the flags and tags of a message. */
  readonly get: Methods["getMarks"] = this.method("getMarks");
  /** Replaces the flags and tags of a message. */
  readonly put: Methods["putMarks"] = this.method("putMarks");
  /** Adds and removes flags and tags of up to 1,000 messages of a server. */
  // What is added or removed twice is the same.
  readonly change: Methods["markMessages"] = this.method("markMessages", () => ({ isRepeatable: true }));
  /** Lists the marks in a server that changed after a point, ordered by their last change. */
  readonly list: Methods["listMarks"] = this.method("listMarks");
  /** Fetches the settings of a server for tags of messages that arrive. */
  readonly rules: Methods["getTagRules"] = this.method("getTagRules");
  /** Replaces the settings of a server for tags of messages that arrive. */
  readonly putRules: Methods["putTagRules"] = this.method("putTagRules");
  /** Lists the tags in a server, and how many messages have each. */
  readonly tags: Methods["listTags"] = this.method("listTags");
}

/** Checks of a mail before it is sent to real users. */
export class Analysis extends Resource {
  /** Analyses a mail with a spam filter. */
  readonly spam: Methods["getSpamAnalysis"] = this.method("getSpamAnalysis");
  /** Checks the authentication, the sender and the content of a mail as receivers do. */
  readonly deliverability: Methods["getDeliverability"] = this.method("getDeliverability");
  /** Compares a mail with its translations: missing ones, direction, dates, plurals, overflowing text. */
  readonly localisation: Methods["compareLocalisations"] = this.method("compareLocalisations", () => ({
    isRepeatable: true,
  }));

  /** Reads the reports in a mail: DMARC, TLS, complaints, deliveries, dispositions. */
  readonly reports: Methods["getMailReports"] = this.method("getMailReports");

  /** Judges a mail by limits of its size, content, support by email clients and spam score. */
  async budget(id: string, budget: MailBudget, options?: RequestOptions): Promise<BudgetReport> {
    return judgeBudget(this.transport, { id, budget }, options);
  }

  /** Renders a mail in an email client, and compares the picture with a baseline. */
  async screenshot(id: string, options?: ScreenshotOptions): Promise<Screenshot> {
    return matchScreenshot(this.transport, id, options);
  }

  /** Describes a message as a text that is equal for two sendings of the same message. */
  async snapshot(id: string, options?: SnapshotOptions): Promise<string> {
    return fetchSnapshot(this.transport, id, options);
  }

  /** Lints a mail: headers, structure, accessibility, links, compatibility. */
  async lint(id: string, query: LintMessageQuery = {}, options?: RequestOptions): Promise<LintReport> {
    return this.method("lintMessage")(id, { ...query, ...options });
  }
}

/** ZIP archives to attach to failed tests. */
export class Bundles extends Resource {
  /** Fetches everything about a message: raw mail, transcript, deliveries, reports, a picture. */
  readonly ofMessage: Methods["getMessageBundle"] = this.method("getMessageBundle");
  /** Fetches all attachments of a message. */
  readonly ofAttachments: Methods["getAttachments"] = this.method("getAttachments");

  /** Fetches the newest messages of a server, with a folder for each; with `since`, those received after an instant. */
  async ofServer(
    server: string,
    { since, ...options }: RequestOptions & { readonly since?: Instant } = {},
  ): Promise<Uint8Array> {
    const instant = since instanceof Date ? since.toISOString() : since;
    return this.method("getServerBundle")(server, { ...options, ...(instant !== undefined && { since: instant }) });
  }
}

/** Pictures of a mail in several email clients. */
export class Previews extends Resource {
  /** Lists the email clients that are emulated. */
  readonly clients: Methods["listEmailClients"] = this.method("listEmailClients");
  /** Starts generating previews of a mail. */
  readonly generate: Methods["generatePreviews"] = this.method("generatePreviews");

  /** Waits for the image of a preview, a PNG. */
  async image(id: string, options: RequestOptions & { readonly timeout?: number } = {}): Promise<Uint8Array> {
    const { timeout = renderMs, ...rest } = options;
    const { time } = this.transport;
    const deadline = time.now() + timeout;
    for (;;) {
      const { content, response } = await this.transport.receive("getPreview", { path: { id } }, rest);
      if (response.status !== 202) return content;
      if (time.now() >= deadline)
        throw new RequestTimeoutError(`The preview ${id} was not rendered within ${String(timeout)} ms`);
      await time.pause(Number(response.headers.get("x-ms-delay") ?? pollMs), options.signal);
    }
  }

  /** Renders a mail in one email client and returns the image, a PNG. */
  async render(
    message: string,
    emailClient: string,
    options: RequestOptions & { readonly timeout?: number } = {},
  ): Promise<Uint8Array> {
    const { timeout, ...rest } = options;
    const [preview] = await this.generate(message, { emailClients: [emailClient] }, rest);
    return this.image(preview?.id ?? "", { ...rest, ...(timeout !== undefined && { timeout }) });
  }
}
