import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { readForm } from "../../core/read-form.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import { memoryServices, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { postmark } from "./provider.ts";
import { apiRequest } from "./samples.test-aid.ts";
import { suggestModel } from "./validate.ts";

type Members = Readonly<Record<string, unknown>>;

async function call(memory: MemoryServices, line: string, body: unknown = {}): Promise<Members> {
  const [method = "", target = ""] = line.split(" ");
  const [path = "", query = ""] = target.split("?");
  const request = { ...apiRequest(`${method} ${path}`, body, validKey), fields: readForm(query) };
  return jsonOf(await callEndpoint(postmark, request, memory.services));
}

const welcome = { Name: "Welcome", Alias: "welcome", Subject: "Hi {{name}}", HtmlBody: "<b>{{name}}</b>" };
const layout = {
  Name: "Frame",
  Alias: "frame",
  TemplateType: "Layout",
  HtmlBody: "<div>{{{@content}}}</div>",
  TextBody: "-- {{{ @content }}} --",
};

describe("templates", () => {
  test("are created, read by id and alias, changed and removed", async () => {
    const memory = memoryServices();
    const created = await call(memory, "POST /templates", welcome);
    const { TemplateId } = created;
    expect(created).toEqual({
      TemplateId: expect.any(Number) as number,
      Name: "Welcome",
      Active: true,
      Alias: "welcome",
      TemplateType: "Standard",
      LayoutTemplate: null,
    });
    const read = {
      ...created,
      Subject: welcome.Subject,
      HtmlBody: welcome.HtmlBody,
      TextBody: null,
      AssociatedServerId: 1,
    };
    expect(await call(memory, `GET /templates/${String(TemplateId)}`)).toEqual(read);
    expect(await call(memory, "GET /templates/WELCOME")).toEqual(read);
    await call(memory, "PUT /templates/welcome", { Name: "New", Alias: "hello" });
    expect(await call(memory, "GET /templates/welcome")).toMatchObject({ ErrorCode: 1101 });
    expect(await call(memory, "GET /templates/hello")).toMatchObject({ ...read, Name: "New", Alias: "hello" });
    expect(await call(memory, "DELETE /templates/hello")).toEqual({
      ErrorCode: 0,
      Message: `Template ${String(TemplateId)} removed.`,
    });
    expect(await call(memory, "GET /templates?count=10&offset=0")).toEqual({ TotalCount: 0, Templates: [] });
    expect(await call(memory, `GET /templates/${String(TemplateId)}`)).toEqual({
      ErrorCode: 1101,
      Message: "The 'TemplateId' associated with this request is not valid or was not found.",
    });
  });

  test("are listed by type and layout", async () => {
    const memory = memoryServices();
    await call(memory, "POST /templates", layout);
    await call(memory, "POST /templates", { ...welcome, LayoutTemplate: "frame" });
    const list = async (query: string) =>
      (await call(memory, `GET /templates?count=9&offset=0&${query}`))["TotalCount"];
    expect([await list(""), await list("TemplateType=Layout"), await list("LayoutTemplate=frame")]).toEqual([2, 1, 1]);
    expect(await call(memory, "DELETE /templates/frame")).toMatchObject({ ErrorCode: 1130 });
    expect(await call(memory, "PUT /templates/welcome", { LayoutTemplate: "" })).toMatchObject({
      LayoutTemplate: null,
    });
    expect(await call(memory, "DELETE /templates/frame")).toMatchObject({ ErrorCode: 0 });
  });

  test.each<[Members, number]>([
    [{}, 1109],
    [{ ...welcome, Name: null }, 1120],
    [{ ...welcome, Subject: null }, 1120],
    [{ ...welcome, HtmlBody: null }, 1120],
    [{ ...welcome, Alias: "1st" }, 1122],
    [{ ...welcome, Alias: "taken" }, 1122],
    [{ ...welcome, TemplateType: "Page" }, 1122],
    [{ ...welcome, HtmlBody: "x".repeat(400_001) }, 1121],
    [{ ...welcome, HtmlBody: "{{{@content}}}" }, 1131],
    [{ ...layout, HtmlBody: "no placeholder" }, 1131],
    [{ ...welcome, LayoutTemplate: "unknown" }, 1101],
    [{ ...welcome, HtmlBody: 1 }, 403],
  ])("rejects %j with %i", async (body, code) => {
    const memory = memoryServices();
    await call(memory, "POST /templates", { ...welcome, Alias: "taken" });
    expect(await call(memory, "POST /templates", body)).toMatchObject({ ErrorCode: code });
    expect((await call(memory, "GET /templates"))["TotalCount"]).toBe(1);
  });
});

