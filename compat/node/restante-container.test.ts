/**
 * Tests the entry `restante/testcontainers` against a simulated Docker API, which starts the service as the container defines,
 * or against a real daemon with the image (`npm run compat:image`).
 */
import { getContainerRuntimeClient, Network, type StartedTestContainer } from "testcontainers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTransport } from "nodemailer";
import { RestanteContainer } from "../../src/testing/restante-container.ts";
import { openDocker, type Docker } from "../docker-daemon.ts";

let docker: Docker;
beforeEach(async () => {
  docker = await openDocker();
  vi.stubEnv("DOCKER_HOST", docker.address);
  vi.stubEnv("TESTCONTAINERS_HOST_OVERRIDE", "127.0.0.1");
  vi.stubEnv("TESTCONTAINERS_RYUK_DISABLED", "true");
  vi.stubEnv("RESTANTE_IMAGE", "restante:other");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await docker[Symbol.asyncDispose]();
});

describe("RestanteContainer", () => {
  test("receives mail, and is reached by its alias in a network", async () => {
    await using network = await new Network().start();
    const container = await new RestanteContainer().withServerId("abcd0001").withAlias(network, "mail").start();
    const to = container.emailAddress("ada");
    const mailer = createTransport({ host: container.getSmtpHost(), port: container.getSmtpPort() });
    await mailer.sendMail({ from: "app@example.com", to, subject: "Welcome", text: "Hello" });
    mailer.close();

    expect(await subjects(container.getUrl(), container.getServerId(), container.getApiKey())).toEqual(["Welcome"]);
    expect(to).toBe("ada@abcd0001.restante.example.com");
    expect(container.getApiKey()).toMatch(/^[0-9a-f]{48}$/);
    expect([container.getNetworkUrl(), container.getNetworkSmtp()]).toEqual([
      "http://mail:8025",
      { host: "mail", port: 1025 },
    ]);
    expect(await definitionOf(container)).toMatchObject({
      image: "restante:other",
      aliases: expect.arrayContaining(["mail"]) as unknown,
    });
    await container.stop();
    await expect(definitionOf(container)).rejects.toThrow(/no such (?:object|container)/i);
  });
});

async function subjects(url: string, server: string, key: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/messages?server=${server}`, { headers: { authorization: `Bearer ${key}` } });
  const messages = (await response.json()) as readonly { readonly subject: string }[];
  return messages.map(({ subject }) => subject);
}

async function definitionOf(container: StartedTestContainer): Promise<object> {
  const client = await getContainerRuntimeClient();
  const inspected = await client.container.inspect(client.container.getById(container.getId()));
  const { Config, NetworkSettings } = inspected as {
    readonly Config: { readonly Image: string };
    readonly NetworkSettings: {
      readonly Networks: Readonly<Record<string, { readonly Aliases?: readonly string[] | null }>>;
    };
  };
  return {
    image: Config.Image,
    aliases: Object.values(NetworkSettings.Networks).flatMap(({ Aliases }) => Aliases ?? []),
  };
}
