import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpDoor, type HttpDoor } from "../../../testing/http-door.test-aid.ts";

let door: HttpDoor;

beforeAll(async () => {
  door = await openHttpDoor();
});
afterAll(async () => door[Symbol.asyncDispose]());

describe("DELETE /api/messages", () => {
  test("empties the server at once, and leaves others", async () => {
    const [server, other] = [await door.addServer(), await door.addServer()];
    const deletedPaths = [await door.deliver(server), await door.deliver(server)];
    const kept = await door.deliver(other);
    const reply = await door.ask(`DELETE /api/messages?server=${server.id}`);
    expect([reply.statusCode, reply.body]).toEqual([204, ""]);
    expect((await door.ask(`GET /api/messages?server=${server.id}`)).body).toBe("[]");
    for (const id of deletedPaths) expect((await door.ask(`GET /api/messages/${id}`)).statusCode).toBe(404);
    expect((await door.ask(`GET /api/messages/${kept}`)).statusCode).toBe(200);
  });

  test("responds 204 for an empty server", async () => {
    const server = await door.addServer();
    expect((await door.ask(`DELETE /api/messages?server=${server.id}`, { key: server.key })).statusCode).toBe(204);
  });

  test("responds 400 without a server", async () => {
    expect((await door.ask("DELETE /api/messages")).json()).toMatchObject({
      status: 400,
      errors: [{ field: "server" }],
    });
  });

  test.each(["aaaaaaaa", "not_found"])("responds 404 for %s", async (id) => {
    expect((await door.ask(`DELETE /api/messages?server=${id}`)).statusCode).toBe(404);
  });
});
