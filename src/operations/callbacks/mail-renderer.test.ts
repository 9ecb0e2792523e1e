import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { replyLineCountMax } from "../../analysis/bounds.ts";
import type { MessageId } from "../../core/ids.ts";
import { DeliveryFailure } from "../../egress/delivery-failure.ts";
import type { CallbackSigning } from "../../providers/callbacks.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { until } from "../../testing/until.test-aid.ts";
import { createMailRenderer, type MailRenderer, type RenderedMail } from "./open-receiver.ts";

const signing: CallbackSigning = {
  url: "http://app.test/inbound",
  target: "00000000-0000-0000-0000-000000000000",
  options: {},
  secrets: {},
  now: 0,
  serviceUrl: "http://localhost",
};

let api: HttpTestServer;
let server: TestServer;
let render: MailRenderer;
beforeEach(async () => {
  api = await openHttpTestServer({ limits: { answerBytesInFlightMax: 1024 * 1024 } });
  server = await api.addServer();
  render = createMailRenderer(api.context);
});
afterEach(async () => api[Symbol.asyncDispose]());

const hand = async (message: MessageId, { url = signing.url, shape = "raw" } = {}): Promise<RenderedMail> =>
  render(
    { kind: "inbound", message, recipient: `a@${server.id}.restante.test`, defect: null },
    { shape, signing: { ...signing, url } },
  );

const deliver = async (bytes: number): Promise<MessageId> => api.deliver(server, { text: "x".repeat(bytes) });

test("renders a large mail of one receiver only after the memory of the last one is released", async () => {
  const large = await deliver(100_000);
  const first = await hand(large);
  expect(Buffer.from(first.request.body).includes("x".repeat(1000))).toBe(true);
  let second: RenderedMail | undefined;
  const waiting = hand(large).then((rendered) => (second = rendered));
  const small = await hand(await deliver(10));
  expect(second).toBeUndefined();
  first.release();
  await waiting;
  second?.release();
  small.release();
});

test("reports a failure that is retried when memory stays in use for ten seconds", async () => {
  const large = await deliver(100_000);
  const first = await hand(large);
  const appointments = api.clock.appointmentCount;
  const second = hand(large).catch((error: unknown) => error);
  await until(() => api.clock.appointmentCount > appointments);
  api.clock.advance(10_000);
  const failure = await second;
  expect(failure).toBeInstanceOf(DeliveryFailure);
  expect((failure as DeliveryFailure).verdict).toBe("retry");
  first.release();
});

test("renders large mails of other receivers meanwhile", async () => {
  const large = await deliver(100_000);
  const [first, second] = [await hand(large), await hand(large, { url: "http://app.test/other" })];
  first.release();
  second.release();
});

test("reports a final failure for a deleted message", async () => {
  const id = await deliver(10);
  await api.ask(`DELETE /api/messages/${id}`);
  const failure = await hand(id).catch((error: unknown) => error);
  expect((failure as DeliveryFailure).verdict).toBe("fail");
});

test("requests of deliveries that are read at the same time share one budget", async () => {
  const id = await deliver(300_000);
  const body = { shape: "raw", url: signing.url };
  const made = await api.ask(`POST /api/messages/${id}/inbound`, { body });
  const [delivery] = made.json<{ deliveries: readonly { readonly id: string }[] }>().deliveries;
  const path = `GET /api/servers/${server.id}/deliveries/${delivery?.id ?? ""}`;
  const { inspector } = api.context;
  const inspect = inspector.inspect.bind(inspector);
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
  const spy = vi.spyOn(inspector, "inspect").mockImplementation(async (...call) => {
    await held;
    return inspect(...call);
  });
  const reads = [api.ask(path), api.ask(path)];
  await until(() => spy.mock.calls.length > 0);
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(spy).toHaveBeenCalledTimes(1);
  release(undefined);
  for (const reply of await Promise.all(reads)) expect(reply.json()).toMatchObject({ request: { encoding: "text" } });
  spy.mockRestore();
});

test("hands over the text of a mail with more lines than are divided, and leaves the rest out of the author's part", async () => {
  const partsWithEnd = async (lineCount: number): Promise<number> => {
    const text = `start${"\r\n".repeat(lineCount)}the end`;
    const rendered = await hand(await api.deliver(server, { text }), { shape: "mailgun" });
    rendered.release();
    return Buffer.from(rendered.request.body).toString("latin1").split("the+end").length - 1;
  };
  const whole = await partsWithEnd(replyLineCountMax - 10);
  expect(whole).toBeGreaterThan(1);
  expect(await partsWithEnd(replyLineCountMax + 10)).toBe(whole - 1);
});
