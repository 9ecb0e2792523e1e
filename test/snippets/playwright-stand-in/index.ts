/**
 * Stand-in for `@playwright/test`: runs the tests of a file in sequence, with a page that has a sign-up form, which sends
 * a code to the address by SMTP and accepts only this code.
 */
import { deepStrictEqual, match } from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";

interface Fixtures {
  readonly page: Page;
}

interface Mailer {
  createTransport(options: object): { sendMail(mail: object): Promise<unknown> };
}

interface Expectations {
  toBe(wanted: unknown): void;
  toMatch(wanted: RegExp): void;
  toBeVisible(): Promise<void>;
}

/** Runs a test after the previous ones; the process fails if it fails. */
export function test(title: string, run: (fixtures: Fixtures) => Promise<void>): void {
  queue = runAfter(queue, title, run);
}

async function runAfter(
  earlier: Promise<void>,
  title: string,
  run: (fixtures: Fixtures) => Promise<void>,
): Promise<void> {
  await earlier;
  await run({ page: page() as unknown as Page });
  process.stdout.write(`passed: ${title}\n`);
}

/** Returns the configuration unchanged. */
export function defineConfig(config: { readonly globalSetup?: string }): object {
  return config;
}

/** Assertions that the snippets use; `poll` waits until the function returns the expected value. */
export const expect: ((value: unknown) => Expectations) & {
  readonly poll: (read: () => Promise<unknown>) => { readonly toBe: (wanted: unknown) => Promise<void> };
} = Object.assign(assertionsOf, {
  poll: (read: () => Promise<unknown>) => ({
    toBe: async (wanted: unknown) => {
      while ((await read()) !== wanted) await setTimeout(20);
    },
  }),
});

function assertionsOf(value: unknown): Expectations {
  return {
    toBe: (wanted) => {
      deepStrictEqual(value, wanted);
    },
    toMatch: (wanted) => {
      match(String(value), wanted);
    },
    toBeVisible: () => Promise.resolve(match(form.get("Code") ?? "", /^804219$/)),
  };
}

let queue: Promise<void> = Promise.resolve();
const form = new Map<string, string>();

function page(): object {
  form.clear();
  const click = async (): Promise<void> => {
    if (!form.has("Code")) await send(form.get("E-mail") ?? "");
  };
  const fill = (label: string, value: string): Promise<void> => {
    form.set(label, value);
    return Promise.resolve();
  };
  return {
    goto: () => Promise.resolve(null),
    getByLabel: (label: string) => ({ fill: async (value: string) => fill(label, value) }),
    getByRole: () => ({ click }),
    getByText: (text: string) => text,
  };
}

async function send(to: string): Promise<void> {
  const load = createRequire(join(process.env["TEST_ROOT"] ?? "", "package.json"));
  const nodemailer = load("nodemailer") as Mailer;
  const transport = nodemailer.createTransport({ host: "127.0.0.1", port: Number(process.env["MAILOSAUR_SMTP_PORT"]) });
  const html = "<p>Your code is <b>804219</b></p>";
  await transport.sendMail({ from: "app@example.com", to, subject: "Your code", html });
}
