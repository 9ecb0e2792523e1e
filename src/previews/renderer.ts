import { Problem } from "../core/errors.ts";
import type { AccessibilityAudit } from "../core/lint.ts";
import type { MimeLimits } from "../mime/source.ts";
import type { WorkerCaller } from "../workers/worker-rpc.ts";
import { WorkerCallFailed } from "../workers/worker-slot.ts";
import { type BrowserOptions, DrivenBrowser } from "./browser-process.ts";
import type { ComparedScreenshot, ScreenshotComparison } from "./compare-screenshot.ts";
import type { EmailClient } from "./email-client.ts";

/** Dependencies and limits of a {@link Renderer}; 1.5 GiB of memory by default. */
export interface RendererOptions extends BrowserOptions {
  readonly limits: MimeLimits;
  /** Longest rendering of one mail, in milliseconds; 20 s by default. */
  readonly renderMsMax?: number;
}

/** Message to the process that renders: request for a screenshot of a mail in an email client, or for an audit (null). */
export interface RenderRequest {
  readonly raw: Uint8Array;
  readonly client: EmailClient | null;
  /** Comparison of the screenshot, which is not masked without one. */
  readonly comparison?: ScreenshotComparison | undefined;
}

/** Result of a {@link RenderRequest}; the member that was requested is set. */
export interface RenderResult {
  readonly png?: Uint8Array;
  readonly audit?: AccessibilityAudit;
  /** Null for a baseline that is no readable PNG. */
  readonly screenshot?: ComparedScreenshot | null;
}

type MailSource = () => Promise<Uint8Array>;

interface QueuedRequest {
  readonly source: MailSource;
  readonly client: EmailClient | null;
  readonly comparison?: ScreenshotComparison;
}

/** Renders mails in a {@link DrivenBrowser}, each in a browser context of its own. The browser is also killed when a mail takes too much memory. */
export class Renderer {
  readonly #browser: DrivenBrowser<QueuedRequest, RenderResult>;

  constructor({ limits, renderMsMax = 20_000, ...options }: RendererOptions) {
    this.#browser = new DrivenBrowser(options, {
      worker: "render-worker",
      task: "previews",
      degrades: "previews and accessibility audits fail",
      callMsMax: renderMsMax,
      // Two full requests for previews.
      waitingPerKeyCountMax: 100,
      waitingCountMax: 500,
      memoryBytesMax: 1536 * 1024 * 1024,
      settings: { limits },
      prepare: async ({ source, ...request }): Promise<RenderRequest> => ({ ...request, raw: await source() }),
    });
  }

  /** Returns a sentence about a missing dependency and how to install it; null if none is missing. Repeats the search while one is missing. */
  async problem(): Promise<string | null> {
    return this.#browser.problem();
  }

  /**
   * Returns a PNG of the mail as the email client would show it. Rejects with `unavailable` when the mail fails or no browser
   * starts, `too_many_requests` when the key has too many waiting, the signal's reason when it aborts before the call's turn,
   * or as `source` does.
   */
  async render(source: MailSource, client: EmailClient, caller: WorkerCaller): Promise<Uint8Array> {
    return (await this.#call({ source, client }, caller)).png ?? new Uint8Array();
  }

  /** Returns the screenshot, compared; null for a baseline that is no readable PNG. Rejects as `render` does. */
  async compare(
    source: MailSource,
    { client, comparison }: { readonly client: EmailClient; readonly comparison: ScreenshotComparison },
    caller: WorkerCaller,
  ): Promise<ComparedScreenshot | null> {
    return (await this.#call({ source, client, comparison }, caller)).screenshot ?? null;
  }

  /** Returns the findings of axe-core. Rejects as `render` does. */
  async audit(source: MailSource, caller: WorkerCaller): Promise<AccessibilityAudit> {
    return (
      (await this.#call({ source, client: null }, caller)).audit ?? { engine: "axe-core", findings: [], rules: [] }
    );
  }

  /** Stops the browser; running and queued calls reject with `unavailable`. Resolves when all processes have exited. */
  async close(): Promise<void> {
    await this.#browser.close();
  }

  async #call({ source, ...request }: QueuedRequest, caller: WorkerCaller): Promise<RenderResult> {
    const problem = this.#browser.problem();
    if (problem !== null) throw new Problem("unavailable", { text: problem });
    const failed: { reason?: unknown } = {};
    const remembered = (): Promise<Uint8Array> =>
      source().catch((reason: unknown) => {
        failed.reason = reason;
        throw reason;
      });
    try {
      return await this.#browser.call({ ...request, source: remembered }, caller);
    } catch (cause) {
      if (cause === failed.reason) throw cause;
      if (cause instanceof WorkerCallFailed) {
        const text = "The mail could not be rendered: it needs too much time or memory";
        throw new Problem("unavailable", { text, cause });
      }
      if (cause instanceof Problem && cause.code === "unavailable" && cause.cause !== undefined) {
        const { retryAfterSeconds } = cause;
        throw new Problem("unavailable", {
          text: "Chromium could not be started; the service's log says why",
          ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
          cause,
        });
      }
      throw cause;
    }
  }
}
