import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { StoredDevice } from "../../core/device.ts";
import { newServerId } from "../../core/ids.ts";
import { dayOf } from "../../core/server.ts";
import { aServer, draft, epochMs } from "./drafts.ts";
import { expectProblem, makeServer, useStore, type OpenStore } from "./setup.ts";

const dayMs = 86_400_000;

/** Devices, usage by day, and zones. */
export function describeAccount(open: OpenStore): void {
  const store = useStore(open);
  const device = (fields: Partial<StoredDevice> = {}): StoredDevice => {
    return { id: randomUUID(), name: "Phone ✓", sealedSecret: Uint8Array.of(0, 1, 255), createdAt: epochMs, ...fields };
  };

  test("returns a device as it was added and rejects its id as taken", async () => {
    const own = device();
    await store().addDevice(own);
    const found = await store().getDevice(own.id);
    expect({ ...found, sealedSecret: [...(found?.sealedSecret ?? [])] }).toEqual({ ...own, sealedSecret: [0, 1, 255] });
    await expectProblem(store().addDevice(device({ id: own.id, name: "other" })), "conflict");
    expect((await store().getDevice(own.id))?.name).toBe("Phone ✓");
    expect(await store().getDevice(randomUUID())).toBeUndefined();
  });

  test("lists devices oldest first, without removed ones", async () => {
    const own = [5, 4, 6].map((age) => device({ createdAt: epochMs + age * 1e6 }));
    for (const one of own) await store().addDevice(one);
    const listed = async () =>
      (await store().listDevices()).map(({ id }) => id).filter((id) => own.some((one) => one.id === id));
    expect(await listed()).toEqual([own[1]?.id, own[0]?.id, own[2]?.id]);
    expect(await store().removeDevice(own[0]?.id ?? "")).toBe(true);
    expect(await store().removeDevice(own[0]?.id ?? "")).toBe(false);
    expect(await listed()).toEqual([own[1]?.id, own[2]?.id]);
  });

  test("counts each stored message once, by day of receipt and kind, also after its deletion", async () => {
    const server = await makeServer(store());
    const at = Date.UTC(2031, 4, 5);
    const mails = [draft(server, { at: at - 1 }), draft(server, { at }), draft(server, { at: at + dayMs - 1 })];
    const text = draft(server, { at: at + 5000, raw: "" });
    const sent = draft(server, { at: at + 6000, direction: "Sent" });
    for (const message of [...mails, text, sent]) await store().addMessages([message]);
    await store().addMessages([mails[1] ?? text]);
    await store().addMessages([draft(newServerId(), { at: at + 7000 })]);
    const expected = [
      { day: dayOf(at) - 1, email: 1, sms: 0 },
      { day: dayOf(at), email: 3, sms: 1 },
    ];
    expect(await store().listUsage(dayOf(at) - 1)).toEqual(expected);
    await store().emptyServer(server);
    await store().deleteServer(server);
    expect(await store().listUsage(dayOf(at) - 1)).toEqual(expected);
    expect(await store().listUsage(dayOf(at))).toEqual(expected.slice(1));
    expect(await store().listUsage(dayOf(at) + 1)).toEqual([]);
  });

  test("counts nothing for a call that collides", async () => {
    const server = await makeServer(store());
    const at = Date.UTC(2032, 4, 5);
    await store().addMessages([draft(server, { at, random: 7, raw: "one" })]);
    const outcomes = await store().addMessages([
      draft(server, { at, random: 7, raw: "two" }),
      draft(server, { at: at + 1 }),
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["collision", "collision"]);
    expect(await store().listUsage(dayOf(at))).toEqual([{ day: dayOf(at), email: 1, sms: 0 }]);
  });

  test("stores the last zone of a server until the server is deleted", async () => {
    const server = aServer();
    await store().createServer(server);
    expect(await store().getZone(server.id)).toBeUndefined();
    expect(await store().putZone(server.id, "; ünïcode\r\n")).toBe(true);
    expect(await store().putZone(server.id, "a. TXT b\n")).toBe(true);
    expect(await store().getZone(server.id)).toBe("a. TXT b\n");
    expect(await store().removeZone(server.id)).toBe(true);
    expect(await store().removeZone(server.id)).toBe(false);
    await store().putZone(server.id, "left behind");
    await store().deleteServer(server.id);
    expect(await store().getZone(server.id)).toBeUndefined();
    await store().createServer(server);
    expect(await store().getZone(server.id)).toBeUndefined();
  });

  test("rejects zones of servers that do not exist", async () => {
    const server = newServerId();
    expect(await store().putZone(server, "a. TXT b")).toBe(false);
    expect(await store().getZone(server)).toBeUndefined();
  });
}
