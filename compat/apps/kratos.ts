/** Ory Kratos: sign-up and reset by code, through its flows for native applications. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { kratosVersion } from "./applications.ts";
import { otherPassword, password, post, tryApplication } from "./trial.ts";

interface Answer {
  readonly state?: string;
  readonly continue_with?: readonly {
    readonly action: string;
    readonly ory_session_token?: string;
    readonly flow?: { readonly id: string };
  }[];
}

const byEmail = { verification: { via: "email" }, recovery: { via: "email" } };
const schema = {
  $id: "https://shop.example/person.schema.json",
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: {
    traits: {
      type: "object",
      properties: {
        email: {
          type: "string",
          format: "email",
          "ory.sh/kratos": { credentials: { password: { identifier: true } }, ...byEmail },
        },
      },
    },
  },
};

await tryApplication(async (trial) => {
  const [port, adminPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${String(port)}`;
  const file = join(trial.folder, "kratos.yml");
  const own = {
    version: kratosVersion,
    dsn: "memory",
    serve: { public: { host: "127.0.0.1", port, base_url: url }, admin: { host: "127.0.0.1", port: adminPort } },
    selfservice: {
      default_browser_return_url: url,
      methods: { password: { enabled: true, config: { haveibeenpwned_enabled: false } }, code: { enabled: true } },
      flows: {
        recovery: { enabled: true, use: "code" },
        verification: { enabled: true, use: "code" },
        registration: { after: { password: { hooks: [{ hook: "show_verification_ui" }] } } },
        login: { after: { password: { hooks: [{ hook: "require_verified_address" }] } } },
      },
    },
    secrets: { cookie: ["only-for-this-run-and-long-enough"], cipher: ["only-for-this-run-of-32-letters."] },
    identity: {
      default_schema_id: "person",
      schemas: [{ id: "person", url: `base64://${btoa(JSON.stringify(schema))}` }],
    },
    feature_flags: { use_continue_with_transitions: true },
  };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ ...own, ...(parse(trial.settings()) as object) }));
  await trial.start(`${url}/health/ready`, [join(trial.folder, "kratos"), "serve", "--watch-courier", "-c", file]);

  const begin = async (name: string): Promise<string> => {
    const response = await fetch(`${url}/self-service/${name}/api`);
    return ((await response.json()) as { readonly id: string }).id;
  };
  const at = (name: string, flow: string): string => `${url}/self-service/${name}?flow=${flow}`;
  const send = async (to: string, body: object, token = ""): Promise<Answer> =>
    (await post(to, body, { "x-session-token": token })) as Answer;
  const signIn = async (secret: string): Promise<Answer> =>
    send(at("login", await begin("login")), { method: "password", identifier: email, password: secret });
  const flowOf = (answer: Answer, action: string): string =>
    answer.continue_with?.find((one) => one.action === action)?.flow?.id ?? "";

  const email = trial.address("kratos");
  let verification = "";
  const confirmation = await trial.mailTo(email, async () => {
    const request = { method: "password", password, traits: { email } };
    verification = flowOf(await send(at("registration", await begin("registration")), request), "show_verification_ui");
  });
  await assert.rejects(signIn(password), /not active|not verified|verify/i);
  const verified = await send(at("verification", verification), { method: "code", code: confirmation.code() });
  assert.equal(verified.state, "passed_challenge");
  await signIn(password);

  const recovery = await begin("recovery");
  const reset = await trial.mailTo(email, async () => send(at("recovery", recovery), { method: "code", email }));
  const recovered = await send(at("recovery", recovery), { method: "code", code: reset.code() });
  const token = recovered.continue_with?.find((one) => one.action === "set_ory_session_token")?.ory_session_token;
  const change = { method: "password", password: otherPassword };
  await send(at("settings", flowOf(recovered, "show_settings_ui")), change, token);
  await signIn(otherPassword);
  return { version: kratosVersion.slice(1), flows: "sign-up by code, reset by code" };
});
