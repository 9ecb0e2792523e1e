import { describe, expect, test } from "vitest";
import { mailPage, mailPageHeaders } from "./mail.ts";

const still = { isRemoteAllowed: false, isDark: false };
const policy = (isRemoteAllowed: boolean, isPrinted = false): string =>
  mailPageHeaders({ isRemoteAllowed, isDark: false, isPrinted })["content-security-policy"] ?? "";

describe("the policy of a mail's page", () => {
  test("forbids scripts, forms, other bases and foreign frames around it", () => {
    for (const isRemoteAllowed of [false, true]) {
      const directives = policy(isRemoteAllowed).split("; ");
      expect(directives).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "form-action 'none'",
          "base-uri 'none'",
          "frame-ancestors 'self'",
        ]),
      );
      expect(policy(isRemoteAllowed)).not.toMatch(/script-src|connect-src|frame-src|object-src|unsafe-eval/);
    }
  });

  test("gives the page an origin of its own, wherever it is opened", () => {
    const sandbox = policy(true).split("; ").at(-1) ?? "";
    expect(sandbox).toBe("sandbox allow-popups allow-popups-to-escape-sandbox");
  });

  test("differs for printing by the origin and by links that open nothing", () => {
    const printed = policy(false, true).split("; ");
    expect(printed.at(-1)).toBe("sandbox allow-same-origin allow-modals");
    expect(printed.slice(0, -1)).toEqual(policy(false).split("; ").slice(0, -1));
  });

  test("forbids remote content until it is requested", () => {
    expect(policy(false)).not.toMatch(/https?:|\*/);
    expect(policy(true)).toMatch(/img-src data: https: http:;/);
  });
});

describe("a mail's page", () => {
  test("opens links in new tabs, whatever base the mail sets", () => {
    expect(mailPage('<base target="_top"><p>x', still)).toMatch(/^<base target="_blank">.*<base target="_top"><p>x$/);
  });

  test("keeps the mail's document type first, and adds none", () => {
    expect(mailPage("<!DOCTYPE html><p>x", still)).toMatch(/^<!DOCTYPE html><base /);
    expect(mailPage('\n<!doctype HTML PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"><p>', still)).toMatch(
      /^\n<!doctype HTML PUBLIC "[^"]*"><base /,
    );
    expect(mailPage("<p>x", still)).toMatch(/^<base /);
  });

  test("takes time linear in the mail", () => {
    const hostile = [`<!doctype ${"x".repeat(2_000_000)}`, " ".repeat(2_000_000)];
    const cpuBefore = process.threadCpuUsage();
    for (const html of hostile) expect(mailPage(html, still).length).toBeGreaterThan(html.length);
    expect(process.threadCpuUsage(cpuBefore).user / 1000).toBeLessThan(6000);
  });

  test("has the fields of a mail that is printed above it, beyond the reach of its styles and markup", () => {
    const evil = { name: "<b>&", email: "a@b.example", phone: null };
    const head = { subject: "<script>", from: [evil], to: [], cc: [], received: "2026-01-02T03:04:05.000Z" };
    const page = mailPage("<!doctype html><p>x", { ...still, isPrinted: true }, head);
    expect(page).toContain(">From: &lt;b>&amp; &lt;a@b.example>\nReceived: 2026-01-02T03:04:05.000Z</div>");
    expect(page).toMatch(/^<!doctype html>.*<title>&lt;script><\/title><div style="all:initial !important;.*<p>x$/s);
    for (const [, style = ""] of page.matchAll(/ style="([^"]*)"/g))
      expect(style.split(";").every((one) => one.endsWith(" !important"))).toBe(true);
  });
});
