import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { readForm } from "../../core/read-form.ts";
import type { ProviderMethod, ProviderResponse } from "../provider.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import { minimalSample } from "../conformance/sample-emails.test-aid.ts";
import { memoryServices, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { sendgrid } from "./provider.ts";
import { apiRequest, sendBody } from "./samples.test-aid.ts";

type Members = Readonly<Record<string, unknown>>;

async function call(memory: MemoryServices, line: string, body: unknown = {}): Promise<ProviderResponse> {
  const [method, target] = line.split(" ") as [ProviderMethod, string];
  const [path = "", query = ""] = target.split("?");
  const request = apiRequest(path, body, { key: validKey, method });
  const fields = readForm(query);
  return callEndpoint(sendgrid, { ...request, fields, url: `http://localhost${target}` }, memory.services);
}

async function created(memory: MemoryServices, line: string, body: unknown): Promise<Members> {
  const response = await call(memory, line, body);
  expect([response.status, response.body?.text]).toEqual([201, expect.any(String)]);
  return jsonOf(response);
}

const version = { name: "v1", subject: "Hi {{name}}", html_content: "<p>{{name}}</p>", plain_content: "{{name}}" };
const shownVersion = {
  active: 1,
  generate_plain_content: true,
  ...version,
  editor: "code",
  updated_at: "2026-11-20 10:42:07",
  thumbnail_url: "",
  user_id: 0,
  test_data: "",
  warnings: [],
};

describe("templates", () => {
  test("creates dynamic and legacy ones with their ids", async () => {
    const memory = memoryServices();
    const dynamic = await created(memory, "POST /v3/templates", { name: "a", generation: "dynamic" });
    expect(dynamic).toEqual({
      id: expect.stringMatching(/^d-[0-9a-f]{32}$/) as string,
      name: "a",
      generation: "dynamic",
      updated_at: "2026-11-20 10:42:07",
      versions: [],
    });
    const legacy = await created(memory, "POST /v3/templates", { name: "b" });
    expect(legacy).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string, generation: "legacy" });
  });

  test("activates the first version, and another one by PATCH or activate", async () => {
    const memory = memoryServices();
    const { id } = await created(memory, "POST /v3/templates", { name: "a", generation: "dynamic" });
    const first = await created(memory, `POST /v3/templates/${String(id)}/versions`, version);
    expect(first).toEqual({ ...shownVersion, id: first["id"], template_id: id });
    const second = await created(memory, `POST /v3/templates/${String(id)}/versions`, { ...version, active: 0 });
    expect(second["active"]).toBe(0);
    const path = `/v3/templates/${String(id)}/versions/${String(second["id"])}`;
    expect(jsonOf(await call(memory, `PATCH ${path}`, { subject: "New", active: 1 }))).toMatchObject({
      subject: "New",
      active: 1,
      html_content: version.html_content,
    });
    const activate = `POST /v3/templates/${String(id)}/versions/${String(first["id"])}/activate`;
    expect(jsonOf(await call(memory, activate))).toMatchObject({ id: first["id"], active: 1 });
    expect(jsonOf(await call(memory, `GET ${path}`))).toMatchObject({ subject: "New", active: 0 });
    expect((await call(memory, `DELETE ${path}`)).status).toBe(204);
    expect(jsonOf(await call(memory, `GET /v3/templates/${String(id)}`))["versions"]).toHaveLength(1);
  });

  test("renames, copies and removes", async () => {
    const memory = memoryServices();
    const { id } = await created(memory, "POST /v3/templates", { name: "a", generation: "dynamic" });
    await created(memory, `POST /v3/templates/${String(id)}/versions`, version);
    expect(jsonOf(await call(memory, `PATCH /v3/templates/${String(id)}`, { name: "b" }))).toMatchObject({ name: "b" });
    const copy = await created(memory, `POST /v3/templates/${String(id)}`, {});
    expect(copy).toMatchObject({ name: "Duplicate: b", versions: [{ ...version, active: 1 }] });
    expect((await call(memory, `DELETE /v3/templates/${String(id)}`)).status).toBe(204);
    const missing = await call(memory, `GET /v3/templates/${String(id)}`);
    expect([missing.status, jsonOf(missing)]).toEqual([
      404,
      { errors: [{ field: null, message: "resource not found" }] },
    ]);
  });

  test("lists pages by generation", async () => {
    const memory = memoryServices();
    for (const name of ["a", "b", "c"]) await created(memory, "POST /v3/templates", { name, generation: "dynamic" });
    await created(memory, "POST /v3/templates", { name: "old" });
    const namesOf = (members: Members, list: string): unknown => (members[list] as Members[]).map(({ name }) => name);
    expect(namesOf(jsonOf(await call(memory, "GET /v3/templates")), "templates")).toEqual(["old"]);
    const first = jsonOf(await call(memory, "GET /v3/templates?generations=dynamic&page_size=2"));
    const { next, count } = first["_metadata"] as { readonly next: string; readonly count: number };
    expect([namesOf(first, "result"), count]).toEqual([["a", "b"], 3]);
    const second = jsonOf(await call(memory, `GET ${next.replace("http://localhost", "")}`));
    expect(namesOf(second, "result")).toEqual(["c"]);
    expect(second["_metadata"]).not.toHaveProperty("next");
    expect((await call(memory, "GET /v3/templates?page_size=201")).status).toBe(400);
  });

  test.each<[Members, string]>([
    [{ ...version, name: "" }, "name"],
    [{ ...version, subject: undefined }, "subject"],
    [{ ...version, active: 2 }, "active"],
    [{ ...version, html_content: 1 }, "html_content"],
    [{ ...version, html_content: "x".repeat(900_001) }, "html_content"],
  ])("rejects an invalid version", async (body, field) => {
    const memory = memoryServices();
    const { id } = await created(memory, "POST /v3/templates", { name: "a" });
    const response = await call(memory, `POST /v3/templates/${String(id)}/versions`, body);
    expect(response.status).toBe(400);
    expect((jsonOf(response)["errors"] as readonly Members[])[0]?.["field"]).toBe(field);
  });
});

