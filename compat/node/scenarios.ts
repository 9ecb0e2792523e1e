/**
 * Scenarios of a test suite with an official Node client, run as a separate program: `scenarios.ts PACKAGE`. The client is
 * the published one, unchanged, and finds the service by environment variables only. Prints the name of each scenario
 * that succeeds, and exits at the first that fails.
 */
import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import { EventEmitter, once } from "node:events";
import type { ClientRequest, IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import type MailosaurClient from "mailosaur";
import { createTransport } from "nodemailer";
import { mailShapes, pictures } from "../mail-shapes.ts";

type Client = InstanceType<typeof MailosaurClient>;
interface MailosaurError extends Error {
  readonly errorType?: string;
  readonly httpStatusCode?: number | null;
}

const packageName = process.argv[2] ?? "mailosaur";
const Client = createRequire(import.meta.url)(packageName) as new (apiKey?: string, baseUrl?: string) => Client;
const environment = process.env;
const client = new Client(environment["MAILOSAUR_API_KEY"], environment["MAILOSAUR_BASE_URL"]);
const smtp = createTransport({
  host: environment["RESTANTE_SMTP_HOST"] ?? "",
  port: Number(environment["MAILOSAUR_SMTP_PORT"]),
});

/** Sends a mail in the form of a library; resolves at the reply 250. */
async function send(to: string, subject: string, shape = "node"): Promise<void> {
  const from = "Ada Example <Ada@app.example>";
  const raw = mailShapes[shape]?.({ from, to, subject }) ?? "";
  await smtp.sendMail({ envelope: { from: "Ada@app.example", to: [to] }, raw });
}

async function refusal(promise: Promise<unknown>): Promise<MailosaurError> {
  try {
    await promise;
  } catch (error) {
    return error as MailosaurError;
  }
  throw new Error("the request was not rejected");
}

function assertRefusal(error: MailosaurError, errorType: string, message: string | RegExp): void {
  assert.equal(error.errorType, errorType);
  if (typeof message === "string") assert.equal(error.message, message);
  else assert.match(error.message, message);
}

function assertFindings({ html, text }: Awaited<ReturnType<Client["messages"]["get"]>>): void {
  assert.deepEqual(
    html?.codes?.map(({ value }) => value),
    ["804219"],
  );
  assert.deepEqual(
    html?.links?.map(({ href, text }) => [href, text]),
    [["https://app.example/confirm?x=1&y=2", "Confirm"]],
  );
  assert.deepEqual(
    html?.images?.map(({ src, alt }) => [src, alt]),
    [["cid:cat-1", ""]],
  );
  assert.deepEqual(
    text?.links?.map(({ href }) => href),
    ["https://app.example/confirm"],
  );
  assert.deepEqual(
    text?.codes?.map(({ value }) => value),
    ["804219"],
  );
}

async function newServer(): Promise<string> {
  const { id } = await client.servers.create({ name: `${packageName} ${process.pid}` });
  assert.ok(id);
  return id;
}

/** Versions 8 and 9 request previews with other paths and bodies. */
const asksAsBefore = ["mailosaur-8", "mailosaur-9"].includes(packageName);

/** Request of the libraries' own tests. */
function previewRequest(): { emailClients: string[] } {
  const former = { previews: [{ emailClient: "OL2021", disableImages: false }] };
  const request = { emailClients: ["iphone-16plus-applemail-lightmode-portrait"] };
  return asksAsBefore ? (former as unknown as typeof request) : request;
}

/** Responses to searches of one server. */
class Searches extends EventEmitter<{ readonly response: [] }> {
  /** Values of `X-Ms-Delay`, with which the service tells the client when to poll again, in the order of responses. */
  readonly delays: string[] = [];

  constructor(server: string) {
    super();
    subscribe("http.client.response.finish", (event) => {
      const { request, response } = event as { readonly request: ClientRequest; readonly response: IncomingMessage };
      if (!request.path.includes(`/search?server=${server}`)) return;
      this.delays.push(String(response.headers["x-ms-delay"]));
      this.emit("response");
    });
  }
}

const scenarios: Readonly<Record<string, () => Promise<void>>> = {
  "a client without a base URL": async () => {
    const { items = [] } = await new Client(environment["MAILOSAUR_API_KEY"]).servers.list();
    assert.ok(items.some(({ id }) => id === environment["MAILOSAUR_SERVER"]));
  },
  "servers: create, list, get, update, delete": async () => {
    const name = "Team … 👋🏽";
    const made = await client.servers.create({ name });
    assert.match(made.id ?? "", /^[a-z0-9]{8}$/);
    assert.deepEqual([made.name, made.users, made.messages], [name, [], 0]);
    const { items = [] } = await client.servers.list();
    assert.ok(items.some(({ id }) => id === made.id));
    const found = await client.servers.get(made.id ?? "");
    assert.equal(found.name, name);
    found.name = `${name} renamed`;
    assert.equal((await client.servers.update(made.id ?? "", found)).name, `${name} renamed`);
    await client.servers.del(made.id ?? "");
    assertRefusal(
      await refusal(client.servers.del(made.id ?? "")),
      "invalid_request",
      "Not found, check input parameters.",
    );
  },
  "servers: password and addresses": async () => {
    const server = await newServer();
    assert.ok((await client.servers.getPassword(server)).length >= 8);
    assert.match(
      client.servers.generateEmailAddress(server),
      new RegExp(`^[a-z0-9]*@${server}\\.restante\\.example\\.com$`),
    );
    await client.servers.del(server);
  },
  "servers: require a name": async () => {
    const error = await refusal(client.servers.create({}));
    assertRefusal(error, "invalid_request", "(name) Servers need a name\r\n");
    assert.equal(error.httpStatusCode, 400);
    assert.match(String(Reflect.get(error, "httpResponseBody")), /^\{"type":/);
  },
  "messages: get returns an earlier mail completely": async () => {
    const server = await newServer();
    const to = `Reader@${server}.localhost`;
    await send(to, "Sign up … 👋🏽");
    const message = await client.messages.get(server, { sentTo: to });
    assert.equal(message.subject, "Sign up … 👋🏽");
    assert.equal(message.server, server);
    assert.equal(message.type, "Email");
    assert.deepEqual(
      message.from?.map(({ name, email }) => [name, email]),
      [["Ada Example", "Ada@app.example"]],
    );
    assert.deepEqual(
      message.to?.map(({ email }) => email),
      [to],
    );
    assert.deepEqual([message.cc, message.bcc], [[], []]);
    assertFindings(message);
    assert.ok(message.received instanceof Date && Math.abs(message.received.getTime() - Date.now()) < 60_000);
    const subject = message.metadata?.headers?.find(({ field }) => field === "Subject");
    assert.equal(subject?.value, "Sign up … 👋🏽");
    assert.deepEqual([message.metadata?.mailFrom, message.metadata?.rcptTo?.[0]?.email], ["Ada@app.example", to]);
    await client.servers.del(server);
  },
  "messages: get waits for a later mail": async () => {
    const server = await newServer();
    const to = `later@${server}.localhost`;
    const searches = new Searches(server);
    const startedAt = performance.now();
    const waiting = client.messages.get(server, { sentTo: to }, { timeout: 120_000 });
    await once(searches, "response");
    await once(searches, "response");
    await send(to, "Later");
    assert.equal((await waiting).subject, "Later");
    // The service holds each repeated search for up to a second, so the client need not pause between them.
    const { delays } = searches;
    assert.deepEqual(new Set(delays.slice(0, -1)), new Set(["0"]));
    const seconds = (performance.now() - startedAt) / 1000;
    assert.ok(delays.length <= 3 + seconds, `${delays.length} searches in ${seconds} s`);
    await client.servers.del(server);
  },
  "messages: list and search with pages and instants": async () => {
    const server = await newServer();
    const address = (name: string): string => `${name}@${server}.localhost`;
    for (const name of ["one", "two", "three"]) await send(address(name), `Letter ${name}`);
    const subjects = (result: { items?: { subject?: string }[] }): unknown =>
      result.items?.map(({ subject }) => subject);
    const all = ["Letter three", "Letter two", "Letter one"];
    const list = await client.messages.list(server);
    assert.deepEqual(subjects(list), all);
    assert.equal(list.items?.[0]?.attachments, 2);
    assert.ok((list.items?.[0]?.summary ?? "").startsWith("Your code is 804 219"));
    assert.deepEqual(subjects(await client.messages.list(server, { page: 1, itemsPerPage: 2 })), ["Letter one"]);
    assert.deepEqual(subjects(await client.messages.list(server, { receivedAfter: new Date() })), []);
    assert.deepEqual(subjects(await client.messages.list(server, { receivedAfter: new Date(0) })), all);
    assert.deepEqual(subjects(await client.messages.list(server, { dir: "Sent" })), []);
    const found = async (criteria: object): Promise<unknown> =>
      subjects(await client.messages.search(server, criteria));
    assert.deepEqual(await found({ sentTo: address("TWO") }), ["Letter two"]);
    assert.deepEqual(await found({ sentFrom: "ada@app.example" }), all);
    assert.deepEqual(await found({ subject: "LETTER t" }), ["Letter three", "Letter two"]);
    assert.deepEqual(await found({ body: "your code is" }), all);
    assert.deepEqual(await found({ subject: "one", sentTo: address("two") }), []);
    assert.deepEqual(await found({ subject: "one", sentTo: address("two"), match: "ANY" }), [
      "Letter two",
      "Letter one",
    ]);
    assert.deepEqual(await found({ subject: "… 👋🏽" }), []);
    await client.servers.del(server);
  },
  "messages: time-outs, with and without an error": async () => {
    const server = await newServer();
    const criteria = { sentTo: `nobody@${server}.localhost` };
    const error = await refusal(client.messages.get(server, criteria, { timeout: 1500 }));
    assertRefusal(error, "search_timeout", /^No matching messages found in time\. .* timed out after 1500ms$/);
    const empty = await client.messages.search(server, criteria, { timeout: 1, errorOnTimeout: false });
    assert.deepEqual(empty.items, []);
    const searches = new Searches(server);
    assert.deepEqual((await client.messages.search(server, { subject: "one shot" })).items, []);
    assert.equal(searches.delays.length, 1);
    await client.servers.del(server);
  },
  "messages: get by id, delete, delete all": async () => {
    const server = await newServer();
    await send(`a@${server}.localhost`, "First");
    await send(`b@${server}.localhost`, "Second");
    const { items: [second, first] = [] } = await client.messages.list(server);
    assert.equal((await client.messages.getById(first?.id ?? "")).subject, "First");
    await client.messages.del(first?.id ?? "");
    assertRefusal(
      await refusal(client.messages.getById(first?.id ?? "")),
      "invalid_request",
      "Not found, check input parameters.",
    );
    assertRefusal(
      await refusal(client.messages.del(first?.id ?? "")),
      "invalid_request",
      "Not found, check input parameters.",
    );
    assert.equal((await client.messages.getById(second?.id ?? "")).subject, "Second");
    await client.messages.deleteAll(server);
    assert.deepEqual((await client.messages.list(server)).items, []);
    await client.servers.del(server);
  },
  "messages: create a sample, and reject an unverified recipient": async () => {
    const server = await newServer();
    const sample = await client.messages.create(server, {});
    assert.match(sample.subject ?? "", /Example message/);
    assert.deepEqual(
      (await client.messages.list(server)).items?.map(({ id }) => id),
      [sample.id],
    );
    const refused = await refusal(client.messages.create(server, { to: "x@stranger.example", send: true }));
    assertRefusal(refused, "invalid_request", /^\(to\) .+\r\n$/);
    await client.servers.del(server);
  },
  "messages: send, forward, reply": async () => {
    const server = await newServer();
    const to = `inbox@${server}.restante.test`;
    const cc = `copy@${server}.restante.test`;
    const attachments = [{ fileName: "cat.png", contentType: "image/png", content: pictures.cat.toString("base64") }];
    const html = "<p>Given <b>verbatim</b></p>";
    // The library's type requires members that only received attachments have.
    const fields = { to, cc, send: true, subject: "To you", html, attachments } as unknown as { to: string };
    const sent = await client.messages.create(server, fields);
    assert.deepEqual([sent.subject, sent.cc?.map(({ email }) => email)], ["To you", [cc]]);
    assert.ok(sent.html?.body?.includes(html));
    assert.deepEqual(
      sent.attachments?.map(({ fileName, contentType, length }) => [fileName, contentType, length]),
      [["cat.png", "image/png", pictures.cat.length]],
    );
    const received = await client.messages.get(server, { sentTo: to, subject: "To you" });
    const passed = await client.messages.forward(received.id ?? "", { to, text: "Look at this" });
    assert.ok(passed.text?.body?.includes("Look at this"));
    const answer = await client.messages.reply(received.id ?? "", { text: "I have seen it" });
    assert.deepEqual([answer.subject, answer.attachments], ["Re: To you", []]);
    assert.ok(answer.text?.body?.includes("I have seen it"));
    const { items: out = [] } = await client.messages.list(server, { dir: "Sent" });
    assert.deepEqual(
      out.map(({ subject }) => subject),
      ["Re: To you", "Fwd: To you", "To you"],
    );
    await client.servers.del(server);
  },
  "files: attachments and raw mail, byte for byte": async () => {
    const server = await newServer();
    for (const shape of Object.keys(mailShapes)) {
      await send(`${shape}@${server}.localhost`, `From ${shape}`, shape);
      const { id = "", attachments = [] } = await client.messages.get(server, {
        sentTo: `${shape}@${server}.localhost`,
      });
      const shown = attachments.map(({ fileName, contentType, length }) => [fileName, contentType, length]);
      const expected = [
        ["cat.png", "image/png", pictures.cat.length],
        ["dog.png", "image/png", pictures.dog.length],
      ];
      assert.deepEqual(shown, expected, shape);
      const [cat, dog] = await Promise.all(attachments.map(async (one) => client.files.getAttachment(one.id ?? "")));
      assert.deepEqual([cat, dog], [pictures.cat, pictures.dog], shape);
      assert.ok(attachments.every(({ url }) => url?.includes("/api/files/attachments/")));
      assert.match(String(await client.files.getEmail(id)), new RegExp(`\r\nSubject: From ${shape}\r\n`));
    }
    await client.servers.del(server);
  },
  "previews: email clients, images, and 410": async () => {
    const server = await newServer();
    await send(`look@${server}.localhost`, "Look");
    const { items: programs = [] } = await client.previews.listEmailClients();
    assert.ok(programs.length > 1);
    for (const { name } of programs) assert.match(String(name), /^[A-Z]/);
    const { id: message = "" } = await client.messages.get(server, { subject: "Look" });
    const { items: [preview] = [] } = await client.messages.generatePreviews(message, previewRequest());
    assert.ok(preview);
    const { id = "", disableImages } = preview;
    assert.equal(disableImages, false);
    const png = Buffer.from(await client.files.getPreview(id));
    assert.equal(png.toString("latin1", 1, 4), "PNG");
    assert.ok(png.length > 1000, `${png.length} bytes`);
    await client.messages.del(message);
    // Older clients treat any response as an image.
    if (!asksAsBefore) assertRefusal(await refusal(client.files.getPreview(id)), "gone", /./);
    await client.servers.del(server);
  },
  "errors: with the texts of the client": async () => {
    const notFound = "Not found, check input parameters.";
    const noServer = "Must provide a valid Server ID.";
    const unknown = "00000000-0000-8000-8000-000000000000";
    assertRefusal(await refusal(client.messages.getById("not_found")), "invalid_request", notFound);
    assertRefusal(await refusal(client.messages.getById(unknown)), "invalid_request", notFound);
    assertRefusal(await refusal(client.messages.list("zzzzzzzz")), "invalid_request", notFound);
    assertRefusal(await refusal(client.messages.get("short", { sentTo: "a@b.example" })), "invalid_request", noServer);
    const server = environment["MAILOSAUR_SERVER"] ?? "";
    assertRefusal(await refusal(client.messages.search(server, {})), "invalid_request", /^\([a-zA-Z]+\) .+\r\n$/);
    const stranger = new Client("a-wrong-key", environment["MAILOSAUR_BASE_URL"]);
    const text = "Authentication failed, check your API key.";
    assertRefusal(await refusal(stranger.servers.list()), "authentication_error", text);
  },
};

for (const [name, scenario] of Object.entries(scenarios)) {
  await scenario();
  process.stdout.write(`${name}\n`);
}
smtp.close();
