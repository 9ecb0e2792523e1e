import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { startHttpListener, type HttpListener } from "../../testing/http-listener.ts";
import { run } from "../run.ts";

let folder: string;
let service: HttpListener;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "restante-cli-"));
  service = await startHttpListener(({ path }) =>
    path.includes("unknown")
      ? { status: 404, body: '{"message":"Message not found","errors":[]}' }
      : { status: 200, body: `archive of ${path}` },
  );
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function bundle(...flags: readonly string[]): Promise<{ code: number; out: string; error: string }> {
  let [out, error] = ["", ""];
  const environment = {
    RESTANTE_DATA_DIR: folder,
    RESTANTE_URL: service.url,
    RESTANTE_API_KEY: "a-key-of-this-test",
    RESTANTE_SERVER: "abcd1234",
  };
  const code = await run(["bundle", ...flags], {
    environment,
    out: (text) => (out += text),
    error: (text) => (error += text),
    clock: new FakeClock(),
  });
  return { code, out, error };
}

describe("restante bundle", () => {
  test("saves the bundle of a message to a new file that only its owner can read", async () => {
    const file = join(folder, "failed test.zip");
    expect(await bundle("--message", "m-1", "--out", file)).toEqual({ code: 0, out: `${file}\n`, error: "" });
    expect(await readFile(file, "utf8")).toBe("archive of /api/messages/m-1/bundle");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(service.requests[0]?.headers.authorization).toBe("Bearer a-key-of-this-test");
  });

  test("saves the bundle of a server since an instant", async () => {
    const file = join(folder, "server.zip");
    await bundle("--since", "2026-11-20T10:42:00+01:00", "--out", file);
    expect(await readFile(file, "utf8")).toBe(
      "archive of /api/servers/abcd1234/bundle?since=2026-11-20T10%3A42%3A00%2B01%3A00",
    );
  });

  test("never overwrites a file", async () => {
    const file = join(folder, "kept.zip");
    await bundle("--message", "m-1", "--out", file);
    const { code, error } = await bundle("--message", "m-2", "--out", file);
    expect([code, error]).toEqual([1, expect.stringContaining("already exists; choose another name with --out")]);
    expect(await readFile(file, "utf8")).toBe("archive of /api/messages/m-1/bundle");
  });

  test("prints the error of the service and leaves no file", async () => {
    const { code, error } = await bundle("--message", "unknown", "--out", join(folder, "none.zip"));
    expect([code, error]).toEqual([1, expect.stringContaining("Message not found")]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("rejects --since with --message", async () => {
    expect((await bundle("--message", "m-1", "--since", "2026-11-20")).code).toBe(2);
  });
});
