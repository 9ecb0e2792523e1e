import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Problem } from "../../../core/errors.ts";
import { emailClients } from "../../../previews/email-client.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import { until } from "../../../testing/until.test-aid.ts";
import { onePixelPng } from "../../../testing/stand-ins.ts";
import type { WireError } from "../../wire/error-schema.ts";
import type { WireEmailClient, WireFormerClient } from "../../wire/preview-schema.ts";

let api: HttpTestServer;
let server: TestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const label = "iphone-16plus-applemail-lightmode-portrait";
const official = { "user-agent": "mailosaur-swift/2.0.0" };

interface WirePreview {
  readonly id: string;
  readonly emailClient: string;
  readonly disableImages: boolean;
}

/** Renderer that blocks until a test releases it. */
function slowRenderer(): {
  readonly renderer: HttpTestServer["context"]["renderer"];
  readonly rendered: string[];
  end(): void;
} {
  const rendered: string[] = [];
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const { renderer } = api.context;
  return {
    rendered,
    end: () => {
      end();
    },
    renderer: {
      ...renderer,
      render: async (source, client, caller) => {
        rendered.push(client.label);
        await ended;
        return renderer.render(source, client, caller);
      },
    },
  };
}

describe("GET /api/screenshots/clients", () => {
  test("lists every email client by label and name, with its emulated features", async () => {
    const reply = await api.ask("GET /api/screenshots/clients", { key: server.key });
    const clients = reply.json<WireEmailClient[]>();
    expect(clients.map((client) => client.label)).toEqual(emailClients.map((client) => client.label));
    expect(clients[0]?.emulates).toContain("Apple Mail (iOS)");
    expect({ ...clients[0], emulates: "" }).toEqual({
      label,
      name: "Apple Mail, iPhone 16 Plus, light",
      group: "Mobile",
      platform: "iOS",
      viewport: { width: 430, height: 932 },
      pixelRatio: 3,
      dark: "no",
      images: "shown",
      emulates: "",
      available: true,
    });
  });

  test("returns what the strictest official libraries accept", async () => {
    const reply = await api.ask("GET /api/screenshots/clients", { headers: official });
    const { items } = reply.json<{ items: Record<string, unknown>[] }>();
    for (const item of items) {
      // Swift accepts no null, PHP and Python no other names; Ruby requires ratios to be floats, Go requires integer
      // sizes.
      expect(Object.values(item)).not.toContain(null);
      expect([typeof item["label"], typeof item["name"]]).toEqual(["string", "string"]);
    }
    expect(reply.body.match(/"pixelRatio":\d+\.\d+,/g)).toHaveLength(items.length);
    expect(reply.body.match(/"viewport":\{"width":\d+,"height":\d+\}/g)).toHaveLength(items.length);
    expect(reply.headers["vary"]).toBe("user-agent");
  });

  test("reports that there is no browser", async () => {
    const renderer = { ...api.context.renderer, problem: async () => "Get one" };
    await using own = await openHttpTestServer({ context: { renderer } });
    const clients = (await own.ask("GET /api/screenshots/clients")).json<WireEmailClient[]>();
    expect(clients.every(({ available }) => !available)).toBe(true);
    const former = (await own.ask("GET /api/previews/clients")).json<WireFormerClient[]>();
    expect(former.every(({ status }) => status === "Unavailable")).toBe(true);
  });
});

