import { randomBytes } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { openS3 } from "./blobs-s3.ts";
import { readBlobUrl } from "./blobs.ts";
import { S3Server } from "./s3-server.test-aid.ts";

describe("readBlobUrl", () => {
  test("returns a path-style endpoint, with TLS unless tls=off", () => {
    expect(readBlobUrl("s3://AKIA:se%2Fcret@s3.eu-central-1.amazonaws.com/mail/a/b?region=eu-central-1")).toEqual({
      endpoint: "https://s3.eu-central-1.amazonaws.com/mail",
      region: "eu-central-1",
      accessKeyId: "AKIA",
      secretAccessKey: "se/cret",
      prefix: "a/b/",
    });
    expect(readBlobUrl("s3://k:s@minio:9000/mail?tls=off")).toMatchObject({
      endpoint: "http://minio:9000/mail",
      region: "us-east-1",
      prefix: "",
    });
  });

  test.each([
    ["https://k:SECRET@host/bucket", "s3://"],
    ["s3://k:SECRET@host/", "bucket"],
    ["s3://k:SECRET@host/UPPER", "bucket"],
    ["s3://host/bucket", "key and secret"],
    ["s3://k:SECRET@host/bucket?acl=public", '"acl"'],
    ["s3://k:SECRET@host/bucket?tls=maybe", "tls"],
    ["s3://k:SECRET%@host/bucket", "hexadecimal"],
  ])("rejects %s with the reason and without the secret", (url, reason) => {
    expect(() => readBlobUrl(url)).toThrow(reason);
    expect(() => readBlobUrl(url)).not.toThrow("SECRET");
  });
});

describe("openS3", async () => {
  const server = await S3Server.start();
  afterAll(() => server[Symbol.asyncDispose]());
  const content = openS3(server.url, { retryCount: 0 });

  test("returns stored bytes unchanged, separates prefixes, and returns undefined for unknown keys", async () => {
    const bytes = randomBytes(5_000_000);
    await content.put("abcd1234/1", bytes);
    await content.put("abcd1234/1", bytes);
    expect(Buffer.from((await content.get("abcd1234/1")) ?? []).equals(bytes)).toBe(true);
    const prefixed = openS3(server.url.replace("?", "/deep/down?"));
    expect(await prefixed.get("abcd1234/1")).toBeUndefined();
    await prefixed.put("abcd1234/1", Buffer.from("other"));
    expect(Buffer.from((await content.get("deep/down/abcd1234/1")) ?? []).toString()).toBe("other");
    await prefixed.remove(["abcd1234/1"]);
    await content.remove(["abcd1234/1"]);
  });

  test("removes any number of keys and ignores those that do not exist", async () => {
    await Promise.all(["a", "b", "c"].map((key) => content.put(key, Buffer.from(key))));
    await content.remove(["a", "nothing", "c"]);
    expect([await content.get("a"), await content.get("c")]).toEqual([undefined, undefined]);
    expect(Buffer.from((await content.get("b")) ?? []).toString()).toBe("b");
    await content.remove(["b"]);
    await content.remove([]);
    expect(await server.objectCount()).toBe(0);
  });

  test("rejects with unavailable while the server is down, and recovers afterwards", async () => {
    await content.put("kept", Buffer.from("kept"));
    await server.kill();
    const problem = { code: "unavailable", retryAfterSeconds: 2 };
    await expect(content.put("lost", Buffer.from("lost"))).rejects.toMatchObject(problem);
    await expect(content.get("kept")).rejects.toMatchObject(problem);
    await expect(content.remove(["kept"])).rejects.toMatchObject(problem);
    await server.restart();
    expect(Buffer.from((await content.get("kept")) ?? []).toString()).toBe("kept");
    await content.remove(["kept"]);
  });

  test("rejects with unavailable when the credentials are wrong", async () => {
    const unauthorized = openS3(server.url.replace(":S3RVER@", ":wrong@"), { retryCount: 0 });
    await expect(unauthorized.get("kept")).rejects.toMatchObject({ code: "unavailable" });
    await expect(unauthorized.put("kept", Buffer.from("x"))).rejects.toMatchObject({ code: "unavailable" });
  });
});
