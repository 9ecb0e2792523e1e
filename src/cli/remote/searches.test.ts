import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { LocalService } from "../../testing/local-service.ts";
import { run } from "../run.ts";

const key = "a-key-for-searches";
const server = "search12";

let folder: string;
let service: LocalService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-searches-"));
  service = await LocalService.start([`--data-dir=${folder}`], {
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: `${server}:Searches,other123:Other`,
  });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function command(...argv: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  let text = "";
  const write = (written: string): void => void (text += written);
  // A message is released without the name of its server.
  const named = argv[1] === "release" ? {} : { RESTANTE_SERVER: server };
  const environment = { RESTANTE_API_KEY: key, RESTANTE_URL: service.url, ...named };
  const code = await run(argv, { environment, out: write, error: write, clock: new FakeClock() });
  return { code, text };
}

test("saves, lists and removes searches", async () => {
  expect(await command("searches", "save", "late ones", "from:shop -is:read")).toEqual({ code: 0, text: "" });
  expect(await command("searches", "list")).toEqual({ code: 0, text: "late ones\tfrom:shop -is:read\n" });
  expect((await command("searches", "save", "wrong", "after:never")).code).toBe(1);
  expect(await command("searches", "remove", "late ones")).toEqual({ code: 0, text: "" });
  expect(await command("searches", "list")).toEqual({ code: 0, text: "" });
});

test("replaces the tag rules by those of a file, and prints them", async () => {
  const file = join(folder, "rules.json");
  const tagging = { plusAddresses: true, rules: [{ q: "subject:invoice", tags: ["paid"] }] };
  writeFileSync(file, JSON.stringify(tagging));
  const { code, text } = await command("tag-rules", "set", file);
  expect([code, JSON.parse(text)]).toEqual([0, tagging]);
  expect(JSON.parse((await command("tag-rules", "show")).text)).toEqual(tagging);
  writeFileSync(file, JSON.stringify({ rule: [] }));
  expect(await command("tag-rules", "set", file)).toEqual({
    code: 1,
    text: `restante: ${file}: unknown member "rule"; did you mean rules?; known are plusAddresses, rules\n`,
  });
  expect(JSON.parse((await command("tag-rules", "show")).text)).toEqual(tagging);
  writeFileSync(file, "{");
  expect(await command("tag-rules", "set", file)).toEqual({ code: 1, text: `restante: ${file}: not JSON\n` });
});

test("deletes the messages that match, and no others", async () => {
  for (const subject of ["old report", "new report", "letter"]) {
    await service.send(`x@${server}.restante.test`, subject);
  }
  await service.send("x@other123.restante.test", "old report");
  expect(await command("messages", "delete", "subject:report")).toEqual({ code: 0, text: "2\n" });
  expect(await service.subjects(server, key)).toEqual(["letter"]);
  expect(await service.subjects("other123", key)).toEqual(["old report"]);
  expect((await command("messages", "delete", "")).code).toBe(1);
});

test("releases a mail to addresses of the service", async () => {
  await service.send(`x@${server}.restante.test`, "release me");
  const list = (await (await service.fetch(`/api/messages?server=${server}`, key)).json()) as { readonly id: string }[];
  const { code, text } = await command("messages", "release", list[0]?.id ?? "", "a@other123.restante.test");
  expect([code, text]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}\n$/)]);
  expect(await service.subjects("other123", key)).toContain("release me");
  const refused = await command("messages", "release", list[0]?.id ?? "", "someone@elsewhere.example");
  expect(refused).toMatchObject({ code: 1, text: expect.stringContaining("verified addresses") as unknown });
});
