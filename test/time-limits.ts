/**
 * Time limits of tests, hooks and waits, which matter only for a test that hangs: it fails soon, and says what it waited for.
 * A test that works passes on a machine that is ten times slower than an idle one.
 */
import { matchesGlob } from "node:path";
import { vi } from "vitest";
import { longestWait } from "../src/testing/until.test-aid.ts";

/** Limits of the tests and hooks of a file, and of each of their waits, in milliseconds. */
export interface TimeLimits {
  readonly testMs: number;
  /** Shorter, so that a wait says what it waited for before the test ends. */
  readonly waitMs: number;
}

/** Limits of most files: none of their tests took three seconds on two cores with a load of 17. */
export const ordinary: TimeLimits = { testMs: 30_000, waitMs: 25_000 };

/** Limits of the files that {@link patientFiles} names. */
export const patient: TimeLimits = { testMs: 300_000, waitMs: 120_000 };

/** Files whose tests may take longer, each for a reason. */
export const patientFiles: readonly { readonly files: string; readonly reason: string }[] = [
  { files: "test/journeys/**", reason: "start services, databases and browsers, and crash them" },
  { files: "test/{package,snippets}/**", reason: "install packages, and run programs in many languages" },
  { files: "test/{fuzz,transfer}/**", reason: "start services, and move messages between databases" },
  { files: "test/{hostile,oracles}/**", reason: "run programs of others, and read hostile mail in processes" },
  { files: "test/tidy/**", reason: "read all files of the checkout" },
  { files: "test/concurrent-builds.test.ts", reason: "bundles the service in two processes" },
  { files: "compat/**", reason: "start clients, interpreters and compilers of others" },
  { files: "src/store/**", reason: "run on real databases, and crash them" },
  { files: "src/previews/**", reason: "start browsers" },
  { files: "src/templates/**", reason: "render in processes, which hang and take all memory" },
  { files: "src/app/**", reason: "start browsers and services, and load all modules" },
  { files: "src/cli/**", reason: "start browsers, shells and processes" },
  { files: "src/{testing,fixtures}/**", reason: "start services in processes of their own" },
  { files: "src/{workers,operations/services}/**", reason: "evaluate large mails in processes with little memory" },
  { files: "src/catchers/large-mails.test.ts", reason: "lists mails of the maximum size" },
  { files: "src/http/mcp/mcp-endpoint.test.ts", reason: "fills the waits that a key may have" },
  { files: "src/http/openapi-rules.test.ts", reason: "compares the whole document with the rules of Redocly" },
  { files: "src/mime/{charset-repertoire,*growth,compose/round-trip}.test.ts", reason: "parse millions of characters" },
  { files: "src/operations/providers/submit-emails.test.ts", reason: "submits a batch of the maximum size" },
  { files: "src/providers/sendgrid/sendgrid.test.ts", reason: "composes as many bytes as a request may" },
  { files: "web/mail/mail-marks.test.tsx", reason: "renders the whole page several times" },
];

/** Returns the limits of a test file, whose path is relative to the checkout. */
export function timeLimitsOf(file: string): TimeLimits {
  return patientFiles.some(({ files }) => matchesGlob(file, files)) ? patient : ordinary;
}

// Test files share this module, and with it the function that was replaced.
const { waitFor } = vi;

/** Applies limits to the tests and hooks of the file that is loaded next, and to their waits, whose defaults are a second. */
export function applyTimeLimits({ testMs, waitMs }: TimeLimits): void {
  vi.setConfig({ testTimeout: testMs, hookTimeout: testMs, expect: { poll: { timeout: waitMs } } });
  vi.waitFor = (callback, options) =>
    waitFor(callback, typeof options === "number" ? options : { timeout: waitMs, ...options });
  longestWait.ms = waitMs;
}