describe("POST /api/messages/:id/screenshots", () => {
  test("returns a preview for each label, in order, without further or null members", async () => {
    const id = await api.deliver(server);
    const body = { emailClients: [label, "OL2021", "web-gmail-lightmode-imagesblocked"] };
    const reply = await api.ask(`POST /api/messages/${id}/screenshots`, { key: server.key, body });
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      [
        { id: `${id}-${label}`, emailClient: label, disableImages: false },
        {
          id: `${id}-windows-outlook2021-lightmode`,
          emailClient: "windows-outlook2021-lightmode",
          disableImages: false,
        },
        {
          id: `${id}-web-gmail-lightmode-imagesblocked`,
          emailClient: "web-gmail-lightmode-imagesblocked",
          disableImages: true,
        },
      ],
    ]);
  });

  test("returns items to official libraries, accepts names in any case, and disables images in all previews", async () => {
    const id = await api.deliver(server);
    const body = { EmailClients: [label], DisableImages: true };
    const reply = await api.ask(`POST /api/messages/${id}/screenshots`, { body, headers: official });
    const emailClient = `${label}-imagesblocked`;
    expect(reply.json()).toEqual({ items: [{ id: `${id}-${emailClient}`, emailClient, disableImages: true }] });
  });

  test.each([
    [{}, "emailClients"],
    [{ emailClients: [] }, "emailClients"],
    [{ emailClients: Array(51).fill(label) }, "emailClients"],
    [{ emailClients: [label, "no-such-program"] }, "emailClients[1]"],
    [{ emailClients: [5] }, "emailClients[0]"],
    [{ emailClients: label }, "emailClients"],
  ])("responds 400 to %j, naming %s", async (body, field) => {
    const reply = await api.ask(`POST /api/messages/${await api.deliver(server)}/screenshots`, { body });
    expect([reply.statusCode, reply.json<WireError>().errors[0]?.field]).toEqual([400, field]);
  });

  test("accepts fifty at once", async () => {
    const body = { emailClients: Array(50).fill(label) };
    const reply = await api.ask(`POST /api/messages/${await api.deliver(server)}/screenshots`, { body });
    expect(reply.json<WirePreview[]>()).toHaveLength(50);
  });

  test("responds 400 without a browser and says how to install one, also on the paths of older libraries", async () => {
    const renderer = { ...api.context.renderer, problem: async () => "npm install a-browser" };
    await using own = await openHttpTestServer({ context: { renderer } });
    const id = await own.deliver(await own.addServer());
    for (const [path, body, field] of [
      ["screenshots", { emailClients: [label] }, "emailClients"],
      ["previews", { previews: [{ emailClient: label }] }, "previews"],
    ] as const) {
      const reply = await own.ask(`POST /api/messages/${id}/${path}`, { body });
      expect(reply.statusCode).toBe(400);
      expect(reply.body).toMatch(/^\{"type":"ValidationError","status":400,/);
      const detail = [{ description: "npm install a-browser", code: "no_browser" }];
      expect(reply.json<WireError>().errors).toEqual([{ field, detail }]);
    }
    for (const path of ["screenshots", "previews"]) {
      expect((await own.ask(`GET /api/files/${path}/${id}-${label}`)).statusCode).toBe(400);
    }
  });

  test("responds 404 for malformed, unknown and foreign messages and for SMS", async () => {
    const foreign = await api.addServer();
    const body = { emailClients: [label] };
    for (const id of ["nonsense", "00000000-0000-4000-8000-000000000000"]) {
      expect((await api.ask(`POST /api/messages/${id}/screenshots`, { body })).statusCode).toBe(404);
    }
    const id = await api.deliver(server);
    expect((await api.ask(`POST /api/messages/${id}/screenshots`, { body, key: foreign.key })).statusCode).toBe(404);
    const number = { number: "+15550177", server: server.id };
    expect((await api.ask("POST /api/phone-numbers", { body: number })).statusCode).toBe(200);
    const sms = { from: "+15550100", to: "+15550177", text: "Hi" };
    const text = (await api.ask("POST /api/sms", { body: sms })).json<{ id: string }>();
    expect((await api.ask(`POST /api/messages/${text.id}/screenshots`, { body })).statusCode).toBe(404);
  });
});

