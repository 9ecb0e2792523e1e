import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { LocalService } from "../../testing/local-service.ts";
import { run } from "../run.ts";

const key = "a-key-for-people";
const server = "people12";

let folder: string;
let service: LocalService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-people-"));
  service = await LocalService.start([`--data-dir=${folder}`], {
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: `${server}:Shop`,
  });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const command = async (...argv: readonly string[]): Promise<readonly [code: number, text: string]> =>
  commandWith(key, ...argv);

async function commandWith(apiKey: string, ...argv: readonly string[]): Promise<readonly [code: number, text: string]> {
  let text = "";
  const write = (written: string): void => void (text += written);
  const environment = { RESTANTE_API_KEY: apiKey, RESTANTE_URL: service.url };
  const code = await run(argv, { environment, out: write, error: write, clock: new FakeClock() });
  return [code, text];
}

/** Returns the fields of a list without the ids, which are random. */
async function list(...argv: readonly string[]): Promise<readonly (readonly string[])[]> {
  const [, text] = await command(...argv);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t").slice(1));
}

test("adds, changes, deactivates and deletes users, by address", async () => {
  const [code, id] = await command("users", "create", "ann@corp.example", "--name", "Ann");
  expect([code, id]).toEqual([0, expect.stringMatching(/^[\da-f-]{36}\n$/)]);
  expect((await command("users", "create", "bob@corp.example", "--owner"))[0]).toBe(0);
  expect(await list("users", "list")).toEqual([
    ["ann@corp.example", "Ann", "active", "never signed in"],
    ["bob@corp.example", "", "active,owner", "never signed in"],
  ]);
  expect(await command("users", "change", "ANN@corp.example", "--name", "Anna", "--owner", "yes")).toEqual([0, ""]);
  expect(await command("users", "change", id.trim(), "--owner", "maybe")).toEqual([
    1,
    "restante: --owner must be yes or no\n",
  ]);
  expect(await command("users", "deactivate", "ann@corp.example")).toEqual([0, ""]);
  expect((await list("users", "list"))[0]).toEqual(["ann@corp.example", "Anna", "inactive,owner", "never signed in"]);
  expect(await command("users", "activate", "ann@corp.example")).toEqual([0, ""]);
  expect(await command("users", "delete", "bob@corp.example")).toEqual([0, ""]);
  expect(await list("users", "list")).toHaveLength(1);
  expect(await command("users", "delete", "bob@corp.example")).toEqual([
    1,
    "restante: There is no user bob@corp.example; restante users list shows them\n",
  ]);
});

test("gives a team members and servers, and takes them", async () => {
  await command("users", "create", "eve@corp.example");
  expect((await command("teams", "create", "Payments", "--role", "viewer"))[0]).toBe(0);
  expect(await command("teams", "change", "payments", "--external-id", "group-1")).toEqual([0, ""]);
  expect(await list("teams", "list")).toEqual([["Payments", "viewer", "group-1"]]);
  expect(await command("teams", "add", "Payments", "eve@corp.example", "--role", "manager")).toEqual([0, ""]);
  expect(await list("teams", "members", "Payments")).toEqual([["eve@corp.example", "manager", "manual"]]);
  expect(await list("users", "teams", "eve@corp.example")).toEqual([["Payments", "manager", "manual"]]);
  expect(await command("teams", "assign", "Payments", server)).toEqual([0, ""]);
  expect(await command("teams", "servers", "Payments")).toEqual([0, `${server}\tShop\n`]);
  expect(await command("teams", "unassign", server)).toEqual([0, ""]);
  expect(await command("teams", "servers", "Payments")).toEqual([0, ""]);
  expect(await command("teams", "remove", "Payments", "eve@corp.example")).toEqual([0, ""]);
  expect(await list("teams", "members", "Payments")).toEqual([]);
  expect((await command("teams", "add", "Payments", "eve@corp.example", "--role", "boss"))[0]).toBe(1);
  expect(await command("teams", "delete", "Payments")).toEqual([0, ""]);
  expect(await command("teams", "members", "Payments")).toEqual([
    1,
    "restante: There is no team Payments; restante teams list shows them\n",
  ]);
});

