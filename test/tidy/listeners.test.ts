/** Compares the chart with the listeners in the table of settings. */
import { describe, expect, test } from "vitest";
import { chartFolder } from "../../compat/helm/cases.ts";
import { port } from "../../src/app/settings/forms.ts";
import { catcherNames } from "../../src/app/settings/listener-settings.ts";
import { settings } from "../../src/app/settings/table.ts";
import { readText } from "./source-files.ts";

describe("listeners that are off by default", () => {
  const off = settings.filter(({ form, fallback }) => form === port && fallback === null);
  const patternIn = (template: string, form: RegExp): RegExp =>
    new RegExp(form.exec(readText(`${chartFolder}/templates/${template}`))?.[1] ?? "(no pattern)");
  const setting = patternIn("_helpers.tpl", /regexFind "([^"]+)" \$setting/);
  const ofMail = patternIn("services.yaml", /if regexMatch "([^"]+)" \$name/);

  test.each(off.map(({ env }) => env))("%s gets a port of pods and of the right Service", (env) => {
    expect(env).toMatch(setting);
    const name = env.replace(/^RESTANTE_(.*)_PORT$/, "$1").toLowerCase();
    // Kubernetes' names of ports.
    expect(name).toMatch(/^[a-z0-9]{1,15}$/);
    expect(ofMail.test(name)).toBe(!catcherNames.some((catcher) => catcher === name));
  });
});
