/** Settings of a mail that are checked as the API checks them; of `mail_settings`, sandbox mode and footer have an effect. */
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import type { Issues } from "./issues.ts";

/** Settings that have an effect here. */
export interface Settings {
  /** Whether the mail is only checked. */
  readonly isSandbox: boolean;
  /** Text that is appended to each body. */
  readonly footer: { readonly text: string; readonly html: string };
}

const groupsToDisplayMax = 25;

/** Members of settings with their types; `enable` of each is a boolean. */
const members: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, "boolean" | "string">>>>>> = {
  mail_settings: {
    bypass_list_management: {},
    bypass_spam_management: {},
    bypass_bounce_management: {},
    bypass_unsubscribe_management: {},
    footer: { text: "string", html: "string" },
    sandbox_mode: {},
  },
  tracking_settings: {
    click_tracking: { enable_text: "boolean" },
    open_tracking: { substitution_tag: "string" },
    subscription_tracking: { text: "string", html: "string", substitution_tag: "string" },
    ganalytics: {
      utm_source: "string",
      utm_medium: "string",
      utm_term: "string",
      utm_content: "string",
      utm_campaign: "string",
    },
  },
};

/** Reads `mail_settings`, and checks `tracking_settings`, `asm` and `ip_pool_name`. */
export function readSettings(issues: Issues, body: JsonObject): Settings {
  checkAsm(issues, body);
  if (body["ip_pool_name"] !== undefined && typeof body["ip_pool_name"] !== "string") {
    issues.add("poolName", "ip_pool_name");
  }
  for (const [group, settings] of Object.entries(members)) {
    const given = issues.object(body[group], group) ?? {};
    for (const [name, types] of Object.entries(settings)) {
      checkSetting(issues, given[name], { path: `${group}.${name}`, types });
    }
  }
  const mailSettings = isJsonObject(body["mail_settings"]) ? body["mail_settings"] : {};
  const enabled = (name: string): JsonObject => {
    const setting = mailSettings[name];
    return isJsonObject(setting) && setting["enable"] === true ? setting : {};
  };
  const { text, html } = enabled("footer");
  return {
    isSandbox: enabled("sandbox_mode")["enable"] === true,
    footer: { text: typeof text === "string" ? text : "", html: typeof html === "string" ? html : "" },
  };
}

interface SettingPlace {
  readonly path: string;
  readonly types: Readonly<Record<string, "boolean" | "string">>;
}

function checkSetting(issues: Issues, value: unknown, { path, types }: SettingPlace): void {
  const setting = issues.object(value, path);
  for (const [name, type] of Object.entries({ enable: "boolean", ...types } as const)) {
    const member = setting?.[name] ?? undefined;
    if (member !== undefined && typeof member !== type) issues.addType(type, `${path}.${name}`, member);
  }
}

function checkAsm(issues: Issues, body: JsonObject): void {
  const asm = issues.object(body["asm"], "asm");
  if (asm === undefined) return;
  if (!Number.isInteger(asm["group_id"])) issues.add("groupId", "asm.group_id");
  const groups: unknown = asm["groups_to_display"] ?? [];
  if (!Array.isArray(groups) || !groups.every((one) => Number.isInteger(one))) {
    issues.add("groupsToDisplay", "asm.groups_to_display");
  } else if (groups.length > groupsToDisplayMax) issues.add("groupsToDisplayCount", "asm.groups_to_display");
}