describe("mail with a stored template", () => {
  const send = async (memory: MemoryServices, changes: Members): Promise<ProviderResponse> =>
    call(memory, "POST /v3/mail/send", { ...sendBody(minimalSample), ...changes });

  test("puts subject and content into a legacy template before substitutions", async () => {
    const memory = memoryServices();
    const { id } = await created(memory, "POST /v3/templates", { name: "a" });
    await created(memory, `POST /v3/templates/${String(id)}/versions`, {
      name: "v",
      subject: "[Shop] <%subject%>",
      html_content: "<div><%body%></div>",
    });
    await send(memory, {
      template_id: id,
      subject: "Hi -name-",
      content: [{ type: "text/html", value: "<b>-name-</b>" }],
      personalizations: [{ to: [{ email: "a@x.example" }], substitutions: { "-name-": "Zoë" } }],
    });
    expect(memory.emails[0]?.content).toMatchObject({
      subject: "[Shop] Hi Zoë",
      html: "<div><b>Zoë</b></div>",
      text: null,
    });
    expect(memory.emails[0]?.facts.template).toEqual({ id, data: { "-name-": "Zoë" } });
  });

  test("renders each personalization with its own data", async () => {
    const memory = memoryServices();
    const { id } = await created(memory, "POST /v3/templates", { name: "a", generation: "dynamic" });
    await created(memory, `POST /v3/templates/${String(id)}/versions`, version);
    const personalizations = ["a", "b"].map((name) => ({
      to: [{ email: `${name}@x.example` }],
      dynamic_template_data: { name },
    }));
    await send(memory, { template_id: id, personalizations, content: undefined, subject: undefined });
    expect(memory.templateJobs.map(({ language, data }) => [language, data])).toEqual([
      ["handlebars", { name: "a" }],
      ["handlebars", { name: "b" }],
    ]);
    expect(memory.emails.map(({ content }) => content)).toMatchObject([
      { subject: 'Hi {{name}}|{"name":"a"}' },
      { subject: 'Hi {{name}}|{"name":"b"}' },
    ]);
  });

  test("rejects a template that cannot be rendered, with the error of the template", async () => {
    const memory = memoryServices();
    const { id } = await created(memory, "POST /v3/templates", { name: "a", generation: "dynamic" });
    await created(memory, `POST /v3/templates/${String(id)}/versions`, { ...version, subject: "{{#if}}" });
    const failed = new Problem("invalid_request", { text: "Parse error on line 1" });
    const services = { ...memory.services, renderTemplates: async () => Promise.reject(failed) };
    const body = { ...sendBody(minimalSample), template_id: id };
    const request = apiRequest("/v3/mail/send", body, { key: validKey });
    const response = await callEndpoint(sendgrid, request, services);
    expect([response.status, (jsonOf(response)["errors"] as readonly Members[])[0]]).toMatchObject([
      400,
      { field: "template_id", message: "Must be a valid template. Parse error on line 1" },
    ]);
    expect(memory.emails).toEqual([]);
  });
});