describe("mail with a template", () => {
  const mail = { From: "app@shop.example", To: "a@x.example", TemplateModel: { name: "Zoë" } };

  test("is rendered in its layout", async () => {
    const memory = memoryServices();
    await call(memory, "POST /templates", layout);
    await call(memory, "POST /templates", { ...welcome, LayoutTemplate: "frame" });
    // PHP sends a TemplateId of 0 beside the alias.
    await call(memory, "POST /email/withTemplate", { ...mail, TemplateId: 0, TemplateAlias: "welcome" });
    const sources = { subject: "Hi {{name}}", html: "<div><b>{{name}}</b></div>" };
    expect(memory.templateJobs).toEqual([{ language: "mustache", sources, data: mail.TemplateModel }]);
    expect(memory.emails[0]?.content).toMatchObject({ html: `${sources.html}|{"name":"Zoë"}`, text: null });
    expect(memory.emails[0]?.facts.template).toEqual({ id: "welcome", data: mail.TemplateModel });
  });

  test.each<[Members, number]>([
    [{ TemplateAlias: "unknown" }, 1101],
    [{ TemplateId: 1 }, 1101],
    [{ TemplateAlias: "frame" }, 1101],
    [{}, 1120],
    [{ TemplateAlias: "welcome", TemplateModel: undefined }, 1120],
    [{ TemplateAlias: "welcome", TemplateModel: "x" }, 403],
    [{ TemplateAlias: "welcome", Subject: "x" }, 1123],
  ])("is rejected for %j with %i", async (changes, code) => {
    const memory = memoryServices();
    await call(memory, "POST /templates", welcome);
    await call(memory, "POST /templates", layout);
    expect(await call(memory, "POST /email/withTemplate", { ...mail, ...changes })).toMatchObject({ ErrorCode: code });
    expect(memory.emails).toEqual([]);
  });

  test("is accepted or rejected by itself in a batch", async () => {
    const memory = memoryServices();
    await call(memory, "POST /templates", welcome);
    const Messages = ["welcome", "unknown"].map((TemplateAlias) => ({ ...mail, TemplateAlias }));
    expect(await call(memory, "POST /email/batchWithTemplates", { Messages })).toMatchObject([
      { ErrorCode: 0, To: "a@x.example" },
      {
        ErrorCode: 1101,
        Message: "The Template's 'Alias' associated with this request is not valid or was not found.",
      },
    ]);
    expect(memory.emails).toHaveLength(1);
  });
});

describe("validation", () => {
  test("renders each part, and reports the error of a part", async () => {
    const memory = memoryServices();
    const body = { Subject: "{{name}}", TextBody: "Hi {{name}}", TestRenderModel: { name: "Zoë" } };
    expect(await call(memory, "POST /templates/validate", body)).toEqual({
      AllContentIsValid: true,
      HtmlBody: null,
      TextBody: { ContentIsValid: true, ValidationErrors: [], RenderedContent: 'Hi {{name}}|{"name":"Zoë"}' },
      Subject: { ContentIsValid: true, ValidationErrors: [], RenderedContent: '{{name}}|{"name":"Zoë"}' },
      SuggestedTemplateModel: { name: "Zoë" },
    });
    const failed = new Problem("invalid_request", { text: "Unclosed section" });
    const services = { ...memory.services, renderTemplates: async () => Promise.reject(failed) };
    const response = await callEndpoint(postmark, apiRequest("POST /templates/validate", body, validKey), services);
    expect(jsonOf(response)).toMatchObject({
      AllContentIsValid: false,
      TextBody: { ContentIsValid: false, ValidationErrors: [{ Message: "Unclosed section" }] },
    });
  });

  test("rejects sources that exceed the limits of a template", async () => {
    const body = { TextBody: "x".repeat(400_001) };
    expect(await call(memoryServices(), "POST /templates/validate", body)).toMatchObject({ ErrorCode: 1121 });
  });

  test("suggests a model with a value for each variable", () => {
    const source =
      "{{company.address}}{{#each products}}{{name}}{{/each}}{{#user}}{{id}}{{/user}}{{^none}}{{x}}{{/none}}";
    const item = { name: "name_Value" };
    expect(suggestModel([source], { own: 1 })).toEqual({
      company: { address: "address_Value" },
      products: [item, item, item],
      user: { id: "id_Value" },
      own: 1,
    });
    expect(suggestModel(["{{#a}}".repeat(5000), "{{__proto__.x}}{{/a}}"], {})).toHaveProperty("a");
    expect(Object.prototype).not.toHaveProperty("x");
    // Takes minutes when the time is not linear.
    expect(suggestModel([`{{{${" ".repeat(400_000)}`], {})).toEqual({});
    const nested = "{{#each a}}".repeat(19);
    expect(JSON.stringify(suggestModel([nested], {})).length).toBeLessThan(1000);
  });
});
