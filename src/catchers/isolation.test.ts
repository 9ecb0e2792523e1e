/** Isolation of servers: no route of any API of another mail catcher reads or changes a message of another server. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { openHttpTestServer } from "../testing/http-test-server.test-aid.ts";
import { createCatcherRouter, catcherTable } from "./catcher-routes.ts";

const secret = "known-to-the-other-server-only";

/** Values of path parameters beside the id; a parameter without one fails the test, so that no route is forgotten. */
const values: Readonly<Record<string, string>> = {
  part: "0",
  name: "file.txt",
  tag: "theirs",
  recipient: "friend@outside.example",
};

function fill(path: string, id: string): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    if (name === "id") return id;
    if (name === "page") return `${id}.txt`;
    const value = values[name];
    if (value === undefined) throw new Error(`no value for :${name} of ${path}`);
    return value;
  });
}

test.each(Object.keys(catcherTable) as (keyof typeof catcherTable)[])(
  "%s neither reads nor changes messages of other servers over any route",
  async (name) => {
    await using api = await openHttpTestServer();
    const server = await api.addServer();
    const other = await api.addServer("Other");
    const id = await api.deliver(other, { subject: secret, text: secret });
    await api.context.store.marks.changeMarks(other.id, [id], { addTags: ["theirs"] });
    const before = await api.context.store.marks.readMarks(other.id, [id]);
    const catcher = await catcherTable[name]();
    const access = { name, server: server.id, trustsLoopback: true };
    const listener = api.app.createCatcherListener(createCatcherRouter(catcher, { access, version: "0" }), null);
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    const body = JSON.stringify({ IDs: [id], ids: [id], To: [`copy@${server.id}.restante.test`], Name: "ours" });
    const shown: string[] = [];
    for (const { method, path } of catcher.routes.filter((route) => !route.path.endsWith("events"))) {
      const url = `http://127.0.0.1:${port}${fill(path, id)}`;
      const response = await fetch(url, { method, redirect: "manual", ...(method !== "GET" && { body }) });
      if ((await response.text()).includes(secret)) shown.push(`${method} ${path}`);
    }
    listener.close();
    expect(shown).toEqual([]);
    expect(await api.context.store.getDetail(id)).toBeDefined();
    expect(await api.context.store.marks.readMarks(other.id, [id])).toEqual(before);
  },
);