test("shows and changes the limits of a team, and rejects flags that are not numbers", async () => {
  const id = (await command("teams", "create", "Limits"))[1].trim();
  const rows = [
    ["messagesMax", "none", "0"],
    ["bytesMax", "1000000000000", "0"],
    ["ageSecondsMax", "60", "-"],
    ["emailsPerDayMax", "none", "0"],
    ["smsPerDayMax", "none", "0"],
    ["outboundPerHourMax", "0", "0"],
  ];
  const text = (shown: typeof rows): string => shown.map((row) => `${row.join("\t")}\n`).join("");
  const flags = ["--bytes-max", "1000000000000", "--age-seconds-max=60", "--outbound-per-hour-max=0"];
  expect(await command("teams", "limits", "limits", ...flags)).toEqual([0, text(rows)]);
  for (const wrong of ["many", "-1", ""]) {
    expect(await command("teams", "limits", "Limits", `--age-seconds-max=${wrong}`)).toEqual([
      1,
      "restante: --age-seconds-max must be a whole number or none\n",
    ]);
  }
  expect(await command("teams", "limits", id)).toEqual([0, text(rows)]);
  const removed = rows.map((row) => (row[0] === "ageSecondsMax" ? ["ageSecondsMax", "none", "-"] : row));
  expect(await command("teams", "limits", id, "--age-seconds-max", "none")).toEqual([0, text(removed)]);
  expect(await command("teams", "limits", id, "--messages-max=0")).toEqual([1, expect.stringContaining("messagesMax")]);
});

test("creates keys of a user and of a team, by name", async () => {
  const user = (await command("users", "create", "key@corp.example"))[1].trim();
  const team = (await command("teams", "create", "Keys"))[1].trim();
  const create = async (...flags: readonly string[]) => command("keys", "create", `--data-dir=${folder}`, ...flags);
  expect((await create("--name=of a user", "--user", "KEY@corp.example"))[0]).toBe(0);
  expect((await create("--name=of a team", "--team", "keys"))[0]).toBe(0);
  const keys = (await (await service.fetch("/api/keys", key)).json()) as readonly Record<string, unknown>[];
  expect(keys.find(({ name }) => name === "of a user")).toMatchObject({ user, team: null });
  expect(keys.find(({ name }) => name === "of a team")).toMatchObject({ user: null, team });
  expect(await create("--team", "none")).toEqual([
    1,
    "restante: There is no team none; restante teams list shows them\n",
  ]);
  expect(await create("--team", "Keys", "--user", user)).toEqual([1, expect.stringContaining("one owner")]);
});

test("lists keys with their owners by name, by id to a user who may not list them, and as JSON", async () => {
  const user = (await command("users", "create", "owner@corp.example"))[1].trim();
  const team = (await command("teams", "create", "Owners"))[1].trim();
  await command("teams", "add", "Owners", "owner@corp.example");
  const create = async (...flags: readonly string[]) =>
    (await command("keys", "create", `--data-dir=${folder}`, ...flags))[1].trim();
  const own = await create("--name=own", "--user=owner@corp.example");
  await create("--name=shared", "--team=Owners");
  await create("--name=free");
  const listed = async (apiKey: string): Promise<readonly (string | undefined)[][]> => {
    const [, text] = await commandWith(apiKey, "keys", "list", `--data-dir=${folder}`);
    const rows = text.split("\n").map((line) => line.split("\t"));
    return rows.filter(([, , , name]) => ["own", "shared", "free"].includes(name ?? "")).map((row) => [row[3], row[7]]);
  };
  expect(await listed(key)).toEqual([
    ["own", "user owner@corp.example"],
    ["shared", "team Owners"],
    ["free", "account"],
  ]);
  expect(await listed(own)).toEqual([["own", `user ${user}`]]);
  const [, json] = await command("keys", "list", "--json", `--data-dir=${folder}`);
  const keys = JSON.parse(json) as readonly Record<string, unknown>[];
  expect(keys.find(({ name }) => name === "shared")).toMatchObject({ user: null, team, scope: "full" });
});