describe("GET /api/files/screenshots/:id", () => {
  test("returns the image as a download that browsers do not sniff", async () => {
    const id = await api.deliver(server);
    const reply = await api.ask(`GET /api/files/screenshots/${id}-${label}`, { key: server.key });
    expect([reply.statusCode, reply.headers["content-type"]]).toEqual([200, "image/png"]);
    expect(reply.rawPayload).toEqual(onePixelPng);
    expect(reply.headers["content-disposition"]).toBe(`attachment; filename="${label}.png"`);
    expect(reply.headers["x-content-type-options"]).toBe("nosniff");
    const again = { "if-none-match": String(reply.headers["etag"]) };
    expect((await api.ask(`GET /api/files/screenshots/${id}-${label}`, { headers: again })).statusCode).toBe(304);
  });

  test("responds 202 with a delay while the preview is rendered, then 200; renders once", async () => {
    const slow = slowRenderer();
    await using own = await openHttpTestServer({ context: { renderer: slow.renderer } });
    const id = await own.deliver(await own.addServer());
    const [preview] = (await own.ask(`POST /api/messages/${id}/screenshots`, { body: { emailClients: [label] } })).json<
      WirePreview[]
    >();
    const idle = own.clock.appointmentCount;
    const asked = own.ask(`GET /api/files/screenshots/${preview?.id}`);
    await until(() => own.clock.appointmentCount > idle);
    own.clock.advance(999);
    own.clock.advance(1);
    const pending = await asked;
    expect([pending.statusCode, pending.headers["x-ms-delay"], pending.body]).toEqual([202, "1000", ""]);
    const held = own.ask(`GET /api/files/screenshots/${preview?.id}`);
    await until(() => own.clock.appointmentCount > idle);
    slow.end();
    expect([(await held).statusCode, slow.rendered]).toEqual([200, [label]]);
  });

  test("renders a preview that was not requested before, so that any node can respond", async () => {
    const id = await api.deliver(server);
    const path = `/api/files/screenshots/${id}-macos-applemail-darkmode`;
    expect(
      (await api.ask(`GET ${path.toUpperCase().replace("/API/FILES/SCREENSHOTS", "/api/files/screenshots")}`))
        .statusCode,
    ).toBe(200);
  });

  test("responds 410 once the message is deleted or its server emptied", async () => {
    const own = await api.addServer();
    const [one, other] = [await api.deliver(own), await api.deliver(own)];
    for (const id of [one, other]) {
      expect((await api.ask(`GET /api/files/screenshots/${id}-${label}`)).statusCode).toBe(200);
    }
    await api.ask(`DELETE /api/messages/${one}`);
    expect((await api.ask(`GET /api/files/screenshots/${one}-${label}`)).json()).toMatchObject({
      type: "Gone",
      status: 410,
      errors: [],
    });
    expect(api.context.previews.isReady(`${one}-${label}`)).toBe(false);
    await api.ask(`DELETE /api/messages?server=${own.id}`);
    expect((await api.ask(`GET /api/files/screenshots/${other}-${label}`)).statusCode).toBe(410);
    await api.ask(`DELETE /api/servers/${own.id}`);
    expect((await api.ask(`GET /api/files/screenshots/${other}-${label}`)).statusCode).toBe(404);
  });

  test("responds 410 when the message is deleted while its preview is queued", async () => {
    const slow = slowRenderer();
    await using own = await openHttpTestServer({ context: { renderer: slow.renderer } });
    const id = await own.deliver(await own.addServer());
    const asked = own.ask(`GET /api/files/screenshots/${id}-${label}`);
    await until(() => slow.rendered.length > 0);
    await own.ask(`DELETE /api/messages/${id}`);
    slow.end();
    expect((await asked).statusCode).toBe(410);
  });

  test("responds 404 for malformed and foreign ids and for unknown email clients", async () => {
    const id = await api.deliver(server);
    const foreign = await api.addServer();
    for (const wrong of ["nonsense", id, `${id}-none`, `${id}-`]) {
      expect((await api.ask(`GET /api/files/screenshots/${wrong}`)).statusCode).toBe(404);
    }
    expect((await api.ask(`GET /api/files/screenshots/${id}-${label}`, { key: foreign.key })).statusCode).toBe(404);
  });

  test("responds 503 for a minute when a mail cannot be rendered", async () => {
    let tries = 0;
    const render = async (): Promise<never> => {
      tries += 1;
      throw new Problem("unavailable", { text: "It asks for too much" });
    };
    await using own = await openHttpTestServer({ context: { renderer: { ...api.context.renderer, render } } });
    const id = await own.deliver(await own.addServer());
    for (const _ of [1, 2]) {
      const reply = await own.ask(`GET /api/files/screenshots/${id}-${label}`);
      expect(reply.json()).toMatchObject({ status: 503, message: "It asks for too much" });
    }
    expect(tries).toBe(1);
  });
});

describe("paths of libraries before 2026", () => {
  test("GET /api/previews/clients: returns every member that a library reads, each email client once, without null", async () => {
    const reply = await api.ask("GET /api/previews/clients", { headers: official });
    const { items } = reply.json<{ items: WireFormerClient[] }>();
    expect(items.find(({ id }) => id === "OL2021")).toEqual({
      id: "OL2021",
      name: "Outlook 2021, Windows, light",
      emailClient: "Outlook 2021, Windows, light",
      platformGroup: "Desktop",
      platformType: "Windows",
      platformVersion: "",
      canDisableImages: true,
      status: "Available",
    });
    expect(items).toHaveLength(emailClients.length / 2);
    for (const item of items) expect(Object.values(item)).not.toContain(null);
  });

  test("POST and GET: hold the request until the preview is ready", async () => {
    const slow = slowRenderer();
    await using own = await openHttpTestServer({ context: { renderer: slow.renderer } });
    const id = await own.deliver(await own.addServer());
    const body = {
      previews: [
        { emailClient: "OL2021", disableImages: false },
        { emailClient: "ol2021", disableImages: true },
      ],
    };
    const reply = await own.ask(`POST /api/messages/${id}/previews`, { body, headers: official });
    const { items } = reply.json<{ items: WirePreview[] }>();
    expect(items.map(({ disableImages }) => disableImages)).toEqual([false, true]);
    const idle = own.clock.appointmentCount;
    const asked = own.ask(`GET /api/files/previews/${items[0]?.id}`);
    await until(() => own.clock.appointmentCount > idle);
    own.clock.advance(60_000);
    slow.end();
    expect((await asked).rawPayload).toEqual(onePixelPng);
  });

  test("respond 400 naming an unknown email client", async () => {
    const id = await api.deliver(server);
    const body = { previews: [{ emailClient: "OL2021" }, { disableImages: true }] };
    const reply = await api.ask(`POST /api/messages/${id}/previews`, { body });
    expect(reply.json<WireError>().errors[0]?.field).toBe("previews[1].emailClient");
  });
});
