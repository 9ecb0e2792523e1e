import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServerId } from "../core/ids.ts";
import { openServerPassword, sealServerPassword } from "../operations/services/security/server-passwords.ts";
import { openHttpDoor, type HttpDoor } from "../testing/http-door.test-aid.ts";
import type { ServerLine } from "./export-lines.ts";
import { ContentRefused, placeLine } from "./place-line.ts";

let door: HttpDoor;

beforeAll(async () => {
  door = await openHttpDoor();
});
afterAll(async () => door[Symbol.asyncDispose]());

function serverLine(id: ServerId, password: string): ServerLine {
  const retention = { ageSecondsMax: null, messageCountMax: null };
  const rest = { name: "n", users: [], retention, retired: 0, createdAt: 0, expiresAt: null, zone: null };
  return { kind: "server", id, password, ...rest };
}

describe("placeLine", () => {
  test("seals a password that the export has in clear, and accepts the line again", async () => {
    const { store, secrets } = door.context;
    const id = "aaaa1111" as ServerId;
    await placeLine({ store, secrets }, serverLine(id, "as given"));
    const stored = (await store.getServerPassword(id)) ?? "";
    expect(stored).toMatch(/^sealed:/);
    expect(openServerPassword(secrets, id, stored)).toBe("as given");
    await placeLine({ store, secrets }, serverLine(id, "as given"));
    await placeLine({ store, secrets }, serverLine(id, sealServerPassword(secrets, id, "as given")));
    expect(await store.getServerPassword(id)).toBe(stored);
    const other = placeLine({ store, secrets }, serverLine(id, "other"));
    await expect(other).rejects.toThrow(new ContentRefused(`server ${id} is there with another password`));
  });

  test("stores a sealed password as it is when the secret key of the target is not known", async () => {
    const { store, secrets } = door.context;
    const id = "bbbb2222" as ServerId;
    const sealed = sealServerPassword(secrets, id, "secret");
    await placeLine({ store, secrets: null }, serverLine(id, sealed));
    await placeLine({ store, secrets: null }, serverLine(id, sealed));
    expect(await store.getServerPassword(id)).toBe(sealed);
  });
});
