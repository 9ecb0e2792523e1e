import { describe, expect, test } from "vitest";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { jsonRequest } from "../conformance/samples.test-aid.ts";
import { memoryServices, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { mandrill } from "./provider.ts";

async function valueOf(memory: MemoryServices, path: string, members: object): Promise<unknown> {
  const request = jsonRequest({ ...members, key: validKey }, { path: `/api/1.0/${path}` });
  const { body } = await callEndpoint(mandrill, request, memory.services);
  return JSON.parse(body?.text ?? "null") as unknown;
}

describe("inbound domains", () => {
  const url = "https://app.example/in";
  const withDomain = async (): Promise<MemoryServices> => {
    const memory = memoryServices();
    await valueOf(memory, "inbound/add-domain", { domain: "IN.shop.example" });
    return memory;
  };

  test("are added once, checked, listed and removed with their routes", async () => {
    const memory = await withDomain();
    const domain = { domain: "in.shop.example", created_at: "2026-11-20 10:42:07", valid_mx: true };
    expect(await valueOf(memory, "inbound/add-domain", { domain: "in.shop.example" })).toEqual(domain);
    expect(await valueOf(memory, "inbound/check-domain", { domain: "in.shop.example" })).toEqual(domain);
    expect(await valueOf(memory, "inbound/domains", {})).toEqual([domain]);
    await valueOf(memory, "inbound/add-route", { domain: "in.shop.example", pattern: "*", url });
    expect(await valueOf(memory, "inbound/delete-domain", { domain: "in.shop.example" })).toEqual(domain);
    expect(memory.webhooks.inbound).toEqual([]);
    expect(await valueOf(memory, "inbound/routes", { domain: "in.shop.example" })).toEqual([]);
    for (const path of ["inbound/check-domain", "inbound/delete-domain", "inbound/add-route"]) {
      const error = await valueOf(memory, path, { domain: "in.shop.example", pattern: "*", url });
      expect(error).toMatchObject({ name: "Unknown_InboundDomain" });
    }
    expect(await valueOf(memory, "inbound/add-domain", { domain: "a b" })).toMatchObject({ name: "ValidationError" });
  });

  test("have routes, which are changed and removed", async () => {
    const memory = await withDomain();
    const route = { domain: "in.shop.example", pattern: "mailbox-*", url };
    const { id } = (await valueOf(memory, "inbound/add-route", route)) as { readonly id: string };
    const shown = { id, pattern: "mailbox-*", url };
    expect(await valueOf(memory, "inbound/routes", { domain: "in.shop.example" })).toEqual([shown]);
    expect(memory.webhooks.inbound).toMatchObject([{ pattern: "mailbox-*@in.shop.example" }]);
    expect(await valueOf(memory, "inbound/update-route", { id, pattern: "Reply" })).toMatchObject({
      ...shown,
      pattern: "reply",
    });
    expect(await valueOf(memory, "inbound/delete-route", { id })).toEqual({ ...shown, pattern: "reply" });
    expect(await valueOf(memory, "inbound/delete-route", { id })).toMatchObject({ name: "Unknown_InboundRoute" });
    const denied = { ...route, url: "https://denied.example/" };
    expect(await valueOf(memory, "inbound/add-route", denied)).toMatchObject({ name: "ValidationError" });
  });

  test("receive a whole mail for the recipients that routes match", async () => {
    const memory = await withDomain();
    await valueOf(memory, "inbound/add-route", { domain: "in.shop.example", pattern: "mailbox-*", url });
    const raw = "From: zoe@shop.example\r\nTo: mailbox-7@in.shop.example, x@in.shop.example\r\n\r\nHi";
    const found = { pattern: "mailbox-*", url };
    expect(await valueOf(memory, "inbound/send-raw", { raw_message: raw })).toEqual([
      { email: "mailbox-7@in.shop.example", ...found },
    ]);
    const to = ["mailbox-8@in.shop.example", "x", 7];
    expect(await valueOf(memory, "inbound/send-raw", { raw_message: raw, to, mail_from: "b@shop.example" })).toEqual([
      { email: "mailbox-8@in.shop.example", ...found },
    ]);
    expect(await valueOf(memory, "inbound/send-raw", { raw_message: raw, to: ["x@in.shop.example"] })).toEqual([]);
    expect(memory.emails.map(({ mailFrom, recipients }) => [mailFrom, recipients])).toEqual([
      ["zoe@shop.example", ["mailbox-7@in.shop.example"]],
      ["b@shop.example", ["mailbox-8@in.shop.example"]],
    ]);
  });
});
