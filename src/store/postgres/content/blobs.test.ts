import { randomBytes } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { openS3 } from "./blobs-s3.ts";
import { readBlobUrl } from "./blobs-url.ts";
import { S3Server } from "./s3-server.test-aid.ts";

describe("the URL of a bucket", () => {
  test("leads over TLS, path style, unless it says otherwise", () => {
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
  ])("%s is refused by saying what is wrong, without the secret", (url, why) => {
    expect(() => readBlobUrl(url)).toThrow(why);
    expect(() => readBlobUrl(url)).not.toThrow("SECRET");
  });
});

describe("a bucket of a real S3 server", async () => {
  const server = await S3Server.start();
  afterAll(() => server[Symbol.asyncDispose]());
  const content = openS3(server.url, { retryCount: 0 });

  test("gives back what was put, byte by byte, also under a prefix, and knows nothing else", async () => {
    const bytes = randomBytes(5_000_000);
    await content.put("abcd1234/1", bytes);
    await content.put("abcd1234/1", bytes);
    expect(Buffer.from((await content.get("abcd1234/1")) ?? []).equals(bytes)).toBe(true);
    const deep = openS3(server.url.replace("?", "/deep/down?"));
    expect(await deep.get("abcd1234/1")).toBeUndefined();
    await deep.put("abcd1234/1", Buffer.from("other"));
    expect(Buffer.from((await content.get("deep/down/abcd1234/1")) ?? []).toString()).toBe("other");
    await deep.remove(["abcd1234/1"]);
    await content.remove(["abcd1234/1"]);
  });

  test("forgets what is removed, any number at once, whether it is there or not", async () => {
    await Promise.all(["a", "b", "c"].map((key) => content.put(key, Buffer.from(key))));
    await content.remove(["a", "nothing", "c"]);
    expect([await content.get("a"), await content.get("c")]).toEqual([undefined, undefined]);
    expect(Buffer.from((await content.get("b")) ?? []).toString()).toBe("b");
    await content.remove(["b"]);
    await content.remove([]);
    expect(await server.objectCount()).toBe(0);
  });

  test("that is away is unavailable, and used again when it is back", async () => {
    await content.put("kept", Buffer.from("kept"));
    await server.kill();
    const refusal = { code: "unavailable", retryAfterSeconds: 2 };
    await expect(content.put("lost", Buffer.from("lost"))).rejects.toMatchObject(refusal);
    await expect(content.get("kept")).rejects.toMatchObject(refusal);
    await expect(content.remove(["kept"])).rejects.toMatchObject(refusal);
    await server.restart();
    expect(Buffer.from((await content.get("kept")) ?? []).toString()).toBe("kept");
    await content.remove(["kept"]);
  });

  test("that does not know the secret is unavailable, never empty", async () => {
    const stranger = openS3(server.url.replace(":S3RVER@", ":wrong@"), { retryCount: 0 });
    await expect(stranger.get("kept")).rejects.toMatchObject({ code: "unavailable" });
    await expect(stranger.put("kept", Buffer.from("x"))).rejects.toMatchObject({ code: "unavailable" });
  });
});
